/* Inexact values in registers, and what they decide.
 *
 * Takes the micro-ops of gangs, leaves notes of decisions: an instruction whose result is inexact marks it,
 * computations pass the mark on, and a branch, an address or a barrier that meets one is noted. Each worker
 * counts its own notes; they are put together when the launch ends. */
#include "asm/asm.h"
#include "base/memory.h"
#include "base/text.h"
#include "check/init/init.h"
#include "semantics/types.h"

#include <string.h>

#define SOURCES_MAX UINT16_MAX

/* ---- Decisions ----------------------------------------------------------------------------------------- */

static struct fidelity_note *find_note(const struct init_step *step, uint16_t origin, enum check_role role)
{
    const uint32_t at = step->event->op->instruction;
    struct fidelity_worker *const worker =
        &step->init->fidelity.workers[step->event->state->block->worker->number];
    for (uint32_t i = worker->first[at]; i; i = worker->notes.items[i - 1].next)
        if (worker->notes.items[i - 1].origin == origin && worker->notes.items[i - 1].role == role)
            return &worker->notes.items[i - 1];
    const struct fidelity_note made = {.instruction = at,
                                       .next = worker->first[at],
                                       .origin = origin,
                                       .role = (uint8_t)role,
                                       .block = UINT64_MAX};
    if (!LIST_PUSH(step->init->allocator, &worker->notes, made)) {
        atomic_store(&step->init->has_failed, true);
        return NULL;
    }
    worker->first[at] = (uint32_t)worker->notes.count;
    return &worker->notes.items[worker->notes.count - 1];
}

/* `count` lanes from `lane` on. */
static void note(const struct init_step *step, uint16_t origin, enum check_role role, uint32_t lane,
                 uint64_t count)
{
    const uint64_t block = step->block->number;
    const uint32_t thread = init_thread(step, lane);
    struct fidelity_note *const found = find_note(step, origin, role);
    if (!found)
        return;
    found->count += count;
    if (block < found->block || (block == found->block && thread < found->thread)) {
        found->block = block;
        found->thread = thread;
    }
}

void fidelity_decide(const struct init_step *step, enum semantic_operand letter, enum check_role role)
{
    const struct fidelity_gang *const gang = fidelity_gang_of(step);
    for (uint32_t chunk = 0; gang && chunk < step->chunks; chunk++) {
        uint64_t left = fidelity_lanes(step, letter, chunk);
        const fidelity_mark mark = gang->marks[step->op->rows[letter]][chunk];
        const uint32_t base = chunk * LANES_PER_CHUNK;
        if (left && mark)
            note(step, FIDELITY_ORIGIN(mark), role, base + (uint32_t)__builtin_ctzll(left),
                 (uint64_t)__builtin_popcountll(left));
        for (; left && !mark; left &= left - 1) {
            const uint32_t lane = base + (uint32_t)__builtin_ctzll(left);
            note(step, FIDELITY_ORIGIN(fidelity_get(step, letter, lane)), role, lane, 1);
        }
    }
}

/* ---- Rows with rules ----------------------------------------------------------------------------------- */

/* The mark of the first operand that has one. */
static fidelity_mark first_mark(const struct init_step *step, uint32_t lane)
{
    fidelity_mark mark = 0;
    for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS && !mark; o++)
        mark = fidelity_get(step, o, lane);
    return mark;
}

/* Of a select with an exact choice: what the chosen operand has. */
static fidelity_mark selected(const struct init_step *step, uint32_t lane)
{
    const bool is_first = init_cell_value(step, OPERAND_C, lane) & 1;
    return fidelity_get(step, is_first ? OPERAND_A : OPERAND_B, lane);
}

/* What is inexact of a result whose bits are bits of the operands, or that not all of them decide. */
static fidelity_mark moved(const struct init_step *step, uint32_t lane)
{
    const struct init_op *const op = step->op;
    struct init_operands operands = {
        .type = op->type, .source_type = op->source_type, .immediate = step->event->op->immediate};
    if (op->semantic == SEM_sel && !fidelity_get(step, OPERAND_C, lane))
        return selected(step, lane);
    for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS; o++) {
        operands.undefined[o] = init_spread(FIDELITY_BYTES(fidelity_get(step, o, lane)));
        operands.value[o] = init_cell_value(step, o, lane);
    }
    const uint32_t bytes = init_gather(init_apply_rule(op->semantic, &operands).d);
    return bytes ? FIDELITY_ORIGIN(first_mark(step, lane)) | bytes << 16 : 0;
}

/* Is the result inexact in all of its bytes wherever an operand is? */
static bool is_computed(const struct init_op *op)
{
    return !init_rule_moves(op->semantic) ||
           (op->semantic == SEM_cvt &&
            (type_is_float((enum hx_type)op->type) || type_is_float((enum hx_type)op->source_type)));
}

static bool is_copied(const struct init_op *op)
{
    switch (op->semantic) {
    case SEM_mov:
    case SEM_pmov:
    case SEM_pnot:
    case SEM_fabs:
    case SEM_fneg:
    case SEM_cvta_global:
    case SEM_cvta_to_global:
        return true;
    default:
        return false;
    }
}

/* A select by an exact predicate of operands with one mark each. False: its lanes have to be gone through. */
static bool select_chunk(const struct init_step *step, uint32_t chunk)
{
    const struct fidelity_gang *const gang = fidelity_gang_of(step);
    if (!gang || step->op->semantic != SEM_sel || fidelity_lanes(step, OPERAND_C, chunk))
        return false;
    const uint64_t chosen = init_true_lanes(step, OPERAND_C, chunk);
    const uint64_t a = fidelity_lanes(step, OPERAND_A, chunk) & chosen,
                   b = fidelity_lanes(step, OPERAND_B, chunk) & ~chosen;
    const fidelity_mark mark_a = a ? gang->marks[step->op->rows[OPERAND_A]][chunk] : 0,
                        mark_b = b ? gang->marks[step->op->rows[OPERAND_B]][chunk] : 0;
    if ((a && !mark_a) || (b && !mark_b) || (a && b && mark_a != mark_b))
        return false;
    fidelity_put(step, OPERAND_D, chunk, a | b, a ? mark_a : mark_b);
    return true;
}

/* The mark that all of `lanes` get, if it is one: they all have that of one operand. 0: there is none. */
static fidelity_mark common_mark(const struct init_step *step, uint32_t chunk, uint64_t lanes)
{
    const struct fidelity_gang *const gang = fidelity_gang_of(step);
    for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS; o++) {
        const uint64_t here = fidelity_lanes(step, o, chunk);
        if (here)
            return here == lanes ? gang->marks[step->op->rows[o]][chunk] : 0;
    }
    return 0;
}

static void step_each_lane(struct init_step *step, uint32_t chunk, uint64_t lanes)
{
    const bool computes = is_computed(step->op);
    struct fidelity_marks d = {{0}}, e = {{0}};
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(left), lane = chunk * LANES_PER_CHUNK + at;
        e.of[at] = first_mark(step, lane) | FIDELITY_ALL_BYTES;
        d.of[at] = computes ? e.of[at] : moved(step, lane);
    }
    fidelity_put_marks(step, OPERAND_D, chunk, &d);
    fidelity_put_marks(step, OPERAND_E, chunk, &e);
}

static void step_chunk(struct init_step *step, uint32_t chunk, uint64_t lanes)
{
    const bool computes = is_computed(step->op), copies = is_copied(step->op);
    const fidelity_mark common = computes || copies ? common_mark(step, chunk, lanes) : 0;
    const fidelity_mark more = computes ? FIDELITY_ALL_BYTES : 0;
    if (common || !lanes) {
        fidelity_put(step, OPERAND_D, chunk, lanes, common | more);
        fidelity_put(step, OPERAND_E, chunk, lanes, common | FIDELITY_ALL_BYTES);
    } else if (!select_chunk(step, chunk)) {
        step_each_lane(step, chunk, lanes);
    }
}

static void step_rule(struct init_step *step)
{
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        uint64_t lanes = 0;
        for (enum semantic_operand o = OPERAND_A; o < OPERAND_LETTERS && !step->op->is_cleared; o++)
            lanes |= fidelity_lanes(step, o, chunk);
        step_chunk(step, chunk, lanes);
    }
}

static void step_exact(struct init_step *step)
{
    fidelity_put_exact(step, OPERAND_D);
    fidelity_put_exact(step, OPERAND_E);
}

/* ---- Control ------------------------------------------------------------------------------------------- */

static void step_guard(struct init_step *step)
{
    fidelity_decide(step, OPERAND_C, CHECK_DECIDES_BRANCH);
}

static void step_flow(struct init_step *step)
{
    const bool is_branch = step->op->semantic == SEM_jump_table || step->op->semantic == SEM_call_table;
    const enum check_role role = is_branch ? CHECK_DECIDES_BRANCH : CHECK_DECIDES_BARRIER;
    if (step->event->op->flags & MICRO_GUARDED) {
        step_guard(step);
        init_keep_guarded(step);
    }
    if (step->op->semantic == SEM_loop)
        fidelity_decide(step, OPERAND_D, CHECK_DECIDES_BRANCH);
    fidelity_decide(step, OPERAND_A, role);
    fidelity_decide(step, OPERAND_B, role);
    if (step->op->semantic != SEM_loop)
        fidelity_put_exact(step, OPERAND_D);
}

static void step_stack(struct init_step *step)
{
    fidelity_decide(step, OPERAND_A, CHECK_DECIDES_ADDRESS);
    fidelity_decide(step, OPERAND_B, CHECK_DECIDES_ADDRESS);
    fidelity_put_exact(step, OPERAND_D);
}

/* ---- Lane to lane -------------------------------------------------------------------------------------- */

static void shuffle_lane(const struct init_step *step, uint32_t lane, fidelity_mark *ret_d,
                         fidelity_mark *ret_e)
{
    const fidelity_mark by = fidelity_get(step, OPERAND_B, lane), bound = fidelity_get(step, OPERAND_C, lane);
    if (by || bound)
        *ret_d = *ret_e = (by ? by : bound) | FIDELITY_ALL_BYTES;
    else
        *ret_d = fidelity_get(step, OPERAND_A, init_lane_read(step, lane));
}

static void member_lane(const struct init_step *step, uint32_t lane, fidelity_mark *ret_d,
                        fidelity_mark *ret_e)
{
    const uint32_t base = lane & ~(uint32_t)(LANES_PER_CHUNK - 1);
    const uint64_t members = init_members(step, lane, OPERAND_B);
    fidelity_mark mark = 0;
    for (uint64_t left = members ? members : UINT64_C(1) << (lane % LANES_PER_CHUNK); left && !mark;
         left &= left - 1)
        mark = fidelity_get(step, OPERAND_A, base + (uint32_t)__builtin_ctzll(left));
    *ret_d = *ret_e = mark ? mark | FIDELITY_ALL_BYTES : 0;
}

/* Each of the 32 lanes has elements that come from all of them. */
static void matrix_lane(const struct init_step *step, uint32_t lane, fidelity_mark *ret_d,
                        fidelity_mark *ret_e)
{
    enum { MATRIX_LANES = 32 };
    const uint32_t first = lane & ~(uint32_t)(MATRIX_LANES - 1);
    fidelity_mark mark = 0;
    for (uint32_t i = 0; i < MATRIX_LANES && !mark; i++)
        if (step->lanes[lane / LANES_PER_CHUNK] >> ((first + i) % LANES_PER_CHUNK) & 1)
            mark = first_mark(step, first + i);
    *ret_d = mark ? mark | FIDELITY_ALL_BYTES : 0;
    *ret_e = 0;
}

static void step_lanes(struct init_step *step)
{
    const uint8_t class = step->op->class;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        struct fidelity_marks d = {{0}}, e = {{0}};
        const uint64_t any = fidelity_lanes(step, OPERAND_A, chunk) | fidelity_lanes(step, OPERAND_B, chunk) |
                             fidelity_lanes(step, OPERAND_C, chunk);
        for (uint64_t left = any ? step->lanes[chunk] : 0; left; left &= left - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(left), lane = chunk * LANES_PER_CHUNK + at;
            (class == INIT_SHUFFLE  ? shuffle_lane
             : class == INIT_MATRIX ? matrix_lane
                                    : member_lane)(step, lane, &d.of[at], &e.of[at]);
        }
        fidelity_put_marks(step, OPERAND_D, chunk, &d);
        fidelity_put_marks(step, OPERAND_E, chunk, &e);
    }
}

/* ---- Over the block: gang by gang, in their order */

static void scan_lane(struct init_step *step, uint32_t lane, enum semantic_shape shape)
{
    struct fidelity_block *const own = step->block->fidelity;
    const fidelity_mark before = own->so_far, here = fidelity_get(step, OPERAND_A, lane);
    own->so_far = before ? before : here ? here | FIDELITY_ALL_BYTES : 0;
    fidelity_set(step, OPERAND_D, lane, shape == SHAPE_SCAN_BEFORE ? before : own->so_far);
}

static void step_collective(struct init_step *step)
{
    const enum semantic_shape shape = semantic_at(step->op->semantic)->shape;
    const uint32_t number = step->event->state->number;
    struct fidelity_block *const own = fidelity_block_made(step);
    if (!own)
        return;
    if (number == 0)
        own->so_far = 0;
    for (uint32_t g = 0; number == 0 && g < own->gang_count; g++)
        memset(own->gangs[g].collective, 0, sizeof own->gangs[g].collective);
    memcpy(own->gangs[number].collective, step->lanes, step->chunks * sizeof *step->lanes);
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1)
            scan_lane(step, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left), shape);
    if (shape == SHAPE_REDUCE && own->so_far)
        for (uint32_t g = 0; g <= number; g++)
            fidelity_put_gang(step, g, own->so_far);
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

/* Is it the micro-op that makes the result? Others prepare operands, addresses among them, or finish it. */
static bool makes_result(const struct init_step *step, const struct instruction *instruction)
{
    const struct semantic *const semantic = semantic_at(step->op->semantic);
    if (instruction_is_open_at_zero(instruction))
        return step->op->semantic == SEM_div || step->op->semantic == SEM_rem;
    return (step->event->op->flags & MICRO_PRIMARY) ||
           (semantic && semantic->shape == instruction->opcode->shape);
}

/* Of a division of integers, the lanes that divide by 0; all lanes of others. */
static uint64_t source_lanes(const struct init_step *step, const struct instruction *instruction,
                             uint32_t chunk)
{
    uint64_t lanes = step->lanes[chunk];
    if (!instruction_is_open_at_zero(instruction))
        return lanes;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left);
        lanes &= init_cell_value(step, OPERAND_B, lane) ? ~(left & -left) : UINT64_MAX;
    }
    return lanes;
}

/* The instruction's results are inexact, whatever it was given. */
static void mark_results(struct init_step *step, fidelity_mark mark)
{
    const struct instruction *const instruction =
        &step->init->code.kernel->code[step->event->op->instruction];
    struct init_step some = *step;
    for (uint32_t chunk = 0; chunk < step->chunks && makes_result(step, instruction); chunk++) {
        some.lanes[chunk] = source_lanes(step, instruction, chunk);
        fidelity_put(&some, OPERAND_D, chunk, some.lanes[chunk], mark);
        fidelity_put(&some, OPERAND_E, chunk, some.lanes[chunk], mark);
    }
}

static bool touches(const struct fidelity_block *own, uint32_t number, const struct init_op *op)
{
    const struct fidelity_gang *const gang = own ? &own->gangs[number] : NULL;
    bool any = false;
    for (int o = 0; gang && gang->has && o < OPERAND_LETTERS; o++)
        any |= gang->has[op->rows[o]];
    return any;
}

uint8_t fidelity_follows(const struct init *init, const struct init_block *block, uint32_t gang)
{
    const struct fidelity_block *const own = block->fidelity;
    if (!init->fidelity.is_on)
        return 0;
    if (own && own->gangs[gang].has_any)
        return FOLLOW_ALL;
    return (uint8_t)(FOLLOW_OPEN | (own && own->has_shared ? FOLLOW_SHARED : 0));
}

/* What fidelity_follows depends on, but for what a reduction leaves in other gangs. */
static unsigned follow_state(const struct init_block *block, uint32_t gang)
{
    const struct fidelity_block *const own = block->fidelity;
    return own ? (own->gangs[gang].has_any ? 1u : 0u) | (own->has_shared ? 2u : 0u) : 0u;
}

bool fidelity_micro_op(struct init *init, struct init_block *block, const struct init_op *op,
                       const hx_micro_op_event *event)
{
    static void (*const functions[])(struct init_step *) = {
        [INIT_RULED] = step_rule,        [INIT_DEFINED] = step_exact, [INIT_GUARD] = step_guard,
        [INIT_FLOW] = step_flow,         [INIT_SHUFFLE] = step_lanes, [INIT_MEMBERS] = step_lanes,
        [INIT_MATRIX] = step_lanes,      [INIT_LOAD] = fidelity_load, [INIT_STORE] = fidelity_store,
        [INIT_ATOMIC] = fidelity_atomic, [INIT_STACK] = step_stack,   [INIT_COLLECTIVE] = step_collective,
        [INIT_ARGUMENTS] = NULL};
    const uint32_t gang = event->state->number, at = event->op->instruction;
    const uint16_t origin = at < init->fidelity.code_count ? init->fidelity.origins[at] : 0;
    if (!origin && op->class != INIT_COLLECTIVE && !touches(block->fidelity, gang, op) &&
        !fidelity_in_memory(init, block, op, event))
        return false;
    const unsigned before = follow_state(block, gang);
    struct init_step step = {.init = init,
                             .op = op,
                             .event = event,
                             .block = block,
                             .gang = &block->gangs[gang],
                             .inexact_from = origin,
                             .chunks = event->state->gang.chunks};
    memcpy(step.lanes, event->lanes, step.chunks * sizeof *step.lanes);
    if (functions[op->class])
        functions[op->class](&step);
    if (origin && op->class != INIT_COLLECTIVE)
        mark_results(&step, origin | FIDELITY_ALL_BYTES);
    else if (origin && block->fidelity)
        for (uint32_t g = 0; g <= gang; g++)
            fidelity_put_gang(&step, g, origin | FIDELITY_ALL_BYTES);
    return op->class == INIT_COLLECTIVE || follow_state(block, gang) != before;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static bool is_source(const struct instruction *instruction)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    return shape != SHAPE_STACK_TAKE && instruction_may_differ(instruction);
}

/* The number of a source, which is new if the kernel is; 0 without memory, or beyond the last number. */
static uint16_t number_of(struct init *init, uint32_t at)
{
    struct fidelity *const own = &init->fidelity;
    const struct instruction *const instruction = &init->code.kernel->code[at];
    const hx_fidelity_rule *const rule = instruction_fidelity(instruction);
    const struct check_code *const code = init->launch->code;
    for (size_t i = 0; i < own->sources.count; i++)
        if (own->sources.items[i].code == code && own->sources.items[i].instruction == at)
            return (uint16_t)(i + 1);
    struct text form HX_AUTO(text_done) = {.allocator = init->allocator};
    disassemble_form(instruction, &form);
    const bool is_at_zero = instruction_is_open_at_zero(instruction);
    const struct fidelity_source made = {
        .code = code,
        .instruction = at,
        .result = is_at_zero ? HX_FIDELITY_OPEN : rule->result,
        .form = form.failed ? NULL : arena_copy(&init->kept, form.at, form.length),
        .error = arena_copy(&init->kept, rule->error, strlen(rule->error)),
        .why = is_at_zero ? "a division by 0" : arena_copy(&init->kept, rule->why, strlen(rule->why))};
    if (own->sources.count >= SOURCES_MAX)
        return 0;
    if (!made.form || !made.error || !made.why || !LIST_PUSH(init->allocator, &own->sources, made)) {
        atomic_store(&init->has_failed, true);
        return 0;
    }
    return (uint16_t)own->sources.count;
}

hx_status fidelity_begin(struct init *init, uint32_t workers)
{
    struct fidelity *const own = &init->fidelity;
    const struct kernel *const kernel = init->code.kernel;
    own->code_count = kernel->code_count;
    own->is_on = atomic_load(&own->has_global);
    own->origins = ARENA_ARRAY(&init->arena, uint16_t, kernel->code_count);
    own->workers = ARENA_ARRAY(&init->arena, struct fidelity_worker, workers);
    if (!own->origins || !own->workers)
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < kernel->code_count; i++)
        if (is_source(&kernel->code[i])) {
            own->origins[i] = number_of(init, i);
            own->is_on = true;
        }
    for (uint32_t w = 0; own->is_on && w < workers; w++) {
        own->workers[w].first = ARENA_ARRAY(&init->arena, uint32_t, kernel->code_count + 1);
        if (!own->workers[w].first)
            return HX_NO_MEMORY;
    }
    return HX_OK;
}

static void report(struct init *init, const struct fidelity_note *note)
{
    const struct fidelity_source *const source = &init->fidelity.sources.items[note->origin - 1];
    const struct check_decision decision = {.role = (enum check_role)note->role,
                                            .from = source->code,
                                            .result = source->result,
                                            .form = source->form,
                                            .error = source->error,
                                            .why = source->why,
                                            .from_instruction = source->instruction,
                                            .at = {.launch = init->launch,
                                                   .instruction = note->instruction,
                                                   .thread = note->thread,
                                                   .block = note->block,
                                                   .role = ""},
                                            .count = note->count};
    check_decided(init->checks, &decision);
}

void fidelity_end(struct init *init)
{
    struct fidelity *const own = &init->fidelity;
    for (uint32_t w = 0; own->workers && w < init->worker_count; w++) {
        for (size_t i = 0; i < own->workers[w].notes.count; i++)
            report(init, &own->workers[w].notes.items[i]);
        LIST_DONE(init->allocator, &own->workers[w].notes);
    }
    own->workers = NULL;
    own->origins = NULL;
    own->is_on = false;
}

void fidelity_done(struct init *init)
{
    LIST_DONE(init->allocator, &init->fidelity.sources);
}
