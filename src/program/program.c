/* Programs: their parts by name, parameters and layouts. */
#include "program/address.h"
#include "program/parts.h"
#include "program/sequence.h"

#include "base/machine.h"

#include <string.h>

void hx_program_free(hx_program *program)
{
    if (!program)
        return;
    const hx_allocator *allocator = program->arena.allocator;
    arena_done(&program->arena);
    memory_free(allocator, program);
}

void hx_program_free_bytes(const hx_program *program, void *bytes)
{
    if (!program || !bytes)
        return;
    memory_free(program->arena.allocator, bytes);
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

const char *hx_program_name(const hx_program *program)
{
    if (!program)
        return NULL;
    return program->name;
}

const char *hx_program_kernel_name(const hx_program *program, size_t index)
{
    if (!program)
        return NULL;
    return index < program->kernel_count ? program->kernels[index].name : NULL;
}

size_t hx_program_expectation_count(const hx_program *program)
{
    return program ? program->expectation_count : 0;
}

int hx_program_has_launch(const hx_program *program)
{
    return program && !program->lacks_launch;
}

size_t hx_program_kernel_count(const hx_program *program)
{
    if (!program)
        return 0;
    return program->kernel_count;
}

size_t hx_program_instruction_count(const hx_program *program, size_t kernel)
{
    if (!program)
        return 0;
    return kernel < program->kernel_count ? program->kernels[kernel].code_count : 0;
}

const char *program_symbol_name(const hx_program *program, unsigned symbol)
{
    if (symbol < program->param_count)
        return program->params[symbol].name;
    symbol -= (unsigned)program->param_count;
    return symbol < program->buffers.count ? program->buffers.items[symbol].name : NULL;
}

const char *program_origin_name(const hx_program *program)
{
    const char *slash = strrchr(program->origin.name, '/');
    return slash && slash[1] ? slash + 1 : program->origin.name;
}

const struct source *program_code_source(const hx_program *program)
{
    for (size_t k = 0; !program->is_binary && k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        const struct source *source = kernel->code_count > 0 ? kernel->lines[0].place.source : NULL;
        if (source && source->bytes > 0)
            return source;
    }
    return program->is_binary ? &program->origin : &program->source;
}

const struct code_label *program_find_label(const struct kernel *kernel, uint64_t target)
{
    size_t low = 0, high = kernel->label_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kernel->labels[middle].target < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kernel->label_count && kernel->labels[low].target == target ? &kernel->labels[low] : NULL;
}

/* ---- Layout -------------------------------------------------------------------------------------------- */

#define COUNT_MAX          (INT64_C(1) << 40)
#define CONSTANT_BYTES_MAX (UINT64_C(16) << 20)
#define LOCAL_BYTES_MAX    (UINT64_C(512) << 10)
#define BUFFER_BYTES_MAX   (UINT64_C(1) << 46)

static hx_status check_values(const struct array *array, hx_diag *diag)
{
    return diag_report(diag, DIAG_PROGRAM_FILL, array->fill.place, NULL,
                       "%zu values are given for '%s', which has %llu elements", array->fill.value_count,
                       array->name, (unsigned long long)array->count);
}

/* How many elements an array has. Without an expression its own values or file say it; a fill that came
 * later leaves it as it was. */
static hx_status count_array(hx_program *program, struct array *array, hx_diag *diag)
{
    const struct expression count = {
        .program = program, .what = "count", .text = array->count_text, .place = array->count_place};
    hx_status status = HX_OK;
    bool is_known = true;
    int64_t elements = 0;
    if (array->count_text) {
        status = program_evaluate(&count, 0, COUNT_MAX, "it is more than 2^40 elements", diag, &elements,
                                  &is_known);
        array->count = status == HX_OK ? (uint64_t)elements : array->count;
    } else if (array->fill.kind == FILL_VALUES && !fill_is_none(&array->fill))
        array->count = array->fill.value_count;
    else if (array->fill.kind == FILL_FILE && !array->is_counted)
        status = npy_count(program, &array->fill, array->type, program->arena.allocator, diag, &array->count);
    array->is_counted = status == HX_OK;
    if (status == HX_OK && is_known && array->fill.kind == FILL_VALUES &&
        array->fill.value_count > array->count)
        status = check_values(array, diag);
    return status;
}

static uint64_t alignment_of(const struct array *array)
{
    return array->align ? array->align : hx_type_bytes(array->type);
}

static uint64_t align_up(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* All dynamic arrays begin where the dynamic memory does, behind the others, as CUDA has it. */
static void lay_out_dynamic(struct array_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_dynamic)
            list->bytes = align_up(list->bytes, alignment_of(&list->items[i]));
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_dynamic)
            list->items[i].offset = list->bytes;
}

/* `gap`: bytes that stay free behind all arrays but the first, which is what stands at 0 for NULL. */
static hx_status lay_out_apart(hx_program *program, struct array_list *list, uint64_t gap, uint64_t most,
                               const char *what, hx_diag *diag)
{
    hx_status worst = HX_OK;
    list->bytes = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct array *array = &list->items[i];
        if (array->is_dynamic)
            continue;
        hx_status status = count_array(program, array, diag);
        const uint64_t element = hx_type_bytes(array->type);
        array->offset = align_up(list->bytes + (i > 1 ? gap : 0), alignment_of(array));
        /* a count is at most 2^40 and what was there before at most `most`, so this cannot overflow */
        list->bytes = array->offset + (status == HX_OK ? array->count * element : 0);
        if (status == HX_OK && list->bytes > most)
            status = diag_report(diag, DIAG_PROGRAM_SHARED, array->place, NULL,
                                 "with '%s' there are %llu bytes of %s, %llu are the most", array->name,
                                 (unsigned long long)list->bytes, what, (unsigned long long)most);
        if (list->bytes > most)
            list->bytes = 0; /* reported; what follows is measured on its own */
        if (worst == HX_OK || status == HX_NO_MEMORY)
            worst = status;
    }
    lay_out_dynamic(list);
    return worst;
}

static hx_status lay_out(hx_program *program, struct array_list *list, uint64_t most, const char *what,
                         hx_diag *diag)
{
    return lay_out_apart(program, list, 0, most, what, diag);
}

uint64_t program_most_shared(const struct kernel *kernel)
{
    /* the program has only the rest of it */
    return LIMIT_SHARED_BYTES + kernel->null_bytes +
           kernel->gap_bytes * (uint64_t)(kernel->shared.count + kernel->formal_count);
}

/* Static and dynamic shared memory together, which only a launch knows. */
static hx_status check_steps(const hx_program *program, hx_diag *diag)
{
    hx_status worst = HX_OK;
    for (size_t i = 0; i < program->step_count; i++) {
        const struct launch_step *step = &program->steps[i];
        if (step->kernel->shared.bytes + step->dynamic_shared > program_most_shared(step->kernel))
            worst = diag_report(diag, DIAG_PROGRAM_SHARED, step->place, NULL,
                                "kernel '%s' has %llu bytes of shared arrays and %llu of dynamic shared "
                                "memory, %u together are the most",
                                step->kernel->name, (unsigned long long)step->kernel->shared.bytes,
                                (unsigned long long)step->dynamic_shared, LIMIT_SHARED_BYTES);
    }
    return worst;
}

static hx_status graver(hx_status a, hx_status b)
{
    return a == HX_OK || b == HX_NO_MEMORY ? b : a;
}

hx_status program_layout_shared(hx_program *program, struct kernel *kernel, hx_diag *diag)
{
    return lay_out_apart(program, &kernel->shared, kernel->gap_bytes, program_most_shared(kernel),
                         "shared arrays", diag);
}

hx_status program_layout(hx_program *program, hx_diag *diag)
{
    hx_status status = graver(lay_out(program, &program->buffers, BUFFER_BYTES_MAX, "buffers", diag),
                              lay_out(program, &program->constants, CONSTANT_BYTES_MAX, "constants", diag));
    for (size_t k = 0; k < program->kernel_count; k++) {
        struct kernel *kernel = &program->kernels[k];
        status = graver(status, program_layout_shared(program, kernel, diag));
        status = graver(status, lay_out(program, &kernel->local, LOCAL_BYTES_MAX, "local arrays", diag));
    }
    status = graver(status, sequence_check(program, diag));
    return status == HX_OK ? check_steps(program, diag) : status;
}

/* ---- Changing ------------------------------------------------------------------------------------------ */

static const char *param_name_at(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->param_count ? program->params[index].name : NULL;
}

static const char *buffer_name_at(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->buffers.count ? program->buffers.items[index].name : NULL;
}

static hx_status unknown(hx_program *program, const char *name, bool is_buffer, hx_diag *diag)
{
    const char *near = text_suggest(slice_of(name), is_buffer ? buffer_name_at : param_name_at, program);
    char space[TEXT_HINT_BYTES];
    return diag_report(diag, is_buffer ? DIAG_PROGRAM_BUFFER : DIAG_PROGRAM_PARAM, (struct place){0},
                       text_did_you_mean(near, space), "program '%s' has no %s '%s'", program->name,
                       is_buffer ? "buffer" : "scalar parameter", name);
}

/* A number or an address, as text that has no place. */
static hx_status read_param(const hx_program *program, struct slice value, struct program_param *param,
                            hx_diag *diag)
{
    struct address_names names;
    hx_status status;
    if (address_is(value, param->type)) {
        status = address_names_make(program, diag, &names);
        if (status != HX_OK)
            return status;
        status = address_read_param(&names, (struct piece){.text = value, .is_fixed = true}, param, diag);
        address_names_done(&names);
        return status;
    }
    status = HX_OK;
    if (!param->is_formal || values_immediate_bits(value, param->type, &param->bits) != NUMBER_OK)
        status = program_number_bits(value, param->type, (struct place){0}, diag, &param->bits);
    if (status == HX_OK) {
        param->target = (struct address_target){0};
        param->shared_bytes = 0;
        param->follows = 0;
        param->has_value = true;
    }
    return status;
}

hx_status hx_program_set_param(hx_program *program, const char *name, const char *value, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, value);
    struct program_param *param = NULL;
    for (size_t i = 0; i < program->param_count; i++)
        if (strcmp(program->params[i].name, name) == 0)
            param = &program->params[i];
    if (!param)
        return unknown(program, name, false, diag);
    const struct program_param before = *param;
    hx_status status = read_param(program, slice_of(value), param, diag);
    if (status != HX_OK)
        return status;
    status = program_layout(program, diag);
    if (status == HX_OK)
        return HX_OK;
    *param = before;
    (void)!program_layout(program, NULL);
    return status;
}

/* The words behind "random:": seed=1:min=0:max=1 */
static hx_status parse_random(struct slice text, enum hx_type type, struct fill *fill, hx_diag *diag)
{
    for (bool more = true; more;) {
        const char *colon = memchr(text.at, ':', text.length);
        const struct slice part = {text.at, colon ? (size_t)(colon - text.at) : text.length};
        const char *equals = memchr(part.at, '=', part.length);
        const struct slice key = {part.at, equals ? (size_t)(equals - part.at) : part.length};
        const struct slice value = {equals ? equals + 1 : part.at, equals ? part.length - key.length - 1 : 0};
        hx_status status;
        uint64_t *bound = slice_equal(key, "min")   ? &fill->minimum
                          : slice_equal(key, "max") ? &fill->maximum
                                                    : NULL;
        if (equals && bound)
            status = program_number_bits(value, type, fill->place, diag, bound);
        else if (equals && slice_equal(key, "seed"))
            status = program_number_bits(value, HX_TYPE_U64, fill->place, diag, &fill->seed);
        else
            status = diag_report(diag, DIAG_PROGRAM_FILL, fill->place, "random:seed=1:min=0:max=1",
                                 "'" SLICE_FORMAT "' is no part of a random fill", SLICE_ARGS(part));
        if (status != HX_OK)
            return status;
        more = colon != NULL;
        text = (struct slice){part.at + part.length + more, text.length - part.length - more};
    }
    return fill_check_random(fill, type, diag);
}

hx_status program_read_fill(hx_program *program, struct slice word, enum hx_type type, struct fill *fill,
                            hx_diag *diag)
{
    if (slice_equal(word, "random") || slice_starts_with(word, "random:")) {
        fill_set_random(fill, type);
        return word.length == strlen("random")
                   ? HX_OK
                   : parse_random((struct slice){word.at + 7, word.length - 7}, type, fill, diag);
    }
    if (word.length < 2 || word.at[0] != '@')
        return fill_read_word(word, type, (struct place){0}, diag, fill);
    fill->kind = FILL_FILE;
    fill->from_working_directory = true;
    fill->path = arena_copy(&program->arena, word.at + 1, word.length - 1);
    return fill->path ? HX_OK : diag_no_memory(diag);
}

hx_status hx_program_set_fill(hx_program *program, const char *buffer, const char *fill, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, program);
    DIAG_REQUIRE(diag, buffer);
    DIAG_REQUIRE(diag, fill);
    struct array *array = NULL;
    for (size_t i = 0; i < program->buffers.count; i++)
        if (strcmp(program->buffers.items[i].name, buffer) == 0)
            array = &program->buffers.items[i];
    if (!array)
        return unknown(program, buffer, true, diag);
    const struct array before = *array;
    struct fill made = {.kind = FILL_ZERO};
    hx_status status = program_read_fill(program, slice_of(fill), array->type, &made, diag);
    if (status != HX_OK)
        return status;
    array->fill = made;
    array->is_counted = false;
    status = program_layout(program, diag);
    if (status == HX_OK)
        return HX_OK;
    *array = before;
    (void)!program_layout(program, NULL);
    return status;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static hx_status visit_file(const hx_program *program, const struct fill *file,
                            hx_status (*visit)(void *user, const char *path), void *user)
{
    struct text path HX_AUTO(text_done) = {.allocator = program->arena.allocator};
    npy_path(program, file, &path);
    return path.failed ? HX_NO_MEMORY : visit(user, path.at);
}

hx_status hx_program_files(const hx_program *program, hx_status (*visit)(void *user, const char *path),
                           void *user)
{
    DIAG_REQUIRE(NULL, program);
    DIAG_REQUIRE(NULL, visit);
    const struct array_list *const lists[] = {&program->buffers, &program->constants};
    hx_status status = program->source_path ? visit(user, program->source_path) : HX_OK;
    for (size_t k = 0; k < HX_COUNT_OF(lists); k++)
        for (size_t i = 0; status == HX_OK && i < lists[k]->count; i++)
            if (lists[k]->items[i].fill.kind == FILL_FILE)
                status = visit_file(program, &lists[k]->items[i].fill, visit, user);
    for (size_t i = 0; status == HX_OK && i < program->expectation_count; i++)
        if (program->expectations[i].kind == EXPECT_FILE)
            status = visit_file(program, &program->expectations[i].file, visit, user);
    return status;
}
