/* Any bytes as a program whose first launch runs compiled as it runs
 * interpreted: the same status, and the same bytes in its buffers where it ends
 * well. Nothing is compared where it was not compiled, as without the plugin: interpreted blocks that share a
 * gang may come in another order. */
#include "program_target.h"

#define THREADS_MOST      2048u
#define BYTES_MOST        (UINT64_C(1) << 20)
#define CODE_MOST         120u /* what compiles it takes as long as it is long */
#define INSTRUCTIONS_MOST 300000u
#define TIMEOUT_NS        UINT64_C(20000000000)

static bool is_small(const hx_program *program)
{
    const struct launch_step *step = &program->steps[0];
    uint64_t threads = 1, bytes = 0;
    for (int i = 0; i < 3 && threads <= THREADS_MOST; i++)
        threads = step->grid[i] <= THREADS_MOST && step->block[i] <= THREADS_MOST
                      ? threads * step->grid[i] * step->block[i]
                      : THREADS_MOST + 1;
    for (size_t i = 0; i < program->buffers.count && bytes <= BYTES_MOST; i++)
        bytes += program->buffers.items[i].count <= BYTES_MOST ? program->buffers.items[i].count * 8
                                                               : BYTES_MOST + 1;
    return threads <= THREADS_MOST && bytes <= BYTES_MOST && step->kernel->code_count <= CODE_MOST;
}

/* What a clock says differs from run to run, and what an atomic finds may depend on how long threads wait. */
static bool depends_on_time(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->code_count; i++)
        if (kernel->code[i].opcode->shape == SHAPE_SPECIAL || shape_is_atomic(kernel->code[i].opcode->shape))
            return true;
    return false;
}

/* Runs it on fresh buffers of a fresh device, where they have the same
 * addresses each time; appends what they hold then to *ret_bytes. */
static hx_status launch(const hx_program *program, const hx_kernel *kernel, hx_launch_options *options,
                        hx_diag *diag, hx_launch_result *ret_result, struct text *ret_bytes)
{
    const hx_device_options device_options = {.size = sizeof device_options, .workers = 1};
    hx_device *device;
    const struct launch_step *step = &program->steps[0];
    hx_buffer **buffers = calloc(program->buffers.count + 1, sizeof *buffers);
    *ret_result = (hx_launch_result){.size = sizeof *ret_result};
    memcpy(options->grid, step->grid, sizeof options->grid);
    memcpy(options->block, step->block, sizeof options->block);
    options->dynamic_shared_bytes = step->dynamic_shared;
    hx_diag_clear(diag);
    REQUIRE(hx_device_new(&device_options, NULL, &device) == HX_OK);
    hx_status status = buffers ? hx_program_make_buffers(program, device, diag, buffers) : HX_NO_MEMORY;
    if (status == HX_OK) {
        status = hx_launch(device, kernel, options, buffers, diag, ret_result);
        for (size_t i = 0; i < program->buffers.count; i++)
            text_append(ret_bytes, hx_buffer_data(buffers[i]), hx_buffer_bytes(buffers[i]));
    }
    hx_device_free(device);
    free(buffers);
    return status;
}

static void try_tiers(const hx_program *program, const hx_kernel *kernel, hx_diag *diag)
{
    hx_launch_options options = {.size = sizeof options,
                                 .workers = 1,
                                 .gang_lanes = 64,
                                 .plain = 1,
                                 .timeout_ns = TIMEOUT_NS,
                                 .max_instructions = INSTRUCTIONS_MOST};
    hx_launch_result result;
    struct text interpreted, compiled;
    text_init(&interpreted, NULL);
    text_init(&compiled, NULL);
    const hx_status status = launch(program, kernel, &options, diag, &result, &interpreted);
    options.plain = options.max_instructions = 0;
    options.no_cache = 1;
    options.tier = HX_TIER_COMPILED;
    if (status == HX_OK || status == HX_FAULT) {
        const hx_status other = launch(program, kernel, &options, diag, &result, &compiled);
        const bool is_same =
            interpreted.length == compiled.length &&
            (compiled.length == 0 || memcmp(interpreted.at, compiled.at, compiled.length) == 0);
        REQUIRE(result.tier != HX_TIER_COMPILED || depends_on_time(program->steps[0].kernel) ||
                (other == status && (status == HX_FAULT || is_same)));
    }
    text_done(&interpreted);
    text_done(&compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hx_diag *diag;
    hx_program *program = NULL;
    hx_kernel *kernel = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return 0;
    if (hx_program_load_bytes("fuzz", NULL, data, size, fuzz_isa(), NULL, diag, &program) == HX_OK &&
        program->step_count > 0 && is_small(program)) {
        const size_t number = (size_t)(program->steps[0].kernel - program->kernels);
        if (hx_kernel_new(program, number, NULL, diag, &kernel) == HX_OK)
            try_tiers(program, kernel, diag);
    }
    hx_kernel_free(kernel);
    hx_program_free(program);
    hx_diag_free(diag);
    return 0;
}
