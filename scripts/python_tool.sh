#!/usr/bin/env bash
# Installs packages of PyPI into .tools/PLACE, a separate virtual environment, unless they are there.
#
#   python_tool PLACE REQUIREMENT...     each as a line of a requirements file, hashes and all
set -euo pipefail
place=$(cd "$(dirname "$0")/.." && pwd)/.tools/$1
shift
wanted=$(printf '%s\n' "$@")
if [[ -f $place/requirements.txt && $(<"$place/requirements.txt") == "$wanted" ]]; then
    exit 0
fi

rm -rf "$place"
mkdir -p "$place"
echo "installing $1 (PyPI) into $place" >&2
log=$place/install.log
if ! python3 -m venv "$place" >"$log" 2>&1; then
    cat "$log" >&2
    echo "python3 cannot make a virtual environment: on Debian, apt-get install python3-venv" >&2
    exit 1
fi
# Written under another name first, so an interrupted installation starts again.
echo "$wanted" >"$place/wanted.txt"
if ! "$place/bin/python3" -m pip install --quiet -r "$place/wanted.txt" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
mv "$place/wanted.txt" "$place/requirements.txt"
