/* Launches.
 *
 * Takes a kernel with its arguments as they are now and a range of work-items, leaves a launch of hexec's.
 * Where the application gives no size of groups, each dimension is divided by its largest divisor that keeps
 * a group within what one gang of hexec holds. */
#include "devices/opencl/image.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_THREADS  1024
#define CHOSEN_THREADS 256
#define BLOCKS_MOST    2147483647u

static const size_t largest_block[3] = {BLOCK_THREADS, BLOCK_THREADS, 64};

/* ---- Running ------------------------------------------------------------------------------------------- */

static void print(void *user, const char *text, size_t bytes)
{
    (void)fwrite(text, 1, bytes, user);
}

/* Launches run one at a time, so that this variable is this launch's. */
static void set_numbers(const struct launch_command *launch, const struct launch_numbers *numbers)
{
    const hx_program *program = launch->build->program;
    for (size_t i = 0; i < hx_program_buffer_count(program); i++)
        if (strcmp(hx_program_buffer_name(program, i), NUMBERS_VARIABLE) == 0)
            memcpy(hx_buffer_data(launch->build->buffers[i]), numbers, sizeof *numbers);
}

/* The groups of one size: whole ones, or in the dimensions that `rests` has bits of, the last ones. False:
 * there are none. */
static bool choose_part(struct launch_command *launch, unsigned rests, struct launch_numbers *ret_numbers)
{
    for (unsigned i = 0; i < 3; i++) {
        const size_t global = launch->global[i], local = launch->local[i];
        const bool is_rest = rests >> i & 1;
        if (is_rest ? global % local == 0 : global < local)
            return false;
        launch->options.grid[i] = is_rest ? 1 : (uint32_t)(global / local);
        launch->options.block[i] = (uint32_t)(is_rest ? global % local : local);
        ret_numbers->offset[i] = launch->offset[i];
        ret_numbers->first_group[i] = is_rest ? global / local : 0;
        ret_numbers->groups[i] = (global + local - 1) / local;
        ret_numbers->local[i] = local;
        ret_numbers->global[i] = global;
        ret_numbers->dimensions[i] = launch->dimensions;
    }
    return true;
}

static hx_status run_parts(struct launch_command *launch, hx_diag *diag)
{
    hx_status status = HX_OK;
    for (unsigned rests = 0; rests < 8 && status == HX_OK; rests++) {
        struct launch_numbers numbers;
        hx_launch_result result = {.size = sizeof result};
        if (!choose_part(launch, rests, &numbers))
            continue;
        if (launch->variant != VARIANT_PLAIN)
            set_numbers(launch, &numbers);
        launch->options.command = command_doing();
        status = hx_session_launch(device_session(), device_get(), launch->kernel, launch->owner->info.name,
                                   &launch->options, launch->build->buffers, diag, &result);
    }
    return status;
}

static _Atomic(cl_event) now; /* the command of the launch that runs: there is one at a time */

/* Memory that the program has a pointer to changes whenever it likes. */
int launch_may_change(void *user)
{
    (void)user;
    const cl_event command = atomic_load(&now);
    return !command || !command_is_alone(command) || memory_is_mapped() || svm_is_there();
}

cl_int launch_run(cl_event command)
{
    struct launch_command *launch = &command->as.launch;
    hx_diag *diag = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return CL_OUT_OF_HOST_MEMORY;
    atomic_store(&now, command);
    const hx_status status = run_parts(launch, diag);
    fflush(stdout);
    device_complain(diag);
    if (status != HX_OK && command->context->notify) {
        const hx_diagnostic *first = hx_diag_at(diag, 0);
        command->context->notify(first ? first->message : hx_status_sentence(status), NULL, 0,
                                 command->context->notify_user);
    }
    hx_diag_free(diag);
    return status == HX_OK ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

void launch_done(cl_event command)
{
    struct launch_command *launch = &command->as.launch;
    for (size_t i = 0; i < launch->memory_count; i++)
        memory_drop(launch->memories[i]);
    free(launch->memories);
    free(launch->arguments);
    build_drop(launch->build);
    if (launch->owner)
        kernel_drop(launch->owner);
}

/* ---- Arguments ----------------------------------------------------------------------------------------- */

/* With the kernel's lock: copies its arguments, which may change before the launch runs. */
static cl_int copy_arguments(cl_kernel kernel, struct launch_command *launch)
{
    const size_t count = kernel->info.parameter_count;
    size_t bytes = (count + 1) * sizeof *launch->arguments;
    for (size_t i = 0; i < count; i++) {
        const cl_mem memory = kernel->arguments[i].memory;
        if (!kernel->arguments[i].is_set || (memory && atomic_load(&memory->object.references) == 0))
            return CL_INVALID_KERNEL_ARGS;
        bytes += kernel->arguments[i].bytes + 8;
    }
    launch->arguments = malloc(bytes);
    launch->memories = calloc(count + 1, sizeof(cl_mem));
    if (!launch->arguments || !launch->memories)
        return CL_OUT_OF_HOST_MEMORY;
    char *at = (char *)(launch->arguments + count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct kernel_argument *argument = &kernel->arguments[i];
        hx_parameter parameter = {.size = sizeof parameter};
        (void)!hx_program_parameter(kernel->build->program, kernel->index, i, &parameter);
        const cl_mem memory = argument->memory;
        const uint64_t address = !memory         ? 0
                                 : memory->image ? image_address(memory)
                                                 : hx_buffer_address(memory->buffer) + memory->origin;
        if (memory)
            launch->memories[launch->memory_count++] = object_keep(memory);
        launch->arguments[i] = (hx_argument){parameter.is_shared ? NULL : at, argument->bytes};
        if (parameter.is_shared)
            continue;
        memcpy(at, argument->value ? (const void *)argument->value : (const void *)&address, argument->bytes);
        at += argument->bytes;
    }
    launch->options.arguments = launch->arguments;
    launch->options.argument_count = count;
    return CL_SUCCESS;
}

/* With the kernel's lock. */
static hx_kernel *prepare(cl_kernel kernel, struct build *build, hx_kernel **kept)
{
    hx_diag *diag = NULL;
    if (*kept || hx_diag_new(NULL, &diag) != HX_OK)
        return *kept;
    if (hx_kernel_new(build->program, kernel->index, NULL, diag, kept) != HX_OK)
        device_complain(diag);
    hx_diag_free(diag);
    return *kept;
}

/* A plain program takes the last dimension with more than one work-item for the last one. */
static enum variant choose_variant(cl_kernel kernel, const struct launch_command *launch)
{
    enum variant variant = VARIANT_PLAIN;
    for (size_t i = 0; i < 3; i++) {
        if (launch->global[i] % launch->local[i] != 0)
            return VARIANT_UNEVEN;
        if (launch->offset[i])
            variant = VARIANT_SHIFTED;
    }
    const cl_uint last = launch->dimensions - 1;
    if (last > 0 && launch->global[last] == 1 && variant_reads_dimensions(kernel->program))
        variant = VARIANT_SHIFTED;
    return variant;
}

static cl_int fill_in(cl_kernel kernel, struct launch_command *launch)
{
    launch->variant = choose_variant(kernel, launch);
    struct build *build =
        launch->variant == VARIANT_PLAIN ? kernel->build : program_variant(kernel->program, launch->variant);
    if (!build)
        return launch->variant == VARIANT_UNEVEN ? CL_INVALID_WORK_GROUP_SIZE : CL_INVALID_GLOBAL_OFFSET;
    pthread_mutex_lock(&kernel->lock);
    cl_int error = copy_arguments(kernel, launch);
    if (error == CL_SUCCESS) {
        launch->kernel = prepare(kernel, build, &kernel->prepared[launch->variant]);
        error = launch->kernel ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    }
    pthread_mutex_unlock(&kernel->lock);
    launch->build = build_keep(build);
    launch->owner = object_keep(kernel);
    return error;
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

static size_t largest_divisor(size_t number, size_t most)
{
    for (size_t divisor = most < number ? most : number; divisor > 1; divisor--)
        if (number % divisor == 0)
            return divisor;
    return 1;
}

static void choose_local(const uint32_t *required, cl_uint dimensions, const size_t *global,
                         size_t *ret_local)
{
    size_t left = CHOSEN_THREADS;
    for (cl_uint i = 0; i < dimensions; i++) {
        ret_local[i] =
            required[0] ? required[i] : largest_divisor(global[i], left < largest_block[i] ? left : 64);
        left /= ret_local[i];
    }
}

static cl_int check_local(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local)
{
    const uint32_t *required = kernel->info.required_block;
    const bool may_rest = variant_has_uneven(kernel->program);
    size_t threads = 1;
    for (cl_uint i = dimensions; i < 3; i++)
        if (required[i] > 1)
            return CL_INVALID_WORK_GROUP_SIZE;
    for (cl_uint i = 0; i < dimensions; i++) {
        if (local[i] == 0 || local[i] > BLOCK_THREADS / threads || (global[i] % local[i] != 0 && !may_rest) ||
            (required[0] && local[i] != required[i]))
            return CL_INVALID_WORK_GROUP_SIZE;
        threads *= local[i];
    }
    for (cl_uint i = 0; i < dimensions; i++)
        if (local[i] > largest_block[i])
            return CL_INVALID_WORK_ITEM_SIZE;
    return CL_SUCCESS;
}

struct range {
    cl_uint dimensions;
    const size_t *offset, *global, *local; /* offset and local may be NULL */
};

static cl_int set_shape(cl_kernel kernel, const struct range *range, struct launch_command *launch)
{
    size_t local[3] = {1, 1, 1};
    const uint32_t *required = kernel->info.required_block;
    if (range->local)
        memcpy(local, range->local, range->dimensions * sizeof *local);
    else
        choose_local(required, range->dimensions, range->global, local);
    const cl_int error = check_local(kernel, range->dimensions, range->global, local);
    if (error != CL_SUCCESS)
        return error;
    launch->dimensions = range->dimensions;
    for (cl_uint i = range->dimensions; i < 3; i++)
        launch->global[i] = launch->local[i] = 1;
    for (cl_uint i = 0; i < range->dimensions; i++) {
        const size_t offset = range->offset ? range->offset[i] : 0;
        if (range->global[i] / local[i] > BLOCKS_MOST)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (offset > UINT32_MAX)
            return CL_INVALID_GLOBAL_OFFSET;
        launch->global[i] = range->global[i];
        launch->local[i] = local[i];
        launch->offset[i] = offset;
    }
    launch->options.size = sizeof launch->options;
    launch->options.print = print;
    launch->options.print_user = stdout;
    return CL_SUCCESS;
}

/* ---- The calls ----------------------------------------------------------------------------------------- */

static cl_int enqueue_launch(const struct enqueue *enqueue, cl_kernel kernel, const struct range *range)
{
    if (!object_is(enqueue->queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (kernel->program->context != enqueue->queue->context)
        return CL_INVALID_CONTEXT;
    if (!device_list_has(&kernel->program->devices, enqueue->queue->device))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (range->dimensions < 1 || range->dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    bool is_empty = !range->global; /* OpenCL 3.0, 5.8: such a command does nothing and succeeds */
    for (cl_uint i = 0; i < range->dimensions && !is_empty; i++)
        is_empty = range->global[i] == 0;
    cl_event command = NULL;
    cl_int error = command_new(enqueue, &command);
    if (error != CL_SUCCESS)
        return error;
    if (!is_empty) {
        command->run = launch_run;
        error = set_shape(kernel, range, &command->as.launch);
        if (error == CL_SUCCESS)
            error = fill_in(kernel, &command->as.launch);
    }
    if (error == CL_SUCCESS)
        return command_give(enqueue, command);
    command_discard(command);
    return error;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t *offset, const size_t *global, const size_t *local,
                                          cl_uint count, const cl_event *list, cl_event *ret_event)
{
    return enqueue_launch(
        &(const struct enqueue){queue, CL_COMMAND_NDRANGE_KERNEL, count, list, ret_event, false, false},
        kernel, &(const struct range){dimensions, offset, global, local});
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                 const cl_event *list, cl_event *ret_event)
{
    static const size_t one[] = {1};
    return enqueue_launch(
        &(const struct enqueue){queue, CL_COMMAND_TASK, count, list, ret_event, false, false}, kernel,
        &(const struct range){1, NULL, one, one});
}
