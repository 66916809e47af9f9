#!/usr/bin/env bash
# Makes build/dist/: a tarball of the installed library that can be unpacked anywhere, the bill of materials
# that lies in it as well, and the SHA-256 of both.
#
#   dist JOBS
#
# The same commit and compiler give the same tarball: its dates are the commit's, and no path of this
# machine is compiled in.
set -euo pipefail
cd "$(dirname "$0")/.."
# The outer make's flags and job server, and a DESTDIR for `make install`, are not for the builds below.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
jobs=${1:-2}
build=build/dist-build
dist=build/dist
log=$build/build.log

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=s2sampler-$version-$(rustc -vV | sed -n 's/^host: //p')
sbom=s2sampler-$version.cdx.json
# Outside a repository, say in an unpacked archive of one: the date of the changelog.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
export CARGO_ENCODED_RUSTFLAGS=--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo$'\x1f'--remap-path-prefix=$PWD=/s2sampler

rm -rf "$dist" "$build/tree"
mkdir -p "$dist" "$build"
# lib on every distribution: the tarball is not a distribution's package.
if ! { scripts/configure.sh "$build" -DCMAKE_INSTALL_PREFIX=/usr/local \
    -DCMAKE_INSTALL_LIBDIR=lib -DS2SAMPLER_BUILD_TESTS=OFF -DS2SAMPLER_BUILD_EXAMPLES=OFF &&
    cmake --build "$build" --parallel "$jobs" &&
    DESTDIR=$PWD/$build/tree cmake --build "$build" --target install; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

scripts/sbom.py >"$dist/$sbom"
mv "$build/tree/usr/local" "$build/tree/$name"
install -D -m 644 "$dist/$sbom" "$build/tree/$name/share/sbom/$sbom"
# The umask of the build must not show in the tarball.
chmod -R u=rwX,go=rX "$build/tree/$name"
tar -C "$build/tree" --sort=name --owner=0 --group=0 --numeric-owner "--mtime=@$SOURCE_DATE_EPOCH" \
    --format=ustar -cf - "$name" | gzip -n9 >"$dist/$name.tar.gz"
(cd "$dist" && sha256sum "$name.tar.gz" "$sbom" | tee SHA256SUMS)
