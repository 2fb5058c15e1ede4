/* An index that leaves a member stays in the structure, so that no access is outside of it; one of a constant that the
 * compiler knows leaves no access at all. */
// run --grid 2 --block 32 --arg i32:64
struct pair {
    int low[4], high[4];
};

kernel void members(global int *out)
{
    const int i = get_local_id(0), j = i % 8;
    struct pair pair = {{i, 1, 2, 3}, {4, 5, 6, 7}};
    pair.high[i % 4] = out[get_global_id(0)];
    out[get_global_id(0)] = pair.low[j]; // expect memory.leaves_array x32
}
