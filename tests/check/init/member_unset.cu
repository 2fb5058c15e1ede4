/* Members that nobody has set go to the host beside others, and whole words of them. */
// run --grid 1 --block 2 --arg f32:4 --arg i16:4 --arg i32:16 --arg i32:4 --arg i32:4
struct gap {
    int s;
    float4 v;
};
struct whole {
    long long a;
};
struct fields {
    unsigned a : 8;
    unsigned char c;
    unsigned short d;
};
__global__ void unset(float2 *pairs, short2 *shorts, gap *gaps, whole *wholes, fields *all)
{
    float2 p;
    p.x = 1;
    pairs[threadIdx.x] = p; // expect init.store x2
    short2 s;
    s.x = 1;
    shorts[threadIdx.x] = s; // expect init.store x2
    gap g;
    g.s = 1;
    g.v.x = g.v.y = g.v.z = 2;
    gap copy = g;
    gaps[threadIdx.x] = copy; // expect init.store x2
    whole w;
    wholes[threadIdx.x] = w; // expect init.store x2
    fields f;
    f.a = 1;
    f.d = 1;
    all[threadIdx.x] = f; // expect init.store x2
}
