/* What coverage needs of a program's code.
 *
 * Takes a program, leaves copies of the lines and opcodes of all its kernels, launched or not. */
#include "profile/covered.h"

#include "profile/build.h"
#include "program/parts.h"

#include <stdlib.h>
#include <string.h>

static bool take_kernel(const struct kernel *kernel, struct arena *arena, struct covered_kernel *to)
{
    to->name = arena_copy(arena, kernel->name, strlen(kernel->name));
    to->line = kernel->place.line > 0 ? (uint32_t)kernel->place.line : 1;
    to->count = kernel->code_count;
    to->code = ARENA_ARRAY(arena, struct covered_instruction, kernel->code_count);
    for (uint32_t pc = 0; to->code && pc < kernel->code_count; pc++) {
        const int line = kernel->lines[pc].place.line;
        to->code[pc] =
            (struct covered_instruction){.line = line > 0 ? (uint32_t)line : 0,
                                         .opcode = kernel->code[pc].opcode->index,
                                         .is_conditional = profile_is_conditional(&kernel->code[pc])};
    }
    return to->name && to->code;
}

/* The file that a name means here and now; "" when there is none (the instruction set that is built in). */
static const char *copy_path(struct arena *arena, const char *name)
{
    char *real = name ? realpath(name, NULL) : NULL;
    const char *copy = arena_copy(arena, real ? real : "", real ? strlen(real) : 0);
    free(real);
    return copy;
}

bool covered_take(const hx_program *program, struct arena *arena, struct covered *ret_covered)
{
    const hx_isa *isa = program->isa;
    const struct source *code = program_code_source(program);
    struct covered covered = {.kernel_count = program->kernel_count, .opcode_count = isa->opcode_count};
    covered.file = copy_path(arena, code->name);
    covered.isa_file = copy_path(arena, isa->source_name);
    covered.kernels = ARENA_ARRAY(arena, struct covered_kernel, program->kernel_count);
    covered.opcode_lines = ARENA_ARRAY(arena, uint32_t, isa->opcode_count);
    if (!covered.file || !covered.isa_file || !covered.kernels || !covered.opcode_lines)
        return false;
    for (size_t k = 0; k < program->kernel_count; k++)
        if (!take_kernel(&program->kernels[k], arena, &covered.kernels[k]))
            return false;
    for (size_t i = 0; i < isa->opcode_count; i++) /* macro-opcodes are issued as what they expand to */
        covered.opcode_lines[i] = isa->opcodes[i].code >= 0 && isa->opcodes[i].place.line > 0
                                      ? (uint32_t)isa->opcodes[i].place.line
                                      : 0;
    *ret_covered = covered;
    return true;
}
