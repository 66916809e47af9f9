#!/usr/bin/env bash
# Builds the library and the C++ example through CMake, then runs the example.
set -euo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
jobs=${1:-2}
build=build/demo
log=$build/build.log

mkdir -p "$build"
echo "building the library and the example in $build"
if ! { scripts/configure.sh "$build" -DS2SAMPLER_BUILD_TESTS=OFF -DS2SAMPLER_BUILD_EXAMPLES=ON &&
    cmake --build "$build" --config Release --parallel "$jobs" --target engine_loop; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
exec "$build/examples/engine_loop" tests/data/logits/row18.f32
