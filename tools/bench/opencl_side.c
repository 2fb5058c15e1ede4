/* The side of OpenCL: PoCL, Oclgrind, or whatever the ICD loader has first.
 *
 *     bench_opencl KERNEL SIZE --source kernels.cl
 *
 * Buffers use memory of the host, with huge pages as the other sides have them. A driver may compile in the
 * first run, which is no sample. */
#define CL_TARGET_OPENCL_VERSION 120
#include "side.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

struct opencl {
    struct side side;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[WORKLOAD_BUFFERS_MAX];
    void *memory[WORKLOAD_BUFFERS_MAX];
};

/* False, with what failed as the side's error, unless the code says success. */
static bool good(struct opencl *opencl, cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return true;
    snprintf(opencl->side.error, sizeof opencl->side.error, "%s: OpenCL error %d", what, (int)code);
    return false;
}

static void *map(void *self, size_t buffer, bool is_write)
{
    struct opencl *opencl = self;
    cl_int code;
    return clEnqueueMapBuffer(
        opencl->queue, opencl->buffers[buffer], CL_TRUE, is_write ? CL_MAP_WRITE : CL_MAP_READ, 0,
        workload_buffer_bytes(&opencl->side.workload.buffers[buffer]), 0, NULL, NULL, &code);
}

static void release(void *self, size_t buffer, void *data)
{
    struct opencl *opencl = self;
    clEnqueueUnmapMemObject(opencl->queue, opencl->buffers[buffer], data, 0, NULL, NULL);
    clFinish(opencl->queue);
}

static bool run(void *self)
{
    struct opencl *opencl = self;
    const struct workload *workload = &opencl->side.workload;
    size_t global[3], local[3];
    for (int axis = 0; axis < 3; axis++) {
        local[axis] = workload->block[axis];
        global[axis] = (size_t)workload->grid[axis] * workload->block[axis];
    }
    return good(opencl,
                clEnqueueNDRangeKernel(opencl->queue, opencl->kernel, 3, NULL, global, local, 0, NULL, NULL),
                "clEnqueueNDRangeKernel") &&
           good(opencl, clFinish(opencl->queue), "clFinish");
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long bytes = ftell(file);
        text = bytes >= 0 ? calloc((size_t)bytes + 1, 1) : NULL;
        rewind(file);
        if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

static bool open_device(struct opencl *opencl)
{
    cl_platform_id platform;
    cl_int code;
    if (!good(opencl, clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform") ||
        !good(opencl, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &opencl->device, NULL),
              "no OpenCL device"))
        return false;
    opencl->context = clCreateContext(NULL, 1, &opencl->device, NULL, NULL, &code);
    if (!good(opencl, code, "clCreateContext"))
        return false;
    opencl->queue = clCreateCommandQueue(opencl->context, opencl->device, 0, &code);
    return good(opencl, code, "clCreateCommandQueue");
}

static bool build(struct opencl *opencl, const char *path)
{
    char *source = read_file(path);
    cl_int code = CL_INVALID_VALUE;
    if (source)
        opencl->program = clCreateProgramWithSource(opencl->context, 1, (const char **)&source, NULL, &code);
    free(source);
    if (!good(opencl, code, "cannot read the kernels"))
        return false;
    code = clBuildProgram(opencl->program, 1, &opencl->device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        clGetProgramBuildInfo(opencl->program, opencl->device, CL_PROGRAM_BUILD_LOG,
                              sizeof opencl->side.error, opencl->side.error, NULL);
        return opencl->side.error[0] != '\0' ? false : good(opencl, code, "clBuildProgram");
    }
    opencl->kernel = clCreateKernel(opencl->program, opencl->side.workload.name, &code);
    return good(opencl, code, "clCreateKernel");
}

static bool set_arguments(struct opencl *opencl)
{
    const struct workload *workload = &opencl->side.workload;
    cl_uint argument = 0;
    cl_int code;
    for (size_t i = 0; i < workload->buffer_count; i++, argument++) {
        const struct workload_buffer *buffer = &workload->buffers[i];
        const uint64_t bytes = workload_buffer_bytes(buffer);
        const cl_mem_flags access = !buffer->is_written ? CL_MEM_READ_ONLY
                                    : buffer->is_read   ? CL_MEM_READ_WRITE
                                                        : CL_MEM_WRITE_ONLY;
        opencl->memory[i] = workload_allocate(bytes);
        opencl->buffers[i] =
            clCreateBuffer(opencl->context, access | CL_MEM_USE_HOST_PTR, bytes, opencl->memory[i], &code);
        if (!good(opencl, code, "clCreateBuffer") ||
            !good(opencl, clSetKernelArg(opencl->kernel, argument, sizeof(cl_mem), &opencl->buffers[i]),
                  "clSetKernelArg"))
            return false;
    }
    for (size_t i = 0; i < workload->param_count; i++, argument++) {
        const struct workload_param *param = &workload->params[i];
        if (!good(opencl, clSetKernelArg(opencl->kernel, argument, element_bytes(param->type), &param->value),
                  "clSetKernelArg"))
            return false;
    }
    return true;
}

static void describe_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": \"", key);
    for (; *text; text++)
        if (*text >= ' ' && *text != '"' && *text != '\\')
            fputc(*text, out);
    fputc('"', out);
}

static void describe(void *self, FILE *out)
{
    const struct opencl *opencl = self;
    char text[256] = "";
    cl_uint units = 0;
    clGetDeviceInfo(opencl->device, CL_DEVICE_VERSION, sizeof text, text, NULL);
    describe_text(out, "version", text);
    clGetDeviceInfo(opencl->device, CL_DEVICE_NAME, sizeof text, text, NULL);
    describe_text(out, "device", text);
    clGetDeviceInfo(opencl->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    fprintf(out, ", \"compute_units\": %u", units);
}

static void done(struct opencl *opencl)
{
    for (size_t i = 0; i < WORKLOAD_BUFFERS_MAX; i++) {
        if (opencl->buffers[i])
            clReleaseMemObject(opencl->buffers[i]);
        free(opencl->memory[i]);
    }
    if (opencl->kernel)
        clReleaseKernel(opencl->kernel);
    if (opencl->program)
        clReleaseProgram(opencl->program);
    if (opencl->queue)
        clReleaseCommandQueue(opencl->queue);
    if (opencl->context)
        clReleaseContext(opencl->context);
}

int main(int argc, char **argv)
{
    struct opencl opencl = {.side = {.name = "opencl",
                                     .self = &opencl,
                                     .map = map,
                                     .release = release,
                                     .run = run,
                                     .describe = describe}};
    if (!side_plan(&opencl.side, argc, argv))
        return 2;
    const bool is_ready = open_device(&opencl) &&
                          build(&opencl, side_option(argc, argv, "source", "kernels.cl")) &&
                          set_arguments(&opencl);
    const int code = is_ready ? side_serve(&opencl.side) : side_fail(opencl.side.error);
    done(&opencl);
    return code;
}
