/* What hexec doctor prints: lines of at most 80 columns for people, or one JSON document with all of it. */
#include "doctor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH        79
#define LABEL_COLUMN 20
#define FROM_COLUMN  48

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* A text from `column` on, broken at the last blank or comma that fits, or anywhere between two characters;
 * a byte that cannot stand in a line is a question mark. Returns the column after it. */
static size_t print_broken(struct text *out, const char *value, size_t column, size_t indent)
{
    while (*value) {
        size_t length = 0, columns = 0, best = 0, best_columns = 0;
        while (value[length] && column + columns < WIDTH) {
            const size_t bytes = text_utf8_length(value + length, strlen(value + length), NULL);
            length += bytes ? bytes : 1;
            columns++;
            if (value[length - 1] == ' ' || value[length - 1] == ',') {
                best = length;
                best_columns = columns;
            }
        }
        if (value[length] && best) {
            length = best;
            columns = best_columns;
        }
        for (size_t i = 0; i < length; i++) {
            const size_t bytes = text_utf8_length(value + i, length - i, NULL);
            if (bytes && (unsigned char)value[i] >= ' ' && value[i] != 127) {
                text_append(out, value + i, bytes);
                i += bytes - 1;
            } else
                text_append(out, "?", 1);
        }
        value += length;
        column += columns;
        if (*value) {
            while (out->length && out->at[out->length - 1] == ' ')
                out->length--;
            text_print(out, "\n%*s", (int)indent, "");
            column = indent;
            value += *value == ' ';
        }
    }
    return column;
}

static void print_label(struct text *out, const char *label)
{
    const int blanks = LABEL_COLUMN - 2 - (int)strlen(label);
    text_print(out, "  %s%*s", label, blanks > 1 ? blanks : 1, "");
}

static void print_line(struct text *out, const char *label, const char *format, ...) HX_PRINTF(3, 4);
static void print_line(struct text *out, const char *label, const char *format, ...)
{
    struct text line HX_AUTO(text_done) = {0};
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&line, format, arguments);
    va_end(arguments);
    print_label(out, label);
    (void)print_broken(out, line.at ? line.at : "", LABEL_COLUMN, LABEL_COLUMN);
    text_append(out, "\n", 1);
    out->failed |= line.failed;
}

static void print_build(struct text *out, const struct doctor *doctor)
{
    text_print(out, "Build\n");
    print_line(out, "hexec", "%s, %s, %s", hx_version(), hx_build_type(), hx_build_compiler());
    print_line(out, "instruction set", "%s, hash %08" PRIx32 ", %zu entries", hx_isa_name(doctor->isa),
               hx_isa_hash(doctor->isa), hx_isa_opcode_count(doctor->isa));
    struct text levels HX_AUTO(text_done) = {0};
    for (size_t i = 0; hx_build_cpu_level(i); i++)
        text_print(&levels, "%s%s", i ? ", " : "", hx_build_cpu_level(i));
    print_line(out, "handlers for", "%s", levels.at ? levels.at : "");
    print_line(out, "tracing", "%s", HX_TRACING ? "compiled in" : "left out (HEXEC_TRACING=OFF)");
    for (size_t i = 0; hx_build_part_at(i); i++) {
        const hx_build_part *part = hx_build_part_at(i);
        if (part->is_built)
            print_line(out, part->name, "yes: %s", part->gives);
        else
            print_line(out, part->name, "no: %s; to have it, build with %s", part->gives, part->package);
    }
}

static void print_sinks(struct text *out, const struct doctor *doctor)
{
    text_print(out, "\nWhat runs can write\n");
    for (size_t i = 0; i < doctor->sink_count; i++)
        print_line(out, doctor->sinks[i].name, "%s%s", doctor->sinks[i].option,
                   doctor->sinks[i].is_built ? "" : " (not in this build)");
}

static void print_compilers(struct text *out, const struct doctor *doctor)
{
    const hx_compilers *found = &doctor->compilers;
    text_print(out, "\nKernels in OpenCL C and CUDA C\n");
    print_line(out, "compiler", "%s",
               *found->clang ? found->clang : "none: install clang-14, or set HEXEC_CLANG to its path");
    print_line(out, "libclc", "%s",
               *found->libclc
                   ? found->libclc
                   : "none, OpenCL C needs it: install libclc-14, or set HEXEC_LIBCLC to its folder");
}

static void print_machine(struct text *out, const struct doctor *doctor)
{
    const hx_machine *machine = &doctor->machine;
    struct text sizes HX_AUTO(text_done) = {0};
    text_print(out, "\nMachine\n");
    print_line(out, "cpu", "%s", machine->cpu);
    print_line(out, "cpu level", "%s; runs use %s", machine->cpu_level,
               doctor->cpu_level ? doctor->cpu_level : "none: see below");
    print_line(out, "cores", "%" PRIu32 " of %" PRIu32 " for this process", machine->cores,
               machine->cores_all);
    text_print_size(&sizes, machine->memory_bytes);
    text_print(&sizes, ", pages of ");
    text_print_size(&sizes, machine->page_bytes);
    print_line(out, "memory", "%s", sizes.at ? sizes.at : "");
    sizes.length = 0;
    for (int level = 0; level < 3; level++)
        if (machine->cache_bytes[level]) {
            text_print(&sizes, "%sL%d ", sizes.length ? ", " : "", level + 1);
            text_print_size(&sizes, machine->cache_bytes[level]);
        }
    print_line(out, "data caches", "%s", sizes.length ? sizes.at : "unknown");
    sizes.length = 0;
    text_print_size(&sizes, machine->huge_page_bytes);
    if (*machine->huge_pages)
        print_line(out, "huge pages", "%s, %s%s", sizes.at ? sizes.at : "", machine->huge_pages,
                   strcmp(machine->huge_pages, "never") == 0 ? ": large buffers do without"
                                                             : ": large buffers request them");
    else
        print_line(out, "huge pages", "unknown");
    out->failed |= sizes.failed;
}

static void print_clock(struct text *out, const struct doctor *doctor)
{
    const hx_machine *machine = &doctor->machine;
    text_print(out, "\nClock\n");
    if (machine->timer_is_tsc)
        print_line(out, "source", "time-stamp counter, %.3f GHz by CLOCK_MONOTONIC_RAW",
                   1 / machine->timer_ns_per_tick);
    else
        print_line(out, "source", "CLOCK_MONOTONIC; there is no invariant time-stamp counter");
    print_line(out, "a reading", "%.1f ns, taken off each duration", machine->timer_cost_ns);
    if (HX_TRACING)
        print_line(out, "a span", "%.1f ns when nobody wants it, %.0f ns when it is recorded",
                   doctor->unwanted_ns, doctor->span_ns);
    else
        print_line(out, "a span", "nothing: tracing is left out of this build");
}

/* Where a value comes from, as a phrase. */
static void print_source(struct text *out, const struct doctor_setting *setting)
{
    if (strcmp(setting->source, "default") == 0)
        text_print(out, "default");
    else if (strcmp(setting->source, "profile") == 0)
        text_print(out, "profile %s", setting->from);
    else if (strcmp(setting->source, "implied") == 0)
        text_print(out, "follows from %s", setting->from);
    else
        text_print(out, "%s%s", setting->from, strcmp(setting->source, "refused") == 0 ? ", refused" : "");
}

static void print_setting(struct text *out, const struct doctor_setting *setting)
{
    print_label(out, setting->name);
    size_t column = print_broken(out, setting->value ? setting->value : "-", LABEL_COLUMN, LABEL_COLUMN);
    struct text source HX_AUTO(text_done) = {0};
    print_source(&source, setting);
    const size_t blanks = column + 2 <= FROM_COLUMN ? FROM_COLUMN - column : 2;
    if (column + blanks + source.length <= WIDTH)
        text_print(out, "%*s", (int)blanks, "");
    else
        text_print(out, "\n%*s", FROM_COLUMN, "");
    text_append(out, source.at ? source.at : "", source.length);
    text_append(out, "\n", 1);
    out->failed |= source.failed;
}

static void print_options(struct text *out, const struct doctor *doctor)
{
    struct text unset HX_AUTO(text_done) = {0};
    size_t set = 0;
    text_print(out, "\nOptions of commands\n");
    for (size_t i = 0; i < doctor->option_count; i++) {
        const struct doctor_setting *setting = &doctor->options[i];
        if (setting->value)
            print_setting(out, setting);
        else
            text_print(&unset, "%s%s", unset.length ? ", " : "", setting->variables + strlen("HEXEC_"));
        set += setting->value != NULL;
    }
    print_line(out, set ? "not set" : "none is set", "HEXEC_ and any of %s", unset.at ? unset.at : "");
    out->failed |= unset.failed;
}

void doctor_print_text(struct text *out, const struct doctor *doctor)
{
    print_build(out, doctor);
    print_sinks(out, doctor);
    print_machine(out, doctor);
    print_compilers(out, doctor);
    print_clock(out, doctor);
    text_print(out, "\nTracing\n");
    for (size_t i = 0; i < doctor->tracing_count; i++)
        print_setting(out, &doctor->tracing[i]);
    if (!HX_TRACING)
        print_line(out, "none", "tracing is left out of this build");
    print_options(out, doctor);
    text_print(out, "\nOther variables\n");
    for (size_t i = 0; i < doctor->other_count; i++)
        print_setting(out, &doctor->others[i]);
    if (doctor->unknown_count == 0)
        return;
    text_print(out, "\nVariables that nothing reads\n");
    for (size_t i = 0; i < doctor->unknown_count; i++) {
        const struct doctor_unknown *unknown = &doctor->unknown[i];
        text_print(out, "  ");
        (void)print_broken(out, unknown->name, 2, 4);
        text_print(out, "=");
        (void)print_broken(out, unknown->value, 3 + strlen(unknown->name), 4);
        text_print(out, "\n");
        if (unknown->meant)
            text_print(out, "      help: did you mean %s?\n", unknown->meant);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Before the next element of an array. */
static void separate(struct text *out)
{
    if (out->length && out->at[out->length - 1] != '[')
        text_append(out, ",", 1);
}

static void put_text(struct text *out, const char *name, const char *value)
{
    if (value)
        text_put_string(out, name, value);
    else {
        text_print_json_key(out, name);
        text_print(out, "null");
    }
}

static void put_bool(struct text *out, const char *name, bool value)
{
    text_print_json_key(out, name);
    text_print(out, value ? "true" : "false");
}

static void open_list(struct text *out, const char *name)
{
    text_print_json_key(out, name);
    text_print(out, "[");
}

static void put_settings(struct text *out, const char *name, const struct doctor_setting *settings,
                         size_t count)
{
    open_list(out, name);
    for (size_t i = 0; i < count; i++) {
        separate(out);
        text_print(out, "{");
        text_put_string(out, "name", settings[i].name);
        put_text(out, "value", settings[i].value);
        text_put_string(out, "source", settings[i].source);
        put_text(out, "from", *settings[i].from ? settings[i].from : NULL);
        open_list(out, "variables");
        for (const char *at = settings[i].variables; *at;) {
            const size_t length = strcspn(at, " ");
            separate(out);
            text_print_json_string(out, at, length);
            at += length + (at[length] == ' ');
        }
        text_print(out, "]}");
    }
    text_print(out, "]");
}

static void put_build(struct text *out, const struct doctor *doctor)
{
    char hash[16];
    snprintf(hash, sizeof hash, "%08" PRIx32, hx_isa_hash(doctor->isa));
    text_put_string(out, "hexec", hx_version());
    text_print_json_key(out, "build");
    text_print(out, "{");
    text_put_string(out, "compiler", hx_build_compiler());
    text_put_string(out, "type", hx_build_type());
    put_bool(out, "tracing", HX_TRACING);
    open_list(out, "cpu_levels");
    for (size_t i = 0; hx_build_cpu_level(i); i++)
        text_print(out, "%s\"%s\"", i ? "," : "", hx_build_cpu_level(i));
    text_print(out, "]");
    open_list(out, "parts");
    for (size_t i = 0; hx_build_part_at(i); i++) {
        const hx_build_part *part = hx_build_part_at(i);
        separate(out);
        text_print(out, "{");
        text_put_string(out, "name", part->name);
        put_bool(out, "is_built", part->is_built);
        text_put_string(out, "gives", part->gives);
        text_put_string(out, "package", part->package);
        text_print(out, "}");
    }
    text_print(out, "]}");
    text_print_json_key(out, "isa");
    text_print(out, "{");
    text_put_string(out, "name", hx_isa_name(doctor->isa));
    text_put_string(out, "hash", hash);
    text_put_number(out, "entries", hx_isa_opcode_count(doctor->isa));
    text_print(out, "}");
    open_list(out, "sinks");
    for (size_t i = 0; i < doctor->sink_count; i++) {
        separate(out);
        text_print(out, "{");
        text_put_string(out, "name", doctor->sinks[i].name);
        text_put_string(out, "option", doctor->sinks[i].option);
        put_bool(out, "is_built", doctor->sinks[i].is_built);
        text_print(out, "}");
    }
    text_print(out, "]");
}

static void put_compilers(struct text *out, const struct doctor *doctor)
{
    const hx_compilers *found = &doctor->compilers;
    text_print_json_key(out, "compilers");
    text_print(out, "{");
    put_text(out, "clang", *found->clang ? found->clang : NULL);
    put_text(out, "libclc", *found->libclc ? found->libclc : NULL);
    text_print(out, "}");
}

static void put_machine(struct text *out, const struct doctor *doctor)
{
    const hx_machine *machine = &doctor->machine;
    text_print_json_key(out, "machine");
    text_print(out, "{");
    text_put_string(out, "cpu", machine->cpu);
    text_put_string(out, "cpu_level", machine->cpu_level);
    put_text(out, "cpu_level_used", doctor->cpu_level);
    text_put_number(out, "cores", machine->cores);
    text_put_number(out, "cores_all", machine->cores_all);
    text_put_number(out, "memory_bytes", machine->memory_bytes);
    text_put_number(out, "page_bytes", machine->page_bytes);
    open_list(out, "cache_bytes");
    for (int level = 0; level < 3; level++)
        text_print(out, "%s%" PRIu64, level ? "," : "", machine->cache_bytes[level]);
    text_print(out, "]");
    text_put_number(out, "huge_page_bytes", machine->huge_page_bytes);
    put_text(out, "huge_pages", *machine->huge_pages ? machine->huge_pages : NULL);
    text_print(out, "}");
    text_print_json_key(out, "clock");
    text_print(out, "{");
    text_put_string(out, "source", machine->timer_is_tsc ? "tsc" : "clock");
    text_put_f64(out, "ns_per_tick", machine->timer_ns_per_tick);
    text_put_f64(out, "reading_ns", machine->timer_cost_ns);
    text_put_f64(out, "unwanted_span_ns", HX_TRACING ? doctor->unwanted_ns : NAN);
    text_put_f64(out, "span_ns", HX_TRACING ? doctor->span_ns : NAN);
    text_print(out, "}");
}

void doctor_print_json(struct text *out, const struct doctor *doctor, const hx_diag *diag)
{
    text_print(out, "{");
    put_build(out, doctor);
    put_machine(out, doctor);
    put_compilers(out, doctor);
    put_settings(out, "tracing", doctor->tracing, doctor->tracing_count);
    put_settings(out, "options", doctor->options, doctor->option_count);
    put_settings(out, "others", doctor->others, doctor->other_count);
    open_list(out, "unknown_variables");
    for (size_t i = 0; i < doctor->unknown_count; i++) {
        separate(out);
        text_print(out, "{");
        text_put_string(out, "name", doctor->unknown[i].name);
        text_put_string(out, "value", doctor->unknown[i].value);
        put_text(out, "meant", doctor->unknown[i].meant);
        text_print(out, "}");
    }
    text_print(out, "]");
    text_print_json_key(out, "diagnostics");
    text_print_json_diagnostics(out, diag);
    text_print(out, "}\n");
}
