"""Chains of stages beside llama.cpp's: how fast, and how far the two agree."""

import csv
from statistics import median

import bench_results
from bench_targets import SPEECH, number

BEGIN = "<!-- Agreement: written by scripts/bench_report.py -->"
END = "<!-- Agreement: end -->"

HEAD = "top_k 40, top_p 0.95, min_p 0.05, temperature 0.8, dist"
JOBS = {
    "llama": HEAD,
    "penalties": f"penalties over 64 tokens, {HEAD}",
    "nucleus": "top_p 0.9, temperature 0.8, dist",
    "huggingface": "penalties over 64 tokens, temperature 0.8, top_k 50, top_p 0.9, min_p 0.05, dist",
    "article": "penalties over 64 tokens, temperature 0.8, softmax, top_k 40, top_p 0.9, dist",
}

# Row and job at the speech vocabulary, and the target: how many times as fast as llama.cpp.
TARGETS = {("normal", "llama"): 5, ("normal", "penalties"): 15, ("peaked", "nucleus"): 10}


class Chains:
    def __init__(self, raw):
        self.results = bench_results.times(raw / "chains.csv")
        with open(raw / "agree.csv", newline="") as file:
            self.agreement = list(csv.DictReader(file))

    def ratio(self, key):
        """llama.cpp's time divided by the library's, the median over the rounds."""
        both = self.results[key]
        return median(a / b for a, b in zip(both["llama.cpp"], both["s2sampler"]))

    def of(self, target):
        row, job = target
        return self.ratio((row, SPEECH, job, "cache"))

    def sentence(self):
        llama, penalties, nucleus = (number(self.of(target)) for target in TARGETS)
        return (
            f"The chain {HEAD} draws from a row of {SPEECH:,} logits {llama} times as fast as llama.cpp's chain, which "
            f"fills its array first. With penalties over 64 tokens in front it is {penalties} times as fast, and top_p "
            f"0.9 alone on a peaked row {nucleus} times."
        )

    def lines(self):
        """The document's table: one line for each row, length and chain."""
        for (row, n, job, state), both in self.results.items():
            target = TARGETS.get((row, job)) if n == SPEECH else None
            ratio = self.ratio((row, n, job, state))
            said = ""
            if target:
                said = f"{target} x: {'reached' if ratio >= target else '**not reached**'}"
            times = (number(median(both[subject])) for subject in ("llama.cpp", "s2sampler"))
            yield [row, f"{n:,}", job, *times, number(ratio), said]

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
