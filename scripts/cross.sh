#!/usr/bin/env bash
# Builds and tests the library for other systems than this machine's: cross.sh short|all|STEP... [-j JOBS]
#
#   aarch64      every C and C++ test under qemu-user, at the levels neon and baseline
#   aarch64-rust the Rust tests of the core under qemu-user
#   neon         the instructions of each draw at neon and at baseline
#   windows      the C and C++ tests that need no POSIX, and the DLL's unloading, under Wine
#   host         an engine's own CMake project, cross-built for both, gives the recorded codes
#   i686, musl   golden data, on this machine's CPU
#   riscv64, s390x, armv7   golden data under qemu-user
#   check        compile checks of macOS, iOS, Android, Windows with MSVC; the headers in MSVC's dialect
#   link         the shared library for macOS and for Windows, by zig's linkers
#
# short: golden data, streams and chains of aarch64 and Windows alone.
# Products lie in build/cross; `scripts/cross_install.sh` installs the tools.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
source scripts/steps.sh
source scripts/cross_rust.sh
export PATH="$PWD/.tools/bin:$PATH"
out=$PWD/build/cross
mkdir -p "$out"
# The tokens do not depend on the optimisation of the link, which costs most of a build.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=8
# One standard library for all builds of a target.
export CARGO_BUILD_BUILD_DIR=$out/cargo

# configure NAME TOOLCHAIN TRIPLE SOURCE OPTION...
configure() {
    local name=$1 toolchain=$2 triple=$3 source=$4
    shift 4
    use_rust "$triple" || return
    rm -rf "$out/$name/CMakeCache.txt" "$out/$name/CMakeFiles"
    cmake -S "$source" -B "$out/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DS2SAMPLER_CARGO=$CARGO" \
        "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/$toolchain.cmake" "$@" >"$out/$name.configure.log" 2>&1 ||
        { cat "$out/$name.configure.log"; return 1; }
    grep 's2sampler: ' "$out/$name.configure.log"
}

# build NAME [TARGET...], quiet unless it fails
build() {
    local name=$1
    shift
    cmake --build "$out/$name" --parallel "$jobs" ${1:+--target "$@"} >"$out/$name.build.log" 2>&1 ||
        { tail -n 60 "$out/$name.build.log"; return 1; }
}

# run NAME CTEST-OPTION...
run() {
    local name=$1
    shift
    ctest --test-dir "$out/$name" --output-on-failure --no-tests=error --timeout 900 -j "$jobs" "$@" |
        grep -v '^ *Start \| Passed '
}

golden='golden_rows|first_generations|golden_edges|recipes|stream|chain|chain_values|chain_request|words|libstdcxx|sampler'
golden_targets() { # golden_targets LINKAGE
    local name
    for name in golden_rows first_generations recipes stream chain chain_values chain_request words libstdcxx sampler; do
        echo "s2_test_${name}_$1"
    done
}

aarch64() {
    configure aarch64 aarch64-linux-gnu aarch64-unknown-linux-gnu . && build aarch64 && run aarch64
}

windows() {
    configure windows x86_64-w64-mingw32 x86_64-pc-windows-gnu . && build windows && run windows
}

# The emulator makes a test ten to a hundred times slower: scale quick, without the tests that take minutes.
slow_under_qemu=()
aarch64_rust() {
    local triple=aarch64-unknown-linux-gnu name skip=()
    use_rust "$triple" || return
    for name in "${slow_under_qemu[@]}"; do
        echo "left out, too slow under qemu: $name"
        skip+=(--skip "$name")
    done
    env "$(variable $triple LINKER)=aarch64-linux-gnu-gcc" "$(variable $triple RUNNER)=qemu-aarch64-static" \
        CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc S2_TEST_SCALE=quick \
        "$CARGO" test --quiet --locked --jobs "$jobs" --package s2sampler-core --lib --tests --target "$triple" \
        --target-dir "$out/rust" -- "${skip[@]}"
}

host() {
    local system toolchain triple
    for system in aarch64 windows; do
        toolchain=aarch64-linux-gnu triple=aarch64-unknown-linux-gnu
        [[ $system == windows ]] && toolchain=x86_64-w64-mingw32 triple=x86_64-pc-windows-gnu
        configure "host-$system" $toolchain $triple c_tests/engine/host && build "host-$system" &&
            run "host-$system" || return
    done
}

# golden_of NAME TOOLCHAIN TRIPLE OPTION...: the tests of tokens with the static library
golden_of() {
    local name=$1
    # shellcheck disable=SC2046
    configure "$@" && build "$name" $(golden_targets static) && run "$name" -R "^($golden)\.static"
}

short() {
    local name
    for name in windows aarch64; do
        local toolchain=aarch64-linux-gnu triple=aarch64-unknown-linux-gnu
        [[ $name == windows ]] && toolchain=x86_64-w64-mingw32 triple=x86_64-pc-windows-gnu
        configure "short-$name" $toolchain $triple . -DS2SAMPLER_BUILD_EXAMPLES=OFF &&
            build "short-$name" s2_test_{golden_rows,first_generations,stream,thread_exit,threads}_shared &&
            run "short-$name" -R '^(golden_rows|first_generations|stream|thread_exit|threads)\.shared' \
                -E '\.default$' || return
    done
}

# counted LEVEL DRAWS: the instructions of benches/instructions/draws.c, by the emulator's log of each
counted() {
    S2SAMPLER_SIMD=$1 qemu-aarch64-static -singlestep -d exec,nochain -D /dev/stderr "$out/draws-aarch64" "$2" \
        2>&1 >/dev/null | grep -c '^Trace'
}

neon() {
    [[ -e $out/aarch64/lib/libs2sampler.a ]] || aarch64_library || return
    aarch64-linux-gnu-gcc -O2 -static -Iinclude benches/instructions/draws.c "$out/aarch64/lib/libs2sampler.a" -lm \
        -o "$out/draws-aarch64" || return
    local level one three
    declare -A per_draw
    for level in baseline neon; do
        one=$(counted $level 1) three=$(counted $level 3)
        per_draw[$level]=$(((three - one) / 2))
        echo "$level: ${per_draw[$level]} instructions a draw of 155,776 logits"
    done
    ((per_draw[neon] < per_draw[baseline]))
}

aarch64_library() {
    configure aarch64 aarch64-linux-gnu aarch64-unknown-linux-gnu . && build aarch64 s2sampler_cargo
}

i686() { golden_of i686 i686-linux-gnu i686-unknown-linux-gnu .; }
riscv64() { golden_of riscv64 riscv64-linux-gnu riscv64gc-unknown-linux-gnu .; }
s390x() { golden_of s390x s390x-linux-gnu s390x-unknown-linux-gnu .; }
armv7() { golden_of armv7 arm-linux-gnueabihf armv7-unknown-linux-gnueabihf .; }
# zig's C++ library is not libstdc++, which the oracles of the other tests use.
musl() {
    configure musl x86_64-linux-musl x86_64-unknown-linux-musl . &&
        build musl s2_test_golden_rows_static s2_test_recipes_static &&
        run musl -R '^(golden_rows|recipes)\.static'
}

# with_cargo SUBCOMMAND TRIPLE OPTION...: the library alone
with_cargo() {
    local command=$1 triple=$2
    shift 2
    use_rust "$triple" || return
    CARGO_PROFILE_DEV_OPT_LEVEL=0 "$CARGO" "$command" --quiet --locked --jobs "$jobs" --lib --target "$triple" \
        --target-dir "$out/rust" "$@"
}

check() {
    local triple language
    for triple in aarch64-apple-darwin x86_64-apple-darwin aarch64-apple-ios aarch64-linux-android \
        armv7-linux-androideabi x86_64-pc-windows-msvc; do
        echo "cargo check: $triple"
        RUSTFLAGS="-D warnings" with_cargo check "$triple" || return
    done
    for language in c c++; do
        clang --target=x86_64-pc-windows-msvc -fms-compatibility -fms-extensions -ffreestanding -fsyntax-only \
            -Wall -Wextra -Werror -x $language -include include/s2sampler.h c_tests/layout.c || return
    done
    echo "clang --target=x86_64-pc-windows-msvc: include/s2sampler.h"
}

# zig has the linkers, and the system's libraries as far as they may be given on.
zig_build() {
    local triple=$1
    use_rust "$triple" || return
    PATH="$PWD/.tools/zig/bin:$(dirname "$CARGO"):$PATH" CARGO_PROFILE_RELEASE_STRIP=false \
        .tools/zig/bin/cargo-zigbuild zigbuild --quiet --release --locked --lib --jobs "$jobs" --target "$triple" \
        --target-dir "$out/zig"
}

link() {
    zig_build aarch64-apple-darwin && zig_build x86_64-apple-darwin && zig_build x86_64-pc-windows-gnullvm || return
    local library=$out/zig/aarch64-apple-darwin/release/libs2sampler.dylib
    # The install name is in the load commands as it is.
    grep -aq '@rpath/libs2sampler.dylib' "$library" || { echo "no install name in $library"; return 1; }
    ls -l "$library" "$out"/zig/x86_64-*/release/*s2sampler.{dylib,dll} 2>/dev/null
}

all=(aarch64 windows host neon aarch64_rust i686 musl riscv64 s390x armv7 check link)
steps=("$@")
case "${1:-all}" in
all) steps=("${all[@]}") ;;
short) steps=(short) ;;
esac

scripts/cross_install.sh "$([[ ${steps[*]} == short ]] && echo short || echo all)" || exit
for name in "${steps[@]}"; do
    declare -F "${name//-/_}" >/dev/null || { echo "no step: $name; there are ${all[*]} short" >&2; exit 2; }
    # In a subshell: a step's environment is its own.
    one() (
        "${name//-/_}"
    )
    step "$name" one
done
close "cross builds"
