"""The operands that vectors of an instruction never lack; others are drawn beside them."""
import corners_convert
import corners_float
import corners_integer
from exact import is_float


def rows(semantics, kind, source, mods, operands):
    """A list of operands' bits. operands: the types of the sources."""
    if semantics == "cvt":
        return corners_convert.conversions(kind, source, mods)
    if semantics in ("setp", "set"):
        return corners_convert.combined(operands[0]) if "pred" in operands else corners_convert.comparisons(operands[0])
    if kind is None:
        return []
    return corners_float.rows(semantics, kind) if is_float(kind) else corners_integer.rows(semantics, kind, mods)
