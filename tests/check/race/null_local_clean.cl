// Accesses by a local pointer that is NULL are the checker memory's: there is no element that threads could race for.
// run --grid 1 --block 64 --arg i32:64 --arg 0
kernel void put(global int *out, int some)
{
    local int *at = 0;
    if (some == 0)
        at[0] = get_local_id(0);
    out[get_local_id(0)] = at[1];
}
