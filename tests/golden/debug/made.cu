__device__ int counter = 7;
extern "C" __global__ void made(int *out)
{
    int values[4] = {1, 2, 3, 4};
    char text[8] = "hello";
    out[threadIdx.x] = values[threadIdx.x] + text[0] + counter;
}
