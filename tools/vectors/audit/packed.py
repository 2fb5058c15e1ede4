"""f16x2 and bf16x2: PTX's description of half2 arithmetic, taken literally: unpack, compute twice, pack."""
import struct

HALVES = {"f16x2": "f16", "bf16x2": "bf16"}


def each_half(instruction, kind, source, values):
    """instruction(kind, source, values) gives the bits of one half's result."""
    words = [struct.unpack("<HH", struct.pack("<I", value)) for value in values]
    halves = [instruction(HALVES.get(kind, "u16"), HALVES.get(source, source), list(part)) for part in zip(*words)]
    return struct.unpack("<I", struct.pack("<HH", *halves))[0]
