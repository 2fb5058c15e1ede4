// y = A x, A in compressed sparse rows. Eight work-items share a row: they read its elements side by side, and add
// their sums in local memory.
#define TEAM 8

kernel void spmv(uint rows, global const uint *row_start, global const uint *column, global const double *value,
                 global const double *x, global double *y)
{
    local double sums[128];
    const uint t = get_local_id(0), lane = t % TEAM, row = get_global_id(0) / TEAM;
    double sum = 0;
    if (row < rows)
        for (uint i = row_start[row] + lane; i < row_start[row + 1]; i += TEAM)
            sum = fma(value[i], x[column[i]], sum);
    sums[t] = sum;
    for (uint half_team = TEAM / 2; half_team > 0; half_team /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_team)
            sums[t] += sums[t + half_team];
    }
    if (lane == 0 && row < rows)
        y[row] = sums[t];
}
