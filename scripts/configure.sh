#!/usr/bin/env bash
# Configures the library for a release build: configure.sh BUILD OPTION...
#
# CMake refuses a build directory that was moved with the tree, so the cache of such a directory is removed first.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
cache=$build/CMakeCache.txt
if [[ -e $cache ]] && ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/$build" "$cache"; then
    rm -rf "$cache" "$build/CMakeFiles"
fi
exec cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release "$@"
