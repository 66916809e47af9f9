#!/usr/bin/env bash
# Times the library and everything it is compared with, and writes docs/benchmarks.md from the results.
#
#   scripts/bench.sh [all [ROUNDS]]    all of it: ten minutes, and as many more to build the peers first
#   scripts/bench.sh chains [ROUNDS]   stages and chains beside llama.cpp's alone, written too: two minutes
#   scripts/bench.sh quick             the table through the C header alone, to the terminal: half a minute
#
# S2_LOGITS_DIR may name a directory with other real rows than the repository's two, NAME.f32 of binary32
# values. Nothing else should run meanwhile.
set -euo pipefail
if [[ -n ${S2_LOGITS_DIR:-} ]]; then
    S2_LOGITS_DIR=$(realpath "$S2_LOGITS_DIR")
    export S2_LOGITS_DIR
fi
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
mode=${1:-all}
rounds=${2:-7}
build=build/bench
raw=build/bench/raw
criterion=${CARGO_TARGET_DIR:-target}/criterion
rm -rf "$raw"
mkdir -p "$raw"

say() { printf '\n== %s (%s)\n' "$1" "$(date +%H:%M:%S)"; }

quietly() {
    local log=$build/build.log
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
}

table() {
    say "the table, through the C header, $1 rounds"
    quietly scripts/configure.sh "$build" -DS2SAMPLER_BUILD_TESTS=OFF \
        -DS2SAMPLER_BUILD_EXAMPLES=OFF -DS2SAMPLER_BUILD_BENCHMARKS=ON
    quietly cmake --build "$build" --target s2_table
    "$build/benches/table/s2_table" "$1" "${S2_LOGITS_DIR:-tests/data/logits}" >"$raw/table.csv"
}

settled() {
    say "how draws are settled"
    cargo bench --quiet --bench settled >"$raw/settled.csv"
}

matrix() {
    say "every level, length, shape and set of parameters ($criterion has the details)"
    rm -rf "$criterion"
    local log=$build/criterion.log
    if ! cargo bench --quiet --bench draw -- --noplot >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        return 1
    fi
    scripts/bench_record.py matrix "$criterion" >"$raw/matrix.csv"
}

# bindgen, which the llama.cpp crate builds with, loads libclang.
libclang() {
    ldconfig -p | grep -q libclang && return
    compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null && return
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    echo "installing libclang-dev (apt-get)"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y libclang-dev >/dev/null
}

# A peer that cannot be built is named in the document, with the reason.
missing=
peers() {
    say "the peers, side by side in one process"
    local features=() log=$build/peers.log
    if ! libclang; then
        missing="llama.cpp: libclang was missing and could not be installed"
        features=(--no-default-features)
    elif ! (cd benches/peers && cargo build --release) >"$log" 2>&1; then
        missing="llama.cpp: its build failed"
        tail -n 20 "$log" >&2
        features=(--no-default-features)
    fi
    (cd benches/peers && cargo run --quiet --release "${features[@]}" -- "$rounds") >"$raw/peers.csv"
}

# Where llama.cpp is missing the results of an earlier run stay.
chains() {
    [[ -z $missing ]] || return 0
    say "stages and chains beside llama.cpp's: whether they agree, and the time"
    (cd benches/peers && cargo run --quiet --release --bin agree) >"$raw/agree.csv"
    (cd benches/peers && cargo run --quiet --release --bin chains -- "$rounds") >"$raw/chains.csv"
}

case $mode in
chains)
    if ! libclang; then
        echo "libclang is missing, and llama.cpp cannot be built without it" >&2
        exit 1
    fi
    chains
    cp "$raw"/* docs/benchmarks/
    scripts/bench_report.py write
    ;;
quick)
    table 3
    scripts/bench_report.py targets "$raw"
    ;;
all)
    start=$SECONDS
    table "$rounds"
    settled
    peers
    chains
    matrix
    level=$("$build/benches/table/s2_table" about)
    scripts/bench_record.py machine $((SECONDS - start)) "$level" "$missing" >"$raw/machine.json"
    mkdir -p docs/benchmarks
    cp "$raw"/* docs/benchmarks/
    scripts/bench_report.py write
    say "docs/benchmarks.md is written"
    ;;
*)
    echo "usage: scripts/bench.sh [all | chains | quick] [ROUNDS]" >&2
    exit 2
    ;;
esac
