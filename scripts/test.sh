#!/usr/bin/env bash
# Runs every test and closes with one line for each step; a failing step does not hide the others.
set -uo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
jobs=${1:-2}
summary=()
passed=0
failed=0

step() {
    local name=$1 start=$SECONDS word=passed
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        word=FAILED
        failed=$((failed + 1))
    fi
    summary+=("$(printf '%-7s %5d s  %s' "$word" $((SECONDS - start)) "$name")")
}

# A fresh configure each time: a stale cache must not decide what is tested.
through_cmake() {
    local source=$1 build=build/$2 generator=$3
    shift 3
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release "$@" &&
        cmake --build "$build" --parallel "$jobs" &&
        (cd "$build" && ctest --output-on-failure --no-tests=error -j "$jobs")
}

make="Unix Makefiles"
all=(-DS2SAMPLER_BUILD_TESTS=ON -DS2SAMPLER_BUILD_EXAMPLES=ON)
host=c_tests/engine/host

step "Rust: every test, the README and the header included" cargo test --no-fail-fast
step "Rust: the inspector" cargo test --no-fail-fast -p s2sampler-inspector
step "C and C++: Make, shared library" through_cmake . make "$make" "${all[@]}"
step "C and C++: Ninja, static library" through_cmake . ninja Ninja "${all[@]}" -DBUILD_SHARED_LIBS=OFF
step "inside a host project: Make, static library" \
    through_cmake $host host-make "$make" -DBUILD_SHARED_LIBS=OFF
step "inside a host project: Ninja, shared library" through_cmake $host host-ninja Ninja
step "installed, and taken in from outside the tree" scripts/test_install.sh "$jobs"
step "built from vendored crates, offline" scripts/test_vendored.sh

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
