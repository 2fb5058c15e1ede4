/* Sessions: what a driver takes from its environment, and its report of a process.
 *
 * Takes launches and copies as they end, leaves sums by kernel. Counts are exact; times are those of the
 * launches, as hx_launch measures them. */
#include "hexec/session.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

/* The launches of one kernel. */
struct sum {
    char *name;
    uint64_t launches, failed, threads, total_ns, least_ns, most_ns;
    hx_counts counts;
};

/* The copies of one direction. */
struct transfers {
    const char *direction;
    uint64_t count, bytes, total_ns;
};

struct hx_session {
    const hx_allocator *allocator;
    uint32_t workers;
    uint64_t seed, timeout_ns;
    bool has_report, is_json;
    char *output; /* NULL: the caller's */
    uint64_t start_ns;
    pthread_mutex_t lock;
    LIST(struct sum) kernels; /* guarded, as all below, by lock */
    struct sum all;
    struct transfers transfers[3];
};

/* ---- The environment ----------------------------------------------------------------------------------- */

static void warn(hx_diag *diag, const char *variable, const char *value, const char *wanted)
{
    diag_report(diag, DIAG_SESSION_VARIABLE, (struct place){0}, wanted, "%s is '%s', which counts as not set",
                variable, value);
}

static uint64_t read_number(const char *variable, uint64_t most, hx_diag *diag)
{
    const char *text = getenv(variable);
    uint64_t number = 0;
    if (!text || !*text)
        return 0;
    if (number_parse_u64(slice_of(text), &number) == NUMBER_OK && number <= most)
        return number;
    warn(diag, variable, text, "a number");
    return 0;
}

static uint64_t read_seconds(const char *variable, hx_diag *diag)
{
    const char *text = getenv(variable);
    double seconds = 0;
    if (!text || !*text)
        return 0;
    if (number_parse_f64(slice_of(text), &seconds) == NUMBER_OK && seconds > 0 && seconds <= 1e9)
        return (uint64_t)(seconds * 1e9);
    warn(diag, variable, text, "a number of seconds");
    return 0;
}

static void read_report(hx_session *session, hx_diag *diag)
{
    const char *report = getenv("HEXEC_APP_REPORT");
    if (!report || !*report)
        return;
    session->is_json = strcmp(report, "json") == 0;
    session->has_report = session->is_json || strcmp(report, "text") == 0;
    if (!session->has_report)
        warn(diag, "HEXEC_APP_REPORT", report, "text or json");
}

static char *copy(const hx_allocator *allocator, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *made = memory_allocate(allocator, bytes, 1);
    if (made)
        memcpy(made, text, bytes);
    return made;
}

hx_status hx_session_new(const hx_allocator *allocator, hx_diag *diag, hx_session **ret_session)
{
    DIAG_REQUIRE(diag, ret_session);
    const char *output = getenv("HEXEC_APP_OUTPUT");
    hx_session *session = memory_allocate(allocator, 1, sizeof *session);
    if (!session)
        return diag_no_memory(diag);
    *session = (hx_session){.allocator = allocator,
                            .workers = (uint32_t)read_number("HEXEC_WORKERS", 1024, diag),
                            .seed = read_number("HEXEC_SEED", UINT64_MAX, diag),
                            .timeout_ns = read_seconds("HEXEC_TIMEOUT", diag),
                            .start_ns = machine_now_ns(),
                            .transfers = {{.direction = "H2D"}, {.direction = "D2H"}, {.direction = "D2D"}}};
    pthread_mutex_init(&session->lock, NULL);
    read_report(session, diag);
    session->output = output && *output ? copy(allocator, output) : NULL;
    if (output && *output && !session->output) {
        hx_session_free(session);
        return diag_no_memory(diag);
    }
    *ret_session = session;
    return HX_OK;
}

void hx_session_free(hx_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->kernels.count; i++)
        memory_free(session->allocator, session->kernels.items[i].name);
    LIST_DONE(session->allocator, &session->kernels);
    memory_free(session->allocator, session->output);
    pthread_mutex_destroy(&session->lock);
    memory_free(session->allocator, session);
}

void hx_session_prepare(const hx_session *session, hx_launch_options *options)
{
    if (!session || !options)
        return;
    options->workers = session->workers ? session->workers : options->workers;
    options->seed = session->seed ? session->seed : options->seed;
    options->timeout_ns = session->timeout_ns ? session->timeout_ns : options->timeout_ns;
    options->counts |= session->has_report;
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

static void add(struct sum *sum, hx_status status, const hx_launch_result *result)
{
    const uint64_t ns = result->duration_ns;
    sum->least_ns = sum->launches == 0 || ns < sum->least_ns ? ns : sum->least_ns;
    sum->most_ns = ns > sum->most_ns ? ns : sum->most_ns;
    sum->launches++;
    sum->failed += status != HX_OK;
    sum->threads += result->threads;
    sum->total_ns += ns;
    sum->counts.thread_instructions += result->counts.thread_instructions;
    sum->counts.flops += result->counts.flops;
    for (size_t i = 0; i < HX_COUNT_OF(sum->counts.loaded_bytes); i++) {
        sum->counts.loaded_bytes[i] += result->counts.loaded_bytes[i];
        sum->counts.stored_bytes[i] += result->counts.stored_bytes[i];
    }
}

/* With the session locked: the kernel's sum, made if need be; NULL without memory. */
static struct sum *sum_of(hx_session *session, const char *kernel)
{
    for (size_t i = 0; i < session->kernels.count; i++)
        if (strcmp(session->kernels.items[i].name, kernel) == 0)
            return &session->kernels.items[i];
    char *name = copy(session->allocator, kernel);
    if (name && LIST_PUSH(session->allocator, &session->kernels, (struct sum){.name = name}))
        return &session->kernels.items[session->kernels.count - 1];
    memory_free(session->allocator, name);
    return NULL;
}

hx_status hx_session_launched(hx_session *session, const char *kernel, hx_status status,
                              const hx_launch_result *result)
{
    DIAG_REQUIRE(NULL, session);
    DIAG_REQUIRE(NULL, kernel);
    DIAG_REQUIRE(NULL, result);
    pthread_mutex_lock(&session->lock);
    struct sum *sum = sum_of(session, kernel);
    add(&session->all, status, result);
    if (sum)
        add(sum, status, result);
    pthread_mutex_unlock(&session->lock);
    return sum ? HX_OK : HX_NO_MEMORY;
}

void hx_session_transferred(hx_session *session, const char *direction, uint64_t bytes, uint64_t duration_ns)
{
    if (!session || !direction)
        return;
    pthread_mutex_lock(&session->lock);
    for (size_t i = 0; i < HX_COUNT_OF(session->transfers); i++)
        if (strcmp(session->transfers[i].direction, direction) == 0) {
            session->transfers[i].count++;
            session->transfers[i].bytes += bytes;
            session->transfers[i].total_ns += duration_ns;
        }
    pthread_mutex_unlock(&session->lock);
}

int hx_session_has_report(const hx_session *session)
{
    return session && session->has_report;
}

/* ---- The report ---------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct sum *first = a, *second = b;
    if (first->total_ns != second->total_ns)
        return first->total_ns < second->total_ns ? 1 : -1;
    return strcmp(first->name, second->name);
}

static void print_row(struct text *out, const struct sum *sum, uint64_t all_ns)
{
    text_print(out, "%-24s %9llu %11.3f %6.1f %11.1f %14llu %12llu %12llu\n", sum->name ? sum->name : "all",
               (unsigned long long)sum->launches, (double)sum->total_ns * 1e-6,
               all_ns ? 100.0 * (double)sum->total_ns / (double)all_ns : 0.0,
               sum->launches ? (double)sum->total_ns * 1e-3 / (double)sum->launches : 0.0,
               (unsigned long long)sum->counts.thread_instructions,
               (unsigned long long)sum->counts.loaded_bytes[1],
               (unsigned long long)sum->counts.stored_bytes[1]);
}

static void print_text(const hx_session *session, struct text *out)
{
    text_print(out, "hexec: %llu launch%s of %zu kernel%s, %.3f ms of the %.3f ms that the program ran\n",
               (unsigned long long)session->all.launches, session->all.launches == 1 ? "" : "es",
               session->kernels.count, session->kernels.count == 1 ? "" : "s",
               (double)session->all.total_ns * 1e-6, (double)(machine_now_ns() - session->start_ns) * 1e-6);
    text_print(out, "%-24s %9s %11s %6s %11s %14s %12s %12s\n", "kernel", "launches", "time ms", "%",
               "us/launch", "instructions", "bytes loaded", "bytes stored");
    for (size_t i = 0; i < session->kernels.count; i++)
        print_row(out, &session->kernels.items[i], session->all.total_ns);
    if (session->kernels.count > 1)
        print_row(out, &session->all, session->all.total_ns);
    for (size_t i = 0; i < session->kernels.count; i++)
        if (session->kernels.items[i].failed)
            text_print(out, "%llu launch%s of %s failed\n",
                       (unsigned long long)session->kernels.items[i].failed,
                       session->kernels.items[i].failed == 1 ? "" : "es", session->kernels.items[i].name);
    for (size_t i = 0; i < HX_COUNT_OF(session->transfers); i++) {
        const struct transfers *transfers = &session->transfers[i];
        if (transfers->count)
            text_print(out, "%llu cop%s %s: %llu bytes, %.3f ms\n", (unsigned long long)transfers->count,
                       transfers->count == 1 ? "y" : "ies", transfers->direction,
                       (unsigned long long)transfers->bytes, (double)transfers->total_ns * 1e-6);
    }
}

static void write_sum(struct json *json, const struct sum *sum)
{
    json_member_u64(json, "launches", sum->launches);
    json_member_u64(json, "failed", sum->failed);
    json_member_u64(json, "threads", sum->threads);
    json_member_u64(json, "time_ns", sum->total_ns);
    json_member_u64(json, "time_least_ns", sum->least_ns);
    json_member_u64(json, "time_most_ns", sum->most_ns);
    json_member_u64(json, "thread_instructions", sum->counts.thread_instructions);
    json_member_u64(json, "flops", sum->counts.flops);
    json_member_u64(json, "global_loaded_bytes", sum->counts.loaded_bytes[1]);
    json_member_u64(json, "global_stored_bytes", sum->counts.stored_bytes[1]);
}

static void print_json(const hx_session *session, struct text *out)
{
    struct json json;
    json_init(&json, out);
    json_open_object(&json);
    json_member_str(&json, "format", "hexec-app");
    json_member_u64(&json, "version", VERSION);
    json_member_u64(&json, "program_ns", machine_now_ns() - session->start_ns);
    json_member_object(&json, "all");
    write_sum(&json, &session->all);
    json_close_object(&json);
    json_member_array(&json, "kernels");
    for (size_t i = 0; i < session->kernels.count; i++) {
        json_open_object(&json);
        json_member_str(&json, "name", session->kernels.items[i].name);
        write_sum(&json, &session->kernels.items[i]);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_member_array(&json, "transfers");
    for (size_t i = 0; i < HX_COUNT_OF(session->transfers); i++) {
        json_open_object(&json);
        json_member_str(&json, "direction", session->transfers[i].direction);
        json_member_u64(&json, "count", session->transfers[i].count);
        json_member_u64(&json, "bytes", session->transfers[i].bytes);
        json_member_u64(&json, "time_ns", session->transfers[i].total_ns);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
    text_append(out, "\n", 1);
}

hx_status hx_session_report(hx_session *session, hx_diag *diag, hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, session);
    DIAG_REQUIRE(diag, write);
    if (!session->has_report)
        return HX_OK;
    struct text out HX_AUTO(text_done) = {.allocator = session->allocator};
    pthread_mutex_lock(&session->lock);
    if (session->kernels.count > 0)
        qsort(session->kernels.items, session->kernels.count, sizeof *session->kernels.items, by_time);
    (session->is_json ? print_json : print_text)(session, &out);
    pthread_mutex_unlock(&session->lock);
    if (out.failed)
        return diag_no_memory(diag);
    return session->output ? file_write(session->output, out.at, out.length, diag)
                           : write(user, out.at, out.length);
}
