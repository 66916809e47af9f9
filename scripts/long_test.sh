#!/usr/bin/env bash
# Runs a C++ test that is too long or too large for every day, with a given size.
#
# usage: scripts/long_test.sh soak|huge SIZE JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the build below.
unset MAKEFLAGS MFLAGS MAKELEVEL
build=build/make
scripts/configure.sh $build -G "Unix Makefiles" -DS2SAMPLER_BUILD_TESTS=ON >/dev/null
cmake --build $build --parallel "$3" --target "s2_test_$1_shared" >/dev/null
exec "$build/c_tests/s2_test_$1_shared" "$2"
