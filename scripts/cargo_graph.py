"""The packages of Cargo.lock, as cargo lists them, and which of them are part of the shipped library."""

import functools
import json
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What a package needs differs from platform to platform; this is the one that is built and tested.
TARGET = "x86_64-unknown-linux-gnu"


def cargo(*arguments):
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


class Graph:
    def __init__(self):
        # Without the filter, so that Cargo.lock is listed whole.
        whole = json.loads(cargo("metadata", "--format-version", "1"))
        here = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", TARGET))
        self.packages = {package["id"]: package for package in whole["packages"]}
        self.root = self.packages[here["resolve"]["root"]]
        self.edges = {
            node["id"]: sorted(
                dependency["pkg"]
                for dependency in node["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            )
            for node in here["resolve"]["nodes"]
        }
        # The project's own packages are no third party's.
        self.own = set(whole["workspace_members"])
        ids = self._reached(self.root["id"]) - self.own
        #: Linked into the library, by name.
        self.shipped = self._sorted(ids)
        #: Needed to test and to measure only.
        self.others = self._sorted(self.packages.keys() - ids - self.own)

    def _reached(self, start):
        seen, waiting = set(), [start]
        while waiting:
            package = waiting.pop()
            if package not in seen:
                seen.add(package)
                waiting += self.edges[package]
        return seen

    def _sorted(self, ids):
        return sorted((self.packages[i] for i in ids), key=lambda p: (p["name"], p["version"]))

    def needs(self, package):
        """The packages it needs directly. What the project's own packages need counts as the root's need."""
        needed, waiting = set(), list(self.edges[package["id"]])
        while waiting:
            dependency = waiting.pop()
            if dependency in self.own:
                waiting += self.edges[dependency]
            else:
                needed.add(dependency)
        return self._sorted(needed)

    @functools.cached_property
    def checksums(self):
        """The SHA-256 of each package file, by (name, version)."""
        lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
        return {(p["name"], p["version"]): p["checksum"] for p in lock["package"] if "checksum" in p}

    def tree(self):
        """The library's dependencies as a tree of text."""
        text = cargo("tree", "--package", self.root["name"], "--edges", "normal", "--target", TARGET,
                     "--charset", "utf8", "--format", "{p} ({l})")
        # The lines of the project's own packages hold the path of the checkout.
        first, *rest = re.sub(r" \(/[^)]*\)", "", text).rstrip("\n").split("\n")
        root = f"{self.root['name']} v{self.root['version']} ({self.root['license']})"
        assert first.startswith(root.split(" (")[0]), first
        return [root, *rest]


def licence(package):
    """An SPDX expression: the slash of old manifests means OR."""
    return package["license"].replace("/", " OR ")
