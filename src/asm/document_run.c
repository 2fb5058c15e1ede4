/* The launches of a YAML document: `launch`, or `run` with its launches and loops.
 *
 * A loop is an entry with a list of its own; what a launch repeats in a way that a number does not say (a
 * condition, a counter, an expression) is a loop with one launch. Steps stand in one list, in the order of
 * the file, and loops name parts of it. */
#include "asm/reading.h"

#include "program/sequence.h"

#include <string.h>

/* One to three numbers; those that are missing are 1. */
static void read_extent(struct reading *reading, const struct yaml_node *list, const uint32_t *most,
                        uint32_t *extent)
{
    uint64_t value;
    const struct yaml_node *node = list ? list->first : NULL;
    for (unsigned i = 0; list && i < 3; i++, node = node ? node->next : NULL) {
        extent[i] = 1;
        if (node && reading_note(reading, yaml_number_u64(node, reading->diag, 1, most[i], &value)) == HX_OK)
            extent[i] = (uint32_t)value;
    }
}

static void read_shape(struct reading *reading, const struct yaml_node *node, struct launch_step *step)
{
    const struct yaml_node *block = yaml_get(node, "block"), *shared = yaml_get(node, "dynamic_shared");
    read_extent(reading, yaml_get(node, "grid"), limits_grid, step->grid);
    read_extent(reading, block, limits_block, step->block);
    if (block)
        step->block_place = block->place;
    if (shared)
        reading_note(reading,
                     yaml_number_u64(shared, reading->diag, 0, LIMIT_SHARED_BYTES, &step->dynamic_shared));
}

static const char *next_kernel(void *user, size_t index)
{
    return hx_program_kernel_name(user, index);
}

static const struct kernel *find_kernel(struct reading *reading, const char *name,
                                        const struct yaml_node *node)
{
    const hx_program *program = reading->program;
    size_t found;
    if (hx_program_find_kernel(program, name, NULL, &found) == HX_OK)
        return &program->kernels[found];
    char space[TEXT_HINT_BYTES];
    const char *hint = text_did_you_mean(text_suggest(slice_of(name), next_kernel, reading->program), space);
    reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_KERNELS, node->place, hint,
                                      "there is no kernel '%s'", name));
    return &program->kernels[0];
}

/* ---- Parameters of launches ---------------------------------------------------------------------------- */

static const char *next_param(void *user, size_t index)
{
    const hx_program *program = user;
    return index < program->param_count ? program->params[index].name : NULL;
}

/* The index of a parameter; param_count, and a report, when there is none. */
static uint32_t find_param(struct reading *reading, struct slice name, struct place place)
{
    const hx_program *program = reading->program;
    uint32_t found = 0;
    while (found < program->param_count && !slice_equal(name, program->params[found].name))
        found++;
    char space[TEXT_HINT_BYTES];
    const char *hint = text_did_you_mean(text_suggest(name, next_param, reading->program), space);
    if (found == program->param_count)
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_PARAM, place,
                                 hint ? hint : "declare it in `params`, or name one that is there",
                                 "there is no scalar parameter '" SLICE_FORMAT "'", SLICE_ARGS(name)));
    return found;
}

static bool is_integer(enum hx_type type)
{
    return type != HX_TYPE_NONE && !type_is_float(type);
}

/* The number, from 1, of a parameter whose bits are the value; 0: an expression, or a number. */
static uint32_t find_source(const struct reading *reading, struct slice word,
                            const struct program_param *param)
{
    const hx_program *program = reading->program;
    for (uint32_t i = 0; i < program->param_count; i++)
        if (slice_equal(word, program->params[i].name))
            return type_bytes(program->params[i].type) == type_bytes(param->type) &&
                           !setting_is_expression(program->params[i].type, param->type)
                       ? i + 1
                       : 0;
    return 0;
}

static void read_setting(struct reading *reading, const struct yaml_node *node, struct param_setting *setting)
{
    const enum hx_type type = reading->program->params[setting->param].type;
    setting->place = node->place;
    setting->from = find_source(reading, node->text, &reading->program->params[setting->param]);
    if (setting->from)
        return;
    if (type != HX_TYPE_NONE && address_begins(&reading->names, node->text)) {
        reading_setting_address(reading, node, setting);
        return;
    }
    const enum number_result result =
        type == HX_TYPE_NONE ? NUMBER_OK : values_number_bits(node->text, type, &setting->bits);
    if (result == NUMBER_NOT_A_NUMBER && is_integer(type))
        setting->text = node->text.at;
    else if (result != NUMBER_OK)
        reading_note(reading,
                     yaml_number_problem(reading->diag, node->place, node->text, result, values_range(type)));
}

static void read_settings(struct reading *reading, const struct yaml_node *params, struct launch_step *step)
{
    if (!params)
        return;
    step->settings = reading_allocate(reading, params->count, sizeof *step->settings);
    for (const struct yaml_node *node = params->first; step->settings && node; node = node->next) {
        const uint32_t param = find_param(reading, node->key, node->key_place);
        if (param == reading->program->param_count)
            continue;
        struct param_setting *setting = &step->settings[step->setting_count++];
        setting->param = param;
        read_setting(reading, node, setting);
    }
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* A number, with whatever mistake, and no expression. */
static bool is_number(struct slice text)
{
    bool is_word = text.length > 0 && (text_is_digit(text.at[0]) || text.at[0] == '-');
    for (size_t i = 1; is_word && i < text.length; i++)
        is_word = text_is_word(text.at[i]) || text.at[i] == '.';
    return is_word;
}

static void read_times(struct reading *reading, const struct yaml_node *repeat, uint32_t *ret_times)
{
    uint64_t times = 1;
    if (repeat && is_number(repeat->text))
        reading_note(reading, yaml_number_u64(repeat, reading->diag, 1, LIMIT_REPEAT, &times));
    *ret_times = (uint32_t)times;
}

static void read_until(struct reading *reading, const struct yaml_until *written,
                       const struct yaml_node *until, struct run_loop *loop)
{
    const struct yaml_node *index = yaml_get(until, "index");
    const struct array *buffer = reading_buffer(reading, written->buffer, yaml_get(until, "buffer"));
    loop->has_until = buffer != NULL;
    loop->until_buffer = buffer ? (uint32_t)(buffer - reading->program->buffers.items) : 0;
    loop->until_place = yaml_get(until, "buffer")->place;
    loop->index_text = written->index;
    loop->index_place = index ? index->place : loop->until_place;
}

static void read_counter(struct reading *reading, const struct yaml_node *node, struct run_loop *loop)
{
    const hx_program *program = reading->program;
    loop->counter = find_param(reading, node->text, node->place);
    if (loop->counter == program->param_count)
        loop->counter = LOOP_NO_COUNTER;
    else if (!is_integer(program->params[loop->counter].type))
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LOOP, node->place,
                                          "give the parameter an integer type",
                                          "'%s' cannot count passes: it is no integer",
                                          program->params[loop->counter].name));
}

/* What a loop has, or a launch that is a loop of its own. */
static void read_loop(struct reading *reading, const struct yaml_launch *written,
                      const struct yaml_node *node, struct run_loop *loop)
{
    const struct yaml_node *repeat = yaml_get(node, "repeat"), *counter = yaml_get(node, "counter");
    uint32_t times;
    loop->place = node->first->key_place;
    loop->counter = LOOP_NO_COUNTER;
    loop->repeat_text = repeat ? written->repeat : "1";
    loop->repeat_place = repeat ? repeat->place : loop->place;
    read_times(reading, repeat, &times);
    if (!repeat)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LOOP, loop->place,
                                          "add repeat: N, the most passes that it may make",
                                          "this loop does not say how often it runs"));
    if (counter)
        read_counter(reading, counter, loop);
    if (written->until)
        read_until(reading, written->until, yaml_get(node, "until"), loop);
}

/* ---- The list ------------------------------------------------------------------------------------------ */

/* Launches and loops of a list, and of the lists in it. */
static void count_entries(const struct yaml_launch *written, uint32_t count, size_t *steps, size_t *loops)
{
    for (uint32_t i = 0; i < count; i++) {
        *loops += 1; /* a launch may be one of its own */
        *steps += written[i].run_count == 0;
        count_entries(written[i].run, written[i].run_count, steps, loops);
    }
}

static struct run_loop *begin_loop(hx_program *program)
{
    struct run_loop *loop = &program->loops[program->loop_count++];
    loop->first = (uint32_t)program->step_count;
    return loop;
}

static void read_launch(struct reading *reading, const struct yaml_launch *written,
                        const struct yaml_node *node, const struct launch_step *base)
{
    hx_program *program = reading->program;
    const struct yaml_node *name = yaml_get(node, "kernel"), *repeat = yaml_get(node, "repeat");
    const bool is_loop = written->until || written->counter || (repeat && !is_number(repeat->text));
    if (is_loop) {
        struct run_loop *loop = begin_loop(program);
        loop->end = loop->first + 1;
        read_loop(reading, written, node, loop);
    }
    struct launch_step *step = &program->steps[program->step_count++];
    *step = *base;
    step->place = name->place;
    step->kernel = find_kernel(reading, written->kernel, name);
    read_shape(reading, node, step);
    read_settings(reading, yaml_get(node, "params"), step);
    if (yaml_get(node, "args"))
        reading_step_arguments(reading, yaml_get(node, "args"), step);
    if (!is_loop)
        read_times(reading, repeat, &step->repeat);
}

static void read_list(struct reading *reading, const struct yaml_launch *written,
                      const struct yaml_node *list, const struct launch_step *base, unsigned depth);

static void read_group(struct reading *reading, const struct yaml_launch *written,
                       const struct yaml_node *node, const struct launch_step *base, unsigned depth)
{
    const struct yaml_node *list = yaml_get(node, "run"), *params = yaml_get(node, "params");
    struct launch_step inner = *base;
    if (depth == LIMIT_LOOP_DEPTH)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LOOP, yaml_place_key(list),
                                          "let a kernel do what the inner loops do",
                                          "loops are %d deep at most", LIMIT_LOOP_DEPTH));
    if (params)
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LOOP, yaml_place_key(params),
                                          "give them to the launches in `run`",
                                          "`params` belongs to a launch, not to a loop"));
    struct run_loop *loop = begin_loop(reading->program);
    read_loop(reading, written, node, loop);
    read_shape(reading, node, &inner);
    if (depth < LIMIT_LOOP_DEPTH)
        read_list(reading, written->run, list, &inner, depth + 1);
    loop->end = (uint32_t)reading->program->step_count;
}

/* An entry is a launch, or with `run` a loop. */
static void read_list(struct reading *reading, const struct yaml_launch *written,
                      const struct yaml_node *list, const struct launch_step *base, unsigned depth)
{
    for (const struct yaml_node *node = list->first; node; node = node->next, written++) {
        const struct yaml_node *kernel = yaml_get(node, "kernel"), *run = yaml_get(node, "run");
        if (kernel && run)
            reading_note(reading,
                         diag_report(reading->diag, DIAG_PROGRAM_LOOP, yaml_place_key(run),
                                     "make two entries of it",
                                     "an entry launches a `kernel` or is a loop over a `run`, not both"));
        else if (run)
            read_group(reading, written, node, base, depth);
        else if (kernel)
            read_launch(reading, written, node, base);
        else
            reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_LOOP, node->place,
                                              "give `kernel`, or `run` with the launches of a loop",
                                              "this entry has neither a kernel nor launches to repeat"));
    }
}

void reading_steps(struct reading *reading, const struct yaml_program *from, const struct yaml_node *root)
{
    hx_program *program = reading->program;
    const struct yaml_node *run = yaml_get(root, "run"), *launch = yaml_get(root, "launch");
    struct launch_step base = {.kernel = &program->kernels[reading->kernel],
                               .grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .repeat = 1,
                               .place = launch ? yaml_place_key(launch) : root->place};
    base.block_place = base.place;
    program->lacks_launch = !launch && !run;
    read_shape(reading, launch, &base);
    size_t steps = 0, loops = 0;
    count_entries(from->run, from->run_count, &steps, &loops);
    if (steps > LIMIT_STEPS) {
        reading_note(reading,
                     diag_report(reading->diag, DIAG_PROGRAM_LOOP, yaml_place_key(run),
                                 "make a loop of those that are alike",
                                 "the program has %zu launches, %u are the most", steps, LIMIT_STEPS));
        return;
    }
    program->steps = reading_allocate(reading, run ? steps : 1, sizeof *program->steps);
    program->loops = reading_allocate(reading, loops, sizeof *program->loops);
    if (!program->steps || !program->loops)
        return;
    if (run)
        read_list(reading, from->run, run, &base, 0);
    else
        program->steps[program->step_count++] = base;
}
