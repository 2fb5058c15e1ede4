/* Binding: from numbered rows to byte offsets, from semantics to handlers.
 *
 * Takes a lowered kernel and a gang width, leaves bound ops. A gang's rows lie in one run of memory: uniform
 * rows first (64 lanes each), then the special rows that differ between lanes, then 8-byte, 4-byte and
 * predicate rows (64 lanes a chunk each). All are reached from one pointer, so handlers need only offsets. */
#include "exec/bind.h"

#include "exec/driver.h"
#include "exec/fast/fast.h"
#include "exec/flow/flow.h"
#include "exec/windows.h"

/* Rows beyond this are too many for a 48 KiB first-level cache that holds memory traffic as well. */
#define ROWS_CACHE_BYTES 40960u

static uint32_t round_lanes(uint32_t lanes)
{
    return (lanes + LANES_PER_CHUNK - 1) / LANES_PER_CHUNK;
}

uint32_t bind_gang_lanes(const struct lowered_kernel *lowered, uint32_t asked, uint32_t warp_lanes)
{
    uint32_t lanes = asked;
    if (lanes == 0) {
        uint64_t lane_bytes = 4ull * lowered->rows_4 + 8ull * lowered->rows_8 + lowered->rows_predicate;
        lanes = GANG_LANES_MAX;
        while (lanes > LANES_PER_CHUNK && lane_bytes * lanes > ROWS_CACHE_BYTES)
            lanes /= 2;
    }
    if (lowered->has_warp_ops) /* whole warps */
        lanes = lanes > warp_lanes ? lanes - lanes % warp_lanes : warp_lanes;
    return lanes;
}

/* Is the value another one in each block? Of gtid, that of the block's first thread. */
static bool special_is_of_block(enum special_register special)
{
    return (special >= SPECIAL_CTAID_X && special <= SPECIAL_CTAID_Z) || special == SPECIAL_GTID;
}

/* Where each class of rows begins that all lanes of a chunk share a cell of. */
struct layout {
    uint32_t base_same_8, base_same_4, base_same_predicate;
    uint32_t chunks;
};

static hx_status lay_out(struct bound_kernel *bound, struct arena *arena, hx_diag *diag,
                         struct layout *layout)
{
    const struct lowered_kernel *lowered = bound->lowered;
    bound->uniform_at = ARENA_ARRAY(arena, uint32_t, lowered->uniform_count);
    bound->affine_at = ARENA_ARRAY(arena, uint32_t, lowered->affine_count);
    bound->places = ARENA_ARRAY(arena, uint32_t, lowered->uniform_count);
    if (!bound->uniform_at || !bound->affine_at || !bound->places)
        return diag_no_memory(diag);
    uint64_t at = 0, lanes = (uint64_t)bound->chunks * LANES_PER_CHUNK;
    for (uint32_t i = 0; i < lowered->uniform_count; i++) {
        bound->uniform_at[i] = (uint32_t)at;
        const struct uniform *uniform = &lowered->uniforms[i];
        if (uniform->kind == UNIFORM_SPECIAL && special_is_of_block((enum special_register)uniform->symbol))
            bound->places[bound->place_count++] = i;
        at += (uint64_t)lowered->uniforms[i].width * LANES_PER_CHUNK;
    }
    for (int special = 0; special < SPECIAL_COUNT; special++) {
        if (!(lowered->specials & (1u << special)))
            continue;
        bound->special_at[special] = (uint32_t)at;
        at += lanes * (type_bits(special_type(special)) == 64 ? 8 : 4);
    }
    for (uint32_t p = 0; p < lowered->affine_count; p++, at += lanes * 4)
        bound->affine_at[p] = (uint32_t)at;
    const uint64_t base_same_8 = at, base_same_4 = at + (uint64_t)lowered->same_8 * LANES_PER_CHUNK * 8;
    const uint64_t base_same_predicate = base_same_4 + (uint64_t)lowered->same_4 * LANES_PER_CHUNK * 4;
    at = base_same_predicate + (uint64_t)lowered->same_predicate * LANES_PER_CHUNK;
    uint64_t base_8 = at, base_4 = base_8 + lanes * 8 * lowered->rows_8;
    uint64_t base_predicate = base_4 + lanes * 4 * lowered->rows_4;
    const uint64_t origin_at = base_predicate + lanes * lowered->rows_predicate;
    const uint64_t end = origin_at + lanes * sizeof(uint32_t);
    if (end > UINT32_MAX) {
        diag_report(diag, DIAG_LAUNCH_SHAPE, lowered->kernel->place, "use fewer registers or --gang 64",
                    "a gang of kernel '%s' needs %llu bytes of rows", lowered->kernel->name,
                    (unsigned long long)end);
        return HX_LIMIT;
    }
    bound->rows_8_at = (uint32_t)base_8;
    bound->rows_4_at = (uint32_t)base_4;
    bound->predicates_at = (uint32_t)base_predicate;
    bound->origin_at = (uint32_t)origin_at;
    bound->rows_bytes = (uint32_t)((end + 63) & ~63ull);
    *layout = (struct layout){.base_same_8 = (uint32_t)base_same_8,
                              .base_same_4 = (uint32_t)base_same_4,
                              .base_same_predicate = (uint32_t)base_same_predicate,
                              .chunks = bound->chunks};
    return HX_OK;
}

static struct op_row bind_row(const struct bound_kernel *bound, const struct layout *layout, struct row row)
{
    uint32_t lanes = layout->chunks * LANES_PER_CHUNK;
    switch ((enum row_kind)row.kind) {
    case ROW_NONE:
        break;
    case ROW_8:
        return (struct op_row){bound->rows_8_at + row.index * lanes * 8, LANES_PER_CHUNK * 8};
    case ROW_4:
        return (struct op_row){bound->rows_4_at + row.index * lanes * 4, LANES_PER_CHUNK * 4};
    case ROW_PREDICATE:
        return (struct op_row){bound->predicates_at + row.index * lanes, LANES_PER_CHUNK};
    case ROW_SAME_8:
        return (struct op_row){layout->base_same_8 + row.index * LANES_PER_CHUNK * 8, 0};
    case ROW_SAME_4:
        return (struct op_row){layout->base_same_4 + row.index * LANES_PER_CHUNK * 4, 0};
    case ROW_SAME_PREDICATE:
        return (struct op_row){layout->base_same_predicate + row.index * LANES_PER_CHUNK, 0};
    case ROW_UNIFORM_4:
    case ROW_UNIFORM_8:
        return (struct op_row){bound->uniform_at[row.index], 0};
    case ROW_SPECIAL_4:
        return (struct op_row){bound->special_at[row.index], LANES_PER_CHUNK * 4};
    case ROW_SPECIAL_8:
        return (struct op_row){bound->special_at[row.index], LANES_PER_CHUNK * 8};
    case ROW_AFFINE:
        return (struct op_row){bound->affine_at[row.index - 1], LANES_PER_CHUNK * 4};
    }
    return (struct op_row){0, 0};
}

static enum access_form access_form(const struct micro_op *micro)
{
    const struct semantic *semantic = semantic_at(micro->semantic);
    if (micro->affine_part)
        return ACCESS_AFFINE;
    if (semantic && semantic->shape == SHAPE_LOAD && micro_op_loads_one(micro))
        return ACCESS_SAME;
    return micro->source_type == HX_TYPE_NONE ? ACCESS_ADDRESSED : ACCESS_INDEXED;
}

/* Lanes whose warp is not whole may have met others at another instruction. */
static void wrap_exchange(struct op *op)
{
    op->single = op->run[1];
    op->run[1] = warps_exchange;
}

static hx_status bind_handlers(const struct micro_op *micro, const struct handler_set *handlers,
                               bool is_exchange, struct op *op)
{
    const bool is_deferred = (micro->flags & MICRO_DEFERRED_COMPARE) && !flow_handler(micro->semantic);
    const op_handler flow = flow_handler(is_deferred ? SEM_nop : micro->semantic);
    if (is_deferred)
        op->body = handlers->find_body(micro->semantic, micro->type);
    if (flow) {
        op->run[0] = op->run[1] = flow;
        if (is_exchange)
            wrap_exchange(op);
        return !is_deferred || op->body ? HX_OK : HX_INVALID;
    }
    const enum access_form form = access_form(micro);
    const bool is_masked = (micro->flags & MICRO_MASKED) != 0;
    const enum access_form masked_form =
        form == ACCESS_ADDRESSED || (form == ACCESS_AFFINE && is_masked) ? form : ACCESS_INDEXED;
    op->run[1] = handlers->find(micro->semantic, micro->type, micro->source_type, masked_form, true);
    if ((micro->flags & MICRO_MASK_UNNEEDED) && !is_masked)
        op->run[1] = handlers->find(micro->semantic, micro->type, micro->source_type, form, false);
    if (is_exchange)
        wrap_exchange(op);
    op->run[0] = is_masked ? op->run[1]
                           : handlers->find(micro->semantic, micro->type, micro->source_type, form, false);
    return op->run[0] && op->run[1] ? HX_OK : HX_INVALID;
}

static uint8_t follow_of(const struct semantic *semantic)
{
    if (!semantic)
        return FOLLOW_ROWS;
    if (shape_is_collective(semantic->shape) || shape_is_stack(semantic->shape) ||
        semantic->shape == SHAPE_PRINT_BLOCK)
        return FOLLOW_ROWS | FOLLOW_OTHERS;
    if (!shape_is_memory(semantic->shape) || semantic->space == SPACE_CONSTANT)
        return FOLLOW_ROWS;
    return FOLLOW_ROWS | (semantic->space == SPACE_SHARED ? FOLLOW_SHARED : FOLLOW_OTHERS);
}

static void follow_open(struct bound_kernel *bound)
{
    const struct kernel *const kernel = bound->lowered->kernel;
    for (uint32_t i = 0; i < bound->op_count; i++) {
        struct op *const op = &bound->ops[i];
        if (op->instruction < kernel->code_count && instruction_may_differ(&kernel->code[op->instruction]))
            op->follows |= FOLLOW_OPEN;
    }
}

/* Is it what lanes wait for with a member mask? */
static bool is_behind_wait(const struct bound_kernel *bound, uint32_t index)
{
    uint32_t before = index - 1;
    if (index == 0 || bound_micro_op(bound, index)->semantic == MICRO_GUARD_BEGIN)
        return false;
    if (index > 1 && bound_micro_op(bound, before)->semantic == MICRO_GUARD_BEGIN)
        before--;
    const struct micro_op *wait = bound_micro_op(bound, before);
    return wait->semantic == MICRO_WARP_WAIT && wait->a.kind != ROW_NONE;
}

static hx_status bind_op(struct bound_kernel *bound, const struct layout *layout,
                         const struct handler_set *handlers, uint32_t index, hx_diag *diag)
{
    const struct micro_op *micro = bound_micro_op(bound, index);
    struct op *op = &bound->ops[index];
    const struct semantic *semantic = semantic_at(micro->semantic);
    *op = (struct op){
        .d = bind_row(bound, layout, micro->d),
        .e = bind_row(bound, layout, micro->e),
        .a = bind_row(bound, layout, micro->a),
        .b = bind_row(bound, layout, micro->b),
        .c = bind_row(bound, layout, micro->c),
        .f = bind_row(bound, layout, micro->f),
        .immediate = micro->immediate,
        .target = micro->target + (index < bound->converged_at ? 0 : bound->converged_at),
        .instruction = micro->instruction,
        .flags = micro->flags,
        .rounding = micro->rounding,
        .access_bytes = micro->access_bytes,
        .align_log2 = micro->align_log2,
        .scale_log2 = micro->scale_log2,
        .affine_part = micro->affine_part,
        .type = micro->type,
        .source_type = micro->source_type,
        .space = semantic ? (uint8_t)semantic->space : SPACE_NONE,
        .follows = follow_of(semantic),
    };
    if (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC)
        op->window_slot = bound->window_slots++;
    if (bind_handlers(micro, handlers, is_behind_wait(bound, index), op) == HX_OK)
        return HX_OK;
    return diag_report(diag, DIAG_NO_HANDLER, bound->lowered->kernel->place, NULL,
                       "this build has no handler for semantic '%s' over type %s",
                       semantic ? semantic->name : "?", hx_type_name(micro->type));
}

static hx_status bind_zeroed(struct bound_kernel *bound, const struct layout *layout, struct arena *arena,
                             hx_diag *diag)
{
    const struct lowered_kernel *lowered = bound->lowered;
    bound->zeroed = ARENA_ARRAY(arena, struct bound_range, lowered->zero_row_count);
    if (!bound->zeroed)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < lowered->zero_row_count; i++) {
        struct op_row row = bind_row(bound, layout, lowered->zero_rows[i]);
        bound->zeroed[i] = (struct bound_range){row.at, row.step * layout->chunks};
    }
    bound->zeroed_count = lowered->zero_row_count;
    return HX_OK;
}

static hx_status bind_transfers(struct bound_kernel *bound, const struct layout *layout, struct arena *arena,
                                hx_diag *diag)
{
    const struct lowered_kernel *lowered = bound->lowered;
    bound->transfers = ARENA_ARRAY(arena, struct bound_transfer, lowered->transfer_count);
    if (!bound->transfers)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < lowered->transfer_count; i++) {
        const struct transfer *transfer = &lowered->transfers[i];
        const struct op_row vector = bind_row(bound, layout, transfer->vector);
        bound->transfers[i] = (struct bound_transfer){
            .same_at = bind_row(bound, layout, transfer->same).at,
            .vector_at = vector.at,
            .affine_at = transfer->affine_part ? bound->affine_at[transfer->affine_part - 1] : 0,
            .cell_bytes = (uint8_t)(vector.step / LANES_PER_CHUNK),
            .back_only = transfer->back_only};
    }
    return HX_OK;
}

static hx_status bind_writes(struct bound_kernel *bound, const struct layout *layout, struct arena *arena,
                             hx_diag *diag)
{
    const struct lowered_kernel *lowered = bound->lowered;
    bound->writes = ARENA_ARRAY(arena, struct op_row, lowered->write_count);
    if (!bound->writes)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < lowered->write_count; i++)
        bound->writes[i] = bind_row(bound, layout, lowered->writes[i].row);
    return HX_OK;
}

hx_status bind_kernel(const struct bind_request *request, struct arena *arena, hx_diag *diag,
                      struct bound_kernel **ret_bound)
{
    const struct lowered_kernel *lowered = request->lowered;
    struct bound_kernel *bound = ARENA_NEW(arena, struct bound_kernel);
    if (!bound)
        return diag_no_memory(diag);
    bound->lowered = lowered;
    bound->fusing = request->fusing;
    bound->converged_at = lowered->general.op_count;
    bound->op_count = lowered->general.op_count + (request->is_general ? 0 : lowered->converged.op_count);
    const uint32_t lanes = bind_gang_lanes(lowered, request->gang_lanes, request->warp_lanes);
    bound->gang_lanes = lanes < request->threads ? lanes : request->threads;
    bound->chunks = round_lanes(bound->gang_lanes);
    bound->ops = ARENA_ARRAY(arena, struct op, bound->op_count);
    if (!bound->ops)
        return diag_no_memory(diag);
    struct layout layout = {0};
    hx_status status = lay_out(bound, arena, diag, &layout);
    for (uint32_t i = 0; i < bound->op_count && status == HX_OK; i++)
        status = bind_op(bound, &layout, request->handlers, i, diag);
    if (status == HX_OK)
        follow_open(bound);
    if (status == HX_OK && bound->fusing != FUSE_NOTHING)
        chains_bind(bound, request->handlers);
    if (status == HX_OK)
        status = bind_transfers(bound, &layout, arena, diag);
    if (status == HX_OK)
        status = bind_zeroed(bound, &layout, arena, diag);
    if (status == HX_OK)
        status = bind_writes(bound, &layout, arena, diag);
    if (status == HX_OK)
        status = windows_bind(bound, arena, diag);
    if (status == HX_OK)
        status = compact_bind(bound, arena, diag);
    if (status == HX_OK)
        *ret_bound = bound;
    return status;
}
