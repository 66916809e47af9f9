#!/usr/bin/env bash
# Runs the recipes of the engines over the files of a folder, from C and from Rust, and prints a line for each
# file: how many of its lines hold, of how many. The status is 0 if all hold at every SIMD level of this CPU.
#
# usage: scripts/recipes.sh DIR JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
dir=$1
build=build/make
scripts/configure.sh $build -G "Unix Makefiles" -DS2SAMPLER_BUILD_TESTS=ON >/dev/null
cmake --build $build --parallel "$2" --target s2_test_recipes_shared >/dev/null
program=$build/c_tests/s2_recipes

status=0
$program "$dir" || status=1
# The other levels are those of the tests. Only what fails is shown.
levels=$(ctest --test-dir $build -N -R '^recipes\.shared\.' | sed -n 's/.*recipes\.shared\.//p' | grep -vx default)
for level in $levels; do
    if output=$(S2SAMPLER_SIMD=$level $program "$dir"); then
        echo "C     all hold at level $level"
    else
        echo "$output"
        status=1
    fi
done
# All levels in one run.
cargo run --quiet --release --locked --package s2sampler-core --example recipes -- "$dir" || status=1
exit $status
