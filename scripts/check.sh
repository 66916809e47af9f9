#!/usr/bin/env bash
# The short test of a change: under a minute on two cores once everything is built. Format, clippy, every Rust
# test at the scale `quick`, and the C and C++ tests labelled `quick`, which are those of the shared library.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2}
source scripts/steps.sh
export S2_TEST_SCALE=quick

c_tests() {
    cmake --build build/make --parallel "$jobs" 2>/dev/null ||
        build_with_cmake . make "Unix Makefiles" -DS2SAMPLER_BUILD_TESTS=ON -DS2SAMPLER_BUILD_EXAMPLES=ON ||
        return
    (cd build/make && ctest --output-on-failure --no-tests=error -L quick -j "$jobs")
}

step "format" cargo fmt --all --check
step "clippy" cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
step "Rust tests, scale quick" cargo test --quiet --workspace --no-fail-fast --locked
step "C and C++ tests, label quick: shared library, default SIMD level" c_tests
close "check. Not in it: Rust tests at the scale full, C tests with the static library, at each SIMD level and in \
host projects, installation, vendored build. make test runs them."
