/* Registers and labels by the names that a file of PTX gives them (program/debug_info.h).
 *
 * Takes a name and where a thread is, leaves the register of hexec that has the value there. */
#include "debug/written.h"

static bool is_named(const struct debug_register *reg, struct slice name)
{
    return slice_equal(name, reg->name);
}

bool written_is_known(const hx_program *program, struct slice name)
{
    for (size_t k = 0; k < program->kernel_count; k++) {
        const struct kernel_debug *debug = program->kernels[k].debug;
        for (size_t i = 0; debug && i < debug->register_count; i++)
            if (is_named(&debug->registers[i], name))
                return true;
    }
    return false;
}

static bool is_here(const struct debug_register *reg, const struct thread_place *place)
{
    return place->instruction >= reg->first && place->instruction <= reg->end;
}

const struct debug_register *written_find(const struct asker *asker, struct slice name)
{
    const struct kernel *kernel = asker->engine->kernel;
    const struct kernel_debug *debug = kernel ? kernel->debug : NULL;
    struct thread_place place;
    if (!debug || !asker->block || asker->level > 0 ||
        !state_place(asker->engine, asker->block, asker->thread, &place))
        return NULL;
    for (size_t i = 0; i < debug->register_count; i++)
        if (is_named(&debug->registers[i], name) && is_here(&debug->registers[i], &place))
            return &debug->registers[i];
    return NULL;
}

uint32_t written_member(const struct debug_register *reg)
{
    return reg->real + (reg->is_predicate ? REGISTER_COUNT : 0u);
}

const char *written_name(const struct asker *asker, uint32_t member)
{
    const struct kernel *kernel = asker->engine->kernel;
    const struct kernel_debug *debug = kernel ? kernel->debug : NULL;
    struct thread_place place;
    if (!debug || !asker->block || !state_place(asker->engine, asker->block, asker->thread, &place))
        return NULL;
    for (size_t i = 0; i < debug->register_count; i++)
        if (written_member(&debug->registers[i]) == member && is_here(&debug->registers[i], &place))
            return debug->registers[i].name;
    return NULL;
}

const char *written_label(const struct kernel *kernel, size_t index, uint32_t *ret_instruction)
{
    const struct kernel_debug *debug = kernel->debug;
    const size_t own = debug ? debug->label_count : 0;
    if (index < own) {
        *ret_instruction = debug->labels[index].instruction;
        return debug->labels[index].name;
    }
    if (index - own >= kernel->label_count)
        return NULL;
    *ret_instruction = kernel->labels[index - own].target;
    return kernel->labels[index - own].name;
}
