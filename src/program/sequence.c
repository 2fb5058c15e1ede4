/* The order of launches.
 *
 * Takes a program whose steps stand in a list and whose loops name parts of that list, leaves one launch
 * after the other. A loop is at its end when the next step is the one behind it: then its condition is read,
 * and the next step is its first again or it is left. Expressions are computed when they are needed, with the
 * counters of the loops around them. */
#include "program/sequence.h"

#include "program/address.h"
#include "program/parts.h"

#include <string.h>

hx_status sequence_init(struct sequence *sequence, const hx_program *program, const uint64_t *addresses,
                        sequence_contents contents, void *user, const hx_allocator *allocator, hx_diag *diag)
{
    const size_t count = program->param_count + program->buffers.count;
    *sequence =
        (struct sequence){.program = program, .allocator = allocator, .contents = contents, .user = user};
    const hx_status status = address_check_narrow(program, addresses, diag);
    if (status != HX_OK)
        return status;
    sequence->values = memory_allocate(allocator, 2 * count + 1, sizeof *sequence->values);
    if (!sequence->values)
        return diag_no_memory(diag);
    sequence->taken = sequence->values + count;
    for (size_t i = 0; i < program->buffers.count; i++)
        sequence->values[program->param_count + i] = addresses[i];
    sequence_restart(sequence);
    memcpy(sequence->taken, sequence->values, count * sizeof *sequence->values);
    return HX_OK;
}

void sequence_done(struct sequence *sequence)
{
    memory_free(sequence->allocator, sequence->values);
    sequence->values = sequence->taken = NULL;
}

void sequence_restart(struct sequence *sequence)
{
    const hx_program *program = sequence->program;
    for (size_t i = 0; i < program->param_count; i++)
        sequence->values[i] =
            address_of_param(program, &program->params[i], sequence->values + program->param_count);
    sequence->at = 0;
    sequence->left = 0;
    sequence->next_loop = 0;
    sequence->depth = 0;
}

/* ---- Expressions --------------------------------------------------------------------------------------- */

/* The largest number of an integer type that an expression can have. */
static int64_t most_of(enum hx_type type)
{
    const unsigned bits = type_bits(type) - type_is_signed(type);
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

static hx_status read_repeat(const struct run_loop *loop, const hx_program *program, const uint64_t *values,
                             hx_diag *diag, int64_t *ret_passes)
{
    const struct expression repeat = {.program = program,
                                      .values = values,
                                      .is_check = !values,
                                      .what = "repeat",
                                      .hint = "give 0 to 1000000000, of integers and integer parameters",
                                      .text = loop->repeat_text,
                                      .place = loop->repeat_place};
    bool is_known;
    hx_status status = program_evaluate(&repeat, 0, LIMIT_REPEAT, "it is more than 1000000000 passes", diag,
                                        ret_passes, &is_known);
    if (status != HX_OK || !is_known || loop->counter == LOOP_NO_COUNTER)
        return status;
    const struct program_param *counter = &program->params[loop->counter];
    return *ret_passes - 1 <= most_of(counter->type)
               ? HX_OK
               : diag_report(diag, DIAG_PROGRAM_LOOP, loop->repeat_place,
                             "give the counter a wider type, or the loop fewer passes",
                             "'%s' is of type %s, and cannot count %lld passes", counter->name,
                             hx_type_name(counter->type), (long long)*ret_passes);
}

static hx_status read_index(const struct run_loop *loop, const hx_program *program, const uint64_t *values,
                            hx_diag *diag, int64_t *ret_index)
{
    const struct array *buffer = &program->buffers.items[loop->until_buffer];
    const struct expression index = {.program = program,
                                     .values = values,
                                     .is_check = !values,
                                     .what = "index",
                                     .hint = "give an index of integers and integer parameters",
                                     .text = loop->index_text,
                                     .place = loop->index_place};
    bool is_known = true;
    *ret_index = 0;
    hx_status status = HX_OK;
    if (loop->index_text)
        status = program_evaluate(&index, 0, INT64_MAX, "", diag, ret_index, &is_known);
    const bool is_counted = values || buffer->count > 0; /* a count of unknown parameters is 0 */
    if (status != HX_OK || !is_known || !is_counted || (uint64_t)*ret_index < buffer->count)
        return status;
    return diag_report_noted(diag, DIAG_PROGRAM_LOOP,
                             loop->index_text ? loop->index_place : loop->until_place,
                             "give an index within the buffer", buffer->place, "the buffer",
                             "there is no element %lld of '%s', which has %llu elements",
                             (long long)*ret_index, buffer->name, (unsigned long long)buffer->count);
}

/* A number, or what is added to an address. */
static hx_status read_number(const struct param_setting *setting, const hx_program *program,
                             const uint64_t *values, hx_diag *diag, uint64_t *ret_bits)
{
    const bool is_address = setting->target.kind != TARGET_NONE;
    const enum hx_type type = is_address ? HX_TYPE_I64 : program->params[setting->param].type;
    *ret_bits = setting->bits;
    if (!setting->text)
        return HX_OK;
    const struct expression value = {.program = program,
                                     .values = values,
                                     .is_check = !values,
                                     .what = is_address ? "distance" : "value",
                                     .hint = is_address ? "give a distance in bytes: $x + 4 * n"
                                                        : "give a number that fits the parameter's type",
                                     .text = setting->text,
                                     .place = setting->place};
    const int64_t most = most_of(type);
    int64_t number;
    bool is_known;
    hx_status status = program_evaluate(&value, type_is_signed(type) ? -most - 1 : 0, most,
                                        "it does not fit the parameter's type", diag, &number, &is_known);
    if (status == HX_OK)
        *ret_bits = (uint64_t)number;
    return status;
}

static hx_status read_setting(const struct param_setting *setting, const hx_program *program,
                              const uint64_t *values, hx_diag *diag, uint64_t *ret_bits)
{
    if (setting->from) {
        *ret_bits = values ? values[setting->from - 1] : 0;
        return HX_OK;
    }
    const hx_status status = read_number(setting, program, values, diag, ret_bits);
    if (status != HX_OK)
        return status;
    if (values)
        *ret_bits += address_of_target(program, &setting->target, values + program->param_count);
    *ret_bits &= UINT64_MAX >> (64 - type_bits(program->params[setting->param].type));
    return HX_OK;
}

hx_status sequence_check(const hx_program *program, hx_diag *diag)
{
    hx_status worst = HX_OK;
    int64_t number;
    uint64_t bits;
    for (size_t i = 0; i < program->loop_count && worst != HX_NO_MEMORY; i++) {
        const struct run_loop *loop = &program->loops[i];
        hx_status status = read_repeat(loop, program, NULL, diag, &number);
        if (loop->has_until && status == HX_OK)
            status = read_index(loop, program, NULL, diag, &number);
        worst = status == HX_OK ? worst : status;
    }
    for (size_t i = 0; i < program->step_count; i++)
        for (size_t k = 0; k < program->steps[i].setting_count && worst != HX_NO_MEMORY; k++) {
            hx_status status = read_setting(&program->steps[i].settings[k], program, NULL, diag, &bits);
            worst = status == HX_OK ? worst : status;
        }
    return worst;
}

/* ---- Going through ------------------------------------------------------------------------------------- */

static hx_status begin_loop(struct sequence *sequence, hx_diag *diag)
{
    const hx_program *program = sequence->program;
    const struct run_loop *loop = &program->loops[sequence->next_loop];
    int64_t passes;
    hx_status status = read_repeat(loop, program, sequence->values, diag, &passes);
    if (status != HX_OK)
        return status;
    if (passes > 0) {
        struct sequence_loop *begun = &sequence->loops[sequence->depth++];
        *begun = (struct sequence_loop){.loop = (uint32_t)sequence->next_loop++, .passes = (uint32_t)passes};
        if (loop->counter != LOOP_NO_COUNTER) {
            begun->saved = sequence->values[loop->counter];
            sequence->values[loop->counter] = 0;
        }
        return HX_OK;
    }
    sequence->at = loop->end;
    while (sequence->next_loop < program->loop_count && program->loops[sequence->next_loop].first < loop->end)
        sequence->next_loop++;
    return HX_OK;
}

static hx_status warn_of_bound(const struct sequence *sequence, const struct run_loop *loop, int64_t index,
                               const void *element, hx_diag *diag)
{
    const struct array *buffer = &sequence->program->buffers.items[loop->until_buffer];
    HX_AUTO(text_done) struct text value = {.allocator = sequence->allocator};
    values_print(&value, element, buffer->type);
    if (value.failed)
        return diag_no_memory(diag);
    diag_report(diag, DIAG_PROGRAM_LOOP_BOUND, loop->until_place,
                "let `repeat` allow more, if the loop is to go on until then",
                "the loop ended after %u passes, element %lld of '%s' is still %s",
                sequence->loops[sequence->depth - 1].passes, (long long)index, buffer->name, value.at);
    return HX_OK;
}

/* Does the condition of the innermost loop hold? A warning when it does not, and no pass is left. */
static hx_status look_at_condition(struct sequence *sequence, bool is_last, hx_diag *diag, bool *ret_holds)
{
    const struct run_loop *loop = &sequence->program->loops[sequence->loops[sequence->depth - 1].loop];
    *ret_holds = false;
    if (!loop->has_until)
        return HX_OK;
    int64_t index;
    hx_status status = read_index(loop, sequence->program, sequence->values, diag, &index);
    if (status != HX_OK)
        return status;
    const enum hx_type type = sequence->program->buffers.items[loop->until_buffer].type;
    const char *contents = sequence->contents(sequence->user, loop->until_buffer);
    const void *element = contents + (size_t)index * hx_type_bytes(type);
    *ret_holds = type_is_float(type) ? values_to_f64(element, type) == 0 : values_bits(element, type) == 0;
    return *ret_holds || !is_last ? HX_OK : warn_of_bound(sequence, loop, index, element, diag);
}

static hx_status end_pass(struct sequence *sequence, hx_diag *diag)
{
    struct sequence_loop *running = &sequence->loops[sequence->depth - 1];
    const struct run_loop *loop = &sequence->program->loops[running->loop];
    bool holds;
    hx_status status = look_at_condition(sequence, running->pass + 1 == running->passes, diag, &holds);
    if (status != HX_OK)
        return status;
    const bool is_over = ++running->pass == running->passes || holds;
    if (loop->counter != LOOP_NO_COUNTER)
        sequence->values[loop->counter] = is_over ? running->saved : running->pass;
    sequence->depth -= is_over;
    if (!is_over) {
        sequence->at = loop->first;
        sequence->next_loop = running->loop + 1;
    }
    return HX_OK;
}

hx_status sequence_take(struct sequence *sequence, const struct launch_step *step, hx_diag *diag)
{
    const hx_program *program = sequence->program;
    memcpy(sequence->taken, sequence->values,
           (program->param_count + program->buffers.count) * sizeof *sequence->values);
    hx_status status = HX_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < step->setting_count && status == HX_OK; i++)
            status = read_setting(&step->settings[i], program, sequence->values, diag,
                                  &sequence->taken[step->settings[i].param]);
        for (size_t i = 0; i < program->param_count && pass == 0; i++)
            if (program->params[i].follows)
                sequence->taken[i] = sequence->taken[program->params[i].follows - 1];
    }
    return status;
}

hx_status sequence_next(struct sequence *sequence, hx_diag *diag, enum sequence_event *ret_event,
                        const struct launch_step **ret_step)
{
    const hx_program *program = sequence->program;
    hx_status status = HX_OK;
    *ret_step = NULL;
    while (sequence->left == 0 && status == HX_OK) {
        if (sequence->depth > 0 &&
            program->loops[sequence->loops[sequence->depth - 1].loop].end == sequence->at) {
            *ret_event = SEQUENCE_PASS;
            return end_pass(sequence, diag);
        }
        if (sequence->next_loop < program->loop_count &&
            program->loops[sequence->next_loop].first == sequence->at) {
            status = begin_loop(sequence, diag);
        } else if (sequence->at == program->step_count) {
            *ret_event = SEQUENCE_END;
            return HX_OK;
        } else {
            sequence->left = program->steps[sequence->at].repeat;
        }
    }
    if (status != HX_OK)
        return status;
    *ret_event = SEQUENCE_LAUNCH;
    *ret_step = &program->steps[sequence->at];
    sequence->at += --sequence->left == 0;
    return sequence_take(sequence, *ret_step, diag);
}

bool setting_is_expression(enum hx_type from, enum hx_type to)
{
    return from == to && !type_is_float(to);
}
