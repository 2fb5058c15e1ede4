"""The operands that vectors of an instruction never lack; others are drawn beside them."""
import corners_convert
import corners_float
import corners_integer
import samples
from exact import is_float


def rows(semantics, kind, source, mods, operands):
    """A list of operands' bits. operands: the types of the sources."""
    if semantics == "cvt":
        return corners_convert.conversions(kind, source, mods)
    if semantics in ("setp", "set"):
        return corners_convert.combined(operands[0]) if "pred" in operands else corners_convert.comparisons(operands[0])
    if semantics in ("slct_i32", "slct_f32"):
        a, b = samples.corners(kind)[2:4]
        chosen_by = corners_float.alone(corners_float.Marks("f32")) + [(0x80000001,), (0x807fffff,), (0x80800000,)] if source == "f32" \
            else corners_integer.alone(corners_integer.Marks("i32"))
        return [(a, b, c) for c, in chosen_by]
    if kind is None:
        return []
    return corners_float.rows(semantics, kind) if is_float(kind) else corners_integer.rows(semantics, kind, mods)
