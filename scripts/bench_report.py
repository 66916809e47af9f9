#!/usr/bin/env python3
"""Makes docs/benchmarks.md, its plots, the README's section and the table in docs/chain.md from the raw
results in docs/benchmarks/.

    bench_report.py write         write them
    bench_report.py check         fail unless they are what would be written
    bench_report.py targets DIR   print how the targets fare with DIR/table.csv
"""

import pathlib
import sys
from statistics import median

import bench_chains
import bench_results
import bench_svg
import bench_targets
from bench_targets import SPEECH, TEXT, number

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAW = ROOT / "docs/benchmarks"
BEGIN = "<!-- Speed: written by scripts/bench_report.py -->"
END = "<!-- Speed: end -->"

JOBS = {
    "default": "default: k 30, p 0.8, T 0.8",
    "nucleus": "nucleus: no k, p 0.9, T 0.8",
    "greedy": "greedy: T 0",
    "k 1000": "k 1000: k 1000, p 0.8, T 0.8",
}
NAMES = {"normal": "N(0,3)", "flat": "flat (spread 0.01)"}
LEVELS = ["baseline", "avx2", "avx512", "neon"]
# Not rivals: the yardsticks, and one part of a peer's work.
NO_RIVAL = ["s2sampler", "max pass", "full sort", "llama.cpp, apply only"]


def rows_of(header, lines):
    """A Markdown table, all columns but the first to the right if they hold figures."""
    align = ["---"] + ["---:" if i["right"] else "---" for i in header[1:]]
    yield "| " + " | ".join(i["name"] for i in header) + " |"
    yield "|" + "|".join(align) + "|"
    for line in lines:
        yield "| " + " | ".join(line) + " |"
    yield ""


def figures(*names):
    return [{"name": name, "right": True} for name in names]


def texts(*names):
    return [{"name": name, "right": False} for name in names]


def name_of(row):
    return NAMES.get(row, row.replace("real:", "real, "))


class Report:
    def __init__(self, raw):
        self.table = bench_results.Table(raw / "table.csv")
        self.peers = bench_results.times(raw / "peers.csv")
        self.matrix = bench_results.matrix(raw / "matrix.csv")
        self.settled = bench_results.settled(raw / "settled.csv")
        self.chains = bench_chains.Chains(raw)
        self.machine = bench_results.machine(raw / "machine.json")
        self.outcomes = list(bench_targets.of_table(self.table))
        self.outcomes.append(bench_targets.of_settled(self.settled))

    def levels(self):
        return sorted(next(iter(self.matrix.values())), key=LEVELS.index)

    # --- The parts that the README shows too --------------------------------------------------------

    def headline(self):
        key = ("normal", SPEECH, "default", "cache")
        real = [self.table.ratio(k) for k in self.table.keys("real", job="default")]
        rivals = {n: median(t) for n, t in self.peers[key].items() if n not in NO_RIVAL}
        rival = min(rivals, key=rivals.get)
        own = median(self.peers[key]["s2sampler"])
        filled = ", filling its array included" if rival == "llama.cpp" else ""
        return (
            f"A draw from {SPEECH:,} logits N(0,3) with the default parameters takes "
            f"{number(self.table.us(key))} µs. That is {number(self.table.ratio(key))} times as fast as the plain "
            f"full sort and {number(rivals[rival] / own)} times as fast as the fastest other sampler measured "
            f"({rival}{filled}). It takes {number(self.table.passes(key))} times as long as finding the row's "
            f"maximum. On real rows the draw is {number(median(real))} times as fast as the full sort in the median "
            f"and {number(min(real))} times in the worst case."
        )

    def summary(self):
        """The README's table, which is also the document's first."""
        chosen = [
            ("normal", SPEECH, "default"), ("masked", SPEECH, "default"),
            ("normal", 4096, "default"), ("normal", 1024, "default"),
            ("normal", SPEECH, "nucleus"), ("flat", SPEECH, "nucleus"), ("normal", SPEECH, "greedy"),
        ]
        lines = []
        for row, n, job in chosen:
            key = (row, n, job, "cache")
            lines.append([
                f"{name_of(row)}, {JOBS[job]}", f"{n:,}", number(self.table.us(key, "full sort")),
                number(self.table.us(key)), number(self.table.ratio(key)),
            ])
        header = figures("row and parameters", "logits", "full sort, µs", "s2sampler, µs", "times as fast")
        return list(rows_of(header, lines))

    # --- The document -------------------------------------------------------------------------------

    def document(self):
        yield "# Benchmarks"
        yield ""
        yield (
            "`scripts/bench_report.py` writes this file from the raw results in [benchmarks/](benchmarks/). "
            "Do not edit it by hand."
        )
        yield ""
        yield self.headline()
        yield ""
        yield from self.summary()
        yield "![time for one draw against the length of the row](benchmarks/time_default.svg)"
        yield ""
        yield from self.method()
        yield from self.machine_section()
        yield from self.targets_section()
        yield from self.cache_section()
        yield from self.cold_section()
        yield from self.peers_section()
        yield from self.chains_section()
        yield from self.levels_section()
        yield from self.settled_section()

    def method(self):
        yield "## How it is measured"
        yield ""
        yield (
            "One thread draws, after warm-up, with the row in the caches unless a section says otherwise. The "
            "*full sort* is [the plain C++ sampler](../c_tests/engine/src/s2_sampler.cpp) that sorts the whole "
            "row, compiled with -O2. The *bare pass* finds the row's maximum with the widest vectors of the CPU "
            "and does nothing else. All take turns in one process. Ratios are computed for each turn, and all "
            "figures are medians. Before a row is timed, the tokens of the full sort and the library are "
            "compared."
        )
        yield ""
        yield (
            "The clock is the thread's CPU time, so other processes on the machine do not count. Cold draws and "
            "draws on two threads use wall time. Rows of up to 4,096 logits alternate between sixteen samples, "
            "rows of 32,000 between four: the branch predictor would learn one short row that is sorted again and "
            "again, and an engine never repeats a row."
        )
        yield ""
        yield (
            "Rows: *masked* is N(0,3) with all but 4,097 tokens at -inf (half of the tokens in short rows), "
            "*peaked* has fifty tokens far above the others, *tied* is rounded to bf16, *two-level* and "
            "*sawtooth* have many equal values. Parameters: " + "; ".join(JOBS.values()) + "."
        )
        yield ""

    def machine_section(self):
        m = self.machine
        rows = self.table.real_rows()
        virtual = ", virtual machine" if m["virtual"] else ""
        lines = [
            ["date, command", f"{m['date']}, `{m['command']}`, {m['minutes']} minutes"],
            ["CPU", f"{m['cpu']}; {m['cpus']} CPUs{virtual}; {m['caches']}"],
            ["load average at the end, 15 minutes", str(m["load"])],
            ["system", m["system"]],
            ["compilers", f"{m['rustc']}; {m['compiler']}"],
            ["s2sampler", f"{m['own']['s2sampler']}, SIMD level {m['level']}; criterion {m['own']['criterion']}"],
            ["peers", ", ".join(f"{name} {version}" for name, version in m["peers"].items())],
            ["real rows", f"{len(rows)} of Gemma 3 270M: {', '.join(rows)}"],
        ]
        yield "## Machine and versions"
        yield ""
        yield from rows_of(texts("", ""), lines)
        if m["missing peer"]:
            yield f"**Missing in this run: {m['missing peer']}.**"
            yield ""

    def targets_section(self):
        said = {True: "reached", False: "**not reached**", None: ""}
        lines = [
            [o.label, o.at_least, said[o.reached], o.beyond, said[o.reached_beyond], o.measured, o.limit]
            for o in self.outcomes
        ]
        missed = sum(not o.reached for o in self.outcomes)
        yield "## Targets"
        yield ""
        yield (
            f"\"x\" is the full sort's time divided by the draw's time. \"passes\" is the draw's time divided by "
            f"that of a bare pass over the same row. {len(lines) - missed} of {len(lines)} \"at least\" targets are "
            "reached."
        )
        yield ""
        yield from rows_of(texts("row", "at least", "", "beyond that", "", "measured", "a bare pass would be"), lines)
        yield "![ratios to the full sort, with the targets](benchmarks/ratios.svg)"
        yield ""

    def cache_section(self):
        yield "## In cache, through the C header"
        yield ""
        lines = []
        for key in self.table.keys():
            row, n, job, _ = key
            lines.append([
                name_of(row), f"{n:,}", job, number(self.table.us(key, "full sort")),
                number(self.table.us(key)), number(self.table.us(key, "max pass")),
                number(self.table.ratio(key)), number(self.table.passes(key)),
            ])
        yield from rows_of(
            figures("row", "logits", "parameters", "full sort, µs", "s2sampler, µs", "bare pass, µs",
                    "full sort / s2sampler", "s2sampler / bare pass"), lines)

    def cold_section(self):
        yield "## Out of cache, and on two threads"
        yield ""
        yield "Cold: single calls, each after writing 128 MiB of other memory."
        yield ""
        lines = []
        for key in self.table.keys(state="cold"):
            lines.append([
                name_of(key[0]), f"{key[1]:,}", key[2], number(self.table.us(key, "full sort")),
                number(self.table.us(key)), number(self.table.us(key, "max pass")),
                number(self.table.ratio(key)), number(self.table.passes(key)),
            ])
        yield from rows_of(
            figures("row", "logits", "parameters", "full sort, µs", "s2sampler, µs", "bare pass, µs",
                    "full sort / s2sampler", "s2sampler / bare pass"), lines)
        yield "Two threads at once, each with its own generator and row: the time of one draw in a thread."
        yield ""
        lines = []
        for key in self.table.keys(state="1 thread"):
            one, two = self.table.us(key), self.table.us((*key[:3], "2 threads"))
            lines.append([
                name_of(key[0]), f"{key[1]:,}", key[2], number(one), number(two), f"{2 * one / two:.2f}",
            ])
        yield from rows_of(
            figures("row", "logits", "parameters", "1 thread, µs", "2 threads, µs", "throughput, times"),
            lines)

    def peers_section(self):
        subjects = list(next(iter(self.peers.values())))
        yield "## Beside other samplers"
        yield ""
        yield (
            "All take turns in one process, called from Rust. With a top_k the library and the full sort do more "
            "than the others: their top_p uses the softmax over the whole row, the others' that of the k best. "
            "llama.cpp works on an array of ids and logits and reorders it, so an engine fills it for each draw. "
            "*apply only* leaves the filling out. *naive Rust* selects the k best, sorts them, and uses `rand`'s "
            "weighted index."
        )
        yield ""
        behind = []
        for (row, n, job, _), results in self.peers.items():
            us = {name: median(t) for name, t in results.items()}
            behind += [
                f"{name} ({name_of(row)}, {n:,}, {job}: {number(us[name])} µs to {number(us['s2sampler'])})"
                for name in us
                if name not in ("s2sampler", "max pass") and us[name] < us["s2sampler"]
            ]
        if behind:
            yield f"Faster than s2sampler in some of the {len(self.peers)} cases: {'; '.join(behind)}."
        else:
            yield f"s2sampler is the fastest in all {len(self.peers)} cases, with its row in the caches."
        yield ""
        for job in ("default", "nucleus", "greedy"):
            yield f"### {JOBS[job]}, microseconds"
            yield ""
            lines = []
            for (row, n, its, _), results in self.peers.items():
                if its == job and (row == "normal" or n in (SPEECH, TEXT)):
                    us = {name: median(t) for name, t in results.items()}
                    best = min(us[name] for name in us if name not in NO_RIVAL)
                    lines.append([
                        name_of(row), f"{n:,}", *(number(us[name]) for name in subjects),
                        number(best / us["s2sampler"]),
                    ])
            yield from rows_of(figures("row", "logits", *subjects, "best rival / s2sampler"), lines)
            yield f"![time against length, {job}](benchmarks/time_{job}.svg)"
            yield ""

    def chains_section(self):
        yield "## Chains of stages, beside llama.cpp"
        yield ""
        yield self.chains.sentence()
        yield ""
        yield (
            "Both take turns in one process, called from Rust, after a comparison of their tokens. llama.cpp's array "
            "is filled for each draw; s2sampler draws from the row. Both accept the token. llama.cpp has no stage "
            "that keeps the probabilities of the whole row, so its chain *article* lacks the softmax. The chains: "
            + "; ".join(f"*{name}*: {stages}" for name, stages in bench_chains.JOBS.items()) + "."
        )
        yield ""
        yield from rows_of(
            figures("row", "logits", "chain", "llama.cpp, µs", "s2sampler, µs", "times as fast", "target"),
            self.chains.lines())

    def levels_section(self):
        yield "## SIMD levels"
        yield ""
        lengths = sorted({n for _, n, _ in self.matrix})
        yield (
            f"Microseconds for one draw from {SPEECH:,} logits, by criterion. "
            f"[matrix.csv](benchmarks/matrix.csv) has these for {', '.join(f'{n:,}' for n in lengths)} logits. "
            "Before the timing each token is compared with the oracle of the tests."
        )
        yield ""
        levels = self.levels()
        order = list(JOBS)
        chosen = sorted((k for k in self.matrix if k[1] == SPEECH), key=lambda k: (order.index(k[2]), k[0]))
        lines = [
            [name_of(row), job]
            + [number(self.matrix[row, n, job][level]) for level in levels]
            for row, n, job in chosen
        ]
        yield from rows_of(figures("row", "parameters", *levels), lines)

    def settled_section(self):
        yield "## What proved the cut"
        yield ""
        yield (
            "top_p divides by the sum of the row's exps. The library only needs bounds of that sum that lead to the "
            "same number of candidates. The table has the share of draws by the bounds that were enough, cheapest "
            "first, for the real rows and for N(0,3), with p from 0.05 to 0.995 and k from 2 to 1000 or none. "
            "*No sum needed*: greedy draws, p 0, k 1."
        )
        yield ""
        kinds = [kind for kind in self.settled[0] if kind not in ("set", "draws")]
        lines = [
            [line["set"], f"{line['draws']:,}"]
            + [f"{100 * line[kind] / line['draws']:.2f} %" for kind in kinds]
            for line in self.settled
        ]
        yield from rows_of(figures("set", "draws", *kinds), lines)

    # --- Files --------------------------------------------------------------------------------------

    def plots(self):
        for job in ("default", "nucleus", "greedy"):
            lines = {}
            for (row, n, its, _), results in self.peers.items():
                if row == "normal" and its == job:
                    for subject, values in results.items():
                        lines.setdefault(subject, {})[n] = median(values)
            title = f"Time for one draw, N(0,3) logits, {JOBS[job]}"
            yield f"time_{job}.svg", bench_svg.times(title, lines)
        entries = [(o.label, o.ratio, o.goals) for o in self.outcomes if o.ratio is not None]
        yield "ratios.svg", bench_svg.bars(
            "Times as fast as the plain full sort", "ratio; black marks: “at least” and “beyond that”",
            entries)

    def readme(self, text):
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        section = [
            self.headline(), "", self.chains.sentence(), "", *self.summary(),
            "![time for one draw against the length of the row](docs/benchmarks/time_default.svg)", "",
            "[docs/benchmarks.md](docs/benchmarks.md) has all rows, the other samplers, the machine, and the missed "
            "targets. `make bench` measures again.",
        ]
        return f"{before}{BEGIN}\n" + "\n".join(section) + f"\n{END}{after}"

    def files(self):
        """Every file made from the raw results, with its text."""
        yield ROOT / "docs/benchmarks.md", "\n".join(self.document()).rstrip("\n") + "\n"
        for name, svg in self.plots():
            yield RAW / name, svg
        chain = ROOT / "docs/chain.md"
        yield chain, self.chains.document(chain.read_text())
        readme = ROOT / "README.md"
        yield readme, self.readme(readme.read_text())


def targets(raw):
    for outcome in bench_targets.of_table(bench_results.Table(raw / "table.csv")):
        marks = {True: "reached", False: "NOT REACHED", None: ""}
        print(
            f"{outcome.label:55} {outcome.at_least:>14} {marks[outcome.reached]:11} "
            f"{outcome.beyond:>14} {marks[outcome.reached_beyond]:11}  {outcome.measured}"
        )


def main(arguments):
    match arguments:
        case ["write"]:
            for path, text in Report(RAW).files():
                path.write_text(text)
        case ["check"]:
            stale = [str(path) for path, text in Report(RAW).files() if path.read_text() != text]
            if stale:
                sys.exit(f"out of date, run scripts/bench_report.py: {', '.join(stale)}")
        case ["targets", raw]:
            targets(pathlib.Path(raw))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
