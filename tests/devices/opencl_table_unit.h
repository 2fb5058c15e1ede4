/* What tables of errors of OpenCL have in common: rows, objects that are right and wrong. */
#pragma once

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "opencl_unit.h"

#include <stdint.h>

static __attribute__((unused)) unsigned rows, wrong;

static inline void row(const char *function, const char *how, const char *want_name, cl_int want, cl_int got)
{
    rows++;
    if (got == want)
        return;
    wrong++;
    fprintf(stderr, "%s, %s: %d, and %s (%d) is due\n", function, how, got, want_name, want);
}

/* Of functions that return an error, and of those that return an object and leave the error in `given`. */
#define ROW(function, want, how, ...) row(#function, how, #want, want, function(__VA_ARGS__))
#define OBJECT_ROW(function, want, how, ...)                                                                 \
    do {                                                                                                     \
        cl_int given = 12345;                                                                                \
        const void *object = (const void *)function(__VA_ARGS__, &given);                                    \
        row(#function, how, #want, want, object ? 54321 : given);                                            \
    } while (0)

static __attribute__((unused)) struct unit unit, other; /* two contexts */
static __attribute__((unused)) cl_mem x, y, no_host, read_only_host, write_only_host, part, of_other;
static __attribute__((unused)) cl_program program, unbuilt;
static __attribute__((unused)) cl_kernel kernel, complete;
static __attribute__((unused)) cl_event user_event, other_event;
static __attribute__((unused)) const size_t zero3[] = {0, 0, 0}, one3[] = {1, 1, 1};
static __attribute__((unused)) char host[4096];

#define NOT_A_CONTEXT ((cl_context)(void *)unit.queue)
#define NOT_A_QUEUE   ((cl_command_queue)(void *)unit.context)
#define NOT_A_MEMORY  ((cl_mem)(void *)unit.context)
#define NOT_A_PROGRAM ((cl_program)(void *)unit.context)
#define NOT_A_KERNEL  ((cl_kernel)(void *)unit.context)
#define NOT_AN_EVENT  ((cl_event)(void *)unit.context)
#define NOT_A_DEVICE  ((cl_device_id)(void *)unit.platform)

static const char source[] =
    "kernel void add(global int *x, int n, local int *t) { t[0] = n; x[get_global_id(0)] += t[0]; }\n"
    "kernel void one(global int *x) { x[0] = 1; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void shaped(global int *x) { x[0] = 1; }\n";

static inline void set_up(void)
{
    static const char *const text = source;
    const cl_buffer_region region = {0, 128};
    cl_int error;
    unit = unit_new(0);
    other = unit_new(0);
    x = unit_buffer(&unit, 1024);
    y = unit_buffer(&unit, 1024);
    of_other = unit_buffer(&other, 1024);
    no_host = clCreateBuffer(unit.context, CL_MEM_HOST_NO_ACCESS, 1024, NULL, &error);
    OK(error);
    read_only_host = clCreateBuffer(unit.context, CL_MEM_HOST_READ_ONLY, 1024, NULL, &error);
    OK(error);
    write_only_host = clCreateBuffer(unit.context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL, &error);
    OK(error);
    part = clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    program = unit_build(&unit, source, NULL);
    unbuilt = clCreateProgramWithSource(unit.context, 1, (const char **)&text, NULL, &error);
    OK(error);
    kernel = unit_kernel(program, "add");
    complete = unit_kernel(program, "one");
    OK(clSetKernelArg(complete, 0, sizeof x, &x));
    user_event = clCreateUserEvent(unit.context, &error);
    OK(error);
    other_event = clCreateUserEvent(other.context, &error);
    OK(error);
}

/* Releases what set_up made, and says how it went: the exit code. */
static inline int finish(void)
{
    const cl_mem buffers[] = {part, x, y, of_other, no_host, read_only_host, write_only_host};
    OK(clReleaseEvent(user_event));
    OK(clReleaseEvent(other_event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(complete));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(unbuilt));
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        OK(clReleaseMemObject(buffers[i]));
    unit_done(&unit);
    unit_done(&other);
    printf("%u rows, %u differ\n", rows, wrong);
    if (wrong)
        return 1;
    puts("all as it should be");
    return 0;
}
