/* Reports of sessions: a table by kernel, or one JSON document, of one process or of several.
 *
 * Takes records, which may be files that others wrote; leaves text. Sums of several processes are those of
 * kernels with the same names. */
#include "api/session.h"

#include "base/demangle.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/machine.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 2

struct kernel_sum {
    const char *name; /* NULL: of all */
    uint64_t started;
    struct session_sum sum;
};
struct sums {
    LIST(struct kernel_sum) kernels;
    struct kernel_sum all;
    struct session_sum directions[SESSION_DIRECTIONS];
    uint64_t program_ns;
};

static void add(struct session_sum *to, const struct session_sum *from)
{
    if (from->launches == 0)
        return;
    to->least_ns = to->launches == 0 || from->least_ns < to->least_ns ? from->least_ns : to->least_ns;
    to->most_ns = from->most_ns > to->most_ns ? from->most_ns : to->most_ns;
    to->launches += from->launches;
    to->failed += from->failed;
    to->threads += from->threads;
    to->total_ns += from->total_ns;
    to->instructions += from->instructions;
    to->flops += from->flops;
    to->loaded_bytes += from->loaded_bytes;
    to->stored_bytes += from->stored_bytes;
}

static int by_name(const void *a, const void *b)
{
    const struct kernel_sum *first = a, *second = b;
    return strcmp(first->name, second->name);
}

static int by_time(const void *a, const void *b)
{
    const struct kernel_sum *first = a, *second = b;
    if (first->sum.total_ns != second->sum.total_ns)
        return first->sum.total_ns < second->sum.total_ns ? 1 : -1;
    return strcmp(first->name, second->name);
}

/* Sorted by name: those of one name become one. */
static void merge(struct sums *sums)
{
    size_t kept = 0;
    for (size_t i = 0; i < sums->kernels.count; i++) {
        struct kernel_sum *last = kept > 0 ? &sums->kernels.items[kept - 1] : NULL;
        const struct kernel_sum *next = &sums->kernels.items[i];
        if (last && strcmp(last->name, next->name) == 0) {
            add(&last->sum, &next->sum);
            last->started += next->started;
        } else {
            sums->kernels.items[kept++] = *next;
        }
    }
    sums->kernels.count = kept;
}

static bool take(const struct session_total *total, const hx_allocator *allocator, struct sums *sums)
{
    for (size_t r = 0; r < total->record_count; r++) {
        const struct session_record *record = total->records[r];
        const uint32_t count = atomic_load(&record->row_count);
        for (uint32_t i = 0; i < count && i < SESSION_ROWS; i++) {
            const struct session_row *row = &record->rows[i];
            const struct kernel_sum one = {row->name, atomic_load(&row->started), *session_row_sum(row)};
            if (!LIST_PUSH(allocator, &sums->kernels, one))
                return false;
            add(&sums->all.sum, &one.sum);
            sums->all.started += one.started;
        }
        for (size_t i = 0; i < SESSION_DIRECTIONS; i++)
            add(&sums->directions[i], session_row_sum(&record->directions[i]));
        sums->program_ns += atomic_load(&record->end_ns) - record->start_ns;
    }
    sums->program_ns = total->program_ns ? total->program_ns : sums->program_ns;
    if (sums->kernels.count > 1) {
        qsort(sums->kernels.items, sums->kernels.count, sizeof *sums->kernels.items, by_name);
        merge(sums);
        qsort(sums->kernels.items, sums->kernels.count, sizeof *sums->kernels.items, by_time);
    }
    return true;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 24 };

/* A name that is longer than its column has a line of its own. */
static void print_name(struct text *out, const char *name)
{
    const size_t before = out->length;
    demangle(out, name);
    const size_t columns = out->length - before;
    if (columns > NAME_COLUMNS)
        text_print(out, "\n");
    text_print(out, "%*s", columns > NAME_COLUMNS ? NAME_COLUMNS : (int)(NAME_COLUMNS - columns), "");
}

static void print_row(struct text *out, const struct kernel_sum *kernel, uint64_t all_ns)
{
    const struct session_sum *sum = &kernel->sum;
    print_name(out, kernel->name ? kernel->name : "all");
    text_print(out, " %9llu %11.3f %6.1f %11.1f %14llu %12llu %12llu\n", (unsigned long long)sum->launches,
               (double)sum->total_ns * 1e-6, all_ns ? 100.0 * (double)sum->total_ns / (double)all_ns : 0.0,
               sum->launches ? (double)sum->total_ns * 1e-3 / (double)sum->launches : 0.0,
               (unsigned long long)sum->instructions, (unsigned long long)sum->loaded_bytes,
               (unsigned long long)sum->stored_bytes);
}

static void print_heading(const struct sums *sums, size_t processes, struct text *out)
{
    text_print(out, "hexec: %llu launch%s of %zu kernel%s", (unsigned long long)sums->all.sum.launches,
               sums->all.sum.launches == 1 ? "" : "es", sums->kernels.count,
               sums->kernels.count == 1 ? "" : "s");
    if (processes > 1)
        text_print(out, " in %zu processes", processes);
    text_print(out, ", %.3f ms of the %.3f ms that the program ran\n", (double)sums->all.sum.total_ns * 1e-6,
               (double)sums->program_ns * 1e-6);
    text_print(out, "%-*s %9s %11s %6s %11s %14s %12s %12s\n", NAME_COLUMNS, "kernel", "launches", "time ms",
               "%", "us/launch", "instructions", "bytes loaded", "bytes stored");
}

/* What was begun and has not ended is what the process was doing when it ended. */
static void print_failures(const struct kernel_sum *kernel, struct text *out)
{
    const uint64_t failed = kernel->sum.failed, running = kernel->started > kernel->sum.launches
                                                              ? kernel->started - kernel->sum.launches
                                                              : 0;
    if (failed) {
        text_print(out, "%llu launch%s of ", (unsigned long long)failed, failed == 1 ? "" : "es");
        demangle(out, kernel->name);
        text_print(out, " failed\n");
    }
    if (running) {
        text_print(out, "%llu launch%s of ", (unsigned long long)running, running == 1 ? "" : "es");
        demangle(out, kernel->name);
        text_print(out, " had not ended when the program did\n");
    }
}

static void print_text(const struct sums *sums, const struct session_total *total, struct text *out)
{
    print_heading(sums, total->record_count, out);
    for (size_t i = 0; i < sums->kernels.count; i++)
        print_row(out, &sums->kernels.items[i], sums->all.sum.total_ns);
    if (sums->kernels.count > 1)
        print_row(out, &sums->all, sums->all.sum.total_ns);
    for (size_t i = 0; i < sums->kernels.count; i++)
        print_failures(&sums->kernels.items[i], out);
    for (size_t i = 0; i < SESSION_DIRECTIONS; i++) {
        const struct session_sum *sum = &sums->directions[i];
        if (sum->launches)
            text_print(out, "%llu cop%s %s: %llu bytes, %.3f ms\n", (unsigned long long)sum->launches,
                       sum->launches == 1 ? "y" : "ies", session_direction(i),
                       (unsigned long long)sum->loaded_bytes, (double)sum->total_ns * 1e-6);
    }
    for (size_t i = 0; total->findings && i < total->record_count; i++)
        text_append(out, total->findings[i].at, total->findings[i].length);
    text_append(out, total->profiles.at, total->profiles.length);
}

/* ---- The document -------------------------------------------------------------------------------------- */

static void write_sum(struct json *json, const struct kernel_sum *kernel)
{
    const struct session_sum *sum = &kernel->sum;
    json_member_u64(json, "launches", sum->launches);
    json_member_u64(json, "failed", sum->failed);
    json_member_u64(json, "not_ended", kernel->started > sum->launches ? kernel->started - sum->launches : 0);
    json_member_u64(json, "threads", sum->threads);
    json_member_u64(json, "time_ns", sum->total_ns);
    json_member_u64(json, "time_least_ns", sum->least_ns);
    json_member_u64(json, "time_most_ns", sum->most_ns);
    json_member_u64(json, "thread_instructions", sum->instructions);
    json_member_u64(json, "flops", sum->flops);
    json_member_u64(json, "global_loaded_bytes", sum->loaded_bytes);
    json_member_u64(json, "global_stored_bytes", sum->stored_bytes);
}

static void write_findings(const struct session_total *total, struct json *json, struct text *out)
{
    json_member_array(json, "checks");
    bool is_first = true;
    for (size_t i = 0; i < total->record_count; i++) {
        if (total->findings[i].length == 0)
            continue;
        if (!is_first)
            text_append(out, ",", 1);
        is_first = false;
        text_append(out, total->findings[i].at, total->findings[i].length);
    }
    json_close_array(json);
}

static void print_json(const struct sums *sums, const struct session_total *total, struct text *out)
{
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "format", "hexec-app");
    json_member_u64(&json, "version", FORMAT_VERSION);
    json_member_u64(&json, "processes", total->record_count);
    json_member_u64(&json, "program_ns", sums->program_ns);
    json_member_object(&json, "all");
    write_sum(&json, &sums->all);
    json_close_object(&json);
    json_member_array(&json, "kernels");
    for (size_t i = 0; i < sums->kernels.count; i++) {
        json_open_object(&json);
        json_member_str(&json, "name", sums->kernels.items[i].name);
        write_sum(&json, &sums->kernels.items[i]);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_member_array(&json, "transfers");
    for (size_t i = 0; i < SESSION_DIRECTIONS; i++) {
        json_open_object(&json);
        json_member_str(&json, "direction", session_direction(i));
        json_member_u64(&json, "count", sums->directions[i].launches);
        json_member_u64(&json, "bytes", sums->directions[i].loaded_bytes);
        json_member_u64(&json, "time_ns", sums->directions[i].total_ns);
        json_close_object(&json);
    }
    json_close_array(&json);
    if (total->findings)
        write_findings(total, &json, out);
    if (total->has_profiles) {
        json_member_array(&json, "profiles");
        text_append(out, total->profiles.at, total->profiles.length);
        json_close_array(&json);
    }
    json_close_object(&json);
    text_append(out, "\n", 1);
}

hx_status session_print(const struct session_total *total, bool is_json, const hx_allocator *allocator,
                        struct text *out)
{
    MACHINE_FLOATS;
    struct sums sums = {0};
    const bool is_complete = take(total, allocator, &sums);
    if (is_complete)
        (is_json ? print_json : print_text)(&sums, total, out);
    LIST_DONE(allocator, &sums.kernels);
    return is_complete && !out->failed ? HX_OK : HX_NO_MEMORY;
}
