/* Shared virtual memory: host and kernels follow the same pointers; errors are in opencl_table.c. */
#include "opencl_unit.h"

#include <stdint.h>

#define NODES 64

struct node {
    struct node *next;
    cl_uint value, seen;
};

static const char source[] =
    "struct node { global struct node *next; uint value, seen; };\n"
    "kernel void walk(global struct node *at, global uint *sum)\n"
    "{ for (*sum = 0; at; at = at->next) { *sum += at->value; at->seen = 1; } }\n"
    "kernel void set(global uint *out, uint value) { out[get_global_id(0)] = value; }\n";

static void launch(const struct unit *unit, cl_kernel kernel, size_t global)
{
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFinish(unit->queue));
}

/* A list whose nodes are in memory of their own each: only the first is an argument. */
static void check_list(const struct unit *unit, cl_program program)
{
    struct node *nodes[NODES + 1] = {0};
    cl_uint *sum = clSVMAlloc(unit->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof *sum, 4);
    cl_kernel kernel = unit_kernel(program, "walk");
    for (int i = NODES - 1; i >= 0; i--) {
        nodes[i] = clSVMAlloc(unit->context, CL_MEM_READ_WRITE, sizeof **nodes, 0);
        CHECK(nodes[i] && (uintptr_t)nodes[i] % 128 == 0);
        OK(clEnqueueSVMMap(unit->queue, CL_TRUE, CL_MAP_WRITE, nodes[i], sizeof **nodes, 0, NULL, NULL));
        *nodes[i] = (struct node){nodes[i + 1], (cl_uint)i, 0};
        OK(clEnqueueSVMUnmap(unit->queue, nodes[i], 0, NULL, NULL));
    }
    OK(clSetKernelArgSVMPointer(kernel, 0, nodes[0]));
    OK(clSetKernelArgSVMPointer(kernel, 1, sum));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, NODES * sizeof *nodes, nodes));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    launch(unit, kernel, 1);
    CHECK(*sum == NODES * (NODES - 1) / 2);
    for (size_t i = 0; i < NODES; i++)
        CHECK(nodes[i]->seen == 1);
    /* the last node is gone: a kernel that goes on to it is stopped */
    clSVMFree(unit->context, nodes[NODES - 1]);
    const size_t one = 1;
    cl_event event;
    cl_int status;
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    (void)clWaitForEvents(1, &event);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_OUT_OF_RESOURCES);
    OK(clReleaseEvent(event));
    for (size_t i = 0; i < NODES - 1; i++)
        clSVMFree(unit->context, nodes[i]);
    clSVMFree(unit->context, sum);
    OK(clReleaseKernel(kernel));
}

static void check_commands(const struct unit *unit)
{
    static const cl_uint pattern[] = {7, 8};
    cl_uint here[8] = {0};
    cl_uint *a = clSVMAlloc(unit->context, CL_MEM_READ_WRITE, sizeof here, 0);
    cl_uint *b = clSVMAlloc(unit->context, CL_MEM_READ_WRITE, sizeof here, 0);
    const void *both[] = {a, b};
    cl_event event;
    cl_command_type type;
    CHECK(a && b && a != b);
    OK(clEnqueueSVMMemFill(unit->queue, a, pattern, sizeof pattern, sizeof here, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(unit->queue, CL_FALSE, b, a, sizeof here, 0, NULL, &event));
    OK(clEnqueueSVMMigrateMem(unit->queue, 2, both, NULL, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(unit->queue, CL_TRUE, here, b, sizeof here, 0, NULL, NULL));
    for (size_t i = 0; i < 8; i++)
        CHECK(here[i] == pattern[i % 2]);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK(type == CL_COMMAND_SVM_MEMCPY);
    OK(clReleaseEvent(event));
    OK(clEnqueueSVMFree(unit->queue, 2, (void *[]){a, b}, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(unit->queue));
    RETURNS(CL_INVALID_VALUE, clEnqueueSVMUnmap(unit->queue, a, 0, NULL, NULL));
}

/* The application frees the memory itself. */
static void CL_CALLBACK release(cl_command_queue queue, cl_uint count, void *pointers[], void *user)
{
    cl_context *context = user;
    CHECK(queue && count == 1);
    clSVMFree(*context, pointers[0]);
    *context = NULL;
}

/* A buffer over shared memory is the memory, and it stays while the buffer is there. */
static void check_buffer(const struct unit *unit, cl_program program)
{
    const cl_uint value = 5;
    const cl_buffer_region region = {128, 128};
    cl_kernel kernel = unit_kernel(program, "set");
    cl_uint *data = clSVMAlloc(unit->context, CL_MEM_READ_WRITE, 1024, 0);
    cl_context context = unit->context;
    cl_bool is_shared = CL_FALSE;
    cl_int error;
    size_t offset;
    cl_mem memory = clCreateBuffer(unit->context, CL_MEM_USE_HOST_PTR, 512, data + 64, &error);
    OK(error);
    cl_mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    OK(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof is_shared, &is_shared, NULL));
    OK(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    CHECK(is_shared == CL_TRUE && offset == region.origin);
    OK(clSetKernelArg(kernel, 0, sizeof part, &part));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    launch(unit, kernel, 32);
    for (size_t i = 0; i < 256; i++)
        CHECK(data[i] == (i >= 96 && i < 128 ? value : 0));
    OK(clEnqueueSVMFree(unit->queue, 1, (void *[]){data}, release, &context, 0, NULL, NULL));
    OK(clFinish(unit->queue));
    CHECK(!context);
    launch(unit, kernel, 32);
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    struct unit unit = unit_new(0);
    cl_device_svm_capabilities has = 0;
    OK(clGetDeviceInfo(unit.device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    CHECK(has == (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
    cl_program program = unit_build(&unit, source, NULL);
    check_list(&unit, program);
    check_commands(&unit);
    check_buffer(&unit, program);
    OK(clReleaseProgram(program));
    unit_done(&unit);
    puts("all as it should be");
    return 0;
}
