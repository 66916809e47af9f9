# Sourced by cross.sh: chooses the Rust of a target.
# shellcheck shell=bash

# use_rust TRIPLE: sets CARGO and the environment of cargo. rustup's Rust if it has the target; else Debian's, which
# builds the standard library from Debian's sources if it has none for the target.
use_rust() {
    local triple=$1
    unset RUSTC RUSTC_BOOTSTRAP CARGO_UNSTABLE_BUILD_STD CARGO_TARGET_DIR
    if rustup target list --installed 2>/dev/null | grep -qx "$triple"; then
        CARGO=$(command -v cargo)
        return
    fi
    CARGO=/usr/bin/cargo
    export RUSTC=/usr/bin/rustc
    if [[ ! -x $CARGO || ! -x $RUSTC ]]; then
        echo "no Rust for $triple: rustup target add $triple, or scripts/cross_install.sh" >&2
        return 1
    fi
    if [[ -z $(find "$("$RUSTC" --print target-libdir --target "$triple")" -name 'libstd-*' 2>/dev/null) ]]; then
        # Debian's compiler is a stable one, which builds the standard library only if it is told to.
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind
    fi
}

# A variable of cargo's for a target: variable aarch64-unknown-linux-gnu LINKER
variable() {
    local name=CARGO_TARGET_${1}_$2
    name=${name^^}
    echo "${name//-/_}"
}
