/* What an atomic leaves in memory, for the reference interpreter: PTX ISA, atom. The operation is the word
 * between the name's other two: atomic_add_global. */
#include "reference_floats.h"
#include "reference_values.h"

#include <math.h>
#include <string.h>

static bool is(const struct instruction *instruction, const char *operation)
{
    const char *name = instruction->opcode->semantics_name + strlen("atomic_");
    const size_t length = strlen(operation);
    return strncmp(name, operation, length) == 0 && name[length] == '_';
}

static int64_t signed_of(uint64_t bits, unsigned bytes)
{
    return bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

static bool integer_less(hx_type type, uint64_t a, uint64_t b, unsigned bytes)
{
    return type == HX_TYPE_I32 || type == HX_TYPE_I64 ? signed_of(a, bytes) < signed_of(b, bytes) : a < b;
}

/* Of two zeros the one with a sign is the smaller one; a NaN loses. */
static uint64_t float_extreme(hx_type type, bool largest, uint64_t a, uint64_t b)
{
    const double x = float_value(a, type), y = float_value(b, type);
    if (isnan(x) && isnan(y))
        return float_nan(type);
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    const bool less = x == y ? signbit(x) && !signbit(y) : x < y;
    return less != largest ? a : b;
}

static uint64_t field(uint64_t word, unsigned at, unsigned bits)
{
    return word << (64 - at - bits) >> (64 - bits);
}

/* PTX ISA, mbarrier, in the words of atoms.arrive. */
static uint64_t arrived(uint64_t word, uint64_t by)
{
    uint64_t pending = field(word - field(by, 0, 20), 0, 20);
    const uint64_t members = field(field(word, 20, 20) - field(by, 20, 20), 0, 20);
    const uint64_t bytes = field(field(word, 40, 22) + field(by, 40, 22), 0, 22);
    uint64_t phase = field(word, 62, 2);
    if (pending == 0 && bytes == 0) {
        pending = members;
        phase = (phase + 1) % 4;
    }
    return pending + (members << 20) + (bytes << 40) + (phase << 62);
}

uint64_t reference_atomic(const struct instruction *instruction, uint64_t old, uint64_t b, uint64_t f)
{
    const hx_type type = (hx_type)instruction->type;
    const unsigned bytes = (unsigned)hx_type_bytes(type);
    const uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    const bool is_float =
        type == HX_TYPE_F16 || type == HX_TYPE_BF16 || type == HX_TYPE_F32 || type == HX_TYPE_F64;
    b &= mask;
    f &= mask;
    if (reference_is_packed(instruction))
        return reference_atomic_packed(instruction, old, b);
    if (is(instruction, "add"))
        return is_float ? float_compute(FLOAT_ADD, type, NEAREST_EVEN, old, b, 0) : old + b;
    if (is(instruction, "sub"))
        return old - b;
    if (is(instruction, "min"))
        return integer_less(type, b, old, bytes) ? b : old;
    if (is(instruction, "max"))
        return integer_less(type, old, b, bytes) ? b : old;
    if (is(instruction, "fmin"))
        return float_extreme(type, false, old, b);
    if (is(instruction, "fmax"))
        return float_extreme(type, true, old, b);
    if (is(instruction, "inc"))
        return old >= b ? 0 : old + 1;
    if (is(instruction, "dec"))
        return old == 0 || old > b ? b : old - 1;
    if (is(instruction, "arrive"))
        return arrived(old, b);
    if (is(instruction, "and"))
        return old & b;
    if (is(instruction, "or"))
        return old | b;
    if (is(instruction, "xor"))
        return old ^ b;
    if (is(instruction, "exch"))
        return b;
    return old == b ? f : old; /* cas */
}
