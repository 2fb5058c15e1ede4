/* Faults.
 *
 * Takes the state of a gang at the moment something went wrong, leaves an hx_fault that outlives
 * it: the instruction, the thread, the address and what lies near it, the values that made the address. */
#include "exec/faults.h"

#include "exec/flow/paths.h"
#include "exec/strays.h"
#include "program/image.h"

#include <stdio.h>
#include <string.h>

const char *hx_fault_text(hx_fault_kind kind)
{
    static const char *const texts[] = {
#define FAULT_TEXT(name, text) text,
        HX_FAULT_LIST(FAULT_TEXT)
#undef FAULT_TEXT
    };
    return (unsigned)kind < HX_COUNT_OF(texts) ? texts[kind] : "unknown fault";
}

static void stop(struct launch *launch, const hx_fault *fault, bool is_reported)
{
    pthread_mutex_lock(&launch->fault_lock);
    if (launch->fault.kind == HX_FAULT_NONE) {
        launch->fault = *fault;
        launch->fault_is_reported = is_reported;
    }
    pthread_mutex_unlock(&launch->fault_lock);
    uint32_t running = STOP_NO;
    atomic_compare_exchange_strong(&launch->stop, &running, STOP_FAULT);
}

static void keep(struct worker *worker, const hx_fault *fault)
{
    struct launch *launch = worker->launch;
    int is_reported = 0;
    const hx_fault_event event = {.worker = worker->number, .fault = fault, .is_reported = &is_reported};
    if (launch->wanted & HX_EVENT_FAULT)
        listener_fault(&launch->listeners, &event);
    stop(launch, fault, is_reported != 0);
}

/* The same for a fault that a listener may let by; true: one does. */
static bool is_let_by(struct worker *worker, const hx_fault *fault, uint32_t first_thread, uint64_t lanes)
{
    struct launch *launch = worker->launch;
    int is_reported = 0, is_let_by = 0;
    const hx_fault_event event = {.worker = worker->number,
                                  .fault = fault,
                                  .is_reported = &is_reported,
                                  .is_let_by = &is_let_by,
                                  .first_thread = first_thread,
                                  .lanes = lanes};
    if (launch->wanted & HX_EVENT_FAULT)
        listener_fault(&launch->listeners, &event);
    if (!is_let_by)
        stop(launch, fault, is_reported != 0);
    return is_let_by != 0;
}

/* Of several blocks that share a gang, each counts its own threads. */
static uint32_t thread_in_block(const struct gang_state *state, uint32_t lane)
{
    return gang_thread(state, lane) % (uint32_t)gang_launch(state)->threads_per_block;
}

static void place_fault(const struct gang_state *state, const struct op *op, uint32_t lane, hx_fault *fault)
{
    const uint32_t thread = thread_in_block(state, lane);
    fault->instruction = op->instruction;
    memcpy(fault->block, state->block->ctaid, sizeof fault->block);
    fault->block[0] += gang_thread(state, lane) / (uint32_t)gang_launch(state)->threads_per_block;
    for (int axis = 0; axis < 3; axis++)
        fault->thread[axis] = gang_thread_index(gang_launch(state), axis, thread);
}

static uint32_t first_lane(const uint64_t *lanes)
{
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++)
        if (lanes[chunk])
            return chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(lanes[chunk]);
    return 0;
}

void fault_at_lanes(struct gang_state *state, const struct op *op, hx_fault_kind kind, const uint64_t *lanes,
                    const char *detail)
{
    hx_fault fault = {.kind = kind};
    place_fault(state, op, first_lane(lanes), &fault);
    snprintf(fault.detail, sizeof fault.detail, "%s", detail);
    keep(state->block->worker, &fault);
}

bool fault_at_barrier_is_let_by(struct gang_state *state, const struct op *op, hx_fault_kind kind,
                                const uint64_t *lanes, const char *detail)
{
    for (uint32_t chunk = 0; chunk < GANG_CHUNKS_MAX; chunk++) {
        hx_fault fault = {.kind = kind};
        if (!lanes[chunk])
            continue;
        place_fault(state, op, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(lanes[chunk]), &fault);
        snprintf(fault.detail, sizeof fault.detail, "%s", detail);
        const uint64_t known = state->compaction.is_moved ? 0 : lanes[chunk];
        if (!is_let_by(state->block->worker, &fault, state->first_thread + chunk * LANES_PER_CHUNK, known))
            return false;
    }
    return true;
}

static void take_buffer(const hx_buffer *buffer, hx_fault *fault)
{
    snprintf(fault->nearest, sizeof fault->nearest, "%s", buffer->name);
    fault->nearest_low = buffer->window.low;
    fault->nearest_bytes = buffer->window.size;
}

static uint64_t array_bytes(const struct launch *launch, const struct array *array)
{
    return array->is_dynamic ? launch->options.dynamic_shared_bytes
                             : array->count * hx_type_bytes(array->type);
}

static void take_array(const struct launch *launch, const struct array *array, hx_fault *fault)
{
    snprintf(fault->nearest, sizeof fault->nearest, "%s", array->name);
    fault->nearest_low = array->offset;
    fault->nearest_bytes = array_bytes(launch, array);
}

/* A surface's access beyond an end is meant where it would be, were the surface larger. */
static bool is_of_image(uint64_t address, enum hx_space space)
{
    return space == SPACE_GLOBAL && address >> 62 == IMAGE_OUTSIDE >> 62;
}

static uint64_t meant(uint64_t address, enum hx_space space)
{
    return is_of_image(address, space) ? address - IMAGE_OUTSIDE : address;
}

/* The buffer or array that `base`, which the address is made from, lies in; else the nearest one. */
static void find_nearest(const struct gang_state *state, uint64_t base, hx_fault *fault)
{
    const struct launch *launch = gang_launch(state);
    const struct array_list *list = fault->space == SPACE_SHARED  ? &launch->bound->lowered->kernel->shared
                                    : fault->space == SPACE_LOCAL ? &launch->bound->lowered->kernel->local
                                                                  : &launch->program->constants;
    const hx_buffer *buffer = NULL;
    if (fault->space == SPACE_GLOBAL) {
        const struct device_memory *memory = device_memory(launch->device);
        buffer = device_memory_find(memory, base);
        fault->is_based = buffer != NULL;
        buffer = buffer ? buffer : device_memory_nearest(memory, fault->address);
        if (buffer)
            take_buffer(buffer, fault);
        return;
    }
    const struct array *nearest = NULL; /* the last that begins at or below, else the first */
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        if (!nearest || (array->offset <= fault->address && array->offset >= nearest->offset))
            nearest = array;
        if (base - array->offset < array_bytes(launch, array)) {
            take_array(launch, array, fault);
            fault->is_based = true;
        }
    }
    if (nearest && !fault->is_based)
        take_array(launch, nearest, fault);
}

static uint64_t cell_at(const struct gang_state *state, struct op_row row, uint32_t lane, unsigned bytes)
{
    const char *chunk = state->rows + row.at + (size_t)(lane / LANES_PER_CHUNK) * row.step;
    uint64_t wide;
    uint32_t narrow;
    if (bytes == 8) {
        memcpy(&wide, chunk + (size_t)(lane % LANES_PER_CHUNK) * 8, 8);
        return wide;
    }
    memcpy(&narrow, chunk + (size_t)(lane % LANES_PER_CHUNK) * 4, 4);
    return narrow;
}

/* The register of an index that is extended with zeros; -1 for any other address. */
static int unsigned_index(const struct gang_state *state, const struct op *op)
{
    const struct instruction *instruction =
        &gang_launch(state)->bound->lowered->kernel->code[op->instruction];
    for (unsigned i = 0; i < instruction->opcode->form_count; i++)
        if (instruction->operands[i].kind == OPERAND_ADDRESS &&
            (instruction->operands[i].index_kind == INDEX_U32 ||
             instruction->operands[i].index_kind == INDEX_64))
            return instruction->operands[i].index_reg;
    return -1;
}

static void tell_indexed(const struct gang_state *state, const struct op *op, uint32_t lane, hx_fault *fault,
                         uint64_t base, struct op_row index_row, enum hx_type type, long long scale)
{
    const uint64_t index = cell_at(state, index_row, lane, type_bits(type) == 64 ? 8 : 4);
    const int reg = unsigned_index(state, op);
    const bool is_negative = type != HX_TYPE_I32 && index > INT32_MAX && index <= UINT32_MAX && reg >= 0;
    const long long shown = type == HX_TYPE_I32 || is_negative ? (long long)(int32_t)index : (long long)index;
    int used = snprintf(fault->detail, sizeof fault->detail, "base 0x%llx + index %lld * %lld + offset %lld",
                        (unsigned long long)base, shown, scale, (long long)op->immediate);
    if (is_negative && used > 0 && (size_t)used < sizeof fault->detail)
        snprintf(fault->detail + used, sizeof fault->detail - (size_t)used,
                 "; r%d was extended with zeros to %lld: write r%d.i32 for a signed index", reg,
                 (long long)index, reg);
}

/* What the address was made of: the op's own index, or the ADDRESS micro-op of the same instruction. Returns
 * the base. */
static uint64_t tell_operands(const struct gang_state *state, const struct op *op, uint32_t lane,
                              hx_fault *fault)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    uint64_t base = cell_at(state, op->a, lane, 8);
    if (op->source_type != HX_TYPE_NONE) {
        tell_indexed(state, op, lane, fault, base, op->c, (enum hx_type)op->source_type,
                     1LL << op->scale_log2);
        return base;
    }
    for (const struct op *at = op; at >= bound->ops && at->instruction == op->instruction; at--) {
        if (bound_micro_op(bound, (uint32_t)(at - bound->ops))->semantic != SEM_address)
            continue;
        base = cell_at(state, at->a, lane, 8);
        tell_indexed(state, op, lane, fault, base, at->b, (enum hx_type)at->type, at->immediate);
        return base;
    }
    snprintf(fault->detail, sizeof fault->detail, "base 0x%llx + offset %lld", (unsigned long long)base,
             (long long)op->immediate);
    return base;
}

static uint64_t base_of(const struct gang_state *state, const struct op *op, uint32_t lane)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    if (op->source_type == HX_TYPE_NONE)
        for (const struct op *at = op; at >= bound->ops && at->instruction == op->instruction; at--)
            if (bound_micro_op(bound, (uint32_t)(at - bound->ops))->semantic == SEM_address)
                return cell_at(state, at->a, lane, 8);
    return cell_at(state, op->a, lane, 8);
}

bool fault_is_let_by(const struct gang_state *state, const struct op *op, hx_fault_kind kind, uint32_t lane,
                     const struct fault_target *target)
{
    const struct launch *launch = gang_launch(state);
    const hx_violation_event event = {.at = {.worker = state->block->worker->number,
                                             .instruction = op->instruction,
                                             .block = state->block->number,
                                             .first_thread = thread_in_block(state, lane)},
                                      .fault = kind,
                                      .space = (int)target->space,
                                      .bytes = target->bytes,
                                      .is_load = target->is_load,
                                      .is_store = target->is_store,
                                      .address = meant(target->address, target->space),
                                      .base = meant(base_of(state, op, lane), target->space),
                                      .low = target->low,
                                      .size = target->size};
    return ((launch->wanted & HX_EVENT_VIOLATION) && listener_violation(&launch->listeners, &event)) ||
           stray_is_let_by(state, op, kind, target);
}

void fault_access(struct gang_state *state, const struct op *op, hx_fault_kind kind, uint32_t lane,
                  enum hx_space space, uint64_t address, uint32_t bytes, bool is_store)
{
    hx_fault fault = {.kind = kind,
                      .address = meant(address, space),
                      .bytes = bytes,
                      .is_store = is_store,
                      .space = (int)space};
    place_fault(state, op, lane, &fault);
    find_nearest(state, meant(tell_operands(state, op, lane, &fault), space), &fault);
    if (is_of_image(address, space))
        snprintf(fault.detail, sizeof fault.detail, "a coordinate is beyond an end of the surface");
    keep(state->block->worker, &fault);
}

void fault_refused(struct gang_state *state, const struct op *op, const hx_refusal *refusal, uint32_t lane,
                   enum hx_space space, uint64_t address, uint32_t bytes, bool is_store)
{
    const bool is_kind = refusal->fault > HX_FAULT_NONE && refusal->fault <= HX_FAULT_REFUSED;
    hx_fault fault = {.kind = is_kind ? (hx_fault_kind)refusal->fault : HX_FAULT_REFUSED,
                      .address = address,
                      .bytes = bytes,
                      .is_store = is_store,
                      .space = (int)space};
    place_fault(state, op, lane, &fault);
    find_nearest(state, address, &fault);
    snprintf(fault.detail, sizeof fault.detail, "%s", refusal->detail);
    keep(state->block->worker, &fault);
}

/* ---- Launches and blocks that cannot go on --------------------------------------------------------------
 */

/* The line of the first load or atomic in the loop that begins at the op, or 0. */
static int loaded_line(const struct bound_kernel *bound, uint32_t from)
{
    const struct kernel *code = bound->lowered->kernel;
    for (uint32_t at = from; at < bound->op_count && bound->ops[at].instruction < code->code_count; at++) {
        const struct op *op = &bound->ops[at];
        const enum semantic_shape shape = code->code[op->instruction].opcode->shape;
        if (shape_is_memory(shape) && shape != SHAPE_STORE)
            return code->lines[op->instruction].place.line;
        if (shape == SHAPE_FLOW && at > from && op->target <= from)
            break;
    }
    return 0;
}

/* What the threads of a path do, as words behind their number. */
static void print_doing(const struct path *path, bool is_one, char *ret_what, size_t room)
{
    const char *s = is_one ? "s" : ""; /* of the verb */
    if (path->state == PATH_READY)
        snprintf(ret_what, room, "%s round", is_one ? "goes" : "go");
    else if (path->state == PATH_AT_WARP)
        snprintf(ret_what, room, "wait%s for lanes of %s warp", s, is_one ? "its" : "their");
    else if (path->barrier == BARRIER_COLLECTIVE)
        snprintf(ret_what, room, "wait%s for the block's threads", s);
    else
        snprintf(ret_what, room, "wait%s at barrier %u", s, path->barrier);
}

/* Adds what the path waits for, or where it loops, to the detail; the first one is the fault's place. */
static void tell_path(const struct gang_state *state, const struct path *path, hx_fault *fault)
{
    const struct bound_kernel *bound = gang_launch(state)->bound;
    const bool is_behind = path->state == PATH_AT_BARRIER; /* else it stands at its op */
    const uint32_t at = path->pc - is_behind;
    const struct op *op = &bound->ops[at];
    size_t used = strlen(fault->detail);
    char what[40];
    const uint32_t threads = lanes_count(path->lanes, GANG_CHUNKS_MAX);
    print_doing(path, threads == 1, what, sizeof what);
    if (used == 0)
        place_fault(state, op, first_lane(path->lanes), fault);
    used += (size_t)snprintf(fault->detail + used, sizeof fault->detail - used,
                             threads == 1 ? "%s%u thread (thread %u) %s, line %d"
                                          : "%s%u threads (first: thread %u) %s, line %d",
                             used ? "; " : "", threads, thread_in_block(state, first_lane(path->lanes)), what,
                             bound->lowered->kernel->lines[op->instruction].place.line);
    const int line = path->state == PATH_READY ? loaded_line(bound, at) : 0;
    if (line && used < sizeof fault->detail)
        snprintf(fault->detail + used, sizeof fault->detail - used,
                 " (line %d loads the same value for ever)", line);
}

/* Those of a block that are ready, or the others. */
static void tell_block(const struct block *block, bool are_ready, hx_fault *fault)
{
    for (uint32_t g = 0; g < block->gang_count; g++)
        for (uint32_t i = 0; i < block->gangs[g].path_count; i++) {
            const struct path *path = &block->gangs[g].paths[i];
            if ((path->state == PATH_READY) == are_ready && strlen(fault->detail) < sizeof fault->detail - 1)
                tell_path(&block->gangs[g], path, fault);
        }
}

bool fault_deadlock(struct block *block)
{
    hx_fault fault = {.kind = HX_FAULT_BARRIER_DEADLOCK};
    tell_block(block, false, &fault);
    return is_let_by(block->worker, &fault, 0, 0);
}

void fault_no_progress(struct worker *worker)
{
    hx_fault fault = {.kind = HX_FAULT_NO_PROGRESS};
    const struct block *first = NULL;
    for (size_t i = 0; i < worker->slots.count; i++) {
        const struct block *block = worker->slots.items[i];
        if (block->active && (!first || block->number < first->number))
            first = block;
    }
    tell_block(first, true, &fault);
    tell_block(first, false, &fault);
    keep(worker, &fault);
}

static void tell_range(const hx_fault *fault, char *text, size_t bytes)
{
    static const char *const spaces[] = {"", "global", "shared", "constant", "local"};
    int used =
        snprintf(text, bytes, ": %s of %u bytes at %s address 0x%llx", fault->is_store ? "store" : "load",
                 fault->bytes, spaces[fault->space], (unsigned long long)fault->address);
    const bool is_inside = fault->address - fault->nearest_low < fault->nearest_bytes;
    if (fault->nearest[0] && used > 0 && (size_t)used < bytes)
        snprintf(text + used, bytes - (size_t)used,
                 text_is_digit(fault->nearest[0]) /* of --arg */
                     ? "; %s the buffer of argument %s, 0x%llx to 0x%llx (%llu bytes)"
                     : "; %s '%s', 0x%llx to 0x%llx (%llu bytes)",
                 is_inside         ? "in"
                 : fault->is_based ? "it is made from"
                                   : "nearest is",
                 fault->nearest, (unsigned long long)fault->nearest_low,
                 (unsigned long long)(fault->nearest_low + fault->nearest_bytes - (fault->nearest_bytes > 0)),
                 (unsigned long long)fault->nearest_bytes);
}

static enum diag_code code_of(hx_fault_kind kind)
{
    static const enum diag_code codes[] = {
        [HX_FAULT_NONE] = DIAG_FAULT_TRAP,
        [HX_FAULT_OUT_OF_RANGE] = DIAG_FAULT_OUT_OF_RANGE,
        [HX_FAULT_MISALIGNED] = DIAG_FAULT_MISALIGNED,
        [HX_FAULT_READ_DENIED] = DIAG_FAULT_ACCESS,
        [HX_FAULT_WRITE_DENIED] = DIAG_FAULT_ACCESS,
        [HX_FAULT_CALL_DEPTH] = DIAG_FAULT_CALL_DEPTH,
        [HX_FAULT_BARRIER_DEADLOCK] = DIAG_FAULT_DEADLOCK,
        [HX_FAULT_BARRIER_COUNT] = DIAG_FAULT_BARRIER_COUNT,
        [HX_FAULT_JUMP_TABLE] = DIAG_FAULT_JUMP_TABLE,
        [HX_FAULT_MEMBER_MASK] = DIAG_FAULT_MEMBER_MASK,
        [HX_FAULT_ASSERT] = DIAG_FAULT_ASSERT,
        [HX_FAULT_TRAP] = DIAG_FAULT_TRAP,
        [HX_FAULT_FELL_OFF_END] = DIAG_FAULT_FELL_OFF,
        [HX_FAULT_NO_MEMORY] = DIAG_FAULT_NO_MEMORY,
        [HX_FAULT_STACK] = DIAG_FAULT_STACK,
        [HX_FAULT_REFUSED] = DIAG_FAULT_REFUSED,
        [HX_FAULT_NO_PROGRESS] = DIAG_FAULT_NO_PROGRESS,
    };
    return codes[kind];
}

hx_status fault_report(const struct launch *launch, const hx_fault *fault, hx_diag *diag)
{
    const struct kernel *kernel = launch->bound->lowered->kernel;
    uint32_t last = kernel->code_count ? kernel->code_count - 1 : 0;
    const struct code_line *line =
        &kernel->lines[fault->instruction < kernel->code_count ? fault->instruction : last];
    char range[256] = "", detail[600] = "";
    const bool is_access = fault->bytes > 0;
    /* what a compiler makes of an assertion is a call, which tells nobody anything: the detail has its text
     */
    const bool is_quoted = fault->kind != HX_FAULT_ASSERT || !kernel->is_imported;
    const bool is_in_arrays = fault->kind == HX_FAULT_OUT_OF_RANGE && fault->space != SPACE_GLOBAL;
    if (launch->fault_is_reported)
        return HX_FAULT;
    if (is_access)
        tell_range(fault, range, sizeof range);
    if (fault->detail[0])
        snprintf(detail, sizeof detail, "%s", fault->detail);
    diag_report_noted(diag, code_of(fault->kind), line->place, NULL, (struct place){0},
                      detail[0] ? detail : NULL, "%s in %s%s%sblock (%u,%u,%u), thread (%u,%u,%u)%s",
                      is_in_arrays ? "access outside every array" : hx_fault_text(fault->kind),
                      is_quoted ? "'" : "", is_quoted ? line->text : "", is_quoted ? "', " : "",
                      fault->block[0], fault->block[1], fault->block[2], fault->thread[0], fault->thread[1],
                      fault->thread[2], range);
    return fault->kind == HX_FAULT_NO_MEMORY ? HX_NO_MEMORY : HX_FAULT;
}
