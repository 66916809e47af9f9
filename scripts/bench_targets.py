"""The targets: what each row of the table is meant to reach, and how far it got."""

from dataclasses import dataclass
from statistics import median

from bench_results import Table

SPEECH, TEXT = 155_776, 262_144
ODD = ["ascending", "descending", "sawtooth", "two-level", "all-equal"]


def x(ratio):
    return ("x", ratio)


def passes(count):
    return ("passes", count)


# Row, length, job, which of several, "at least", "beyond". A target in x is a ratio to the full sort
# and is to be reached or passed; one in passes is a time in bare max passes and a limit.
TARGETS = [
    ("N(0,3)", "normal", SPEECH, "default", "", x(800), x(1500)),
    ("all but 4,097 at -inf", "masked", SPEECH, "default", "", x(350), passes(2)),
    ("real rows", "real", None, "default", "median", x(800), x(1200)),
    ("real rows", "real", None, "default", "worst", x(350), x(600)),
    ("flat (spread 0.01)", "flat", SPEECH, "default", "", x(800), None),
    ("N(0,3)", "normal", 4096, "default", "", x(120), x(200)),
    ("N(0,3)", "normal", 1024, "default", "", x(20), x(40)),
    ("N(0,3)", "normal", SPEECH, "nucleus", "", x(12), x(40)),
    ("real rows", "real", TEXT, "nucleus", "median", x(400), None),
    ("flat (spread 0.01)", "flat", SPEECH, "nucleus", "", x(4), x(8)),
    ("any row", None, None, "greedy", "worst", passes(1.5), passes(1.1)),
]

# Odd rows are held to the ratio of N(0,3): at least a third of it, beyond that all of it.
ODD_AT_LEAST, ODD_BEYOND = 1 / 3, 1.0

# Of the draws on real rows, the share that may need the whole row sorted.
SORTED_SHARE = 1e-4


@dataclass
class Outcome:
    label: str
    at_least: str
    reached: bool
    beyond: str
    reached_beyond: bool | None
    measured: str
    # The ratio of a draw that takes one bare pass.
    limit: str
    ratio: float | None = None
    goals: tuple = ()


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def words(target):
    if target is None:
        return ""
    kind, goal = target
    return f"{number(goal)} x" if kind == "x" else f"{number(goal)} passes"


def holds(target, ratio, pass_count):
    if target is None:
        return None
    kind, goal = target
    return ratio >= goal if kind == "x" else pass_count <= goal


def of_table(table: Table):
    for label, row, n, job, which, at_least, beyond in TARGETS:
        keys = table.keys(row, n, job)
        if not keys:
            raise SystemExit(f"no result for {label}, {n}, {job}")
        ratios = [table.ratio(key) for key in keys]
        counts = [table.passes(key) for key in keys]
        pick = (median, median) if which == "median" else (min, max)
        ratio, count = pick[0](ratios), pick[1](counts)
        length = f"{n:,}" if n else " and ".join(f"{n:,}" for n in (SPEECH, TEXT))
        name = f"{label}, {length}, {job}" if row else f"{label}, {job}"
        if which:
            name += f": {which} of {len(keys)}"
        slowest = "" if which else f", {number(table.us(keys[0]))} µs"
        both = f"{number(ratio)} x, {number(count)} passes{slowest}"
        in_passes = at_least[0] == "passes"
        if which == "worst":
            # Which row it is; the worst by ratio, or by passes if that is what counts.
            worst = keys[counts.index(count) if in_passes else ratios.index(ratio)]
            measured = f"{number(count)} passes" if in_passes else f"{number(ratio)} x, {number(table.us(worst))} µs"
            both = f"{measured} ({worst[0].removeprefix('real:')}, {worst[1]:,})"
        limit = "" if in_passes else f"{number(pick[0]([table.limit(key) for key in keys]))} x"
        goals = tuple(t[1] for t in (at_least, beyond) if t and t[0] == "x")
        yield Outcome(
            name, words(at_least), holds(at_least, ratio, count), words(beyond),
            holds(beyond, ratio, count), both, limit, ratio if goals else None, goals,
        )
    for job in ("default", "nucleus"):
        usual = table.ratio(("normal", SPEECH, job, "cache"))
        for row in ODD:
            key = (row, SPEECH, job, "cache")
            ratio = table.ratio(key)
            share = ratio / usual
            yield Outcome(
                f"{row}, {SPEECH:,}, {job}", "1/3 of N(0,3)", share >= ODD_AT_LEAST, "all of N(0,3)",
                share >= ODD_BEYOND,
                f"{share:.2f} of it: {number(ratio)} x, {number(table.us(key))} µs",
                f"{table.limit(key) / usual:.2f} of it: {number(table.limit(key))} x",
                ratio, (ODD_AT_LEAST * usual, ODD_BEYOND * usual),
            )


def of_settled(settled):
    real = [line for line in settled if line["set"].startswith("real rows")]
    draws, sorts = sum(line["draws"] for line in real), sum(line["sort"] for line in real)
    return Outcome(
        "real rows: draws that sort the row", "under 1 in 10,000", sorts < SORTED_SHARE * draws, "", None,
        f"{sorts:,} of {draws:,}", "",
    )
