#!/usr/bin/env python3
"""Writes the golden edge cases as seeds of the targets `draw` and `levels`, in the form that src/lib.rs reads."""
import json
import pathlib
import struct

here = pathlib.Path(__file__).resolve().parent
cases = json.loads((here.parent / "tests/data/golden/edge_cases.json").read_text())["cases"]

BITS = struct.pack("<I", 0)  # the first shape of a row
ANY = 7  # all three parameters as they are
LONGEST = 600

written = 0
for case in cases:
    logits = case["logits"]
    if not isinstance(logits, list) or not 0 < len(logits) <= LONGEST:
        continue
    numbers = [case["temperature"], case["top_p"], *logits]
    if not all(isinstance(number, (int, float)) for number in numbers):
        continue
    row = BITS + struct.pack(f"<BH{len(logits)}f", 0, len(logits) - 1, *logits)
    temperature = min(case["temperature"] / 2, 3e38)
    params = struct.pack("<Bffi", ANY, temperature, case["top_p"], case["top_k"])
    seed = struct.pack("<I", case.get("seed", 1))
    inputs = {"draw": row + b"\1" + params + b"\1" + params + b"\0" + seed, "levels": row + params + b"\0"}
    for target, data in inputs.items():
        folder = here / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"golden{written:03}").write_bytes(data)
    written += 1

if written < 20:
    raise SystemExit(f"only {written} cases were understood")
print(f"{written} seeds for each of two targets")
