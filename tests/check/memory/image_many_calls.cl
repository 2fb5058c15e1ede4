// run --block 32 --arg f32:4096:iota --arg f32:32 --arg 0
/* Each call has a finding of its own, however much code the calls are together. */
kernel void rows(read_only image2d_t image, global float *y, sampler_t sampler)
{
    const int i = get_global_id(0);
    y[i] = read_imagef(image, sampler, (float2)(i, 0)).x;  // expect memory.no_image x32
    y[i] += read_imagef(image, sampler, (float2)(i, 1)).x; // expect memory.no_image x32
    y[i] += read_imagef(image, sampler, (float2)(i, 2)).x; // expect memory.no_image x32
    y[i] += read_imagef(image, sampler, (float2)(i, 3)).x; // expect memory.no_image x32
    y[i] += read_imagef(image, sampler, (float2)(i, 4)).x; // expect memory.no_image x32
    y[i] += read_imagef(image, sampler, (float2)(i, 5)).x; // expect memory.no_image x32
}
