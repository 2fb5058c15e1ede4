/* Launches.
 *
 * Takes a kernel, a shape, buffers and listeners; checks the shape, chooses the driver by what the listeners
 * want, binds the kernel, lets the device's threads run the grid, and adds up what they counted. */
#include "exec/launch.h"

#include "base/machine.h"
#include "exec/arguments.h"
#include "exec/block.h"
#include "exec/bounds.h"
#include "exec/counts.h"
#include "exec/driver.h"
#include "exec/fast/fast.h"
#include "exec/faults.h"
#include "exec/flow/cuts.h"
#include "exec/flow/print.h"
#include "exec/grid.h"
#include "exec/kernel.h"
#include "exec/probes.h"
#include "exec/strays.h"
#include "exec/tier/change.h"
#include "exec/tier/run.h"
#include "exec/tier/sampling.h"
#include "exec/times.h"
#include "exec/watch.h"
#include "exec/windows.h"
#include "program/address.h"

#include <stdio.h>
#include <string.h>

#define FUEL_DEFAULT 2048
#define FUEL_BOUNDED 64 /* with --max-instructions: checked more often */
#define TIMED_EVENTS (HX_EVENT_WORKERS | HX_EVENT_SAMPLE | HX_EVENT_ISSUE | HX_EVENT_BLOCK | HX_EVENT_GANG)

/* ---- Setting up ---------------------------------------------------------------------------------------- */

static size_t plain_count(const hx_program *program)
{
    return program->param_count + program->buffers.count;
}

size_t exec_gathered_count(const hx_kernel *kernel, const hx_launch_options *options)
{
    return plain_count(kernel->program) + exec_arguments_words(kernel, options);
}

/* As many as the caller says that it gives; 0: it does not say. */
static hx_status check_count(const hx_program *program, size_t given, size_t wanted, const char *what,
                             hx_diag *diag)
{
    return given == 0 || given == wanted ? HX_OK
                                         : diag_report(diag, DIAG_LAUNCH_ARGUMENT, (struct place){0},
                                                       "they are given in the program's order, all of them",
                                                       "program '%s' has %zu %s, and the launch %zu",
                                                       program->name, wanted, what, given);
}

hx_status exec_gather(hx_device *device, const hx_kernel *kernel, hx_launch_options *options,
                      hx_buffer *const *buffers, hx_diag *diag, uint64_t *ret_values)
{
    const hx_program *program = kernel->program;
    hx_status status = check_count(program, options->buffer_count, program->buffers.count, "buffers", diag);
    if (status == HX_OK)
        status = check_count(program, options->constant_count, hx_program_constant_count(program),
                             "variables in constant memory", diag);
    for (size_t i = 0; i < program->buffers.count && status == HX_OK; i++) {
        const hx_buffer *buffer = buffers ? buffers[i] : NULL;
        status = device_memory_check(device_memory(device), buffer, "a launch", diag);
        if (status != HX_OK)
            return status;
        ret_values[program->param_count + i] = hx_buffer_address(buffer);
    }
    if (status == HX_OK)
        status = address_check_narrow(program, ret_values + program->param_count, diag);
    if (status != HX_OK)
        return status;
    for (size_t i = 0; i < program->param_count; i++)
        ret_values[i] = program->params[i].follows ? ret_values[program->params[i].follows - 1]
                                                   : address_of_param(program, &program->params[i],
                                                                      ret_values + program->param_count);
    return exec_arguments_take(kernel, options, diag, ret_values, ret_values + plain_count(program));
}

/* The kernel's constants; a copy where some are arguments, addresses or given, which are known now and may be
 * others in the next launch. */
static hx_status place_constants(struct launch *launch, const hx_kernel *kernel, struct arena *arena,
                                 hx_diag *diag)
{
    const hx_program *program = kernel->program;
    const uint64_t *addresses = launch->parameters + program->param_count;
    const size_t bytes = program->constants.bytes + CONSTANTS_PADDING;
    launch->constants = (struct memory_window){.size = program->constants.bytes, .host = kernel->constants};
    const bool are_given = launch->options.constants != NULL && program->constants.count > 0;
    if (!kernel->has_addresses && !are_given && exec_arguments_words(kernel, &launch->options) == 0)
        return HX_OK;
    char *copy = arena_allocate(arena, bytes + CONSTANTS_PADDING, 1);
    if (!copy)
        return diag_no_memory(diag);
    copy += -(uintptr_t)copy % CONSTANTS_PADDING;
    memcpy(copy, kernel->constants, bytes);
    for (size_t i = 0; i < program->constants.count && !are_given; i++) {
        const struct array *array = &program->constants.items[i];
        address_fill(program, array, copy + array->offset, addresses);
    }
    if (are_given) {
        const hx_status status =
            exec_copy_constants(launch->device, program, launch->options.constants, diag, copy);
        if (status != HX_OK)
            return status;
    }
    if (launch->options.arguments)
        exec_arguments_place(kernel, launch->parameters + plain_count(program), copy);
    launch->constants.host = copy;
    return HX_OK;
}

/* Who follows the launch, and the driver that serves them. */
static hx_status choose_driver(struct launch *launch, const struct exec_listener *chain, struct arena *arena,
                               hx_diag *diag)
{
    const hx_launch_options *options = &launch->options;
    struct listener_sources sources = {
        .chain = chain, .asked = options->listeners, .asked_count = options->listener_count};
    sources.of_device = device_listeners(launch->device, &sources.device_count);
    const hx_status status = listener_set_make(&sources, arena, diag, &launch->listeners);
    launch->wanted = launch->listeners.wanted;
    if (options->counts || options->max_instructions)
        launch->wanted |= HX_EVENT_COUNTS;
    launch->keeps_times = launch->wanted & HX_EVENT_WORKERS;
    launch->driver = driver_for(launch);
    launch->is_plain = options->plain || (launch->wanted & EVENTS_OF_PLAIN);
    return status;
}

static hx_status prepare_workers(struct launch *launch, const struct kernel *code, struct arena *arena,
                                 hx_diag *diag)
{
    launch->worker_states = ARENA_ARRAY(arena, struct worker, launch->workers);
    launch->access_bytes = ARENA_ARRAY(arena, uint32_t, code->code_count);
    if (!launch->worker_states || !launch->access_bytes)
        return diag_no_memory(diag);
    for (uint32_t i = 0; i < code->code_count; i++)
        launch->access_bytes[i] = kernel_access_bytes(&code->code[i]);
    for (uint32_t i = 0; i < launch->workers; i++) {
        struct worker *worker = &launch->worker_states[i];
        worker->launch = launch;
        worker->number = i;
        hx_status status = arena_part(arena) ? windows_make(worker, arena, diag) : diag_no_memory(diag);
        if (status == HX_OK)
            status = counts_init(worker, arena, diag);
        if (status == HX_OK)
            status = tier_init_worker(worker, arena, diag);
        if (status != HX_OK)
            return status;
    }
    hx_status status = launch->driver >= DRIVER_FOLLOWED ? watch_init(launch, arena, diag) : HX_OK;
    if (status == HX_OK && (launch->wanted & HX_EVENT_VIOLATION))
        status = bounds_init(launch, arena, diag);
    return status;
}

static void start_clock(struct launch *launch)
{
    if (!(launch->wanted & TIMED_EVENTS))
        return;
    launch->timer = device_timer(launch->device);
    launch->empty_ticks = driver_empty_ticks(launch->timer);
    if (launch->keeps_times)
        launch->issue_cost = times_issue_cost(launch);
    launch->start_ticks = times_now(launch);
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static hx_status report_stop(const struct launch *launch, hx_diag *diag)
{
    const struct kernel *code = launch->bound->lowered->kernel;
    const struct place place = program_kernel_place(code);
    switch ((enum stop)atomic_load(&launch->stop)) {
    case STOP_NO:
        return HX_OK;
    case STOP_FAULT:
        return fault_report(launch, &launch->fault, diag);
    case STOP_TIMEOUT:
        diag_report(diag, DIAG_TIMEOUT, place, "give it more with --timeout",
                    "kernel '%s' ran longer than %.3g s", code->name,
                    (double)launch->options.timeout_ns * 1e-9);
        return HX_LIMIT;
    case STOP_INSTRUCTIONS:
        diag_report(diag, DIAG_INSTRUCTIONS, place, "allow more with --max-instructions",
                    "kernel '%s' ran more than %llu thread-instructions", code->name,
                    (unsigned long long)launch->options.max_instructions);
        return HX_LIMIT;
    case STOP_INTERRUPTED:
        diag_report(diag, DIAG_INTERRUPTED, place, NULL, "kernel '%s' was interrupted", code->name);
        return HX_INTERRUPTED;
    case STOP_NO_MEMORY:
        diag_step(diag, "for a block of kernel", code->name, block_bytes(launch), code->place);
        break;
    }
    return diag_no_memory(diag);
}

static void fill_result(const struct launch *launch, hx_launch_result *result)
{
    result->blocks = launch->block_count;
    result->threads = launch->block_count * launch->threads_per_block;
    result->workers = launch->workers;
    result->gang_lanes = launch->bound->gang_lanes;
    for (uint32_t i = 0; i < launch->workers; i++)
        result->blocks_done += atomic_load(&launch->worker_states[i].progress.blocks_done);
    counts_add(launch, &result->counts);
    if (launch->options.counts == HX_COUNT_THREADS)
        result->counts.issues = 0;
    result->fault = launch->fault;
    result->stray_loads = atomic_load(&launch->stray_loads);
    result->tier = launch->tier ? HX_TIER_COMPILED : HX_TIER_INTERPRETER;
    snprintf(result->why_interpreted, sizeof result->why_interpreted, "%s", launch->why_interpreted);
}

static void release(struct launch *launch)
{
    grid_free_slots(launch);
    tier_change_end(launch);
    print_finish_launch(launch);
    pthread_mutex_destroy(&launch->fault_lock);
    /* one that came when all was done is for the next launch */
    if (atomic_load(&launch->stop) == STOP_INTERRUPTED)
        atomic_store(device_interrupted(launch->device), false);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

/* HX_NO_MEMORY when the listeners cannot be given what they want. */
static hx_status report_end(struct launch *launch, const hx_launch_result *result, bool has_run,
                            struct arena *arena)
{
    const bool wants_counts = has_run && (launch->listeners.wanted & HX_EVENT_COUNTS);
    const bool wants_times = has_run && launch->keeps_times;
    const hx_launch_end event = {
        .result = result,
        .counts = wants_counts ? counts_by_instruction(launch, arena) : NULL,
        .worker_profile = wants_times ? counts_of_workers(launch, arena) : NULL,
        .instructions = launch->bound->lowered->kernel->code_count,
        .workers = launch->workers,
    };
    listener_end(&launch->listeners, &event);
    return (wants_counts && !event.counts) || (wants_times && !event.worker_profile) ? HX_NO_MEMORY : HX_OK;
}

static void run_grid(struct launch *launch, struct arena *arena, hx_launch_result *result)
{
    /* what warps do must not depend on a bound */
    const bool is_bounded = launch->options.max_instructions && launch->driver != DRIVER_WATCHED;
    launch->drive = driver_at(launch->driver);
    launch->fuel = is_bounded ? FUEL_BOUNDED : FUEL_DEFAULT;
    start_clock(launch);
    atomic_init(&launch->changes, 1);
    launch->start_ns = machine_now_ns();
    launch->deadline_ns = launch->options.timeout_ns ? launch->start_ns + launch->options.timeout_ns : 0;
    progress_launch_begin(launch);
    grid_begin(launch);
    struct tier_sampling *sampling = sampling_begin(launch, arena);
    do
        device_run(launch->device, launch->workers, grid_work, launch);
    while (tier_change_goes_on(launch));
    sampling_end(sampling);
    progress_launch_end(launch);
    result->duration_ns = machine_now_ns() - launch->start_ns;
    counts_end(launch);
    windows_remember(launch);
}

static hx_status run(struct launch *launch, const hx_kernel *kernel, struct arena *arena, hx_diag *diag,
                     hx_launch_result *result)
{
    const bool is_timed = launch->wanted & TIMED_EVENTS;
    const hx_launch_begin event = {
        .kernel = kernel,
        .options = &launch->options,
        .workers = launch->workers,
        .ns_per_tick = is_timed ? device_timer(launch->device)->ns_per_tick : 0,
        .device = launch->device,
    };
    const hx_status begun = listener_begin(&launch->listeners, &event);
    if (begun == HX_OK)
        run_grid(launch, arena, result);
    fill_result(launch, result);
    const hx_status ended = report_end(launch, result, begun == HX_OK, arena);
    if (begun != HX_OK)
        return begun;
    stray_report(launch, kernel, diag);
    const hx_status status = report_stop(launch, diag);
    return status == HX_OK && ended != HX_OK ? diag_no_memory(diag) : status;
}

static void give_result(const hx_launch_result *result, hx_launch_result *ret_result)
{
    memcpy(ret_result, result,
           ret_result->size && ret_result->size < sizeof *result ? ret_result->size : sizeof *result);
}

/* Drivers that report each issue are given each: nothing is fused for them. */
static enum fusing fusing_of(const struct launch *launch)
{
    if (launch->is_plain && (launch->driver != DRIVER_FOLLOWED || launch->options.plain || launch->cuts))
        return FUSE_NOTHING;
    return launch->driver == DRIVER_PLAIN      ? FUSE_PLAIN
           : launch->driver == DRIVER_COUNTED  ? FUSE_COUNTED
           : launch->driver == DRIVER_BOUNDED  ? FUSE_COUNTED
           : launch->driver == DRIVER_SAMPLED  ? FUSE_SAMPLED
           : launch->driver == DRIVER_FOLLOWED ? FUSE_FOLLOWED
                                               : FUSE_NOTHING;
}

/* For compiled code, if that is wanted and there is some. */
static hx_status bind_compiled(struct launch *launch, const hx_kernel *kernel, struct arena *arena,
                               hx_diag *diag)
{
    const struct bound_kernel *bound = NULL;
    if (!tier_wants(launch))
        return HX_OK;
    const hx_status status =
        tier_bind(kernel, launch->options.gang_lanes, (uint32_t)launch->threads_per_block,
                  (int)device_level(launch->device), launch->options.warp_size, arena, diag, &bound);
    if (status == HX_OK)
        tier_choose(launch, kernel, bound);
    if (launch->tier) {
        pack_blocks_choose(launch, NULL);
        launch->bound = bound;
    }
    return status;
}

static hx_status bind_interpreted(struct launch *launch, const hx_kernel *kernel, struct arena *arena,
                                  hx_diag *diag)
{
    const struct bound_kernel *bound = NULL;
    const struct lowered_kernel *plain = NULL;
    pack_blocks_choose(launch, kernel->packed);
    hx_status status = launch->is_plain ? kernel_plain(kernel, diag, &plain) : HX_OK;
    if (status != HX_OK)
        return status;
    const struct bind_request request = {
        .lowered = plain                       ? plain
                   : launch->packed_blocks > 1 ? kernel->packed
                                               : kernel->lowered,
        .handlers = handlers_at((int)device_level(launch->device)),
        .fusing = fusing_of(launch),
        .gang_lanes = launch->options.gang_lanes,
        .threads = (uint32_t)launch->threads_per_block * launch->packed_blocks,
        .warp_lanes = launch->options.warp_size,
    };
    status = kernel_bind(kernel, &request, arena, diag, &bound);
    launch->bound = bound;
    return status;
}

static hx_status bind(struct launch *launch, const hx_kernel *kernel, struct arena *arena, hx_diag *diag)
{
    cuts_choose(launch, kernel->lowered);
    launch->is_plain |= launch->cuts;
    const hx_status status = bind_compiled(launch, kernel, arena, diag);
    return status != HX_OK || launch->tier ? status : bind_interpreted(launch, kernel, arena, diag);
}

/* HX_TIER_AUTO: it may be compiled, or go on compiled later. */
static hx_status start_change(struct launch *launch, const hx_kernel *kernel, struct arena *arena,
                              hx_diag *diag)
{
    grid_divide(launch);
    return tier_change_begin(launch, kernel, arena, diag);
}

/* Every kernel runs in the blocks that it requires (.reqntid), or in any. */
static hx_status check_required(const struct launch *launch, const struct kernel *code, hx_diag *diag)
{
    const uint32_t *required = code->required_block, *block = launch->options.block;
    if (!required[0] || memcmp(required, block, 3 * sizeof *block) == 0)
        return HX_OK;
    return diag_report(
        diag, DIAG_LAUNCH_SHAPE, code->place, NULL,
        "kernel '%s' runs in blocks of %u x %u x %u alone, and the launch has blocks of %u x %u x %u",
        code->name, required[0], required[1], required[2], block[0], block[1], block[2]);
}

/* Sub-groups of OpenCL C have SUB_GROUP work-items, which exchange values as lanes of one warp. Functions of
 * whole groups sum up by sub-groups. */
static hx_status check_sub_groups(const struct launch *launch, const hx_kernel *kernel, hx_diag *diag)
{
    enum { SUB_GROUP = 32 };
    const uint32_t lanes = launch->options.warp_size;
    const bool is_from_opencl = kernel->program->language == LANGUAGE_OPENCL;
    if (lanes == SUB_GROUP || !kernel->lowered->has_warp_ops || !is_from_opencl)
        return HX_OK;
    return diag_report(
        diag, DIAG_LAUNCH_SHAPE, kernel->code->place, NULL,
        "kernel '%s' has functions of sub-groups or work-groups, which need warps of %u lanes, "
        "and the launch has warps of %u; leave out the size of a warp (--warp-size)",
        kernel->code->name, (unsigned)SUB_GROUP, lanes);
}

/* With the device locked. */
static hx_status launch_locked(struct launch *launch, const hx_kernel *kernel,
                               const hx_launch_options *options, const struct exec_listener *listeners,
                               hx_diag *diag, hx_launch_result *result)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = device_allocator(launch->device)};
    struct probes probes;
    diag_step(diag, "while launching kernel", kernel->code->name, 0, kernel->code->place);
    exec_take_options(&launch->options, options);
    if (device_memory(launch->device)->is_unified)
        mapping_list_renew(&device_memory(launch->device)->mappings);
    pthread_mutex_init(&launch->fault_lock, NULL);
    launch->shared_bytes = kernel->code->shared.bytes;
    hx_status status = place_constants(launch, kernel, &arena, diag);
    if (status == HX_OK)
        status = grid_check(launch, program_most_shared(kernel->code), diag);
    if (status == HX_OK)
        status = check_required(launch, kernel->code, diag);
    if (status == HX_OK)
        status = check_sub_groups(launch, kernel, diag);
    if (status == HX_OK)
        status = choose_driver(launch, probes_listen(&probes, listeners), &arena, diag);
    if (status == HX_OK)
        status = bind(launch, kernel, &arena, diag);
    if (status == HX_OK)
        status = start_change(launch, kernel, &arena, diag);
    if (status == HX_OK)
        status = prepare_workers(launch, kernel->code, &arena, diag);
    if (status == HX_OK)
        status = run(launch, kernel, &arena, diag, result);
    release(launch);
    return status;
}

hx_status exec_launch_gathered(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                               const uint64_t *values, const struct exec_listener *listeners, hx_diag *diag,
                               hx_launch_result *ret_result)
{
    MACHINE_FLOATS;
    struct launch launch = {.device = device, .program = kernel->program, .parameters = values};
    hx_launch_result result = {.size = sizeof result};
    device_lock(device);
    hx_status status = launch_locked(&launch, kernel, options, listeners, diag, &result);
    device_unlock(device);
    give_result(&result, ret_result);
    return status;
}

void exec_take_options(hx_launch_options *to, const hx_launch_options *from)
{
    memcpy(to, from, from->size && from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
}

hx_status exec_launch(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                      hx_buffer *const *buffers, const struct exec_listener *listeners, hx_diag *diag,
                      hx_launch_result *ret_result)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = device_allocator(device)};
    hx_launch_options taken = {.size = sizeof taken};
    exec_take_options(&taken, options);
    uint64_t *values = ARENA_ARRAY(&arena, uint64_t, exec_gathered_count(kernel, &taken));
    const hx_status status =
        values ? exec_gather(device, kernel, &taken, buffers, diag, values) : diag_no_memory(diag);
    if (status != HX_OK) {
        const hx_launch_result nothing = {.size = sizeof nothing};
        give_result(&nothing, ret_result);
        return status;
    }
    return exec_launch_gathered(device, kernel, &taken, values, listeners, diag, ret_result);
}

hx_status hx_launch(hx_device *device, const hx_kernel *kernel, const hx_launch_options *options,
                    hx_buffer *const *buffers, hx_diag *diag, hx_launch_result *ret_result)
{
    DIAG_REQUIRE(diag, device);
    DIAG_REQUIRE(diag, kernel);
    DIAG_REQUIRE(diag, options);
    DIAG_REQUIRE(diag, ret_result);
    return exec_launch(device, kernel, options, buffers, NULL, diag, ret_result);
}
