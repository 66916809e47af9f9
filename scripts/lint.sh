#!/usr/bin/env bash
# Format, clippy and documentation, each with warnings denied; and what scripts write: the benchmarks'
# document, the list of licences, the README's tree of dependencies, the inspector's picture of its row.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --all --check
cargo clippy --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
scripts/bench_report.py check
scripts/dependencies.py check
scripts/inspector_picture.sh check
