#!/usr/bin/env bash
# Installs the library, moves it, and uses it from outside the tree in every way that the README names:
# find_package, pkg-config, the tarball, and the sources themselves; with the oldest cmake that will do, a
# distribution's and a new one. The library is built once for all of them, and once for the tarball.
set -uo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL
root=$PWD
export PATH=$root/.tools/bin:$PATH
jobs=${1:-2}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
moved=$place/moved
outside=$place/outside
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
series=${version%.*}
soname=libs2sampler.so.$series
failed=0

# Says how a check went, with its output if it failed.
check() {
    local name=$1 status
    shift
    # Not as a condition, where -e would count for nothing.
    (set -e; "$@") >"$place/log" 2>&1
    status=$?
    if ((status == 0)); then
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -n 40 "$place/log" | sed 's/^/    /'
    fi
}

say() { echo "$*" >&2; return 1; }
refused() { if "$@"; then say "not refused: $*"; fi; }

# --- Tools -----------------------------------------------------------------------------------------

# Prints the cmake of a series: the machine's own if it is of that series, else PyPI's.
cmake_of() {
    local wanted=$1 own
    for own in cmake /usr/bin/cmake; do
        if "$own" --version 2>/dev/null | head -n 1 | grep -q "^cmake version ${wanted//./\\.}\\."; then
            command -v "$own"
            return
        fi
    done
    scripts/python_tool.sh "cmake-$wanted" "cmake==$wanted.*" &&
        # Not the wrapper in bin, which the oldest wheels have written for older Pythons.
        ls "$root/.tools/cmake-$wanted"/lib/python3*/site-packages/cmake/data/bin/cmake
}

need_pkg_config() {
    command -v pkg-config >/dev/null || say "pkg-config is missing: apt-get install pkg-config"
}

# --- The installed files ----------------------------------------------------------------------------

files_are() {
    diff <(cd "$1" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort) - <<EOF
include/s2sampler.h
include/s2sampler.hpp
include/s2sampler_llama.hpp
lib/cmake/s2sampler/s2samplerConfig.cmake
lib/cmake/s2sampler/s2samplerConfigVersion.cmake
lib/libs2sampler.a
lib/libs2sampler.so
lib/$soname
lib/pkgconfig/s2sampler.pc
share/licenses/s2sampler/LICENSE-APACHE
share/licenses/s2sampler/LICENSE-MIT
share/licenses/s2sampler/THIRD-PARTY.md
share/s2sampler/dropin/engine_header.hpp
share/s2sampler/dropin/own_generator.hpp
share/s2sampler/dropin/s2_sample_token.cpp
share/s2sampler/dropin/s2_sample_token_first.cpp
share/s2sampler/dropin/s2_sample_token_first_keep_id.cpp
share/s2sampler/dropin/s2_sample_token_first_keep_id_mt19937.cpp
share/s2sampler/dropin/s2_sample_token_mt19937.cpp
EOF
}

soname_is_linked() {
    [[ $(readlink "$moved/lib/libs2sampler.so") == "$soname" ]]
    readelf -dW "$moved/lib/$soname" | grep -q "SONAME.*\[$soname\]"
}

# Neither the prefix, nor where it was staged, nor where it was built.
names_no_place() {
    local word
    for word in /opt/s2sampler "$place" "$root"; do
        refused grep -rlF "$word" "$moved"
    done
}

# --- Programs built with it -------------------------------------------------------------------------

exports() { readelf --dyn-syms -W "$1" | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" {print $8}'; }
needs() { readelf -dW "$1" | sed -n 's/.*NEEDED.*\[\(.*s2sampler.*\)\]/\1/p'; }

# An engine's shared library has its own function only, whichever library it links.
engine_is_clean() {
    local library=$1 needed=$2
    [[ $(exports "$library") == engine_token ]] || say "exported: $(exports "$library")"
    [[ $(needs "$library") == "$needed" ]] || say "needed: $(needs "$library")"
}

configure() {
    local cmake=$1 generator=$2 build=$3
    shift 3
    rm -rf "$build"
    mkdir -p "$build"
    "$cmake" -S "$outside" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release "$@"
}

build_and_run() {
    local cmake=$1 build=$2
    "$cmake" --build "$build" --parallel "$jobs"
    (cd "$build" && "$(dirname "$cmake")/ctest" --output-on-failure)
    engine_is_clean "$build/libengine_shared.so" "$soname"
    engine_is_clean "$build/libengine_static.so" ""
}

all=REQUIRED\;COMPONENTS\;shared\;static\;dropin
found() {
    local cmake=$1 generator=$2 prefix=$3 build=$place/found
    shift 3
    configure "$cmake" "$generator" "$build" -DWAY=find_package "-DWANT=$series;$all" \
        "-DCMAKE_PREFIX_PATH=$prefix" "$@"
    build_and_run "$cmake" "$build"
    # What stands for both is the shared one, unless the project says otherwise.
    local needed=$soname
    [[ "$*" != *BUILD_SHARED_LIBS=OFF* ]] || needed=
    [[ $(needs "$build/dropin") == "$needed" ]] || say "the drop-in needs: $(needs "$build/dropin")"
}

# The sources themselves. Cargo's folder is lent, so that it finds all built.
taken_in() {
    local cmake=$1 generator=$2 way=$3 build=$place/taken inner=s2sampler
    [[ $way == add_subdirectory ]] || inner=_deps/s2sampler-build
    rm -rf "$build"
    mkdir -p "$build/$inner"
    ln -s "$root/build/install/cargo" "$build/$inner/cargo"
    "$cmake" -S "$outside" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
        "-DWAY=$way" "-DSOURCE=$root"
    build_and_run "$cmake" "$build"
    # A host installs what is its own, here nothing: there may not even be such a target.
    DESTDIR=$place/host "$cmake" --build "$build" --target install || true
    [[ ! -e $place/host ]]
}

asked() {
    configure "$new" "Unix Makefiles" "$place/asked" -DWAY=find_package "-DCMAKE_PREFIX_PATH=$1" "-DWANT=$2" "${@:3}"
}
refuses() {
    refused asked "$1" "$2" 2>&1 | tee "$place/said"
    grep -qE "$3" "$place/said"
}

# --- pkg-config ------------------------------------------------------------------------------------

pc() { PKG_CONFIG_PATH=$1/lib/pkgconfig:$1/lib/a/b/pkgconfig pkg-config "${@:2}" s2sampler; }

pc_shared() {
    local prefix=$1
    [[ $(pc "$prefix" --modversion) == "$version" ]]
    read -r -a flags <<<"$(pc "$prefix" --cflags --libs)"
    gcc -o "$place/quick" examples/quickstart.c "${flags[@]}"
    [[ $(needs "$place/quick") == "$soname" ]]
    LD_LIBRARY_PATH=$prefix/lib "$place/quick"
    gcc -shared -fPIC -o "$place/engine.so" "$outside/engine.c" "${flags[@]}"
    engine_is_clean "$place/engine.so" "$soname"
}

# With a prefix that has the archive alone, as the linker prefers the shared library.
pc_static() {
    read -r -a flags <<<"$(pc "$place/archive" --static --cflags --libs)"
    gcc -o "$place/quick" examples/quickstart.c "${flags[@]}"
    [[ -z $(needs "$place/quick") ]]
    "$place/quick"
    gcc -shared -fPIC -o "$place/engine.so" "$outside/engine.c" "${flags[@]}"
    engine_is_clean "$place/engine.so" ""
}

pc_whole_program() {
    read -r -a flags <<<"$(pc "$moved" --static --cflags --libs)"
    gcc -static -o "$place/quick" examples/quickstart.c "${flags[@]}"
    [[ -z $(readelf -dW "$place/quick" | grep NEEDED) ]]
    "$place/quick"
}

# Some distributions have a folder more in it, and some give whole paths.
other_libdir() {
    local libdir=$1 build=$place/other prefix=$place/prefix
    rm -rf "$build" "$prefix"
    mkdir "$build"
    ln -s "$root/build/install/cargo" "$build/cargo"
    "$new" -S . -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" \
        "-DCMAKE_INSTALL_LIBDIR=$libdir" -DS2SAMPLER_BUILD_TESTS=OFF -DS2SAMPLER_BUILD_EXAMPLES=OFF
    "$new" --build "$build" --target install
    read -r -a flags <<<"$(pc "$prefix" --cflags --libs)"
    gcc -o "$place/quick" examples/quickstart.c "${flags[@]}" "-Wl,-rpath,$(pc "$prefix" --variable=libdir)"
    [[ $(needs "$place/quick") == "$soname" ]]
    "$place/quick"
    asked "$prefix" "$all" "-Ds2sampler_DIR=$(dirname "$(find "$prefix" -name s2samplerConfig.cmake)")"
}

# --- The tarball -----------------------------------------------------------------------------------

# The name of the folder in it, which is that of the tarball.
unpacked() { basename "$(ls build/dist/*.tar.gz)" .tar.gz; }

sums_are_right() { (cd build/dist && sha256sum --check SHA256SUMS); }

tarball_is_the_installed_tree() {
    tar -xzf build/dist/*.tar.gz -C "$place"
    cmp "$place/$(unpacked)/share/sbom/s2sampler-$version.cdx.json" "build/dist/s2sampler-$version.cdx.json"
    rm -r "$place/$(unpacked)/share/sbom"
    files_are "$place/$(unpacked)"
}

# From another folder, as somebody else would make it.
tarball_is_reproducible() {
    local copy=$place/copy
    mkdir "$copy"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) "$copy/scripts/dist.sh" "$jobs"
    diff build/dist/SHA256SUMS "$copy/build/dist/SHA256SUMS"
}

# By the format's own schema; and it has what another command says is linked in. The project's own crate is a
# part of the library, not of what it depends on.
bill_is_right() {
    local bill=build/dist/s2sampler-$version.cdx.json
    "$root/.tools/cyclonedx/bin/python3" - "$bill" <<'EOF'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
EOF
    diff <(sed -n 's|.*"purl": "pkg:cargo/\(.*\)@\(.*\)".*|\1 v\2|p' "$bill" | LC_ALL=C sort -u) \
        <(cargo tree --locked -p s2sampler -e normal --prefix none --target x86_64-unknown-linux-gnu --no-dedupe |
            cut -d ' ' -f 1,2 | grep -v '^s2sampler-core ' | LC_ALL=C sort -u)
}

# --- The checks ------------------------------------------------------------------------------------

need_pkg_config || exit 1
cmakes=()
for wanted in 3.14 3.25 4; do
    one=$(cmake_of $wanted) || exit 1
    cmakes+=("$one")
done
old=${cmakes[0]}
new=${cmakes[-1]}

scripts/python_tool.sh cyclonedx "cyclonedx-python-lib[json-validation]==11.12.0" || exit 1

mkdir -p "$outside"
cp -r c_tests/installed/. c_tests/consumer/engine.c c_tests/consumer/main.cpp "$outside"
make --silent install PREFIX=/opt/s2sampler "DESTDIR=$place/stage" "JOBS=$jobs" >"$place/log" 2>&1 || {
    cat "$place/log"
    exit 1
}
mv "$place/stage/opt/s2sampler" "$moved"
cp -r "$moved" "$place/archive"
rm "$place/archive/lib/"libs2sampler.so*
cp -r "$moved" "$place/no_archive"
rm "$place/no_archive/lib/libs2sampler.a"

check "nothing was installed outside DESTDIR and the prefix" [ -z "$(find "$place/stage" ! -type d)" ]
check "the files are the listed ones" files_are "$moved"
check "the linker's name leads to the file of the SONAME" soname_is_linked
check "no file names the prefix, the stage or the checkout" names_no_place

for cmake in "${cmakes[@]}"; do
    number=$("$cmake" --version | sed -n '1s/cmake version //p')
    check "find_package, Make, cmake $number" found "$cmake" "Unix Makefiles" "$moved"
    check "find_package, Ninja, cmake $number, static" found "$cmake" Ninja "$moved" -DBUILD_SHARED_LIBS=OFF
done
check "add_subdirectory, Make, the oldest cmake" taken_in "$old" "Unix Makefiles" add_subdirectory
check "add_subdirectory, Ninja, the newest cmake" taken_in "$new" Ninja add_subdirectory
check "FetchContent, Ninja, the oldest cmake" taken_in "$old" Ninja FetchContent
check "FetchContent, Make, the newest cmake" taken_in "$new" "Unix Makefiles" FetchContent

before=${series%.*}.$((${series##*.} - 1)) # no error below 0: a name that no version has
next=${series%.*}.$((${series##*.} + 1))
for want in "$series" "$version" "$version;EXACT"; do
    check "find_package takes $version for $want" asked "$moved" "$want;REQUIRED"
done
for want in "$before" "$next" "$series.$((${version##*.} + 1))" "$((${series%.*} + 1)).0"; do
    check "find_package refuses $version for $want" refuses "$moved" "$want;REQUIRED" "version: ${version//./\\.}"
done
check "a missing component is refused" refuses "$place/no_archive" "REQUIRED;COMPONENTS;static" s2sampler_FOUND
check "an unknown component is refused" refuses "$moved" "REQUIRED;COMPONENTS;dynamic" s2sampler_FOUND
check "the shared library alone will do" asked "$place/no_archive" "REQUIRED;COMPONENTS;shared;dropin"
check "the archive alone will do" asked "$place/archive" "REQUIRED;COMPONENTS;static;dropin"

check "pkg-config, gcc, shared" pc_shared "$moved"
check "pkg-config, gcc, archive" pc_static
check "pkg-config, gcc, a static program" pc_whole_program

check "another libdir" other_libdir lib/a/b
check "a libdir that is a whole path" other_libdir "$place/prefix/lib/a/b"

scripts/dist.sh "$jobs" || exit 1
check "the tarball: its sums are right" sums_are_right
check "the tarball: the files are the listed ones, and the bill of materials" tarball_is_the_installed_tree
check "the tarball: find_package" found "$new" Ninja "$place/$(unpacked)"
check "the tarball: pkg-config, gcc" pc_shared "$place/$(unpacked)"
check "the tarball: made again elsewhere it is the same" tarball_is_reproducible
check "the bill of materials: valid, and of what cargo tree lists" bill_is_right

((failed == 0))
