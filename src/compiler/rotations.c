/* Corrects what clang 14's back end for PTX makes of 64-bit rotations by a number in a register.
 *
 * Takes PTX, leaves it with the number's low six bits in its place. A rotation by 64 and more takes these
 * alone (LLVM, "llvm.fshl"), and shifts of PTX give 0 then. What the back end writes is
 *
 *     .reg .u32 %amt2;
 *     shl.b64   %lhs, VALUE, NUMBER;      (or shr.b64, to the right)
 *     sub.u32   %amt2, 64, NUMBER;
 */
#include "compiler/parts.h"

#include <string.h>

static const char head[] = "\t.reg .u32 %amt2;\n";

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

/* Behind the head: the lines as they should be. Returns where they end; NULL: it is something else. */
static const char *correct(const char *at, struct text *to)
{
    struct slice shift, value, number, same;
    if (!take(&at, "\t") || !take_operand(&at, '.', &shift) || !take(&at, ".b64 \t%lhs, ") ||
        !take_operand(&at, ',', &value) || !take(&at, ", ") || !take_operand(&at, ';', &number) ||
        !take(&at, ";\n\tsub.u32 \t%amt2, 64, ") || !take_operand(&at, ';', &same) || !take(&at, ";\n") ||
        same.length != number.length || memcmp(same.at, number.at, same.length) != 0)
        return NULL;
    text_print(to,
               "\t.reg .u32 %%amt;\n\tand.b32 \t%%amt, " SLICE_FORMAT ", 63;\n\t" SLICE_FORMAT
               ".b64 \t%%lhs, " SLICE_FORMAT ", %%amt;\n\tsub.u32 \t%%amt2, 64, %%amt;\n",
               SLICE_ARGS(number), SLICE_ARGS(shift), SLICE_ARGS(value));
    return at;
}

void compiler_correct_rotations(struct text *code)
{
    if (!code->at || !strstr(code->at, head))
        return;
    struct text made = {.allocator = code->allocator};
    const char *from = code->at;
    for (const char *at = from; (at = strstr(at, head)) != NULL;) {
        at += sizeof head - 1;
        text_append(&made, from, (size_t)(at - from));
        from = at;
        const char *end = correct(at, &made);
        from = at = end ? end : at;
    }
    text_append(&made, from, code->length - (size_t)(from - code->at));
    text_done(code);
    *code = made;
}
