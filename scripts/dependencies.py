#!/usr/bin/env python3
"""Makes THIRD-PARTY.md and the README's tree of dependencies out of what cargo knows.

    dependencies.py write   write both
    dependencies.py check   fail unless they are what would be written
"""

import pathlib
import sys

from cargo_graph import ROOT, Graph, licence

BEGIN = "<!-- Dependencies: written by scripts/dependencies.py -->"
END = "<!-- Dependencies: end -->"


def table(packages):
    yield "| package | version | licence |"
    yield "|---|---|---|"
    for package in packages:
        yield f"| {package['name']} | {package['version']} | {licence(package)} |"


def mit_text(package):
    """The package's own file: it has the copyright lines that must go along."""
    if "MIT" not in licence(package).split(" OR "):
        sys.exit(f"{package['name']} is in the library and not under MIT: decide what must go along")
    folder = pathlib.Path(package["manifest_path"]).parent
    return (folder / "LICENSE-MIT").read_text().strip()


def third_party(graph):
    yield "# Licences of other people's work"
    yield ""
    yield "Written by `scripts/dependencies.py` out of what cargo knows; not to be edited by hand."
    yield ""
    yield "## In the library"
    yield ""
    yield (
        "Linked into `libs2sampler.so` and `libs2sampler.a`, beside the Rust standard library of the compiler "
        "that built them (MIT OR Apache-2.0, with parts that its own `COPYRIGHT-library.html` lists)."
    )
    yield ""
    yield from table(graph.shipped)
    yield ""
    yield "All of them are taken under MIT."
    for package in graph.shipped:
        yield ""
        yield f"### {package['name']}"
        yield ""
        yield "```text"
        yield mit_text(package)
        yield "```"
    yield ""
    yield "## To test and to measure only"
    yield ""
    yield "Nothing of these is in the library, whoever builds it. Some are for other platforms."
    yield ""
    yield from table(graph.others)


def newest_rust(graph):
    """The library cannot be built with a compiler that is too old for what it depends on."""
    def number(version):
        return tuple(int(part) for part in (version.split(".") + ["0", "0"])[:3])

    own = graph.root["rust_version"]
    for package in graph.shipped:
        if number(package["rust_version"] or "0") > number(own):
            sys.exit(f"{package['name']} needs Rust {package['rust_version']}; Cargo.toml states {own}")


def readme(graph, text):
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return "\n".join([before + BEGIN, "```text", *graph.tree(), "```", END + after])


def main(arguments):
    graph = Graph()
    newest_rust(graph)
    path = ROOT / "README.md"
    texts = {
        ROOT / "THIRD-PARTY.md": "\n".join(third_party(graph)) + "\n",
        path: readme(graph, path.read_text()),
    }
    match arguments:
        case ["write"]:
            for path, text in texts.items():
                path.write_text(text)
        case ["check"]:
            stale = [p.name for p, text in texts.items() if not p.exists() or p.read_text() != text]
            if stale:
                sys.exit(f"not what scripts/dependencies.py makes of Cargo.lock: {', '.join(stale)}")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
