"""The raw results of the timing programs, and the figures made of them."""

import csv
import json
from statistics import median


def times(path):
    """{(row, n, job, state): {subject: [microseconds of each round]}} of table.csv or peers.csv."""
    results = {}
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["row"], int(line["n"]), line["job"], line["state"])
            values = [float(ns) / 1e3 for ns in line["nanoseconds"].split()]
            results.setdefault(key, {})[line["subject"]] = values
    return results


class Table:
    """What the program behind the C header measured. Ratios are made round by round."""

    def __init__(self, path):
        self.results = times(path)

    def us(self, key, subject="s2sampler"):
        return median(self.results[key][subject])

    def ratio(self, key):
        """How many draws the full sort's time is."""
        both = self.results[key]
        return median(a / b for a, b in zip(both["full sort"], both["s2sampler"]))

    def passes(self, key):
        """How many bare passes a draw's time is."""
        both = self.results[key]
        return median(a / b for a, b in zip(both["s2sampler"], both["max pass"]))

    def limit(self, key):
        """The ratio of a draw that takes one bare pass."""
        both = self.results[key]
        return median(a / b for a, b in zip(both["full sort"], both["max pass"]))

    def keys(self, row=None, n=None, job=None, state="cache"):
        return [
            key
            for key in self.results
            if (row is None or key[0] == row or row == "real" and key[0].startswith("real:"))
            and (n is None or key[1] == n)
            and (job is None or key[2] == job)
            and key[3] == state
        ]

    def real_rows(self):
        return sorted({key[0].removeprefix("real:") for key in self.keys("real")})


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
