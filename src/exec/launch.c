/* Launches.
 *
 * Takes a kernel, a shape and buffers; checks the shape, binds the kernel, hands blocks to workers from one
 * counter, and adds up what they counted. A worker runs one block at a time; when a block yields (its threads
 * spin on something), the worker starts another beside it, and goes round, so that a block that waits for
 * another one's flag does not wait for ever. */
#include "exec/observer.h"

#include "base/order.h"
#include "exec/block.h"
#include "exec/collect.h"
#include "exec/driver.h"
#include "exec/fast/pack_blocks.h"
#include "exec/faults.h"
#include "exec/flow/print.h"
#include "exec/kernel.h"
#include "exec/probes.h"
#include "exec/times.h"

#include <stdio.h>
#include <string.h>

#define FUEL_DEFAULT     2048
#define FUEL_BOUNDED     64 /* with --max-instructions: checked more often */
#define SHARED_MAX_BYTES (228u << 10)
#define THREADS_MAX      1024u
#define RESIDENT_MAX     4096
/* Blocks that a worker is handed at once: few enough that all workers come to the end together. */
#define HANDOUT_MAX    16u
#define HANDOUTS_LEAST 16u

struct hx_kernel {
    const hx_allocator *allocator;
    const hx_program *program;
    struct verified_kernel *verified;
    struct lowered_kernel *lowered, *packed; /* packed: for gangs of several blocks, or NULL */
    const struct kernel *code;
    char *constants;
};

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static hx_status fill_constants(hx_kernel *kernel, hx_diag *diag)
{
    const struct array_list *list = &kernel->program->constants;
    kernel->constants = memory_allocate_aligned(kernel->allocator, list->bytes + 64);
    if (!kernel->constants)
        return diag_no_memory(diag);
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        hx_status status = program_fill(kernel->program, array, &array->fill,
                                        kernel->constants + array->offset, kernel->allocator, diag);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

hx_status hx_kernel_new(const hx_program *program, size_t index, const hx_allocator *allocator, hx_diag *diag,
                        hx_kernel **ret_kernel)
{
    if (index >= program->kernel_count)
        return diag_report(diag, DIAG_LAUNCH_SHAPE, (struct place){0}, NULL, "program '%s' has no kernel %zu",
                           program->name, index);
    hx_kernel *kernel = memory_allocate(allocator, 1, sizeof *kernel);
    if (!kernel)
        return diag_no_memory(diag);
    *kernel = (hx_kernel){.allocator = allocator, .program = program, .code = &program->kernels[index]};
    hx_status status = verify_kernel(program, kernel->code, allocator, diag, &kernel->verified);
    if (status == HX_OK)
        status = lower_kernel(program, kernel->verified, allocator, diag, &kernel->lowered, &kernel->packed);
    if (status == HX_OK)
        status = fill_constants(kernel, diag);
    if (status != HX_OK) {
        hx_kernel_free(kernel);
        return status;
    }
    *ret_kernel = kernel;
    return HX_OK;
}

void hx_kernel_free(hx_kernel *kernel)
{
    if (!kernel)
        return;
    lower_free(kernel->packed);
    lower_free(kernel->lowered);
    verify_free(kernel->verified);
    memory_free_aligned(kernel->allocator, kernel->constants);
    memory_free(kernel->allocator, kernel);
}

/* Does the program launch it in blocks of which a gang has room for several? */
static bool has_small_blocks(const hx_kernel *kernel)
{
    for (size_t i = 0; i < kernel->program->step_count; i++) {
        const struct launch_step *step = &kernel->program->steps[i];
        const uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
        if (step->kernel == kernel->code && threads <= GANG_LANES_MAX / 2)
            return true;
    }
    return false;
}

hx_status hx_kernel_print(const hx_kernel *kernel, hx_write_function write, void *user)
{
    return lower_print(kernel->lowered, has_small_blocks(kernel) ? kernel->packed : NULL, write, user);
}

const struct lowered_kernel *kernel_lowered(const hx_kernel *kernel)
{
    return kernel->lowered;
}

uint32_t hx_kernel_instructions(const hx_kernel *kernel)
{
    return kernel->code->code_count;
}

const struct kernel *exec_kernel_code(const hx_kernel *kernel)
{
    return kernel->code;
}

uint32_t exec_access_bytes(const struct instruction *instruction)
{
    const bool memory = shape_is_memory(instruction->opcode->shape);
    return memory ? (uint32_t)hx_type_bytes(instruction->type) * instruction_vector(instruction) : 0;
}

/* ---- Workers ------------------------------------------------------------------------------------------- */

/* The next slot of those that the worker was handed, or of a further handful: asking for each one costs more
 * than a small block takes. */
static bool take_item(struct worker *worker, uint64_t *ret_number)
{
    struct launch *launch = worker->launch;
    const uint64_t seed = launch->options.seed;
    if (worker->next_turn == worker->end_turn) {
        const uint64_t first = atomic_fetch_add(&launch->next_item, launch->handout);
        const uint64_t left = first < launch->item_count ? launch->item_count - first : 0;
        worker->next_turn = first;
        worker->end_turn = first + (left < launch->handout ? left : launch->handout);
    }
    if (worker->next_turn == worker->end_turn)
        return false;
    const uint64_t turn = worker->next_turn++;
    *ret_number = seed ? order_item(seed, launch->item_count, turn) : turn;
    return true;
}

static struct block *new_slot(struct worker *worker)
{
    const hx_allocator *allocator = device_allocator(worker->launch->device);
    struct block *block = block_new(worker);
    if (block && LIST_PUSH(allocator, &worker->slots, block))
        return block;
    block_free(block);
    return NULL;
}

/* A block that another may run beside: a free slot, or a new one while memory and the grid last. */
static bool start_another(struct worker *worker)
{
    uint64_t number;
    struct block *slot = NULL;
    for (size_t i = 0; i < worker->slots.count && !slot; i++)
        slot = worker->slots.items[i]->active ? NULL : worker->slots.items[i];
    if (!slot && worker->slots.count < RESIDENT_MAX &&
        (worker->next_turn < worker->end_turn ||
         atomic_load(&worker->launch->next_item) < worker->launch->item_count))
        slot = new_slot(worker);
    if (!slot || !take_item(worker, &number))
        return false;
    block_start(slot, number);
    return true;
}

/* Goes round the resident blocks until all are done. False when the launch must stop. */
static bool run_resident(struct worker *worker)
{
    bool any = true;
    while (any) {
        any = false;
        for (size_t i = 0; i < worker->slots.count; i++) {
            struct block *block = worker->slots.items[i];
            if (!block->active)
                continue;
            switch (block_run(block)) {
            case BLOCK_STOPPED:
                worker->blocks_done += block->active ? 0 : block->blocks;
                return false;
            case BLOCK_DONE:
                worker->blocks_done += block->blocks;
                break;
            case BLOCK_YIELDED:
                (void)start_another(worker);
                any = true;
            }
        }
    }
    return true;
}

static void run_blocks(struct worker *worker)
{
    struct launch *launch = worker->launch;
    uint64_t block;
    struct block *first = new_slot(worker);
    if (!first) {
        uint32_t running = STOP_NO;
        atomic_compare_exchange_strong(&launch->stop, &running, STOP_NO_MEMORY);
        return;
    }
    while (take_item(worker, &block)) {
        block_start(first, block);
        if (!run_resident(worker))
            return;
    }
}

static void work(void *user, uint32_t number)
{
    struct launch *launch = user;
    struct worker *worker = &launch->worker_states[number];
    if (atomic_load(&launch->next_item) >= launch->item_count)
        return;
    if (launch->driver == DRIVER_TAPED)
        worker->tape = launch->observer->tape(launch->observer->user, number);
    if (launch->keeps_times)
        worker->times.begin = times_now(launch);
    run_blocks(worker);
    for (size_t i = 0; i < worker->slots.count; i++)
        if (worker->slots.items[i]->active) /* stopped on its way */
            block_tell_end(worker->slots.items[i]);
    if (launch->keeps_times)
        worker->times.end = times_now(launch);
}

/* ---- Setting up ---------------------------------------------------------------------------------------- */

static hx_status bad_shape(hx_diag *diag, const char *what, uint64_t value, const char *most)
{
    return diag_report(diag, DIAG_LAUNCH_SHAPE, (struct place){0}, NULL,
                       "%s of %llu is not possible: it is %s", what, (unsigned long long)value, most);
}

static hx_status check_shape(struct launch *launch, hx_diag *diag)
{
    static const uint32_t grid_max[] = {2147483647u, 65535u, 65535u}, block_max[] = {1024u, 1024u, 64u};
    static const char *const grid_text[] = {"1 to 2147483647 in x", "1 to 65535 in y", "1 to 65535 in z"};
    static const char *const block_text[] = {"1 to 1024 in x", "1 to 1024 in y", "1 to 64 in z"};
    hx_launch_options *options = &launch->options;
    launch->block_count = launch->threads_per_block = 1;
    for (int i = 0; i < 3; i++) {
        options->grid[i] += options->grid[i] == 0;
        options->block[i] += options->block[i] == 0;
        if (options->grid[i] > grid_max[i])
            return bad_shape(diag, "a grid", options->grid[i], grid_text[i]);
        if (options->block[i] > block_max[i])
            return bad_shape(diag, "a block", options->block[i], block_text[i]);
        launch->block_count *= options->grid[i];
        launch->threads_per_block *= options->block[i];
    }
    if (launch->threads_per_block > THREADS_MAX)
        return bad_shape(diag, "a block", launch->threads_per_block, "at most 1024 threads");
    options->warp_size = options->warp_size ? options->warp_size : 32;
    if (options->warp_size > 64 || (options->warp_size & (options->warp_size - 1)))
        return bad_shape(diag, "a warp", options->warp_size, "1, 2, 4, 8, 16, 32 or 64 lanes");
    if (options->gang_lanes > GANG_LANES_MAX)
        return bad_shape(diag, "a gang", options->gang_lanes, "1 to 256 lanes");
    uint64_t fixed = launch->shared_bytes;
    if (options->dynamic_shared_bytes > SHARED_MAX_BYTES ||
        fixed > SHARED_MAX_BYTES - options->dynamic_shared_bytes)
        return bad_shape(diag, "shared memory", fixed + options->dynamic_shared_bytes,
                         "at most 233472 bytes (228 KiB) of a block");
    launch->shared_bytes = fixed + options->dynamic_shared_bytes;
    return HX_OK;
}

size_t exec_gathered_count(const hx_kernel *kernel)
{
    return kernel->program->param_count + kernel->program->buffers.count;
}

void exec_gather(const hx_kernel *kernel, hx_buffer *const *buffers, uint64_t *ret_values)
{
    const hx_program *program = kernel->program;
    for (size_t i = 0; i < program->param_count; i++)
        ret_values[i] = program->params[i].bits;
    for (size_t i = 0; i < program->buffers.count; i++)
        ret_values[program->param_count + i] = hx_buffer_address(buffers[i]);
}

static hx_status prepare_workers(struct launch *launch, const struct kernel *code, struct arena *arena,
                                 hx_diag *diag)
{
    uint32_t most = hx_device_workers(launch->device);
    launch->workers =
        launch->options.workers && launch->options.workers < most ? launch->options.workers : most;
    if (launch->workers > launch->item_count)
        launch->workers = (uint32_t)launch->item_count;
    const uint64_t share = launch->item_count / ((uint64_t)launch->workers * HANDOUTS_LEAST);
    launch->handout = share < 1 ? 1 : share > HANDOUT_MAX ? HANDOUT_MAX : (uint32_t)share;
    launch->worker_states = ARENA_ARRAY(arena, struct worker, launch->workers);
    launch->access_bytes = ARENA_ARRAY(arena, uint32_t, code->code_count);
    if (!launch->worker_states || !launch->access_bytes)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < code->code_count; i++)
        launch->access_bytes[i] = exec_access_bytes(&code->code[i]);
    for (uint32_t i = 0; i < launch->workers; i++) {
        struct worker *worker = &launch->worker_states[i];
        worker->launch = launch;
        worker->number = i;
        worker->windows = ARENA_ARRAY(arena, struct memory_window, launch->bound->window_slots);
        if (!worker->windows)
            return diag_no_memory(diag);
        const hx_status status = collect_init(worker, arena, diag);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static void add_counts(const struct launch *launch, const struct kernel *code, hx_counts *counts)
{
    for (uint32_t w = 0; w < launch->workers; w++)
        for (uint32_t i = 0; i < code->code_count; i++) {
            const struct issue_count *count = &launch->worker_states[w].counts[i];
            const struct instruction *instruction = &code->code[i];
            const struct isa_opcode *opcode = instruction->opcode;
            counts->issues += count->issues;
            counts->thread_instructions += count->lanes;
            counts->flops += (uint64_t)(instruction_flops(instruction) * (double)count->lanes);
            const uint64_t bytes = count->lanes * launch->access_bytes[i];
            counts->loaded_bytes[opcode->space] += opcode->shape == SHAPE_STORE ? 0 : bytes;
            counts->stored_bytes[opcode->space] += opcode->shape == SHAPE_LOAD ? 0 : bytes;
        }
}

static hx_status conclude(struct launch *launch, hx_diag *diag, hx_launch_result *result)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    result->duration_ns = machine_now_ns() - launch->start_ns;
    collect_end(launch);
    result->blocks = launch->block_count;
    result->threads = launch->block_count * launch->threads_per_block;
    result->workers = launch->workers;
    result->gang_lanes = launch->bound->gang_lanes;
    for (uint32_t i = 0; i < launch->workers; i++)
        result->blocks_done += launch->worker_states[i].blocks_done;
    add_counts(launch, code, &result->counts);
    result->fault = launch->fault;
    switch ((enum stop)atomic_load(&launch->stop)) {
    case STOP_NO:
        return HX_OK;
    case STOP_FAULT:
        return fault_report(launch, &launch->fault, diag);
    case STOP_TIMEOUT:
        diag_report(diag, DIAG_TIMEOUT, code->place, "give it more with --timeout",
                    "kernel '%s' ran longer than %.3g s", code->name,
                    (double)launch->options.timeout_ns * 1e-9);
        return HX_LIMIT;
    case STOP_INSTRUCTIONS:
        diag_report(diag, DIAG_INSTRUCTIONS, code->place, "allow more with --max-instructions",
                    "kernel '%s' ran more than %llu thread-instructions", code->name,
                    (unsigned long long)launch->options.max_instructions);
        return HX_LIMIT;
    case STOP_INTERRUPTED:
        diag_report(diag, DIAG_INTERRUPTED, code->place, NULL, "kernel '%s' was interrupted", code->name);
        return HX_INTERRUPTED;
    case STOP_NO_MEMORY:
        break;
    }
    return diag_no_memory(diag);
}

static void release(struct launch *launch)
{
    const hx_allocator *allocator = device_allocator(launch->device);
    for (uint32_t i = 0; i < launch->workers && launch->worker_states; i++) {
        struct worker *worker = &launch->worker_states[i];
        for (size_t k = 0; k < worker->slots.count; k++) {
            struct block *block = worker->slots.items[k];
            if (block->active) /* stopped on its way */
                print_finish_block(block);
            block_free(block);
        }
        LIST_DONE(allocator, &worker->slots);
    }
    print_finish_launch(launch);
    pthread_mutex_destroy(&launch->fault_lock);
    /* one that came when all was done is for the next launch */
    if (atomic_load(&launch->stop) == STOP_INTERRUPTED)
        atomic_store(device_interrupted(launch->device), false);
}

static hx_status run(struct launch *launch, const hx_kernel *kernel, const struct observer *observer,
                     hx_diag *diag, hx_launch_result *result)
{
    const bool whole = launch->observed & OBSERVE_LAUNCH;
    if (whole) {
        hx_status status = observer->begin(observer->user, kernel->program, kernel->code, &launch->options);
        if (status != HX_OK)
            return status;
    }
    /* what warps do must not depend on a bound */
    const bool is_bounded = launch->options.max_instructions && launch->driver != DRIVER_WATCHED;
    launch->drive = driver_at(launch->driver);
    launch->fuel = is_bounded ? FUEL_BOUNDED : FUEL_DEFAULT;
    collect_begin(launch);
    launch->start_ns = machine_now_ns();
    launch->deadline_ns = launch->options.timeout_ns ? launch->start_ns + launch->options.timeout_ns : 0;
    device_run(launch->device, launch->workers, work, launch);
    hx_status status = conclude(launch, diag, result);
    if (whole)
        observer->end(observer->user, result);
    return status;
}

static void give_result(const hx_launch_result *result, hx_launch_result *ret_result)
{
    memcpy(ret_result, result,
           ret_result->size && ret_result->size < sizeof *result ? ret_result->size : sizeof *result);
}

/* Drivers that look at each issue are shown each. */
static enum fusing fusing_of(enum driver driver)
{
    return driver == DRIVER_PLAIN     ? FUSE_PLAIN
           : driver == DRIVER_COUNTED ? FUSE_COUNTED
           : driver == DRIVER_SAMPLED ? FUSE_SAMPLED
                                      : FUSE_NOTHING;
}

/* With the device locked. */
static hx_status launch_locked(struct launch *launch, const hx_kernel *kernel,
                               const hx_launch_options *options, const struct observer *observer,
                               hx_diag *diag, hx_launch_result *result)
{
    hx_device *device = launch->device;
    HX_AUTO(arena_done) struct arena arena = {.allocator = device_allocator(device)};
    struct bound_kernel *bound = NULL;
    struct probes probes;
    observer = probes_watch(&probes, observer);
    memcpy(&launch->options, options,
           options->size && options->size < sizeof *options ? options->size : sizeof *options);
    pthread_mutex_init(&launch->fault_lock, NULL);
    launch->shared_bytes = kernel->code->shared.bytes;
    launch->constants =
        (struct memory_window){.size = kernel->program->constants.bytes, .host = kernel->constants};
    hx_status status = check_shape(launch, diag);
    collect_choose(launch, observer);
    if (launch->driver == DRIVER_WATCHED ||
        (launch->observed & OBSERVE_WARPS)) /* an issue to a gang is one to a warp */
        launch->options.gang_lanes = launch->options.warp_size;
    if (status == HX_OK)
        pack_blocks_choose(launch, kernel->packed);
    if (status == HX_OK)
        status = bind_kernel(launch->packed_blocks > 1 ? kernel->packed : kernel->lowered,
                             handlers_at((int)device_level(device)), fusing_of(launch->driver),
                             launch->options.gang_lanes,
                             (uint32_t)launch->threads_per_block * launch->packed_blocks,
                             launch->options.warp_size, &arena, diag, &bound);
    if (status == HX_OK) {
        launch->bound = bound;
        status = prepare_workers(launch, kernel->code, &arena, diag);
    }
    if (status == HX_OK)
        status = run(launch, kernel, observer, diag, result);
    release(launch);
    return status;
}

hx_status exec_launch_gathered(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                               const uint64_t *values, const struct observer *observer, hx_diag *diag,
                               hx_launch_result *ret_result)
{
    struct launch launch = {.device = device, .program = kernel->program, .parameters = values};
    hx_launch_result result = {.size = sizeof result};
    device_lock(device);
    hx_status status = launch_locked(&launch, kernel, options, observer, diag, &result);
    device_unlock(device);
    give_result(&result, ret_result);
    return status;
}

hx_status exec_launch(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                      hx_buffer *const *buffers, const struct observer *observer, hx_diag *diag,
                      hx_launch_result *ret_result)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = device_allocator(device)};
    uint64_t *values = ARENA_ARRAY(&arena, uint64_t, exec_gathered_count(kernel));
    if (!values) {
        const hx_launch_result nothing = {.size = sizeof nothing};
        give_result(&nothing, ret_result);
        return diag_no_memory(diag);
    }
    exec_gather(kernel, buffers, values);
    return exec_launch_gathered(device, kernel, options, values, observer, diag, ret_result);
}

hx_status hx_launch(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                    hx_buffer *const *buffers, hx_diag *diag, hx_launch_result *ret_result)
{
    return exec_launch(device, kernel, options, buffers, NULL, diag, ret_result);
}
