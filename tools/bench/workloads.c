/* The kernels of the benchmark.
 *
 * A kernel is a row of the table at the end: its sizes and a function that plans it, which says what the
 * program file says for a small example, with real sizes. Random contents are a function of seed and index
 * alone, so each side makes them by itself. */
#include "workloads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES (UINT64_C(2) << 20)

/* ---- Contents ------------------------------------------------------------------------------------------ */

/* splitmix64 (Steele, Lea, Flood 2014): the number at a place of a sequence. */
static uint64_t random_at(uint64_t seed, uint64_t index)
{
    uint64_t z = (seed << 40) + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static double unit_at(uint64_t seed, uint64_t index)
{
    return (double)(random_at(seed, index) >> 40) * 0x1p-24;
}

static void fill_f32(const struct workload *workload, const struct workload_buffer *buffer, void *data)
{
    float *out = data;
    (void)workload;
    for (uint64_t i = 0; i < buffer->count; i++)
        out[i] = (float)(buffer->least + (buffer->most - buffer->least) * unit_at(buffer->seed, i));
}

static void fill_integers(const struct workload *workload, const struct workload_buffer *buffer, void *data)
{
    const uint64_t mask = (uint64_t)buffer->most - 1; /* a power of two, less one; all bits for 0 */
    (void)workload;
    for (uint64_t i = 0; i < buffer->count; i++) {
        const uint64_t value = random_at(buffer->seed, i) & mask;
        if (buffer->type == ELEMENT_U8)
            ((uint8_t *)data)[i] = (uint8_t)value;
        else if (buffer->type == ELEMENT_U32)
            ((uint32_t *)data)[i] = (uint32_t)value;
        else
            ((uint64_t *)data)[i] = value;
    }
}

static void fill_zero(const struct workload *workload, const struct workload_buffer *buffer, void *data)
{
    (void)workload;
    memset(data, 0, workload_buffer_bytes(buffer));
}

/* ---- Planning ------------------------------------------------------------------------------------------ */

static void shape(struct workload *workload, uint32_t grid_x, uint32_t grid_y, uint32_t block_x,
                  uint32_t block_y)
{
    const uint32_t grid[3] = {grid_x, grid_y, 1}, block[3] = {block_x, block_y, 1};
    memcpy(workload->grid, grid, sizeof grid);
    memcpy(workload->block, block, sizeof block);
}

static void param_u32(struct workload *workload, const char *name, uint32_t value)
{
    workload->params[workload->param_count++] =
        (struct workload_param){.name = name, .type = ELEMENT_U32, .value.u32 = value};
}

static void param_f32(struct workload *workload, const char *name, float value)
{
    workload->params[workload->param_count++] =
        (struct workload_param){.name = name, .type = ELEMENT_F32, .value.f32 = value};
}

static void param_u64(struct workload *workload, const char *name, uint64_t value)
{
    workload->params[workload->param_count++] =
        (struct workload_param){.name = name, .type = ELEMENT_U64, .value.u64 = value};
}

static struct workload_buffer *add_buffer(struct workload *workload, const char *name, enum element type,
                                          uint64_t count)
{
    struct workload_buffer *buffer = &workload->buffers[workload->buffer_count++];
    *buffer =
        (struct workload_buffer){.name = name, .type = type, .count = count, .seed = workload->buffer_count};
    return buffer;
}

/* Read only; random. */
static struct workload_buffer *input(struct workload *workload, const char *name, enum element type,
                                     uint64_t count, double least, double most)
{
    struct workload_buffer *buffer = add_buffer(workload, name, type, count);
    buffer->is_read = true;
    buffer->least = least;
    buffer->most = most;
    buffer->fill = type == ELEMENT_F32 ? fill_f32 : fill_integers;
    return buffer;
}

/* Written in full. */
static struct workload_buffer *output(struct workload *workload, const char *name, enum element type,
                                      uint64_t count)
{
    struct workload_buffer *buffer = add_buffer(workload, name, type, count);
    buffer->is_written = true;
    return buffer;
}

/* Read and written; random. */
static struct workload_buffer *changed(struct workload *workload, const char *name, enum element type,
                                       uint64_t count, double least, double most)
{
    struct workload_buffer *buffer = input(workload, name, type, count, least, most);
    buffer->is_written = true;
    return buffer;
}

static void plan_vector_add(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, (n + 255) / 256, 1, 256, 1);
    input(workload, "a", ELEMENT_F32, n, -1, 1);
    input(workload, "b", ELEMENT_F32, n, -1, 1);
    output(workload, "c", ELEMENT_F32, n);
    param_u32(workload, "n", n);
}

static void plan_saxpy(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, (n + 255) / 256, 1, 256, 1);
    input(workload, "x", ELEMENT_F32, n, -1, 1);
    changed(workload, "y", ELEMENT_F32, n, -1, 1);
    param_u32(workload, "n", n);
    param_f32(workload, "a", 2.5f);
}

static void plan_matmul(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 16, n / 16, 16, 16);
    input(workload, "a", ELEMENT_F32, (uint64_t)n * n, -1, 1);
    input(workload, "b", ELEMENT_F32, (uint64_t)n * n, -1, 1);
    output(workload, "c", ELEMENT_F32, (uint64_t)n * n);
    param_u32(workload, "n", n);
}

static void plan_nbody(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 64, 1, 64, 1);
    input(workload, "bodies", ELEMENT_F32, 4 * (uint64_t)n, 0.1, 1);
    changed(workload, "velocity", ELEMENT_F32, 4 * (uint64_t)n, -1, 1);
    output(workload, "moved", ELEMENT_F32, 4 * (uint64_t)n);
    param_u32(workload, "n", n);
    param_f32(workload, "softening", 0.01f);
    param_f32(workload, "step", 0.001f);
    workload->rtol = 1e-3; /* thousands of pulls, summed in another order */
    workload->atol = 1e-4;
}

static void plan_mandelbrot(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 16, n / 16, 16, 16);
    output(workload, "steps", ELEMENT_U32, (uint64_t)n * n);
    param_u32(workload, "width", n);
    param_u32(workload, "height", n);
    param_u32(workload, "limit", 256);
    param_f32(workload, "left", -2.0f);
    param_f32(workload, "top", -1.25f);
    param_f32(workload, "pixel", 2.5f / (float)n);
}

static void plan_black_scholes(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, (n + 255) / 256, 1, 256, 1);
    input(workload, "spot", ELEMENT_F32, n, 5, 30);
    input(workload, "strike", ELEMENT_F32, n, 1, 100);
    input(workload, "years", ELEMENT_F32, n, 0.25, 10);
    output(workload, "call_price", ELEMENT_F32, n);
    output(workload, "put_price", ELEMENT_F32, n);
    param_u32(workload, "n", n);
    param_f32(workload, "rate", 0.02f);
    param_f32(workload, "volatility", 0.3f);
    workload->rtol = 1e-4; /* exp and log are within units of the last place, and prices are differences */
    workload->atol = 1e-4;
}

static void plan_reduce_sum(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 256, 1, 256, 1);
    input(workload, "x", ELEMENT_F32, n, 0, 1);
    output(workload, "sums", ELEMENT_F32, n / 256);
    param_u32(workload, "n", n);
    workload->rtol = 1e-5; /* another order of additions */
}

static void plan_transpose(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 32, n / 32, 32, 8);
    input(workload, "input", ELEMENT_F32, (uint64_t)n * n, -1, 1);
    output(workload, "output", ELEMENT_F32, (uint64_t)n * n);
    param_u32(workload, "width", n);
    param_u32(workload, "height", n);
}

static void plan_stencil2d(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 16, n / 8, 16, 8);
    input(workload, "before", ELEMENT_F32, (uint64_t)n * n, 0, 100);
    output(workload, "after", ELEMENT_F32, (uint64_t)n * n);
    param_u32(workload, "width", n);
    param_u32(workload, "height", n);
}

/* Rows have 4 to 27 elements, and each 64th one 64 more: most matrices of discretised equations have short
 * rows of like length with a few long ones. */
static uint32_t row_length(uint64_t row)
{
    return 4 + (uint32_t)(random_at(9, row) % 24) + (random_at(10, row) % 64 == 0 ? 64 : 0);
}

static void fill_row_start(const struct workload *workload, const struct workload_buffer *buffer, void *data)
{
    uint32_t *out = data;
    out[0] = 0;
    (void)buffer;
    for (uint32_t row = 0; row < workload->n; row++)
        out[row + 1] = out[row] + row_length(row);
}

/* Three in four elements lie near the diagonal, the others anywhere. */
static void fill_column(const struct workload *workload, const struct workload_buffer *buffer, void *data)
{
    uint32_t *out = data;
    const uint32_t n = workload->n;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t k = row_length(row); k > 0; k--, out++) {
            const uint64_t random = random_at(buffer->seed, (uint64_t)row * 128 + k);
            const uint32_t near = (row + n - 64 % n + (uint32_t)(random >> 8) % 128) % n;
            *out = random % 4 != 0 ? near : (uint32_t)(random >> 16) % n;
        }
}

static void plan_spmv_csr(struct workload *workload)
{
    const uint32_t n = workload->n;
    uint64_t elements = 0;
    for (uint32_t row = 0; row < n; row++)
        elements += row_length(row);
    shape(workload, (n + 255) / 256, 1, 256, 1);
    input(workload, "row_start", ELEMENT_U32, (uint64_t)n + 1, 0, 0)->fill = fill_row_start;
    input(workload, "column", ELEMENT_U32, elements, 0, 0)->fill = fill_column;
    input(workload, "value", ELEMENT_F32, elements, -1, 1);
    input(workload, "x", ELEMENT_F32, n, -1, 1);
    output(workload, "y", ELEMENT_F32, n);
    param_u32(workload, "rows", n);
}

static void plan_collatz(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, (n + 127) / 128, 1, 128, 1);
    output(workload, "steps", ELEMENT_U32, n);
    param_u32(workload, "n", n);
}

static void plan_histogram(struct workload *workload)
{
    const uint32_t n = workload->n; /* 64 elements a thread */
    shape(workload, (n + 16383) / 16384, 1, 256, 1);
    input(workload, "x", ELEMENT_U8, n, 0, 64);
    changed(workload, "bins", ELEMENT_U32, 64, 0, 0)->fill = fill_zero;
    param_u32(workload, "n", n);
}

static void plan_scan_block(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 256, 1, 256, 1);
    input(workload, "x", ELEMENT_U32, n, 0, 16);
    output(workload, "total", ELEMENT_U32, n);
}

static void plan_bitonic_sort(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 256, 1, 256, 1);
    changed(workload, "keys", ELEMENT_U32, n, 0, 0);
}

static void plan_hash64(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 64, 1, 64, 1);
    input(workload, "x", ELEMENT_U64, 4 * (uint64_t)n, 0, 0);
    output(workload, "hash", ELEMENT_U64, n);
    output(workload, "folded", ELEMENT_U64, n);
    param_u64(workload, "p1", 0x9E3779B185EBCA87u);
    param_u64(workload, "p2", 0xC2B2AE3D27D4EB4Fu);
    param_u64(workload, "p3", 0x165667B19E3779F9u);
}

static void plan_monte_carlo(struct workload *workload)
{
    const uint32_t n = workload->n;
    shape(workload, n / 128, 1, 128, 1);
    output(workload, "hits", ELEMENT_U32, n);
    param_u32(workload, "steps", 16);
    param_u32(workload, "seed", 2026);
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*plan)(struct workload *workload);
    uint32_t n[SIZE_COUNT]; /* real, small, quick */
} table[] = {
    {"vector_add", plan_vector_add, {1 << 24, 1 << 19, 5000}},
    {"saxpy", plan_saxpy, {1 << 24, 1 << 19, 5000}},
    {"matmul_tiled", plan_matmul, {1024, 128, 32}},
    {"matmul_naive", plan_matmul, {512, 128, 32}},
    {"nbody", plan_nbody, {8192, 512, 128}},
    {"mandelbrot", plan_mandelbrot, {1024, 160, 32}},
    {"black_scholes", plan_black_scholes, {1 << 22, 1 << 17, 1000}},
    {"reduce_sum", plan_reduce_sum, {1 << 24, 1 << 17, 2048}},
    {"transpose", plan_transpose, {4096, 384, 64}},
    {"stencil2d", plan_stencil2d, {2048, 384, 64}},
    {"spmv_csr", plan_spmv_csr, {1 << 18, 1 << 15, 500}},
    {"collatz", plan_collatz, {1 << 20, 1 << 14, 500}},
    {"histogram", plan_histogram, {1 << 24, 1 << 19, 20000}},
    {"scan_block", plan_scan_block, {1 << 22, 1 << 16, 1024}},
    {"bitonic_sort", plan_bitonic_sort, {1 << 20, 1 << 14, 512}},
    {"hash64", plan_hash64, {1 << 20, 1 << 16, 256}},
    {"monte_carlo", plan_monte_carlo, {1 << 18, 1 << 12, 256}},
};

#define WORKLOADS (sizeof table / sizeof *table)

const char *workload_name(size_t index)
{
    return index < WORKLOADS ? table[index].name : NULL;
}

bool workload_plan(const char *name, enum workload_size size, struct workload *ret_workload)
{
    for (size_t i = 0; i < WORKLOADS; i++)
        if (strcmp(table[i].name, name) == 0) {
            *ret_workload = (struct workload){.name = table[i].name, .n = table[i].n[size]};
            table[i].plan(ret_workload);
            return true;
        }
    return false;
}

enum workload_size workload_size_of(const char *text)
{
    static const char *const names[] = {"real", "small", "quick"};
    int size = 0;
    while (size < SIZE_COUNT && strcmp(text, names[size]) != 0)
        size++;
    return (enum workload_size)size;
}

/* ---- Buffers ------------------------------------------------------------------------------------------- */

size_t element_bytes(enum element type)
{
    static const size_t bytes[] = {[ELEMENT_U8] = 1, [ELEMENT_U32] = 4, [ELEMENT_F32] = 4, [ELEMENT_U64] = 8};
    return bytes[type];
}

uint64_t workload_buffer_bytes(const struct workload_buffer *buffer)
{
    return buffer->count * element_bytes(buffer->type);
}

void *workload_allocate(uint64_t bytes)
{
    const uint64_t alignment = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 64;
    const uint64_t size = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, size ? size : alignment);
    if (memory && alignment == HUGE_PAGE_BYTES)
        madvise(memory, size, MADV_HUGEPAGE); /* a hint: without huge pages it is only slower */
    return memory;
}

void workload_fill(const struct workload *workload, size_t buffer, void *data, bool is_first)
{
    const struct workload_buffer *which = &workload->buffers[buffer];
    if (which->fill && (is_first || which->is_written))
        which->fill(workload, which, data);
    else if (is_first) /* pages come into being before the clock runs */
        memset(data, 0xff, workload_buffer_bytes(which));
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

static double element_value(enum element type, const void *data, uint64_t index)
{
    switch (type) {
    case ELEMENT_U8:
        return ((const uint8_t *)data)[index];
    case ELEMENT_U32:
        return ((const uint32_t *)data)[index];
    case ELEMENT_F32:
        return (double)((const float *)data)[index];
    default:
        return (double)((const uint64_t *)data)[index];
    }
}

struct workload_difference workload_compare(const struct workload *workload, size_t buffer, const void *mine,
                                            const void *theirs)
{
    const struct workload_buffer *which = &workload->buffers[buffer];
    const size_t bytes = element_bytes(which->type);
    const bool is_exact = workload->rtol == 0 && workload->atol == 0;
    struct workload_difference found = {.is_identical = true};
    for (uint64_t i = 0; i < which->count; i++) {
        if (memcmp((const char *)mine + i * bytes, (const char *)theirs + i * bytes, bytes) == 0)
            continue;
        const double a = element_value(which->type, mine, i), b = element_value(which->type, theirs, i);
        const double apart = fabs(a - b);
        found.is_identical = false;
        if (apart > found.worst * fabs(b) && b != 0)
            found.worst = apart / fabs(b);
        if (!is_exact && apart <= workload->atol + workload->rtol * fabs(b))
            continue;
        if (found.count++ == 0)
            found.first = i;
    }
    return found;
}
