"""Builds a program of benches/instructions with the static library as it ships, and counts its instructions.

A program marks what is counted by callgrind's client requests; the trigger of each dump has a name and how often
the thing was done: NAME/TIMES.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/instructions"


def check_for_valgrind():
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing (with its header callgrind.h): apt-get install valgrind")


def build(name):
    """The program of benches/instructions/NAME.cpp: its path."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
    environment = {k: v for k, v in os.environ.items() if k != "CARGO_BUILD_TARGET"}
    environment["CARGO_TARGET_DIR"] = str(target)
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--locked", "--lib"],
        cwd=ROOT, env=environment, check=True,
    )
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / name
    subprocess.run(
        [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-Wall", "-Wextra",
         f"-I{ROOT / 'include'}", f"-I{ROOT / 'c_tests'}",
         ROOT / f"benches/instructions/{name}.cpp", target / "release/libs2sampler.a",
         "-lpthread", "-ldl", "-lm", "-o", program],
        check=True,
    )
    return program


def count(program, *arguments):
    """What the program prints, and the instructions of each name, in the program's order."""
    profile = f"callgrind.out.{'.'.join((program.name, *map(str, arguments))).replace('/', '_')}"
    for old in BUILD.glob(f"{profile}*"):
        old.unlink()
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={BUILD / profile}", program, *arguments],
        # Valgrind counts each byte that "rep movsb" copies as an instruction: copy by vectors instead.
        env={**os.environ, "S2SAMPLER_SIMD": "avx2",
             "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    if run.returncode != 0:
        sys.exit(f"{run.stdout}\n{run.stderr}\n{program.name}: the workloads did not finish")
    counts = {}
    for path in sorted(BUILD.glob(f"{profile}.*"), key=lambda p: int(p.suffix[1:])):
        text = path.read_text()
        trigger = re.search(r"^desc: Trigger: Client Request: (\S+)/(\d+)$", text, re.M)
        if trigger:
            total = re.search(r"^(?:totals|summary): (\d+)$", text, re.M)
            counts[trigger[1]] = round(int(total[1]) / int(trigger[2]))
        path.unlink()
    if not counts:
        sys.exit(f"{program.name}: the profiles name no workload")
    return run.stdout, counts
