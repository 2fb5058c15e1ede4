/* The log: records as lines, pretty, compact or JSON, to standard error or a file.
 *
 * Lines are gathered in a text and written whole, many at a time, so that two processes that share a file mix
 * lines and not letters. There are millions of JSON lines: what its lines have in common is made
 * once and copied. A log that cannot be written is no reason to end what is being logged: the first
 * failure is reported at once, the rest is tried, and close says how many lines were lost. */
#include "trace/files/sinks.h"

#if HX_TRACING
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITE_AT_BYTES ((size_t)64 << 10)
#define CACHED         64  /* beginnings of lines, and names of fields; a power of two */
#define HEAD_BYTES     232 /* longer ones are made each time */
#define KEY_BYTES      48

extern const struct sink_class sink_log;

/* What JSON lines have in common, ready to be copied. Found by the addresses of names, which do not move. */
struct head {
    const char *target, *name, *event;
    uint8_t kind, level;
    uint16_t length;
    char text[HEAD_BYTES]; /* from the level on, up to the fields */
};
struct key {
    const char *name;
    size_t length;
    char text[KEY_BYTES]; /* ,"name": */
};

struct log {
    enum log_format format;
    const struct trace_config *config;
    bool color, span_events, owns_file;
    bool is_cut; /* what was written ends within a line */
    int file;
    int error;        /* errno of the first failure */
    uint64_t lost;    /* lines */
    uint64_t waiting; /* lines in text */
    struct text text;
    int64_t second; /* the one that `clock` is of */
    char clock[sizeof "2026-01-31T12:00:00"];
    struct head heads[CACHED];
    struct key keys[CACHED];
    struct text scratch;
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

/* RFC 3339 with microseconds. The date is computed once a second. */
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
    char micros[JSON_DIGITS_MAX + 2] = ".";
    char *end = json_put_u64(micros + 1, unix_ns % 1000000000 / 1000, 6);
    *end++ = 'Z';
    text_append(&log->text, log->clock, sizeof log->clock - 1);
    text_append(&log->text, micros, (size_t)(end - micros));
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

/* Letter for letter what json_key and json_str would make; so in all of these. */
static void put_key(struct text *text, const char *name)
{
    text_append(text, ",", 1);
    json_print_string(text, name, strlen(name));
    text_append(text, ":", 1);
}

static size_t slot_of(const char *first, const char *second, const char *third)
{
    const uintptr_t mixed = (uintptr_t)first + 3 * (uintptr_t)second + 5 * (uintptr_t)third;
    return (mixed ^ mixed >> 6 ^ mixed >> 12) & (CACHED - 1);
}

static void put_known_key(struct log *log, const char *name)
{
    struct key *key = &log->keys[slot_of(name, NULL, NULL)];
    if (key->name != name) {
        log->scratch.length = 0;
        put_key(&log->scratch, name);
        if (log->scratch.failed || log->scratch.length > KEY_BYTES) {
            put_key(&log->text, name);
            return;
        }
        key->name = name;
        key->length = log->scratch.length;
        memcpy(key->text, log->scratch.at, key->length);
    }
    text_append(&log->text, key->text, key->length);
}

static void put_head(struct text *text, const hx_trace_record *record, const char *event)
{
    static const char level[] = "\",\"level\":\"",
                      target[] = "\",\"target\":", fields[] = ",\"fields\":{\"event\":";
    const char *level_name = level_names[record->level];
    text_append(text, level, sizeof level - 1);
    text_append(text, level_name, strlen(level_name));
    text_append(text, target, sizeof target - 1);
    json_print_string(text, record->target, strlen(record->target));
    text_append(text, fields, sizeof fields - 1);
    json_print_string(text, event, strlen(event));
    if (record->kind == HX_RECORD_EVENT)
        return;
    put_key(text, "name");
    json_print_string(text, record->name, strlen(record->name));
}

static void put_known_head(struct log *log, const hx_trace_record *record, const char *event)
{
    struct head *head = &log->heads[slot_of(record->name, record->target, event)];
    if (head->name != record->name || head->target != record->target || head->event != event ||
        head->kind != record->kind || head->level != record->level) {
        log->scratch.length = 0;
        put_head(&log->scratch, record, event);
        if (log->scratch.failed || log->scratch.length > HEAD_BYTES) {
            put_head(&log->text, record, event);
            return;
        }
        *head = (struct head){.target = record->target,
                              .name = record->name,
                              .event = event,
                              .kind = (uint8_t)record->kind,
                              .level = (uint8_t)record->level,
                              .length = (uint16_t)log->scratch.length};
        memcpy(head->text, log->scratch.at, head->length);
    }
    text_append(&log->text, head->text, head->length);
}

static char *put_bytes(char *to, const char *bytes, size_t length)
{
    memcpy(to, bytes, length);
    return to + length;
}

static void put_duration(struct log *log, uint64_t ns)
{
    static const char us[] = ",\"duration_us\":", ms[] = ",\"duration_ms\":", exact[] = ",\"duration_ns\":";
    char text[sizeof us + sizeof ms + sizeof exact + 4 * JSON_DIGITS_MAX];
    char *at = put_bytes(text, us, sizeof us - 1);
    at = json_put_u64(at, ns / 1000, 1);
    at = put_bytes(at, ms, sizeof ms - 1);
    at = json_put_u64(at, ns / 1000000, 1);
    *at++ = '.';
    at = json_put_u64(at, ns / 1000 % 1000, 3);
    at = put_bytes(at, exact, sizeof exact - 1);
    at = json_put_u64(at, ns, 1);
    text_append(&log->text, text, (size_t)(at - text));
}

static void print_json(struct log *log, const hx_trace_record *record, const char *event, bool with_duration)
{
    static const char begin[] = "{\"timestamp\":\"", around[] = ",\"span\":{\"name\":";
    struct text *text = &log->text;
    text_append(text, begin, sizeof begin - 1);
    put_time(log, record->unix_ns);
    put_known_head(log, record, event);
    for (size_t i = 0; i < record->field_count; i++) {
        struct json value = {.out = text};
        put_known_key(log, record->fields[i].name);
        json_field(&value, &record->fields[i]);
    }
    if (with_duration)
        put_duration(log, record->duration_ns);
    text_append(text, "}", 1);
    if (record->parent && record->kind != HX_RECORD_PERF) {
        text_append(text, around, sizeof around - 1);
        json_print_string(text, record->parent, strlen(record->parent));
        text_append(text, "}", 1);
    }
    text_append(text, "}\n", 2);
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
    log->waiting++;
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
static size_t write_all(int file, const char *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(file, bytes + done, length - done);
        struct pollfd ready = {.fd = file, .events = POLLOUT};
        if (written < 0 && errno == EAGAIN)
            (void)poll(&ready, 1, 1000);
        else if (written < 0 && errno != EINTR)
            break;
        done += written > 0 ? (size_t)written : 0;
    }
    return done;
}

static const char *log_name(const struct log *log)
{
    return log->config->log_file ? log->config->log_file : "standard error";
}

/* Of the lines that were to be written, `written` are there. */
static void note_loss(struct log *log, uint64_t written, int error)
{
    char reason[128], message[PATH_MAX + 200];
    log->lost += log->waiting - written;
    if (log->error)
        return;
    log->error = error;
    snprintf(message, sizeof message, "cannot write the log '%s': %s; lines of it are lost", log_name(log),
             strerror_r(error, reason, sizeof reason));
    if (log->config->log_failed)
        log->config->log_failed(log->config->log_user, message);
}

static uint64_t lines_in(const char *bytes, size_t length)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

static void log_flush(struct sink *sink)
{
    struct log *log = sink->state;
    if (log->text.failed) {
        note_loss(log, 0, ENOMEM);
    } else if (log->text.length > 0) {
        /* the rest of a line that was cut off must not stand in front of a whole one */
        if (log->is_cut)
            log->is_cut = write_all(log->file, "\n", 1) == 0;
        const size_t written = log->is_cut ? 0 : write_all(log->file, log->text.at, log->text.length);
        if (written < log->text.length)
            note_loss(log, lines_in(log->text.at, written), errno);
        log->is_cut |= written > 0 && log->text.at[written - 1] != '\n';
    }
    log->text.length = log->waiting = 0;
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
    char reason[128];
    struct log *log = sink->state;
    log_flush(sink);
    if (log->owns_file && close(log->file) != 0 && !log->error)
        log->error = errno;
    const hx_status status = log->error ? HX_IO : HX_OK;
    if (log->error)
        diag_report(diag, DIAG_TRACE_LOST, (struct place){0}, NULL, "the log '%s' lacks %llu line%s: %s",
                    log_name(log), (unsigned long long)log->lost, log->lost == 1 ? "" : "s",
                    strerror_r(log->error, reason, sizeof reason));
    text_done(&log->text);
    text_done(&log->scratch);
    memory_free(NULL, log);
    return status;
}

static hx_status open_log_file(struct log *log, hx_diag *diag)
{
    const char *path = log->config->log_file;
    const struct file_wait *wait = &log->config->wait;
    struct stat about;
    char reason[128];
    int error = 0;
    hx_status status = HX_OK;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode)) {
        status = file_open_pipe(path, wait, &log->file, &error);
    } else {
        log->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        error = errno;
        status = log->file < 0 ? HX_IO : HX_OK;
    }
    if (status == HX_IO)
        (void)diag_report(diag, DIAG_TRACE_FILE, (struct place){0}, NULL, "cannot write the log '%s': %s",
                          path, strerror_r(error, reason, sizeof reason));
    return file_wait_report(status, wait, "write", path, (struct place){0}, diag);
}

static hx_status log_open(struct sink *sink, const struct sink_request *request, hx_diag *diag)
{
    const struct trace_config *config = request->config;
    struct log *log = memory_allocate(NULL, 1, sizeof *log);
    if (!log)
        return diag_no_memory(diag);
    *log = (struct log){.format = config->format,
                        .config = config,
                        .color = config->color,
                        .span_events = config->span_events,
                        .owns_file = config->log_file != NULL,
                        .file = STDERR_FILENO};
    sink->state = log;
    if (!log->owns_file)
        return HX_OK;
    const hx_status status = open_log_file(log, diag);
    if (status != HX_OK)
        memory_free(NULL, log);
    return status;
}

const struct sink_class sink_log = {"log", WANTED_LOG, log_open, log_records, log_flush, log_close};
#endif
