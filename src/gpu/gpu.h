/* The nominal GPU that the models are of: a YAML file of published figures (src/gpu/devices, embedded by
 * the build, or one of the user's), checked in full when it is loaded and constant from then on. */
#pragma once

#include "base/diag.h"
#include "yaml/load.h"

/* Kinds of execution units, as the file names them: X(NAME, name). */
/* clang-format off */
#define GPU_UNITS(X)          \
    X(INTEGER, integer)       \
    X(FLOAT, float)           \
    X(HALF, half)             \
    X(DOUBLE, double)         \
    X(SPECIAL, special)       \
    X(CONVERT, convert)       \
    X(SHUFFLE, shuffle)       \
    X(LOAD_STORE, load_store)
/* clang-format on */
enum gpu_unit_kind {
#define GPU_UNIT_VALUE(NAME, name) GPU_##NAME,
    GPU_UNITS(GPU_UNIT_VALUE)
#undef GPU_UNIT_VALUE
        GPU_UNIT_COUNT
};
#define GPU_SECTORS_MAX 8u /* of a line */

struct gpu_unit {
    double rate;    /* lanes that an SM serves in a clock */
    double latency; /* clocks until a result can be used; 0: as the instruction set says */
};

struct gpu {
    struct arena arena;
    const char *key, *name, *capability;
    double clock_mhz;
    uint64_t sms;
    struct {
        uint64_t schedulers, warps, threads, blocks, block_threads, registers, thread_registers,
            register_unit;
    } sm;
    struct {
        uint64_t *sizes; /* that an SM's shared memory may have, ascending; what is left is L1 cache */
        size_t size_count;
        uint64_t block_bytes, unit_bytes, reserved_bytes;
        double latency, bytes_per_clock; /* of an SM */
    } shared;
    uint64_t line_bytes, sector_bytes; /* powers of two, of both caches */
    struct {
        uint64_t bytes; /* with shared memory */
        uint64_t sets;
        double latency, bytes_per_clock; /* of an SM, loads of 32 bits */
    } l1;
    struct {
        uint64_t bytes, ways;
        double latency, bytes_per_clock; /* of the GPU */
    } l2;
    struct {
        double gbps, latency;
    } dram;
    struct gpu_unit units[GPU_UNIT_COUNT];
};

/* The GPU called `name` of those embedded (NULL: gpu_default), or of the file `name` when that has a '/' or
 * ends in ".yaml" or ".yml". *ret_gpu is given (gpu_free). HX_INVALID with each mistake at its place, or the
 * names there are; HX_IO, HX_NO_MEMORY. */
HX_MUST_CHECK hx_status gpu_load(const char *name, const hx_allocator *allocator, hx_diag *diag,
                                 struct gpu **ret_gpu);
/* The same from text; `name` is what diagnostics call it. */
HX_MUST_CHECK hx_status gpu_load_text(const char *name, const char *yaml, size_t bytes,
                                      const hx_allocator *allocator, hx_diag *diag, struct gpu **ret_gpu);
void gpu_free(struct gpu *gpu); /* NULL is fine */
/* Names of the embedded ones, in alphabetical order; NULL beyond the end. Static. */
const char *gpu_name_at(size_t index);
extern const char gpu_default[];
const char *gpu_unit_name(enum gpu_unit_kind unit);
/* What the file's libcyaml schema is, for its JSON Schema. */
const cyaml_schema_value_t *gpu_document_schema(void);

/* The most shared memory that an SM may have, bytes. */
static inline uint64_t gpu_shared_most(const struct gpu *gpu)
{
    return gpu->shared.sizes[gpu->shared.size_count - 1];
}
