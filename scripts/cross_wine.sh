#!/usr/bin/env bash
# Runs a Windows program under Wine, in the prefix that is made first: cross_wine.sh PROGRAM ARGUMENT...
#
# The prefix has the stand-in for bcryptprimitives.dll, which Wine 8 lacks. Wine gives the program the
# environment, S2SAMPLER_SIMD with it, and takes Linux's paths.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wine=/usr/lib/wine/wine64
[[ -x $wine ]] || wine=$(command -v wine64 || command -v wine)
export WINEDEBUG=-all WINEPREFIX=$root/build/cross/wine

# One process makes the prefix, the others wait.
if [[ ! -e $WINEPREFIX/made ]]; then
    mkdir -p "$WINEPREFIX"
    (
        flock 9
        if [[ ! -e $WINEPREFIX/made ]]; then
            # No window, no installers of Mono and Gecko.
            DISPLAY='' WINEDLLOVERRIDES='mscoree=;mshtml=' "$wine" wineboot --init >/dev/null 2>&1
            x86_64-w64-mingw32-gcc -O2 -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
                "$root/c_tests/wine/bcryptprimitives.c" -ladvapi32
            touch "$WINEPREFIX/made"
        fi
    ) 9>"$WINEPREFIX.lock"
fi
exec "$wine" "$@"
