/* usage: opencl_end HOW
 *
 * Launches `count` three times and ends in one of the ways of ends.h, or while a launch runs (stop), in a
 * callback, or with a child that tries the device of its parent (fork). Nothing is released. */
#include "ends.h"
#include "opencl_unit.h"

static const char *source = "kernel void count(global int *x) { x[get_global_id(0)] += 1; }\n"
                            "kernel void spin(global int *x, int go) { while (go) x[0] += 1; }\n"
                            "kernel void wrong(global int *x) { x[64 + get_global_id(0)] = 1; }\n"
                            "kernel void same(global int *x) { x[0] = 1; }\n";

static void CL_CALLBACK leave(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status, (void)user;
    exit(6);
}

static void launch(const struct unit *unit, cl_program program, const char *name, cl_mem x, cl_event *event)
{
    const size_t size = 64;
    const cl_int go = 1;
    cl_kernel kernel = unit_kernel(program, name);
    OK(clSetKernelArg(kernel, 0, sizeof x, &x));
    if (strcmp(name, "spin") == 0)
        OK(clSetKernelArg(kernel, 1, sizeof go, &go));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &size, NULL, 0, NULL, event));
}

/* No call of the child's waits for what only its parent's threads could do. */
static void use_in_child(const struct unit *unit, cl_mem x)
{
    cl_int value = 0;
    RETURNS(CL_OUT_OF_RESOURCES,
            clEnqueueReadBuffer(unit->queue, x, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    RETURNS(CL_OUT_OF_RESOURCES, clFinish(unit->queue));
    cl_int given = CL_SUCCESS;
    CHECK(!clCreateBuffer(unit->context, CL_MEM_READ_WRITE, 64, NULL, &given) &&
          given == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    exit(9);
}

int main(int count, char **words)
{
    CHECK(count == 2);
    struct unit unit = unit_new(0);
    cl_program program = unit_build(&unit, source, "");
    cl_mem x = unit_buffer(&unit, 64 * sizeof(cl_int));
    const cl_int zero = 0;
    OK(clEnqueueFillBuffer(unit.queue, x, &zero, sizeof zero, 0, 64 * sizeof zero, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        launch(&unit, program, "count", x, NULL);
    OK(clFinish(unit.queue));
    if (strcmp(words[1], "callback") == 0) {
        cl_event event;
        launch(&unit, program, "count", x, &event);
        OK(clSetEventCallback(event, CL_COMPLETE, leave, NULL));
        for (;;)
            pause();
    }
    if (strcmp(words[1], "stop") == 0) {
        launch(&unit, program, "spin", x, NULL);
        end_by("kill");
    }
    if (strcmp(words[1], "wrong") == 0) {
        launch(&unit, program, "wrong", x, NULL);
        OK(clFinish(unit.queue));
        end_by("kill");
    }
    if (strcmp(words[1], "same") == 0) { /* which is a warning of the checker of races */
        launch(&unit, program, "same", x, NULL);
        OK(clFinish(unit.queue));
        return 0;
    }
    if (strcmp(words[1], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0)
            use_in_child(&unit, x);
        CHECK(end_of_child(child) == 9);
        launch(&unit, program, "count", x, NULL);
        OK(clFinish(unit.queue));
        return 0;
    }
    if (strcmp(words[1], "unwritten") == 0) {
        cl_int values[64];
        x = unit_buffer(&unit, sizeof values);
        launch(&unit, program, "count", x, NULL);
        OK(clEnqueueReadBuffer(unit.queue, x, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        return 0;
    }
    end_by(words[1]);
}
