/* Folded stacks: a line for each stack, its frames separated by semicolons, a blank and the weight. What
 * flamegraph.pl, inferno and speedscope read. */
#include "report/sinks/export.h"

#include <string.h>

extern const struct export_class export_folded;

/* A frame's name without what separates frames and lines. */
static void print_frame(const struct frame *frame, struct text *out)
{
    const size_t from = out->length;
    flame_print_name(frame, out);
    for (size_t i = from; i < out->length; i++)
        if (out->at[i] == ';' || (unsigned char)out->at[i] < ' ')
            out->at[i] = out->at[i] == ';' ? ',' : ' ';
}

static hx_status print_folded(const struct export_request *request, struct text *out, hx_diag *diag)
{
    struct flame flame HX_AUTO(flame_done) = {0};
    const hx_status status = flame_make(request->stacks, request->program, request->allocator, diag, &flame);
    for (uint32_t i = 0; status == HX_OK && i < flame.count; i++) {
        const uint64_t weight = flame.frames[i].self.of[request->weight];
        if (weight == 0)
            continue;
        const uint32_t *path = flame_path(&flame, i);
        for (uint32_t d = 0; d <= flame.frames[i].depth; d++) {
            text_append(out, ";", d > 0);
            print_frame(&flame.frames[path[d]], out);
        }
        text_print(out, " %llu\n", (unsigned long long)weight);
    }
    return status;
}

const struct export_class export_folded = {"folded", ".folded", print_folded, NULL};
