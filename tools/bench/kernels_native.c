/* The kernels in plain C.
 *
 * The same computations as in programs/, not the same code: a loop over elements where a GPU has threads,
 * rows in the order of memory where it has tiles, a radix sort where it has a sorting network. The compiler
 * may do all it can (-O3 -march=native), but not to change results (no -ffast-math). Multiplications
 * and additions are written as fmaf where a compiler would contract them, and contraction is off elsewhere,
 * so that most results have the same bits as the programs'. Vectors come from the compiler alone. */
#include "kernels_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void vector_add(const struct workload *workload, void *const *buffers)
{
    const float *restrict a = buffers[0], *restrict b = buffers[1];
    float *restrict c = buffers[2];
    for (uint32_t i = 0; i < workload->n; i++)
        c[i] = a[i] + b[i];
}

static void saxpy(const struct workload *workload, void *const *buffers)
{
    const float a = workload->params[1].value.f32, *restrict x = buffers[0];
    float *restrict y = buffers[1];
    for (uint32_t i = 0; i < workload->n; i++)
        y[i] = fmaf(a, x[i], y[i]);
}

/* Rows of b are added to a row of c: everything goes along rows, and the inner loop has no chain. 64 rows of
 * b at a time stay in the second cache. */
static void matmul(const struct workload *workload, void *const *buffers)
{
    const float *restrict a = buffers[0], *restrict b = buffers[1];
    float *restrict c = buffers[2];
    const size_t n = workload->n, rows = 64;
    memset(c, 0, n * n * sizeof *c);
    for (size_t first = 0; first < n; first += rows)
        for (size_t i = 0; i < n; i++)
            for (size_t k = first; k < first + rows && k < n; k++) {
                const float factor = a[i * n + k];
                for (size_t j = 0; j < n; j++)
                    c[i * n + j] = fmaf(factor, b[k * n + j], c[i * n + j]);
            }
}

/* The pull of all bodies on one. The others' places lie in arrays of their own and LANES sums are kept side
 * by side: the compiler may not reorder a sum, and so would find no vectors in a single one. */
#define LANES 16
static void pull_on(const float *restrict others, size_t n, const float *body, float softening,
                    float *ret_sums)
{
    const float *restrict x = others, *restrict y = others + n, *restrict z = others + 2 * n;
    const float *restrict mass = others + 3 * n;
    float sum_x[LANES] = {0}, sum_y[LANES] = {0}, sum_z[LANES] = {0};
    for (size_t j = 0; j < n; j += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float dx = x[j + k] - body[0], dy = y[j + k] - body[1], dz = z[j + k] - body[2];
            const float inverse = 1 / sqrtf(fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, softening))));
            const float pull = inverse * inverse * inverse * mass[j + k];
            sum_x[k] = fmaf(dx, pull, sum_x[k]);
            sum_y[k] = fmaf(dy, pull, sum_y[k]);
            sum_z[k] = fmaf(dz, pull, sum_z[k]);
        }
    ret_sums[0] = ret_sums[1] = ret_sums[2] = 0;
    for (int k = 0; k < LANES; k++) {
        ret_sums[0] += sum_x[k];
        ret_sums[1] += sum_y[k];
        ret_sums[2] += sum_z[k];
    }
}

static void nbody(const struct workload *workload, void *const *buffers)
{
    const size_t n = workload->n;
    const float softening = workload->params[1].value.f32, step = workload->params[2].value.f32;
    const float *restrict bodies = buffers[0];
    float *restrict velocity = buffers[1], *restrict moved = buffers[2], sums[3];
    float *others = workload_allocate(4 * n * sizeof *others);
    if (!others)
        return; /* the results will be found wrong */
    for (size_t i = 0; i < n; i++)
        for (size_t axis = 0; axis < 4; axis++)
            others[axis * n + i] = bodies[4 * i + axis];
    for (size_t i = 0; i < n; i++) {
        pull_on(others, n, bodies + 4 * i, softening, sums);
        for (size_t axis = 0; axis < 3; axis++) {
            velocity[4 * i + axis] = fmaf(sums[axis], step, velocity[4 * i + axis]);
            moved[4 * i + axis] = fmaf(velocity[4 * i + axis], step, bodies[4 * i + axis]);
        }
        moved[4 * i + 3] = bodies[4 * i + 3];
    }
    free(others);
}

static void mandelbrot(const struct workload *workload, void *const *buffers)
{
    const struct workload_param *params = workload->params;
    const uint32_t width = params[0].value.u32, height = params[1].value.u32, limit = params[2].value.u32;
    const float left = params[3].value.f32, top = params[4].value.f32, pixel = params[5].value.f32;
    uint32_t *restrict out = buffers[0];
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const float c_re = (float)x * pixel + left, c_im = (float)y * pixel + top;
            float re = 0, im = 0;
            uint32_t steps = 0;
            while (steps < limit && re * re + im * im <= 4) {
                const float next = re * re - im * im + c_re;
                im = fmaf(re * im, 2, c_im);
                re = next;
                steps++;
            }
            out[y * width + x] = steps;
        }
}

/* The normal distribution (Abramowitz and Stegun 26.2.17). */
static float normal(float x)
{
    const float t = 1 / fmaf(fabsf(x), 0.2316419f, 1);
    float sum = fmaf(1.330274429f, t, -1.821255978f);
    sum = fmaf(sum, t, 1.781477937f);
    sum = fmaf(sum, t, -0.356563782f);
    sum = fmaf(sum, t, 0.31938153f);
    const float tail = sum * t * expf(x * x * -0.5f) * 0.3989422804f;
    return x > 0 ? 1 - tail : tail;
}

static void black_scholes(const struct workload *workload, void *const *buffers)
{
    const float *restrict spot = buffers[0], *restrict strike = buffers[1], *restrict years = buffers[2];
    float *restrict call = buffers[3], *restrict put = buffers[4];
    const float rate = workload->params[1].value.f32, volatility = workload->params[2].value.f32;
    for (uint32_t i = 0; i < workload->n; i++) {
        const float width = volatility * sqrtf(years[i]);
        const float drift = (rate + volatility * volatility * 0.5f) * years[i];
        const float d1 = (logf(spot[i] / strike[i]) + drift) / width, d2 = d1 - width;
        const float discounted = strike[i] * expf(-rate * years[i]);
        call[i] = spot[i] * normal(d1) - discounted * normal(d2);
        put[i] = call[i] + discounted - spot[i];
    }
}

/* Sixteen sums side by side: one alone would wait for each addition. */
static void reduce_sum(const struct workload *workload, void *const *buffers)
{
    const float *restrict x = buffers[0];
    float *restrict sums = buffers[1];
    for (uint32_t block = 0; block < workload->n / 256; block++) {
        float parts[16] = {0}, sum = 0;
        for (uint32_t i = 0; i < 256; i += 16)
            for (uint32_t k = 0; k < 16; k++)
                parts[k] += x[256 * block + i + k];
        for (uint32_t k = 0; k < 16; k++)
            sum += parts[k];
        sums[block] = sum;
    }
}

/* Squares of 32 x 32, so that the lines of both matrices stay in the first cache. */
static void transpose(const struct workload *workload, void *const *buffers)
{
    const float *restrict in = buffers[0];
    float *restrict out = buffers[1];
    const size_t n = workload->n;
    for (size_t top = 0; top < n; top += 32)
        for (size_t left = 0; left < n; left += 32)
            for (size_t x = left; x < left + 32; x++)
                for (size_t y = top; y < top + 32; y++)
                    out[x * n + y] = in[y * n + x];
}

static void stencil2d(const struct workload *workload, void *const *buffers)
{
    const float *restrict in = buffers[0];
    float *restrict out = buffers[1];
    const size_t n = workload->n;
    memcpy(out, in, n * sizeof *out);
    for (size_t y = 1; y + 1 < n; y++) {
        const float *above = in + (y - 1) * n, *here = above + n, *below = here + n;
        float *to = out + y * n;
        to[0] = here[0];
        for (size_t x = 1; x + 1 < n; x++)
            to[x] = ((above[x] + below[x]) + (here[x - 1] + here[x + 1])) * 0.25f;
        to[n - 1] = here[n - 1];
    }
    memcpy(out + (n - 1) * n, in + (n - 1) * n, n * sizeof *out);
}

static void spmv_csr(const struct workload *workload, void *const *buffers)
{
    const uint32_t *restrict row_start = buffers[0], *restrict column = buffers[1];
    const float *restrict value = buffers[2], *restrict x = buffers[3];
    float *restrict y = buffers[4];
    for (uint32_t row = 0; row < workload->n; row++) {
        float sum = 0;
        for (uint32_t k = row_start[row]; k < row_start[row + 1]; k++)
            sum = fmaf(value[k], x[column[k]], sum);
        y[row] = sum;
    }
}

static void collatz(const struct workload *workload, void *const *buffers)
{
    uint32_t *restrict out = buffers[0];
    for (uint32_t i = 0; i < workload->n; i++) {
        uint64_t number = (uint64_t)i + 1;
        uint32_t steps = 0;
        for (; number > 1; steps++)
            number = number % 2 == 0 ? number / 2 : 3 * number + 1;
        out[i] = steps;
    }
}

/* Four tables, so that equal neighbours do not wait for each other. */
static void histogram(const struct workload *workload, void *const *buffers)
{
    const uint8_t *restrict x = buffers[0];
    uint32_t *restrict bins = buffers[1], counts[4][64] = {{0}};
    const uint32_t n = workload->n, whole = n / 4 * 4;
    for (uint32_t i = 0; i < whole; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            counts[k][x[i + k]]++;
    for (uint32_t i = whole; i < n; i++)
        counts[0][x[i]]++;
    for (int v = 0; v < 64; v++)
        bins[v] += counts[0][v] + counts[1][v] + counts[2][v] + counts[3][v];
}

static void scan_block(const struct workload *workload, void *const *buffers)
{
    const uint32_t *restrict x = buffers[0];
    uint32_t *restrict total = buffers[1];
    for (uint32_t block = 0; block < workload->n; block += 256) {
        uint32_t sum = 0;
        for (uint32_t i = block; i < block + 256; i++)
            total[i] = sum += x[i];
    }
}

/* One pass of a radix sort of 256 keys, by the byte at `shift`. */
static void radix_pass(const uint32_t *restrict from, uint32_t *restrict to, unsigned shift)
{
    uint16_t start[257] = {0};
    for (int i = 0; i < 256; i++)
        start[(from[i] >> shift & 255) + 1]++;
    for (int v = 0; v < 256; v++)
        start[v + 1] = (uint16_t)(start[v + 1] + start[v]);
    for (int i = 0; i < 256; i++)
        to[start[from[i] >> shift & 255]++] = from[i];
}

/* What the program's sorting network is for: blocks of 256 keys in order. */
static void sort_blocks(const struct workload *workload, void *const *buffers)
{
    uint32_t *restrict keys = buffers[0], other[256];
    for (uint32_t block = 0; block < workload->n; block += 256)
        for (unsigned shift = 0; shift < 32; shift += 16) {
            radix_pass(keys + block, other, shift);
            radix_pass(other, keys + block, shift + 8);
        }
}

static void hash64(const struct workload *workload, void *const *buffers)
{
    const uint64_t p1 = workload->params[0].value.u64, p2 = workload->params[1].value.u64;
    const uint64_t p3 = workload->params[2].value.u64, *restrict x = buffers[0];
    uint64_t *restrict hash = buffers[1], *restrict folded = buffers[2];
    for (uint32_t i = 0; i < workload->n; i++) {
        uint64_t sum = p3;
        for (int k = 0; k < 4; k++) {
            sum += x[4 * i + k] * p2;
            sum = (sum << 31 | sum >> 33) * p1;
        }
        sum = (sum ^ sum >> 33) * p2;
        sum = (sum ^ sum >> 29) * p3;
        sum ^= sum >> 32;
        hash[i] = sum;
        const unsigned __int128 product = (unsigned __int128)sum * p1;
        folded[i] = (uint64_t)(product >> 64) ^ (uint64_t)product;
    }
}

static uint32_t is_inside(uint32_t a, uint32_t b)
{
    const uint64_t x = a >> 16, y = b >> 16;
    return x * x + y * y < UINT64_C(1) << 32;
}

/* Philox 4x32-10 (Salmon et al. 2011). */
static void monte_carlo(const struct workload *workload, void *const *buffers)
{
    const uint32_t steps = workload->params[0].value.u32, seed = workload->params[1].value.u32;
    uint32_t *restrict out = buffers[0];
    for (uint32_t i = 0; i < workload->n; i++) {
        uint32_t hits = 0;
        for (uint32_t step = 0; step < steps; step++) {
            uint32_t c0 = i, c1 = step, c2 = 0, c3 = 0, key0 = seed, key1 = 0;
            for (int round = 0; round < 10; round++) {
                const uint64_t p0 = (uint64_t)c0 * 0xD2511F53u, p1 = (uint64_t)c2 * 0xCD9E8D57u;
                c0 = (uint32_t)(p1 >> 32) ^ c1 ^ key0;
                c1 = (uint32_t)p1;
                c2 = (uint32_t)(p0 >> 32) ^ c3 ^ key1;
                c3 = (uint32_t)p0;
                key0 += 0x9E3779B9u;
                key1 += 0xBB67AE85u;
            }
            hits += is_inside(c0, c1) + is_inside(c2, c3);
        }
        out[i] = hits;
    }
}

static const struct {
    const char *name;
    native_kernel *run;
} kernels[] = {
    {"vector_add", vector_add},
    {"saxpy", saxpy},
    {"matmul_tiled", matmul},
    {"matmul_naive", matmul},
    {"nbody", nbody},
    {"mandelbrot", mandelbrot},
    {"black_scholes", black_scholes},
    {"reduce_sum", reduce_sum},
    {"transpose", transpose},
    {"stencil2d", stencil2d},
    {"spmv_csr", spmv_csr},
    {"collatz", collatz},
    {"histogram", histogram},
    {"scan_block", scan_block},
    {"bitonic_sort", sort_blocks},
    {"hash64", hash64},
    {"monte_carlo", monte_carlo},
};

native_kernel *native_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return kernels[i].run;
    return NULL;
}
