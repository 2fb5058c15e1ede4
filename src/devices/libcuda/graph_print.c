/* A graph as a file in the language DOT, for people who read it (cuGraphDebugDotPrint). */
#include "devices/libcuda/function.h"
#include "devices/libcuda/graph.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    VERBOSE = 1,
    RUNTIME_TYPES = 2,
    KERNELS = 4,
    COPIES = 8,
    FILLS = 16,
    HANDLES = 1024,
    KNOWN_FLAGS = 0xffff
};

static const char *kind_of(CUgraphNode node)
{
    switch (node->work.kind) {
    case WORK_LAUNCH:
        return "KERNEL";
    case WORK_COPY:
        return "MEMCPY";
    case WORK_FILL:
        return "MEMSET";
    case WORK_HOST:
        return "HOST";
    case WORK_LIST:
        return node->has_operations ? "BATCH_MEM_OP" : "GRAPH";
    case WORK_WAIT_EVENT:
        return "EVENT_WAIT";
    case WORK_RECORD:
        return "EVENT_RECORD";
    case WORK_ALLOC:
        return "MEM_ALLOC";
    case WORK_FREE:
        return "MEM_FREE";
    case WORK_WAIT_VALUE:
    case WORK_WRITE_VALUE:
        return "BATCH_MEM_OP";
    default:
        return "EMPTY";
    }
}

static void print_work(FILE *out, const struct work *work, unsigned flags)
{
    const struct launch_work *launch = &work->as.launch;
    if (work->kind == WORK_LAUNCH)
        fprintf(out, "\\n%s", launch->function->info.name);
    if (work->kind == WORK_LAUNCH && flags & (VERBOSE | KERNELS))
        fprintf(out, "\\ngrid %u %u %u, block %u %u %u, %u bytes of shared memory", launch->grid[0],
                launch->grid[1], launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
                launch->shared_bytes);
    if (work->kind == WORK_COPY && flags & (VERBOSE | COPIES))
        fprintf(out, "\\n%#" PRIx64 " to %#" PRIx64 ", %zu x %zu x %zu bytes", work->as.copy.from.address,
                work->as.copy.to.address, work->as.copy.width, work->as.copy.height, work->as.copy.depth);
    if (work->kind == WORK_FILL && flags & (VERBOSE | FILLS))
        fprintf(out, "\\n%#" PRIx64 ", value %u, %zu x %zu elements of %u bytes", work->as.fill.to,
                work->as.fill.value, work->as.fill.width, work->as.fill.height, work->as.fill.element);
}

/* Each graph has a number of its own, by which its nodes are named. */
static void print_graph(FILE *out, CUgraph graph, unsigned flags, unsigned *next)
{
    const unsigned number = (*next)++;
    size_t at = 0;
    fprintf(out, "subgraph cluster_%u {\nlabel=\"graph_%u\"\n", number, number);
    for (CUgraphNode node = graph->first; node; node = node->next) {
        node->mark = at++;
        fprintf(out, "\"graph_%u_node_%zu\" [shape=\"box\" label=\"%zu\\n%s", number, node->mark, node->mark,
                kind_of(node));
        print_work(out, &node->work, flags);
        if (flags & (VERBOSE | HANDLES))
            fprintf(out, "\\nnode %p", (void *)node);
        fprintf(out, "\"]\n");
    }
    for (CUgraphNode node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->need_count; i++)
            fprintf(out, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\"\n", number, node->needs[i]->mark,
                    number, node->mark);
    for (CUgraphNode node = graph->first; node; node = node->next)
        if (node->child)
            print_graph(out, node->child, flags, next);
    fprintf(out, "}\n");
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    unsigned next = 0;
    if (!graph || !path || flags > KNOWN_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *out = fopen(path, "w");
    if (!out)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(out, "digraph dot {\n");
    print_graph(out, graph, flags, &next);
    fprintf(out, "}\n");
    const bool is_bad = ferror(out) != 0;
    return fclose(out) != 0 || is_bad ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
