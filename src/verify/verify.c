/* Verifies a kernel: makes its flow graph, then runs the checks over it, all of them, so that one reading of
 * a kernel shows everything that is wrong with it. The checks of the graph itself are here. */
#include "hexec/trace.h"
#include "verify/checks.h"

bool verify_special_varies(enum special_register special)
{
    switch (special) {
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z:
    case SPECIAL_LANEID:
    case SPECIAL_WARPID:
    case SPECIAL_GTID:
    case SPECIAL_LANEMASK_EQ:
    case SPECIAL_LANEMASK_LT:
    case SPECIAL_LANEMASK_LE:
    case SPECIAL_LANEMASK_GT:
    case SPECIAL_LANEMASK_GE:
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
        return true;
    default:
        return false;
    }
}

static hx_status check_end(struct verified_kernel *verified, hx_diag *diag)
{
    hx_status status = HX_OK;
    const struct kernel *kernel = verified->kernel;
    if (kernel->code_count == 0)
        return diag_report(diag, DIAG_VERIFY_FALLS_OFF, kernel->place, "end it with exit",
                           "kernel '%s' has no instructions", kernel->name);
    for (uint32_t n = 0; n < verified->flow.block_count; n++) {
        const struct flow_node *node = &verified->flow.nodes[n];
        if (node->reachable && node->falls_off)
            status = verify_graver(status,
                                   diag_report(diag, DIAG_VERIFY_FALLS_OFF,
                                               kernel->lines[node->end - 1].place, "end the kernel with exit",
                                               "execution runs past the last instruction from here"));
    }
    return status;
}

static hx_status check_reachable(struct verified_kernel *verified, hx_diag *diag)
{
    hx_status status = HX_OK;
    const struct flow *flow = &verified->flow;
    for (uint32_t n = 0; n < flow->block_count && !verified->kernel->is_imported; n++) {
        if (flow->nodes[n].reachable)
            continue;
        const uint32_t first = flow->nodes[n].first;
        while (n + 1 < flow->block_count && !flow->nodes[n + 1].reachable)
            n++;
        const uint32_t count = flow->nodes[n].end - first;
        const struct place place = verified->kernel->lines[first].place;
        const char *hint = "remove what never runs, or jump to it";
        status =
            verify_graver(status, count == 1 ? diag_report(diag, DIAG_VERIFY_UNREACHABLE, place, hint,
                                                           "this instruction never runs")
                                             : diag_report(diag, DIAG_VERIFY_UNREACHABLE, place, hint,
                                                           "%u instructions from here on never run", count));
    }
    return status;
}

static hx_status check_calls(struct verified_kernel *verified, hx_diag *diag)
{
    uint32_t depth, call;
    bool recursive;
    hx_status status =
        verify_flow_depth(&verified->flow, verified->arena.allocator, diag, &depth, &recursive, &call);
    if (status != HX_OK)
        return status;
    verified->call_depth = recursive ? CALL_DEPTH_MAX : depth;
    if (recursive || depth <= CALL_DEPTH_MAX)
        return HX_OK;
    return diag_report(diag, DIAG_VERIFY_CALLS_TOO_DEEP, verified->kernel->lines[call].place,
                       "call fewer subroutines from within subroutines",
                       "this call begins a chain of %u nested calls; %u are allowed", depth,
                       (unsigned)CALL_DEPTH_MAX);
}

/* What a jump table must be; the graph and the executor rely on it. */
static hx_status check_tables(struct verified_kernel *verified, hx_diag *diag)
{
    const struct kernel *kernel = verified->kernel;
    hx_status status = HX_OK;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        const struct instruction *jump = &kernel->code[i];
        const int semantic = verify_flow_semantic(jump);
        if (semantic != SEM_jump_table && semantic != SEM_call_table)
            continue;
        const uint32_t entries = verify_flow_table(jump), first = verify_flow_target(kernel, jump);
        uint32_t good = 0;
        while (good < entries && first != FLOW_NONE && first + good < kernel->code_count &&
               kernel->code[first + good].guard < 0 &&
               verify_flow_semantic(&kernel->code[first + good]) == SEM_branch)
            good++;
        if (good < entries || entries == 0)
            status = verify_graver(
                status, diag_report(diag, DIAG_VERIFY_TABLE, kernel->lines[i].place,
                                    "a table is as many bra without a guard, one behind the other",
                                    "this jump table has %u entries, and %u branches stand at its label",
                                    entries, good));
    }
    return status;
}

static void find_barriers(struct verified_kernel *verified)
{
    for (uint32_t i = 0; i < verified->kernel->code_count; i++)
        verified->has_barriers |= verify_waits_for_block(&verified->kernel->code[i]);
}

static hx_status verify(struct verified_kernel *verified, hx_diag *diag)
{
    typedef hx_status (*check)(struct verified_kernel *, hx_diag *);
    static const check checks[] = {check_end,        check_tables,  check_reachable, check_calls,
                                   verify_addresses, verify_widths, verify_barriers};
    /* these only warn, and are left out when there is no diag */
    static const check advice[] = {verify_loops, verify_types, verify_shared, verify_shuffles};
    hx_status status = verify_flow_make(verified->kernel, &verified->arena, diag, &verified->flow);
    bool is_sound = true;
    find_barriers(verified);
    for (size_t i = 0; i < HX_COUNT_OF(checks) && status != HX_NO_MEMORY; i++) {
        const hx_status found = checks[i](verified, diag);
        is_sound &= found == HX_OK || (checks[i] != check_end && checks[i] != check_tables);
        status = verify_graver(status, found);
    }
    for (size_t i = 0; i < HX_COUNT_OF(advice) && diag && is_sound && status != HX_NO_MEMORY; i++)
        status = verify_graver(status, advice[i](verified, diag));
    return status;
}

hx_status verify_kernel(const hx_program *program, const struct kernel *kernel, const hx_allocator *allocator,
                        hx_diag *diag, struct verified_kernel **ret_verified)
{
    HX_SPAN(HX_DEBUG, "hexec::verify", "verify", HX_STR("kernel.name", kernel->name));
    struct verified_kernel *verified = memory_allocate(allocator, 1, sizeof *verified);
    if (!verified)
        return diag_no_memory(diag);
    arena_init(&verified->arena, allocator);
    verified->program = program;
    verified->kernel = kernel;
    hx_status status = verify(verified, diag);
    if (status == HX_OK)
        *ret_verified = verified;
    else
        verify_free(verified);
    return status;
}

void verify_free(struct verified_kernel *verified)
{
    if (!verified)
        return;
    const hx_allocator *allocator = verified->arena.allocator;
    arena_done(&verified->arena);
    memory_free(allocator, verified);
}
