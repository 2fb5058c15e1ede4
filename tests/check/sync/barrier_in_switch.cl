// run --grid 1 --block 32 --arg i32:32:iota
kernel void arms(global int *x)
{
    switch (x[get_global_id(0)] & 3) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE); // expect-kinds sync.divergent_warp
        break;
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[get_global_id(0)] = 1;
}
