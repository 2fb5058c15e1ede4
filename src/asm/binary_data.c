/* Parameters, arrays and their values in the binary form, and the addresses among these: binary.c says how
 * the form is walked. */
#include "asm/tables.h"
#include "program/address.h"

#include <string.h>

#define RELOCATION_BYTES 16u /* at least */

/* Of what stands in tables no more is known than the file it is in. */
struct place visit_nowhere(const struct stream *stream)
{
    return (struct place){&stream->program->source, 0, 0, 0};
}

/* What is added to the kind of an address that is narrow. */
#define NARROW_KINDS 8u

/* What it leads to is checked when all arrays are there. */
void visit_target(struct stream *stream, struct address_target *target)
{
    if (stream->version == BINARY_VERSION)
        return;
    unsigned kind = target->kind + (target->is_narrow ? NARROW_KINDS : 0);
    VISIT(stream, kind, 0, NARROW_KINDS + TARGET_LOCAL);
    target->is_narrow = kind >= NARROW_KINDS;
    target->kind = (enum address_kind)(kind % NARROW_KINDS);
    if (kind > TARGET_LOCAL && kind <= NARROW_KINDS)
        visit_refuse(stream, "an address leads to nothing that there is");
    if (target->kind == TARGET_NONE)
        return;
    VISIT(stream, target->index, 0, LIMIT_LIST);
    if (target->kind != TARGET_BUFFER)
        VISIT(stream, target->is_generic, 0, 1);
    if (target->kind == TARGET_SHARED || target->kind == TARGET_LOCAL)
        VISIT(stream, target->kernel, 0, LIMIT_KERNELS);
}

void visit_param(struct stream *stream, struct program_param *param)
{
    visit_name(stream, &param->name);
    visit_type(stream, &param->type);
    VISIT(stream, param->has_value, 0, 1);
    if (stream->status == HX_OK && param->has_value) {
        visit_bits(stream, &param->bits, param->type);
        visit_target(stream, &param->target);
        if (stream->version != BINARY_VERSION)
            VISIT(stream, param->follows, 0, LIMIT_LIST);
    }
    if (stream->reading)
        param->place = visit_nowhere(stream);
}

static void visit_random(struct stream *stream, struct fill *fill, enum hx_type type)
{
    VISIT(stream, fill->seed, 0, UINT64_MAX);
    visit_bits(stream, &fill->minimum, type);
    visit_bits(stream, &fill->maximum, type);
    if (stream->reading && stream->status == HX_OK && fill_check_random(fill, type, NULL) != HX_OK)
        visit_refuse(stream, "a random fill has no range");
}

static void visit_relocation(struct stream *stream, struct relocation *relocation)
{
    struct address *address = &relocation->address;
    uint64_t addend = (uint64_t)address->addend;
    VISIT(stream, relocation->element, 0, UINT32_MAX);
    VISIT(stream, addend, 0, UINT64_MAX);
    VISIT(stream, address->byte, 0, 7);
    visit_target(stream, &address->target);
    address->addend = (int64_t)addend;
}

/* Values, and which of them are addresses: in order, and 0 until a run has them. */
static void visit_values(struct stream *stream, struct fill *fill, enum hx_type type)
{
    const size_t element = hx_type_bytes(type);
    struct relocation *relocations = (struct relocation *)(uintptr_t)fill->relocations;
    visit_elements(stream, &fill->values, &fill->value_count, type);
    if (stream->version == BINARY_VERSION)
        return;
    VISIT_LIST(stream, relocations, fill->relocation_count, UINT32_MAX, RELOCATION_BYTES, visit_relocation);
    fill->relocations = relocations;
    for (size_t i = 0; stream->status == HX_OK && i < fill->relocation_count; i++)
        if (relocations[i].element >= fill->value_count ||
            (i > 0 && relocations[i].element <= relocations[i - 1].element) ||
            values_bits((const char *)fill->values + relocations[i].element * element, type) != 0)
            visit_refuse(stream, "an address is not where it should be");
}

static void visit_fill(struct stream *stream, struct fill *fill, enum hx_type type)
{
    VISIT(stream, fill->kind, 0, FILL_FILE);
    if (stream->reading)
        fill->place = visit_nowhere(stream);
    if (stream->status != HX_OK)
        return;
    switch (fill->kind) {
    case FILL_ZERO:
    case FILL_IOTA:
        break;
    case FILL_RANDOM:
        visit_random(stream, fill, type);
        break;
    case FILL_NUMBER:
        visit_bits(stream, &fill->number_bits, type);
        break;
    case FILL_VALUES:
        visit_values(stream, fill, type);
        break;
    case FILL_FILE:
        visit_string(stream, &fill->path);
        break;
    }
}

/* What shared and local arrays have; the others have what is in them as well. */
static void visit_scratch(struct stream *stream, struct array *array)
{
    bool is_counted = array->count_text != NULL;
    visit_name(stream, &array->name);
    visit_type(stream, &array->type);
    VISIT(stream, is_counted, 0, 1);
    if (stream->status == HX_OK && is_counted)
        visit_string(stream, &array->count_text);
    if (stream->version > BINARY_VERSION) {
        VISIT(stream, array->align, 0, LIMIT_ALIGN);
        VISIT(stream, array->is_dynamic, 0, 1);
    }
    if (array->align & (array->align - 1) || (array->align && array->align < hx_type_bytes(array->type)))
        visit_refuse(stream, "an alignment is not one");
    if (array->is_dynamic && is_counted)
        visit_refuse(stream, "a dynamic array has a count");
    if (stream->reading) {
        array->place = array->count_place = array->fill.place = visit_nowhere(stream);
        array->access = ACCESS_READWRITE;
    }
}

void visit_shared(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK && !array->count_text && !array->is_dynamic)
        visit_refuse(stream, "an array has no count");
}

void visit_local(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK && !array->count_text)
        visit_refuse(stream, "an array has no count");
}

void visit_constant(struct stream *stream, struct array *array)
{
    visit_scratch(stream, array);
    if (stream->status == HX_OK)
        visit_fill(stream, &array->fill, array->type);
    if (stream->status == HX_OK && array->is_dynamic)
        visit_refuse(stream, "an array is dynamic that is not shared");
    if (stream->status == HX_OK && !array->count_text && array->fill.kind != FILL_VALUES &&
        array->fill.kind != FILL_FILE)
        visit_refuse(stream, "an array has no count");
}

void visit_buffer(struct stream *stream, struct array *array)
{
    visit_constant(stream, array);
    if (array->align)
        visit_refuse(stream, "a buffer has an alignment");
    VISIT(stream, array->access, ACCESS_READ, ACCESS_READWRITE);
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

static void check_address(struct stream *stream, const struct address *address, enum hx_type type)
{
    const char *problem = address_problem(stream->program, address, type);
    if (problem)
        visit_refuse(stream, problem);
}

static void check_param_target(struct stream *stream, const struct address_target *target, enum hx_type type)
{
    const struct address address = {.target = *target};
    if (target->kind == TARGET_NONE)
        return;
    check_address(stream, &address, type);
    if (type_bits(type) < 32)
        visit_refuse(stream, "a parameter is too narrow for an address");
}

/* As a document can say it: of a parameter before it, which is as wide and follows none. */
static void check_follows(struct stream *stream, const struct program_param *param)
{
    const struct program_param *params = stream->program->params;
    const size_t index = (size_t)(param - params);
    if (param->follows == 0)
        return;
    if (param->follows > index || params[param->follows - 1].follows ||
        type_bytes(params[param->follows - 1].type) != type_bytes(param->type) || param->bits != 0 ||
        param->target.kind != TARGET_NONE)
        visit_refuse(stream, "a parameter follows one that it cannot follow");
}

static void check_fill_addresses(struct stream *stream, const struct array_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->items[i].fill.relocation_count && stream->status == HX_OK; k++)
            check_address(stream, &list->items[i].fill.relocations[k].address, list->items[i].type);
}

/* Where names of arrays and parameters could be meant, parameters are: a document cannot say the array then.
 */
static void check_ambiguity(struct stream *stream, const struct address_target *target)
{
    const hx_program *program = stream->program;
    if (target->kind != TARGET_CONSTANT || target->is_generic)
        return;
    for (size_t i = 0; i < program->param_count; i++)
        if (strcmp(program->params[i].name, program->constants.items[target->index].name) == 0)
            visit_refuse(stream, "a launch takes a constant for a parameter");
}

void visit_check_addresses(struct stream *stream)
{
    const hx_program *program = stream->program;
    check_fill_addresses(stream, &program->buffers);
    check_fill_addresses(stream, &program->constants);
    for (size_t i = 0; i < program->param_count && stream->status == HX_OK; i++) {
        check_param_target(stream, &program->params[i].target, program->params[i].type);
        if (stream->status == HX_OK)
            check_follows(stream, &program->params[i]);
    }
    for (size_t i = 0; i < program->step_count; i++)
        for (size_t k = 0; k < program->steps[i].setting_count && stream->status == HX_OK; k++) {
            const struct param_setting *setting = &program->steps[i].settings[k];
            check_param_target(stream, &setting->target, program->params[setting->param].type);
            if (stream->status == HX_OK)
                check_ambiguity(stream, &setting->target);
        }
}
