// Bytes and halves that are atomics: of their neighbours in the word each is free.
// run --grid 2 --block 8 --arg u8:8 --arg i16:4 --arg u8:1 --arg i32:8
#include <cuda/atomic>
__global__ void correct(unsigned char *bytes, short *halves, bool *flag, int *out)
{
    const int t = threadIdx.x;
    cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[t]).fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<short, cuda::thread_scope_device>(halves[t / 2]).fetch_sub(1, cuda::memory_order_relaxed);
    if (t == 0 && blockIdx.x == 0) {
        out[0] = 3;
        cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[7]).fetch_or(128, cuda::memory_order_release);
    }
    if (t == 0 && blockIdx.x == 1) {
        while (cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[7]).load(cuda::memory_order_acquire) < 128)
            ;
        out[1] = out[0];
    }
}
