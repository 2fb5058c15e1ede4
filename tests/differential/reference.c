/* The reference interpreter: threads, memory, control flow.
 *
 * Takes a kernel's decoded instructions and makes of each a step: what it means as one number, where its
 * sources and results are. A block's threads run in turns, each until it waits, ends or has jumped back
 * often, so that threads that spin on each other go on. Everything is as plain as the description of the
 * machine; speed is no aim, but the steps are prepared once, so that a comparison of times is with a sensible
 * scalar interpreter. */
#include "program/address.h"
#include "reference_machine.h"

#include <stdlib.h>
#include <string.h>

const char *reference_end_text(enum reference_end end)
{
    static const char *const texts[] = {
#define REFERENCE_TEXT(NAME, text) [REFERENCE_##NAME] = text,
        REFERENCE_ENDS(REFERENCE_TEXT)
#undef REFERENCE_TEXT
    };
    return texts[end];
}

#define TURN_JUMPS 64 /* backward, before the next thread has its turn */

/* ---- Values -----------------------------------------------------------------------------------------------
 */

static uint64_t special_value(const struct machine *machine, const struct thread *thread, uint64_t which)
{
    const struct reference_launch *launch = machine->launch;
    const uint64_t index = (uint64_t)(thread - machine->threads), lane = index % 32, one = 1;
    switch ((enum special_register)which) {
    case SPECIAL_TID_X:
        return thread->x;
    case SPECIAL_TID_Y:
        return thread->y;
    case SPECIAL_TID_Z:
        return thread->z;
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return launch->block[which - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
        return machine->block_x;
    case SPECIAL_CTAID_Y:
        return machine->block_y;
    case SPECIAL_CTAID_Z:
        return machine->block_z;
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return launch->grid[which - SPECIAL_NCTAID_X];
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return index / 32;
    case SPECIAL_NWARPID:
        return (machine->thread_count + 31) / 32;
    case SPECIAL_GTID:
        return machine->block * machine->thread_count + index;
    case SPECIAL_LANEMASK_EQ:
        return one << lane;
    case SPECIAL_LANEMASK_LT:
        return (one << lane) - 1;
    case SPECIAL_LANEMASK_LE:
        return (one << (lane + 1)) - 1;
    case SPECIAL_LANEMASK_GT:
        return (uint32_t) ~((one << (lane + 1)) - 1);
    case SPECIAL_LANEMASK_GE:
        return (uint32_t) ~((one << lane) - 1);
    case SPECIAL_WARPSIZE:
        return 32;
    case SPECIAL_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM_SIZE:
        return machine->shared_bytes;
    case SPECIAL_GRIDID:
    case SPECIAL_SMID:
        return 0;
    case SPECIAL_NSMID:
        return 1;
    default:
        return machine->result.instructions; /* the clocks */
    }
}

uint64_t reference_read(const struct machine *machine, const struct thread *thread,
                        const struct value_place *place)
{
    switch (place->kind) {
    case PLACE_REGISTER:
        return thread->registers[place->reg];
    case PLACE_PREDICATE:
        return thread->predicates[place->reg] != place->negated;
    case PLACE_NUMBER:
        return place->bits;
    case PLACE_SPECIAL:
        return special_value(machine, thread, place->bits);
    default:
        return 0;
    }
}

void reference_write(struct thread *thread, const struct value_place *place, uint64_t bits, hx_type type)
{
    if (place->kind == PLACE_REGISTER)
        thread->registers[place->reg] = reference_extended(bits, type);
    else if (place->kind == PLACE_PREDICATE)
        thread->predicates[place->reg] = bits & 1;
}

static void compute(const struct machine *machine, struct thread *thread, const struct step *step)
{
    struct values values;
    values.sources = step->sources;
    values.results = step->results;
    for (unsigned i = 0; i < 4; i++)
        values.source[i] = i < step->sources ? reference_read(machine, thread, &step->source[i]) : 0;
    reference_evaluate(step->instruction, step->meaning, &values);
    for (unsigned i = 0; i < step->results; i++)
        reference_write(thread, &step->result[i], values.result[i],
                        step->result[i].kind == PLACE_PREDICATE ? HX_TYPE_PRED
                                                                : (hx_type)values.result_type[i]);
}

/* ---- Memory -----------------------------------------------------------------------------------------------
 */

static uint64_t address_of(const struct machine *machine, const struct thread *thread,
                           const struct step *step)
{
    uint64_t address = reference_read(machine, thread, &step->base), index = thread->registers[step->index];
    if (step->index_kind == INDEX_NONE)
        return address + (uint64_t)step->offset;
    if (step->index_kind == INDEX_U32)
        index = (uint32_t)index;
    else if (step->index_kind == INDEX_I32)
        index = (uint64_t)(int64_t)(int32_t)index;
    return address + index * step->scale + (uint64_t)step->offset;
}

static char *within(char *data, uint64_t low, uint64_t bytes, uint64_t address, uint64_t width)
{
    const bool inside = address >= low && width <= bytes && address - low <= bytes - width;
    return inside ? data + (address - low) : NULL;
}

static bool in_window(uint64_t *address, uint64_t window)
{
    if (*address < window || *address >= window + WINDOW_BYTES)
        return false;
    *address -= window;
    return true;
}

enum hx_space reference_space(enum hx_space space, uint64_t *address)
{
    if (space != SPACE_GENERIC)
        return space;
    return in_window(address, SHARED_WINDOW)     ? SPACE_SHARED
           : in_window(address, LOCAL_WINDOW)    ? SPACE_LOCAL
           : in_window(address, CONSTANT_WINDOW) ? SPACE_CONSTANT
                                                 : SPACE_GLOBAL;
}

static char *find_memory(const struct machine *machine, const struct thread *thread, enum hx_space space,
                         uint64_t address, uint64_t width)
{
    const struct reference_launch *launch = machine->launch;
    space = reference_space(space, &address);
    if (space == SPACE_LOCAL)
        return within(machine->local + (size_t)(thread - machine->threads) * machine->local_bytes, 0,
                      thread->local_end, address, width);
    if (space == SPACE_SHARED)
        return within(machine->shared, 0, machine->shared_bytes, address, width);
    if (space == SPACE_CONSTANT)
        return within(machine->constants, 0, machine->constant_bytes, address, width);
    for (size_t i = 0; i < launch->program->buffers.count; i++) {
        const struct reference_buffer *buffer = &launch->buffers[i];
        char *at = within(buffer->data, buffer->address, buffer->bytes, address, width);
        if (at)
            return at;
    }
    return NULL;
}

static uint64_t load_element(const char *at, unsigned bytes)
{
    uint64_t bits = 0;
    switch (bytes) { /* sizes that the compiler knows */
    case 1:
        return (uint8_t)*at;
    case 2:
        memcpy(&bits, at, 2);
        return bits;
    case 4:
        memcpy(&bits, at, 4);
        return bits;
    default:
        memcpy(&bits, at, 8);
        return bits;
    }
}

static void store_element(char *at, uint64_t bits, unsigned bytes)
{
    switch (bytes) {
    case 1:
        *at = (char)bits;
        break;
    case 2:
        memcpy(at, &bits, 2);
        break;
    case 4:
        memcpy(at, &bits, 4);
        break;
    default:
        memcpy(at, &bits, 8);
    }
}

static enum reference_end access_memory(const struct machine *machine, struct thread *thread,
                                        const struct step *step)
{
    const uint64_t width = (uint64_t)step->bytes * step->count, address = address_of(machine, thread, step);
    const bool stores = step->meaning >= MEANING_STORE_GLOBAL && step->meaning <= MEANING_STORE_GENERIC;
    const struct value_place *first = stores ? &step->source[0] : &step->result[0];
    if (address & (width - 1)) /* a power of two */
        return REFERENCE_MISALIGNED;
    char *at = find_memory(machine, thread, step->instruction->opcode->space, address, width);
    if (!at)
        return REFERENCE_OUT_OF_RANGE;
    reference_note_access(machine, thread, step->instruction->opcode->space, address);
    if (step->meaning == MEANING_ATOMIC) {
        const uint64_t old = load_element(at, step->bytes);
        const uint64_t b = reference_read(machine, thread, &step->source[0]);
        const uint64_t f = step->sources > 1 ? reference_read(machine, thread, &step->source[1]) : 0;
        store_element(at, reference_atomic(step->instruction, old, b, f), step->bytes);
        if (step->results > 0)
            reference_write(thread, &step->result[0], old, (hx_type)step->instruction->type);
        return REFERENCE_DONE;
    }
    for (unsigned i = 0; i < step->count; i++, at += step->bytes) {
        struct value_place place = *first;
        place.reg = (uint8_t)(place.reg + (place.kind == PLACE_REGISTER ? i : 0));
        if (stores)
            store_element(at, reference_read(machine, thread, &place), step->bytes);
        else
            reference_write(thread, &place, load_element(at, step->bytes), (hx_type)step->instruction->type);
    }
    return REFERENCE_DONE;
}

/* ---- Control flow -----------------------------------------------------------------------------------------
 */

/* Counts down and says whether to jump. A counter of 0 stays as it is. */
static bool count_down(struct thread *thread, const struct step *step)
{
    const hx_type type = (hx_type)step->instruction->type;
    uint64_t *reg = &thread->registers[step->result[0].reg];
    int64_t value;
    switch (type) {
    case HX_TYPE_I32:
        value = (int32_t)*reg;
        break;
    case HX_TYPE_U32:
        value = (uint32_t)*reg;
        break;
    case HX_TYPE_I64:
        value = (int64_t)*reg;
        break;
    default:
        value = *reg > INT64_MAX ? INT64_MAX : (int64_t)*reg; /* only whether it is above 1 matters */
    }
    if (value <= 0)
        return false;
    *reg = reference_extended(*reg - 1, type);
    return value > 1;
}

/* What waits for other threads; others (a nop, a fence) are done at once. */
static void wait(struct machine *machine, struct thread *thread, const struct step *step)
{
    switch (step->meaning) {
    case MEANING_BARRIER:
        thread->state = THREAD_WAITS;
        thread->barrier = step->small;
        thread->barrier_count = (uint32_t)reference_read(machine, thread, &step->source[0]);
        thread->waits_for = step;
        break;
    case MEANING_BARRIER_ARRIVE:
        machine->arrived[step->small]++;
        machine->arrived_count[step->small] = (uint32_t)reference_read(machine, thread, &step->source[0]);
        break;
    case MEANING_BARRIER_RED_POPC:
    case MEANING_BARRIER_RED_AND:
    case MEANING_BARRIER_RED_OR:
        thread->state = THREAD_WAITS;
        thread->barrier = step->small;
        thread->barrier_count = (uint32_t)reference_read(machine, thread, &step->source[1]);
        thread->waits_for = step;
        break;
    case MEANING_COLLECTIVE:
        thread->state = THREAD_WAITS;
        thread->barrier = BARRIER_OF_BLOCK;
        thread->barrier_count = 0;
        thread->waits_for = step;
        break;
    case MEANING_WARP:
    case MEANING_WARP_SYNC:
        thread->state = THREAD_AT_WARP;
        thread->waits_for = step;
        break;
    default:
        break;
    }
}

static enum reference_end flow(struct machine *machine, struct thread *thread, const struct step *step)
{
    switch (step->meaning) {
    case MEANING_BRANCH:
        thread->at = step->target;
        return REFERENCE_DONE;
    case MEANING_JUMP_TABLE: {
        const uint32_t index = (uint32_t)reference_read(machine, thread, &step->source[0]);
        if (index >= step->small)
            return REFERENCE_JUMP_TABLE;
        thread->at = step->target + index;
        return REFERENCE_DONE;
    }
    case MEANING_LOOP:
        if (count_down(thread, step))
            thread->at = step->target;
        return REFERENCE_DONE;
    case MEANING_CALL:
    case MEANING_CALL_TABLE: {
        const bool by_table = step->meaning == MEANING_CALL_TABLE;
        const uint32_t index = by_table ? (uint32_t)reference_read(machine, thread, &step->source[0]) : 0;
        if (thread->depth == CALL_DEPTH_MAX)
            return REFERENCE_CALL_DEPTH;
        if (by_table && index >= step->small)
            return REFERENCE_JUMP_TABLE;
        thread->caller_local[thread->depth] = thread->local_end;
        thread->returns[thread->depth++] = thread->at;
        thread->at = step->target + index;
        return REFERENCE_DONE;
    }
    case MEANING_RETURN:
        if (thread->depth == 0) {
            thread->state = THREAD_DONE;
            return REFERENCE_DONE;
        }
        thread->at = thread->returns[--thread->depth];
        thread->local_end = thread->caller_local[thread->depth];
        return REFERENCE_DONE;
    case MEANING_EXIT:
        thread->state = THREAD_DONE;
        return REFERENCE_DONE;
    case MEANING_ASSERT:
        return reference_read(machine, thread, &step->source[0]) ? REFERENCE_DONE : REFERENCE_ASSERT;
    case MEANING_TRAP:
        return REFERENCE_TRAP;
    case MEANING_STACK_TAKE:
    case MEANING_STACK_SAVE:
    case MEANING_STACK_RESTORE:
        return reference_stack(machine, thread, step);
    case MEANING_UNKNOWN:
        return REFERENCE_UNKNOWN;
    default:
        wait(machine, thread, step);
        return REFERENCE_DONE;
    }
}

/* Runs a thread until its turn is over. */
static enum reference_end run_thread(struct machine *machine, struct thread *thread)
{
    const uint64_t most = machine->launch->max_instructions ? machine->launch->max_instructions : UINT64_MAX;
    enum reference_end end = REFERENCE_DONE;
    for (int jumps = 0; jumps < TURN_JUMPS && thread->state == THREAD_READY;) {
        if (thread->at >= machine->step_count)
            return REFERENCE_FELL_OFF_END;
        if (++machine->result.instructions > most)
            return REFERENCE_LIMIT;
        const uint32_t here = thread->at++;
        const struct step *step = &machine->steps[here];
        const struct instruction *instruction = step->instruction;
        machine->result.instruction = here;
        thread->takes_part =
            instruction->guard < 0 || thread->predicates[instruction->guard] != instruction->guard_negated;
        if (reference_note(machine, thread, here) != REFERENCE_DONE)
            return REFERENCE_NO_MEMORY;
        if (!thread->takes_part && !reference_meets(step))
            continue;
        if (step->meaning < MEANING_LOAD_GLOBAL)
            compute(machine, thread, step);
        else if (step->meaning < MEANING_BRANCH)
            end = access_memory(machine, thread, step);
        else
            end = flow(machine, thread, step);
        if (end != REFERENCE_DONE)
            return end;
        jumps += thread->at <= here;
    }
    return REFERENCE_DONE;
}

/* ---- Blocks -----------------------------------------------------------------------------------------------
 */

/* Lets the threads go that wait at a barrier which is complete; returns how many. */
static uint32_t release(struct machine *machine)
{
    uint32_t waiting[BARRIER_COUNT + 1] = {0}, wanted[BARRIER_COUNT + 1] = {0}, alive = 0, released = 0;
    for (uint32_t b = 0; b < BARRIER_COUNT; b++) {
        waiting[b] = machine->arrived[b];
        wanted[b] = machine->arrived_count[b];
    }
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        const struct thread *thread = &machine->threads[t];
        alive += thread->state != THREAD_DONE;
        if (thread->state != THREAD_WAITS)
            continue;
        waiting[thread->barrier]++;
        wanted[thread->barrier] = thread->barrier_count;
    }
    for (uint32_t b = 0; b <= BARRIER_COUNT; b++) {
        if (waiting[b] == 0 || waiting[b] < (wanted[b] ? wanted[b] : alive))
            continue;
        if (b == BARRIER_OF_BLOCK)
            reference_collective(machine);
        else
            reference_votes(machine, b);
        for (uint32_t t = 0; t < machine->thread_count; t++) {
            struct thread *thread = &machine->threads[t];
            if (thread->state == THREAD_WAITS && thread->barrier == b) {
                thread->state = THREAD_READY;
                released++;
            }
        }
        if (b < BARRIER_COUNT)
            machine->arrived[b] = 0;
    }
    return released;
}

static void start_block(struct machine *machine)
{
    const struct reference_launch *launch = machine->launch;
    machine->block_x = machine->block % launch->grid[0];
    machine->block_y = machine->block / launch->grid[0] % launch->grid[1];
    machine->block_z = machine->block / launch->grid[0] / launch->grid[1];
    memset(machine->shared, 0xa5,
           machine->shared_bytes); /* no program of ours reads it before it is written */
    memset(machine->arrived, 0, sizeof machine->arrived);
    memset(machine->local, 0xa5, machine->thread_count * machine->local_bytes);
    for (uint32_t t = 0; t < machine->thread_count; t++) {
        struct thread *thread = &machine->threads[t];
        memset(thread, 0, sizeof *thread);
        thread->local_end = launch->kernel->local.bytes;
        thread->x = t % launch->block[0];
        thread->y = t / launch->block[0] % launch->block[1];
        thread->z = t / launch->block[0] / launch->block[1];
    }
}

static enum reference_end run_block(struct machine *machine)
{
    start_block(machine);
    for (;;) {
        bool any_ready = false, any_waits = false;
        for (uint32_t t = 0; t < machine->thread_count; t++) {
            const enum reference_end end = run_thread(machine, &machine->threads[t]);
            if (end != REFERENCE_DONE)
                return end;
            any_ready |= machine->threads[t].state == THREAD_READY;
            any_waits |=
                machine->threads[t].state != THREAD_READY && machine->threads[t].state != THREAD_DONE;
        }
        if (reference_warps(machine))
            continue;
        if (!any_ready && !any_waits)
            return REFERENCE_DONE;
        if (any_waits && release(machine) == 0 && !any_ready)
            return REFERENCE_DEADLOCK;
    }
}

/* ---- Launches ---------------------------------------------------------------------------------------------
 */

/* Constants may be addresses of buffers. */
static bool fill_addresses(struct machine *machine)
{
    const hx_program *program = machine->launch->program;
    uint64_t *addresses = calloc(program->buffers.count + 1, sizeof *addresses);
    if (!addresses)
        return false;
    for (size_t i = 0; i < program->buffers.count; i++)
        addresses[i] = machine->launch->buffers[i].address;
    for (size_t i = 0; i < program->constants.count; i++) {
        const struct array *array = &program->constants.items[i];
        address_fill(program, array, machine->constants + array->offset, addresses);
    }
    free(addresses);
    return true;
}

static bool fill_constants(struct machine *machine)
{
    const hx_program *program = machine->launch->program;
    machine->constant_bytes = program->constants.bytes;
    machine->constants = calloc(machine->constant_bytes + 1, 1);
    for (size_t i = 0; machine->constants && i < program->constants.count; i++) {
        const struct array *array = &program->constants.items[i];
        if (program_fill(program, array, &array->fill, machine->constants + array->offset, NULL, NULL,
                         NULL) != HX_OK)
            return false;
    }
    return machine->constants && fill_addresses(machine);
}

static bool prepare(struct machine *machine)
{
    const struct reference_launch *launch = machine->launch;
    const struct kernel *kernel = launch->kernel;
    machine->thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    machine->step_count = kernel->code_count;
    machine->steps = calloc((size_t)kernel->code_count + 1, sizeof *machine->steps);
    machine->threads = calloc(machine->thread_count, sizeof *machine->threads);
    machine->shared_bytes = kernel->shared.bytes + launch->dynamic_shared_bytes;
    machine->shared = calloc(machine->shared_bytes + 1, 1);
    machine->local_bytes = kernel->local.bytes + reference_stack_bytes(kernel);
    machine->local = calloc(machine->thread_count * machine->local_bytes + 1, 1);
    if (!machine->steps || !machine->threads || !machine->shared || !machine->local ||
        !fill_constants(machine) || !reference_traces_init(machine))
        return false;
    for (uint32_t i = 0; i < kernel->code_count; i++)
        reference_prepare(launch, &kernel->code[i], &machine->steps[i]);
    return true;
}

struct reference_result reference_run(const struct reference_launch *launch)
{
    struct machine machine = {.launch = launch, .result = {.end = REFERENCE_DONE}};
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (launch->blocks && launch->blocks < blocks)
        blocks = launch->blocks;
    if (!prepare(&machine))
        machine.result.end = REFERENCE_NO_MEMORY;
    for (; machine.result.end == REFERENCE_DONE && machine.block < blocks; machine.block++) {
        machine.result.end = run_block(&machine);
        reference_count_block(&machine);
        machine.result.blocks += machine.result.end == REFERENCE_DONE;
    }
    reference_traces_done(&machine);
    free(machine.steps);
    free(machine.threads);
    free(machine.shared);
    free(machine.local);
    free(machine.constants);
    return machine.result;
}
