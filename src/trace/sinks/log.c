/* The log: records as lines, pretty, compact or JSON, to standard error or a file.
 *
 * Lines are gathered in a text and written whole, many at a time, so that two processes that share a file mix
 * lines and not letters. A log that cannot be written is no reason to end what is being logged: the rest is
 * tried, and close tells. */
#include "trace/sinks/sinks.h"

#if HX_TRACING
#include "trace/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WRITE_AT_BYTES ((size_t)32 << 10)

extern const struct sink_class sink_log;

struct log {
    enum log_format format;
    bool color, span_events, owns_file, failed;
    int file;
    struct text text;
    int64_t second; /* the one that `clock` is of */
    char clock[sizeof "2026-01-31T12:00:00"];
};

static const char *const level_names[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR"};
static const char *const level_padded[] = {"TRACE", "DEBUG", " INFO", " WARN", "ERROR"};

/* ---- The parts of a line ------------------------------------------------------------------------------- */

static void put(struct log *log, const char *string)
{
    text_append(&log->text, string, strlen(string));
}

static void put_colored(struct log *log, const char *color, const char *string)
{
    put(log, log->color ? color : "");
    put(log, string);
    put(log, log->color ? "\033[0m" : "");
}

static void put_two(char *to, int value)
{
    to[0] = (char)('0' + value / 10);
    to[1] = (char)('0' + value % 10);
}

/* RFC 3339 with microseconds. The calendar is asked once a second. */
static void put_time(struct log *log, uint64_t unix_ns)
{
    int64_t second = (int64_t)(unix_ns / 1000000000);
    if (second != log->second || !log->clock[0]) {
        struct tm parts;
        time_t seconds = (time_t)second;
        gmtime_r(&seconds, &parts);
        memcpy(log->clock, "0000-00-00T00:00:00", sizeof log->clock);
        put_two(log->clock, (parts.tm_year + 1900) / 100 % 100);
        put_two(log->clock + 2, (parts.tm_year + 1900) % 100);
        put_two(log->clock + 5, parts.tm_mon + 1);
        put_two(log->clock + 8, parts.tm_mday);
        put_two(log->clock + 11, parts.tm_hour);
        put_two(log->clock + 14, parts.tm_min);
        put_two(log->clock + 17, parts.tm_sec);
        log->second = second;
    }
    char micros[] = ".000000Z";
    uint64_t rest = unix_ns % 1000000000 / 1000;
    for (int i = 6; i > 0; i--, rest /= 10)
        micros[i] = (char)('0' + rest % 10);
    text_append(&log->text, log->clock, sizeof log->clock - 1);
    text_append(&log->text, micros, sizeof micros - 1);
}

static void put_fields(struct log *log, const hx_trace_record *record, const char *before_first)
{
    for (size_t i = 0; i < record->field_count; i++) {
        struct json value = {.out = &log->text};
        put(log, i ? " " : before_first);
        put(log, record->fields[i].name);
        put(log, "=");
        json_field(&value, &record->fields[i]);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void print_json(struct log *log, const hx_trace_record *record, const char *event, bool with_duration)
{
    struct json json;
    json_init(&json, &log->text);
    json_open_object(&json);
    put(log, "\"timestamp\":\""); /* letter for letter what json_key and json_string would make */
    put_time(log, record->unix_ns);
    put(log, "\",\"level\":\"");
    put(log, level_names[record->level]);
    put(log, "\",\"target\":");
    json_print_string(&log->text, record->target, strlen(record->target));
    put(log, ",\"fields\":");
    json.has_key = true;
    json_open_object(&json);
    json_key(&json, "event");
    json_string(&json, event);
    if (record->kind != HX_RECORD_EVENT) {
        json_key(&json, "name");
        json_string(&json, record->name);
    }
    for (size_t i = 0; i < record->field_count; i++) {
        json_key(&json, record->fields[i].name);
        json_field(&json, &record->fields[i]);
    }
    if (with_duration) {
        json_key(&json, "duration_us");
        json_u64(&json, record->duration_ns / 1000);
        json_key(&json, "duration_ms");
        json_decimal(&json, record->duration_ns / 1000, 3);
        json_key(&json, "duration_ns");
        json_u64(&json, record->duration_ns);
    }
    json_close_object(&json);
    if (record->parent && record->kind != HX_RECORD_PERF) {
        put(log, ",\"span\":{\"name\":");
        json_print_string(&log->text, record->parent, strlen(record->parent));
        put(log, "}");
    }
    json_close_object(&json);
    put(log, "\n");
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

static const char *const level_colors[] = {"\033[35m", "\033[34m", "\033[32m", "\033[33m", "\033[31m"};

/* 2026-01-31T12:00:00.123456Z DEBUG launch{blocks=4}: hexec::exec: close duration_us=3 duration_ms=0.003 */
static void print_pretty(struct log *log, const hx_trace_record *record, const char *event,
                         bool with_duration)
{
    put(log, log->color ? "\033[2m" : "");
    put_time(log, record->unix_ns);
    put(log, log->color ? "\033[0m " : " ");
    put_colored(log, level_colors[record->level], level_padded[record->level]);
    put(log, " ");
    if (record->parent && record->kind != HX_RECORD_PERF) {
        put(log, record->parent);
        put(log, ":");
        put(log, record->kind == HX_RECORD_EVENT ? " " : "");
    }
    if (record->kind == HX_RECORD_PERF) {
        put(log, "perf{name=");
        json_print_string(&log->text, record->name, strlen(record->name));
        put_fields(log, record, " ");
        put(log, "}: ");
    } else if (record->kind != HX_RECORD_EVENT) {
        put_colored(log, "\033[1m", record->name);
        put_fields(log, record, "{");
        put(log, record->field_count ? "}: " : ": ");
    }
    put(log, record->target);
    put(log, ": ");
    put(log, event);
    if (record->kind == HX_RECORD_EVENT)
        put_fields(log, record, " ");
    if (with_duration) {
        put(log, " duration_us=");
        json_print_u64(&log->text, record->duration_ns / 1000);
        put(log, " duration_ms=");
        json_print_decimal(&log->text, record->duration_ns / 1000, 3);
    }
    put(log, "\n");
}

/* DEBUG performance: cpu_ldg bytes=4 duration_us=3.120: for people who read many lines. */
static void print_compact(struct log *log, const hx_trace_record *record, const char *event,
                          bool with_duration)
{
    static const char all[] = "hexec::";
    bool is_ours = strncmp(record->target, all, sizeof all - 1) == 0;
    put_colored(log, level_colors[record->level], level_padded[record->level]);
    put(log, " ");
    put(log, record->target + (is_ours ? sizeof all - 1 : 0));
    put(log, ": ");
    put_colored(log, "\033[1m", record->name);
    if (record->kind == HX_RECORD_ENTER || record->kind == HX_RECORD_SPAN) {
        put(log, " ");
        put(log, event);
    }
    put_fields(log, record, " ");
    if (with_duration) {
        put(log, " duration_us=");
        json_print_decimal(&log->text, record->duration_ns, 3);
    }
    put(log, "\n");
}

/* ---- The sink ------------------------------------------------------------------------------------------ */

static void print_line(struct log *log, const hx_trace_record *record, const char *event, bool with_duration)
{
    static void (*const printers[])(struct log *, const hx_trace_record *, const char *, bool) = {
        [LOG_PRETTY] = print_pretty, [LOG_COMPACT] = print_compact, [LOG_JSON] = print_json};
    printers[log->format](log, record, event, with_duration);
}

static void print_record(struct log *log, const hx_trace_record *record)
{
    switch (record->kind) {
    case HX_RECORD_EVENT:
        print_line(log, record, record->name, false);
        break;
    case HX_RECORD_PERF:
        print_line(log, record, "performance_span_complete", true);
        break;
    case HX_RECORD_ENTER:
        print_line(log, record, "enter", false);
        break;
    case HX_RECORD_SPAN:
        if (log->span_events)
            print_line(log, record, "exit", false);
        print_line(log, record, "close", true);
        break;
    case HX_RECORD_COUNTER: /* for files alone */
        break;
    }
}

/* A terminal or pipe may be set not to block by another process that has it open: then it is waited for. */
static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        struct pollfd ready = {.fd = file, .events = POLLOUT};
        if (written < 0 && errno == EAGAIN)
            (void)poll(&ready, 1, 1000);
        else if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static void log_flush(struct sink *sink)
{
    struct log *log = sink->state;
    if (log->text.failed || !write_all(log->file, log->text.at, log->text.length))
        log->failed = true;
    log->text.length = 0;
    log->text.failed = false;
}

static void log_records(struct sink *sink, const hx_trace_record *records, size_t count)
{
    struct log *log = sink->state;
    for (size_t i = 0; i < count; i++) {
        print_record(log, &records[i]);
        if (log->text.length >= WRITE_AT_BYTES || log->text.failed)
            log_flush(sink);
    }
}

static hx_status log_close(struct sink *sink, hx_diag *diag)
{
    (void)diag; /* whoever reads the log reads the diagnostics */
    struct log *log = sink->state;
    log_flush(sink);
    if (log->owns_file && close(log->file) != 0)
        log->failed = true;
    hx_status status = log->failed ? HX_IO : HX_OK;
    text_done(&log->text);
    memory_free(NULL, log);
    return status;
}

static hx_status log_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    const struct trace_config *config = request->config;
    struct log *log = memory_allocate(NULL, 1, sizeof *log);
    if (!log)
        return diag_no_memory(diag);
    *log = (struct log){.format = config->format,
                        .color = config->color,
                        .span_events = config->span_events,
                        .owns_file = config->log_file != NULL,
                        .file = STDERR_FILENO};
    sink->state = log;
    if (!log->owns_file)
        return HX_OK;
    log->file = open(config->log_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log->file >= 0)
        return HX_OK;
    char reason[128];
    (void)diag_report(diag, DIAG_TRACE_FILE, (struct place){0}, NULL, "cannot write the log '%s': %s",
                      config->log_file, strerror_r(errno, reason, sizeof reason));
    memory_free(NULL, log);
    return HX_IO;
}

const struct sink_class sink_log = {"log", WANTED_LOG, log_open, log_records, log_flush, log_close};
#endif
