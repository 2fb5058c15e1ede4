/* Small GPUs for tests of the models: sizes by which answers can be worked out by hand. */
#pragma once

#include "gpu/gpu.h"
#include "unit.h"

#include <string.h>

/* An SM holds 4 blocks or 8 warps of 4 lanes; L1: `l1_sets` sets in `l1_bytes` with no shared memory; L2: 4
 * ways in `l2_bytes`. Lines of 128 bytes, sectors of 32. Latencies 10, 100 and 1000, and 5 of shared memory.
 */
static inline struct gpu *gpu_unit_new(unsigned sms, unsigned l1_bytes, unsigned l1_sets, unsigned l2_bytes)
{
    struct text text;
    struct gpu *gpu = NULL;
    hx_diag *diag = NULL;
    text_init(&text, NULL);
    ck_assert_ok(hx_diag_new(NULL, &diag));
    text_print(
        &text,
        "gpu: small\nname: small\ncapability: \"0\"\nclock_mhz: 1000\nsms: %u\n"
        "sm: {schedulers: 1, warps: 8, threads: 256, blocks: 4, block_threads: 256, registers: 65536,\n"
        "     thread_registers: 255, register_unit: 256}\n"
        "shared: {sizes: [0, 256], block_bytes: 256, unit_bytes: 1, reserved_bytes: 0, latency: 5}\n"
        "line_bytes: 128\nsector_bytes: 32\n"
        "l1: {bytes: %u, sets: %u, latency: 10, bytes_per_clock: 128}\n"
        "l2: {bytes: %u, ways: 4, latency: 100, bytes_per_clock: 64}\n"
        "dram: {gbps: 32, latency: 1000}\n"
        "units:\n"
        "  integer: {rate: 32, latency: 4}\n  float: {rate: 32, latency: 4}\n"
        "  half: {rate: 32, latency: 4}\n  double: {rate: 16, latency: 8}\n"
        "  special: {rate: 8, latency: 20}\n  convert: {rate: 16, latency: 4}\n"
        "  shuffle: {rate: 32, latency: 20}\n  load_store: {rate: 8}\n",
        sms, l1_bytes, l1_sets, l2_bytes);
    const hx_status status = gpu_load_text("small.yaml", text.at, text.length, NULL, diag, &gpu);
    ck_assert_msg(status == HX_OK, "%s", hx_diag_count(diag) ? hx_diag_at(diag, 0)->message : "");
    hx_diag_free(diag);
    text_done(&text);
    return gpu;
}

/* The next random number below a bound. */
static inline uint64_t drawn(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}
