/* What hexec run prints: a summary of a few lines, or with --json one document with all of it. It takes a
 * struct run, also of a run that failed halfway, and leaves text. Numbers stand in the same order in both. */
#include "base/demangle.h"
#include "run.h"

#include <string.h>

static const char *const space_names[] = {NULL, "global", "shared", "constant", "local", "generic"};

/* --- for people ----------------------------------------------------------------------------------------- */

static void print_shape(struct text *out, const uint32_t shape[3])
{
    text_print(out, "%u,%u,%u", shape[0], shape[1], shape[2]);
}

static void print_many(struct text *out, uint64_t count, const char *what)
{
    text_print_grouped(out, count);
    text_print(out, " %s%s", what, count == 1 ? "" : "s");
}

/* Launches may differ. */
static void print_range(struct text *out, uint32_t least, uint32_t most, const char *what)
{
    text_print_range(out, least, most);
    text_print(out, " %s%s", what, most == 1 ? "" : "s");
}

static void print_launch(struct text *out, const struct run_launch *launch)
{
    text_print(out, "launch   ");
    demangle(out, launch->kernel);
    text_print(out, ", grid ");
    print_shape(out, launch->grid);
    text_print(out, ", block ");
    print_shape(out, launch->block);
    if (launch->dynamic_shared_bytes)
        text_print(out, ", %llu bytes of dynamic shared memory",
                   (unsigned long long)launch->dynamic_shared_bytes);
    text_print(out, ", ");
    print_many(out, launch->times ? launch->threads / launch->times : 0, "thread");
    if (launch->times > 1) {
        text_print(out, ", ");
        text_print_grouped(out, launch->times);
        text_print(out, " times");
    }
    text_append(out, "\n", 1);
}

static uint64_t total(const uint64_t *by_space)
{
    uint64_t sum = 0;
    for (size_t space = 1; space < HX_COUNT_OF(space_names); space++)
        sum += by_space[space];
    return sum;
}

static double per_second(uint64_t count, uint64_t duration_ns)
{
    return duration_ns ? (double)count * 1e9 / (double)duration_ns : 0;
}

static bool has_stopped(const struct run *run)
{
    return run->status == HX_FAULT || run->status == HX_LIMIT || run->status == HX_INTERRUPTED;
}

static void print_time(struct text *out, const struct run *run)
{
    const hx_run_result *result = &run->result;
    text_print(out, "time     ");
    text_print_duration(out, result->duration_ns);
    text_print(out, " on ");
    print_range(out, result->workers_least, result->workers, "worker");
    if (!has_stopped(run)) { /* else not all threads ran */
        text_print(out, ", ");
        text_print_grouped(out, (uint64_t)per_second(result->threads, result->duration_ns));
        text_print(out, " threads a second");
    }
    text_print(out, "\n");
    if (hx_trace_own_share() >= 0)
        text_print(out, "tracing  %.0f %% of the time in and between instructions; none were fused\n",
                   hx_trace_own_share() * 100);
}

/* What ran a kernel, if compiled code was wanted. */
static void print_tier(struct text *out, const struct run_launch *launch)
{
    const bool is_compiled = launch->tier == HX_TIER_COMPILED;
    if (!is_compiled && !launch->why_interpreted[0])
        return;
    text_print(out, "tier     ");
    demangle(out, launch->kernel);
    if (is_compiled && launch->why_interpreted[0])
        text_print(out, " ran compiled, but for %s\n", launch->why_interpreted);
    else if (is_compiled)
        text_print(out, " ran compiled\n");
    else
        text_print(out, " was interpreted: %s\n", launch->why_interpreted);
}

/* "k: ex2.approx.f32 within relative 2^-22, 1,024 times from line 12 on" */
static void print_fidelity(struct text *out, const hx_fidelity_use *use)
{
    text_print(out, "fidelity ");
    demangle(out, use->kernel);
    text_print(out, ": %s %s%s%s, ", use->form, hx_fidelity_name(use->fidelity), use->error[0] ? " " : "",
               use->error);
    print_many(out, use->lanes, "time");
    if (use->line && use->file)
        text_print(out, ", first in %s:%u", use->file, use->line);
    text_print(out, "%s%s\n", use->why[0] ? ": " : "", use->why);
}

static void print_details(struct text *out, const struct run *run)
{
    for (size_t i = 0; i < run->launch_count; i++)
        print_tier(out, &run->launches[i]);
    const hx_run_result *result = &run->result;
    text_print(out, "counts   ");
    print_many(out, result->counts.thread_instructions, "thread instruction");
    text_print(out, " in ");
    print_many(out, result->counts.issues, "issue");
    text_print(out, ", ");
    print_many(out, result->counts.flops, "floating-point operation");
    text_print(out, "\nengine   ");
    print_many(out, result->blocks, "block");
    text_print(out, ", gangs of ");
    print_range(out, result->gang_lanes_least, result->gang_lanes, "lane");
    text_print(out, "\nbefore   ");
    text_print_duration(out, result->load_ns);
    text_print(out, " to load, ");
    text_print_duration(out, result->prepare_ns);
    text_print(out, " to prepare\n");
    for (size_t space = 1; space < HX_COUNT_OF(space_names); space++) {
        if (!result->counts.loaded_bytes[space] && !result->counts.stored_bytes[space])
            continue;
        text_print(out, "%-8s ", space_names[space]);
        text_print_size(out, result->counts.loaded_bytes[space]);
        text_print(out, " loaded, ");
        text_print_size(out, result->counts.stored_bytes[space]);
        text_print(out, " stored\n");
    }
    hx_fidelity_use use = {.size = sizeof use};
    for (size_t i = 0; hx_fidelity_log_at(run->fidelity, i, &use) == HX_OK; i++)
        print_fidelity(out, &use);
}

static void print_verified(struct text *out, const struct run *run)
{
    text_print(out, "verify   ");
    print_many(out, run->expectations, "expectation");
    text_print(out, " met\n");
}

/* What a reader may take for granted and was not so. */
static void print_left_out(struct text *out, const struct run *run)
{
    const hx_program *program = hx_context_program(run->context);
    const struct options *options = run->command->options;
    const size_t count = hx_program_expectation_count(program);
    if (!hx_program_has_launch(program) && !option_value(options, OPTION_GRID) &&
        !option_value(options, OPTION_BLOCK))
        text_print(out,
                   "launch   one thread: the program has no launch; --grid and --block say how many run\n");
    if (count == 0 || run->verified || run->status != HX_OK)
        return;
    text_print(out, "verify   ");
    print_many(out, count, "expectation");
    text_print(out, " not checked; --verify checks %s\n", count == 1 ? "it" : "them");
}

static void print_head(struct text *out, const struct run *run)
{
    const hx_run_result *result = &run->result;
    text_print(out, "program  %s\n", hx_program_name(hx_context_program(run->context)));
    for (size_t i = 0; i < run->launch_count; i++)
        print_launch(out, &run->launches[i]);
    if (run->launches_left_out) {
        text_print(out, "launch   and ");
        text_print_grouped(out, run->launches_left_out);
        text_print(out, " more\n");
    }
    print_time(out, run);
    text_print(out, "memory   ");
    text_print_size(out, total(result->counts.loaded_bytes));
    text_print(out, " loaded, ");
    text_print_size(out, total(result->counts.stored_bytes));
    text_print(out, " stored\n");
    if (result->replay[0])
        text_print(out, "replay   %s\n", result->replay);
    if (run->exploration && hx_exploration_print(run->exploration, 0, text_write, out) != HX_OK)
        out->failed = true;
    if (option_is_on(run->command->options, OPTION_VERBOSE))
        print_details(out, run);
    hot_lines_print(out, run);
    if (has_stopped(run))
        text_print(out, "stopped  %s\n", hx_status_sentence(run->status));
    print_left_out(out, run);
    if (run->verified && run->status == HX_OK)
        print_verified(out, run);
    if (run->verified && run->status == HX_MISMATCH)
        text_print(out, "verify   failed\n");
}

/* The elements of --print, within what the buffer has. False when it has no bytes to show. */
static bool find_range(const struct run *run, const struct option_value *value, hx_array_view *ret_view,
                       uint64_t *ret_first, uint64_t *ret_count)
{
    if (hx_context_buffer(run->context, value->name, NULL, ret_view) != HX_OK)
        return false;
    *ret_first = value->number < ret_view->count ? value->number : ret_view->count;
    uint64_t left = ret_view->count - *ret_first;
    *ret_count = value->count < left ? value->count : left;
    return true;
}

/* Of a buffer that is named without a range: all of it, or only its ends. */
#define WHOLE_MOST 256
#define END_COUNT  8

static hx_status print_elements(const struct run *run, const char *name, uint64_t first, uint64_t count,
                                struct text *out)
{
    const hx_status status = hx_context_print_buffer(run->context, name, first, count, text_write, out);
    if (!out->failed && out->length && out->at[out->length - 1] == '\n')
        out->length--;
    return status;
}

static hx_status print_ends(const struct run *run, const hx_array_view *view, struct text *out)
{
    const uint64_t count = view->count;
    hx_status status = print_elements(run, view->name, 0, END_COUNT, out);
    text_append(out, " ... ", 5);
    status = command_keep(status, print_elements(run, view->name, count - END_COUNT, END_COUNT, out));
    text_print(out, "   # %llu elements; --print %s:0:%llu prints all\n", (unsigned long long)count,
               view->name, (unsigned long long)count);
    return status;
}

static hx_status print_buffer(const struct run *run, const struct option_value *value, struct text *out)
{
    hx_array_view view;
    uint64_t first = 0, count = 0;
    if (!find_range(run, value, &view, &first, &count))
        return HX_OK;
    text_print(out, "%s", view.name);
    if (count == 0)
        text_print(out, "[]");
    else if (count < view.count)
        text_print(out, "[%llu..%llu]", (unsigned long long)first, (unsigned long long)(first + count - 1));
    text_print(out, " = ");
    if (value->count == UINT64_MAX && first == 0 && count > WHOLE_MOST)
        return print_ends(run, &view, out);
    const hx_status status = print_elements(run, view.name, first, count, out);
    text_append(out, "\n", 1);
    return status;
}

/* Memory of the runtime, such as the heap of malloc: the library's names begin so, and those of headers hold
 * it. Names of what a compiler adds, as for --check: clang's constants, a file's name, and CUDA's %tid. */
static bool is_of_runtime(const char *name)
{
    static const char *const added[] = {"_$_src", "threadIdx", "blockIdx", "blockDim", "gridDim"};
    for (size_t i = 0; i < HX_COUNT_OF(added); i++)
        if (strcmp(name, added[i]) == 0)
            return true;
    return strncmp(name, "hexec_", 6) == 0 || strncmp(name, "__unnamed_", 10) == 0 ||
           strstr(name, "__hexec_");
}

/* Without --print: the first elements of what the kernels could write, so that a run shows that it did
 * something. */
static hx_status print_written(const struct run *run, struct text *out)
{
    hx_status status = HX_OK;
    hx_array_view view;
    for (size_t i = 0, shown = 0; (view = hx_context_buffer_at(run->context, i)).name && shown < 4; i++) {
        if (!(view.access & HX_ACCESS_WRITE) || view.count == 0 || is_of_runtime(view.name))
            continue;
        const struct option_value first_elements = {.name = view.name, .count = 8};
        status = command_keep(status, print_buffer(run, &first_elements, out));
        shown++;
    }
    return status;
}

hx_status run_print_summary(const struct run *run)
{
    struct text out HX_AUTO(text_done) = {0};
    hx_status status = HX_OK;
    const struct option_values *values = &run->command->options->values[OPTION_PRINT];
    if (!option_is_on(run->command->options, OPTION_QUIET)) {
        print_head(&out, run);
        if (values->count == 0)
            status = print_written(run, &out);
    }
    for (size_t i = 0; i < values->count; i++)
        status = command_keep(status, print_buffer(run, &values->items[i], &out));
    return command_keep(status, console_write_text(run->command->console, &out));
}

/* --- for programs --------------------------------------------------------------------------------------- */

static void put_shape(struct text *out, const char *key, const uint32_t shape[3])
{
    text_print_json_key(out, key);
    text_append(out, "[", 1);
    print_shape(out, shape);
    text_append(out, "]", 1);
}

/* As the source has the name. */
static void put_readable(struct text *out, const char *kernel)
{
    struct text readable HX_AUTO(text_done) = {.allocator = out->allocator};
    demangle(&readable, kernel);
    out->failed |= readable.failed;
    text_put_string(out, "readable", readable.at ? readable.at : kernel);
}

static void put_launches(struct text *out, const struct run *run)
{
    text_print_json_key(out, "launches");
    text_append(out, "[", 1);
    for (size_t i = 0; i < run->launch_count; i++) {
        const struct run_launch *launch = &run->launches[i];
        text_print(out, i ? ",{" : "{");
        text_put_string(out, "kernel", launch->kernel);
        put_readable(out, launch->kernel);
        put_shape(out, "grid", launch->grid);
        put_shape(out, "block", launch->block);
        text_put_number(out, "dynamic_shared_bytes", launch->dynamic_shared_bytes);
        text_put_number(out, "times", launch->times);
        text_put_number(out, "threads", launch->threads);
        text_put_number(out, "duration_ns", launch->duration_ns);
        text_append(out, "}", 1);
    }
    text_append(out, "]", 1);
    text_put_number(out, "launches_left_out", run->launches_left_out);
}

static void put_by_space(struct text *out, const char *key, const uint64_t *by_space)
{
    text_print_json_key(out, key);
    text_append(out, "{", 1);
    for (size_t space = 1; space < HX_COUNT_OF(space_names); space++)
        text_put_number(out, space_names[space], by_space[space]);
    text_append(out, "}", 1);
}

/* What a GPU may give otherwise; no member if there is nothing. */
static void put_fidelity(struct text *out, const struct run *run)
{
    hx_fidelity_use use = {.size = sizeof use};
    size_t count = 0;
    for (; hx_fidelity_log_at(run->fidelity, count, &use) == HX_OK; count++) {
        if (count == 0)
            text_print_json_key(out, "fidelity");
        text_print(out, "%s{", count ? "," : "[");
        text_put_string(out, "kernel", use.kernel);
        put_readable(out, use.kernel);
        text_put_string(out, "form", use.form);
        text_put_string(out, "result", hx_fidelity_name(use.fidelity));
        text_put_string(out, "error", use.error);
        text_put_string(out, "why", use.why);
        if (use.file)
            text_put_string(out, "file", use.file);
        text_put_number(out, "line", use.line);
        text_put_number(out, "instructions", use.instructions);
        text_put_number(out, "lanes", use.lanes);
        text_print(out, "}");
    }
    text_print(out, "%s", count ? "]" : "");
}

static void put_result(struct text *out, const struct run *run)
{
    const hx_run_result *result = &run->result;
    put_launches(out, run);
    text_put_number(out, "launch_count", result->launches);
    text_put_number(out, "duration_ns", result->duration_ns);
    text_put_number(out, "load_ns", result->load_ns);
    text_put_number(out, "prepare_ns", result->prepare_ns);
    text_put_number(out, "threads", result->threads);
    text_put_number(out, "blocks", result->blocks);
    text_put_number(out, "workers", result->workers);
    text_put_number(out, "workers_least", result->workers_least);
    text_put_number(out, "gang_lanes", result->gang_lanes);
    text_put_number(out, "gang_lanes_least", result->gang_lanes_least);
    if (hx_trace_own_share() >= 0) {
        text_print_json_key(out, "tracing_share");
        text_print_f64(out, hx_trace_own_share());
    }
    text_put_number(out, "threads_per_second",
                    has_stopped(run) ? 0 : (uint64_t)per_second(result->threads, result->duration_ns));
    if (result->replay[0])
        text_put_string(out, "replay", result->replay);
    if (run->printed.length) {
        text_print_json_key(out, "printed");
        text_print_json_string(out, run->printed.at, run->printed.length);
    }
    text_put_number(out, "issues", result->counts.issues);
    text_put_number(out, "thread_instructions", result->counts.thread_instructions);
    text_put_number(out, "flops", result->counts.flops);
    put_by_space(out, "loaded_bytes", result->counts.loaded_bytes);
    put_by_space(out, "stored_bytes", result->counts.stored_bytes);
    put_fidelity(out, run);
    hot_lines_put(out, run);
}

static void put_fault(struct text *out, const hx_fault *fault)
{
    text_print_json_key(out, "fault");
    text_append(out, "{", 1);
    text_put_string(out, "kind", hx_fault_text(fault->kind));
    text_put_number(out, "instruction", fault->instruction);
    put_shape(out, "block", fault->block);
    put_shape(out, "thread", fault->thread);
    text_put_number(out, "address", fault->address);
    text_put_number(out, "bytes", fault->bytes);
    text_print_json_key(out, "store");
    text_print(out, fault->is_store ? "true" : "false");
    text_put_string(out, "nearest", fault->nearest);
    text_put_number(out, "nearest_low", fault->nearest_low);
    text_put_number(out, "nearest_bytes", fault->nearest_bytes);
    text_put_string(out, "detail", fault->detail);
    text_append(out, "}", 1);
}

/* The elements as the text form has them, one a space; JSON has no word for inf and nan, so they are strings.
 */
static hx_status put_values(const struct run *run, const char *name, uint64_t first, uint64_t count,
                            struct text *out)
{
    struct text values HX_AUTO(text_done) = {0};
    hx_status status = hx_context_print_buffer(run->context, name, first, count, text_write, &values);
    if (status != HX_OK || values.failed)
        return status == HX_OK ? HX_NO_MEMORY : status;
    text_append(out, "[", 1);
    for (size_t at = 0; at < values.length;) {
        size_t length = strcspn(values.at + at, " \n");
        if (length && out->length && out->at[out->length - 1] != '[')
            text_append(out, ",", 1);
        if (memchr(values.at + at, 'n', length))
            text_print_json_string(out, values.at + at, length);
        else
            text_append(out, values.at + at, length);
        at += length + 1;
    }
    text_append(out, "]", 1);
    return HX_OK;
}

static hx_status put_buffers(struct text *out, const struct run *run)
{
    const struct option_values *asked = &run->command->options->values[OPTION_PRINT];
    hx_status status = HX_OK;
    text_print_json_key(out, "buffers");
    text_append(out, "[", 1);
    for (size_t i = 0; run->ran && i < asked->count; i++) {
        hx_array_view view;
        uint64_t first = 0, count = 0;
        if (!find_range(run, &asked->items[i], &view, &first, &count))
            continue;
        text_print(out, out->length && out->at[out->length - 1] == '[' ? "{" : ",{");
        text_put_string(out, "name", view.name);
        text_put_string(out, "type", hx_type_name(view.type));
        text_put_number(out, "count", view.count);
        text_put_number(out, "first", first);
        text_print_json_key(out, "values");
        status = command_keep(status, put_values(run, view.name, first, count, out));
        text_append(out, "}", 1);
    }
    text_append(out, "]", 1);
    return status;
}

static hx_status put_checks(struct text *out, const struct run *run)
{
    text_print_json_key(out, "check");
    return hx_checks_export(run->checks, HX_CHECKS_JSON, text_write, out);
}

static hx_status put_profile(struct text *out, const struct run *run)
{
    const hx_profile_print_options options = {.size = sizeof options, .format = HX_PROFILE_JSON};
    text_print_json_key(out, "profile");
    return hx_profile_print(run->profile, &options, run->command->diag, text_write, out);
}

hx_status run_print_json(const struct run *run)
{
    const struct command *command = run->command;
    const hx_program *program = run->context ? hx_context_program(run->context) : NULL;
    hx_status status = HX_OK;
    struct text out HX_AUTO(text_done) = {0};
    text_append(&out, "{", 1);
    text_put_string(&out, "file", command->options->arguments[0]);
    if (program)
        text_put_string(&out, "program", hx_program_name(program));
    text_put_string(&out, "status", hx_status_name(run->status));
    text_put_number(&out, "exit_code", (uint64_t)hx_status_exit_code(run->status));
    if (run->ran)
        put_result(&out, run);
    if (run->verified) {
        text_print_json_key(&out, "verify");
        text_append(&out, "{", 1);
        text_put_number(&out, "expectations", run->expectations);
        text_print_json_key(&out, "met");
        text_print(&out, run->status == HX_OK ? "true}" : "false}");
    }
    if (run->result.fault.kind != HX_FAULT_NONE)
        put_fault(&out, &run->result.fault);
    if (run->profile && run->wants_profile)
        status = put_profile(&out, run);
    if (run->checks)
        status = command_keep(status, put_checks(&out, run));
    if (run->exploration) {
        text_print_json_key(&out, "explore");
        status = command_keep(status, hx_exploration_print(run->exploration, 1, text_write, &out));
    }
    status = command_keep(status, put_buffers(&out, run));
    text_print_json_key(&out, "diagnostics");
    text_print_json_diagnostics(&out, command->diag);
    text_append(&out, "}\n", 2);
    return command_keep(status, console_write_text(command->console, &out));
}
