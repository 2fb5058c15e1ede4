/* Any bytes as a description of a GPU. One that loads has sizes that the models can divide by, and every
 * block has an occupancy. */
#include "gpu/occupancy.h"

#include <stdlib.h>

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static void try_occupancy(const struct gpu *gpu)
{
    for (uint32_t threads = 1; threads <= 1024; threads *= 2)
        for (uint64_t shared = 0; shared <= 65536; shared = shared * 4 + 1) {
            const struct occupancy_need need = {threads, 32, threads % 255, shared};
            struct occupancy found;
            occupancy_of(gpu, &need, &found);
            for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
                REQUIRE(found.blocks <= found.limits[i]);
            REQUIRE(found.warps <= gpu->sm.warps);
            REQUIRE(found.l1_bytes >= gpu->l1.sets * gpu->line_bytes);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hx_diag *diag;
    struct gpu *gpu = NULL;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return 0;
    const hx_status status = gpu_load_text("fuzz.yaml", (const char *)data, size, NULL, diag, &gpu);
    REQUIRE((status == HX_OK) == (hx_diag_count_of(diag, HX_ERROR) == 0));
    if (status == HX_OK)
        try_occupancy(gpu);
    gpu_free(gpu);
    hx_diag_free(diag);
    return 0;
}
