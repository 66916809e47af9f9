"""The targets: what draws, stages and chains shall reach, and how far they got."""

from dataclasses import dataclass
from statistics import median

SPEECH, TEXT = 155_776, 262_144

# Of the draws on real rows, the share that may need the whole row sorted.
SORTED_SHARE = 1e-4


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Goal:
    """`unit` is a method of Times."""

    unit: str
    limit: float

    def value(self, times, key):
        return getattr(times, self.unit)(key)

    def more_is_better(self):
        return self.unit in ("sorts", "llama")

    def holds(self, value):
        return value >= self.limit if self.more_is_better() else value <= self.limit

    def words(self, value=None):
        figure = number(self.limit if value is None else value)
        units = {"passes": "passes", "us": "µs", "sorts": "x full sort", "llama": "x llama.cpp"}
        return f"{figure} {units[self.unit]}"


def passes(limit):
    return Goal("passes", limit)


def us(limit):
    return Goal("us", limit)


def sorts(limit):
    return Goal("sorts", limit)


def llama(limit):
    return Goal("llama", limit)


@dataclass(frozen=True)
class Target:
    label: str
    pattern: str
    at_least: Goal
    then: Goal | None = None
    of_all: str = "worst"
    but: str = ""


# Of table.csv: draws and chains through the C header.
TABLE = [
    Target("default, real rows, hot", "real:*,155776,default,hot", passes(5), passes(3), "median"),
    Target("default, real rows, hot", "real:*,155776,default,hot", passes(9), passes(6)),
    Target("default, real rows in turn", "real:*,155776,default,in turn", passes(5), passes(3), "median"),
    Target("default, real rows in turn", "real:*,155776,default,in turn", passes(9), passes(6)),
    Target("text, real rows of 262,144, hot", "real:*,262144,text,hot", passes(5), passes(3), "median"),
    Target("text, real rows of 262,144, hot", "real:*,262144,text,hot", passes(10), passes(6)),
    Target("text, real rows of 262,144 in turn", "real:*,262144,text,in turn", passes(5), passes(3), "median"),
    Target("text, real rows of 262,144 in turn", "real:*,262144,text,in turn", passes(10), passes(6)),
    Target("default, masked to 4,097, in turn", "masked *,155776,default,in turn", passes(1.6), passes(1.2), "median"),
    Target("default, N(0,3), 155,776", "normal,155776,default,hot", sorts(800), sorts(1500)),
    Target("default, N(0,3), 4,096", "normal,4096,default,hot", us(0.9), us(0.6)),
    Target("default, N(0,3), 1,024", "normal,1024,default,hot", us(0.7), us(0.4)),
    Target("nucleus, N(0,3), 155,776", "normal,155776,nucleus,hot", passes(20), passes(10)),
    Target("nucleus, flat, 155,776", "flat,155776,nucleus,hot", sorts(16), sorts(32)),
    Target("nucleus, deviation 0.5 to 2, 155,776", "deviation *,155776,nucleus,hot", sorts(8), sorts(16)),
    Target("greedy, any row", "*,*,greedy,hot", passes(1.5), passes(1.1)),
    Target("any draw on any row", "*,*,*,hot", sorts(1)),
    Target("any chain, presorted rows too", "*,*,*,chain", sorts(1)),
    Target("top_k 40 on an array of 131,072", "normal,131072,top_k 40,array", us(25), us(18)),
    Target("top_k 40 on a sorted array of 131,072", "normal,131072,top_k 40,sorted array", us(2)),
]

K40 = "k 40 + p .95 + min_p .05 + T .8 + dist"
# Of chains.csv: stages and chains beside llama.cpp.
CHAINS = [
    Target("top_k 40, array of 131,072", "normal,131072,top_k 40,hot array", llama(1.7)),
    Target(f"{K40}, array of 131,072", f"normal,131072,{K40},hot array", llama(1.5), llama(2)),
    Target("top_p .9, peaked array of 131,072", "peaked,131072,top_p .9,hot array", llama(1)),
    Target("min_p .05, arrays of 131,072", "*,131072,min_p .05,hot array", llama(1)),
    Target("temperature .8, arrays of 131,072", "*,131072,temperature .8,hot array", llama(1)),
    Target("greedy, arrays of 131,072", "*,131072,greedy,hot array", llama(1)),
    Target("every stage, rows, hot", "*,hot row", llama(1), llama(2), but="* + *"),
    Target("every stage, arrays, hot", "*,hot array", llama(1), llama(2), but="* + *"),
    Target("every chain, rows, hot", "* + *,hot row", llama(1), llama(2)),
    Target("every chain, arrays, hot", "* + *,hot array", llama(1), llama(2)),
    Target(f"{K40}, row of 4,096 just written", f"normal,4096,{K40},written row", llama(1.5), llama(2)),
    Target(f"{K40}, row of 155,776 just written", f"normal,155776,{K40},written row", llama(4), llama(8)),
    Target(f"penalties + {K40}, row of 155,776", f"normal,155776,penalties + {K40},hot row", llama(15)),
    Target("typical, row of 155,776", "normal,155776,typical .?,hot row", llama(3), llama(8)),
    Target("xtc, row of 155,776", "normal,155776,xtc 1 .1,hot row", llama(3), llama(8)),
    Target("temperature_ext, row of 155,776", "normal,155776,temperature_ext,hot row", llama(3), llama(8)),
    Target("mirostat_v2, row of 155,776", "normal,155776,mirostat_v2,hot row", llama(3), llama(8)),
    Target("T .8 + dist, row of 155,776", "normal,155776,T .8 + dist,hot row", llama(3), llama(8)),
]


@dataclass
class Outcome:
    label: str
    at_least: str
    reached: bool
    then: str
    reached_then: bool | None
    measured: str


def name_of(key):
    row, n, job, _ = key
    return f"{row.removeprefix('real:')}, {n:,}, {job}"


def outcome(target, times):
    keys = times.keys(target.pattern, target.but)
    if not keys:
        return Outcome(target.label, target.at_least.words(), False, "", None, "no such row was measured")
    goal, then = target.at_least, target.then
    values = {key: goal.value(times, key) for key in keys}
    label = target.label
    if target.of_all == "median":
        pick, us_of = lambda g: median(g.value(times, key) for key in keys), median(map(times.us, keys))
        note = f", {number(us_of)} µs"
        label += f": median of {len(keys)}"
    else:
        worst = (min if goal.more_is_better() else max)(values, key=values.get)
        pick = lambda g: g.value(times, worst)
        note = "" if goal.unit == "us" else f", {number(times.us(worst))} µs"
        if len(keys) > 1:
            label += f": worst of {len(keys)}"
            note += f" ({name_of(worst)})"
    holds_then = then and then.holds(pick(then))
    return Outcome(
        label, goal.words(), goal.holds(pick(goal)), then.words() if then else "", holds_then,
        goal.words(pick(goal)) + note,
    )


def of_table(times):
    return [outcome(target, times) for target in TABLE]


def of_chains(times):
    return [outcome(target, times) for target in CHAINS]


def of_settled(settled):
    real = [line for line in settled if line["set"].startswith("real rows")]
    draws, sorted_draws = sum(line["draws"] for line in real), sum(line["sort"] for line in real)
    return Outcome(
        "real rows: draws that sort the row", "under 1 in 10,000", sorted_draws < SORTED_SHARE * draws, "",
        None, f"{sorted_draws:,} of {draws:,}",
    )
