#!/usr/bin/env python3
"""Records what the timing programs do not print: criterion's medians as CSV, and the machine.

    bench_record.py matrix target/criterion        > matrix.csv
    bench_record.py machine SECONDS LEVEL MISSING   > machine.json

LEVEL is what the timing program says of itself, MISSING the peer left out, if any.
"""

import csv
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# With the beginning of the version, where a lock file has several.
PEERS = {"candle-transformers": "", "llm-samplers": "", "llama-cpp-sys-2": "", "rand": "0.9."}
OWN = {"s2sampler": "", "criterion": ""}


def matrix(directory):
    """One line for each benchmark: median, with criterion's 95 % interval."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["row", "n", "job", "level", "median", "low", "high"])
    for path in sorted(pathlib.Path(directory).glob("*/*/new/benchmark.json")):
        name = json.loads(path.read_text())
        median = json.loads(path.with_name("estimates.json").read_text())["median"]
        interval = median["confidence_interval"]
        row, n, job = name["group_id"].split(" ", 2)
        times = [median["point_estimate"], interval["lower_bound"], interval["upper_bound"]]
        out.writerow([row, n, job, name["value_str"], *(f"{t:.1f}" for t in times)])


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def locked(lock, names):
    """The versions of packages in a Cargo.lock."""
    packages = re.findall(r'name = "(.+)"\nversion = "(.+)"', (ROOT / lock).read_text())
    return {n: v for n, v in packages if n in names and v.startswith(names[n])}


def caches():
    sizes = []
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level, size = ((index / f).read_text().strip() for f in ("type", "level", "size"))
        if kind != "Instruction":
            sizes.append(f"L{level} {size.replace('K', ' KiB')}")
    return ", ".join(sizes)


def machine(seconds, level, missing):
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    field = lambda name: re.search(rf"^{name}\s*: (.*)$", cpuinfo, re.M)
    model = ", ".join(
        f"{label}{match[1]}"
        for label, match in (("", field("model name")), ("family ", field("cpu family")),
                             ("model ", field("model")))
        if match
    )
    command = "make bench"
    if os.environ.get("S2_LOGITS_DIR"):
        command = "S2_LOGITS_DIR=... " + command
    json.dump(
        {
            "date": datetime.date.today().isoformat(),
            "command": command,
            "minutes": round(int(seconds) / 60),
            "missing peer": missing,
            "cpu": model or "unknown",
            "cpus": os.cpu_count(),
            "caches": caches(),
            "virtual": "hypervisor" in cpuinfo,
            "load": round(os.getloadavg()[2], 2),
            "level": level,
            "system": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}, "
            f"{' '.join(platform.libc_ver())}",
            "rustc": first_line("rustc", "--version"),
            "compiler": first_line("c++", "--version"),
            "own": locked("Cargo.lock", OWN),
            "peers": locked("benches/peers/Cargo.lock", PEERS),
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["matrix", directory]:
            matrix(directory)
        case ["machine", seconds, level, missing]:
            machine(seconds, level, missing)
        case _:
            sys.exit(__doc__)
