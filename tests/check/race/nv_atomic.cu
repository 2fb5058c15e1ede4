// The same, with a flag that is of a block.
// run --grid 2 --block 1 --arg i32:1 --arg i32:1 --arg i32:1
// expect-kinds race.read_write
// expect-kinds race.scope
__global__ void wrong(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    } else {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) == 0)
            ;
        *out = *data;
    }
}
