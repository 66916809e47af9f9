"""Stages and chains beside llama.cpp's: how fast, and how far the two agree."""

import csv

import bench_results
from bench_targets import K40, SPEECH, number

BEGIN = "<!-- Agreement: written by scripts/bench_report.py -->"
END = "<!-- Agreement: end -->"

SHAPES = {"uniform": "uniform", "normal": "N(0,3)", "peaked": "peaked"}
ARRAY = 131_072


class Chains:
    def __init__(self, raw):
        self.times = bench_results.Times(raw / "chains.csv")
        self.jobs = list(dict.fromkeys(job for _, _, job, _ in self.times.of))
        with open(raw / "agree.csv", newline="") as file:
            self.agreement = list(csv.DictReader(file))

    def faster(self, form):
        """In how many cases the library is the faster one, of how many, and the worst of them."""
        ratios = {key: self.times.llama(key) for key in self.times.keys(f"*,hot {form}")}
        return sum(ratio >= 1 for ratio in ratios.values()), len(ratios), min(ratios, key=ratios.get)

    def sentence(self):
        parts = []
        for form in ("row", "array"):
            faster, cases, worst = self.faster(form)
            row, n, job, _ = worst
            parts.append(
                f"in {faster} of {cases} cases on {form}s (at worst {number(self.times.llama(worst))} times as fast: "
                f"{job}, {SHAPES[row]}, {n:,})"
            )
        return (
            f"Every stage that llama.cpp has and {sum(' + ' in job for job in self.jobs)} chains are faster than "
            f"llama.cpp's {parts[0]} and {parts[1]}."
        )

    def cell(self, shape, n, job, state, with_time=False):
        key = (shape, n, job, state)
        if key not in self.times.of:
            return ""
        ratio = self.times.llama(key)
        text = f"**{number(ratio)}**" if ratio < 1 else number(ratio)
        return f"{text} ({number(self.times.us(key))} µs)" if with_time else text

    def shapes(self):
        """Columns and lines: the library's time, and llama.cpp's divided by it, on hot rows and arrays."""
        columns = [(shape, form) for shape in SHAPES for form in ("row", "array", "sorted array")
                   if form != "sorted array" or shape == "normal"]
        names = [f"{SHAPES[shape]}, {form}" for shape, form in columns]
        lines = [
            [job, *(self.cell(shape, ARRAY, job, f"hot {form}", True) for shape, form in columns)]
            for job in self.jobs
        ]
        return names, lines

    def lengths(self):
        columns = [(n, form) for n in (4096, 32_000, SPEECH) for form in ("row", "array")]
        names = [f"{n:,}, {form}" for n, form in columns]
        lines = [
            [job, *(self.cell("normal", n, job, f"hot {form}") for n, form in columns)] for job in self.jobs
        ]
        return names, lines

    def states(self):
        columns = [
            (n, state, form) for n in (4096, SPEECH) for state in ("written", "cold") for form in ("row", "array")
        ]
        names = [f"{n:,}, {state} {form}" for n, state, form in columns]
        lines = [
            [job, *(self.cell("normal", n, job, f"{state} {form}") for n, state, form in columns)]
            for job in self.jobs
        ]
        return names, lines

    def summary(self):
        """Lines of the README's table: description, logits, microseconds, how many times as fast as llama.cpp."""
        cases = [("normal", 4096, "written row"), ("normal", SPEECH, "written row"), ("normal", SPEECH, "cold row"),
                 ("normal", SPEECH, "hot row"), ("normal", ARRAY, "hot array")]
        for shape, n, state in cases:
            yield f"chain {K40}; {state}", n, (shape, n, K40, state)
        for form in ("row", "array"):
            worst = self.faster(form)[2]
            yield f"slowest of all beside llama.cpp, hot {form}: {worst[2]}; {SHAPES[worst[0]]}", worst[1], worst

    def agreed(self):
        """The block of docs/chain.md: how many chains agree, and why others differ."""
        counts, reasons, draws = {}, {}, {}
        for line in self.agreement:
            counts[line["rows"], line["result"]] = int(line["chains"])
            reasons[line["result"]] = line["reason"]
            if line["result"] == "agree":
                draws[line["rows"]] = line["reason"]
        rows = list(draws)
        total = {r: sum(n for (its, _), n in counts.items() if its == r) for r in rows}
        yield "| | " + " | ".join(f"rows with {'many' if r == 'tied' else 'few'} equal logits" for r in rows) + " |"
        yield "|---|" + "---:|" * len(rows)
        yield "| chains compared | " + " | ".join(f"{total[r]:,} ({draws[r]})" for r in rows) + " |"
        for result in sorted(reasons, key=lambda result: result != "agree"):
            said = "the same candidates, logits, probabilities and tokens" if result == "agree" else reasons[result]
            yield f"| {said} | " + " | ".join(f"{counts.get((r, result), 0):,}" for r in rows) + " |"

    def document(self, text):
        """docs/chain.md with a new block."""
        before, rest = text.split(BEGIN)
        return f"{before}{BEGIN}\n" + "\n".join(self.agreed()) + f"\n{END}{rest.split(END)[1]}"
