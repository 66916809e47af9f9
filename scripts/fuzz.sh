#!/usr/bin/env bash
# Runs the fuzz targets from the committed corpus.
#
#   fuzz.sh SECONDS [TARGET...]   every target, or the named ones, for so long each
#   fuzz.sh pack                  minimises the corpus of the last runs and writes fuzz/corpus.tar.gz
#   fuzz.sh check                 compiles the targets with the stable compiler and runs nothing
#
# The target `handles` plays on samplers, streams and chains at once. A run needs the nightly toolchain and
# cargo-fuzz. It installs them where they are missing, cargo-fuzz into .tools/. Inputs that fail lie in
# fuzz/artifacts. The corpus grows in build/fuzz/corpus, which starts as fuzz/corpus.tar.gz and the seeds of
# fuzz/seeds.py.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL
export PATH="$PWD/.tools/bin:$PATH"
corpus=build/fuzz/corpus
mode=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...] | pack | check}
shift

if [[ $mode == check ]]; then
    # A directory of its own: fuzz/ is a workspace beside the library's.
    exec cargo check --quiet --locked --manifest-path fuzz/Cargo.toml --target-dir build/fuzz/check
fi

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "installing the nightly toolchain"
    rustup toolchain install nightly --profile minimal
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "installing cargo-fuzz into .tools"
    cargo install --quiet --locked --root .tools cargo-fuzz
fi

mkdir -p "$corpus"
tar -xzf fuzz/corpus.tar.gz -C build/fuzz
python3 fuzz/seeds.py "$corpus"
mapfile -t all < <(cargo +nightly fuzz list)

# Handles of all kinds at once, through the C interface: c_tests/stateful.cpp as a libFuzzer target of clang,
# with the library counting its branches and checking its own invariants.
handles() {
    local build=build/fuzz/handles
    local flags=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Ccodegen-units=1
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
        -Cdebug-assertions -Coverflow-checks)
    RUSTFLAGS="${flags[*]}" cargo +nightly build --quiet --release --lib --locked \
        --target x86_64-unknown-linux-gnu --target-dir "$build/target"
    clang++ -std=c++17 -O1 -g -DS2_FUZZER -fsanitize=fuzzer -Iinclude -Ic_tests c_tests/stateful.cpp \
        "$build/target/x86_64-unknown-linux-gnu/release/libs2sampler.a" -lpthread -ldl -lm -o "$build/fuzzer" || {
        echo "fuzz: handles needs clang++ and its fuzzer runtime: apt-get install clang libclang-rt-14-dev" >&2
        return 1
    }
    "$build/fuzzer" "$@"
}

# Runs a target, with libFuzzer's arguments after the corpus.
run() {
    local target=$1 inputs=$2
    shift 2
    if [[ $target == handles ]]; then
        handles "$inputs" -artifact_prefix=fuzz/artifacts/ "$@"
    else
        cargo +nightly fuzz run "$target" "$inputs" -- "$@"
    fi
}

if [[ $mode == pack ]]; then
    for target in "${all[@]}"; do
        cargo +nightly fuzz cmin "$target" "$corpus/$target" -- -max_len=65536
    done
    # The same inputs give the same bytes. The seeds are made again by every run.
    tar -C build/fuzz --exclude='seed*' --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 \
        --mode=u=rwX,go=rX --format=ustar -cf - corpus | gzip -n9 >fuzz/corpus.tar.gz
    ls -l fuzz/corpus.tar.gz
    exit
fi

seconds=$mode
targets=("$@")
((${#targets[@]})) || targets=("${all[@]}" handles)
failed=()
for target in "${targets[@]}"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    mkdir -p "$corpus/$target"
    log=build/fuzz/$target.log
    # 64 KiB: rows are short, and longer inputs only slow it down.
    if run "$target" "$corpus/$target" -max_total_time="$seconds" -max_len=65536 \
        -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 >"$log" 2>&1; then
        grep -E 'Done|stat::number_of_executed_units' "$log"
    else
        failed+=("$target")
        tail -n 60 "$log"
    fi
done
if ((${#failed[@]})); then
    echo "findings in: ${failed[*]}" >&2
    exit 1
fi
