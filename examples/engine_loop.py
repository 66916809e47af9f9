#!/usr/bin/env python3
"""A speech engine's loop through ctypes, over a toy model; prints the codes of each frame.

usage: engine_loop.py path/to/libs2sampler.so
"""
import ctypes
import sys
from ctypes import POINTER, c_float, c_int32, c_uint32, c_void_p


class Params(ctypes.Structure):
    _fields_ = [("temperature", c_float), ("top_p", c_float), ("top_k", c_int32)]


class Config(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("semantic_first", c_int32), ("semantic_last", c_int32),
                ("end_id", c_int32), ("ras_window", c_int32), ("ras_temperature", c_float),
                ("ras_top_p", c_float), ("ras_mode", c_int32), ("ras_tau", c_float), ("ras_end", c_int32),
                ("ras_always", c_int32), ("ras_bans", c_int32)]


s2 = ctypes.CDLL(sys.argv[1])
s2.s2_stream_new.restype = c_void_p
s2.s2_stream_new.argtypes = c_uint32, POINTER(Config)
s2.s2_stream_slow.argtypes = c_void_p, POINTER(c_float), c_int32, POINTER(Params), c_int32
s2.s2_stream_fast.argtypes = c_void_p, POINTER(c_float), c_int32, POINTER(Params)
s2.s2_stream_code.argtypes = c_void_p, c_int32, c_int32
s2.s2_stream_ended.argtypes = s2.s2_stream_free.argtypes = (c_void_p,)

VOCAB, FIRST, LAST, END, CODEBOOKS, SIZE = 2048, 1000, 1511, 3, 4, 512


def splitmix(state):
    state = (state + 0x9E3779B97F4A7C15) % 2**64
    z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return state, z ^ z >> 31


def bell(n, state):
    row = (c_float * n)()
    for i in range(n):
        state, r = splitmix(state)
        row[i] = (sum(r >> shift & 0x1FFFFF for shift in (0, 21, 42)) - 3145727) * 2.0**-20
    return row


config = Config()
s2.s2_stream_config_init(ctypes.byref(config))  # struct_size, and RAS at its defaults
config.semantic_first, config.semantic_last, config.end_id = FIRST, LAST, END
config.ras_end = 1  # S2_RAS_END_CONTINUES: an end token of the second draw does not end s2.cpp's loop
stream = s2.s2_stream_new(1370467200, config)
params = Params(0.8, 0.8, 50)
model, frames = 18182558419694013288, []
while len(frames) < 60:
    row = bell(VOCAB, model)
    for j in range(4):
        row[FIRST + 11 * j] += 29.5 + 0.25 * j
    row[END] = 30
    token = s2.s2_stream_slow(stream, row, VOCAB, params, 1)
    if token < 0 or s2.s2_stream_ended(stream):
        break
    codes = [s2.s2_stream_code(stream, token, SIZE)]
    while len(codes) < CODEBOOKS:
        state = model
        for code in codes:
            state = splitmix(state ^ code + 1)[1]
        codes.append(s2.s2_stream_fast(stream, bell(SIZE, state), SIZE, params))
    for value in [token] + codes:
        model = splitmix(model ^ value)[1]
    frames.append(",".join(map(str, codes)))
s2.s2_stream_free(stream)
print(*frames)
