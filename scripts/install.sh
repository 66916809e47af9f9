#!/usr/bin/env bash
# Builds the library in build/install for a prefix, and installs it from there.
#
#   install build PREFIX JOBS
#   install install            into the prefix of the last build, below DESTDIR if that is set
#
# Two steps, so that `make lib` can be one user's and `sudo make install` the other's, who has no cargo.
set -euo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
build=build/install
log=$build/build.log

quietly() {
    if ! "$@" >>"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
}

case $1 in
build)
    mkdir -p "$build"
    : >"$log"
    quietly scripts/configure.sh "$build" "-DCMAKE_INSTALL_PREFIX=$2" \
        -DS2SAMPLER_BUILD_TESTS=OFF -DS2SAMPLER_BUILD_EXAMPLES=OFF
    quietly cmake --build "$build" --parallel "$3"
    echo "built: $build/lib"
    ;;
install)
    # The target and not `cmake --install`, which is younger than the oldest cmake that will do.
    cmake --build "$build" --target install
    ;;
esac
