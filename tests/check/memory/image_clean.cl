// run --block 32 --arg image:f32x4:32x2:iota --arg image:u8x4:32x2 --arg image:u16:64 --arg image:snorm8x2:8x8x3,layers --arg f32:32 --arg 0
/* Images of several kinds, beyond whose ends reading gives the border and writing does nothing; a sampler is a number. */
kernel void copy(read_only image2d_t from, write_only image2d_t bytes, write_only image1d_t line,
                 read_only image2d_array_t layers, global float *y, sampler_t sampler)
{
    const int i = get_global_id(0);
    y[i] = read_imagef(from, (int2)(i, 0)).x + read_imagef(from, sampler, (float2)(i, 40)).y;
    y[i] += get_image_width(from) + get_image_height(bytes) + get_image_channel_order(line);
    y[i] += get_image_array_size(layers) + read_imagef(layers, sampler, (float4)(i, 2, 2, 0)).x;
    write_imageui(bytes, (int2)(i, 1), (uint4)(i));
    write_imageui(line, i + 60, (uint4)(i));
}
