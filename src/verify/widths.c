/* What registers hold, and whether they hold anything.
 *
 * Takes the flow graph, leaves warnings. For each point of the kernel two things are known of each register:
 * the set of widths that it may hold (in which a write under a guard adds its width and any other write
 * replaces the set), and under which condition it is sure to have been written. That condition is a set of "p
 * is true", "p is false": when both of one predicate are in it, or when nothing is left to ask, the register
 * is written. So the pair `@p mov`, `@!p mov` needs no special case, nor does a read under the guard of the
 * write; a branch on p makes "p is false" a condition that is met, where it is known that p is true. */
#include "verify/checks.h"

#include <string.h>

/* What an instruction leaves in a register. Half floats differ from 16-bit integers: as 32 bits they are no
 * number that anyone means. */
enum holds { HOLDS_8, HOLDS_16, HOLDS_HALF, HOLDS_32, HOLDS_64, HOLDS_KINDS };
static const uint8_t holds_bits[HOLDS_KINDS] = {8, 16, 16, 32, 64};

#define WRITTEN UINT32_MAX
struct held {
    struct flow_set kinds[HOLDS_KINDS];
    uint32_t written[FLOW_SET_BITS]; /* conditions; WRITTEN: always */
};

struct widths {
    const struct flow *flow;
    const struct kernel *kernel;
    const hx_allocator *allocator;
    hx_diag *diag;
    struct held *states;
    struct flow_set reported; /* registers whose first unwritten read was reported */
    LIST(struct unwritten_read) unwritten;
    unsigned warnings;
};
/* More than a list of diagnostics keeps: beyond it, looking for writers would only cost time. */
#define WARNINGS_MAX 100

static enum holds holds_of(enum hx_type type)
{
    switch (type_bits(type)) {
    case 64:
        return HOLDS_64;
    case 32:
        return HOLDS_32;
    case 16:
        return type_is_float(type) ? HOLDS_HALF : HOLDS_16;
    default:
        return HOLDS_8;
    }
}

static uint32_t condition(int predicate, bool value)
{
    return 1u << (2 * predicate + value);
}

static uint32_t add_condition(uint32_t written, int predicate, bool value)
{
    written |= condition(predicate, value);
    return (written >> (2 * predicate) & 3) == 3 ? WRITTEN : written;
}

/* ---- How what is held flows ---------------------------------------------------------------------------- */

static void forget_predicate(struct held *held, int predicate)
{
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++)
        if (held->written[m] != WRITTEN)
            held->written[m] &= ~(condition(predicate, false) | condition(predicate, true));
}

static void learn_predicate(struct held *held, int predicate, bool value)
{
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++)
        if (held->written[m] != WRITTEN)
            held->written[m] = add_condition(held->written[m], predicate, !value);
}

static void write_member(struct held *held, const struct instruction *instruction, uint32_t member,
                         enum hx_type type)
{
    const bool guarded = instruction->guard >= 0;
    for (int k = 0; k < HOLDS_KINDS && !guarded; k++)
        flow_set_remove(&held->kinds[k], member);
    if (member < REGISTER_COUNT)
        flow_set_add(&held->kinds[holds_of(type)], member);
    held->written[member] =
        guarded ? add_condition(held->written[member], instruction->guard, !instruction->guard_negated)
                : WRITTEN;
}

static void pass_instruction(struct held *held, const struct instruction *instruction)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(instruction, accesses);
    for (size_t i = 0; i < count; i++)
        for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++)
            write_member(held, instruction, flow_member(&accesses[i], r), accesses[i].type);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].writes && accesses[i].predicate)
            forget_predicate(held, accesses[i].first);
}

static void pass_node(void *user, uint32_t node, void *state)
{
    const struct widths *widths = user;
    for (uint32_t i = widths->flow->nodes[node].first; i < widths->flow->nodes[node].end; i++)
        pass_instruction(state, &widths->kernel->code[i]);
}

/* Around a call, what the subroutine may write comes from its exit, the rest from the call. */
static void keep_own_part(const struct widths *widths, const struct flow_edge *edge, struct held *held)
{
    if (edge->kind != EDGE_RETURN && edge->kind != EDGE_BYPASS)
        return;
    const uint32_t exit = edge->kind == EDGE_RETURN ? edge->from : edge->through;
    const struct flow_set *written = &widths->flow->written[exit - widths->flow->block_count];
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++) {
        if (flow_set_has(written, m) == (edge->kind == EDGE_RETURN))
            continue;
        for (int k = 0; k < HOLDS_KINDS; k++)
            flow_set_remove(&held->kinds[k], m);
        held->written[m] = WRITTEN;
    }
    for (int p = 0; p < PREDICATE_COUNT && edge->kind == EDGE_BYPASS; p++)
        if (flow_set_has(written, REGISTER_COUNT + (uint32_t)p))
            forget_predicate(held, p);
}

static bool merge(void *user, const struct flow_edge *edge, const void *from, void *into)
{
    struct held held = *(const struct held *)from, *target = into;
    bool changed = false, value;
    int predicate;
    if (verify_flow_guard(((const struct widths *)user)->flow, edge, &predicate, &value))
        learn_predicate(&held, predicate, value);
    keep_own_part(user, edge, &held);
    for (int k = 0; k < HOLDS_KINDS; k++)
        for (int w = 0; w < FLOW_SET_WORDS; w++) {
            changed |= (held.kinds[k].words[w] & ~target->kinds[k].words[w]) != 0;
            target->kinds[k].words[w] |= held.kinds[k].words[w];
        }
    for (uint32_t m = 0; m < FLOW_SET_BITS; m++) {
        changed |= (target->written[m] & ~held.written[m]) != 0;
        target->written[m] &= held.written[m];
    }
    return changed;
}

/* ---- Who wrote it -------------------------------------------------------------------------------------- */

/* The instruction nearest to `end` in [first, end) that leaves `kind` in the register; *ret_over: what is
 * before it does not matter. */
static uint32_t writer_in(const struct kernel *kernel, uint32_t first, uint32_t end, uint32_t member,
                          enum holds kind, bool *ret_over)
{
    for (uint32_t i = end; i-- > first;) {
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t count = instruction_accesses(&kernel->code[i], accesses);
        for (size_t a = 0; a < count; a++) {
            const uint32_t low = flow_member(&accesses[a], 0);
            if (!accesses[a].writes || member < low || member >= low + accesses[a].registers)
                continue;
            *ret_over = holds_of(accesses[a].type) == kind || kernel->code[i].guard < 0;
            if (holds_of(accesses[a].type) == kind)
                return i;
            if (*ret_over)
                return FLOW_NONE;
        }
    }
    *ret_over = false;
    return FLOW_NONE;
}

/* Looks for it against the flow, nearest blocks first. FLOW_NONE also for lack of memory. */
static uint32_t find_writer(const struct widths *widths, uint32_t instruction, uint32_t member,
                            enum holds kind)
{
    const struct flow *flow = widths->flow;
    HX_AUTO(arena_done) struct arena arena = {.allocator = widths->allocator};
    uint32_t *queue = ARENA_ARRAY(&arena, uint32_t, (size_t)flow->node_count + 1);
    bool *seen = ARENA_ARRAY(&arena, bool, flow->node_count);
    if (!queue || !seen)
        return FLOW_NONE;
    uint32_t head = 0, tail = 0;
    queue[tail++] = flow->node_of[instruction];
    while (head < tail) {
        const struct flow_node *node = &flow->nodes[queue[head]];
        bool over;
        uint32_t writer =
            writer_in(widths->kernel, node->first, head == 0 ? instruction : node->end, member, kind, &over);
        head++;
        if (writer != FLOW_NONE)
            return writer;
        for (uint32_t i = node->in; !over && i < node->in + node->in_count; i++) {
            const struct flow_edge *edge = flow->edges_in[i];
            if (seen[edge->from] || !flow->nodes[edge->from].reachable)
                continue;
            seen[edge->from] = true;
            queue[tail++] = edge->from;
        }
    }
    return FLOW_NONE;
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

static bool mismatched(enum holds kind, enum hx_type read, bool stored)
{
    const unsigned bits = type_bits(read), held = holds_bits[kind];
    if (bits == 64 || held == 64)
        return bits != held;
    if (type_is_float(read))
        return bits != held;
    /* narrow integers were extended to 32 bits; a store says itself how much it takes */
    return bits < held && !stored;
}

static hx_status report_width(struct widths *widths, uint32_t instruction, uint32_t member, enum holds kind,
                              enum hx_type read)
{
    const struct code_line *lines = widths->kernel->lines;
    const uint32_t writer = find_writer(widths, instruction, member, kind);
    const unsigned held = holds_bits[kind], bits = type_bits(read);
    const char *hint = bits > held ? "convert it with cvt, or write it with as many bits as are read"
                                   : "convert it with cvt, or read it with as many bits as it holds";
    if (writer == FLOW_NONE)
        return diag_report(widths->diag, DIAG_VERIFY_WIDTH, lines[instruction].place, hint,
                           "r%u holds %u bits here, read as %u bits", member, held, bits);
    return diag_report_noted(
        widths->diag, DIAG_VERIFY_WIDTH, lines[instruction].place, hint, lines[writer].place, "written here",
        "r%u holds %u bits here (line %d), read as %u bits", member, held, lines[writer].place.line, bits);
}

static hx_status report_unwritten(struct widths *widths, uint32_t instruction, uint32_t member)
{
    const bool predicate = member >= REGISTER_COUNT;
    if (!LIST_PUSH(widths->allocator, &widths->unwritten, (struct unwritten_read){instruction, member}))
        return diag_no_memory(widths->diag);
    if (flow_set_has(&widths->reported, member))
        return HX_OK;
    flow_set_add(&widths->reported, member);
    return diag_report(widths->diag, DIAG_VERIFY_UNINITIALISED, widths->kernel->lines[instruction].place,
                       "write it on every way that leads here; an unwritten one reads as 0",
                       "%c%u may be read before it is written", predicate ? 'p' : 'r',
                       predicate ? member - REGISTER_COUNT : member);
}

/* An address in a space that is smaller than 4 GiB, of which 32 bits are enough. */
static bool is_short_address(const struct instruction *instruction, const struct operand_access *access,
                             enum holds kind)
{
    const struct semantic *semantic = semantic_at(instruction_semantic(instruction));
    return access->is_base && kind == HOLDS_32 && semantic &&
           (semantic->space == SPACE_SHARED || semantic->space == SPACE_LOCAL ||
            semantic->space == SPACE_CONSTANT);
}

static hx_status check_member(struct widths *widths, const struct held *held, uint32_t at, uint32_t member,
                              const struct operand_access *access)
{
    const struct instruction *instruction = &widths->kernel->code[at];
    const bool is_guard = access->predicate && access->first == instruction->guard;
    uint32_t known = held->written[member];
    if (instruction->guard >= 0 && !is_guard && known != WRITTEN &&
        (known & condition(instruction->guard, !instruction->guard_negated)))
        known = WRITTEN;
    hx_status status = HX_OK;
    if (known != WRITTEN)
        status = report_unwritten(widths, at, member);
    const bool stored = instruction->opcode->shape == SHAPE_STORE;
    /* fewer bits than 64 as an index count as unsigned, which is what is meant */
    const bool any_width = access->predicate || (access->is_index && type_bits(access->type) == 64);
    for (int k = 0; k < HOLDS_KINDS && !any_width; k++)
        if (flow_set_has(&held->kinds[k], member) && mismatched((enum holds)k, access->type, stored) &&
            !is_short_address(instruction, access, (enum holds)k)) {
            if (widths->warnings++ < WARNINGS_MAX)
                status = verify_graver(status, report_width(widths, at, member, (enum holds)k, access->type));
            break;
        }
    return status;
}

/* Does an earlier access read the same registers in the same way? Then one report is enough. */
static bool is_repeated(const struct operand_access *accesses, size_t at)
{
    const struct operand_access *access = &accesses[at];
    for (size_t i = 0; i < at; i++)
        if (accesses[i].reads && accesses[i].first == access->first && accesses[i].type == access->type &&
            accesses[i].predicate == access->predicate && accesses[i].is_index == access->is_index &&
            accesses[i].is_base == access->is_base && accesses[i].registers >= access->registers)
            return true;
    return false;
}

static hx_status check_instruction(struct widths *widths, const struct held *held, uint32_t at)
{
    struct operand_access accesses[ACCESS_COUNT_MAX];
    const size_t count = instruction_accesses(&widths->kernel->code[at], accesses);
    hx_status status = HX_OK;
    for (size_t i = 0; i < count && status != HX_NO_MEMORY; i++)
        for (unsigned r = 0; accesses[i].reads && !is_repeated(accesses, i) && r < accesses[i].registers; r++)
            status = verify_graver(
                status, check_member(widths, held, at, flow_member(&accesses[i], r), &accesses[i]));
    return status;
}

static hx_status check(struct widths *widths)
{
    hx_status status = HX_OK;
    for (uint32_t n = 0; n < widths->flow->block_count && status != HX_NO_MEMORY; n++) {
        const struct flow_node *node = &widths->flow->nodes[n];
        struct held held = widths->states[n];
        for (uint32_t i = node->first; node->reachable && i < node->end; i++) {
            status = verify_graver(status, check_instruction(widths, &held, i));
            pass_instruction(&held, &widths->kernel->code[i]);
        }
    }
    return status;
}

static void widths_done(struct widths *widths)
{
    memory_free(widths->allocator, widths->states);
    LIST_DONE(widths->allocator, &widths->unwritten);
}

static hx_status keep_unwritten(const struct widths *widths, struct verified_kernel *verified)
{
    const size_t count = widths->unwritten.count;
    verified->unwritten_reads = ARENA_ARRAY(&verified->arena, struct unwritten_read, count);
    if (!verified->unwritten_reads)
        return diag_no_memory(widths->diag);
    if (count > 0)
        memcpy(verified->unwritten_reads, widths->unwritten.items, count * sizeof *verified->unwritten_reads);
    verified->unwritten_read_count = (uint32_t)count;
    return HX_OK;
}

hx_status verify_widths(struct verified_kernel *verified, hx_diag *diag)
{
    const struct flow *flow = &verified->flow;
    HX_AUTO(widths_done)
    struct widths widths = {.flow = flow,
                            .kernel = verified->kernel,
                            .allocator = verified->arena.allocator,
                            .diag = verified->kernel->is_imported ? NULL : diag};
    if (flow->node_count == 0)
        return HX_OK;
    widths.states = memory_allocate(widths.allocator, flow->node_count, sizeof *widths.states);
    if (!widths.states)
        return diag_no_memory(diag);
    for (uint32_t n = 1; n < flow->node_count; n++)
        memset(widths.states[n].written, 0xff, sizeof widths.states[n].written);
    const struct flow_problem problem = {
        .bytes = sizeof(struct held), .user = &widths, .pass = pass_node, .merge = merge};
    hx_status status = verify_flow_solve(flow, &problem, widths.allocator, diag, widths.states);
    if (status == HX_OK)
        status = check(&widths);
    return status == HX_OK ? keep_unwritten(&widths, verified) : status;
}
