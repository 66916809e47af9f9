#!/usr/bin/env bash
# Runs every fuzz target for some seconds, or those that are named: scripts/fuzz.sh SECONDS [TARGET...].
#
# It takes nightly and cargo-fuzz, which are installed if they are missing (the latter into .tools/). What is
# found lies in fuzz/artifacts; what grows the coverage is added to fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL
seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...]}
shift
export PATH="$PWD/.tools/bin:$PATH"

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "installing the nightly toolchain"
    rustup toolchain install nightly --profile minimal
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "installing cargo-fuzz into .tools"
    cargo install --quiet --locked --root .tools cargo-fuzz
fi

python3 fuzz/seeds.py
targets=("$@")
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(cargo +nightly fuzz list)
fi
cargo +nightly fuzz build
failed=()
for target in "${targets[@]}"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    mkdir -p "fuzz/corpus/$target"
    log=fuzz/target/$target.log
    # 64 KiB: rows are short, and longer inputs only slow it down.
    if cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -max_len=65536 \
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
