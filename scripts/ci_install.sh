#!/usr/bin/env bash
# Installs what .ci/run needs on a clean Debian with a minimal Rust toolchain. No other script calls apt-get but
# cross_install.sh, for `make cross`. Does nothing if everything is there. The other scripts name the tool that is
# missing, and stop.
set -euo pipefail

for component in clippy rustfmt; do
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        rustup component add "$component"
    fi
done

# command, package, purpose
tools=(
    "clang      clang            # a second compiler for the headers, and other platforms"
    "valgrind   valgrind         # counts instructions; memcheck and helgrind"
    "abidw      abigail-tools    # reads the binary interface"
    "pkg-config pkg-config       # uses the installed library"
)
packages=()
for tool in "${tools[@]}"; do
    read -r command package _ <<<"$tool"
    command -v "$command" >/dev/null || packages+=("$package")
done
# The tools of PyPI live in virtual environments; Debian's python3 comes without.
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

if ((${#packages[@]} == 0)); then
    exit 0
fi
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    echo "missing, and installed only by root on Debian: ${packages[*]}" >&2
    exit 1
fi
echo "installing ${packages[*]} (apt-get)"
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
