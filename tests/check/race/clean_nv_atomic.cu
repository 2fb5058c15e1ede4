// Messages by the atomic functions that nvcc has without an include.
// run --grid 2 --block 1 --arg i32:2 --arg u32:1 --arg i32:4
__global__ void correct(int *data, unsigned *flag, int *out)
{
    float sum = 1;
    unsigned expected = 0, two = 2;
    if (blockIdx.x == 0) {
        *data = 42;
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    } else {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0)
            ;
        *out = *data;
        out[1] = __nv_atomic_compare_exchange(flag, &expected, &two, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
    }
    __nv_atomic_fetch_max(&data[1], (int)blockIdx.x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&sum, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    out[2 + blockIdx.x] = (int)sum;
}
