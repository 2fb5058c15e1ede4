/* Programs that clang's back end refuses for a reinterpretation: vectors of half as float, and the reverse.
 *
 * The back end (LLVM 14) has no instruction for a bitcast between <2 x half> and float, though PTX has
 * (`mov.b32`), and ends with "Cannot select". It has those between either and an integer, which its own
 * simplification takes away again where two of them follow each other. So the program is compiled up to
 * LLVM's assembly; there each such bitcast becomes one of integers, with the move as inline assembly, which
 * nothing simplifies:
 *
 *     %5 = bitcast float %4 to <2 x half>
 *
 *     %hexec.1.i0 = call i32 asm "mov.b32 $0, $1;", "=r,f"(float %4)
 *     %5 = bitcast i32 %hexec.1.i0 to <2 x half>
 *
 * and of wider vectors the same for each element. */
#include "compiler/parts.h"

#include <stdio.h>
#include <string.h>

#define ELEMENTS_MAX 8 /* floats: half16 */

/* "RESULT = bitcast FROM VALUE to TO REST" */
struct bitcast {
    struct slice result, value, rest;
    unsigned elements; /* floats on the one side, pairs of half on the other */
    bool to_half;
    unsigned number; /* of this one in the program */
};

/* "float", "<4 x float>", "<8 x half>": how many of `name`; 0: another type. */
static unsigned take_type(struct slice *text, const char *name)
{
    char type[32];
    for (unsigned count = 1; count <= 2 * ELEMENTS_MAX; count++) {
        if (count == 1)
            snprintf(type, sizeof type, "%s", name);
        else
            snprintf(type, sizeof type, "<%u x %s>", count, name);
        if (compiler_take(text, type))
            return count;
    }
    return 0;
}

static bool read_bitcast(struct slice line, struct bitcast *ret_bitcast)
{
    *ret_bitcast = (struct bitcast){0};
    if (!compiler_take_to(&line, " = bitcast ", &ret_bitcast->result))
        return false;
    unsigned floats = take_type(&line, "float"), halves = floats ? 0 : take_type(&line, "half");
    ret_bitcast->to_half = floats > 0;
    if (!(floats || halves) || !compiler_take(&line, " ") ||
        !compiler_take_to(&line, " to ", &ret_bitcast->value))
        return false;
    if (floats)
        halves = take_type(&line, "half");
    else
        floats = take_type(&line, "float");
    ret_bitcast->elements = floats;
    ret_bitcast->rest = line;
    return floats > 0 && floats <= ELEMENTS_MAX && halves == 2 * floats;
}

/* The type of as many elements. */
static void print_type(struct text *to, unsigned elements, const char *name)
{
    if (elements == 1)
        text_print(to, "%s", name);
    else
        text_print(to, "<%u x %s>", elements, name);
}

/* Each element of `vector`, whose elements are of type `from`, moved to a register of type `into`; the last
 * value that is made is `last`, or has a name of its own. */
static void print_moves(struct text *to, const struct bitcast *cast, struct slice vector, const char *from,
                        const char *into, struct slice last)
{
    const char *constraints = cast->to_half ? "=r,f" : "=f,r";
    const unsigned count = cast->elements;
    for (unsigned i = 0; i < count; i++) {
        if (count > 1)
            text_print(to, "  %%hexec.%u.e%u = extractelement <%u x %s> " SLICE_FORMAT ", i32 %u\n",
                       cast->number, i, count, from, SLICE_ARGS(vector), i);
        if (count > 1 || last.length == 0)
            text_print(to, "  %%hexec.%u.i%u", cast->number, i);
        else
            text_print(to, SLICE_FORMAT, SLICE_ARGS(last));
        text_print(to, " = call %s asm \"mov.b32 $0, $1;\", \"%s\"(%s ", into, constraints, from);
        if (count > 1)
            text_print(to, "%%hexec.%u.e%u)\n", cast->number, i);
        else
            text_print(to, SLICE_FORMAT ")\n", SLICE_ARGS(vector));
    }
    for (unsigned i = 0; i < count && count > 1; i++) {
        if (i + 1 < count || last.length == 0)
            text_print(to, "  %%hexec.%u.v%u", cast->number, i);
        else
            text_print(to, SLICE_FORMAT, SLICE_ARGS(last));
        text_print(to, " = insertelement <%u x %s> ", count, into);
        if (i == 0)
            text_print(to, "undef");
        else
            text_print(to, "%%hexec.%u.v%u", cast->number, i - 1);
        text_print(to, ", %s %%hexec.%u.i%u, i32 %u\n", into, cast->number, i, i);
    }
}

static void print_bitcast(struct text *to, const struct bitcast *cast)
{
    char name[48];
    if (cast->to_half) {
        const unsigned last = cast->elements - 1;
        print_moves(to, cast, cast->value, "float", "i32", (struct slice){0});
        text_print(to, SLICE_FORMAT " = bitcast ", SLICE_ARGS(cast->result));
        print_type(to, cast->elements, "i32");
        text_print(to, " %%hexec.%u.%s%u to <%u x half>" SLICE_FORMAT "\n", cast->number,
                   cast->elements > 1 ? "v" : "i", last, 2 * cast->elements, SLICE_ARGS(cast->rest));
        return;
    }
    snprintf(name, sizeof name, "%%hexec.%u.b", cast->number);
    text_print(to, "  %s = bitcast <%u x half> " SLICE_FORMAT " to ", name, 2 * cast->elements,
               SLICE_ARGS(cast->value));
    print_type(to, cast->elements, "i32");
    text_print(to, "\n");
    print_moves(to, cast, slice_of(name), "i32", "float", cast->result);
}

bool compiler_write_bitcast(struct slice line, unsigned number, struct text *to)
{
    struct bitcast cast;
    if (!read_bitcast(line, &cast))
        return false;
    cast.number = number;
    print_bitcast(to, &cast);
    return true;
}

bool compiler_lacks_bitcast(const struct process_result *result)
{
    const struct slice said = {result->errors.at ? result->errors.at : "", result->errors.length};
    return memmem(said.at, said.length, "Cannot select", 13) && memmem(said.at, said.length, " bitcast ", 9);
}
