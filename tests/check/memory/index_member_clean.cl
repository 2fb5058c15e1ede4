/* Each index stays in its member; the last member of a structure may be longer than it says. */
// run --grid 2 --block 32 --arg i32:64 --arg i32:16
struct pair {
    int low[4], high[4];
};
struct list {
    int count, of[1];
};

kernel void members(global int *out, global const struct list *list)
{
    const int i = get_local_id(0);
    struct pair pair = {{i, 1, 2, 3}, {4, 5, 6, 7}};
    pair.high[i % 4] = out[get_global_id(0)];
    out[get_global_id(0)] = pair.low[i % 4] + list->of[i % 15];
}
