"""Products of matrices, D = A B + C, and where the lanes of a warp have their elements (PTX ISA, Matrix Fragments for mma).

Elements are bits. A lane's fragment is a list of registers, 32 bits each, of f64 64."""
import exact

LANES = 32
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
# shape, types of A and B, types of D, b1's combination
FORMS = ([("m16n8k8", "f16", "f16", kind, "") for kind in ("f16", "f32")] + [("m16n8k16", "f16", "f16", kind, "") for kind in ("f16", "f32")]
         + [(shape, "bf16", "bf16", "f32", "") for shape in ("m16n8k8", "m16n8k16")]
         + [(shape, "tf32", "tf32", "f32", "") for shape in ("m16n8k4", "m16n8k8")]
         + [(shape, "f64", "f64", "f64", "") for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")]
         + [(shape, a, b, "s32", "") for shape in ("m8n8k16", "m16n8k16", "m16n8k32") for a in ("s8", "u8") for b in ("s8", "u8")]
         + [(shape, a, b, "s32", "") for shape in ("m8n8k32", "m16n8k32", "m16n8k64") for a in ("s4", "u4") for b in ("s4", "u4")]
         + [(shape, "b1", "b1", "s32", how) for shape in ("m8n8k128", "m16n8k128", "m16n8k256") for how in ("and", "xor")])


def sizes(shape):
    rows, rest = shape[1:].split("n")
    return int(rows), int(rest.split("k")[1])


def parts(kind):
    return max(1, 32 // BITS[kind])


def place_of_a(kind, rows, lane, at):
    """Row and column of element `at` of a lane."""
    register, part = divmod(at, parts(kind))
    half, block = (register % 2, register // 2) if rows == 16 else (0, register)
    return lane // 4 + 8 * half, lane % 4 * parts(kind) + part + 4 * parts(kind) * block


def place_of_b(kind, lane, at):
    register, part = divmod(at, parts(kind))
    return lane % 4 * parts(kind) + part + 4 * parts(kind) * register, lane // 4


def place_of_c(lane, at):
    return lane // 4 + 8 * (at // 2), lane % 4 * 2 + at % 2


def packed(elements, bits, count):
    return [sum(element << bits * i for i, element in enumerate(elements[at:at + count])) for at in range(0, len(elements), count)]


def fragments_of_a(kind, shape, matrix):
    rows, depth = sizes(shape)
    places = [[place_of_a(kind, rows, lane, at) for at in range(rows * depth // LANES)] for lane in range(LANES)]
    return [packed([matrix[row][column] for row, column in lane], BITS[kind], parts(kind)) for lane in places]


def fragments_of_b(kind, shape, matrix):
    _, depth = sizes(shape)
    places = [[place_of_b(kind, lane, at) for at in range(depth * 8 // LANES)] for lane in range(LANES)]
    return [packed([matrix[row][column] for row, column in lane], BITS[kind], parts(kind)) for lane in places]


def fragments_of_c(kind, shape, matrix):
    rows, _ = sizes(shape)
    places = [[place_of_c(lane, at) for at in range(rows // 4)] for lane in range(LANES)]
    return [packed([matrix[row][column] for row, column in lane], 16, 2 if kind == "f16" else 1) for lane in places]


def as_float(bits, kind):
    """Of f16, bf16 and tf32 the f32 with the value."""
    if kind == "f16":
        return exact.encode(exact.decode(bits, "f16"), "f32")
    return bits << 16 if kind == "bf16" else bits & ~0x1fff


def as_integer(bits, kind):
    width = BITS[kind]
    return bits - (1 << width) if kind in ("s8", "s4") and bits >> (width - 1) else bits


def float_sum(kind, row, column, first):
    total = exact.decode(first, kind)
    for a, b in zip(row, column):
        x, y = exact.decode(a, kind), exact.decode(b, kind)
        product = exact.multiply(x, y)
        if kind == "f32":
            product = exact.decode(exact.encode(product, kind), kind)
        total = exact.decode(exact.encode(exact.add(product, total, "rn"), kind), kind)
    return exact.encode(total, kind)


def element(form, row, column, first, saturates=False):
    """An element of D from a row of A, a column of B and an element of C."""
    _, a_kind, b_kind, d_kind, combination = form
    if d_kind == "s32":
        if combination:
            total = sum((a & b) if combination == "and" else (a ^ b) for a, b in zip(row, column))
        else:
            total = sum(as_integer(a, a_kind) * as_integer(b, b_kind) for a, b in zip(row, column))
        total += exact.number(first, "i32")
        return exact.cut(exact.clamp(total, "i32") if saturates else total, "i32")
    if d_kind == "f64":
        return float_sum("f64", row, column, first)
    row, column = [as_float(bits, a_kind) for bits in row], [as_float(bits, b_kind) for bits in column]
    total = float_sum("f32", row, column, as_float(first, "f16") if d_kind == "f16" else first)
    return exact.encode(exact.decode(total, "f32"), "f16") if d_kind == "f16" else total


def product(form, a, b, c, saturates=False):
    columns = list(zip(*b))
    return [[element(form, row, columns[j], first, saturates) for j, first in enumerate(sums)] for row, sums in zip(a, c)]


def drawn(rng, kind):
    """Mostly numbers of moderate size."""
    if kind in ("f16", "bf16", "f32", "f64"):
        import samples
        return samples.drawn(rng, kind)
    if kind == "tf32":
        return drawn(rng, "f32")
    if kind == "s32":  # near an end of the range every other time
        return rng.choice([rng.getrandbits(32), 0x7fffffff - rng.getrandbits(8), 0x80000000 + rng.getrandbits(8)])
    return rng.getrandbits(BITS[kind])


def matrices(rng, form):
    shape, a_kind, b_kind, d_kind, _ = form
    rows, depth = sizes(shape)
    a = [[drawn(rng, a_kind) for _ in range(depth)] for _ in range(rows)]
    b = [[drawn(rng, b_kind) for _ in range(8)] for _ in range(depth)]
    c = [[drawn(rng, d_kind) for _ in range(8)] for _ in range(rows)]
    return a, b, c
