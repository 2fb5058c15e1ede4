/* The checker `race`.
 *
 * Takes what threads do, in the order in which they do it (HX_EVENT_IN_ORDER), gives it to the engine, which
 * knows no instructions, and leaves a finding for each pair of accesses that races. What an instruction is to
 * the engine is found once, when a launch begins. A launch begins with a shadow of its own: launches of one
 * stream are ordered.
 *
 * Of what orders lanes of a warp, warpsync alone counts: shuffles, votes and the like exchange registers and
 * order no memory (PTX ISA, shfl.sync; CUDA C++ Programming Guide, warp shuffle functions). */
#include "check/race/race.h"

#include "check/notes.h"
#include "check/race/async.h"
#include "check/race/group_copies.h"
#include "check/race/launches.h"
#include "check/race/results.h"
#include "device/device.h"
#include "exec/kernel.h"
#include "exec/watch.h"
#include "ptx/library.h"

#include <string.h>

#define CHUNKS     (256 / 64) /* of a gang */
#define HEAP_HEAD  16         /* bytes before a block of malloc */
#define ORDERS_ALL (RACE_ORDERS_SHARED | RACE_ORDERS_GLOBAL)

enum step_kind { STEP_OTHER, STEP_ACCESS, STEP_ATOMIC, STEP_CAS, STEP_FENCE, STEP_WARP_SYNC, STEP_BARRIER };

/* An instruction. */
struct step {
    uint8_t kind;           /* enum step_kind */
    bool is_counted, waits; /* of a barrier */
    uint8_t orders;         /* ... RACE_ORDERS_... */
    bool takes_spans;       /* of an access */
    bool is_of_heap;        /* an access of malloc or free itself: atomics order those */
    struct race_op op;      /* of a fence, its order */
    struct race_place place;
};

/* Where the lanes of an atomic are; it is done later. */
struct atomics {
    uint64_t addresses[64];
    uint64_t shared, global; /* lanes that are in these spaces */
};

struct race {
    struct checker checker;
    hx_checks *checks;
    struct race_engine *engine; /* of the launch that runs */
    const struct device_memory *memory;
    struct step *steps;         /* for each instruction of its kernel */
    bool has_parts;             /* some barriers order a part of memory alone */
    uint64_t heap;              /* the address of the heap of threads; 0: not known yet */
    struct async_copies *async; /* NULL: the kernel makes no copies that it must wait for */
    struct group_copies *group; /* the same of copies of whole groups */
    struct atomics atomics[CHUNKS];
    struct race_launches *launches; /* that were before */
    struct arena arena;             /* of the launch that runs */
    struct shared_regions regions;
};

/* ---- Instructions -------------------------------------------------------------------------------------- */

static bool has_word(const struct instruction *instruction, enum modifier_group group, const char *word)
{
    const uint8_t value = instruction->modifiers[group];
    return value && strcmp(modifier_text(group, value), word) == 0;
}

/* Scopes that a block is all of; there are no clusters of several blocks. No scope is the device's. */
static bool is_wide(const struct instruction *instruction)
{
    return !has_word(instruction, GROUP_SCOPE, "block") && !has_word(instruction, GROUP_SCOPE, "cta") &&
           !has_word(instruction, GROUP_SCOPE, "cluster");
}

static void set_order(const struct instruction *instruction, struct race_op *op)
{
    const bool both = has_word(instruction, GROUP_CACHE, "acq_rel");
    op->acquires = both || has_word(instruction, GROUP_CACHE, "acquire");
    op->releases = both || has_word(instruction, GROUP_CACHE, "release");
    op->is_wide = is_wide(instruction);
}

static void read_memory(const struct instruction *instruction, bool plain_volatile, struct step *step)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    struct race_op *const op = &step->op;
    set_order(instruction, op);
    op->is_load = shape != SHAPE_STORE;
    op->is_store = shape != SHAPE_LOAD;
    op->is_strong = shape_is_atomic(shape) || op->acquires || op->releases ||
                    (!plain_volatile && has_word(instruction, GROUP_CACHE, "volatile")) ||
                    has_word(instruction, GROUP_CACHE, "relaxed");
    op->element_bytes = (uint8_t)type_bytes((enum hx_type)instruction->type);
    op->elements = (uint8_t)instruction_vector(instruction);
    step->kind = shape == SHAPE_CAS ? STEP_CAS : shape_is_atomic(shape) ? STEP_ATOMIC : STEP_ACCESS;
    if (instruction_semantic(instruction) == SEM_atomic_arrive_shared) { /* as mbarrier.arrive */
        op->acquires = op->releases = true;
        op->is_wide = false;
    }
}

static void read_flow(const struct instruction *instruction, struct step *step)
{
    switch (instruction_semantic(instruction)) {
    case SEM_fence:
        step->kind = STEP_FENCE;
        set_order(instruction, &step->op);
        if (!step->op.acquires && !step->op.releases) /* membar is fence.sc */
            step->op.acquires = step->op.releases = step->op.is_sc = true;
        break;
    case SEM_warp_sync:
        step->kind = STEP_WARP_SYNC;
        break;
    case SEM_barrier_arrive:
    case SEM_barrier_sync:
    case SEM_barrier_red_popc:
    case SEM_barrier_red_and:
    case SEM_barrier_red_or:
        step->kind = STEP_BARRIER;
        step->waits = instruction_semantic(instruction) != SEM_barrier_arrive;
        step->is_counted = /* the count is the last operand */
            instruction->operands[instruction->opcode->form_count - 1].kind != OPERAND_ABSENT;
        break;
    default:
        break;
    }
}

static struct step read_step(const struct instruction *instruction, bool plain_volatile, uint32_t index)
{
    const enum semantic_shape shape = instruction->opcode->shape;
    struct step step = {.op.instruction = index};
    if (shape_is_memory(shape))
        read_memory(instruction, plain_volatile, &step);
    else if (shape == SHAPE_FLOW)
        read_flow(instruction, &step);
    return step;
}

/* Is it of malloc or free of the library? */
static bool is_of_heap(const struct race *race, const struct step *step, uint32_t index)
{
    const char *const file = check_launch_now(race->checks)->code->lines[index].file;
    const bool is_access = step->kind == STEP_ACCESS || step->kind == STEP_ATOMIC || step->kind == STEP_CAS;
    return is_access && file && strcmp(file, PTX_LIBRARY_SOURCE) == 0;
}

/* What the barrier, of a block or warp, orders: all, unless a note before it says something else. */
static uint8_t orders_of(const struct kernel *code, uint32_t index)
{
    const uint32_t note = note_of_order(code, index);
    return note == 0                     ? ORDERS_ALL
           : note == NOTE_ORDERS_NOTHING ? 0
                                         : (uint8_t)note; /* numbers are the same */
}

/* May threads that meet at this barrier, or at one before it, want different memory to be ordered? */
static bool asks_apart(const struct kernel *code, const struct step *steps, uint32_t barrier)
{
    for (uint32_t i = 0; steps[barrier].kind == STEP_BARRIER && i < barrier; i++)
        if (steps[i].kind == STEP_BARRIER && note_is_one_call(code, i, barrier))
            return true;
    return false;
}

static enum race_level level_of(const struct step *step)
{
    if (step->op.acquires || step->op.releases)
        return RACE_ANYWHERE;
    return step->kind == STEP_BARRIER && step->is_counted ? RACE_IN_BLOCK
           : step->kind == STEP_WARP_SYNC                 ? RACE_BY_WARP
                                                          : RACE_BY_BLOCK;
}

static bool may_be_global(const struct instruction *instruction)
{
    return instruction->opcode->space == SPACE_GLOBAL || instruction->opcode->space == SPACE_GENERIC;
}

/* What the step makes necessary of the engine. */
static void widen_options(struct race_options *options, const struct step *step,
                          const struct instruction *instruction)
{
    const enum race_level level = level_of(step);
    const bool is_narrow = (step->op.is_strong || step->kind == STEP_FENCE) && !step->op.is_wide;
    options->level = level > options->level ? level : options->level;
    options->has_narrow = options->has_narrow || is_narrow;
    options->has_narrow_global =
        options->has_narrow_global || (is_narrow && step->op.is_strong && may_be_global(instruction));
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* Is there memory that both sides may access as they do? Other accesses are dropped, and change nothing. */
static bool is_there(const struct race *race, const struct race_pair *pair)
{
    const hx_buffer *const buffer = pair->is_shared ? NULL : device_memory_find(race->memory, pair->address);
    struct memory_window whole, inside;
    unsigned access;
    if (pair->is_shared)
        return true;
    if (!buffer)
        return device_memory_find_mapped(race->memory, pair->address, pair->bytes, &whole, &inside, &access);
    const bool loads = !pair->first.is_store || !pair->second.is_store;
    return pair->address - buffer->window.low + pair->bytes <= buffer->window.size &&
           (buffer->access & HX_ACCESS_WRITE) && (!loads || (buffer->access & HX_ACCESS_READ));
}

static void on_pair(void *user, const struct race_pair *pair)
{
    const struct race *const race = user;
    const struct kernel *const code = check_kernel_now(race->checks);
    struct race_pair reported = *pair;
    const bool arrives =
        race_copy_arrives(code, pair->first.instruction) || race_copy_arrives(code, pair->second.instruction);
    if (!is_there(race, pair) || (arrives && pair->first.block == pair->second.block)) /* async.c has these */
        return;
    reported.first.instruction = race_copy_store(code, pair->first.instruction);
    reported.second.instruction = race_copy_store(code, pair->second.instruction);
    race_report(race->checks, &race->regions, &reported, arrives);
}

/* What a copy in bulk writes is there: a store, so that what other blocks do is behind it only if they know
 * of the wait, and not of the copy's beginning alone. */
static void on_arrival(void *user, const struct async_arrival *arrival)
{
    const struct race *const race = user;
    const struct race_op op = {.instruction = arrival->instruction,
                               .is_load = arrival->combines,
                               .is_store = true,
                               .is_strong = arrival->combines,
                               .is_wide = true,
                               .element_bytes = 4,
                               .elements = 1};
    const uint32_t lane = arrival->thread % 64;
    const struct race_lanes who = {
        .block = arrival->block, .first = arrival->thread - lane, .lanes = UINT64_C(1) << lane};
    race_take(race->engine, &op, &who, arrival->low, arrival->bytes);
}

static uint64_t product(const uint32_t shape[3])
{
    return (uint64_t)shape[0] * shape[1] * shape[2];
}

static hx_status find_results(struct race *race, const hx_kernel *kernel)
{
    const uint32_t count = kernel_code(kernel)->code_count;
    const hx_allocator *const allocator = check_allocator(race->checks);
    bool *const used = memory_allocate(allocator, (size_t)count + 1, sizeof *used);
    const hx_status status = used ? results_find(kernel, allocator, used) : HX_NO_MEMORY;
    for (uint32_t i = 0; status == HX_OK && i < count; i++)
        race->steps[i].op.observes = used[i];
    memory_free(allocator, used);
    return status;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct race *const race = user;
    const struct kernel *const code = kernel_code(event->kernel);
    struct race_options options = {
        .allocator = check_allocator(race->checks),
        .blocks = product(event->options->grid),
        .shared_bytes = code->shared.bytes + event->options->dynamic_shared_bytes,
        .block_threads = (uint32_t)product(event->options->block),
        .warp_size = event->options->warp_size,
        .lockstep = check_options(race->checks)->lockstep != 0,
        .found = on_pair,
        .user = race,
    };
    race->memory = device_memory(event->device);
    const bool is_command = race_launches_begin(race->launches, event->options->command);
    race->has_parts = false;
    race->steps = memory_allocate(options.allocator, (size_t)code->code_count + 1, sizeof *race->steps);
    if (!race->steps || !program_shared_regions(check_program_now(race->checks), code, event->options,
                                                &race->arena, &race->regions))
        return HX_NO_MEMORY;
    for (uint32_t i = 0; i < code->code_count; i++) {
        struct step *const step = &race->steps[i];
        *step = read_step(&code->code[i], check_options(race->checks)->plain_volatile != 0, i);
        step->orders = orders_of(code, i);
        step->place.is_command = is_command;
        if (is_of_heap(race, step, i))
            *step = (struct step){.is_of_heap = true};
        race->has_parts = race->has_parts || (step->kind == STEP_BARRIER && step->orders != ORDERS_ALL);
        options.asks_apart = options.asks_apart || asks_apart(code, race->steps, i);
        widen_options(&options, step, &code->code[i]);
    }
    if (options.asks_apart && options.level < RACE_IN_BLOCK)
        options.level = RACE_IN_BLOCK;
    hx_status status = find_results(race, event->kernel);
    if (status == HX_OK)
        status = race_engine_new(&options, &race->engine);
    const struct race_copy_launch launch = {race->checks, &race->regions, options.shared_bytes,
                                            options.block_threads};
    if (status == HX_OK)
        status =
            async_copies_new(&launch, options.level == RACE_ANYWHERE ? on_arrival : NULL, race, &race->async);
    if (status == HX_OK)
        status = group_copies_new(&launch, &race->group);
    for (uint32_t i = 0; status == HX_OK && i < code->code_count; i++)
        race->steps[i].takes_spans =
            race->steps[i].kind == STEP_ACCESS && race_takes_spans(race->engine, &race->steps[i].op);
    return status;
}

static void forget_launch(struct race *race)
{
    race_engine_free(race->engine);
    async_copies_free(race->async);
    group_copies_free(race->group);
    memory_free(check_allocator(race->checks), race->steps);
    race->async = NULL;
    race->group = NULL;
    race->engine = NULL;
    race->heap = 0;
    race->steps = NULL;
    arena_done(&race->arena);
    arena_init(&race->arena, check_allocator(race->checks));
    race->regions = (struct shared_regions){0};
}

static void end(void *user, const hx_launch_end *event)
{
    struct race *const race = user;
    (void)event;
    if (race_engine_failed(race->engine))
        check_lost(race->checks);
    if (race_engine_unkept(race->engine))
        check_unkept(race->checks, race_engine_unkept(race->engine));
    race_launches_end(race->launches, race->engine);
    forget_launch(race);
}

static void buffer(void *user, const hx_buffer_event *event)
{
    race_launches_buffer(((struct race *)user)->launches, event);
}

static void block_end(void *user, const hx_interval_event *event)
{
    /* first: what arrives is of the block still */
    async_copies_block_end(((struct race *)user)->async, event->block);
    race_block_end(((struct race *)user)->engine, event->block);
    group_copies_block_end(((struct race *)user)->group, event->block);
}

/* ---- Synchronization ----------------------------------------------------------------------------------- */

static struct race_lanes lanes_at(const hx_event_place *at, uint64_t lanes)
{
    return (struct race_lanes){.block = at->block, .first = at->first_thread, .lanes = lanes};
}

static void arrive(void *user, const hx_lanes_event *event)
{
    const struct race *const race = user;
    const struct step *const step = &race->steps[event->at.instruction];
    const struct race_lanes who = lanes_at(&event->at, event->lanes);
    if (step->kind == STEP_BARRIER && step->is_counted && event->lanes)
        race_arrive(race->engine, &who, event->value, step->waits);
    if (step->kind == STEP_BARRIER && race->has_parts && event->lanes)
        race_ask(race->engine, &who, step->orders);
}

static void release(void *user, const hx_release_event *event)
{
    race_complete(((struct race *)user)->engine, event->block, event->barrier);
    async_copies_meet(((struct race *)user)->async, event->block);
    group_copies_barrier(((struct race *)user)->group, event->block);
}

static void fence(void *user, const hx_lanes_event *event)
{
    const struct race *const race = user;
    const struct race_op *const op = &race->steps[event->at.instruction].op;
    const struct race_lanes who = lanes_at(&event->at, event->lanes);
    race_fence(race->engine, &who, op);
    async_copies_meet(race->async, event->at.block);
}

/* Those that name the same lanes wait for each other. */
static void warp_sync(void *user, const hx_lanes_event *event)
{
    const struct race *const race = user;
    if (race->steps[event->at.instruction].kind != STEP_WARP_SYNC)
        return;
    async_copies_meet(race->async, event->at.block);
    if (event->value == 2)
        return; /* these have met, by the first event */
    for (uint64_t left = event->lanes, met = 0; left; left &= ~met) {
        const uint64_t named = event->members[__builtin_ctzll(left)];
        met = event->value == 1 ? named : left & -left;
        for (uint64_t rest = left & named; rest; rest &= rest - 1)
            if (event->members[__builtin_ctzll(rest)] == named)
                met |= rest & -rest;
        const struct race_lanes who = lanes_at(&event->at, met);
        race_meet(race->engine, &who, race->steps[event->at.instruction].orders);
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

/* Atomics are done when it is known what they found. Their addresses are those from before: the result may be
 * in the register that had the address. */
static int access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    struct race *const race = user;
    const struct step *const step = &race->steps[event->at.instruction];
    const bool is_shared = event->space == SPACE_SHARED;
    struct atomics *const atomics = &race->atomics[event->at.first_thread / 64 % CHUNKS];
    (void)refusal;
    if (step->is_of_heap)
        return 0;
    if (event->space != SPACE_GLOBAL && !is_shared)
        return 0;
    if (step->op.is_strong)
        async_copies_meet(race->async, event->at.block);
    if (race->async)
        async_copies_access(race->async, event);
    if (is_shared && race->group)
        group_copies_access(race->group, event);
    if (step->kind == STEP_ACCESS) {
        const struct race_lanes who = lanes_at(&event->at, event->lanes);
        race_access(race->engine, &step->op, &who, is_shared, event->addresses, event->stored);
        return 0;
    }
    for (uint64_t left = event->lanes; left; left &= left - 1)
        atomics->addresses[__builtin_ctzll(left)] = event->addresses[__builtin_ctzll(left)];
    *(is_shared ? &atomics->shared : &atomics->global) |= event->lanes;
    *(is_shared ? &atomics->global : &atomics->shared) &= ~event->lanes;
    return 0;
}

/* Those that are simple, in spans of lanes; the others as above. */
static int access_op(void *user, const hx_micro_op_event *event)
{
    struct race *const race = user;
    struct step *const step = &race->steps[event->op->instruction];
    if (step->is_of_heap)
        return 1;
    const bool is_global = event->op->space == SPACE_GLOBAL;
    if ((race->async || race->group) && !is_global) /* these want each of them */
        return 0;
    if (race->async && (step->op.is_store || async_copies_write_global(race->async)))
        return 0; /* it may be to what a copy reads, or writes */
    if (step->takes_spans)
        race_spans_of_op(race->engine, &step->op, event, &step->place);
    return step->takes_spans;
}

static bool is_heap(const struct check_buffer *buffer)
{
    return buffer && !buffer->is_freed && note_is_heap(buffer->name);
}

static uint64_t find_heap(const hx_checks *checks)
{
    const struct check_buffer *buffer;
    for (size_t i = 0; (buffer = check_buffer_at(checks, i)); i++)
        if (is_heap(buffer))
            return buffer->low;
    return 0;
}

/* Bytes of the block of malloc at an address, as the heap has noted before it (ptx/library.c); 0: there is
 * none. */
static uint64_t block_bytes(const struct race *race, uint64_t address)
{
    const struct check_buffer *const heap = check_find_buffer(race->checks, address);
    uint32_t log2 = 0;
    if (!is_heap(heap) || !heap->data || address - heap->low < HEAP_HEAD || address - heap->low >= heap->size)
        return 0;
    memcpy(&log2, (const char *)heap->data + (address - heap->low - HEAP_HEAD), sizeof log2);
    const uint64_t most = heap->size - (address - heap->low - HEAP_HEAD);
    return log2 < 32 && (UINT64_C(1) << log2) <= most && (UINT64_C(1) << log2) > HEAP_HEAD
               ? (UINT64_C(1) << log2) - HEAP_HEAD
               : 0;
}

/* A block of malloc has nothing to do with what was done to it before: free and malloc order that. */
static void note_made(struct race *race, const hx_lanes_event *event)
{
    race->heap = race->heap ? race->heap : find_heap(race->checks);
    for (uint64_t left = race->heap ? event->lanes : 0; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t address = race->heap + (uint32_t)(event->noted[lane] - race->heap);
        if (event->noted[lane])
            race_renew(race->engine, address, block_bytes(race, address));
    }
}

/* free is a store to all of the block: a thread that malloc gives it next may write there. */
static void note_freed(const struct race *race, const hx_lanes_event *event)
{
    const struct race_op op = {
        .instruction = event->at.instruction, .is_store = true, .element_bytes = 4, .elements = 1};
    for (uint64_t left = event->lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t low = event->noted[lane], high = event->also_noted[lane], address = low | high << 32;
        const uint64_t bytes = address ? block_bytes(race, address) : 0;
        const struct race_lanes who = lanes_at(&event->at, left & -left);
        if (bytes)
            race_take(race->engine, &op, &who, address, bytes);
    }
}

static void note(void *user, const hx_lanes_event *event)
{
    struct race *const race = user;
    async_copies_note(race->async, event);
    group_copies_note(race->group, event);
    if (event->value == NOTE_HEAP_MADE && event->noted && event->also_noted)
        note_made(race, event);
    if (event->value == NOTE_HEAP_FREE && event->noted && event->also_noted)
        note_freed(race, event);
}

/* Lanes from the lowest on that do the same: a compare-and-swap that finds another value only reads. */
static uint64_t take_alike(uint64_t left, const hx_atomic_event *event, const struct atomics *atomics,
                           bool is_cas)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(left);
    uint64_t alike = 0;
    for (; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const bool same = (event->old_values[lane] == event->new_values[lane]) ==
                          (event->old_values[first] == event->new_values[first]);
        if ((is_cas && !same) || (atomics->shared >> lane & 1) != (atomics->shared >> first & 1))
            break;
        alike |= left & -left;
    }
    return alike;
}

static void atomic(void *user, const hx_atomic_event *event)
{
    struct race *const race = user;
    const struct step *const step = &race->steps[event->at.instruction];
    struct atomics *const atomics = &race->atomics[event->at.first_thread / 64 % CHUNKS];
    const uint64_t lanes = step->is_of_heap ? 0 : event->lanes & (atomics->shared | atomics->global);
    for (uint64_t left = lanes, alike; left; left &= ~alike) {
        const uint32_t first = (uint32_t)__builtin_ctzll(left);
        struct race_op op = step->op;
        alike = take_alike(left, event, atomics, step->kind == STEP_CAS);
        if (step->kind == STEP_CAS && event->old_values[first] == event->new_values[first])
            op.is_store = false;
        const struct race_lanes who = lanes_at(&event->at, alike);
        race_access(race->engine, &op, &who, atomics->shared >> first & 1, atomics->addresses, NULL);
    }
    atomics->shared = atomics->global = 0;
}

/* ---- Open, close --------------------------------------------------------------------------------------- */

static void close_race(struct checker *checker)
{
    struct race *const race = (struct race *)checker;
    forget_launch(race);
    arena_done(&race->arena);
    race_launches_free(race->launches);
    memory_free(check_allocator(race->checks), race);
}

hx_status check_race_open(hx_checks *checks, hx_diag *diag, struct checker **ret_checker)
{
    struct race *const race = memory_allocate(check_allocator(checks), 1, sizeof *race);
    if (!race || !(race->launches = race_launches_new(checks))) {
        memory_free(check_allocator(checks), race);
        return diag_no_memory(diag);
    }
    race->checks = checks;
    arena_init(&race->arena, check_allocator(checks));
    race->checker = (struct checker){
        .listener = {.size = sizeof race->checker.listener,
                     .events = HX_EVENT_LAUNCH | HX_EVENT_BLOCK | HX_EVENT_BARRIER | HX_EVENT_FENCE |
                               HX_EVENT_WARP_SYNC | HX_EVENT_ACCESS | HX_EVENT_ATOMIC | HX_EVENT_IN_ORDER |
                               HX_EVENT_NOTE | HX_EVENT_BUFFER,
                     .user = race,
                     .begin = begin,
                     .end = end,
                     .block = block_end,
                     .arrive = arrive,
                     .release = release,
                     .fence = fence,
                     .warp_sync = warp_sync,
                     .access = access,
                     .atomic = atomic,
                     .access_op = access_op,
                     .note = note,
                     .buffer = buffer},
        .close = close_race};
    *ret_checker = &race->checker;
    return HX_OK;
}
