/* The context: instruction set, device and program together, and what the program `hexec` does with them.
 *
 * A run makes new buffers, fills them, prepares each kernel once, and launches step after step. The buffers
 * live until the next run, so that they can be compared, printed and saved even if the run failed. */
#include "api/context.h"

#include "api/given.h"
#include "api/launches.h"
#include "api/replay.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/range.h"
#include "base/text.h"
#include "device/device.h"
#include "exec/kernel.h"
#include "exec/progress.h"
#include "profile/spans.h"
#include "program/address.h"
#include "program/argument.h"
#include "program/sequence.h"

#include <string.h>

#define BUFFER_ALIGNMENT 256 /* where device_memory.c begins buffers, at least */

struct hx_context {
    const hx_allocator *allocator;
    hx_device_options device_options;
    hx_source_options source;
    hx_isa *own_isa; /* NULL: isa is borrowed */
    const hx_isa *isa;
    hx_device *device;
    hx_program *program;
    hx_buffer **buffers; /* of the last run; NULL before */
    size_t buffer_count;
    struct given given; /* what the host gave for buffers of the program */
    uint64_t load_ns;
    uint32_t launches;        /* numbers of launches, for %gridid */
    atomic_bool interrupted;  /* by hx_context_interrupt; the end of a run that it ended clears it */
    struct file_wait filling; /* of the last run: for what fills buffers */
};

hx_status hx_context_new(const hx_context_options *options, hx_diag *diag, hx_context **ret_context)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, ret_context);
    diag_step(diag, "for a context", NULL, 0, (struct place){0});
    hx_context_options asked = {0};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    const hx_allocator *allocator = asked.device.allocator;
    hx_context *context = memory_allocate(allocator, 1, sizeof *context);
    if (!context)
        return diag_no_memory(diag);
    context->allocator = allocator;
    context->device_options = asked.device;
    context->source = asked.source;
    hx_status status = HX_OK;
    if (!asked.isa)
        status = hx_isa_load(asked.isa_path, allocator, diag, &context->own_isa);
    context->isa = asked.isa ? asked.isa : context->own_isa;
    if (status == HX_OK && (asked.device.cpu_level || asked.device.workers)) /* tell a bad option at once */
        status = hx_device_new(&context->device_options, diag, &context->device);
    if (status != HX_OK) {
        hx_context_free(context);
        return status;
    }
    *ret_context = context;
    return HX_OK;
}

static void free_buffers(hx_context *context)
{
    for (size_t i = 0; i < context->buffer_count; i++)
        hx_buffer_free(context->device, context->buffers[i]);
    memory_free(context->allocator, context->buffers);
    context->buffers = NULL;
    context->buffer_count = 0;
}

void context_start_over(hx_context *context)
{
    free_buffers(context);
    hx_device_free(context->device);
    context->device = NULL;
    context->launches = 0;
    atomic_store(&context->interrupted, false);
}

void hx_context_free(hx_context *context)
{
    if (!context)
        return;
    free_buffers(context);
    given_done(&context->given, context->allocator);
    hx_program_free(context->program);
    hx_device_free(context->device);
    hx_isa_free(context->own_isa);
    memory_free(context->allocator, context);
}

const hx_isa *hx_context_isa(const hx_context *context)
{
    return context ? context->isa : NULL;
}

hx_buffer *const *context_buffers(const hx_context *context, size_t *ret_count)
{
    *ret_count = context->buffer_count;
    return context->buffers;
}

struct file_wait context_wait(const hx_context *context)
{
    return (struct file_wait){.limit_ns = context->filling.limit_ns};
}

const hx_allocator *context_allocator(const hx_context *context)
{
    return context->allocator;
}

hx_program *hx_context_program(hx_context *context)
{
    return context ? context->program : NULL;
}

hx_status context_check_loaded(const hx_context *context, hx_diag *diag)
{
    return context->program ? HX_OK
                            : diag_report(diag, DIAG_CONTEXT_EMPTY, (struct place){0},
                                          "call hx_context_load first", "the context has no program");
}

/* In place of the one before. */
static void take_program(hx_context *context, hx_program *program, uint64_t start_ns)
{
    free_buffers(context);
    given_done(&context->given, context->allocator);
    hx_program_free(context->program);
    context->program = program;
    context->load_ns = machine_now_ns() - start_ns;
}

hx_status hx_context_load(hx_context *context, const char *path, hx_diag *diag)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, path);
    HX_SPAN(HX_DEBUG, "hexec::program", "load", HX_STR("file", path));
    uint64_t start = machine_now_ns();
    hx_program *program;
    hx_status status =
        hx_program_load_source(path, &context->source, context->isa, context->allocator, diag, &program);
    if (status != HX_OK)
        return status;
    take_program(context, program, start);
    return HX_OK;
}

hx_status hx_context_load_bytes(hx_context *context, const char *name, const void *bytes, size_t size,
                                hx_diag *diag)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, name);
    const uint64_t start = machine_now_ns();
    hx_program *program;
    hx_status status = hx_program_load_source_bytes(name, NULL, bytes, size, &context->source, context->isa,
                                                    context->allocator, diag, &program);
    if (status == HX_OK)
        take_program(context, program, start);
    return status;
}

hx_status hx_context_set_buffer(hx_context *context, const char *name, hx_type type, uint64_t count,
                                const void *data, hx_diag *diag)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, name);
    const hx_status status = context_check_loaded(context, diag);
    const struct given_array array = {data, count};
    return status != HX_OK
               ? status
               : given_set(&context->given, context->program, name, type, &array, context->allocator, diag);
}

hx_status hx_context_verify(hx_context *context, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, context);
    hx_status worst = context_check_loaded(context, diag);
    if (worst != HX_OK)
        return worst;
    for (size_t i = 0; i < context->program->kernel_count; i++) {
        hx_kernel *kernel = NULL;
        hx_status status = hx_kernel_new(context->program, i, context->allocator, diag, &kernel);
        hx_kernel_free(kernel);
        worst = worst == HX_OK ? status : worst;
    }
    const hx_status files = program_check_files(context->program, context->allocator, diag);
    worst = worst == HX_OK ? files : worst;
    return worst == HX_OK && hx_diag_count_of(diag, HX_ERROR) > 0 ? HX_INVALID : worst;
}

void hx_context_interrupt(hx_context *context)
{
    if (!context)
        return;
    atomic_store(&context->interrupted, true);
    if (context->device)
        hx_device_interrupt(context->device);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

struct running {
    hx_context *context;
    const hx_run_options *options;
    const struct context_watch *watch; /* or NULL */
    uint64_t seed;
    struct replay_order order;
    hx_diag *diag;
    hx_kernel **kernels; /* one for each of the program's, made when first needed */
    struct sequence sequence;
    struct progress_run progress;
    uint64_t loop_ns; /* when the outermost loop that runs began; 0: none does */
    hx_run_result result;
};

static hx_status check_parameters(const hx_program *program, hx_diag *diag)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < program->param_count; i++)
        if (!program->params[i].has_value && !program->params[i].is_formal &&
            !program_param_is_for_others(program, i))
            status = diag_report(diag, DIAG_PROGRAM_PARAM, program->params[i].place,
                                 "give it a value in the file or with --param", "parameter '%s' has no value",
                                 program->params[i].name);
    return status;
}

/* Filled from where it comes, a buffer is a transfer from the host to the device, as it would be on a GPU. */
static hx_status fill_buffer(hx_context *context, const struct array *array, hx_buffer *buffer, hx_diag *diag)
{
    const uint64_t start = machine_now_ns();
    const size_t index = (size_t)(array - context->program->buffers.items);
    const void *data = NULL;
    HX_SPAN(HX_DEBUG, "hexec::memory", "fill", HX_STR("buffer", array->name),
            HX_U64("bytes", hx_buffer_bytes(buffer)));
    hx_status status = given_find(&context->given, context->program, index, diag, &data);
    if (status == HX_OK && data)
        memcpy(hx_buffer_data(buffer), data, hx_buffer_bytes(buffer));
    else if (status == HX_OK)
        status = exec_fill_buffer(context->device, context->program, array, buffer, &context->filling, diag);
    hx_record_transfer(hx_buffer_bytes(buffer), "H2D", machine_now_ns() - start);
    return status;
}

static hx_status make_buffer(hx_context *context, const struct array *array, hx_diag *diag)
{
    const uint64_t bytes = array->count * hx_type_bytes(array->type), start = machine_now_ns();
    diag_step(diag, "for buffer", array->name, bytes, array->place);
    hx_buffer *buffer;
    hx_status status =
        hx_buffer_new(context->device, array->name, bytes, (hx_buffer_access)array->access, diag, &buffer);
    if (status != HX_OK)
        return status;
    hx_record_allocation(bytes, "global", BUFFER_ALIGNMENT, machine_now_ns() - start);
    context->buffers[context->buffer_count++] = buffer;
    return fill_buffer(context, array, buffer, diag);
}

/* NULL in options that were compiled before there were checks. */
static hx_checks *checks_of(const hx_run_options *options)
{
    return options->size >= sizeof *options ? options->checks : NULL;
}

static hx_status make_device(struct running *running)
{
    hx_context *context = running->context;
    hx_checks *checks = checks_of(running->options);
    hx_status status =
        context->device ? HX_OK : hx_device_new(&context->device_options, running->diag, &context->device);
    if (status == HX_OK && checks) {
        free_buffers(context); /* of the last run, which was none of theirs */
        status = hx_checks_follow(checks, context->device, running->diag);
    }
    return status;
}

static hx_status make_buffers(struct running *running)
{
    hx_context *context = running->context;
    hx_diag *diag = running->diag;
    const hx_program *program = context->program;
    free_buffers(context);
    context->buffers =
        memory_allocate(context->allocator, program->buffers.count + 1, sizeof *context->buffers);
    if (!context->buffers)
        return diag_no_memory(diag);
    for (size_t i = 0; i < program->buffers.count; i++) {
        progress_run_step(&running->progress, HX_PROGRESS_FILL, program->buffers.items[i].name);
        hx_status status = make_buffer(context, &program->buffers.items[i], diag);
        if (status != HX_OK)
            return status;
    }
    return HX_OK;
}

/* Those of all buffers, in the program's order. */
static uint64_t *find_addresses(hx_context *context, struct arena *arena, hx_diag *diag)
{
    uint64_t *addresses = ARENA_ARRAY(arena, uint64_t, context->buffer_count + 1);
    for (size_t i = 0; addresses && i < context->buffer_count; i++)
        addresses[i] = hx_buffer_address(context->buffers[i]);
    if (!addresses)
        (void)diag_no_memory(diag);
    return addresses;
}

/* What buffers hold of addresses, which are others in each run: a replay token has none of it. */
static hx_status fill_addresses(hx_context *context, hx_diag *diag)
{
    HX_AUTO(arena_done) struct arena arena = {.allocator = context->allocator};
    const hx_program *program = context->program;
    const uint64_t *addresses = find_addresses(context, &arena, diag);
    for (size_t i = 0; addresses && i < program->buffers.count; i++)
        if (!given_has(&context->given, i))
            address_fill(program, &program->buffers.items[i], hx_buffer_data(context->buffers[i]), addresses);
    return addresses ? HX_OK : HX_NO_MEMORY;
}

static void add(struct running *running, const hx_launch_result *result)
{
    hx_run_result *sum = &running->result;
    range_add(&sum->workers_least, &sum->workers, result->workers);
    range_add(&sum->gang_lanes_least, &sum->gang_lanes, result->gang_lanes);
    sum->launches++;
    sum->duration_ns += result->duration_ns;
    sum->threads += result->threads;
    sum->blocks += result->blocks;
    sum->counts.issues += result->counts.issues;
    sum->counts.thread_instructions += result->counts.thread_instructions;
    sum->counts.flops += result->counts.flops;
    for (size_t space = 0; space < HX_COUNT_OF(sum->counts.loaded_bytes); space++) {
        sum->counts.loaded_bytes[space] += result->counts.loaded_bytes[space];
        sum->counts.stored_bytes[space] += result->counts.stored_bytes[space];
    }
    if (result->fault.kind != HX_FAULT_NONE)
        sum->fault = result->fault;
}

/* With the listeners of the run's watch, if there is one. */
static hx_status launch(struct running *running, const hx_kernel *kernel, hx_launch_options *options,
                        hx_launch_result *result)
{
    hx_context *context = running->context;
    const struct context_watch *watch = running->watch;
    struct spans_call call = {
        .device = context->device, .kernel = kernel, .options = options, .gathered = running->sequence.taken};
    if (watch && watch->skips && watch->skips(watch->user))
        return HX_OK;
    hx_status status =
        watch ? watch->launching(watch->user, context->device, kernel, options, &call.listeners) : HX_OK;
    if (status != HX_OK)
        return status;
    status = spans_launch(&call, running->diag, result);
    if (watch)
        watch->launched(watch->user, options, result);
    return status;
}

/* A launch reads the flag of the device now and then, but one of a few instructions ends before it does: so
 * would millions of them. */
static hx_status check_interrupted(struct running *running, const struct kernel *code)
{
    if (!atomic_load_explicit(&running->context->interrupted, memory_order_relaxed))
        return HX_OK;
    diag_report(running->diag, DIAG_INTERRUPTED, code->place, NULL,
                "the run was interrupted before a launch of kernel '%s'", code->name);
    return HX_INTERRUPTED;
}

static hx_status launch_step(struct running *running, const struct launch_step *step,
                             const struct kernel *code)
{
    hx_context *context = running->context;
    const hx_status interrupted = check_interrupted(running, code);
    if (interrupted != HX_OK)
        return interrupted;
    hx_launch_options options = running->options->launch;
    const hx_launch_options *given = &running->options->launch;
    options.size = sizeof options;
    for (int i = 0; i < 3; i++) {
        options.grid[i] = running->options->has_grid ? given->grid[i] : step->grid[i];
        options.block[i] = running->options->has_block ? given->block[i] : step->block[i];
    }
    options.dynamic_shared_bytes = running->options->has_dynamic_shared         ? given->dynamic_shared_bytes
                                   : step->kernel == code || !code->is_imported ? step->dynamic_shared
                                                                                : code->dynamic_shared;
    options.arguments = NULL; /* the program has values for all of its launches */
    options.launch_id = context->launches++;
    options.seed = running->seed;
    options.schedule = running->order.has_schedule ? &running->order.schedule : given->schedule;
    hx_kernel **kernel = &running->kernels[code->index];
    if (!*kernel) {
        uint64_t start = machine_now_ns();
        progress_run_step(&running->progress, HX_PROGRESS_PREPARE, code->name);
        hx_status status = argument_check_all(context->program, code, running->diag);
        if (status == HX_OK)
            status = kernel_new(context->program, code->index, &context->filling, context->allocator,
                                running->diag, kernel);
        running->result.prepare_ns += machine_now_ns() - start;
        if (status != HX_OK)
            return status;
    }
    hx_launch_result result = {.size = sizeof result};
    hx_status status = launch(running, *kernel, &options, &result);
    add(running, &result);
    if (running->options->launched) {
        hx_status heard = running->options->launched(running->options->user, code->name, &options, &result);
        status = status == HX_OK ? heard : status;
    }
    return status;
}

/* One kernel, as the program first launches it. */
static hx_status launch_kernel(struct running *running, uint32_t times)
{
    const hx_program *program = running->context->program;
    size_t index = 0;
    hx_status status = hx_program_find_kernel(program, running->options->kernel, running->diag, &index);
    const struct kernel *kernel = &program->kernels[index];
    const struct launch_step *shape = &program->steps[0];
    for (size_t i = 0; i < program->step_count && status == HX_OK; i++)
        if (program->steps[i].kernel == kernel) {
            shape = &program->steps[i];
            break;
        }
    if (status == HX_OK && shape->kernel == kernel)
        status = sequence_take(&running->sequence, shape, running->diag);
    for (uint32_t n = 0; n < times && status == HX_OK; n++)
        status = launch_step(running, shape, kernel);
    return status;
}

/* Launches are short where loops are long: the time that a launch may take is the loop's, too. */
static hx_status check_loop(struct running *running)
{
    const uint64_t most = running->options->launch.timeout_ns, now = machine_now_ns();
    if (running->sequence.depth == 0)
        running->loop_ns = 0;
    else if (running->loop_ns == 0)
        running->loop_ns = now;
    else if (most && now - running->loop_ns > most) {
        const struct run_loop *loop = &running->context->program->loops[running->sequence.loops[0].loop];
        diag_report(running->diag, DIAG_TIMEOUT, loop->place, "give it more with --timeout",
                    "a loop of launches ran longer than %.3g s", (double)most * 1e-9);
        return HX_LIMIT;
    }
    return HX_OK;
}

static hx_status launch_sequence(struct running *running)
{
    enum sequence_event event = SEQUENCE_PASS;
    const struct launch_step *step;
    hx_status status = HX_OK;
    sequence_restart(&running->sequence);
    while (event != SEQUENCE_END && status == HX_OK) {
        status = sequence_next(&running->sequence, running->diag, &event, &step);
        if (status == HX_OK)
            status = check_loop(running);
        if (status == HX_OK) /* a loop without launches can be stopped, too */
            status = step ? launch_step(running, step, step->kernel)
                          : check_interrupted(running, running->context->program->kernels);
    }
    return status;
}

static hx_status launch_all(struct running *running)
{
    const uint32_t times = launches_repeats(running->options);
    if (running->options->kernel)
        return launch_kernel(running, times);
    hx_status status = HX_OK;
    for (uint32_t n = 0; n < times && status == HX_OK; n++)
        status = launch_sequence(running);
    return status;
}

/* Where the order of the run comes from; the buffers are filled. */
static hx_status draw_order(struct running *running)
{
    const hx_run_options *options = running->options;
    hx_status status = HX_OK;
    running->seed = options->launch.seed;
    if (options->replay)
        status = replay_seed(options->replay, running->diag, &running->seed, &running->order);
    if (status != HX_OK || !running->seed)
        return status;
    replay_token(running->context, options, running->seed, running->result.replay);
    if (running->order.has_schedule)
        replay_add_decisions(&running->order.schedule, running->result.replay);
    return options->replay ? replay_compare(running->context->program, options->replay,
                                            running->result.replay, running->diag)
                           : HX_OK;
}

/* It has ended this run, and is not for the next. */
static void forget_interruption(hx_context *context)
{
    atomic_store(&context->interrupted, false);
    if (context->device)
        atomic_store(device_interrupted(context->device), false);
}

static const void *contents(void *user, size_t buffer)
{
    const hx_context *context = user;
    return hx_buffer_data(context->buffers[buffer]);
}

static hx_status begin_sequence(struct running *running)
{
    hx_context *context = running->context;
    HX_AUTO(arena_done) struct arena arena = {.allocator = context->allocator};
    const uint64_t *addresses = find_addresses(context, &arena, running->diag);
    if (!addresses)
        return HX_NO_MEMORY;
    return sequence_init(&running->sequence, context->program, addresses, contents, context,
                         context->allocator, running->diag);
}

static void give_result(const hx_run_result *result, hx_run_result *ret_result)
{
    const size_t size = ret_result->size;
    memcpy(ret_result, result, size && size < sizeof *result ? size : sizeof *result);
}

hx_status context_run(hx_context *context, const hx_run_options *options, const struct context_watch *watch,
                      hx_diag *diag, hx_run_result *ret_result)
{
    static const hx_run_options defaults = {.size = sizeof defaults};
    struct running running = {
        .context = context, .options = options ? options : &defaults, .watch = watch, .diag = diag};
    const hx_program *program = context->program;
    uint64_t start = machine_now_ns();
    context->filling = (struct file_wait){.interrupted = &context->interrupted,
                                          .limit_ns = running.options->launch.timeout_ns};
    running.result.size = sizeof running.result;
    running.result.load_ns = context->load_ns;
    hx_status status = context_check_loaded(context, diag);
    if (status != HX_OK) {
        give_result(&running.result, ret_result);
        return status;
    }
    diag_step(diag, "while starting program", program->name, 0, (struct place){0});
    progress_run_begin(&running.progress, running.options->launch.progress,
                       launches_count(program, running.options));
    status = check_parameters(program, diag);
    if (status == HX_OK)
        status = make_device(&running);
    if (status == HX_OK)
        status = make_buffers(&running);
    if (status == HX_OK)
        status = draw_order(&running);
    if (status == HX_OK)
        status = fill_addresses(context, diag);
    running.result.prepare_ns = machine_now_ns() - start;
    running.kernels = memory_allocate(context->allocator, program->kernel_count, sizeof *running.kernels);
    if (status == HX_OK)
        status = begin_sequence(&running);
    if (status == HX_OK)
        status = running.kernels ? launch_all(&running) : diag_no_memory(diag);
    for (size_t i = 0; running.kernels && i < program->kernel_count; i++)
        hx_kernel_free(running.kernels[i]);
    memory_free(context->allocator, running.kernels);
    hx_checks_leave(checks_of(running.options), 0);
    if (status == HX_INTERRUPTED)
        forget_interruption(context);
    progress_run_end(&running.progress);
    sequence_done(&running.sequence);
    schedule_done(&running.order.schedule);
    if (status == HX_NO_MEMORY) /* what has no list to say so */
        (void)diag_no_memory(diag);
    give_result(&running.result, ret_result);
    return status;
}

hx_status hx_context_run(hx_context *context, const hx_run_options *options, hx_diag *diag,
                         hx_run_result *ret_result)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, ret_result);
    return context_run(context, options, NULL, diag, ret_result);
}
