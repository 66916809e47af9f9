#!/usr/bin/env python3
"""Makes THIRD-PARTY.md and the README's tree of dependencies from cargo's metadata.

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
    """The package's own file, with the copyright lines that must be distributed."""
    if "MIT" not in licence(package).split(" OR "):
        sys.exit(f"{package['name']} is in the library and not under MIT: decide what must be distributed")
    folder = pathlib.Path(package["manifest_path"]).parent
    return (folder / "LICENSE-MIT").read_text().strip()


def third_party(graph):
    yield "# Third-party licences"
    yield ""
    yield "`scripts/dependencies.py` writes this file from cargo's metadata. Do not edit it by hand."
    yield ""
    yield "## In the library"
    yield ""
    yield (
        "These packages are linked into `libs2sampler.so` and `libs2sampler.a`, together with the Rust standard "
        "library of the compiler that built them (MIT OR Apache-2.0; its `COPYRIGHT-library.html` lists parts "
        "under other licences)."
    )
    yield ""
    yield from table(graph.shipped)
    yield ""
    yield "All are used under the MIT licence."
    for package in graph.shipped:
        yield ""
        yield f"### {package['name']}"
        yield ""
        yield "```text"
        yield mit_text(package)
        yield "```"
    yield ""
    yield "## For tests and measurements only"
    yield ""
    yield "No build of the library contains these. Some are for other platforms."
    yield ""
    yield from table(graph.others)


def newest_rust(graph):
    """Fails if a dependency needs a newer compiler than Cargo.toml states."""
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
                sys.exit(f"out of date, run scripts/dependencies.py: {', '.join(stale)}")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
