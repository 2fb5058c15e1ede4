/* Bits, bytes and addresses, for the reference interpreter: PTX ISA, Logic and Shift Instructions, bfe, bfi,
 * prmt, cvta. */
#include "reference_types.h"

#include <string.h>

/* ---- Bits -------------------------------------------------------------------------------------------------
 */

static bool bit(uint64_t bits, unsigned at)
{
    return bits >> at & 1;
}

static uint64_t shifted(enum meaning meaning, hx_type type, uint64_t a, uint32_t amount)
{
    const unsigned width = width_of(type);
    const signed_wide value = number(a, type);
    if (amount >= width)
        return meaning == MEANING_SHR && value < 0 ? UINT64_MAX : 0;
    return meaning == MEANING_SHL ? (uint64_t)value << amount : (uint64_t)(value >> amount);
}

static uint64_t funnel(enum meaning meaning, bool wraps, const uint64_t *source)
{
    const uint64_t pair = cut(source[1], 32) << 32 | cut(source[0], 32);
    const uint32_t amount = (uint32_t)source[2], by = wraps ? amount % 32 : amount < 32 ? amount : 32;
    return meaning == MEANING_SHF_L ? pair << by >> 32 : pair >> by;
}

static uint64_t looked_up(const uint64_t *source, uint64_t table)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned row = bit(source[0], i) * 4u + bit(source[1], i) * 2u + bit(source[2], i);
        result |= (uint64_t)bit(table, row) << i;
    }
    return result;
}

static uint64_t extracted(hx_type type, const uint64_t *source)
{
    const unsigned width = width_of(type), position = source[1] & 255, length = source[2] & 255;
    const unsigned top = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
    const bool fill = is_signed(type) && length > 0 && bit(source[0], top);
    uint64_t result = 0;
    for (unsigned i = 0; i < width; i++) {
        const bool inside = i < length && position + i < width;
        result |= (uint64_t)(inside ? bit(source[0], position + i) : fill) << i;
    }
    return result;
}

static uint64_t inserted(hx_type type, const uint64_t *source)
{
    const unsigned width = width_of(type), position = source[2] & 255, length = source[3] & 255;
    uint64_t result = source[1];
    for (unsigned i = 0; i < length && position + i < width; i++) {
        const uint64_t place = UINT64_C(1) << (position + i);
        result = bit(source[0], i) ? result | place : result & ~place;
    }
    return result;
}

/* The highest bit of a number that differs from its sign; -1 for none. */
static int top_bit(hx_type type, uint64_t a)
{
    const unsigned width = width_of(type);
    const bool sign = is_signed(type) && bit(a, width - 1);
    for (unsigned at = width; at-- > 0;)
        if (bit(a, at) != sign)
            return (int)at;
    return -1;
}

static uint64_t counted(const struct instruction *instruction, enum meaning meaning, uint64_t a)
{
    const hx_type type = (hx_type)instruction->type;
    const int width = (int)width_of(type);
    int count = 0;
    switch (meaning) {
    case MEANING_POPC:
        for (int i = 0; i < width; i++)
            count += bit(a, (unsigned)i);
        return (uint64_t)count;
    case MEANING_CLZ:
        while (count < width && !bit(a, (unsigned)(width - 1 - count)))
            count++;
        return (uint64_t)count;
    default: /* MEANING_BFIND */
        count = top_bit(type, a);
        return (uint64_t)(count >= 0 && instruction->modifiers[GROUP_SHIFTAMT] ? width - 1 - count : count);
    }
}

static uint64_t reversed(hx_type type, uint64_t a)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < width_of(type); i++)
        result = result << 1 | bit(a, i);
    return result;
}

/* PTX ISA, prmt: which of the eight bytes of {b, a} goes where. */
static uint64_t permuted(unsigned mode, const uint64_t *source)
{
    const uint64_t bytes = cut(source[1], 32) << 32 | cut(source[0], 32);
    const unsigned control = (unsigned)source[2], c = control & 3;
    const unsigned pairs = (control & 1) * 2;
    const unsigned picks[][4] = {
        {control & 15, control >> 4 & 15, control >> 8 & 15, control >> 12 & 15},
        {c, c + 1, c + 2, c + 3},                   /* f4e: forward from byte c */
        {c, (c + 7) % 8, (c + 6) % 8, (c + 5) % 8}, /* b4e: backward */
        {c, c, c, c},                               /* rc8 */
        {c, c > 1 ? c : 1, c > 2 ? c : 2, 3},       /* ecl: edge clamp left */
        {0, c < 1 ? c : 1, c < 2 ? c : 2, c},       /* ecr */
        {pairs, pairs + 1, pairs, pairs + 1},       /* rc16 */
    };
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned pick = picks[mode][i];
        const uint64_t byte = bytes >> (pick & 7) * 8 & 255;
        const bool sign_only = mode == 0 && (pick & 8);
        result |= (sign_only ? (byte >> 7) * 255 : byte) << (8 * i);
    }
    return result;
}

/* Halves: of two or of four parts, the lowest first. */
void reference_halves(const struct instruction *instruction, enum meaning meaning, struct values *values)
{
    const bool packs = meaning == MEANING_PACK;
    const unsigned parts = packs ? values->sources : values->results;
    const unsigned width = width_of((hx_type)(packs ? instruction->source_type : instruction->type));
    const uint64_t whole = values->source[0];
    uint64_t packed = 0;
    for (unsigned i = 0; i < parts; i++) {
        packed |= packs ? cut(values->source[i], width) << (i * width) : 0;
        values->result[packs ? 0 : i] = packs ? packed : cut(whole >> (i * width), width);
    }
}

/* Spaces as windows of generic addresses. */
static uint64_t window_of(const struct instruction *instruction)
{
    static const struct {
        const char *name;
        uint64_t low;
    } windows[] = {{"shared", SHARED_WINDOW}, {"local", LOCAL_WINDOW}, {"const", CONSTANT_WINDOW}};
    const char *space = modifier_text(GROUP_SPACE, instruction->modifiers[GROUP_SPACE]);
    for (size_t i = 0; i < HX_COUNT_OF(windows); i++)
        if (strcmp(space, windows[i].name) == 0)
            return windows[i].low;
    return 0;
}

static bool is_in_space(uint64_t address, uint64_t window)
{
    const uint64_t others[] = {SHARED_WINDOW, LOCAL_WINDOW, CONSTANT_WINDOW};
    for (size_t i = 0; i < HX_COUNT_OF(others); i++)
        if (address >= others[i] && address < others[i] + WINDOW_BYTES)
            return window == others[i];
    return window == 0;
}

static bool wraps(const struct instruction *instruction)
{
    return strcmp(modifier_text(GROUP_FUNNEL, instruction->modifiers[GROUP_FUNNEL]), "wrap") == 0;
}

static uint64_t mask_of_bits(bool wraps, const uint64_t *s)
{
    const uint64_t position = wraps ? s[0] & 31 : (uint32_t)s[0], length = wraps ? s[1] & 31 : (uint32_t)s[1];
    uint64_t mask = 0;
    for (uint64_t i = 0; i < 32; i++)
        mask |= (uint64_t)(i >= position && i - position < length) << i;
    return mask;
}

void reference_evaluate_bits(const struct instruction *instruction, enum meaning meaning,
                             struct values *values)
{
    const hx_type type = (hx_type)instruction->type;
    const uint64_t *s = values->source;
    const unsigned last = instruction->opcode->form_count - 1u;
    switch (meaning) {
    case MEANING_AND:
        values->result[0] = s[0] & s[1];
        break;
    case MEANING_OR:
        values->result[0] = s[0] | s[1];
        break;
    case MEANING_XOR:
        values->result[0] = s[0] ^ s[1];
        break;
    case MEANING_NOT:
        values->result[0] = ~s[0];
        break;
    case MEANING_SHL:
    case MEANING_SHR:
        values->result[0] = shifted(meaning, type, s[0], (uint32_t)s[1]);
        break;
    case MEANING_LOP3:
        values->result[0] = looked_up(s, instruction->operands[last].bits);
        break;
    case MEANING_SHF_L:
    case MEANING_SHF_R:
        values->result[0] = funnel(meaning, wraps(instruction), s);
        break;
    case MEANING_BFE:
        values->result[0] = extracted(type, s);
        break;
    case MEANING_BFI:
        values->result[0] = inserted(type, s);
        break;
    case MEANING_BMSK:
        values->result[0] = mask_of_bits(wraps(instruction), s);
        break;
    case MEANING_BREV:
        values->result[0] = reversed(type, s[0]);
        break;
    case MEANING_PRMT:
        values->result[0] = permuted(instruction->modifiers[GROUP_PERMUTE], s);
        break;
    case MEANING_CVTA:
        values->result[0] = s[0] + window_of(instruction);
        break;
    case MEANING_CVTA_TO:
        values->result[0] = s[0] - window_of(instruction);
        break;
    case MEANING_ISSPACEP:
        values->result[0] = is_in_space(s[0], window_of(instruction));
        break;
    default:
        values->result[0] = counted(instruction, meaning, s[0]);
        values->result_type[0] = HX_TYPE_U32;
    }
}
