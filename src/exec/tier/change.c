/* From interpreted to compiled code within a launch: see change.h.
 *
 * Takes a launch that the interpreter has begun, leaves one of which the rest of the grid is bound for
 * compiled code. */
#include "exec/tier/change.h"

#include "base/machine.h"
#include "base/thread.h"
#include "exec/block.h"
#include "exec/counts.h"
#include "exec/fast/fast.h"
#include "exec/grid.h"
#include "exec/kernel.h"
#include "exec/tier/run.h"
#include "exec/windows.h"

#include <string.h>

/* What compiling takes, about: a kernel of 60 instructions 0.1 s, of 400 0.6 s, of 1100 2.5 s. */
#define COMPILE_NS             UINT64_C(20000000)
#define COMPILE_INSTRUCTION_NS UINT64_C(1200000)
#define COMPILE_PAIR_NS        UINT64_C(1000) /* of two instructions: more live rows, longer ways back */

enum change_state {
    CHANGE_POSSIBLE,
    CHANGE_BEGUN, /* a thread compiles */
    CHANGE_READY, /* workers are to take no more blocks */
    CHANGE_OVER   /* it has changed, or cannot */
};

struct tier_change {
    struct launch *launch;
    struct hx_kernel *kernel;
    struct arena arena; /* of the thread, until it has ended */
    pthread_t thread;
    bool has_thread;
    _Atomic uint32_t state;
    uint64_t estimate_ns;
    const struct bound_kernel *bound, *before; /* compiled; interpreted */
    const struct tier_kernel *code;
};

/* ---- May it change? ------------------------------------------------------------------------------------ */

/* Do results hang on the order in which threads come? That order is the same in each run with one worker. */
static bool depends_on_order(const struct kernel *code)
{
    for (uint32_t i = 0; i < code->code_count; i++) {
        const struct isa_opcode *opcode = code->code[i].opcode;
        const bool is_atomic = opcode->shape == SHAPE_ATOMIC || opcode->shape == SHAPE_CAS;
        const bool has_result = strncmp(opcode->mnemonic, "red", 3) != 0;
        if (is_atomic && (has_result || type_is_float((enum hx_type)code->code[i].type)))
            return true;
    }
    return false;
}

static bool may_change(const struct launch *launch, const struct hx_kernel *kernel)
{
    const bool counts_threads = launch->driver == DRIVER_COUNTED &&
                                !(launch->listeners.wanted & HX_EVENT_COUNTS) &&
                                launch->options.counts == HX_COUNT_THREADS;
    return launch->options.tier == HX_TIER_AUTO && (launch->driver == DRIVER_PLAIN || counts_threads) &&
           !tier_hinders(launch) && !launch->options.gang_lanes && launch->item_count > 1 &&
           (launch->workers > 1 || !depends_on_order(kernel->code));
}

static uint64_t compile_ns(const struct kernel *code)
{
    const uint64_t count = code->code_count;
    return COMPILE_NS + COMPILE_INSTRUCTION_NS * count + COMPILE_PAIR_NS * count * count;
}

/* ---- Compiling ----------------------------------------------------------------------------------------- */

static void *compile(void *user)
{
    struct tier_change *change = user;
    struct launch *launch = change->launch;
    const bool good =
        tier_bind(change->kernel, 0, (uint32_t)launch->threads_per_block, (int)device_level(launch->device),
                  launch->options.warp_size, &change->arena, NULL, &change->bound) == HX_OK;
    change->code = good ? tier_compile(launch, change->kernel, change->bound) : NULL;
    atomic_store(&change->state, change->code ? CHANGE_READY : CHANGE_OVER);
    return NULL;
}

/* Has the kernel been interpreted for so long that compiling it pays, and are there blocks for it, in this
 * launch or in later ones? */
static bool pays(const struct tier_change *change, uint64_t now)
{
    const struct launch *launch = change->launch;
    const uint64_t earlier = atomic_load(&change->kernel->interpreted_ns), elapsed = now - launch->start_ns;
    if (earlier + elapsed < change->estimate_ns)
        return false;
    const uint64_t taken = atomic_load(&launch->next_item);
    const double left = taken && taken < launch->item_count
                            ? (double)elapsed * (double)(launch->item_count - taken) / (double)taken
                            : 0;
    return earlier >= change->estimate_ns || left >= 2 * (double)change->estimate_ns;
}

bool tier_change_is_due(struct launch *launch)
{
    struct tier_change *change = launch->change;
    const uint32_t state = change ? atomic_load(&change->state) : CHANGE_OVER;
    uint32_t possible = CHANGE_POSSIBLE;
    if (state != CHANGE_POSSIBLE)
        return state == CHANGE_READY;
    if (pays(change, machine_now_ns()) &&
        atomic_compare_exchange_strong(&change->state, &possible, CHANGE_BEGUN)) {
        change->has_thread = thread_start_large(&change->thread, compile, change);
        if (!change->has_thread)
            atomic_store(&change->state, CHANGE_OVER);
    }
    return false;
}

/* ---- The launch ---------------------------------------------------------------------------------------- */

hx_status tier_change_begin(struct launch *launch, const struct hx_kernel *kernel, struct arena *arena,
                            hx_diag *diag)
{
    const struct bound_kernel *bound = NULL;
    if (!may_change(launch, kernel))
        return HX_OK;
    if (tier_has_code(kernel)) {
        const hx_status status =
            tier_bind(kernel, 0, (uint32_t)launch->threads_per_block, (int)device_level(launch->device),
                      launch->options.warp_size, arena, diag, &bound);
        if (status != HX_OK)
            return status;
        const bool is_known = tier_find(launch, kernel, bound, &launch->tier);
        if (launch->tier) {
            launch->bound = bound;
            pack_blocks_choose(launch, NULL);
            grid_divide(launch);
        }
        if (is_known)
            return HX_OK;
    }
    launch->change = ARENA_ARRAY(arena, struct tier_change, 1);
    if (!launch->change)
        return diag_no_memory(diag);
    launch->change->launch = launch;
    launch->change->kernel = (struct hx_kernel *)kernel; /* constant but for its compiled code */
    launch->change->estimate_ns = compile_ns(kernel->code);
    launch->change->before = launch->bound;
    arena_init(&launch->change->arena, kernel->allocator);
    return HX_OK;
}

/* Workers as the compiled code wants them. */
static bool prepare(struct launch *launch, struct arena *arena)
{
    for (uint32_t i = 0; i < launch->workers; i++) {
        struct worker *worker = &launch->worker_states[i];
        if (!arena_part(arena) || windows_make(worker, arena, NULL) != HX_OK ||
            tier_init_worker(worker, arena, NULL) != HX_OK)
            return false;
    }
    return true;
}

bool tier_change_goes_on(struct launch *launch)
{
    struct tier_change *change = launch->change;
    if (!change || atomic_load(&change->state) != CHANGE_READY || launch->tier ||
        atomic_load(&launch->stop) != STOP_NO || atomic_load(&launch->next_item) >= launch->item_count)
        return false;
    atomic_store(&change->state, CHANGE_OVER);
    grid_free_slots(launch);
    counts_add_chains(launch);
    launch->tier = change->code;
    launch->bound = change->bound;
    if (!prepare(launch, &change->arena)) {
        launch->tier = NULL;
        launch->bound = change->before;
        return prepare(launch, &change->arena);
    }
    uint32_t blocks;
    const uint64_t next = pack_blocks_first(launch, atomic_load(&launch->next_item), &blocks);
    pack_blocks_choose(launch, NULL); /* the rest block by block */
    atomic_store(&launch->next_item, next);
    return true;
}

void tier_change_end(struct launch *launch)
{
    struct tier_change *change = launch->change;
    if (!change)
        return;
    if (change->has_thread)
        thread_wait(change->thread);
    if (!launch->tier)
        atomic_fetch_add(&change->kernel->interpreted_ns, machine_now_ns() - launch->start_ns);
    arena_done(&change->arena);
}
