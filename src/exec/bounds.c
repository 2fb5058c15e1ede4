/* Accesses that must stay in one array (verify/origins.h), and those that a listener lets by.
 *
 * Handlers test each address against a window: a buffer, or all shared, constant or local memory of a thread.
 * While a micro-op runs whose address is made from an array, the window of its space is that array, so the
 * handlers' own test finds what leaves it, at no cost for the others. An access that is let by goes to a few
 * bytes of the worker. It is tested with a vector's first element; behind that one the windows are empty
 * until the vector's last, so that the dropped lanes of the other elements are looked up too and found here.
 *
 * For checks of OpenCL C gaps are left between what lies in shared memory (program/regions.c). Where no array
 * is known then, the window is empty, and each lane's address says which of them it must stay in. */
#include "exec/bounds.h"

#include <string.h>

static const struct array *array_of(const struct launch *launch, const struct array_origin *origin)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    const struct array_list *list = origin->space == SPACE_SHARED     ? &code->shared
                                    : origin->space == SPACE_LOCAL    ? &code->local
                                    : origin->space == SPACE_CONSTANT ? &launch->program->constants
                                                                      : NULL;
    return list && origin->array < list->count ? &list->items[origin->array] : NULL;
}

static struct op_bounds bounds_of(const struct launch *launch, const struct op *op)
{
    const struct lowered_kernel *lowered = launch->bound->lowered;
    if (op->instruction >= lowered->kernel->code_count || !launch->access_bytes[op->instruction])
        return (struct op_bounds){0};
    const struct array_origin *origin = &lowered->origins[op->instruction];
    const struct array *array = array_of(launch, origin);
    const uint32_t null_bytes = lowered->kernel->null_bytes;
    if (!array && op->space == SPACE_SHARED && launch->regions.count > 1)
        return (struct op_bounds){
            .low = null_bytes, .size = 0, .space = SPACE_SHARED, .is_bound = true, .is_any = true};
    if (!array && op->space == SPACE_SHARED && null_bytes > 0)
        return (struct op_bounds){.low = null_bytes,
                                  .size = launch->shared_bytes - null_bytes,
                                  .space = SPACE_SHARED,
                                  .is_bound = true};
    if (!array || (op->space != SPACE_GENERIC && op->space != origin->space))
        return (struct op_bounds){0};
    return (struct op_bounds){.low = array->offset,
                              .size = array->is_dynamic ? launch->options.dynamic_shared_bytes
                                                        : array->count * hx_type_bytes(array->type),
                              .space = origin->space,
                              .is_bound = true};
}

static bool is_equal(const struct op_bounds *a, const struct op_bounds *b)
{
    return a->is_bound == b->is_bound && a->low == b->low && a->size == b->size;
}

/* A chain's handler tests the loads of all links together, against the first one's array. */
static bool is_single(const struct op *head, const struct op_bounds *bounds)
{
    for (uint32_t link = 1; link < head->links; link++)
        for (uint32_t i = 0; i < head->link_ops; i++)
            if (!is_equal(&bounds[i], &bounds[link * head->link_ops + i]))
                return true;
    return false;
}

hx_status bounds_init(struct launch *launch, struct arena *arena, hx_diag *diag)
{
    const struct bound_kernel *bound = launch->bound;
    launch->bounds = ARENA_ARRAY(arena, struct op_bounds, bound->op_count);
    if (!launch->bounds || !program_shared_regions(launch->program, bound->lowered->kernel, &launch->options,
                                                   arena, &launch->regions))
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < bound->op_count; i++)
        launch->bounds[i] = bounds_of(launch, &bound->ops[i]);
    for (uint32_t i = 0; i < bound->op_count; i++)
        launch->bounds[i].is_single = is_single(&bound->ops[i], &launch->bounds[i]);
    return HX_OK;
}

void bounds_choose(const struct gang_state *state, const struct op *op, uint64_t address,
                   struct memory_window *window)
{
    const struct launch *launch = gang_launch(state);
    const struct op_bounds *bounds = launch->bounds ? &launch->bounds[op - state->gang.ops] : NULL;
    if (!bounds || launch->regions.count < 2 ||
        (bounds->is_bound && bounds->space == SPACE_SHARED && !bounds->is_any))
        return;
    const struct shared_region *region = shared_region_near(&launch->regions, address);
    *window = state->gang.whole_shared;
    window->low += region->low;
    window->host += region->low;
    window->size = region->size;
}

bool bounds_is_null(const struct gang_state *state, const struct op *op, uint64_t address)
{
    const struct launch *launch = gang_launch(state);
    const struct lowered_kernel *lowered = launch->bound->lowered;
    if (address >= lowered->kernel->null_bytes || !lowered->origins ||
        op->instruction >= lowered->kernel->code_count)
        return false;
    return !array_of(launch, &lowered->origins[op->instruction]);
}

void bounds_begin_op(struct gang_state *state, const struct op *op)
{
    struct bounding *bounding = &state->bounding;
    bounding->is_on = true;
    if (op->space == SPACE_SHARED)
        gang_narrow(&state->gang, op, SPACE_SHARED, &state->gang.shared);
    if (op->space == SPACE_CONSTANT)
        gang_narrow(&state->gang, op, SPACE_CONSTANT, &state->gang.constant);
    if (!bounding->drops)
        return;
    state->gang.shared.size = state->gang.constant.size = 0;
    if (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC)
        state->gang.windows[op->window_slot].size = 0;
}

void bounds_end_op(struct gang_state *state, const struct op *op)
{
    struct bounding *bounding = &state->bounding;
    if (bounding->is_on) {
        state->gang.shared = state->gang.whole_shared;
        state->gang.constant = state->gang.whole_constant;
        bounding->is_on = false;
    }
    if (op->flags & MICRO_LAST)
        bounding->drops = false;
}

char *bounds_drop(struct gang_state *state, const struct op *op, uint32_t lane, bool has_more)
{
    struct bounding *bounding = &state->bounding;
    uint64_t *cell = &state->block->worker->let_by[lane % LANES_PER_CHUNK];
    *cell = 0;
    if (has_more && !(bounding->drops && bounding->instruction == op->instruction)) {
        memset(bounding->dropped, 0, sizeof bounding->dropped);
        bounding->instruction = op->instruction;
        bounding->drops = true;
    }
    if (has_more)
        bounding->dropped[lane / LANES_PER_CHUNK] |= UINT64_C(1) << (lane % LANES_PER_CHUNK);
    return (char *)cell;
}
