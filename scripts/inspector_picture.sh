#!/usr/bin/env bash
# Makes docs/inspector.svg, the README's picture of the inspector.
#
#   inspector_picture         write it
#   inspector_picture check   fail if writing it would change it
set -euo pipefail
cd "$(dirname "$0")/.."
picture=docs/inspector.svg
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

cargo run --quiet --locked -p s2sampler-inspector -- tests/data/logits/row18.f32 --svg "$made/picture.svg" \
    --chain "temperature(2.5) top_k(500) top_p(0.9) min_p(0.02) dist(42)" >/dev/null
case ${1:-write} in
write) cp "$made/picture.svg" "$picture" ;;
check)
    if ! cmp "$made/picture.svg" "$picture"; then
        echo "$picture is out of date: run scripts/inspector_picture.sh" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: $0 [check]" >&2
    exit 2
    ;;
esac
