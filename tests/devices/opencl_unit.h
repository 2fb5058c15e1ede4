/* What host programs in OpenCL have in common: each checks what it calls, and ends at what is wrong. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
/* A call returns an error, CL_SUCCESS or another. */
#define RETURNS(want, call)                                                                                  \
    do {                                                                                                     \
        const cl_int got = (call);                                                                           \
        if (got != (want)) {                                                                                 \
            fprintf(stderr, "%s:%d: %s returns %d, not %s\n", __FILE__, __LINE__, #call, got, #want);        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
/* A call gives NULL and an error, which it leaves in `given`. */
#define GIVES(want, call)                                                                                    \
    do {                                                                                                     \
        cl_int given = 12345;                                                                                \
        CHECK((call) == NULL);                                                                               \
        if (given != (want)) {                                                                               \
            fprintf(stderr, "%s:%d: %s gives %d, not %s\n", __FILE__, __LINE__, #call, given, #want);        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
#define OK(call) RETURNS(CL_SUCCESS, call)

struct unit {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static inline struct unit unit_new(cl_command_queue_properties properties)
{
    struct unit unit = {0};
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int error;
    OK(clGetPlatformIDs(1, &unit.platform, NULL));
    OK(clGetDeviceIDs(unit.platform, CL_DEVICE_TYPE_GPU, 1, &unit.device, NULL));
    unit.context = clCreateContext(NULL, 1, &unit.device, NULL, NULL, &error);
    OK(error);
    unit.queue = clCreateCommandQueueWithProperties(unit.context, unit.device, list, &error);
    OK(error);
    return unit;
}

static inline void unit_done(struct unit *unit)
{
    OK(clReleaseCommandQueue(unit->queue));
    OK(clReleaseContext(unit->context));
}

static inline cl_program unit_build(const struct unit *unit, const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(unit->context, 1, &source, NULL, &error);
    OK(error);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[4096] = "";
        (void)clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    OK(error);
    return program;
}

static inline cl_kernel unit_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    return kernel;
}

static inline cl_mem unit_buffer(const struct unit *unit, size_t bytes)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(unit->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    OK(error);
    return memory;
}
