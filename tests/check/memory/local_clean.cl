// All of what several arrays and arguments have in local memory, by all kinds of accesses.
// run --grid 2 --block 64 --arg i32:128 --arg shared:256 --arg shared:1024 --arg shared:4 --options -cl-std=CL2.0
int get(int *from, int i)
{
    return from[i];
}
kernel void all(global int *out, local int *a, local int4 *b, local atomic_int *count)
{
    local int c[64];
    local long d[64];
    local char e[64];
    const int i = get_local_id(0);
    local int *of[2] = {a, c};
    if (i == 0)
        atomic_init(count, 0);
    a[i] = 1;
    c[63 - i] = 2;
    d[i] = 3;
    e[63 - i] = 4;
    b[i] = (int4)(i, 1, 2, 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(count, of[i & 1][63 - i]);
    event_t event = async_work_group_copy(c, out + get_group_id(0) * 64, 64, 0);
    wait_group_events(1, &event);
    barrier(CLK_LOCAL_MEM_FENCE);
    int *from = i & 1 ? (int *)c : (int *)a;
    const int4 v = vload4(i, (local int *)b);
    out[get_global_id(0)] = get(from, i) + (int)d[63 - i] + e[i] + v.x + v.w + atomic_load(count);
}
