// A list that grows, and that nobody frees.
// run --grid 2 --block 16 --arg i32:32
struct node {
    int value;
    node *next;
};
__device__ node *list;
__global__ void grow(int *out)
{
    node *n = new node; // expect memory.heap_leak x32
    n->value = threadIdx.x;
    n->next = list;
    list = n;
    int *p = (int *)malloc(out[threadIdx.x] + 8);
    p[0] = 1;
    out[threadIdx.x] = p[out[threadIdx.x]];
    free(p);
}
