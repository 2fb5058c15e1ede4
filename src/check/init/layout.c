/* Names of arrays and buffers for reports, which are made when kernels and programs may be gone.
 *
 * Takes a kernel that is launched, leaves copies of what its program and itself declare. */
#include "base/memory.h"
#include "check/init/init.h"
#include "program/program.h"

#include <string.h>

static bool keep_list(struct init *init, const struct kernel *kernel, const struct array_list *list,
                      int space, struct init_layout *layout)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        const uint32_t element = (uint32_t)hx_type_bytes(array->type);
        char *name = arena_copy(&init->kept, array->name, strlen(array->name));
        struct slice symbol = {"", 0};
        if (!name || (space != SPACE_GLOBAL && !init_keep_symbol(init, kernel, space, i, &symbol)))
            return false;
        layout->arrays[layout->count++] = (struct init_array){
            .name = name,
            .symbol = symbol,
            .space = space,
            .low = space == SPACE_GLOBAL ? 0 : array->offset,
            .size = array->is_dynamic || space == SPACE_GLOBAL ? 0 : array->count * element,
            .element = element,
            .line = kernel->is_imported ? 0 : array->place.line};
    }
    return true;
}

static const struct init_layout *find_layout(const struct init *init, const struct check_code *code)
{
    for (size_t i = 0; i < init->layouts.count; i++)
        if (init->layouts.items[i].code == code)
            return &init->layouts.items[i];
    return NULL;
}

hx_status init_keep_layout(struct init *init, const hx_program *program, const struct kernel *kernel)
{
    struct init_layout layout = {.code = init->launch->code};
    if (find_layout(init, layout.code))
        return HX_OK;
    layout.arrays = ARENA_ARRAY(&init->kept, struct init_array,
                                kernel->shared.count + kernel->local.count + program->buffers.count);
    if (!layout.arrays || !keep_list(init, kernel, &kernel->shared, SPACE_SHARED, &layout) ||
        !keep_list(init, kernel, &kernel->local, SPACE_LOCAL, &layout) ||
        !keep_list(init, kernel, &program->buffers, SPACE_GLOBAL, &layout) ||
        init_keep_source(init, program, &layout.source) != HX_OK)
        return HX_NO_MEMORY;
    return LIST_PUSH(init->allocator, &init->layouts, layout) ? HX_OK : HX_NO_MEMORY;
}

const struct init_source *init_source_of(const struct init *init, const struct check_code *code)
{
    const struct init_layout *const layout = find_layout(init, code);
    return layout ? layout->source : NULL;
}

const struct init_array *init_find_array(const struct init *init, const struct check_code *code, int space,
                                         uint64_t offset)
{
    const struct init_layout *layout = find_layout(init, code);
    for (uint32_t i = 0; layout && i < layout->count; i++) {
        const struct init_array *array = &layout->arrays[i];
        if (array->space == space && offset >= array->low &&
            (array->size == 0 || offset - array->low < array->size))
            return array;
    }
    return NULL;
}

const struct init_array *init_find_buffer_array(const struct init *init, const struct check_code *code,
                                                const char *name)
{
    const struct init_layout *layout = find_layout(init, code);
    for (uint32_t i = 0; layout && i < layout->count; i++)
        if (layout->arrays[i].space == SPACE_GLOBAL && strcmp(layout->arrays[i].name, name) == 0)
            return &layout->arrays[i];
    return NULL;
}
