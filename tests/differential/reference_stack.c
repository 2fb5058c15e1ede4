/* The reference interpreter's stacks: memory that a thread takes while it runs, behind its local arrays.
 * Where a thread's memory ends is one number, which calls keep and returns bring back. */
#include "reference_machine.h"

uint64_t reference_stack_bytes(const struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (shape_is_stack(kernel->code[i].opcode->shape))
            return 16384;
    return 0;
}

enum reference_end reference_stack(const struct machine *machine, struct thread *thread,
                                   const struct step *step)
{
    const hx_type type = (hx_type)step->instruction->type;
    const uint64_t fixed = machine->launch->kernel->local.bytes;
    uint64_t number = step->sources ? reference_read(machine, thread, &step->source[0]) : 0, align = 8;
    if (hx_type_bytes(type) == 4)
        number = (uint32_t)number;
    if (step->meaning == MEANING_STACK_RESTORE) {
        if (number < fixed || number > thread->local_end)
            return REFERENCE_STACK;
        thread->local_end = number;
        return REFERENCE_DONE;
    }
    if (step->meaning == MEANING_STACK_SAVE) {
        reference_write(thread, &step->result[0], thread->local_end, type);
        return REFERENCE_DONE;
    }
    if (step->source[1].kind != PLACE_NOTHING)
        align = (uint32_t)reference_read(machine, thread, &step->source[1]);
    if (__builtin_popcountll(align) != 1)
        return REFERENCE_STACK;
    const uint64_t begin = (thread->local_end + align - 1) / align * align;
    if (begin > machine->local_bytes || number > machine->local_bytes - begin)
        return REFERENCE_STACK;
    thread->local_end = begin + number;
    reference_write(thread, &step->result[0], begin, type);
    return REFERENCE_DONE;
}
