// Breadth-first search: a work-item for each vertex of the frontier, which it finds new vertices for with an atomic
// comparison. The host launches a pass for each distance, until a pass finds nothing.
kernel void begin(global int *distance, global uint *frontier, global uint *found)
{
    const size_t v = get_global_id(0);
    distance[v] = v == 0 ? 0 : -1;
    if (v == 0) {
        frontier[0] = 0;
        found[0] = 1;
    }
}

kernel void expand(global const uint *first, global const uint *next, global int *distance, global uint *frontiers,
                   global uint *found, uint vertices, uint level)
{
    global const uint *from = frontiers + level % 2 * vertices;
    global uint *to = frontiers + (level + 1) % 2 * vertices;
    for (size_t i = get_global_id(0); i < found[level]; i += get_global_size(0)) {
        const uint v = from[i];
        for (uint edge = first[v]; edge < first[v + 1]; edge++)
            if (atomic_cmpxchg((volatile global int *)&distance[next[edge]], -1, (int)level + 1) == -1)
                to[atomic_inc(&found[level + 1])] = next[edge];
    }
}
