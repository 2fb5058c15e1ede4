// run --block 32 --arg image:f32:32x4,linear:iota --arg image:f32:32x4 --arg f32:32
__global__ void add(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *y)
{
    const int i = threadIdx.x;
    y[i] = tex2D<float>(texture, i + 0.5f, 1.5f);
    surf2Dwrite(y[i], surface, i * 4, 0);
    y[i] += surf2Dread<float>(surface, i * 4, 3);
}
