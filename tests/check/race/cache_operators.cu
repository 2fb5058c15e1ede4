// A flag that is stored through the cache.
// run --grid 2 --block 1 --arg i32:4 --arg f32:4 --arg i32:4
__global__ void wrong(int4 *data, float4 *flag, int4 *out)
{
    if (blockIdx.x == 0) {
        __stcg(data, make_int4(1, 2, 3, 4)); // expect race.read_write x* also +7
        __threadfence();
        __stcg(flag, make_float4(1, 1, 1, 1)); // expect race.atomic x* also +2
    } else {
        while (__ldcv(flag).x == 0)
            ;
        __threadfence();
        *out = __ldcg(data);
    }
}
