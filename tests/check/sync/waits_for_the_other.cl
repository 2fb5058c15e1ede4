// run --grid 1 --block 2 --arg i32:2:1
kernel void k(global volatile int *l)
{
    while (l[1 - get_local_id(0)]) // expect sync.no_progress x1
        ;
}
