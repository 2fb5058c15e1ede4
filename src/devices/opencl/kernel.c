/* Kernels and their arguments. */
#include "devices/opencl/image.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_THREADS 1024

/* With the program's lock: its build is there. */
static cl_kernel kernel_new(cl_program program, size_t index)
{
    cl_kernel kernel = object_new(OBJECT_KERNEL, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->info.size = sizeof kernel->info;
    kernel->index = index;
    (void)!hx_program_kernel_info(program->build->program, index, &kernel->info);
    describe_required(program, kernel->info.name, kernel->info.required_block);
    kernel->arguments = calloc(kernel->info.parameter_count + 1, sizeof *kernel->arguments);
    kernel->classes = calloc(kernel->info.parameter_count + 1, sizeof *kernel->classes);
    if (!kernel->arguments || !kernel->classes) {
        free(kernel->arguments);
        free(kernel->classes);
        free(kernel);
        return NULL;
    }
    describe_classes(program, kernel->info.name, kernel->info.parameter_count, kernel->classes);
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->program = object_keep(program);
    kernel->build = build_keep(program->build);
    program->kernels++;
    return kernel;
}

static cl_int find(cl_program program, const char *name, size_t *ret_index)
{
    if (!program->build)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    for (size_t i = 0; i < hx_program_kernel_count(program->build->program); i++) {
        hx_kernel_info info = {.size = sizeof info};
        if (hx_program_kernel_info(program->build->program, i, &info) == HX_OK &&
            strcmp(info.name, name) == 0) {
            *ret_index = i;
            return CL_SUCCESS;
        }
    }
    return CL_INVALID_KERNEL_NAME;
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *ret_error)
{
    cl_kernel kernel = NULL;
    cl_int error = !object_is(program, OBJECT_PROGRAM) ? CL_INVALID_PROGRAM
                   : !name                             ? CL_INVALID_VALUE
                                                       : CL_SUCCESS;
    if (error == CL_SUCCESS) {
        size_t index = 0;
        pthread_mutex_lock(&program->lock);
        error = find(program, name, &index);
        kernel = error == CL_SUCCESS ? kernel_new(program, index) : NULL;
        pthread_mutex_unlock(&program->lock);
        if (error == CL_SUCCESS && !kernel)
            error = CL_OUT_OF_HOST_MEMORY;
    }
    if (ret_error)
        *ret_error = error;
    return kernel;
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels,
                                            cl_uint *ret_count)
{
    cl_int error = CL_SUCCESS;
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    pthread_mutex_lock(&program->lock);
    const size_t count = program->build ? hx_program_kernel_count(program->build->program) : 0;
    if (!program->build)
        error = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (kernels && room < count)
        error = CL_INVALID_VALUE;
    size_t made = 0;
    for (; kernels && error == CL_SUCCESS && made < count; made++) {
        kernels[made] = kernel_new(program, made);
        if (!kernels[made])
            error = CL_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&program->lock);
    if (error == CL_SUCCESS && ret_count)
        *ret_count = (cl_uint)count;
    while (error == CL_OUT_OF_HOST_MEMORY && --made > 0)
        kernel_drop(kernels[made - 1]);
    return error;
}

static void forget_argument(struct kernel_argument *argument)
{
    if (argument->memory)
        memory_leave(argument->memory);
    free(argument->value);
    *argument = (struct kernel_argument){0};
}

void kernel_drop(cl_kernel kernel)
{
    if (!object_drop(kernel))
        return;
    for (size_t i = 0; i < kernel->info.parameter_count; i++)
        forget_argument(&kernel->arguments[i]);
    free(kernel->arguments);
    free(kernel->classes);
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        hx_kernel_free(kernel->prepared[i]);
    pthread_mutex_lock(&kernel->program->lock);
    kernel->program->kernels--;
    pthread_mutex_unlock(&kernel->program->lock);
    build_drop(kernel->build);
    program_drop(kernel->program);
    pthread_mutex_destroy(&kernel->lock);
    kernel->object.kind = 0;
    free(kernel);
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    object_keep(kernel);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    kernel_drop(kernel);
    return CL_SUCCESS;
}

/* ---- Arguments ----------------------------------------------------------------------------------------- */

static cl_int check_image(const struct argument_class *class, size_t bytes, const void *value,
                          cl_mem *ret_memory)
{
    cl_mem memory = NULL;
    if (bytes != sizeof memory)
        return CL_INVALID_ARG_SIZE;
    if (value)
        memcpy(&memory, value, sizeof memory);
    if (!object_is(memory, OBJECT_MEMORY) || !memory->image)
        return CL_INVALID_MEM_OBJECT;
    if (memory->image->type != class->image || (memory->flags & class->forbidden))
        return CL_INVALID_ARG_VALUE;
    *ret_memory = memory;
    return CL_SUCCESS;
}

static cl_int check_sampler(size_t bytes, const void *value, uint64_t *ret_bits)
{
    cl_sampler sampler = NULL;
    if (bytes != sizeof sampler)
        return CL_INVALID_ARG_SIZE;
    if (value)
        memcpy(&sampler, value, sizeof sampler);
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    *ret_bits = sampler_bits(sampler);
    return CL_SUCCESS;
}

/* A buffer; of a program that is not described, such as PTX, an image is one, too. */
static cl_int check_pointer(cl_kernel kernel, size_t bytes, const void *value, cl_mem *ret_memory)
{
    cl_mem memory = NULL;
    if (bytes != sizeof memory)
        return CL_INVALID_ARG_SIZE;
    if (value)
        memcpy(&memory, value, sizeof memory);
    if (memory && (kernel->program->source ? !memory_is_buffer(memory) : !object_is(memory, OBJECT_MEMORY)))
        return CL_INVALID_MEM_OBJECT;
    *ret_memory = memory;
    return CL_SUCCESS;
}

/* Checks a value. What a memory object is *ret_memory gets; what a sampler is, *ret_bits. */
static cl_int check_value(cl_kernel kernel, cl_uint index, const hx_parameter *parameter, size_t bytes,
                          const void *value, cl_mem *ret_memory, uint64_t *ret_bits)
{
    const struct argument_class *class = &kernel->classes[index];
    if (class->kind == ARGUMENT_IMAGE)
        return check_image(class, bytes, value, ret_memory);
    if (class->kind == ARGUMENT_SAMPLER)
        return check_sampler(bytes, value, ret_bits);
    if (parameter->is_shared)
        return value ? CL_INVALID_ARG_VALUE : bytes == 0 ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    if (parameter->is_pointer)
        return check_pointer(kernel, bytes, value, ret_memory);
    if (!value)
        return CL_INVALID_ARG_VALUE;
    return bytes == parameter->bytes ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

static void set_argument(cl_kernel kernel, cl_uint index, const struct kernel_argument *made)
{
    pthread_mutex_lock(&kernel->lock);
    struct kernel_argument old = kernel->arguments[index];
    kernel->arguments[index] = *made;
    pthread_mutex_unlock(&kernel->lock);
    forget_argument(&old);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    hx_parameter parameter = {.size = sizeof parameter};
    struct kernel_argument made = {.is_set = true, .bytes = bytes};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (hx_program_parameter(kernel->build->program, kernel->index, index, &parameter) != HX_OK)
        return CL_INVALID_ARG_INDEX;
    uint64_t bits = 0;
    const cl_int error = check_value(kernel, index, &parameter, bytes, value, &made.memory, &bits);
    if (error != CL_SUCCESS)
        return error;
    const bool is_sampler = kernel->classes[index].kind == ARGUMENT_SAMPLER;
    if (made.memory)
        memory_hold(made.memory);
    else if (is_sampler || (!parameter.is_pointer && !parameter.is_shared)) {
        made.value = malloc(bytes + 1);
        if (!made.value)
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(made.value, is_sampler ? &bits : value, bytes);
    }
    set_argument(kernel, index, &made);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    hx_parameter parameter = {.size = sizeof parameter};
    struct kernel_argument made = {.is_set = true, .bytes = sizeof value};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (hx_program_parameter(kernel->build->program, kernel->index, index, &parameter) != HX_OK)
        return CL_INVALID_ARG_INDEX;
    struct svm *svm = value ? svm_hold(kernel->program->context, value, 0) : NULL;
    if (!parameter.is_pointer || parameter.is_shared || kernel->classes[index].kind != ARGUMENT_OTHER ||
        (value && !svm))
        return svm_leave(svm), CL_INVALID_ARG_VALUE;
    svm_leave(svm); /* what kernels reach is what is there when they run */
    made.value = malloc(sizeof value);
    if (!made.value)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(made.value, &value, sizeof value);
    set_argument(kernel, index, &made);
    return CL_SUCCESS;
}

/* Kernels reach all shared memory of the device, so that nothing is to be remembered. */
cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t bytes,
                                       const void *value)
{
    cl_bool wants_system;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS) /* none takes back what was set */
        return bytes % sizeof(void *) == 0 && (bytes > 0) == (value != NULL) ? CL_SUCCESS : CL_INVALID_VALUE;
    if (!value)
        return CL_INVALID_VALUE;
    if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || bytes != sizeof wants_system)
        return CL_INVALID_VALUE;
    memcpy(&wants_system, value, sizeof wants_system);
    return wants_system ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static cl_int copy_argument(struct kernel_argument *to, const struct kernel_argument *from)
{
    *to = (struct kernel_argument){.is_set = from->is_set, .bytes = from->bytes};
    to->memory = from->memory ? memory_hold(from->memory) : NULL;
    to->value = from->value ? malloc(from->bytes + 1) : NULL;
    if (to->value)
        memcpy(to->value, from->value, from->bytes);
    return from->value && !to->value ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *ret_error)
{
    cl_int error = object_is(source, OBJECT_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
    cl_kernel kernel =
        error == CL_SUCCESS ? clCreateKernel(source->program, source->info.name, &error) : NULL;
    if (kernel) {
        pthread_mutex_lock(&source->lock);
        for (size_t i = 0; i < source->info.parameter_count && error == CL_SUCCESS; i++)
            error = copy_argument(&kernel->arguments[i], &source->arguments[i]);
        pthread_mutex_unlock(&source->lock);
    }
    if (kernel && error != CL_SUCCESS) {
        kernel_drop(kernel);
        kernel = NULL;
    }
    if (ret_error)
        *ret_error = error;
    return kernel;
}

/* ---- What a kernel is ---------------------------------------------------------------------------------- */

static cl_int tell_attributes(cl_kernel kernel, const struct answer *answer)
{
    char *text = describe_attributes(kernel->program, kernel->info.name);
    const cl_int error = answer_text(answer, text);
    free(text);
    return error;
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t room, void *value,
                                   size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return answer_text(&answer, kernel->info.name);
    case CL_KERNEL_NUM_ARGS:
        return ANSWER(&answer, cl_uint, (cl_uint)kernel->info.parameter_count);
    case CL_KERNEL_REFERENCE_COUNT:
        return ANSWER(&answer, cl_uint, atomic_load(&kernel->object.references));
    case CL_KERNEL_CONTEXT:
        return ANSWER(&answer, cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return ANSWER(&answer, cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return tell_attributes(kernel, &answer);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_ulong local_bytes(cl_kernel kernel)
{
    cl_ulong bytes = kernel->info.shared_bytes;
    pthread_mutex_lock(&kernel->lock);
    for (size_t i = 0; i < kernel->info.parameter_count; i++) {
        const struct kernel_argument *argument = &kernel->arguments[i];
        hx_parameter parameter = {.size = sizeof parameter};
        if (argument->is_set &&
            hx_program_parameter(kernel->build->program, kernel->index, i, &parameter) == HX_OK &&
            parameter.is_shared)
            bytes += argument->bytes;
    }
    pthread_mutex_unlock(&kernel->lock);
    return bytes;
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                            cl_kernel_work_group_info name, size_t room, void *value,
                                            size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!device_list_means(&kernel->program->devices, device))
        return CL_INVALID_DEVICE;
    const uint32_t *required = kernel->info.required_block;
    const size_t shape[] = {required[0], required[1], required[2]};
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return ANSWER(&answer, size_t, BLOCK_THREADS);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer_bytes(&answer, shape, sizeof shape);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return ANSWER(&answer, cl_ulong, local_bytes(kernel));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return ANSWER(&answer, size_t, 32);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return ANSWER(&answer, cl_ulong, kernel->info.local_bytes);
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: /* all of it counts as private memory */
        return ANSWER(&answer, cl_ulong, 0);
    default: /* CL_KERNEL_GLOBAL_WORK_SIZE is of custom devices and built-in kernels */
        return CL_INVALID_VALUE;
    }
}

static cl_kernel_arg_access_qualifier access_of(const char *word)
{
    static const char *const words[] = {"read_only", "write_only", "read_write", "none"};
    for (cl_kernel_arg_access_qualifier i = 0; word && i < 4; i++)
        if (strcmp(word, words[i]) == 0)
            return CL_KERNEL_ARG_ACCESS_READ_ONLY + i;
    return CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_int tell_argument(const struct argument_description *argument, cl_kernel_arg_info name,
                            const struct answer *answer)
{
    static const cl_kernel_arg_address_qualifier spaces[] = {
        CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_LOCAL};
    const char *words = argument->qualifiers;
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return ANSWER(answer, cl_kernel_arg_address_qualifier, spaces[argument->space & 3]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return ANSWER(answer, cl_kernel_arg_access_qualifier, access_of(argument->access));
    case CL_KERNEL_ARG_TYPE_NAME:
        return answer_text(answer, argument->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return ANSWER(answer, cl_kernel_arg_type_qualifier,
                      (strstr(words, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
                          (strstr(words, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) |
                          (strstr(words, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u));
    case CL_KERNEL_ARG_NAME:
        return answer_text(answer, argument->name);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t room,
                                      void *value, size_t *ret_bytes)
{
    const struct answer answer = {room, value, ret_bytes};
    struct argument_description argument;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= kernel->info.parameter_count)
        return CL_INVALID_ARG_INDEX;
    const cl_int error = describe_argument(kernel->program, kernel->info.name, index, &argument)
                             ? tell_argument(&argument, name, &answer)
                             : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    describe_done(&argument);
    return error;
}
