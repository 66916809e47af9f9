#!/usr/bin/env bash
# Checks the library with the oldest compiler that Cargo.toml states. rustup installs it if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! rustup run "$version" rustc --version >/dev/null 2>&1; then
    echo "installing Rust $version (rustup, minimal profile)"
    rustup toolchain install "$version" --profile minimal --no-self-update
fi
rustup run "$version" rustc --version
# A separate folder: two compilers in one would rebuild each other's work.
CARGO_TARGET_DIR=target/msrv cargo "+$version" check --lib --locked
