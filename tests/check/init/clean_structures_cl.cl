/* Structures with padding of whole words, and a vector of three, are copied to the host. */
// run --grid 1 --block 1 --arg i32:8 --arg i32:8 --arg f32:4
typedef struct {
    int s;
    int4 v;
} head;
typedef struct {
    int4 v;
    int s;
} tail;
kernel void copies(global head *h, global tail *t, global float3 *three)
{
    head a;
    a.s = 1;
    a.v = (int4)(1, 2, 3, 4);
    *h = a;
    tail b;
    b.v = (int4)(1, 2, 3, 4);
    b.s = 1;
    *t = b;
    float3 c;
    c.x = 1;
    c.y = 2;
    c.z = 3;
    *three = c;
}
