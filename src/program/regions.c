/* What a kernel has in shared memory when gaps are left between (kernel.gap_bytes), for checks: its arrays,
 * and what arguments have there. */
#include "program/regions.h"

#include "program/argument.h"

uint64_t program_shared_argument(const struct kernel *kernel, uint64_t dynamic_bytes)
{
    const uint64_t used = kernel->shared.bytes + dynamic_bytes;
    const uint64_t start = used > kernel->null_bytes ? used + kernel->gap_bytes : used;
    return (start + ARGUMENT_SHARED_ALIGN - 1) / ARGUMENT_SHARED_ALIGN * ARGUMENT_SHARED_ALIGN;
}

static void add_arrays(const struct kernel *kernel, struct shared_regions *regions)
{
    for (size_t i = 0; i < kernel->shared.count; i++) {
        const struct array *array = &kernel->shared.items[i];
        const uint64_t bytes = array->count * hx_type_bytes(array->type);
        if (!array->is_dynamic && bytes > 0 && array->offset >= kernel->null_bytes)
            regions->items[regions->count++] =
                (struct shared_region){.low = array->offset, .size = bytes, .name = array->name};
    }
}

/* Where the last one of them ends, behind the kernel's own arrays. */
static uint64_t add_arguments(const hx_program *program, const struct kernel *kernel,
                              const hx_argument *arguments, struct shared_regions *regions)
{
    uint64_t dynamic = 0;
    for (uint32_t i = 0; i < kernel->formal_count; i++) {
        const struct kernel_param *formal = &kernel->formals[i];
        const struct program_param *param = formal->is_constant ? NULL : &program->params[formal->index];
        const uint64_t bytes = arguments && !arguments[i].value ? arguments[i].bytes
                               : !arguments && param            ? param->shared_bytes
                                                                : 0;
        if (bytes == 0)
            continue;
        const uint64_t low = arguments ? program_shared_argument(kernel, dynamic) : param->bits;
        const uint64_t end = low + bytes - kernel->shared.bytes;
        dynamic = end > dynamic ? end : dynamic;
        regions->items[regions->count++] =
            (struct shared_region){.low = low, .size = bytes, .is_argument = true, .argument = i};
    }
    return dynamic;
}

bool program_shared_regions(const hx_program *program, const struct kernel *kernel,
                            const hx_launch_options *options, struct arena *arena,
                            struct shared_regions *ret_regions)
{
    *ret_regions = (struct shared_regions){0};
    if (kernel->gap_bytes == 0)
        return true;
    ret_regions->items =
        ARENA_ARRAY(arena, struct shared_region, kernel->shared.count + kernel->formal_count);
    if (!ret_regions->items)
        return false;
    add_arrays(kernel, ret_regions);
    /* a launch may have more, which belongs to nobody here: then all of it is one */
    if (add_arguments(program, kernel, options->arguments, ret_regions) != options->dynamic_shared_bytes)
        ret_regions->count = 0;
    for (size_t i = 0; i < ret_regions->count; i++) {
        struct shared_region *region = &ret_regions->items[i];
        if (region->is_argument && !(region->name = arena_format(arena, "%u", region->argument)))
            return false;
    }
    return true;
}

const struct shared_region *shared_region_near(const struct shared_regions *regions, uint64_t address)
{
    const struct shared_region *found = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < regions->count; i++) {
        const struct shared_region *region = &regions->items[i];
        const uint64_t end = region->low + region->size;
        const uint64_t distance = address < region->low ? region->low - address
                                  : address >= end      ? address - end
                                                        : 0;
        if (address - region->low < region->size)
            return region;
        if (distance < least) {
            least = distance;
            found = region;
        }
    }
    return found;
}
