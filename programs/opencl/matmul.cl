// C = A B with tiles in local memory; a work-item computes 4 x 4 elements of C in registers.
#define TILE 32
#define EACH 4

kernel __attribute__((reqd_work_group_size(8, 8, 1))) void
matmul(int n, global const float *a, global const float *b, global float *c)
{
    local float of_a[TILE][TILE], of_b[TILE][TILE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    float4 sum[EACH] = {0};
    for (int k0 = 0; k0 < n; k0 += TILE) {
        for (int r = ty; r < TILE; r += 8) {
            vstore4(vload4(tx, a + (top + r) * n + k0), tx, of_a[r]);
            vstore4(vload4(tx, b + (k0 + r) * n + left), tx, of_b[r]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            const float4 right = vload4(tx, of_b[k]);
            for (int r = 0; r < EACH; r++)
                sum[r] = fma((float4)(of_a[ty * EACH + r][k]), right, sum[r]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < EACH; r++)
        vstore4(sum[r], tx, c + (top + ty * EACH + r) * n + left);
}
