"""Programs over products of matrices: whole warps over all shapes and types, and warps in which lanes are missing."""
import model_matrix as model
import samples
from programs import HEAD, Program

NAMES = {"s32": "i32"}


def registers(kind, count, first, name, stores=False):
    """Loads or stores a lane's fragment, element by element."""
    carrier, size = ("u64", 8) if kind == "f64" else ("u32", 4)
    lines = [f"mul.u32 r2, r0, {size * count}"]
    for i in range(count):
        place = f"[${name} + r2*1 + {size * i}]"
        lines.append(f"stg.{carrier} {place}, r{first + i}" if stores else f"ldg.{carrier} r{first + i}, {place}")
    return lines


def flat(lists):
    return [value for each in lists for value in each]


def case(program, form, saturates, missing, warps=1):
    """All warps multiply; lanes in `missing` do not."""
    shape, a_kind, b_kind, d_kind, combination = form
    name = "_".join(filter(None, (shape, a_kind, b_kind, d_kind, combination, "sat" * saturates, "apart" * bool(missing))))
    a_parts, b_parts, c_parts, d_parts = [], [], [], []
    for warp in range(warps):
        rng = samples.generator("matrix", name, warp)
        a, b, c = model.matrices(rng, form)
        fragments = [model.fragments_of_a(a_kind, shape, a), model.fragments_of_b(b_kind, shape, b), model.fragments_of_c(d_kind, shape, c)]
        rows, depth = model.sizes(shape)
        for lane in missing:
            for at in range(rows * depth // model.LANES):
                row, column = model.place_of_a(a_kind, rows, lane, at)
                a[row][column] = 0
            for at in range(depth * 8 // model.LANES):
                row, column = model.place_of_b(b_kind, lane, at)
                b[row][column] = 0
        result = model.fragments_of_c(d_kind, shape, model.product(form, a, b, c, saturates))
        for lane in missing:
            result[lane] = [0] * len(result[lane])
        for parts, found in zip((a_parts, b_parts, c_parts, d_parts), (*fragments, result)):
            parts += found
    carrier = "f64" if d_kind == "f64" else "u32"
    places, first, code = [], 16, []
    for letter, parts in (("a", a_parts), ("b", b_parts), ("c", c_parts)):
        program.add_input(f"{letter}_{name}", carrier, flat(parts))
        code += registers(d_kind, len(parts[0]), first, f"{letter}_{name}")
        places.append(first)
        first += len(parts[0])
    product = f"{a_kind}{combination or 'x'}{b_kind}"
    line = f"mma.{shape}.{product}{'.sat' * saturates}.{NAMES.get(d_kind, d_kind)} r{first}, " + ", ".join(f"r{place}" for place in places)
    tail = registers(d_kind, len(d_parts[0]), first, f"d_{name}", stores=True)
    if missing:
        code += ["and.u32 r8, r1, 3", "setp.eq.u32 p7, r8, 2", "@p7 bra together"]
        tail.append("together:")
    text = "\n".join([HEAD, *code, line, *tail, "exit"])
    program.add(f"do_{name}", text, {f"d_{name}": (carrier, flat(d_parts))}, block=model.LANES * warps)


def make(isa):
    if not any(entry["mnemonic"] == "mma" for entry in isa["opcodes"]):
        return
    program = Program("mma", "products of matrices of all shapes and types; some with sums that are clamped, or without some lanes")
    for form in model.FORMS:
        case(program, form, False, (), 2 if form == model.FORMS[0] else 1)
    case(program, ("m16n8k32", "s8", "u8", "s32", ""), True, ())
    case(program, ("m8n8k32", "s4", "s4", "s32", ""), True, ())
    apart = tuple(lane for lane in range(model.LANES) if lane % 4 == 2)
    for form in (("m16n8k16", "f16", "f16", "f16", ""), ("m16n8k8", "tf32", "tf32", "f32", ""), ("m8n8k4", "f64", "f64", "f64", "")):
        case(program, form, False, apart)
    yield "mma.yaml", program.text()
