// printf, and a structure by value: counts points inside an ellipse, and the first work-item of each group says how
// many its group has.
struct ellipse {
    float2 centre;
    float width, height;
    char name[8];
};

kernel void tally(struct ellipse shape, global const float2 *points, global uint *total)
{
    local uint inside;
    if (get_local_id(0) == 0)
        inside = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 d = (points[get_global_id(0)] - shape.centre) / (float2)(shape.width, shape.height);
    if (dot(d, d) <= 1.0f)
        atomic_inc(&inside);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        printf("group %u: %u of %u points in %c at (%.2f, %.2f)\n", (uint)get_group_id(0), inside,
               (uint)get_local_size(0), shape.name[0], shape.centre.x, shape.centre.y);
        atomic_add(total, inside);
    }
}
