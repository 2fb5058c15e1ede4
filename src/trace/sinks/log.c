/* The log: a record as a line, pretty, compact or JSON. */
#include "trace/registry.h"

#if HX_TRACING
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const level_names[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR"};

uint64_t record_duration_ns(const struct machine_timer *timer, const struct record *record)
{
    double ns = (double)(record->end_ticks - record->start_ticks) * timer->ns_per_tick - timer->cost_ns;
    return ns > 0 ? (uint64_t)ns : 0;
}

uint64_t record_unix_ns(const struct machine_timer *timer, uint64_t ticks)
{
    return timer->start_unix_ns +
           (uint64_t)(int64_t)((double)(int64_t)(ticks - timer->start_ticks) * timer->ns_per_tick);
}

static void print_time(struct text *text, uint64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    text_print(text, "%04d-%02d-%02dT%02d:%02d:%02d.%06uZ", parts.tm_year + 1900, parts.tm_mon + 1,
               parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
               (unsigned)(unix_ns / 1000 % 1000000));
}

static bool is_redacted(const struct trace_config *config, const char *name)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, ",%s,", name);
    return config->redacted[0] && strstr(config->redacted, wanted);
}

static void print_value(const struct trace_config *config, struct text *text, const hx_field *field)
{
    if (is_redacted(config, field->name)) {
        text_print_json_string(text, config->token, strlen(config->token));
        return;
    }
    switch (field->kind) {
    case HX_FIELD_U64:
        text_print(text, "%llu", (unsigned long long)field->value.u64);
        break;
    case HX_FIELD_I64:
        text_print(text, "%lld", (long long)field->value.i64);
        break;
    case HX_FIELD_F64:
        if (isfinite(field->value.f64))
            text_print_f64(text, field->value.f64);
        else
            text_print(text, "null"); /* JSON has no other word for it */
        break;
    case HX_FIELD_BOOL:
        text_print(text, "%s", field->value.boolean ? "true" : "false");
        break;
    case HX_FIELD_STR:
        text_print_json_string(text, field->value.string, strlen(field->value.string));
        break;
    }
}

static const char *event_of(const struct record *record)
{
    return record->kind == RECORD_PERF    ? "performance_span_complete"
           : record->kind == RECORD_SPAN  ? "close"
           : record->kind == RECORD_ENTER ? "enter"
                                          : record->name;
}

static void print_json(const struct trace_config *config, const struct machine_timer *timer,
                       const struct record *record, struct text *text)
{
    text_print(text, "{\"timestamp\":\"");
    print_time(text, record_unix_ns(timer, record->end_ticks));
    text_print(text, "\",\"level\":\"%s\",\"target\":\"%s\",\"fields\":{\"event\":\"%s\"",
               level_names[record->level], record->target, event_of(record));
    if (record->kind != RECORD_EVENT)
        text_print(text, ",\"name\":\"%s\"", record->name);
    for (unsigned i = 0; i < record->field_count; i++) {
        text_print(text, ",\"%s\":", record->fields[i].name);
        print_value(config, text, &record->fields[i]);
    }
    if (record->kind == RECORD_PERF || record->kind == RECORD_SPAN) {
        uint64_t ns = record_duration_ns(timer, record);
        text_print(text, ",\"duration_us\":%llu,\"duration_ms\":%.6g,\"duration_ns\":%llu",
                   (unsigned long long)(ns / 1000), (double)ns * 1e-6, (unsigned long long)ns);
    }
    text_print(text, "}}\n");
}

static void print_fields(const struct trace_config *config, const struct record *record, struct text *text,
                         const char *first)
{
    for (unsigned i = 0; i < record->field_count; i++) {
        text_print(text, "%s%s=", i ? " " : first, record->fields[i].name);
        print_value(config, text, &record->fields[i]);
    }
}

static void print_line(const struct trace_config *config, const struct machine_timer *timer,
                       const struct record *record, struct text *text)
{
    static const char *const colors[] = {"\033[35m", "\033[34m", "\033[32m", "\033[33m", "\033[31m"};
    const char *on = config->color ? colors[record->level] : "", *off = config->color ? "\033[0m" : "";
    if (config->format == LOG_PRETTY) {
        print_time(text, record_unix_ns(timer, record->end_ticks));
        text_print(text, " ");
    }
    text_print(text, "%s%5s%s ", on, level_names[record->level], off);
    if (record->kind == RECORD_PERF) {
        text_print(text, "perf{name=\"%s\"", record->name);
        print_fields(config, record, text, " ");
        text_print(text, "}: ");
    } else if (record->kind != RECORD_EVENT) {
        text_print(text, "%s{", record->name);
        print_fields(config, record, text, "");
        text_print(text, "}: ");
    }
    text_print(text, "%s: %s", record->target, event_of(record));
    if (record->kind == RECORD_EVENT)
        print_fields(config, record, text, " ");
    if (record->kind == RECORD_PERF || record->kind == RECORD_SPAN) {
        uint64_t ns = record_duration_ns(timer, record);
        text_print(text, " duration_us=%llu duration_ms=%.3f", (unsigned long long)(ns / 1000),
                   (double)ns * 1e-6);
    }
    text_print(text, "\n");
}

void log_format_record(const struct trace_config *config, const struct machine_timer *timer,
                       const struct record *record, struct text *text)
{
    if (config->format == LOG_JSON)
        print_json(config, timer, record, text);
    else
        print_line(config, timer, record, text);
}
#endif
