#!/usr/bin/env python3
"""Checks that no call costs more than docs/costs.md says, whatever the sizes of its input.

benches/instructions/costs.cpp runs every stage and option at two sizes, most of them N and 2 N, under valgrind's
callgrind, at the level avx2. The larger one may take at most 25 % more instructions than in proportion, which
leaves room for n log n; a constant cost may grow by 25 %. The table in docs/costs.md has the instructions
for each further unit of the size; a figure that is more than 25 % off fails. `--accept` rewrites the table.
"""

import concurrent.futures
import os
import re
import sys

import callgrind
from callgrind import ROOT

DOCUMENT = ROOT / "docs/costs.md"
BEGIN, END = "<!-- Written by `make costs ACCEPT=1`. -->\n", "<!-- The end of the table. -->\n"
# Which proof settles a nucleus depends on the alignment of the row, which allocations change.
SLACK = 1.25
# Instructions for each logit of a pass that weighs all tokens, and of one that ranks them. Bounds may settle a draw
# at one size and not at the other: a cost below these may grow up to them.
FULL_PASS = {"n": 50, "n log n": 330}
TOLERANCE = 0.25
PARTS = os.cpu_count() or 1


def check_completeness():
    """Every stage, request field and drawing function of the C API is in the workloads."""
    header = (ROOT / "include/s2sampler.h").read_text()
    source = (ROOT / "benches/instructions/costs.cpp").read_text()
    names = re.findall(r"\b(s2_chain_add_\w+)\(", header)
    names += re.findall(r"\b(s2_(?:sampler|stream|chain|draw)_(?:sample|slow|report|apply|accept)\w*)\(", header)
    request = re.search(r"typedef struct S2SampleRequest \{(.*?)\} S2SampleRequest;", header, re.S)[1]
    names += re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", request, flags=re.S))
    # Costs nothing, or is the whole of a request.
    missing = set(names) - set(re.findall(r"\w+", source)) - {
        "struct_size", "id_offset", "penalty_window", "uniform", "flags"}
    if missing:
        sys.exit(f"costs.cpp does not measure {', '.join(sorted(missing))}")


def measure():
    """For each name, in the program's order: order, what it is, unit, the two sizes and their counts."""
    program = callgrind.build("costs")
    with concurrent.futures.ThreadPoolExecutor(PARTS) as pool:
        runs = list(pool.map(lambda part: callgrind.count(program, str(part), str(PARTS)), range(PARTS)))
    costs = []
    for printed, counts in runs:
        for line in printed.splitlines():
            number, name, order, what, unit, *sizes = line.split("\t")
            sizes = tuple(map(int, sizes))
            counted = tuple(counts[f"{name}@{size}"] for size in sizes)
            costs.append((int(number), name, (order, what, unit, sizes, counted)))
    return {name: cost for _, name, cost in sorted(costs)}


def limit(order, sizes):
    """How many times the first count the second may be."""
    return SLACK if order == "constant" else SLACK * max(2, sizes[1] / sizes[0])


def full_pass(order, unit, size):
    return FULL_PASS.get(order, 0) * size if unit == "logit" else 0


def too_steep(costs):
    for name, (order, _, unit, sizes, counts) in costs.items():
        growth = counts[1] / max(counts[0], full_pass(order, unit, sizes[0]))
        most = limit(order, sizes)
        verdict = "TOO STEEP" if growth > most else ""
        print(f"{name:28}{sizes[0]:10,}{counts[0]:13,}{sizes[1]:10,}{counts[1]:13,}"
              f"{growth:7.2f} of {most:.2f}  {unit:8}{verdict}")
        if verdict:
            yield name


def figures(costs):
    """By name, of all shapes of a row the largest: order, what it is, unit, instructions."""
    found = {}
    for name, (order, what, unit, sizes, counts) in costs.items():
        if order == "constant":
            unit, figure = "call", counts[1]
        elif sizes[1] == 2 * sizes[0]:
            figure = (counts[1] - counts[0]) / (sizes[1] - sizes[0])
            if counts[0] < full_pass(order, unit, sizes[0]):
                figure = counts[1] / sizes[1]
        else:
            continue
        name = name.split("#")[0]
        found[name] = (order, what, unit, max(figure, found.get(name, (0,))[-1]))
    return found


def rounded(figure):
    return f"{float(f'{figure:.2g}'):,.10g}"


def tables(found):
    """The two tables, with the figures that they show."""
    stages = [name.removeprefix("stage_") for name in found if name.startswith("stage_")]
    rows = [("| Stage | With | Grows as | Instructions a logit of a row | Of an array |", ()), ("|---|---|---|---|---|", ())]
    for stage in stages:
        order, what, _, row = found[f"stage_{stage}"]
        array = found[f"array_{stage}"][-1]
        rows.append((f"| {stage} | {what} | {order} | {{}} | {{}} |", (row, array)))
    rows += [("", ()), ("| Call | Grows as | Instructions |", ()), ("|---|---|---|", ())]
    for name, (order, what, unit, figure) in found.items():
        if not name.startswith(("stage_", "array_")):
            rows.append((f"| {what} | {order} | {{}} for each {unit} |", (figure,)))
    return rows


def text(found):
    return "".join(line.format(*map(rounded, numbers)) + "\n" for line, numbers in tables(found))


def differences(found):
    """The lines of the document that are no longer true."""
    _, rest = DOCUMENT.read_text().split(BEGIN)
    written = rest.split(END)[0].splitlines()
    now = tables(found)
    if len(now) != len(written):
        yield f"{len(written)} lines in the document, {len(now)} now"
        return
    for was, (line, numbers) in zip(written, now):
        pattern = re.escape(line).replace(r"\{\}", r"([\d,.]+)")
        match = re.fullmatch(pattern, was)
        if not match:
            yield f"{was}\n  is now {line}"
            continue
        for before, figure in zip(match.groups(), numbers):
            before = float(before.replace(",", ""))
            if abs(figure - before) > TOLERANCE * before + 0.1:
                yield f"{was}\n  now {figure:,.2f}"


def main(arguments):
    if arguments not in ([], ["--accept"]):
        sys.exit("usage: scripts/costs.py [--accept]")
    callgrind.check_for_valgrind()
    check_completeness()
    costs = measure()
    steep = list(too_steep(costs))
    if steep:
        sys.exit(f"the cost grows faster than the input: {', '.join(steep)}")
    found = figures(costs)
    if arguments:
        before, rest = DOCUMENT.read_text().split(BEGIN)
        DOCUMENT.write_text(before + BEGIN + text(found) + END + rest.split(END)[1])
        print(f"accepted: {DOCUMENT.relative_to(ROOT)}")
        return
    changed = list(differences(found))
    print("\n".join(changed))
    if changed:
        sys.exit("the costs differ from docs/costs.md: fix them, or accept them by make costs ACCEPT=1")


main(sys.argv[1:])
