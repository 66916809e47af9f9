#!/usr/bin/env bash
# Runs every test.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-2}
source scripts/steps.sh
export S2_TEST_SCALE=${S2_TEST_SCALE:-full}

through_cmake() {
    build_with_cmake "$@" && (cd "build/$2" && ctest --output-on-failure --no-tests=error -j "$jobs")
}

make="Unix Makefiles"
all=(-DS2SAMPLER_BUILD_TESTS=ON -DS2SAMPLER_BUILD_EXAMPLES=ON)
host=c_tests/engine/host

step "Rust tests, scale $S2_TEST_SCALE" cargo test --workspace --no-fail-fast --locked
step "C and C++: Make, shared library" through_cmake . make "$make" "${all[@]}"
step "C and C++: Ninja, static library" through_cmake . ninja Ninja "${all[@]}" -DBUILD_SHARED_LIBS=OFF
step "inside a host project: Make, static library" \
    through_cmake $host host-make "$make" -DBUILD_SHARED_LIBS=OFF
step "inside a host project: Ninja, shared library" through_cmake $host host-ninja Ninja
step "installed, and taken in from outside the tree" scripts/test_install.sh "$jobs"
step "built from vendored crates, offline" scripts/test_vendored.sh
close "every test"
