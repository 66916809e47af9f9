#!/usr/bin/env bash
# Installs what `scripts/cross.sh` needs, from Debian and PyPI: cross_install.sh short|all. Says what it installs,
# and does nothing if everything is there.
#
# Rust: Debian's rustc-web, which has the standard library of aarch64 and the sources from which cargo builds that
# of the other targets. With rustup, `rustup target add` brings the targets instead: scripts/cross_rust.sh takes
# those that it finds. Not gcc-multilib: it conflicts with the cross compilers.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-all}

packages=()
need() { # need FILE PACKAGE...: packages that are missing if FILE is
    local file=$1
    shift
    [[ -e $file ]] || packages+=("$@")
}
need /usr/lib/rustlib/x86_64-unknown-linux-gnu/lib rustc-web cargo-web libstd-rust-web-dev
need /usr/bin/cargo cargo-web
need /usr/src/rustc-*/library/std/Cargo.toml rust-web-src
need /usr/lib/rustlib/aarch64-unknown-linux-gnu/lib libstd-rust-web-dev:arm64
need /usr/bin/aarch64-linux-gnu-g++ gcc-aarch64-linux-gnu g++-aarch64-linux-gnu
need /usr/bin/qemu-aarch64-static qemu-user-static
# The C library of the cross compiler starts no threads under qemu 7; Debian's for arm64 does.
need /lib/ld-linux-aarch64.so.1 libc6:arm64
need /usr/lib/aarch64-linux-gnu/libstdc++.so.6 libstdc++6:arm64
need /usr/bin/x86_64-w64-mingw32-g++-posix gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix
need /usr/lib/wine/wine64 wine64
if [[ $kind == all ]]; then
    need /usr/bin/riscv64-linux-gnu-g++ g++-riscv64-linux-gnu
    need /usr/bin/s390x-linux-gnu-g++ g++-s390x-linux-gnu
    need /usr/bin/i686-linux-gnu-g++ g++-i686-linux-gnu
    need /usr/bin/arm-linux-gnueabihf-g++ g++-arm-linux-gnueabihf
    need /usr/bin/clang clang
fi

if ((${#packages[@]})); then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "missing, and installed only by root on Debian: ${packages[*]}" >&2
        exit 1
    fi
    echo "installing ${packages[*]} (apt-get)"
    dpkg --add-architecture arm64
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
fi

# Linkers for macOS, Windows without GNU, and musl.
zig=.tools/zig/bin
if [[ $kind == all ]] && ! "$zig/cargo-zigbuild" --version >/dev/null 2>&1; then
    echo "installing ziglang and cargo-zigbuild (PyPI) into .tools/zig"
    mkdir -p .tools
    python3 -m venv .tools/zig
    "$zig/python3" -m pip install --quiet ziglang==0.17.1 cargo-zigbuild==0.24.1
fi
if [[ $kind == all ]]; then
    for compiler in cc c++; do
        # shellcheck disable=SC2016
        printf '#!/bin/sh\nexec "%s" -m ziglang %s -target x86_64-linux-musl "$@"\n' "$PWD/$zig/python3" $compiler \
            >"$zig/x86_64-linux-musl-$compiler"
        chmod +x "$zig/x86_64-linux-musl-$compiler"
    done
fi
