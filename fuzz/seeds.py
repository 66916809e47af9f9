#!/usr/bin/env python3
"""Writes seeds into the corpus directory that is its argument: the golden edge cases for `draw` and `levels`, in the
form that src/lib.rs reads, files for `row`, and blocks of the right length for `state`."""
import io
import json
import pathlib
import struct
import sys
import zipfile

here = pathlib.Path(__file__).resolve().parent
corpus = pathlib.Path(sys.argv[1])
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
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"seed_golden{written:03}").write_bytes(data)
    written += 1

if written < 20:
    raise SystemExit(f"only {written} cases were understood")

def npy(dtype, shape, data, order=False):
    """A file of NumPy's, with its header padded to a multiple of 64 bytes."""
    header = str({"descr": dtype, "fortran_order": order, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


floats, halves = struct.pack("<4f", 1, 2, 3, 4), struct.pack("<4e", 1, 2, 3, 4)
files = [
    npy("<f4", (4,), floats), npy("<f2", (4,), halves), npy(">f4", (2, 2), floats), npy("<f4", (1, 4), floats),
    npy("<f8", (2,), floats), npy("<f4", (2, 2), floats, True), npy("<f4", (9,), floats), npy("<f4", (), floats[:4]),
]


def safetensors(tensors, data):
    """Tensors of (type, shape, offsets) by their names, before their bytes."""
    keys = ("dtype", "shape", "data_offsets")
    header = json.dumps({name: dict(zip(keys, tensor)) for name, tensor in tensors.items()}).encode()
    return struct.pack("<Q", len(header)) + header + data


def npz(arrays, method):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as members:
        for name, array in arrays.items():
            # A date of its own would be that of the run.
            member = zipfile.ZipInfo(name + ".npy")
            member.compress_type = method
            members.writestr(member, array)
    return archive.getvalue()


files += [
    safetensors({"a": ("F32", [4], [0, 16])}, floats),
    safetensors({"a": ("BF16", [2, 2], [8, 16]), "b": ("F64", [1], [0, 8])}, floats),
    npz({"a": files[0]}, zipfile.ZIP_STORED),
    npz({"a": files[2], "b": files[4]}, zipfile.ZIP_DEFLATED),
    b"[1.5, -2, NaN, -Infinity]",
    b'{"b": [1], "a": [[1, 2], [3, 4e-1]], "logits": [1]}',
    b"\xef\xbb\xbf1.5 -2,3\n-inf",
    b"1,5\n2,25\n",
    b"0 1.5\n1 2.5\n",
    floats,
]
folder = corpus / "row"
folder.mkdir(parents=True, exist_ok=True)
for number, file in enumerate(files):
    (folder / f"seed_whole{number}").write_bytes(b"\0" + file)
    (folder / f"seed_row{number}").write_bytes(b"\1\1" + file)
folder = corpus / "state"
folder.mkdir(parents=True, exist_ok=True)
for number, words in enumerate([0, 2, 1250]):
    outputs = [(number + 1) * 2654435761 * (place + 1) & 0xFFFFFFFF for place in range(624)]
    # Without the check sum, which the target puts right.
    block = b"S2MT" + struct.pack("<IIQ624I", 1, 42, words, *outputs) + bytes(8)
    (folder / f"seed_block{number}").write_bytes(block)
print(f"{written} seeds for draw and levels, {2 * len(files)} for row, 3 for state")
