/* What registers have: where one lies while the program is stopped, so that it can be given another value,
 * and what threads have written to all of them, which is kept because rows are used again.
 *
 * Takes a thread and a register, leaves the row that the rest of the run reads it from. A kernel uses a
 * register for many values in turn, and rows are used again: it is the row of the value that is live before
 * the instruction that the thread does next. A value that nothing reads any more has no place. */
#include "debug/debug.h"
#include "verify/webs.h"

static bool is_row_of(const struct micro_op *op, struct row row)
{
    return row_is_equal(op->a, row) || row_is_equal(op->b, row) || row_is_equal(op->c, row) ||
           row_is_equal(op->f, row);
}

/* Has the instruction that is about to be done read the row before it stopped: for its guard, or to prepare
 * an operand? */
static bool is_read_already(const struct lowered_kernel *lowered, uint32_t instruction, struct row row)
{
    const struct micro_code *const code = &lowered->general;
    for (uint32_t i = code->first_op[instruction]; i < code->first_op[instruction + 1]; i++) {
        if (code->ops[i].flags & MICRO_PRIMARY)
            return false;
        if (is_row_of(&code->ops[i], row))
            return true;
    }
    return false;
}

/* The value that a member is before an instruction; WEB_NONE: nothing reads it any more. */
static uint32_t live_web(const struct web_list *webs, uint32_t instruction, uint32_t member)
{
    const struct flow *const flow = &webs->verified->flow;
    const uint32_t node = flow->node_of[instruction], first = flow->nodes[node].first;
    const struct flow_set *const live =
        instruction == first ? &webs->live_before[node] : &webs->live_after[instruction - 1];
    struct web_cursor cursor = {.list = webs};
    if (flow_set_next(live, member) != member)
        return WEB_NONE;
    web_cursor_enter(&cursor, node);
    for (uint32_t i = first; i < instruction; i++)
        web_cursor_pass(&cursor, i);
    return cursor.current[member];
}

/* The first of lowered->writes that writes the web; write_count: nothing does. */
static uint32_t write_of(const struct lowered_kernel *lowered, const struct web_list *webs, uint32_t web)
{
    uint32_t write = 0;
    for (uint32_t r = 0; r < webs->first[lowered->kernel->code_count]; r++) {
        if (webs->references[r].writes && webs->references[r].web == web)
            return write;
        write += webs->references[r].writes;
    }
    return lowered->write_count;
}

enum member_place member_find(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                              uint32_t member, uint32_t *ret_write)
{
    HX_AUTO(arena_done) struct arena arena = {0};
    struct web_list webs;
    struct thread_place place;
    arena_init(&arena, engine->allocator);
    if (!block || !state_place(engine, block, thread, &place) ||
        place.instruction >= engine->kernel->code_count)
        return MEMBER_EXITED;
    if (web_list_make(engine->verified, &arena, NULL, &webs) != HX_OK)
        return MEMBER_NO_MEMORY;
    const uint32_t web = live_web(&webs, place.instruction, member);
    const uint32_t write =
        web == WEB_NONE ? engine->lowered->write_count : write_of(engine->lowered, &webs, web);
    if (write >= engine->lowered->write_count)
        return MEMBER_NOT_READ;
    if (place.is_at_step &&
        is_read_already(engine->lowered, place.instruction, engine->lowered->writes[write].row))
        return MEMBER_READ_ALREADY;
    *ret_write = write;
    return MEMBER_FOUND;
}

/* A value as its register holds it: shorter ones are extended to 32 bits, in one of 64 by zeros. */
static uint64_t as_cell(uint64_t bits, enum hx_type type, unsigned bytes)
{
    const uint64_t whole = type_bits(type) < 64 ? (uint32_t)value_extend(bits, type) : bits;
    return bytes == 1 ? (bits & 1) : bytes == 4 ? (uint32_t)whole : whole;
}

bool member_set(const struct engine *engine, const struct shadow_block *block, uint32_t thread,
                uint32_t write, enum hx_type type, uint64_t bits)
{
    const struct gang_state *const gang = block ? state_gang(block, thread) : NULL;
    if (!gang || write >= engine->lowered->write_count)
        return false;
    const struct op_row row = gang_launch(gang)->bound->writes[write];
    const uint32_t member = engine->lowered->writes[write].member, lane = thread - gang->first_thread,
                   within = thread % state_warp_lanes(engine);
    const unsigned bytes = row.step / LANES_PER_CHUNK;
    const uint64_t cell = as_cell(bits, type, bytes);
    struct shadow_member *const shadow =
        &block->warps[thread / state_warp_lanes(engine)].members[engine->member_index[member] - 1];
    memcpy(gang->rows + row.at + (size_t)(lane / LANES_PER_CHUNK) * row.step +
               (size_t)(lane % LANES_PER_CHUNK) * bytes,
           &cell, bytes); /* low bytes come first */
    if (!shadow->written) /* others keep the type that they have written */
        shadow->type = engine->write_types[write];
    shadow->written |= UINT64_C(1) << within;
    shadow->values[within] = cell;
    return true;
}

/* ---- What threads write ------------------------------------------------------------------------------- */

bool registers_find_types(struct engine *engine)
{
    const struct lowered_kernel *lowered = engine->lowered;
    engine->write_types = memory_allocate(engine->allocator, (size_t)lowered->write_count + 1, 1);
    for (uint32_t i = 0; engine->write_types && i < engine->kernel->code_count; i++) {
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t count = instruction_accesses(&engine->kernel->code[i], accesses);
        for (uint32_t w = lowered->first_write[i]; w < lowered->first_write[i + 1]; w++) {
            const uint32_t member = lowered->writes[w].member;
            for (size_t k = 0; k < count; k++)
                if (accesses[k].writes && accesses[k].predicate == (member >= REGISTER_COUNT) &&
                    member % REGISTER_COUNT - accesses[k].first < accesses[k].registers)
                    engine->write_types[w] = (uint8_t)accesses[k].type;
        }
    }
    return engine->write_types != NULL;
}

/* Lanes of a warp, whose first one is `first` of the event, or before it. */
static void keep_write(const struct engine *engine, struct shadow_member *shadow, const hx_write_event *event,
                       uint64_t lanes, uint32_t first)
{
    const uint32_t member = event->number + (event->is_predicate ? REGISTER_COUNT : 0);
    const uint32_t *writes = &engine->lowered->first_write[event->at.instruction];
    for (uint32_t w = writes[0]; w < writes[1]; w++)
        if (engine->lowered->writes[w].member == member)
            shadow->type = engine->write_types[w];
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        shadow->written |= UINT64_C(1) << (lane - first);
        shadow->values[lane - first] = event->values[lane];
    }
}

void registers_keep(struct engine *engine, const hx_write_event *event)
{
    const uint32_t member = event->number + (event->is_predicate ? REGISTER_COUNT : 0);
    struct shadow_block *block = state_block(engine, event->at.block);
    if (!block || engine->member_index[member] == 0)
        return;
    const uint32_t width = state_warp_lanes(engine);
    for (uint64_t left = event->lanes; left;) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), thread = event->at.first_thread + lane;
        const uint64_t of_warp = left & state_lanes_of_warp(engine, thread, event->at.first_thread);
        keep_write(engine, &block->warps[thread / width].members[engine->member_index[member] - 1], event,
                   of_warp, lane - thread % width);
        left &= ~of_warp;
    }
}
