/* Copies of whole structures, in programs that are checked: a check of each pointer's alignment.
 *
 * clang checks the alignment of a pointer whose member is accessed (-fsanitize=alignment), and not that of
 * one whose structure is copied as a whole. Nor does the copy tell: the back end makes pieces of 8 bytes of
 * it, or a loop over its bytes, where a GPU's compiler has one access of 16. So a call comes before it for
 * each of its two pointers,
 *
 *     call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %1, i8* align 16 %2, i64 16, i1 false), !dbg !7
 *
 *     %hexec.1.p0 = ptrtoint i8* %1 to i64
 *     call void @__hexec_copied(i64 %hexec.1.p0, i64 16), !dbg !7
 *     ...
 *
 * of which the importer of PTX makes notes (src/ptx/extern.c). */
#include "compiler/parts.h"

#include <string.h>

const char compiler_copied_declaration[] = "\ndeclare void @__hexec_copied(i64, i64)\n";

bool compiler_take_argument(struct slice *text, struct slice *ret_argument)
{
    size_t length = 0, depth = 0;
    bool quoted = false;
    for (; length < text->length; length++) {
        const char c = text->at[length];
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (depth == 0 && memchr(",)]}>", c, 5))
            break;
        if (memchr("([{<", c, 4))
            depth++;
        else if (memchr(")]}>", c, 4))
            depth--;
    }
    *ret_argument = (struct slice){text->at, length};
    *text = (struct slice){text->at + length, text->length - length};
    return compiler_take(text, ", ");
}

/* "TYPE [WORDS] align N [WORDS] %VALUE": false where the value is a variable of the program, not a register:
 * that is where the compiler put it. */
static bool read_pointer(struct slice argument, struct slice *ret_type, struct slice *ret_align,
                         struct slice *ret_value)
{
    struct slice before;
    if (!compiler_take_to(&argument, " align ", &before) || !compiler_take_to(&argument, " ", ret_align))
        return false;
    /* "i8*", "i8 addrspace(1)*", "ptr", "ptr addrspace(1)", and attributes */
    const char *const star = memchr(before.at, '*', before.length);
    const char *const brace = memchr(before.at, ')', before.length);
    const char *const blank = memchr(before.at, ' ', before.length);
    const char *const end = star ? star + 1 : brace ? brace + 1 : blank ? blank : before.at + before.length;
    *ret_type = (struct slice){before.at, (size_t)(end - before.at)};
    const char *const last = memrchr(argument.at, ' ', argument.length);
    const char *const value = last ? last + 1 : argument.at;
    *ret_value = (struct slice){value, argument.length - (size_t)(value - argument.at)};
    return slice_starts_with(*ret_value, "%") && !slice_equal(*ret_align, "1");
}

void compiler_write_copied(struct slice line, unsigned number, struct text *to)
{
    struct slice before, name, type, align, value, arguments[2];
    if (!compiler_take_to(&line, "call void @llvm.mem", &before) ||
        !(slice_starts_with(line, "cpy.") || slice_starts_with(line, "move.")) ||
        !compiler_take_to(&line, "(", &name) || !compiler_take_argument(&line, &arguments[0]) ||
        !compiler_take_argument(&line, &arguments[1]))
        return;
    const char *const place = memmem(line.at, line.length, ", !dbg ", 7);
    const struct slice rest = {place ? place : line.at, place ? line.length - (size_t)(place - line.at) : 0};
    for (unsigned i = 0; i < 2; i++) {
        if (!read_pointer(arguments[i], &type, &align, &value))
            continue;
        text_print(to, "  %%hexec.%u.p%u = ptrtoint " SLICE_FORMAT " " SLICE_FORMAT " to i64\n", number, i,
                   SLICE_ARGS(type), SLICE_ARGS(value));
        text_print(to,
                   "  call void @__hexec_copied(i64 %%hexec.%u.p%u, i64 " SLICE_FORMAT ")" SLICE_FORMAT "\n",
                   number, i, SLICE_ARGS(align), SLICE_ARGS(rest));
    }
}
