#!/usr/bin/env python3
"""Counts the instructions of fixed workloads and compares them with the committed figures.

Time depends on the machine's mood, instruction counts do not: the release library is linked with
benches/instructions/workloads.cpp and run once under valgrind's callgrind, at the level avx2. A count that
is more than 3 % off fails, in both directions, so that the figures stay true: a slowdown is to be mended, a
gain to be accepted. `--accept` writes the counts of this run as the new figures.

Another Rust compiler or C library makes other code; then the counts are held to 15 % only, and a line says so.
"""

import os
import re
import subprocess
import sys

import callgrind
from callgrind import ROOT

FIGURES = ROOT / "benches/instructions/figures.tsv"
# Workloads that may cost at most so many times another: a mask must not cost what it leaves out, nor a
# chain more than it does, stages that are off nothing, and penalties no pass over the row.
AT_MOST = [
    ("ranges_4097", 1.3, "default_4096"),
    ("chain_s2_155776", 1.1, "default_155776"),
    ("chain_llama_155776", 1.2, "default_155776"),
    ("chain_penalties_155776", 2.0, "default_155776"),
]
TOLERANCE = 0.03
TOLERANCE_ELSEWHERE = 0.15


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def toolchain():
    """What decides the counts beside the sources: the compiler and, for expf, the C library."""
    rustc = re.match(r"rustc \S+", output_of("rustc", "--version"))[0]
    return f"{rustc}, {os.confstr('CS_GNU_LIBC_VERSION')}"


def read_figures():
    """The toolchain of the committed figures, and the figures."""
    of, figures = "", {}
    for line in FIGURES.read_text().splitlines():
        if line.startswith("# toolchain: "):
            of = line.removeprefix("# toolchain: ")
        elif not line.startswith("#"):
            name, figure = line.split("\t")
            figures[name] = int(figure)
    return of, figures


def write_figures(of, counts):
    lines = [
        "# Instructions per draw at the level avx2. Written by `make instructions ACCEPT=1`.",
        f"# toolchain: {of}",
        *(f"{name}\t{figure}" for name, figure in counts.items()),
    ]
    FIGURES.write_text("\n".join(lines) + "\n")


def compare(counts):
    """Prints a line for each workload: its verdicts, or none if the workloads are not those of the figures."""
    print(f"{'instructions per draw':31}{'committed':>12} {'now':>12}")
    of, figures = read_figures()
    here = toolchain()
    tolerance = TOLERANCE
    if of != here:
        tolerance = TOLERANCE_ELSEWHERE
        print(f"FIGURES ARE OF {of}; THIS IS {here}: compared loosely ({tolerance:.0%})")
    if counts.keys() != figures.keys():
        print(f"workloads run: {', '.join(counts)}; in {FIGURES.name}: {', '.join(figures)}")
        return []
    verdicts = []
    for name, figure in figures.items():
        change = counts[name] / figure - 1
        verdict = "SLOWER" if change > tolerance else "FASTER" if change < -tolerance else "as before"
        verdicts.append(verdict)
        print(f"{name:31}{figure:12,} {counts[name]:12,} {change:+8.1%}  {verdict}")
    return verdicts


def main(arguments):
    if arguments not in ([], ["--accept"]):
        sys.exit("usage: scripts/instructions.py [--accept]")
    callgrind.check_for_valgrind()
    _, counts = callgrind.count(callgrind.build("workloads"), ROOT / "tests/data")
    for name, most, other in AT_MOST:
        if counts[name] > most * counts[other]:
            sys.exit(f"{name} takes {counts[name]:,} instructions, more than {most} times {other}: {counts[other]:,}")
    verdicts = compare(counts)
    if arguments:
        write_figures(toolchain(), counts)
        print(f"accepted: {FIGURES.relative_to(ROOT)}")
    elif "SLOWER" in verdicts:
        sys.exit("slower: fix it, or accept it by make instructions ACCEPT=1 and give the reason in the commit")
    elif "FASTER" in verdicts:
        sys.exit("faster: accept the new figures by make instructions ACCEPT=1")
    elif not verdicts:
        sys.exit("the workloads changed: accept their figures by make instructions ACCEPT=1")


main(sys.argv[1:])
