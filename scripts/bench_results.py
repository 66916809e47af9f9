"""The raw results of the timing programs, and the figures made of them."""

import csv
import json
from fnmatch import fnmatchcase
from statistics import median


class Times:
    """The rounds of each subject in microseconds, by (row, length, job, state). Ratios are made round by round."""

    def __init__(self, path):
        self.of = {}
        with open(path, newline="") as file:
            for line in csv.DictReader(file):
                key = (line["row"], int(line["n"]), line["job"], line["state"])
                values = [float(ns) / 1e3 for ns in line["nanoseconds"].split()]
                self.of.setdefault(key, {})[line["subject"]] = values

    def us(self, key, subject="s2sampler"):
        return median(self.of[key][subject])

    def ratio(self, key, above, below):
        both = self.of[key]
        return median(a / b for a, b in zip(both[above], both[below]))

    def passes(self, key):
        """How many bare passes a draw's time is."""
        return self.ratio(key, "s2sampler", "max pass")

    def sorts(self, key):
        """How many draws the full sort's time is."""
        return self.ratio(key, "full sort", "s2sampler")

    def llama(self, key):
        """How many draws llama.cpp's time is."""
        return self.ratio(key, "llama.cpp", "s2sampler")

    def keys(self, pattern, but=""):
        """The results whose "row,length,job,state" fits a pattern of the shell, and another one not."""
        names = {key: ",".join(map(str, key)) for key in self.of}
        return [k for k, name in names.items() if fnmatchcase(name, pattern) and not fnmatchcase(name, but)]


def settled(path):
    with open(path, newline="") as file:
        lines = list(csv.DictReader(file))
    return [{"set": line.pop("set"), **{k: int(v) for k, v in line.items()}} for line in lines]


def matrix(path):
    """{(row, n, job): {level: median microseconds}}."""
    results = {}
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["row"], int(line["n"]), line["job"])
            results.setdefault(key, {})[line["level"]] = float(line["median"]) / 1e3
    return results


def machine(path):
    with open(path) as file:
        return json.load(file)
