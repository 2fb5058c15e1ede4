/* Random numbers of threads: thread t has subsequence t of seed `seed`, from `offset` on. */
#include <curand_kernel.h>

template <typename State>
static __device__ void draw(unsigned long long seed, unsigned long long offset, unsigned *bits, float *floats, double *doubles)
{
    const int t = threadIdx.x;
    State state;
    curand_init(seed, t, offset, &state);
    for (int i = 0; i < 6; i++)
        bits[6 * t + i] = curand(&state);
    floats[5 * t] = curand_uniform(&state);
    doubles[5 * t] = curand_uniform_double(&state);
    for (int i = 1; i < 3; i++) { /* the second one of a pair, too */
        floats[5 * t + i] = curand_normal(&state);
        doubles[5 * t + i] = curand_normal_double(&state);
    }
    floats[5 * t + 3] = curand_log_normal(&state, 1.0f, 0.5f);
    doubles[5 * t + 3] = curand_log_normal_double(&state, 1.0, 0.5);
    skipahead(1000, &state);
    skipahead_sequence(3, &state);
    floats[5 * t + 4] = curand_uniform(&state);
    doubles[5 * t + 4] = curand_uniform_double(&state);
}

__global__ void xorwow(unsigned long long seed, unsigned long long offset, unsigned *bits, float *floats, double *doubles)
{
    draw<curandState>(seed, offset, bits, floats, doubles);
}

__global__ void philox(unsigned long long seed, unsigned long long offset, unsigned *bits, float *floats, double *doubles)
{
    draw<curandStatePhilox4_32_10_t>(seed, offset, bits, floats, doubles);
}

/* From each place within four numbers. */
__global__ void fours(unsigned long long seed, uint4 *bits, float4 *floats, double2 *doubles)
{
    const int t = threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, 7, t, &state);
    bits[t] = curand4(&state);
    floats[t] = curand_uniform4(&state);
    doubles[t] = curand_uniform2_double(&state);
}

__global__ void poisson(double lambda, unsigned *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(1, t, 0, &state);
    out[t] = curand_poisson(&state, lambda);
}
