#!/usr/bin/env python3
"""Runs the tests under sanitizers and valgrind, and closes with one line for each job.

    scripts/sanitize.py [--short] [JOB...]

address, thread            C and C++ by gcc and the library by nightly Rust, all of it instrumented:
                           AddressSanitizer with LeakSanitizer and UndefinedBehaviorSanitizer; ThreadSanitizer
memcheck, helgrind         the library as it ships, under valgrind
rust-address, rust-thread  the Rust tests, by nightly

Before it runs a test, a job looks for the sanitizer in the programs and the library, and has sanitizers/broken.cpp
(or .rs) do wrong things, each of which must be reported. Tests that a job leaves out are in
sanitizers/excluded.tsv. `--short` takes fewer tests and jobs: under two minutes on two cores.
Installs the nightly toolchain and its rust-src through rustup where they are missing.
"""

import concurrent.futures
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/sanitize"
NIGHTLY = "nightly"
# The linker arguments of nightly's own target directory: build scripts stay as they are.
TARGET = f"{os.uname().machine}-unknown-linux-gnu"
BUILD_STD = {"CARGO_UNSTABLE_BUILD_STD": "std,panic_unwind"}
GCC = "-g -fno-omit-frame-pointer"
VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--num-callers=30"]
RUN_TIME = {
    "ASAN_OPTIONS": "detect_leaks=1:exitcode=99:handle_segv=0", "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=99",
}
# The tests that start threads: for the tools that look at nothing else.
THREADS = ["threads*", "thread_exit*", "fork.*", "busy.*"]

# job: how its C and C++ tests are built and run, and the wrong things with what must be said of them.
C_JOBS = {
    "address": {
        "flags": f"{GCC} -fsanitize=address,undefined -fno-sanitize-recover=all",
        "rust": {"RUSTFLAGS": "-Zsanitizer=address"},
        "symbols": {"program": "__asan_init", "library": "__asan_report"},
        "tests": ["*"],
        "short": ["arguments.shared", "request.shared", "rows.shared", "ranges.shared.default",
                  "cxx_handles.shared", "thread_exit.shared", "threads_one_row.shared", "stream.shared.default", "stateful.shared"],
        "wrongs": {"read": "heap-buffer-overflow", "library_read": "heap-buffer-overflow",
                   "overflow": "signed integer overflow", "leak": "LeakSanitizer", "library_leak": "LeakSanitizer"},
    },
    "thread": {
        "flags": f"{GCC} -fsanitize=thread",
        "rust": {"RUSTFLAGS": "-Zsanitizer=thread", **BUILD_STD},
        "symbols": {"program": "__tsan_init", "library": "__tsan_read"},
        "tests": THREADS, "short": ["threads_one_row.shared", "thread_exit.shared", "busy.shared"],
        "wrongs": {wrong: "data race" for wrong in ("race", "library_row_race")},
    },
    "memcheck": {
        "run": [*VALGRIND, "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible"],
        "tests": ["*"], "short": ["arguments.shared", "request.shared", "rows.shared", "thread_exit.shared"],
        "wrongs": {"read": "Invalid read", "library_read": "Invalid read", "leak": "definitely lost",
                   "library_leak": "definitely lost", "library_unset": "uninitialised"},
    },
    "helgrind": {
        "run": [*VALGRIND, "--tool=helgrind"], "tests": THREADS, "short": ["thread_exit.shared"],
        "wrongs": {wrong: "data race" for wrong in ("race", "library_row_race")},
    },
}
RUST_JOBS = {
    "rust-address": {
        "rust": {"RUSTFLAGS": "-Zsanitizer=address"}, "symbol": "__asan_init", "tests": ["*"],
        "short": [], "wrongs": {"read": "heap-buffer-overflow", "leak": "LeakSanitizer"},
    },
    "rust-thread": {
        "rust": {"RUSTFLAGS": "-Zsanitizer=thread", **BUILD_STD}, "symbol": "__tsan_init", "tests": ["suite"],
        "filter": ["threads::"], "short": [], "wrongs": {"race": "data race"},
    },
}


class Failure(Exception):
    """What a job says when it ends early."""


def run(*command, **more):
    """Runs a command to its end: its exit code and all that it printed."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **more)
    return done.returncode, done.stdout


def must(*command, **more):
    code, output = run(*command, **more)
    if code:
        raise Failure(f"{output}\n{' '.join(map(str, command))} failed: {code}")
    return output


def need_nightly():
    if run("cargo", f"+{NIGHTLY}", "--version")[0]:
        print("installing the nightly toolchain (rustup)", flush=True)
        must("rustup", "toolchain", "install", NIGHTLY, "--profile", "minimal")
    sysroot = must("rustc", f"+{NIGHTLY}", "--print", "sysroot").strip()
    if not pathlib.Path(sysroot, "lib/rustlib/src/rust/library/std").exists():
        print("installing rust-src for nightly (rustup)", flush=True)
        must("rustup", "component", "add", "rust-src", "--toolchain", NIGHTLY)


def exclusions(job, names):
    """The names that the job leaves out, with the reasons."""
    left_out = {}
    for line in (ROOT / "sanitizers/excluded.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        of, pattern, reason = line.split("\t")
        if of == job:
            found = fnmatch.filter(names, pattern)
            if not found:
                raise Failure(f"excluded.tsv: no test is called {pattern}: {line}")
            left_out |= dict.fromkeys(found, reason)
    return left_out


def chosen(job, names, settings, short):
    """The names that match, without those left out; the short form names its tests, and builds no others."""
    patterns = settings["short" if short else "tests"]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise Failure(f"no test is called {pattern}")
    left_out = {} if short else exclusions(job, names)
    for name, reason in left_out.items():
        print(f"   left out: {name}: {reason}")
    return [n for n in names if n not in left_out and any(fnmatch.fnmatch(n, p) for p in patterns)]


def has_symbol(file, symbol):
    if symbol not in must("readelf", "-sW", file):
        raise Failure(f"{file} has no {symbol}: the sanitizer is not in it")


def must_report(wrongs, command, env):
    """Doing nothing wrong is no report; each wrong thing is one, in the words expected."""
    for wrong, words in {"nothing": None, **wrongs}.items():
        code, output = run(*command, wrong, env=env)
        if (code == 0) != (words is None) or (words or "") not in output:
            raise Failure(f"{output}\nthe wrong thing '{wrong}' ended with {code}, and should with: {words}")
    print(f"   reported: {', '.join(wrongs)}")


def run_tests(tests):
    """Runs (name, command, environment, directory), as many at once as there are cores."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def one(test):
            name, command, env, cwd = test
            start = time.monotonic()
            return name, *run(*command, env=env, cwd=cwd), time.monotonic() - start
        for name, code, output, seconds in pool.map(one, tests):
            print(f"   {'passed' if code == 0 else 'FAILED'} {seconds:6.1f} s  {name}", flush=True)
            if code:
                print(output)
                failed.append(name)
    if failed:
        raise Failure(f"{len(failed)} of {len(tests)} failed: {', '.join(failed)}")
    if not tests:
        raise Failure("no test is left")
    return f"{len(tests)} tests"


def build_c(job, settings, short):
    """Builds the C and C++ tests, or those of the short form: the build directory."""
    build = BUILD / (job if "flags" in settings else "valgrind")
    options, env = [], {**os.environ, "CARGO_PROFILE_RELEASE_DEBUG": "1"}
    if "flags" in settings:
        # In pieces, which two cores build at once.
        env |= settings["rust"] | {"RUSTUP_TOOLCHAIN": NIGHTLY, "CARGO_PROFILE_RELEASE_LTO": "off",
                                   "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
        options = [f"-DCMAKE_{language}_FLAGS={settings['flags']}" for language in ("C", "CXX")]
        options += [f"-DS2SAMPLER_CARGO_TARGET={TARGET}"]
        if job == "thread":
            names = BUILD / "tsan_names.o"
            must("cc", "-O1", "-fno-builtin", "-c", ROOT / "sanitizers/tsan_names.c", "-o", names)
            options += [f"-DCMAKE_EXE_LINKER_FLAGS={names} -rdynamic"]
    shutil.rmtree(build / "CMakeFiles", ignore_errors=True)
    (build / "CMakeCache.txt").unlink(missing_ok=True)
    must("cmake", "-S", ROOT, "-B", build, "-DS2SAMPLER_BUILD_TESTS=ON", "-DS2SAMPLER_BUILD_EXAMPLES=OFF",
         *options, env=env)
    targets = {"s2_test_broken_shared", "s2_test_broken_static"}
    targets |= {"s2_test_" + "_".join(name.split(".")[:2]) for name in settings["short"]} if short else {"all"}
    must("cmake", "--build", build, "--parallel", str(os.cpu_count()), "--target", *sorted(targets), env=env)
    return build


def valgrind_knows(name, levels):
    """Valgrind has no AVX-512, and the level "default" is the best of the CPU."""
    level = name.rpartition(".")[2]
    return level != "avx512" and not (level == "default" and "avx512" in levels)


def c_job(job, settings, short):
    build = build_c(job, settings, short)
    listed = json.loads(must("ctest", "--show-only=json-v1", cwd=build))["tests"]
    tests = {}
    for test in listed:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        command = test.get("command", [""])
        # Others run compilers and CMake: nothing of the library is in those.
        if command[0].startswith(str(build)):
            env = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
            tests[test["name"]] = (command, {**os.environ, **RUN_TIME, **env}, properties["WORKING_DIRECTORY"])
    library = next((build / "lib").glob("libs2sampler.so.*"))
    env = {**os.environ, **RUN_TIME}
    launcher = settings.get("run", [])
    if launcher:
        levels = {name.rpartition(".")[2] for name in tests}
        unknown = [name for name in tests if not valgrind_knows(name, levels)]
        print(f"   left out, as valgrind has no AVX-512: {', '.join(unknown) or 'none'}")
        if must("readelf", "-SW", library).count(".debug_line") == 0:
            raise Failure(f"{library} has no line tables: reports would name no place")
    else:
        unknown = []
        for program in (build / "c_tests").glob("s2_test_*_shared"):
            has_symbol(program, settings["symbols"]["program"])
        has_symbol(library, settings["symbols"]["library"])
    for linkage in ("shared", "static"):
        must_report(settings["wrongs"], [*launcher, build / f"c_tests/s2_test_broken_{linkage}"], env)
    names = chosen(job, list(tests), settings, short)
    return run_tests([(name, [*launcher, *tests[name][0]], *tests[name][1:])
                      for name in names if name not in unknown])


def rust_job(job, settings, short):
    env = {**os.environ, **RUN_TIME, **settings["rust"], "CARGO_TARGET_DIR": str(BUILD / job)}
    cargo = ["cargo", f"+{NIGHTLY}"]
    place = ["--locked", "--target", TARGET]
    options = [*place, "--quiet", "--message-format=json"]
    # Not both by `cargo test`: an example that is named there gets a test's main().
    messages = must(*cargo, "build", "--example", "broken", *options, env=env)
    messages += must(*cargo, "test", "--no-run", "--lib", "--tests", *options, env=env)
    programs = {}
    for line in messages.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable"):
            programs[message["target"]["name"]] = pathlib.Path(message["executable"])
    broken = programs.pop("broken")
    for program in (broken, *programs.values()):
        has_symbol(program, settings["symbol"])
    must_report(settings["wrongs"], [broken], env)
    names = chosen(job, list(programs), settings, short)
    env["CARGO_MANIFEST_DIR"] = str(ROOT)
    # A test program takes parts of the names of its tests.
    return run_tests([(name, [programs[name], *settings.get("filter", [])], env, ROOT) for name in names])


def main(arguments):
    short = "--short" in arguments
    jobs = {**{job: c_job for job in C_JOBS}, **{job: rust_job for job in RUST_JOBS}}
    everything = {**C_JOBS, **RUST_JOBS}
    wanted = [a for a in arguments if a != "--short"] or [j for j in jobs if not short or everything[j]["short"]]
    if set(wanted) - jobs.keys():
        sys.exit(f"usage: scripts/sanitize.py [--short] [{'|'.join(jobs)}]...")
    if not shutil.which("valgrind"):
        sys.exit("sanitize: valgrind is missing: apt-get install valgrind")
    BUILD.mkdir(parents=True, exist_ok=True)
    need_nightly()
    summary = []
    for job in wanted:
        print(f"\n== {job}", flush=True)
        start = time.monotonic()
        try:
            word, remark = "passed", jobs[job](job, everything[job], short)
        except Failure as failure:
            print(failure)
            word, remark = "FAILED", str(failure).strip().splitlines()[-1]
        summary.append((word, f"{word:7} {time.monotonic() - start:5.0f} s  {job}: {remark}"))
    print("\n== summary", *(line for _, line in summary), sep="\n")
    failed = sum(word == "FAILED" for word, _ in summary)
    print(f"{len(summary) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main(sys.argv[1:])
