// A 5 x 5 binomial blur of an image with 8 bits a pixel. The work-group loads its tile and a border of two pixels
// into local memory, where each pixel is read 25 times.
#define TILE 16
#define BORDER 2
#define WIDE (TILE + 2 * BORDER)

constant int weights[5] = {1, 4, 6, 4, 1};

kernel void blur(global const uchar *in, global uchar *out, int width, int height)
{
    local uchar tile[WIDE][WIDE];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = get_group_id(0) * TILE - BORDER, top = get_group_id(1) * TILE - BORDER;
    for (int y = ly; y < WIDE; y += TILE)
        for (int x = lx; x < WIDE; x += TILE)
            tile[y][x] = in[clamp(top + y, 0, height - 1) * width + clamp(left + x, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dy] * weights[dx] * tile[ly + dy][lx + dx];
    out[y * width + x] = convert_uchar_sat((sum + 128) >> 8);
}
