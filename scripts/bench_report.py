#!/usr/bin/env python3
"""Makes docs/benchmarks.md, its plots, the README's section and the table in docs/chain.md from the raw
results in docs/benchmarks/.

    bench_report.py write         write them
    bench_report.py check         fail unless they are what would be written
    bench_report.py targets DIR   print how the targets fare with the results in DIR
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
    "text": "text: no k, p 0.95, T 1",
    "wide k": "wide k: k 132,888, p 0.77, T 0.8",
    "greedy": "greedy: T 0",
    "k 1000": "k 1000: k 1000, p 0.8, T 0.8",
}
NAMES = {"normal": "N(0,3)", "flat": "flat (spread 0.01)"}
LEVELS = ["baseline", "avx2", "avx512", "neon"]
# Not rivals: the yardsticks.
NO_RIVAL = ["s2sampler", "max pass", "full sort"]
MARKS = {True: "reached", False: "**not reached**", None: ""}


def table_of(names, lines, right=True):
    """A Markdown table, all columns but the first to the right if they hold figures."""
    yield "| " + " | ".join(names) + " |"
    yield "|---" + ("|---:" if right else "|---") * (len(names) - 1) + "|"
    for line in lines:
        yield "| " + " | ".join(line) + " |"
    yield ""


def name_of(row):
    return NAMES.get(row, row.replace("real:", "real, "))


class Report:
    def __init__(self, raw):
        self.table = bench_results.Times(raw / "table.csv")
        self.peers = bench_results.Times(raw / "peers.csv")
        self.matrix = bench_results.matrix(raw / "matrix.csv")
        self.settled = bench_results.settled(raw / "settled.csv")
        self.chains = bench_chains.Chains(raw)
        self.machine = bench_results.machine(raw / "machine.json")
        self.outcomes = [
            *bench_targets.of_table(self.table),
            bench_targets.of_settled(self.settled),
            *bench_targets.of_chains(self.chains.times),
        ]

    # --- The parts that the README shows too --------------------------------------------------------

    def real(self, job, state="hot"):
        """The results of a job on real rows, the fastest first."""
        n = SPEECH if job == "default" else TEXT
        return sorted(self.table.keys(f"real:*,{n},{job},{state}"), key=self.table.us)

    def sentences(self):
        key = ("normal", SPEECH, "default", "hot")
        rivals = {n: self.peers.us(key, n) for n in self.peers.of[key] if n not in NO_RIVAL}
        rival = min(rivals, key=rivals.get)
        default, text = self.real("default"), self.real("text")
        yield (
            f"A draw from {SPEECH:,} logits N(0,3) with the default parameters takes "
            f"{number(self.table.us(key))} µs. That is {number(self.table.sorts(key))} times as fast as the plain "
            f"full sort, {number(rivals[rival] / self.peers.us(key))} times as fast as the fastest other sampler "
            f"measured ({rival}), and {number(self.table.passes(key))} times as long as one bare pass over the row."
        )
        yield (
            f"On {len(default)} real rows the draw takes {number(median(map(self.table.us, default)))} µs in the "
            f"median and {number(self.table.us(default[-1]))} µs at worst; with T 1, p 0.95 and no top_k, on "
            f"{len(text)} real rows of {TEXT:,} logits, it takes {number(median(map(self.table.us, text)))} and "
            f"{number(self.table.us(text[-1]))} µs."
        )
        yield self.chains.sentence()

    def summary(self):
        """The README's table, which is also the document's first."""
        normal = [("normal", n, "default", "hot") for n in (SPEECH, 4096, 1024)]
        cases = [(f"{JOBS['default']}; N(0,3)", key) for key in normal]
        for job in ("default", "text"):
            rows = self.real(job)
            cases.append((f"{JOBS[job]}; {len(rows)} real rows, median", *rows))
            cases.append((f"{JOBS[job]}; real rows, worst", rows[-1]))
        wide = self.table.keys(f"*,{SPEECH},nucleus,hot")
        worst = max(wide, key=self.table.us)
        cases.append((f"{JOBS['nucleus']}; N(0,3)", ("normal", SPEECH, "nucleus", "hot")))
        cases.append((f"{JOBS['nucleus']}; slowest row: {name_of(worst[0])}", worst))
        chains = self.table.keys("*,chain")
        worst = min(chains, key=self.table.sorts)
        cases.append((f"slowest chain beside the full sort: {worst[2]}; {name_of(worst[0])}", worst))
        lines = []
        for label, *keys in cases:
            figures = (number(median(map(of, keys))) for of in (self.table.us, self.table.passes, self.table.sorts))
            lines.append([label, f"{keys[0][1]:,}", *figures, ""])
        for label, n, key in self.chains.summary():
            times = self.chains.times
            lines.append([label, f"{n:,}", number(times.us(key)), "", "", number(times.llama(key))])
        names = ["draw or stages", "logits", "s2sampler, µs", "bare passes", "full sort / s2sampler",
                 "llama.cpp / s2sampler"]
        return list(table_of(names, lines))

    # --- The document -------------------------------------------------------------------------------

    def document(self):
        yield "# Benchmarks"
        yield ""
        yield (
            "`scripts/bench_report.py` writes this file from the raw results in [benchmarks/](benchmarks/). "
            "Do not edit it by hand."
        )
        yield ""
        for sentence in self.sentences():
            yield sentence
            yield ""
        yield from self.summary()
        yield from self.method()
        yield from self.machine_section()
        yield from self.targets_section()
        yield from self.draws_section()
        yield from self.in_turn_section()
        yield from self.cold_section()
        yield from self.table_chains_section()
        yield from self.peers_section()
        yield from self.chains_section()
        yield from self.levels_section()
        yield from self.settled_section()

    def method(self):
        greedy = self.table.keys("*,greedy,hot")
        yield "## How it is measured"
        yield ""
        yield (
            "One thread draws after warm-up. The *full sort* is [the plain C++ "
            "sampler](../c_tests/engine/src/s2_sampler.cpp) that sorts the whole row, compiled with -O2. The *bare "
            "pass* finds the row's maximum with aligned loads of the CPU's widest vectors and does nothing else. The "
            f"library's greedy draw takes at least {number(min(map(self.table.passes, greedy)))} times as long. The subjects take turns in one process. Ratios are computed for each "
            "turn, and all figures are medians of the turns. Before a case is timed, its results are compared: the "
            "library's tokens with the full sort's, a chain's tokens from a row with those on its array, and the "
            "candidates on an array with llama.cpp's."
        )
        yield ""
        yield (
            "*Hot*: the same row again and again, in the caches. *In turn*: one draw from each of many rows; a row is "
            "read right before, but the branch predictor has learned other rows. *Written*: a thread on another core has just written the row or array, "
            "and everything else is in no cache. *Cold*: the row or array is in no cache either. A cold or written "
            "draw is one call after 64 or 128 MiB of other memory was written."
        )
        yield ""
        yield (
            "The clock is the thread's CPU time, so other processes on the machine do not count; single short calls "
            "and draws on two threads use wall time. Rows of up to 4,096 logits alternate between eight or sixteen "
            "samples, because the branch predictor would learn one short row that is sorted again and again."
        )
        yield ""
        yield (
            "Rows: *masked* is N(0,3) with all but 4,097 tokens at -inf (half of the tokens in short rows), *deviation "
            "0.5* is N(0,0.5), *peaked* has fifty tokens far above the others, *tied* is rounded to bf16, *ramp* falls "
            "by equal steps, *two-level* and *sawtooth* have many equal values. Each real row counts three times: "
            "whole, its *begin*, and its *end*, the first and the last 155,776 values. Parameters: "
            + "; ".join(JOBS.values()) + "."
        )
        yield ""

    def machine_section(self):
        m = self.machine
        rows = sorted({key[0].removeprefix("real:") for key in self.real("text")})
        own = rows == sorted(path.stem for path in (ROOT / "tests/data/logits").glob("*.f32"))
        origin = "Gemma 3 270M, all that the repository has" if own else "the directory in `S2_LOGITS_DIR`"
        virtual = ", virtual machine" if m["virtual"] else ""
        lines = [
            ["date, command", f"{m['date']}, `{m['command']}`, {m['minutes']} minutes"],
            ["CPU", f"{m['cpu']}; {m['cpus']} CPUs{virtual}; {m['caches']}"],
            ["load average at the end, 15 minutes", str(m["load"])],
            ["system", m["system"]],
            ["compilers", f"{m['rustc']}; {m['compiler']}"],
            ["s2sampler", f"{m['own']['s2sampler']}, SIMD level {m['level']}; criterion {m['own']['criterion']}"],
            ["peers", ", ".join(f"{name} {version}" for name, version in m["peers"].items())],
            ["real rows", f"{len(rows)} of {origin}: {', '.join(rows)}"],
        ]
        yield "## Machine and versions"
        yield ""
        yield from table_of(["", ""], lines, right=False)
        if m["missing peer"]:
            yield f"**Missing in this run: {m['missing peer']}. Its results are of an earlier run.**"
            yield ""

    def targets_section(self):
        missed = sum(not o.reached for o in self.outcomes)
        yield "## Targets"
        yield ""
        yield (
            "A time in \"passes\" is divided by that of a bare pass over the same row. \"x full sort\" and \"x "
            "llama.cpp\" are their times divided by the library's. "
            f"{len(self.outcomes) - missed} of {len(self.outcomes)} \"at least\" targets are reached."
        )
        yield ""
        lines = [
            [o.label, o.at_least, MARKS[o.reached], o.then, MARKS[o.reached_then], o.measured] for o in self.outcomes
        ]
        yield from table_of(["case", "at least", "", "then", "", "measured"], lines, right=False)

    def times_of(self, keys):
        """A table of results that have all three subjects."""
        lines = []
        for key in keys:
            row, n, job, _ = key
            subjects = (number(self.table.us(key, subject)) for subject in ("full sort", "s2sampler", "max pass"))
            lines.append([
                name_of(row), f"{n:,}", job, *subjects, number(self.table.sorts(key)), number(self.table.passes(key)),
            ])
        names = ["row", "logits", "parameters", "full sort, µs", "s2sampler, µs", "bare pass, µs",
                 "full sort / s2sampler", "s2sampler / bare pass"]
        return table_of(names, lines)

    def draws_section(self):
        yield "## Draws through the C header, hot"
        yield ""
        yield from self.times_of(self.table.keys("*,hot"))

    def in_turn_section(self):
        yield "## Rows in turn"
        yield ""
        lines = []
        for key in self.table.keys("*,in turn"):
            times = (number(self.table.us(key, subject)) for subject in ("s2sampler", "max pass"))
            lines.append([name_of(key[0]), f"{key[1]:,}", key[2], *times, number(self.table.passes(key))])
        yield from table_of(
            ["row", "logits", "parameters", "s2sampler, µs", "bare pass, µs", "s2sampler / bare pass"], lines)

    def cold_section(self):
        yield "## Cold rows, and two threads"
        yield ""
        yield from self.times_of(self.table.keys("*,cold"))
        yield "Two threads at once, each with its own generator and row: the time of one draw in a thread."
        yield ""
        lines = []
        for key in self.table.keys("*,1 thread"):
            one, two = self.table.us(key), self.table.us((*key[:3], "2 threads"))
            lines.append([name_of(key[0]), f"{key[1]:,}", number(one), number(two), f"{2 * one / two:.2f}"])
        yield from table_of(["row", "logits", "1 thread, µs", "2 threads, µs", "throughput, times"], lines)

    def table_chains_section(self):
        yield "## Chains beside the full sort"
        yield ""
        yield "The full sort draws with the default parameters. The presorted rows are where sorting is fastest."
        yield ""
        yield from self.times_of(self.table.keys("*,chain"))

    def peers_section(self):
        subjects = list(next(iter(self.peers.of.values())))
        yield "## Beside other samplers"
        yield ""
        yield (
            "All take turns in one process, called from Rust, on hot rows. With a top_k the library and the full sort "
            "do more than the others: their top_p uses the softmax over the whole row, the others' that of the k best. "
            "llama.cpp works on an array of ids and logits and reorders it, so an engine fills it for each draw. "
            "*apply only* leaves the filling out, and counts as a rival too. *naive Rust* selects the k best, sorts "
            "them, and uses `rand`'s weighted index."
        )
        yield ""
        behind = []
        for key in self.peers.of:
            row, n, job, _ = key
            us = {name: self.peers.us(key, name) for name in subjects}
            behind += [
                f"{name} ({name_of(row)}, {n:,}, {job}: {number(us[name])} µs to {number(us['s2sampler'])})"
                for name in us
                if name not in ("s2sampler", "max pass") and us[name] < us["s2sampler"]
            ]
        if behind:
            yield f"Faster than s2sampler in some of the {len(self.peers.of)} cases: {'; '.join(behind)}."
        else:
            yield f"s2sampler is the fastest in all {len(self.peers.of)} cases."
        yield ""
        for job in ("default", "nucleus", "greedy"):
            yield f"### {JOBS[job]}, microseconds"
            yield ""
            lines = []
            for key in self.peers.keys(f"*,{job},hot"):
                if key[0] == "normal" or key[1] in (SPEECH, TEXT):
                    us = {name: self.peers.us(key, name) for name in subjects}
                    best = min(us[name] for name in us if name not in NO_RIVAL)
                    lines.append([
                        name_of(key[0]), f"{key[1]:,}", *map(number, us.values()), number(best / us["s2sampler"]),
                    ])
            yield from table_of(["row", "logits", *subjects, "best rival / s2sampler"], lines)
            yield f"![time against length, {job}](benchmarks/time_{job}.svg)"
            yield ""

    def chains_section(self):
        yield "## Stages and chains beside llama.cpp"
        yield ""
        yield (
            "Both take turns draw by draw. From a row llama.cpp fills its array first, and both accept the token; a "
            "stage that selects no token is followed by dist there. On an array both apply the stages to the same "
            "memory, which is restored outside the timing. Penalties and dry look at 64 tokens. The figures are "
            "llama.cpp's time divided by the library's; below 1, in bold, llama.cpp is faster."
        )
        yield ""
        parts = {
            f"Rows and arrays of {bench_chains.ARRAY:,} logits, hot, with the library's time": self.chains.shapes(),
            "Other lengths, N(0,3), hot": self.chains.lengths(),
            "Just written by another core, and cold, N(0,3)": self.chains.states(),
        }
        for title, (names, lines) in parts.items():
            yield f"### {title}"
            yield ""
            yield from table_of(["stages", *names], lines)

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
        levels = sorted(next(iter(self.matrix.values())), key=LEVELS.index)
        order = list(JOBS)
        chosen = sorted((k for k in self.matrix if k[1] == SPEECH), key=lambda k: (order.index(k[2]), k[0]))
        lines = [
            [name_of(row), job, *(number(self.matrix[row, n, job][level]) for level in levels)]
            for row, n, job in chosen
        ]
        yield from table_of(["row", "parameters", *levels], lines)

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
        yield from table_of(["set", "draws", *kinds], lines)

    # --- Files --------------------------------------------------------------------------------------

    def plots(self):
        for job in ("default", "nucleus", "greedy"):
            lines = {}
            for key in self.peers.keys(f"normal,*,{job},hot"):
                for subject in self.peers.of[key]:
                    lines.setdefault(subject, {})[key[1]] = self.peers.us(key, subject)
            title = f"Time for one draw, N(0,3) logits, {JOBS[job]}"
            yield f"time_{job}.svg", bench_svg.times(title, lines)

    def readme(self, text):
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        section = [
            *(line for sentence in self.sentences() for line in (sentence, "")), *self.summary(),
            "[docs/benchmarks.md](docs/benchmarks.md) has all cases, the machine, and the missed targets. `make bench` "
            "measures again.",
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
    outcomes = bench_targets.of_table(bench_results.Times(raw / "table.csv"))
    if (raw / "chains.csv").exists():
        outcomes += bench_targets.of_chains(bench_results.Times(raw / "chains.csv"))
    for o in outcomes:
        marks = [MARKS[reached].replace("**", "").upper() for reached in (o.reached, o.reached_then)]
        print(f"{o.label:74} {o.at_least:>16} {marks[0]:11} {o.then:>16} {marks[1]:11}  {o.measured}")


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
