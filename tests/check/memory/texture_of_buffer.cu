// run --block 32 --arg f32:4096:iota --arg 77 --arg f32:32
/* An address and a number in the place of handles. */
__global__ void add(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *y)
{
    const int i = threadIdx.x;
    y[i] = tex2D<float>(texture, i, 0.5f); // expect memory.no_image x32
    surf2Dwrite(y[i], surface, i * 4, 0);  // expect memory.no_image x32
    if (i < 8)
        y[i] = surf2Dread<float>(surface, i * 4, 0); // expect memory.no_image x8
}
