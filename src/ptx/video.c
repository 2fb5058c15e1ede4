/* Video instructions of PTX: vadd, vset4 and their kin.
 *
 * Takes a statement, leaves ops: parts of registers are extracted, the operation is done at a width that
 * holds any result, and what comes out is cut off, combined with a third operand or put into a part of it.
 * PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". It writes the ops as text, as
 * expansions.def has them. */
#include "ptx/importer.h"

#include <stdio.h>

struct video {
    struct slice name; /* vadd, without the number of lanes */
    unsigned lanes;    /* 1, 2 or 4 */
    bool d_signed, a_signed, b_signed;
    bool saturates, wraps, plus_one;
    bool minus_product, minus_addend; /* of vmad: -(a b) + c, a b - c */
    unsigned shift;                   /* of a scaled product */
    struct slice comparison, second;  /* add, min, max behind the operation */
    char text[3000];
    size_t length;
    bool is_cut; /* the text has no room for all, which only a word that is no comparison makes */
};

HX_PRINTF(2, 3) static void say(struct video *video, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t left = sizeof video->text - video->length;
    const int length = vsnprintf(video->text + video->length, left, format, arguments);
    va_end(arguments);
    video->is_cut |= length < 0 || (size_t)length >= left;
    video->length += video->is_cut ? 0 : (size_t)length;
}

static bool is(struct slice part, const char *word)
{
    return slice_equal(part, word);
}

static void read_part(struct video *video, struct slice part, unsigned *types)
{
    bool *const signs[] = {&video->d_signed, &video->a_signed, &video->b_signed};
    if ((is(part, "s32") || is(part, "u32")) && *types < 3)
        *signs[(*types)++] = part.at[0] == 's';
    else if (is(part, "sat"))
        video->saturates = true;
    else if (is(part, "wrap"))
        video->wraps = true;
    else if (is(part, "po"))
        video->plus_one = true;
    else if (is(part, "shr7") || is(part, "shr15"))
        video->shift = is(part, "shr7") ? 7 : 15;
    else if (is(part, "add") || is(part, "min") || is(part, "max"))
        video->second = part;
    else
        video->comparison = part;
}

/* vset has no type of its result, which is 0 or 1. */
static void read_opcode(const struct ptx_statement *statement, struct video *video)
{
    struct slice part;
    size_t at = 0;
    ptx_next_part(statement->opcode, &at, &part);
    const char last = part.at[part.length - 1];
    *video = (struct video){.name = part, .lanes = 1};
    if (last == '2' || last == '4') {
        video->lanes = (unsigned)(last - '0');
        video->name.length--;
    }
    unsigned types = is(video->name, "vset") ? 1 : 0;
    while (ptx_next_part(statement->opcode, &at, &part))
        read_part(video, part, &types);
}

/* --- operations ----------------------------------------------------------------------------------------- */

/* t2 := t0 and t1 as numbers of `bits` bits. */
static bool operate(struct video *video, unsigned bits)
{
    if (is(video->name, "vadd") || is(video->name, "vsub") || is(video->name, "vmin") ||
        is(video->name, "vmax")) {
        say(video, SLICE_FORMAT ".s%u t2, t0, t1; ", 3, video->name.at + 1, bits);
    } else if (is(video->name, "vabsdiff")) {
        say(video, "sub.s%u t2, t0, t1; abs.s%u t2, t2; ", bits, bits);
    } else if (is(video->name, "vavrg")) {
        say(video,
            "add.s%u t2, t0, t1; setp.ge.s%u p0, _, t2, 0; sel.u32 t3, 1, 0, p0; add.s%u t2, t2, t3; "
            "shr.s%u t2, t2, 1; ",
            bits, bits, bits, bits);
    } else if (is(video->name, "vset")) {
        say(video, "setp." SLICE_FORMAT ".s%u p0, _, t0, t1; sel.u%u t2, 1, 0, p0; ",
            SLICE_ARGS(video->comparison), bits, bits);
    } else {
        return false;
    }
    return true;
}

/* t2 := t0 shifted by t1, which goes to 32 or wraps there. */
static void shift(struct video *video)
{
    const char sign = video->a_signed ? 's' : 'u';
    say(video, video->wraps ? "and.u32 t1, t1, 31; " : "min.u64 t1, t1, 32; ");
    if (is(video->name, "vshl"))
        say(video, "shl.%c64 t2, t0, t1; ", sign);
    else
        say(video, "shr.%c64 t2, t0, t1; ", sign);
}

/* Is the result of vmad a number with sign? If a factor is one, or something is subtracted. */
static bool is_signed_product(const struct video *video)
{
    return video->a_signed || video->b_signed || video->minus_product || video->minus_addend;
}

/* t2 := t0 * t1 + c; the product or c may be negated. A product without sign that a result with sign cannot
 * be is cut off before, where it is beyond the result's range and still a number of 64 bits with sign. */
static void multiply(struct video *video)
{
    const char sign = is_signed_product(video) ? 's' : 'u';
    say(video, "mul.s64 t2, t0, t1; cvt.s64.%c32 t3, c; ", sign);
    if (video->saturates && sign == 's' && !video->a_signed && !video->b_signed)
        say(video, "min.u64 t2, t2, 0x7fffffff00000000; ");
    if (video->minus_product)
        say(video, "neg.s64 t2, t2; ");
    say(video, "%s.s64 t2, t2, t3; ", video->minus_addend ? "sub" : "add");
    if (video->plus_one)
        say(video, "add.s64 t2, t2, 1; ");
    if (video->shift)
        say(video, "shr.%c64 t2, t2, %u; ", sign, video->shift);
}

/* t2 to the range of a number of `width` bits; a number without sign can be beyond it only at the upper end.
 */
static void cut_off(struct video *video, unsigned bits, unsigned width, bool is_signed, bool from_signed)
{
    const uint64_t most = (1ull << (width - is_signed)) - 1, least = is_signed ? ~most : 0;
    const uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
    if (from_signed)
        say(video, "max.s%u t2, t2, 0x%llx; ", bits, (unsigned long long)(least & mask));
    say(video, "min.%c%u t2, t2, 0x%llx; ", from_signed ? 's' : 'u', bits, (unsigned long long)most);
}

/* --- one lane ------------------------------------------------------------------------------------------- */

/* Of a selector the place of the part and its bits: b2 is 8 bits from 16 on. False: it is none. */
static bool read_selector(struct slice selector, unsigned *ret_at, unsigned *ret_bits)
{
    *ret_at = 0;
    *ret_bits = 32;
    if (selector.length == 0)
        return true;
    *ret_bits = selector.at[0] == 'b' ? 8 : 16;
    const unsigned number = selector.length == 2 ? (unsigned)(selector.at[1] - '0') : 4;
    *ret_at = number * *ret_bits;
    return (selector.at[0] == 'b' || selector.at[0] == 'h') && *ret_at < 32;
}

static bool extract(struct video *video, struct slice selector, const char *from, const char *to,
                    bool is_signed)
{
    unsigned at, bits;
    const char sign = is_signed ? 's' : 'u';
    if (!read_selector(selector, &at, &bits))
        return false;
    if (bits < 32)
        say(video, "bfe.%c32 %s, %s, %u, %u; cvt.s64.%c32 %s, %s; ", sign, to, from, at, bits, sign, to, to);
    else
        say(video, "cvt.s64.%c32 %s, %s; ", sign, to, from);
    return true;
}

static bool write_scalar(struct video *video, const struct ptx_statement *statement)
{
    const struct ptx_operand *operands = statement->operands;
    const bool is_shift = is(video->name, "vshl") || is(video->name, "vshr"),
               is_product = is(video->name, "vmad");
    unsigned at, bits;
    video->minus_product = operands[1].has_minus != operands[2].has_minus;
    video->minus_addend = is_product && operands[3].has_minus;
    const bool from_signed = is_shift ? video->a_signed : !is_product || is_signed_product(video);
    if (!read_selector(operands[0].selector, &at, &bits) ||
        !extract(video, operands[1].selector, "a", "t0", video->a_signed) ||
        !extract(video, operands[2].selector, "b", "t1", video->b_signed))
        return false;
    if (is_shift)
        shift(video);
    else if (is_product)
        multiply(video);
    else if (!operate(video, 64))
        return false;
    if (video->saturates)
        cut_off(video, 64, bits, is_product ? from_signed : video->d_signed, from_signed);
    if (bits < 32)
        say(video, "bfi.u32 d, t2, c, %u, %u", at, bits);
    else if (video->second.length > 0)
        say(video, SLICE_FORMAT ".%c32 d, t2, c", SLICE_ARGS(video->second), video->d_signed ? 's' : 'u');
    else
        say(video, "mov.u32 d, t2");
    return true;
}

/* --- two and four lanes --------------------------------------------------------------------------------- */

/* Part `part` of a b, of which b's parts are the upper ones. */
static void extract_part(struct video *video, unsigned part, const char *to, bool is_signed)
{
    const unsigned bits = 32 / video->lanes;
    say(video, "bfe.%c32 %s, %s, %u, %u; ", is_signed ? 's' : 'u', to, part < video->lanes ? "a" : "b",
        part % video->lanes * bits, bits);
}

/* The selector of a source has a digit for each lane, the highest first. Its letter is h of halves and b of
 * bytes. */
static bool is_selector(const struct video *video, struct slice selector, unsigned parts)
{
    if (selector.length > 0 && selector.at[0] != (video->lanes == 2 ? 'h' : 'b'))
        return false;
    for (size_t i = 1; i < selector.length; i++)
        if (selector.at[i] < '0' || selector.at[i] >= (char)('0' + parts))
            return false;
    return true;
}

static unsigned part_of(const struct video *video, struct slice selector, unsigned lane, unsigned otherwise)
{
    return selector.length == video->lanes + 1 ? (unsigned)(selector.at[video->lanes - lane] - '0')
                                               : otherwise;
}

static bool write_lanes(struct video *video, const struct ptx_statement *statement)
{
    const struct slice mask = statement->operands[0].selector, a = statement->operands[1].selector,
                       b = statement->operands[2].selector;
    const unsigned bits = 32 / video->lanes;
    if (statement->operand_count != 4 || !is_selector(video, mask, video->lanes) ||
        !is_selector(video, a, 2 * video->lanes) || !is_selector(video, b, 2 * video->lanes))
        return false;
    say(video, "mov.u32 t9, c; ");
    for (unsigned lane = 0; lane < video->lanes; lane++) {
        if (mask.length > 1 && !memchr(mask.at + 1, (int)('0' + lane), mask.length - 1))
            continue;
        extract_part(video, part_of(video, a, lane, lane), "t0", video->a_signed);
        extract_part(video, part_of(video, b, lane, lane + video->lanes), "t1", video->b_signed);
        if (!operate(video, 32))
            return false;
        if (video->saturates)
            cut_off(video, 32, bits, video->d_signed, true);
        if (video->second.length > 0)
            say(video, "add.u32 t9, t9, t2; ");
        else
            say(video, "bfi.u32 t9, t2, t9, %u, %u; ", lane * bits, bits);
    }
    say(video, "mov.u32 d, t9");
    return true;
}

void ptx_import_video(struct ptx_importer *importer)
{
    const struct ptx_statement *statement = importer->statement;
    struct video video;
    read_opcode(statement, &video);
    if (statement->operand_count < (is(video.name, "vmad") ? 4 : 3))
        ptx_lacks(importer, "operands are missing");
    else if ((video.lanes == 1 ? write_scalar(&video, statement) : write_lanes(&video, statement)) &&
             !video.is_cut)
        ptx_import_text(importer, video.text);
    else
        ptx_lacks_opcode(importer);
}
