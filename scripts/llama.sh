#!/usr/bin/env bash
# Runs this library inside llama.cpp, and llama.cpp's own sampler test on this library.
#
#   scripts/llama.sh host        include/s2sampler_llama.hpp beside llama.cpp's own samplers, in the llama.cpp
#                                that benches/peers builds: minutes for the first time
#   scripts/llama.sh test DIR    tests/test-sampling.cpp of a llama.cpp source tree, linked with stages of this
#                                library; what fails must be what docs/chain.md says differs
set -euo pipefail
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
mode=${1:-}
[[ $mode == host || $mode == test ]] || usage
if [[ $mode == test ]]; then
    [[ -n ${2:-} ]] || usage
    tree=$(realpath "$2")
fi
cd "$(dirname "$0")/.."
build=build/llama
target=${CARGO_TARGET_DIR:-$PWD/benches/peers/target}
mkdir -p "$build"
flags=(-std=c++17 -O2 -Wall -Wextra -Iinclude -Ibenches/peers/host)

env -u CARGO_TARGET_DIR cargo build --quiet --release --locked
library=(target/release/libs2sampler.so -Wl,-rpath,"$PWD/target/release" -pthread)

# llama_sampler_init_penalties() takes the length of the vocabulary in some versions.
penalties() {
    if ! grep -A2 'llama_sampler_init_penalties(' "$1" | grep -q n_vocab; then
        echo -DS2_PENALTIES_WITHOUT_VOCABULARY
    fi
}

if [[ $mode == host ]]; then
    (cd benches/peers && CARGO_TARGET_DIR=$target cargo build --quiet --release --locked)
    source=$(cd benches/peers && cargo metadata --format-version 1 --locked |
        python3 -c 'import json, os, sys
packages = json.load(sys.stdin)["packages"]
print(*(os.path.dirname(p["manifest_path"]) for p in packages if p["name"] == "llama-cpp-sys-2"))')/llama.cpp
    # The newest, if several versions of the crate were built.
    libraries=$(dirname "$(ls -t "$target"/release/build/llama-cpp-sys-2-*/out/lib/libllama.a | head -n 1)")
    # shellcheck disable=SC2046
    g++ "${flags[@]}" $(penalties "$source/include/llama.h") -I"$source/include" -I"$source/ggml/include" \
        benches/peers/host/host.cpp -o "$build/host" -Wl,--start-group "$libraries"/*.a -Wl,--end-group \
        "${library[@]}" -fopenmp
    "$build/host"
else
    # Each call by itself, so that a failed assertion ends one call only; the timings at the end are left out.
    sed -E 's/^( +)(test_[a-z_]+\(.*\)); *(\/\/.*)?$/\1S2_SHIM_CALL(\2);/; s/^    test_perf\(\);$//;
        s/^    S2_SHIM_CALL\(test_perf\(\)\);$//; s/^    return 0;$/    return s2_shim_result();/' \
        "$tree/tests/test-sampling.cpp" >"$build/test-sampling.cpp"
    headers=(-I"$tree/include" -I"$tree/ggml/include")
    # shellcheck disable=SC2046
    g++ "${flags[@]}" $(penalties "$tree/include/llama.h") "${headers[@]}" -c benches/peers/host/shim.cpp \
        -o "$build/shim.o"
    # A failed assertion throws through the test's functions.
    g++ -std=c++17 -O1 -w "${headers[@]}" -Ibenches/peers/host -include shim.h "$build/test-sampling.cpp" \
        "$build/shim.o" -o "$build/test-sampling" "${library[@]}"
    "$build/test-sampling" 2>&1 | grep -E '^(FAILED|differs|llama.cpp)'
    exit "${PIPESTATUS[0]}"
fi
