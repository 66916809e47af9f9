#!/usr/bin/env bash
# Builds the library as a distribution does: from vendored crates, with an empty cargo home and no network.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The files of the repository, as they are now.
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$place"
cd "$place"
# rustup's cargo must still find its toolchain.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
settings=$(cargo vendor --locked vendor 2>"$place/said") || { cat "$place/said" >&2 && exit 1; }
export CARGO_HOME=$place/home

if cargo build --quiet --lib --offline --frozen 2>"$place/said"; then
    echo "it builds without the vendored crates: this test shows nothing" >&2
    exit 1
fi
mkdir .cargo
echo "$settings" >.cargo/config.toml
cargo build --quiet --lib --release --offline --frozen
ls target/release/libs2sampler.so target/release/libs2sampler.a >/dev/null
if [[ -e $CARGO_HOME/registry/cache ]]; then
    echo "something was downloaded" >&2
    exit 1
fi
echo "built from $(ls vendor | wc -l) vendored crates, offline"
