/* Corrects what clang's back end for PTX gets wrong: PTX in, the same PTX with these places right out.
 *
 * Rotations of 64 bits by a number in a register (clang 14). A rotation by 64 and more takes the number's low
 * six bits (LLVM, "llvm.fshl"), and shifts of PTX give 0 then. What the back end writes is
 *
 *     .reg .u32 %amt2;
 *     shl.b64   %lhs, VALUE, NUMBER;      (or shr.b64, to the right)
 *     sub.u32   %amt2, 64, NUMBER;
 *
 * Fields of signed 64-bit values that reach beyond the sign, `x >> 63 & 0xff` (up to clang 15, at least):
 *
 *     bfe.u64   RESULT, VALUE, 63, 8;
 *
 * gives the sign in one bit (PTX: "bfe"), and the shift repeats it in all. Of unsigned values LLVM drops the
 * mask, so that such a field is never one of theirs. */
#include "compiler/parts.h"

#include <inttypes.h>
#include <string.h>

/* The rest of the line, when it begins so. */
static bool take(const char **at, const char *begin)
{
    const size_t length = strlen(begin);
    if (strncmp(*at, begin, length) != 0)
        return false;
    *at += length;
    return true;
}

/* The operand up to `end`, in a line. */
static bool take_operand(const char **at, char end, struct slice *ret_operand)
{
    const size_t length = strcspn(*at, (const char[]){end, '\n', 0});
    *ret_operand = (struct slice){*at, length};
    *at += length;
    return length > 0 && **at == end;
}

/* Takes a text as corrections do: at its head, which is there. Returns where what was replaced ends; NULL: it
 * is something else, and nothing was added. */
typedef const char *correct_function(const char *at, struct text *to);

static const char rotation_head[] = "\t.reg .u32 %amt2;\n";

static const char *correct_rotation(const char *at, struct text *to)
{
    struct slice shift, value, number, same;
    if (!take(&at, rotation_head) || !take(&at, "\t") || !take_operand(&at, '.', &shift) ||
        !take(&at, ".b64 \t%lhs, ") || !take_operand(&at, ',', &value) || !take(&at, ", ") ||
        !take_operand(&at, ';', &number) || !take(&at, ";\n\tsub.u32 \t%amt2, 64, ") ||
        !take_operand(&at, ';', &same) || !take(&at, ";\n") || same.length != number.length ||
        memcmp(same.at, number.at, same.length) != 0)
        return NULL;
    text_print(to,
               "%s\t.reg .u32 %%amt;\n\tand.b32 \t%%amt, " SLICE_FORMAT ", 63;\n\t" SLICE_FORMAT
               ".b64 \t%%lhs, " SLICE_FORMAT ", %%amt;\n\tsub.u32 \t%%amt2, 64, %%amt;\n",
               rotation_head, SLICE_ARGS(number), SLICE_ARGS(shift), SLICE_ARGS(value));
    return at;
}

static const char field_head[] = "\tbfe.u64 \t";

/* A decimal number below 64, and what follows it. */
static bool take_number(const char **at, const char *end, unsigned *ret_number)
{
    unsigned number = 0, digits = 0;
    for (; **at >= '0' && **at <= '9' && digits < 2; digits++)
        number = number * 10 + (unsigned)(*(*at)++ - '0');
    *ret_number = number;
    return digits > 0 && number < 64 && take(at, end);
}

static const char *correct_field(const char *at, struct text *to)
{
    struct slice result, value;
    unsigned first, bits;
    if (!take(&at, field_head) || !take_operand(&at, ',', &result) || !take(&at, ", ") ||
        !take_operand(&at, ',', &value) || !take(&at, ", ") || !take_number(&at, ", ", &first) ||
        !take_number(&at, ";\n", &bits) || first + bits <= 64)
        return NULL;
    text_print(to,
               "\tshr.s64 \t" SLICE_FORMAT ", " SLICE_FORMAT ", %u;\n\tand.b64 \t" SLICE_FORMAT
               ", " SLICE_FORMAT ", %" PRIu64 ";\n",
               SLICE_ARGS(result), SLICE_ARGS(value), first, SLICE_ARGS(result), SLICE_ARGS(result),
               (UINT64_C(1) << bits) - 1);
    return at;
}

static void correct_each(struct text *code, const char *head, correct_function *correct)
{
    if (!code->at || !strstr(code->at, head))
        return;
    struct text made = {.allocator = code->allocator};
    const char *from = code->at;
    for (const char *at = from; (at = strstr(at, head)) != NULL;) {
        text_append(&made, from, (size_t)(at - from));
        from = at;
        const char *end = correct(at, &made);
        if (end)
            from = at = end;
        else
            at += strlen(head);
    }
    text_append(&made, from, code->length - (size_t)(from - code->at));
    text_done(code);
    *code = made;
}

void compiler_correct(struct text *code)
{
    correct_each(code, rotation_head, correct_rotation);
    correct_each(code, field_head, correct_field);
}
