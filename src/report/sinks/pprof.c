/* pprof: the gzipped protobuf that `go tool pprof` reads. A location is an instruction, a function a kernel
 * or one of its subroutines, a sample what an instruction cost on one way to it; opcode, class and kernel are
 * labels of the sample. */
#include "report/sinks/export.h"

extern const struct export_class export_pprof;

#if HX_PPROF
#include "base/gzip.h"
#include "profile.pb-c.h"

#include <string.h>

#define WORD_BYTES 16u /* of an instruction: addresses are places in the code of all kernels */

struct maker {
    const struct export_request *request;
    struct arena *arena;
    Pprof__Profile profile;
    LIST(char *) strings;
    LIST(Pprof__Sample *) samples;
    LIST(Pprof__Location *) locations;
    LIST(Pprof__Function *) functions;
    bool failed; /* no memory */
};

/* A zeroed message of the arena, made with its INIT value. */
#define NEW(maker, type, ...) ((type *)copy_message(maker, &(const type)__VA_ARGS__, sizeof(type)))
static void *copy_message(struct maker *maker, const void *message, size_t bytes)
{
    void *copy = arena_allocate(maker->arena, 1, bytes);
    maker->failed |= !copy;
    return copy ? memcpy(copy, message, bytes) : NULL;
}
#define PUSH(maker, list, item) ((maker)->failed |= !LIST_PUSH((maker)->arena->allocator, list, item))

/* The index of a string; there are few, so a linear search is fine. */
static int64_t intern(struct maker *maker, const char *string)
{
    for (size_t i = 0; i < maker->strings.count; i++)
        if (strcmp(maker->strings.items[i], string) == 0)
            return (int64_t)i;
    PUSH(maker, &maker->strings, (char *)string);
    return (int64_t)maker->strings.count - 1;
}

static void add_function(struct maker *maker, const struct stack_kernel *kernel, uint32_t index)
{
    const struct stack_function *function = &kernel->functions[index];
    Pprof__Function *made = NEW(maker, Pprof__Function, PPROF__FUNCTION__INIT);
    if (maker->failed)
        return;
    made->id = maker->functions.count + 1;
    made->name = made->system_name = intern(maker, function->full_name);
    made->filename = intern(maker, kernel->about->file);
    made->start_line = function->line;
    PUSH(maker, &maker->functions, made);
}

static void add_location(struct maker *maker, const struct stack_instruction *one, uint64_t first_function)
{
    Pprof__Location *location = NEW(maker, Pprof__Location, PPROF__LOCATION__INIT);
    Pprof__Line *line = NEW(maker, Pprof__Line, PPROF__LINE__INIT);
    Pprof__Line **lines = ARENA_ARRAY(maker->arena, Pprof__Line *, 1);
    maker->failed |= !lines;
    if (maker->failed)
        return;
    *line =
        (Pprof__Line){.base = line->base, .function_id = first_function + one->function, .line = one->line};
    *lines = line;
    location->id = maker->locations.count + 1;
    location->mapping_id = 1;
    location->address = maker->locations.count * WORD_BYTES;
    location->n_line = 1;
    location->line = lines;
    PUSH(maker, &maker->locations, location);
}

static Pprof__Label **labels_of(struct maker *maker, const struct stack_kernel *kernel,
                                const struct stack_instruction *one, size_t *ret_count)
{
    const char *const words[][2] = {
        {"kernel", kernel->about->name}, {"opcode", one->form}, {"class", one->class_name}};
    Pprof__Label **labels = ARENA_ARRAY(maker->arena, Pprof__Label *, HX_COUNT_OF(words));
    maker->failed |= !labels;
    for (size_t i = 0; i < HX_COUNT_OF(words) && !maker->failed; i++)
        if ((labels[i] = NEW(maker, Pprof__Label, PPROF__LABEL__INIT))) {
            labels[i]->key = intern(maker, words[i][0]);
            labels[i]->str = intern(maker, words[i][1]);
        }
    *ret_count = HX_COUNT_OF(words);
    return labels;
}

/* The instruction, then the calls that led to it, innermost first. */
static void add_sample(struct maker *maker, const struct stack_kernel *kernel, uint64_t first_location,
                       const struct stack_instruction *one, const struct stack_context *context)
{
    const struct figures share = stacks_share(context, &one->figures);
    if (figures_are_zero(&share))
        return;
    size_t depth = 1;
    for (const struct stack_context *c = context; c->parent != STACK_NONE; c = &kernel->contexts[c->parent])
        depth++;
    uint64_t *locations = ARENA_ARRAY(maker->arena, uint64_t, depth);
    int64_t *values = ARENA_ARRAY(maker->arena, int64_t, FIGURE_COUNT);
    Pprof__Sample *sample = NEW(maker, Pprof__Sample, PPROF__SAMPLE__INIT);
    maker->failed |= !locations || !values;
    if (maker->failed)
        return;
    size_t at = 0;
    locations[at++] = first_location + one->pc;
    for (const struct stack_context *c = context; c->parent != STACK_NONE; c = &kernel->contexts[c->parent])
        locations[at++] = first_location + c->site;
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        values[i] = share.of[i] > INT64_MAX ? INT64_MAX : (int64_t)share.of[i];
    sample->n_location_id = depth;
    sample->location_id = locations;
    sample->n_value = FIGURE_COUNT;
    sample->value = values;
    sample->label = labels_of(maker, kernel, one, &sample->n_label);
    PUSH(maker, &maker->samples, sample);
}

static void add_kernel(struct maker *maker, const struct stack_kernel *kernel)
{
    const uint64_t first_function = maker->functions.count + 1, first_location = maker->locations.count + 1;
    for (uint32_t i = 0; i < kernel->function_count; i++)
        add_function(maker, kernel, i);
    for (uint32_t i = 0; i < kernel->instruction_count && !maker->failed; i++)
        add_location(maker, &kernel->instructions[i], first_function);
    for (uint32_t i = 0; i < kernel->instruction_count && !maker->failed; i++) {
        const struct stack_instruction *one = &kernel->instructions[i];
        const struct stack_function *function = &kernel->functions[one->function];
        for (uint32_t c = 0; c < function->context_count && !maker->failed; c++)
            add_sample(maker, kernel, first_location, one,
                       &kernel->contexts[kernel->by_function[function->first_context + c]]);
    }
}

static void add_head(struct maker *maker)
{
    const struct export_request *request = maker->request;
    Pprof__Profile *profile = &maker->profile;
    Pprof__ValueType **types = ARENA_ARRAY(maker->arena, Pprof__ValueType *, FIGURE_COUNT);
    Pprof__Mapping **mappings = ARENA_ARRAY(maker->arena, Pprof__Mapping *, 1);
    Pprof__Mapping *mapping = NEW(maker, Pprof__Mapping, PPROF__MAPPING__INIT);
    maker->failed |= !types || !mappings;
    (void)intern(maker, ""); /* the format wants it in front */
    for (size_t i = 0; i < FIGURE_COUNT && !maker->failed; i++)
        if ((types[i] = NEW(maker, Pprof__ValueType, PPROF__VALUE_TYPE__INIT))) {
            types[i]->type = intern(maker, figure_table[i].word);
            types[i]->unit = intern(maker, figure_table[i].unit);
        }
    if (maker->failed)
        return;
    profile->n_sample_type = FIGURE_COUNT;
    profile->sample_type = types;
    *mappings = mapping;
    mapping->id = 1;
    mapping->filename = intern(maker, request->program);
    mapping->has_functions = mapping->has_filenames = mapping->has_line_numbers = true;
    profile->n_mapping = 1;
    profile->mapping = mappings;
    profile->time_nanos = (int64_t)request->unix_ns;
    profile->duration_nanos = (int64_t)hx_profile_result(request->profile)->duration_ns;
    profile->default_sample_type = intern(maker, figure_table[request->weight].word);
}

static void pack(struct maker *maker, struct text *out)
{
    Pprof__Profile *profile = &maker->profile;
    profile->n_sample = maker->samples.count;
    profile->sample = maker->samples.items;
    profile->n_location = maker->locations.count;
    profile->location = maker->locations.items;
    profile->n_function = maker->functions.count;
    profile->function = maker->functions.items;
    profile->n_string_table = maker->strings.count;
    profile->string_table = maker->strings.items;
    profile->mapping[0]->memory_limit = (maker->locations.count + 1) * WORD_BYTES;
    const size_t size = pprof__profile__get_packed_size(profile);
    uint8_t *bytes = arena_allocate(maker->arena, size, 1);
    if (bytes)
        gzip_append(out, bytes, pprof__profile__pack(profile, bytes));
    maker->failed |= !bytes;
}

static hx_status print_pprof(const struct export_request *request, struct text *out, hx_diag *diag)
{
    struct arena arena HX_AUTO(arena_done) = {.allocator = request->allocator};
    struct maker maker = {.request = request, .arena = &arena, .profile = PPROF__PROFILE__INIT};
    add_head(&maker);
    for (size_t i = 0; i < request->stacks->kernel_count && !maker.failed; i++)
        add_kernel(&maker, &request->stacks->kernels[i]);
    if (!maker.failed)
        pack(&maker, out);
    LIST_DONE(arena.allocator, &maker.strings);
    LIST_DONE(arena.allocator, &maker.samples);
    LIST_DONE(arena.allocator, &maker.locations);
    LIST_DONE(arena.allocator, &maker.functions);
    return maker.failed ? diag_no_memory(diag) : HX_OK;
}

const struct export_class export_pprof = {"pprof", NULL, print_pprof, NULL};
#else
const struct export_class export_pprof = {"pprof", NULL, NULL, "protobuf-c"};
#endif
