/* speedscope: one JSON document with a profile for each figure that is not zero, the one that was requested
 * in front. The format is that of speedscope's file-format-spec.ts ("sampled": stacks and weights). */
#include "base/json.h"
#include "hexec/hexec.h"
#include "report/sinks/export.h"

extern const struct export_class export_speedscope;

/* An opcode has no place: so speedscope's "sandwich" adds up what an opcode took wherever it stands. */
static void print_frames(struct json *json, const struct flame *flame, const hx_allocator *allocator)
{
    struct text name HX_AUTO(text_done) = {.allocator = allocator};
    json_member_array(json, "frames");
    for (uint32_t i = 0; i < flame->count; i++) {
        const struct frame *frame = &flame->frames[i];
        name.length = 0;
        flame_print_name(frame, &name);
        json_open_object(json);
        json_member_str(json, "name", name.at);
        if (frame->kind != FRAME_OPCODE && frame->kind != FRAME_PROGRAM) {
            json_member_str(json, "file", frame->file);
            json_member_u64(json, "line", frame->line);
        }
        json_close_object(json);
    }
    json_close_array(json);
    json->out->failed |= name.failed;
}

static void print_stack(struct json *json, const struct flame *flame, uint32_t frame)
{
    const uint32_t *path = flame_path(flame, frame);
    json_open_array(json);
    for (uint32_t d = 0; d <= flame->frames[frame].depth; d++)
        json_u64(json, path[d]);
    json_close_array(json);
}

static void print_profile(struct json *json, const struct flame *flame, enum figure figure)
{
    const struct figure_row *row = &figure_table[figure];
    json_open_object(json);
    json_member_str(json, "type", "sampled");
    json_member_str(json, "name", row->text);
    json_key(json, "unit");
    json_str(json, row->unit[0] == 'c' ? "none" : row->unit); /* a count has no unit */
    json_member_u64(json, "startValue", 0);
    json_member_u64(json, "endValue", flame->frames[0].total.of[figure]);
    json_member_array(json, "samples");
    for (uint32_t i = 0; i < flame->count; i++)
        if (flame->frames[i].self.of[figure] > 0)
            print_stack(json, flame, i);
    json_close_array(json);
    json_member_array(json, "weights");
    for (uint32_t i = 0; i < flame->count; i++)
        if (flame->frames[i].self.of[figure] > 0)
            json_u64(json, flame->frames[i].self.of[figure]);
    json_close_array(json);
    json_close_object(json);
}

static hx_status print_speedscope(const struct export_request *request, struct text *out, hx_diag *diag)
{
    struct flame flame HX_AUTO(flame_done) = {0};
    hx_status status = flame_make(request->stacks, request->program, request->allocator, diag, &flame);
    if (status != HX_OK)
        return status;
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_member_str(&json, "exporter", "hexec@" HX_VERSION);
    json_member_str(&json, "name", request->program);
    json_member_u64(&json, "activeProfileIndex", 0);
    json_member_object(&json, "shared");
    print_frames(&json, &flame, request->allocator);
    json_close_object(&json);
    json_member_array(&json, "profiles");
    print_profile(&json, &flame, request->weight);
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (i != (int)request->weight && request->stacks->total.of[i] > 0)
            print_profile(&json, &flame, (enum figure)i);
    json_close_array(&json);
    json_close_object(&json);
    text_append(out, "\n", 1);
    return HX_OK;
}

const struct export_class export_speedscope = {"speedscope", ".speedscope.json", print_speedscope, NULL};
