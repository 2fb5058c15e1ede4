/* Structures with padding of whole words at their ends, between members and in bases are copied to the host. */
// run --grid 1 --block 2 --arg i32:8 --arg i32:16 --arg i32:24 --arg i32:8
struct __align__(16) one {
    int a;
};
struct gap {
    int s;
    float4 v;
};
struct base {
    char tag;
};
struct inner : base {
    double d;
    short s;
};
struct outer {
    inner parts[1];
    float4 v;
};
union any {
    float4 v;
    int word;
};
struct tagged {
    any u;
};
__device__ gap made(int s)
{
    gap g;
    g.s = s;
    g.v = make_float4(1, 2, 3, 4);
    return g;
}
__global__ void copies(one *ones, gap *gaps, outer *outers, tagged *few)
{
    one o;
    o.a = 1;
    ones[threadIdx.x] = o;
    gaps[threadIdx.x] = made(threadIdx.x);
    __shared__ gap kept[2];
    kept[threadIdx.x] = made(2);
    gap again = kept[threadIdx.x];
    if (again.s == 2)
        gaps[threadIdx.x] = again;
    outer x, y;
    x.parts[0].tag = 'x';
    x.parts[0].d = 2;
    x.parts[0].s = 3;
    x.v = make_float4(1, 2, 3, 4);
    y = x;
    outers[threadIdx.x] = y;
    tagged t;
    t.u.word = 1;
    few[threadIdx.x] = t;
}
