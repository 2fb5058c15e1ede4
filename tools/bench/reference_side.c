/* The side of the scalar reference interpreter that the tests have.
 *
 *     bench_reference KERNEL SIZE [--programs DIR]
 *
 * It runs thread by thread, one instruction after another, and knows nothing of gangs: what is lost by that
 * is what the executor's form brings. */
#include "program_side.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_STEP                                                                                         \
    (UINT64_C(1) << 40) /* between buffers: nothing reaches from one to the next by mistake */

struct reference {
    struct side side;
    struct loaded_program loaded;
    struct reference_buffer buffers[WORKLOAD_BUFFERS_MAX];
};

static void *map(void *self, size_t buffer, bool is_write)
{
    (void)is_write;
    return ((struct reference *)self)->buffers[buffer].data;
}

static bool run(void *self)
{
    struct reference *reference = self;
    const struct workload *workload = &reference->side.workload;
    struct reference_launch launch = {.program = reference->loaded.program,
                                      .kernel = reference->loaded.program->steps[0].kernel,
                                      .buffers = reference->buffers};
    memcpy(launch.grid, workload->grid, sizeof launch.grid);
    memcpy(launch.block, workload->block, sizeof launch.block);
    const struct reference_result result = reference_run(&launch);
    if (result.end == REFERENCE_DONE)
        return true;
    snprintf(reference->side.error, sizeof reference->side.error, "instruction %" PRIu32 ": %s",
             result.instruction, reference_end_text(result.end));
    return false;
}

static void make_buffers(struct reference *reference)
{
    const struct workload *workload = &reference->side.workload;
    for (size_t i = 0; i < workload->buffer_count; i++) {
        const uint64_t bytes = workload_buffer_bytes(&workload->buffers[i]);
        reference->buffers[i] =
            (struct reference_buffer){(i + 1) * ADDRESS_STEP, bytes, workload_allocate(bytes)};
    }
}

int main(int argc, char **argv)
{
    struct reference reference = {.side = {.name = "reference", .self = &reference, .map = map, .run = run}};
    if (!side_plan(&reference.side, argc, argv))
        return 2;
    make_buffers(&reference);
    const bool is_ready = loaded_program_init(&reference.loaded, &reference.side,
                                              side_option(argc, argv, "programs", "programs"));
    const int code = is_ready ? side_serve(&reference.side) : side_fail(reference.side.error);
    for (size_t i = 0; i < WORKLOAD_BUFFERS_MAX; i++)
        free(reference.buffers[i].data);
    loaded_program_done(&reference.loaded);
    return code;
}
