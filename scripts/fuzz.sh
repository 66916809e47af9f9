#!/usr/bin/env bash
# Runs the fuzz targets from the committed corpus.
#
#   fuzz.sh SECONDS [TARGET...]   every target, or the named ones, for so long each
#   fuzz.sh pack                  minimises the corpus of the last runs and writes fuzz/corpus.tar.gz
#   fuzz.sh check                 compiles the targets with the stable compiler and runs nothing
#
# A run needs the nightly toolchain and cargo-fuzz. It installs them where they are missing, cargo-fuzz into
# .tools/. Inputs that fail lie in fuzz/artifacts. The corpus grows in build/fuzz/corpus, which starts as
# fuzz/corpus.tar.gz and the seeds of fuzz/seeds.py.
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
((${#targets[@]})) || targets=("${all[@]}")
cargo +nightly fuzz build
failed=()
for target in "${targets[@]}"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    mkdir -p "$corpus/$target"
    log=build/fuzz/$target.log
    # 64 KiB: rows are short, and longer inputs only slow it down.
    if cargo +nightly fuzz run "$target" "$corpus/$target" -- -max_total_time="$seconds" -max_len=65536 \
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
