/* Structures that a kernel or function takes by value, in programs that are debugged: copies in its own
 * memory.
 *
 * LLVM's back end reads such an argument where the call has it, in the parameters of the PTX, if the code
 * only reads it; no variable tells then where it is. It makes a copy, which is the variable, of one whose
 * address is a number anywhere. So a line makes one of it that nobody reads:
 *
 *     define spir_kernel void @k(%struct.opts* noundef byval(%struct.opts) align 4 %1) #2 !dbg !36 {
 *       %hexec.7.a0 = ptrtoint %struct.opts* %1 to i64
 */
#include "compiler/parts.h"

#include <string.h>

/* A place in the PTX where structures are passed: a vector may stand there, too, and then nothing is lost. */
bool compiler_passes_structures(struct slice ptx)
{
    struct slice before, rest = ptx, line;
    while (compiler_take_to(&rest, ".param .align ", &before) && compiler_take_to(&rest, "\n", &line))
        if (memmem(line.at, line.length, ".b8 ", 4))
            return true;
    return false;
}

/* "%struct.opts*", or "ptr" of later versions; a name with blanks stands in quotes. */
static struct slice type_of(struct slice argument)
{
    size_t length = 0;
    for (bool quoted = false; length < argument.length && (quoted || argument.at[length] != ' '); length++)
        quoted ^= argument.at[length] == '"';
    return (struct slice){argument.at, length};
}

void compiler_write_arguments(struct slice line, unsigned number, struct text *to)
{
    struct slice before, argument;
    if (!slice_starts_with(line, "define ") || !compiler_take_to(&line, "@", &before) ||
        !compiler_take_to(&line, "(", &before))
        return;
    bool goes_on = true;
    for (unsigned i = 0; goes_on; i++) {
        goes_on = compiler_take_argument(&line, &argument);
        const char *const last = memrchr(argument.at, ' ', argument.length);
        if (!last || !memmem(argument.at, argument.length, " byval(", 7))
            continue;
        const struct slice type = type_of(argument);
        const struct slice value = {last + 1, argument.length - (size_t)(last + 1 - argument.at)};
        text_print(to, "  %%hexec.%u.a%u = ptrtoint " SLICE_FORMAT " " SLICE_FORMAT " to i64\n", number, i,
                   SLICE_ARGS(type), SLICE_ARGS(value));
    }
}
