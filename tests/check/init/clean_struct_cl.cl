// A structure with padding goes through local memory.
// run --grid 1 --block 64 --arg u32:128
struct pair {
    uchar tag;
    uint value;
};
kernel void clean_struct_cl(global struct pair *y)
{
    local struct pair tile[64];
    const uint i = get_local_id(0);
    tile[i].tag = (uchar)i;
    tile[i].value = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[63 - i];
}
