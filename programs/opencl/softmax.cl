// out[row] = exp(x[row] - max) / sum of these, a work-group for each row. The host sets the number of columns.
float reduce_max(local float *scratch, float value)
{
    const int t = get_local_id(0);
    scratch[t] = value;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < half_size)
            scratch[t] = fmax(scratch[t], scratch[t + half_size]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float result = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

float reduce_sum(local float *scratch, float value)
{
    const int t = get_local_id(0);
    scratch[t] = value;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < half_size)
            scratch[t] += scratch[t + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return scratch[0];
}

kernel void softmax(global const float *x, global float *out, int columns, local float *scratch)
{
    const int t = get_local_id(0), step = get_local_size(0);
    global const float *row = x + get_group_id(0) * columns;
    float largest = -INFINITY;
    for (int i = t; i < columns; i += step)
        largest = fmax(largest, row[i]);
    largest = reduce_max(scratch, largest);
    float sum = 0;
    for (int i = t; i < columns; i += step)
        sum += exp(row[i] - largest);
    sum = reduce_sum(scratch, sum);
    for (int i = t; i < columns; i += step)
        out[get_group_id(0) * columns + i] = exp(row[i] - largest) / sum;
}
