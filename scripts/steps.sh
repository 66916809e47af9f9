# Sourced by check.sh and test.sh: runs steps, and closes with one line for each. A failing step does not hide
# the others.
# shellcheck shell=bash

# The outer make's flags and job server are not for the builds of the steps.
unset MAKEFLAGS MFLAGS MAKELEVEL
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

# Configures again each time: a stale cache must not decide what is tested.
build_with_cmake() {
    local source=$1 build=build/$2 generator=$3
    shift 3
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release "$@" &&
        cmake --build "$build" --parallel "$jobs"
}

# close NOTE: prints the summary; the status is that of all steps.
close() {
    printf '\n== summary: %s\n' "$1"
    printf '%s\n' "${summary[@]}"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0))
}
