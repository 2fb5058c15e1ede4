/* Handlers of threads' stacks.
 *
 * In a kernel that uses the stack, each thread has STACK_BYTES behind the arrays of its local memory. Only
 * the stack's end is kept: an allocation moves it up, a restore moves it down, and a call saves it for the
 * return. An access beyond the end is a fault, so that a dangling pointer is found. Takes masks, leaves the
 * ends of their lanes. */
#include "exec/faults.h"
#include "exec/flow/flow.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT_DEFAULT 8 /* PTX ISA, alloca */

static uint64_t read_cell(const struct gang_state *state, struct op_row row, uint32_t lane, size_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits,
           state->rows + row.at + (size_t)(lane / LANES_PER_CHUNK) * row.step +
               (size_t)(lane % LANES_PER_CHUNK) * bytes,
           bytes);
    return bits;
}

static void write_cell(struct gang_state *state, const struct op *op, uint32_t lane, uint64_t bits)
{
    const size_t bytes = type_bits(op->type) == 64 ? 8 : 4;
    memcpy(state->rows + op->d.at + (size_t)(lane / LANES_PER_CHUNK) * op->d.step +
               (size_t)(lane % LANES_PER_CHUNK) * bytes,
           &bits, bytes); /* the low bytes come first */
}

static uint64_t local_bytes(const struct gang_state *state)
{
    return gang_launch(state)->bound->lowered->kernel->local.bytes;
}

static bool fail(struct gang_state *state, const struct op *op, uint32_t lane, const char *detail)
{
    lane_set failing = {0};
    failing[lane / LANES_PER_CHUNK] = UINT64_C(1) << (lane % LANES_PER_CHUNK);
    fault_at_lanes(state, op, HX_FAULT_STACK, failing, detail);
    return false;
}

static bool take_lane(struct gang_state *state, const struct op *op, uint32_t lane)
{
    const uint64_t size = read_cell(state, op->a, lane, type_bits(op->type) == 64 ? 8 : 4);
    const bool has_alignment = lowered_op(state, op)->b.kind != ROW_NONE;
    const uint64_t align = has_alignment ? read_cell(state, op->b, lane, 4) : ALIGNMENT_DEFAULT;
    const uint64_t end = state->stack_ends[gang_origin(state, lane)], most = local_bytes(state) + STACK_BYTES;
    char detail[128];
    if (align == 0 || (align & (align - 1))) {
        snprintf(detail, sizeof detail, "an alignment of %llu is no power of two", (unsigned long long)align);
        return fail(state, op, lane, detail);
    }
    const uint64_t begin = (end + align - 1) & ~(align - 1);
    if (begin > most || size > most - begin) {
        snprintf(detail, sizeof detail, "%llu bytes are wanted, of %u there are %llu left",
                 (unsigned long long)size, STACK_BYTES, (unsigned long long)(most - end));
        return fail(state, op, lane, detail);
    }
    state->stack_ends[gang_origin(state, lane)] = (uint32_t)(begin + size);
    if (state->stack_most < begin + size)
        state->stack_most = (uint32_t)(begin + size);
    write_cell(state, op, lane, begin);
    return true;
}

static bool save_lane(struct gang_state *state, const struct op *op, uint32_t lane)
{
    write_cell(state, op, lane, state->stack_ends[gang_origin(state, lane)]);
    return true;
}

static bool restore_lane(struct gang_state *state, const struct op *op, uint32_t lane)
{
    const uint64_t end = read_cell(state, op->a, lane, type_bits(op->type) == 64 ? 8 : 4);
    char detail[128];
    if (end < local_bytes(state) || end > state->stack_ends[gang_origin(state, lane)]) {
        snprintf(detail, sizeof detail,
                 "0x%llx is no place where the stack may end: it begins at 0x%llx, and ends at 0x%x",
                 (unsigned long long)end, (unsigned long long)local_bytes(state),
                 state->stack_ends[gang_origin(state, lane)]);
        return fail(state, op, lane, detail);
    }
    state->stack_ends[gang_origin(state, lane)] = (uint32_t)end;
    return true;
}

typedef bool lane_function(struct gang_state *state, const struct op *op, uint32_t lane);

static const struct op *each_lane(const struct op *op, struct gang *gang, lane_function *function)
{
    struct gang_state *state = gang_state_of(gang);
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)
        for (uint64_t left = gang->mask_bits[chunk]; left; left &= left - 1)
            if (!function(state, op, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left)))
                return leave(state, LEAVE_FAULT);
    return op + 1;
}

static const struct op *take(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    return each_lane(op, gang, take_lane);
}

static const struct op *save(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    return each_lane(op, gang, save_lane);
}

static const struct op *restore(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    return each_lane(op, gang, restore_lane);
}

op_handler stack_handler(int semantic)
{
    return semantic == SEM_stack_take      ? take
           : semantic == SEM_stack_save    ? save
           : semantic == SEM_stack_restore ? restore
                                           : NULL;
}
