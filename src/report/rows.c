/* Printing a profile: the request checked, rows put in order, CSV; text.c and document.c have the other
 * formats.
 */
#include "report/report.h"

#include "base/json.h"
#include "base/machine.h"
#include "profile/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct print_row *one = a, *other = b;
    if (one->key != other->key)
        return one->key > other->key ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static size_t count_rows(const hx_profile *profile, hx_profile_scope scope, size_t kernel)
{
    const hx_profile_kernel *view = scope == HX_SCOPE_LAUNCH ? NULL : &profile->kernels[kernel].view;
    switch (scope) {
    case HX_SCOPE_OPCODE:
        return view->opcodes;
    case HX_SCOPE_LINE:
        return view->lines;
    case HX_SCOPE_INSTRUCTION:
        return view->instructions;
    case HX_SCOPE_LAUNCH:
        return profile->launches.count;
    default:
        return 1;
    }
}

static struct print_row make_row(const hx_profile *profile, hx_profile_scope scope, size_t kernel,
                                 size_t index, struct arena *arena)
{
    const struct profile_kernel *of = scope == HX_SCOPE_LAUNCH ? NULL : &profile->kernels[kernel];
    switch (scope) {
    case HX_SCOPE_OPCODE:
        return (struct print_row){.label = of->opcodes[index].form, .measure = &of->opcode_measures[index]};
    case HX_SCOPE_LINE:
        return (struct print_row){
            .label = arena_format(arena, "%4u %s", of->lines[index].line,
                                  of->lines[index].form + strspn(of->lines[index].form, " \t")),
            .measure = &of->line_measures[index]};
    case HX_SCOPE_INSTRUCTION:
        return (struct print_row){.label =
                                      arena_format(arena, "%4zu %s", index, of->instructions[index].text),
                                  .measure = &of->instruction_measures[index]};
    case HX_SCOPE_LAUNCH: {
        const struct profile_launch *launch = &profile->launches.items[index];
        const uint32_t *grid = launch->view.grid;
        return (struct print_row){.label = arena_format(arena, "%zu %s %u,%u,%u", index + 1,
                                                        profile->kernels[launch->view.kernel].view.name,
                                                        grid[0], grid[1], grid[2]),
                                  .measure = &launch->whole};
    }
    default:
        return (struct print_row){.label = of->view.name, .measure = &of->whole};
    }
}

hx_status report_rows_make(const hx_profile *profile, const struct print_request *request,
                           hx_profile_scope scope, size_t kernel, struct print_rows *ret_rows)
{
    const size_t count = count_rows(profile, scope, kernel);
    const hx_metric *sort = hx_metric_at(request->sort);
    arena_init(&ret_rows->arena, profile->arena.allocator);
    ret_rows->items = ARENA_ARRAY(&ret_rows->arena, struct print_row, count);
    if (!ret_rows->items)
        return HX_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        struct print_row row = make_row(profile, scope, kernel, i, &ret_rows->arena);
        row.index = i;
        if (sort && (sort->scopes & (uint32_t)scope)) {
            const hx_metric_value value = metrics_value(request->sort, row.measure);
            row.key = value.why ? -INFINITY : value.value;
        }
        if (!row.label)
            return HX_NO_MEMORY;
        ret_rows->items[i] = row;
    }
    ret_rows->count = count;
    qsort(ret_rows->items, count, sizeof *ret_rows->items, by_key);
    return HX_OK;
}

void report_rows_done(struct print_rows *rows)
{
    arena_done(&rows->arena);
}

static void put_text(struct text *out, const char *value)
{
    if (!value[strcspn(value, ",\"\r\n")]) {
        text_append(out, value, strlen(value));
        return;
    }
    text_append(out, "\"", 1);
    for (; *value; value++) {
        text_append(out, value, 1);
        if (*value == '"')
            text_append(out, value, 1);
    }
    text_append(out, "\"", 1);
}

static void put_number(struct text *out, const hx_metric_value *value, double number)
{
    text_append(out, ",", 1);
    if (!value->why)
        text_print_f64(out, number);
}

static void put_header(struct text *out, hx_profile_scope scope)
{
    const hx_metric *metric;
    text_print(out, "kernel,");
    switch (scope) {
    case HX_SCOPE_OPCODE:
        text_print(out, "form");
        break;
    case HX_SCOPE_LINE:
        text_print(out, "line,source");
        break;
    case HX_SCOPE_INSTRUCTION:
        text_print(out, "pc,line,form,text");
        break;
    case HX_SCOPE_LAUNCH:
        text_print(out, "launch,grid_x,grid_y,grid_z,block_x,block_y,block_z");
        break;
    default:
        text_print(out, "launches");
    }
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        if (!(metric->scopes & (uint32_t)scope))
            continue;
        text_print(out, ",%s", metric->name);
        if (metric->kind == HX_METRIC_MEASURED)
            text_print(out, ",%s_low,%s_high", metric->name, metric->name);
    }
    text_append(out, "\r\n", 2);
}

static void put_names(struct text *out, const hx_profile *profile, hx_profile_scope scope, size_t kernel,
                      size_t index)
{
    const struct profile_kernel *of = &profile->kernels[kernel];
    if (scope == HX_SCOPE_LAUNCH) {
        const hx_profile_launch *launch = &profile->launches.items[index].view;
        put_text(out, profile->kernels[launch->kernel].view.name);
        text_print(out, ",%zu,%u,%u,%u,%u,%u,%u", index, launch->grid[0], launch->grid[1], launch->grid[2],
                   launch->block[0], launch->block[1], launch->block[2]);
        return;
    }
    put_text(out, of->view.name);
    text_append(out, ",", 1);
    switch (scope) {
    case HX_SCOPE_OPCODE:
        put_text(out, of->opcodes[index].form);
        break;
    case HX_SCOPE_LINE:
        text_print(out, "%u,", of->lines[index].line);
        put_text(out, of->lines[index].form);
        break;
    case HX_SCOPE_INSTRUCTION:
        text_print(out, "%zu,%u,%s,", index, of->instructions[index].line, of->instructions[index].form);
        put_text(out, of->instructions[index].text);
        break;
    default:
        text_print(out, "%llu", (unsigned long long)of->view.launches);
    }
}

static void put_values(struct text *out, hx_profile_scope scope, const struct measure *measure)
{
    const hx_metric *metric;
    for (size_t m = 0; (metric = hx_metric_at(m)); m++) {
        if (!(metric->scopes & (uint32_t)scope))
            continue;
        const hx_metric_value value = metrics_value(m, measure);
        put_number(out, &value, value.value);
        if (metric->kind == HX_METRIC_MEASURED) {
            put_number(out, &value, value.low);
            put_number(out, &value, value.high);
        }
    }
    text_append(out, "\r\n", 2);
}

hx_status report_csv(const hx_profile *profile, const struct print_request *request, struct text *out)
{
    const hx_profile_scope scope = request->scope ? (hx_profile_scope)request->scope : HX_SCOPE_OPCODE;
    const size_t kernels = scope == HX_SCOPE_LAUNCH ? 1 : profile->kernel_count;
    put_header(out, scope);
    for (size_t k = 0; k < kernels; k++) {
        HX_AUTO(report_rows_done) struct print_rows rows = {0};
        const hx_status status = report_rows_make(profile, request, scope, k, &rows);
        if (status != HX_OK)
            return status;
        for (size_t r = 0; r < rows.count && (request->top == 0 || r < request->top); r++) {
            put_names(out, profile, scope, k, rows.items[r].index);
            put_values(out, scope, rows.items[r].measure);
        }
    }
    return out->failed ? HX_NO_MEMORY : HX_OK;
}

static hx_status read_request(const hx_profile_print_options *asked, hx_diag *diag,
                              struct print_request *ret_request)
{
    *ret_request = (struct print_request){
        .scope = asked->scope, .top = asked->top, .color = asked->color, .sort = HX_PROFILE_NONE};
    if (asked->sort && strcmp(asked->sort, "source") == 0)
        return HX_OK;
    return metrics_find(asked->sort ? asked->sort : "time_ns", diag, &ret_request->sort);
}

hx_status hx_profile_print(const hx_profile *profile, const hx_profile_print_options *options, hx_diag *diag,
                           hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, profile);
    DIAG_REQUIRE(diag, write);
    diag_step(diag, "while writing the profile of", profile->program, 0, (struct place){0});
    hx_profile_print_options asked = {0};
    struct print_request request;
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    hx_status status = read_request(&asked, diag, &request);
    if (status != HX_OK)
        return status;
    if (asked.format == HX_PROFILE_JSON)
        status = report_json(profile, write, user);
    if (asked.format == HX_PROFILE_JSON)
        return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
    HX_AUTO(text_done) struct text out = {.allocator = profile->arena.allocator};
    status = asked.format == HX_PROFILE_CSV    ? report_csv(profile, &request, &out)
             : asked.format == HX_PROFILE_LCOV ? report_lcov(profile, &out)
                                               : report_text(profile, &request, &out);
    if (status == HX_NO_MEMORY)
        return diag_no_memory(diag);
    return status == HX_OK && out.length > 0 ? write(user, out.at, out.length) : status;
}
