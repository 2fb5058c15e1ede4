/* Stores that nobody reads are made all the same. */
// run --grid 1 --block 64 --arg i32:64
kernel void unused(global int *a)
{
    local int last;
    last = get_local_id(0); // expect race.write_write x63 also +0
}
