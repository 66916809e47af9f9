#!/usr/bin/env bash
# Makes sure that cmake (3.14 or newer) and ninja can be run, without root where possible.
#
# Tools missing on PATH are installed into .tools/. .tools/bin comes first on the Makefile's PATH.
# Once this has succeeded it needs no network.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
tools=$root/.tools
export PATH="$tools/bin:$PATH"

have_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    [[ -n $version ]] && ((${version%%.*} > 3 || (${version%%.*} == 3 && ${version##*.} >= 14))) &&
        ctest --version >/dev/null 2>&1
}
have_ninja() { ninja --version >/dev/null 2>&1; }

missing() {
    have_cmake || echo cmake
    have_ninja || echo ninja
}

# The wheels hold real programs in different places from version to version, beside Python wrappers
# that need their own sys.path; link the programs.
link_programs() {
    local name file
    mkdir -p "$tools/bin"
    for name in cmake ctest ninja; do
        while IFS= read -r file; do
            if [[ $(head -c 4 "$file" | tail -c 3) == ELF ]] || ! head -c 2 "$file" | grep -q '#!'; then
                ln -sf "$file" "$tools/bin/$name"
                break
            fi
        done < <(find "$tools/python" -path '*/bin/*' -name "$name" -perm -u+x -type f 2>/dev/null)
    done
}

with_venv() {
    command -v python3 >/dev/null || return 1
    rm -rf "$tools/python"
    python3 -m venv "$tools/python" && "$tools/python/bin/python3" -m pip install --quiet "$@" && link_programs
}

# Debian's python3 comes without venv, and sometimes only with pip.
with_pip() {
    command -v python3 >/dev/null || return 1
    rm -rf "$tools/python"
    python3 -m pip install --quiet --target "$tools/python" "$@" && link_programs
}

read -r -a wanted <<<"$(missing | tr '\n' ' ')"
if ((${#wanted[@]} == 0)); then
    exit 0
fi

mkdir -p "$tools"
log=$tools/bootstrap.log
: >"$log"
for way in with_venv with_pip; do
    if "$way" "${wanted[@]}" >>"$log" 2>&1; then
        hash -r
        if have_cmake && have_ninja; then
            echo "bootstrap: installed ${wanted[*]} into $tools"
            exit 0
        fi
    fi
done

echo "bootstrap: ${wanted[*]} missing, and python3 can install them neither by venv nor by pip; see $log." >&2
echo "On Debian: apt-get install ${wanted[*]/ninja/ninja-build}" >&2
exit 1
