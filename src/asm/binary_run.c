/* Launches and loops in the binary form: binary.c says how the form is walked. */
#include "asm/tables.h"
#include "program/sequence.h"

#include <string.h>

#define SETTING_BYTES 4u /* at least */

/* As the document has it: a number is no expression; what is added to an address is one, and begins with 0.
 */
static void check_setting(struct stream *stream, const struct param_setting *setting, enum hx_type type)
{
    uint64_t bits;
    const struct slice text = slice_of(setting->text);
    const bool has_target = setting->target.kind != TARGET_NONE;
    if (has_target && setting->bits != 0)
        visit_refuse(stream, "an address has a number");
    if (!setting->text)
        return;
    const bool begins = text.length > 1 && text.at[0] == '0';
    const struct slice rest = begins ? slice_trim((struct slice){text.at + 1, text.length - 1}) : text;
    if (!has_target && values_number_bits(text, type, &bits) != NUMBER_NOT_A_NUMBER)
        visit_refuse(stream, "a number stands as an expression");
    if (has_target && !(begins && rest.length > 0 && (rest.at[0] == '+' || rest.at[0] == '-')))
        visit_refuse(stream, "a distance is none");
}

static void visit_setting(struct stream *stream, struct param_setting *setting)
{
    const hx_program *program = stream->program;
    bool is_text = setting->text != NULL;
    VISIT(stream, setting->param, 0, LIMIT_LIST);
    VISIT(stream, is_text, 0, 1);
    if (stream->reading)
        setting->place = visit_nowhere(stream);
    if (stream->status == HX_OK && setting->param >= program->param_count)
        visit_refuse(stream, "a launch sets no parameter");
    if (stream->status != HX_OK)
        return;
    const enum hx_type type = program->params[setting->param].type;
    visit_target(stream, &setting->target);
    VISIT(stream, setting->from, 0, program->param_count);
    if (setting->from) {
        const enum hx_type from = program->params[setting->from - 1].type;
        if (is_text || setting->target.kind != TARGET_NONE || type_bytes(from) != type_bytes(type) ||
            setting_is_expression(from, type))
            visit_refuse(stream, "a launch takes a parameter for one that it cannot be");
        return;
    }
    if (!is_text)
        visit_bits(stream, &setting->bits, type);
    else if (type_is_float(type) || type == HX_TYPE_NONE)
        visit_refuse(stream, "an expression sets a parameter that is not an integer");
    else
        visit_string(stream, &setting->text);
    if (stream->reading && stream->status == HX_OK)
        check_setting(stream, setting, type);
}

static void visit_settings(struct stream *stream, struct launch_step *step)
{
    VISIT_LIST(stream, step->settings, step->setting_count, LIMIT_LIST, SETTING_BYTES, visit_setting);
    for (size_t i = 0; stream->status == HX_OK && i < step->setting_count; i++)
        for (size_t k = 0; k < i; k++)
            if (step->settings[i].param == step->settings[k].param)
                visit_refuse(stream, "a launch sets a parameter twice");
}

void visit_step(struct stream *stream, struct launch_step *step)
{
    uint64_t kernel = stream->reading ? 0 : step->kernel->index;
    VISIT(stream, kernel, 0, LIMIT_KERNELS);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->grid[i], 1, limits_grid[i]);
    for (int i = 0; i < 3; i++)
        VISIT(stream, step->block[i], 1, limits_block[i]);
    VISIT(stream, step->repeat, 1, LIMIT_REPEAT);
    VISIT(stream, step->dynamic_shared, 0, LIMIT_SHARED_BYTES);
    if (stream->version > BINARY_VERSION)
        visit_settings(stream, step);
    if (!stream->reading || stream->status != HX_OK)
        return;
    if (kernel >= stream->program->kernel_count)
        visit_refuse(stream, "a launch names no kernel");
    step->kernel = &stream->program->kernels[kernel];
    step->place = step->block_place = visit_nowhere(stream);
}

static void visit_until(struct stream *stream, struct run_loop *loop)
{
    bool has_index = loop->index_text != NULL;
    VISIT(stream, loop->until_buffer, 0, LIMIT_LIST);
    VISIT(stream, has_index, 0, 1);
    if (stream->status == HX_OK && has_index)
        visit_string(stream, &loop->index_text);
    if (stream->status == HX_OK && loop->until_buffer >= stream->program->buffers.count)
        visit_refuse(stream, "a loop waits for no buffer");
}

void visit_loop(struct stream *stream, struct run_loop *loop)
{
    const hx_program *program = stream->program;
    bool counts = loop->counter != LOOP_NO_COUNTER;
    VISIT(stream, loop->first, 0, LIMIT_STEPS);
    VISIT(stream, loop->end, 1, LIMIT_STEPS);
    visit_string(stream, &loop->repeat_text);
    VISIT(stream, counts, 0, 1);
    if (stream->reading) {
        loop->counter = LOOP_NO_COUNTER;
        loop->place = loop->repeat_place = loop->until_place = loop->index_place = visit_nowhere(stream);
    }
    if (counts)
        VISIT(stream, loop->counter, 0, LIMIT_LIST);
    if (stream->status == HX_OK && counts &&
        (loop->counter >= program->param_count || type_is_float(program->params[loop->counter].type) ||
         program->params[loop->counter].type == HX_TYPE_NONE))
        visit_refuse(stream, "a counter is not an integer parameter");
    VISIT(stream, loop->has_until, 0, 1);
    if (stream->status == HX_OK && loop->has_until)
        visit_until(stream, loop);
}

/* Loops lie in each other or apart, outer ones first, and not too deep. */
void visit_check_loops(struct stream *stream)
{
    const hx_program *program = stream->program;
    uint32_t ends[LIMIT_LOOP_DEPTH];
    unsigned depth = 0;
    for (size_t i = 0; i < program->loop_count && stream->status == HX_OK; i++) {
        const struct run_loop *loop = &program->loops[i];
        while (depth > 0 && ends[depth - 1] <= loop->first)
            depth--;
        if (loop->first >= loop->end || loop->end > program->step_count || depth == LIMIT_LOOP_DEPTH ||
            (depth > 0 && loop->end > ends[depth - 1]) || (i > 0 && loop->first < loop[-1].first))
            visit_refuse(stream, "a loop is not where it should be");
        else
            ends[depth++] = loop->end;
    }
}
