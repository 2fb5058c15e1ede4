/* Coordinates beyond the ends of a surface, of its rows and of its last one. */
// run --grid 1 --block 9 --arg image:f32:4x2
__global__ void beyond(cudaSurfaceObject_t s)
{
    surf2Dwrite(1.0f, s, threadIdx.x * 4, 0); // expect memory.out_of_range x5
    float v;
    surf2Dread(&v, s, -4, 1);         // expect memory.out_of_range x9
    surf2Dwrite(v, s, 0, threadIdx.x); // expect memory.out_of_range x7
    surf2Dread(&v, s, -4, 1, cudaBoundaryModeZero);
    surf2Dwrite(v, s, 400, 0, cudaBoundaryModeClamp);
}
