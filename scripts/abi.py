#!/usr/bin/env python3
"""Compares the binary interface of the library with the committed one, abi/s2sampler.abi.

    scripts/abi.py            compares: 0 if equal, otherwise says "break" or "compatible"
    scripts/abi.py --accept   writes the interface as it is now
    scripts/abi.py --prove    breaks throwaway copies of the sources and sees each verdict come

abidw reads the DWARF of an unstripped library, built for this in build/abi. Unoptimised: the optimiser folds
functions that are alike into one, and the others would have no description. The layout is the same.
What it finds is reduced to what a caller can see: the exported functions and the types that they reach, under
the header's names. Handles are declarations, as in the header. So the file holds no path and nothing of a
compiler's version, and a handle's insides may change. Growing structs: abi/growth.abignore.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/abi"
BASELINE = ROOT / "abi/s2sampler.abi"
GROWTH = ROOT / "abi/growth.abignore"
EQUAL, COMPATIBLE, BREAK = "equal", "compatible", "break"


def need_abigail():
    if shutil.which("abidw") and shutil.which("abidiff"):
        return
    sys.exit("abi: abidw and abidiff are missing: install libabigail (Debian: apt-get install abigail-tools)")


def build(source):
    """The unstripped library of the sources in `source`: its path. Never two of them in one directory of cargo's:
    they would be the same file there, and cargo takes it for up to date."""
    target = BUILD / ("cargo" if source == ROOT else "cargo-copy")
    environment = {k: v for k, v in os.environ.items() if k != "CARGO_BUILD_TARGET"}
    environment |= {
        "RUSTFLAGS": "--cap-lints allow",
        "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "2", "CARGO_PROFILE_DEV_STRIP": "none", "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    }
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--lib"],
                   cwd=source, env=environment, check=True)
    return target / "debug/libs2sampler.so"


def described(library):
    """What abidw says of the library."""
    options = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed",
               "--no-architecture", "--drop-undefined-syms"]
    text = subprocess.run(["abidw", *options, library], check=True, stdout=subprocess.PIPE).stdout
    return xml.fromstring(text)


class Reduction:
    """The exported functions and the types they reach, each type under a name instead of a number."""

    def __init__(self, corpus, opaque):
        self.opaque = opaque
        self.types = {e.get("id"): e for e in corpus.iter() if e.get("id") and e.tag != "subrange"}
        self.names = {}
        functions = sorted((f for f in corpus.iter("function-decl") if f.get("elf-symbol-id")),
                           key=lambda function: function.get("name"))
        symbols = sorted(corpus.iter("elf-symbol"), key=lambda symbol: symbol.get("name"))
        names = [symbol.get("name") for symbol in symbols]
        if not names or names != [function.get("elf-symbol-id") for function in functions]:
            sys.exit("abi: not every export has its description: is the library stripped?")
        for function in functions:
            self.rename(function)
        kept = {name: self.types[number] for number, name in self.names.items()}
        if len(kept) != len(self.names):
            sys.exit(f"abi: types that share a name: {sorted(self.names.values())}")
        self.root = xml.Element("abi-corpus", {key: corpus.get(key) for key in ("version", "soname")})
        xml.SubElement(self.root, "elf-function-symbols").extend(symbols)
        unit = xml.SubElement(self.root, "abi-instr",
                              {"address-size": "64", "path": "s2sampler", "language": "LANG_C99"})
        unit.extend([kept[name] for name in sorted(kept)] + functions)
        xml.indent(self.root)

    def rename(self, element):
        """Replaces the numbers of types in `element`; the types are kept, with all that they reach."""
        for part in element.iter():
            if part.get("type-id"):
                part.set("type-id", self.name(part.get("type-id")))

    def name(self, number):
        if number in self.names:
            return self.names[number]
        element = self.types[number]
        name = element.get("name")
        if (name or "").startswith("Option<"):
            # A callback that may be NULL: to a caller it is the pointer.
            return self.name(element.find(".//var-decl[@name='__0']").get("type-id"))
        if name is None and element.tag == "function-type":
            # A callback: named after what it takes and returns.
            parts = [self.name(part.get("type-id")) for part in element if part.tag in ("parameter", "return")]
            name = f"function of {', '.join(parts)}"
        elif name is None:
            # Such as a pointer: named after what it is of. None reaches itself without a struct between.
            lengths = "".join(f" {subrange.get('length')}" for subrange in element.iter("subrange"))
            name = f"{element.tag.removesuffix('-type-def')}{lengths} of {self.name(element.get('type-id'))}"
        self.names[number] = name
        element.set("id", name)
        for function in element.findall("member-function"):
            element.remove(function)
        if name in self.opaque:
            element[:] = []
            element.attrib.pop("size-in-bits", None)
            element.set("is-declaration-only", "yes")
        for subrange in element.iter("subrange"):
            subrange.set("id", f"subrange in {name}")
        self.rename(element)
        return name


def interface(source):
    """The interface of the sources in `source`, as the text of a file for abidiff."""
    header = (source / "include/s2sampler.h").read_text()
    opaque = set(re.findall(r"^typedef struct (\w+) \1;$", header, re.M))
    reduced = Reduction(described(build(source)), opaque).root
    text = xml.tostring(reduced, encoding="unicode") + "\n"
    if "type-id-" in text:
        sys.exit("abi: a type has kept abidw's number, which any change of the library shifts")
    return text


def growth(text):
    """The text of abi/growth.abignore for an interface: its structs that state their size."""
    structs = xml.fromstring(text).iter("class-decl")
    growing = sorted(struct.get("name") for struct in structs
                     if struct.find("./data-member/var-decl[@name='struct_size']") is not None)
    return f"""\
# Structs that state their own size in struct_size may grow at their end; everything else about them is fixed.
# Written by `make abi ACCEPT=1`.
[suppress_type]
type_kind = struct
name_regexp = ^({'|'.join(growing)})$
has_data_member_inserted_at = end
"""


def verdict(old, new):
    """EQUAL, COMPATIBLE or BREAK, and abidiff's report."""
    strict = subprocess.run(["abidiff", old, new], stdout=subprocess.PIPE, text=True)
    lenient = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", GROWTH, old, new],
                             stdout=subprocess.PIPE, text=True)
    for run in (strict, lenient):
        if run.returncode & 3:
            sys.exit(f"abi: abidiff failed: {run.stdout}")
    if lenient.returncode:
        return BREAK, lenient.stdout
    return (COMPATIBLE if strict.returncode else EQUAL), strict.stdout


def compare():
    BUILD.mkdir(parents=True, exist_ok=True)
    now = BUILD / "s2sampler.abi"
    now.write_text(interface(ROOT))
    word, report = verdict(BASELINE, now)
    print(report, end="")
    if word == BREAK:
        sys.exit("abi: BREAK: programs that were built against the committed interface would misbehave")
    up_to_date = (now.read_text(), growth(now.read_text())) == (BASELINE.read_text(), GROWTH.read_text())
    if word == COMPATIBLE or not up_to_date:
        sys.exit("abi: compatible, re-accept the baseline: make abi ACCEPT=1")
    print(f"abi: equal to {BASELINE.relative_to(ROOT)}")


def accept():
    BASELINE.write_text(interface(ROOT))
    GROWTH.write_text(growth(BASELINE.read_text()))
    print(f"accepted: {BASELINE.relative_to(ROOT)}, {GROWTH.relative_to(ROOT)}")


def changed_copy(changes):
    """A throwaway copy of the sources with `changes`: (files below core/src and src, pattern, replacement)."""
    copy = BUILD / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    # Not with the times of the originals: cargo goes by them.
    shutil.copytree(ROOT, copy, copy_function=shutil.copy, symlinks=True,
                    ignore=shutil.ignore_patterns("target", "build", "build-*", ".tools", ".git"))
    for files, pattern, replacement in changes:
        times = 0
        for path in (path for place in ("core/src", "src") for path in (copy / place).glob(files)):
            text, here = re.subn(pattern, replacement, path.read_text())
            times += here
            if here:
                path.write_text(text)
        if not times:
            sys.exit(f"abi: nothing in {files} matches {pattern}: the proof needs another change")
    return copy


CONFIG = "streams.rs"
A_VALUE_FOR_IT = (CONFIG, r"(struct_size: size_of::<Self>\(\) as u32,)", r"\1 added: 0,")


def leave_it(found):
    """Where SamplerParams is taken apart, if anywhere: the new field is left alone."""
    return f"{found[1]} added: _," if found[1] else ""


# Changes of the sources, and the verdict that each must get.
PROOFS = [
    ("nothing, in another directory", EQUAL, []),
    ("a field is added to SamplerParams", BREAK,
     [("params.rs", r"(pub struct SamplerParams \{[^}]*)\}", r"\1 pub added: f32, }"),
      ("**/*.rs", r"(?<!let )((?:SamplerParams|= Self) \{ temperature\b[^{}]*top_k\b[^{}.]*(?:\.top_k)?) \}",
       r"\1, added: 0.0 }"),
      ("**/*.rs", r"(let SamplerParams \{)(?= temperature\b)|(?=pub added: f32)", leave_it)]),
    ("two fields of SamplerParams change places", BREAK,
     [("params.rs", r"pub top_p: f32,([^}]*)pub top_k: i32,", r"pub top_k: i32,\1pub top_p: f32,")]),
    ("a field is put into the middle of S2StreamConfig", BREAK,
     [(CONFIG, r"(struct S2StreamConfig \{[^}]*?)(pub end_id)", r"\1pub added: i32, \2"), A_VALUE_FOR_IT]),
    ("a function goes", BREAK,
     [("streams.rs", r'#\[unsafe\(no_mangle\)\](\s*pub unsafe extern "C" fn s2_stream_ended\b)', r"\1")]),
    ("a parameter is added", BREAK,
     [("versions.rs", r"(fn s2_abi_version)\(\)", r"\1(_: u32)")]),
    ("a result becomes wider", BREAK,
     [("versions.rs", r"(fn s2_abi_version\([^)]*\)) -> u32 \{([^}]*)\}", r"\1 -> u64 { (\2).into() }")]),
    ("a handle changes inside", EQUAL,
     [("samplers.rs", r"(pub struct S2Sampler)", r"#[repr(align(64))] \1")]),
    ("a field is added at the end of S2StreamConfig", COMPATIBLE,
     [(CONFIG, r"(pub struct S2StreamConfig \{[^}]*)\}", r"\1 pub added: i32, }"), A_VALUE_FOR_IT]),
    ("a function is added", COMPATIBLE,
     [("versions.rs", r"\Z", '\n#[unsafe(no_mangle)]\npub extern "C" fn s2_added() {}\n')]),
]


def prove():
    """Each change gets its verdict, the file is the same wherever the sources lie, and a stripped library,
    of which abidw knows no types, is refused."""
    old, new = BUILD / "before.abi", BUILD / "after.abi"
    BUILD.mkdir(parents=True, exist_ok=True)
    old.write_text(interface(ROOT))
    for what, expected, changes in PROOFS:
        new.write_text(interface(changed_copy(changes)))
        word, report = verdict(old, new)
        print(f"abi: {word:10}  {what}", flush=True)
        if word != expected:
            sys.exit(f"{report}abi: {what}: that should be {expected}")
        if expected == EQUAL and new.read_text() != old.read_text():
            sys.exit(f"abi: {what}: abidiff sees no difference, but the files differ")
    stripped = BUILD / "stripped.so"
    subprocess.run(["strip", "-o", stripped, build(ROOT)], check=True)
    try:
        Reduction(described(stripped), set())
    except SystemExit:
        print("abi: refused     a stripped library")
    else:
        sys.exit("abi: a stripped library is not refused")


actions = {(): compare, ("--accept",): accept, ("--prove",): prove}
if tuple(sys.argv[1:]) not in actions:
    sys.exit("usage: scripts/abi.py [--accept | --prove]")
need_abigail()
actions[tuple(sys.argv[1:])]()
