// run --block 64 --arg f32:4096:iota --arg f32:64
/* The host gave a buffer where the kernel has an image: its second number, 2.0f, is taken for the width. */
kernel void first_row(read_only image2d_t image, global float *y)
{
    const int i = get_global_id(0);
    if (i < get_image_width(image)) // expect memory.no_image x64
        y[i] = read_imagef(image, (int2)(i, 0)).x; // expect memory.no_image x64
    y[i] += read_imagef(image, (int2)(i, 1)).x; // expect memory.no_image x64
}
