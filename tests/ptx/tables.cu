// nvcc -ptx -O3 -arch=sm_80 tables.cu -o tables-O3-sm_80.ptx; nvcc -ptx -G -arch=sm_75 tables.cu -o tables-G-sm_75.ptx
struct node {
    int value;
    const node *next;
};
__device__ int low[4] = {1, 2, 3, 4}, high[4] = {100, 200, 300, 400};
__constant__ int scale[2] = {10, 1000};
__device__ int *const rows[3] = {low, high + 1, &low[3]};              // in global memory, of global memory
__constant__ const int *factors[2] = {&scale[1], scale};               // in constant memory, of constant memory
__constant__ int *const *table = rows;                                 // a pointer to a table of pointers
__device__ extern node third;
__device__ node first = {5, &third}, second = {6, nullptr}, third = {7, &second};
__constant__ const node *heads[4] = {&first, &second, nullptr, &third};
#pragma pack(push, 1)
struct packed { // its pointers are written as bytes
    char tag;
    int *pointer;
    const node *list;
};
#pragma pack(pop)
__device__ packed records[2] = {{'a', low + 2, &second}, {'b', &high[3], &first}};

static __device__ int sum(const node *at)
{
    int total = 0;
    for (; at; at = at->next)
        total += at->value;
    return total;
}

extern "C" __global__ void walk(int *out)
{
    int i = threadIdx.x;
    if (i < 3)
        out[i] = rows[i][0] + table[i][0] * *factors[i & 1];
    else if (i < 7)
        out[i] = sum(heads[i - 3]);
    else if (i < 9)
        out[i] = records[i - 7].tag * 10000 + *records[i - 7].pointer + sum(records[i - 7].list);
}

extern "C" __global__ void change(int *out) // pointers that are written, and the buffers that they lead to
{
    records[1].pointer = rows[1];
    *records[1].pointer += 5;
    second.next = &first;
    third.next = nullptr;
    out[0] = high[1];
    out[1] = sum(heads[1]);
}
