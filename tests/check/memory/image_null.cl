// run --block 32 --arg image:f32x4:32x2:iota --arg 0
/* The second image was never set. */
kernel void copy(read_only image2d_t from, write_only image2d_t to)
{
    const int i = get_global_id(0);
    const float4 texel = read_imagef(from, (int2)(i, 0));
    write_imagef(to, (int2)(i, 1), texel); // expect memory.no_image x32
}
