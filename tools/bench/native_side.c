/* The side of plain C: one thread. */
#include "kernels_native.h"
#include "side.h"

#include <stdlib.h>

struct native {
    struct side side;
    native_kernel *kernel;
    void *buffers[WORKLOAD_BUFFERS_MAX];
};

static void *map(void *self, size_t buffer, bool is_write)
{
    (void)is_write;
    return ((struct native *)self)->buffers[buffer];
}

static bool run(void *self)
{
    const struct native *native = self;
    native->kernel(&native->side.workload, native->buffers);
    return true;
}

int main(int argc, char **argv)
{
    struct native native = {.side = {.name = "native", .self = &native, .map = map, .run = run}};
    if (!side_plan(&native.side, argc, argv))
        return 2;
    const struct workload *workload = &native.side.workload;
    native.kernel = native_find(workload->name);
    if (!native.kernel)
        return side_fail("no version in plain C");
    for (size_t i = 0; i < workload->buffer_count; i++)
        native.buffers[i] = workload_allocate(workload_buffer_bytes(&workload->buffers[i]));
    const int code = side_serve(&native.side);
    for (size_t i = 0; i < workload->buffer_count; i++)
        free(native.buffers[i]);
    return code;
}
