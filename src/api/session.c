/* Sessions: what a driver takes from its environment, and the record of what its process did.
 *
 * Takes launches and copies as they end, leaves sums by kernel. Counts are exact; times are those of the
 * launches, as hx_launch measures them. */
#include "api/session.h"
#include "api/session_profile.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/machine.h"
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STRAY_BYTES 4096 /* hx_device_allow_strays: a page */
#define HASH_ROOM   (2 * SESSION_ROWS)

static const char *const directions[SESSION_DIRECTIONS] = {"H2D", "D2H", "D2D"};

const char *session_direction(size_t index)
{
    return index < SESSION_DIRECTIONS ? directions[index] : "";
}

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

static void read_tier(hx_session *session, hx_diag *diag)
{
    const char *tier = getenv("HEXEC_TIER");
    if (!tier || !*tier || strcmp(tier, "auto") == 0)
        return;
    session->tier = strcmp(tier, "interpreter") == 0 ? HX_TIER_INTERPRETER
                    : strcmp(tier, "compiled") == 0  ? HX_TIER_COMPILED
                                                     : 0;
    if (!session->tier)
        warn(diag, "HEXEC_TIER", tier, "auto, interpreter or compiled");
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

/* HX_NO_MEMORY; a bad list is a warning. */
static hx_status read_checks(hx_session *session, hx_diag *diag)
{
    hx_checks_options wanted = {.size = sizeof wanted,
                                .error_limit = read_number("HEXEC_ERROR_LIMIT", 100000, diag),
                                .allocator = session->allocator};
    const char *kinds = getenv("HEXEC_CHECK");
    if (!kinds || !*kinds)
        return HX_OK;
    if (hx_checks_parse(kinds, NULL, &wanted) != HX_OK) {
        warn(diag, "HEXEC_CHECK", kinds, "memory, race, init and sync, with commas between them, or all");
        return HX_OK;
    }
    const char *known = getenv("HEXEC_SUPPRESSIONS");
    if (known && *known &&
        hx_suppressions_load(known, session->allocator, NULL, &session->suppressions) != HX_OK)
        warn(diag, "HEXEC_SUPPRESSIONS", known, "a file that hexec run --suppressions reads");
    wanted.suppressions = session->suppressions;
    return hx_checks_open(&wanted, diag, &session->checks);
}

/* ---- Records ------------------------------------------------------------------------------------------- */

static int open_sparse(const char *path, size_t bytes)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
        (void)close(file);
        return -1;
    }
    return file;
}

/* A child that is forked has no part of it: what it did would be its parent's. */
void *session_map(const hx_session *session, const char *ending, size_t bytes)
{
    int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (session->base) {
        struct text path HX_AUTO(text_done) = {.allocator = session->allocator};
        text_print(&path, "%s%s", session->base, ending);
        file = path.failed ? -1 : open_sparse(path.at, bytes);
        if (file < 0)
            return NULL;
        flags = MAP_SHARED;
    }
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, file, 0);
    if (file >= 0)
        (void)close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static bool make_base(hx_session *session, const char *folder)
{
    struct text path HX_AUTO(text_done) = {.allocator = session->allocator};
    text_print(&path, "%s/%ld-XXXXXX.record", folder, (long)session->process);
    const int file = path.failed ? -1 : mkstemps(path.at, (int)strlen(".record"));
    if (file < 0)
        return false;
    (void)close(file);
    session->base = copy(session->allocator, path.at);
    return session->base != NULL;
}

static bool open_record(hx_session *session)
{
    session->record = session_map(session, "", sizeof *session->record);
    session->rows_by_name = memory_allocate(session->allocator, HASH_ROOM, sizeof *session->rows_by_name);
    if (!session->record || !session->rows_by_name)
        return false;
    struct session_record *record = session->record;
    record->version = SESSION_VERSION;
    record->bytes = sizeof *record;
    record->process = (int32_t)session->process;
    record->start_ns = machine_now_ns();
    atomic_store(&record->end_ns, record->start_ns);
    for (size_t i = 0; i < SESSION_DIRECTIONS; i++)
        text_put(record->directions[i].name, SESSION_NAME_BYTES, directions[i]);
    memcpy(record->magic, SESSION_MAGIC, sizeof record->magic);
    return true;
}

static hx_status open_all(hx_session *session, hx_diag *diag)
{
    const char *folder = getenv("HEXEC_APP_RECORD"), *trace = getenv("HEXEC_APP_TRACE");
    const char *output = getenv("HEXEC_APP_OUTPUT"), *sarif = getenv("HEXEC_APP_SARIF");
    session->is_recorded = folder && *folder;
    session->has_sarif = sarif && strcmp(sarif, "1") == 0;
    if (session->is_recorded && !make_base(session, folder)) {
        diag_report(diag, DIAG_SESSION_VARIABLE, (struct place){0}, "set it to a folder that can be written",
                    "HEXEC_APP_RECORD is '%s', where no file can be made: %s", folder, strerror(errno));
        session->is_recorded = false;
        session->has_report = false;
    }
    session->output = output && *output ? copy(session->allocator, output) : NULL;
    if ((output && *output && !session->output) || !open_record(session))
        return diag_no_memory(diag);
    if (session->is_recorded && trace && strcmp(trace, "1") == 0 && !session_events_open(session))
        return diag_no_memory(diag);
    const char *profile = getenv("HEXEC_APP_PROFILE");
    if (session->is_recorded && profile && strcmp(profile, "1") == 0 &&
        session_profile_open(session, diag) != HX_OK)
        session_profile_close(session);
    return read_checks(session, diag);
}

hx_status hx_session_new(const hx_allocator *allocator, hx_diag *diag, hx_session **ret_session)
{
    DIAG_REQUIRE(diag, ret_session);
    hx_session *session = memory_allocate(allocator, 1, sizeof *session);
    if (!session)
        return diag_no_memory(diag);
    *session = (hx_session){.allocator = allocator,
                            .workers = (uint32_t)read_number("HEXEC_WORKERS", 1024, diag),
                            .seed = read_number("HEXEC_SEED", UINT64_MAX, diag),
                            .timeout_ns = read_seconds("HEXEC_TIMEOUT", diag),
                            .process = getpid()};
    pthread_mutex_init(&session->lock, NULL);
    read_report(session, diag);
    read_tier(session, diag);
    const hx_status status = open_all(session, diag);
    if (status != HX_OK) {
        hx_session_free(session);
        return status;
    }
    *ret_session = session;
    return HX_OK;
}

void hx_session_free(hx_session *session)
{
    if (!session)
        return;
    session_profile_close(session);
    hx_checks_close(session->checks);
    hx_suppressions_free(session->suppressions);
    if (session->record)
        munmap(session->record, sizeof *session->record);
    if (session->events)
        munmap(session->events, sizeof *session->events);
    memory_free(session->allocator, session->rows_by_name);
    memory_free(session->allocator, session->calls_by_address);
    memory_free(session->allocator, session->call_numbers);
    memory_free(session->allocator, session->output);
    memory_free(session->allocator, session->base);
    pthread_mutex_destroy(&session->lock);
    memory_free(session->allocator, session);
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* With the session locked, as the next three: the kernel's row, made if need be. */
static uint32_t row_of(hx_session *session, const char *kernel)
{
    struct session_record *record = session->record;
    const uint32_t count = atomic_load(&record->row_count);
    const size_t length = strnlen(kernel, SESSION_NAME_BYTES - 1);
    uint32_t hash = 2166136261u; /* FNV-1a of 32 bits (draft-eastlake-fnv) */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)kernel[i]) * 16777619u;
    for (size_t at = hash % HASH_ROOM;; at = (at + 1) % HASH_ROOM) {
        const uint32_t row = session->rows_by_name[at];
        if (row && strncmp(record->rows[row - 1].name, kernel, SESSION_NAME_BYTES - 1) == 0)
            return row - 1;
        if (row)
            continue;
        if (count == SESSION_ROWS) /* its last row is of all further kernels */
            return SESSION_ROWS - 1;
        session->rows_by_name[at] = count + 1;
        memcpy(record->rows[count].name, count + 1 == SESSION_ROWS ? "(further kernels)" : kernel,
               count + 1 == SESSION_ROWS ? sizeof "(further kernels)" : length);
        atomic_store(&record->row_count, count + 1);
        return count;
    }
}

static void add(struct session_row *row, const struct session_sum *one)
{
    const uint32_t current = atomic_load(&row->current) & 1;
    struct session_sum sum = row->versions[current];
    sum.least_ns = sum.launches == 0 || one->total_ns < sum.least_ns ? one->total_ns : sum.least_ns;
    sum.most_ns = one->total_ns > sum.most_ns ? one->total_ns : sum.most_ns;
    sum.launches += one->launches;
    sum.failed += one->failed;
    sum.threads += one->threads;
    sum.total_ns += one->total_ns;
    sum.instructions += one->instructions;
    sum.flops += one->flops;
    sum.loaded_bytes += one->loaded_bytes;
    sum.stored_bytes += one->stored_bytes;
    row->versions[!current] = sum;
    atomic_store(&row->current, !current);
}

static void put_event(hx_session *session, enum session_event_kind kind, uint32_t name, uint64_t start_ns,
                      uint64_t end_ns, uint64_t amount, hx_status status)
{
    const struct session_event event = {start_ns,           end_ns,         amount,          name,
                                        (uint32_t)gettid(), (uint32_t)kind, (uint32_t)status};
    atomic_store(&session->record->end_ns, end_ns);
    if (session->events)
        session_events_put(session, &event);
}

static bool is_own(const hx_session *session)
{
    return session && session->process == getpid();
}

static void start(hx_session *session, const char *kernel)
{
    pthread_mutex_lock(&session->lock);
    atomic_fetch_add(&session->record->rows[row_of(session, kernel)].started, 1);
    pthread_mutex_unlock(&session->lock);
}

static void end(hx_session *session, const char *kernel, hx_status status, const hx_launch_result *result)
{
    uint64_t now = machine_now_ns(), began = now - result->duration_ns;
    const struct session_sum one = {.launches = 1,
                                    .failed = status != HX_OK,
                                    .threads = result->threads,
                                    .total_ns = result->duration_ns,
                                    .instructions = result->counts.thread_instructions,
                                    .flops = result->counts.flops,
                                    .loaded_bytes = result->counts.loaded_bytes[1],
                                    .stored_bytes = result->counts.stored_bytes[1]};
    pthread_mutex_lock(&session->lock);
    const uint32_t row = row_of(session, kernel);
    add(&session->record->rows[row], &one);
    /* One launch runs at a time, but threads may come here in another order, or late. */
    began = began > session->launched_ns ? began : session->launched_ns;
    now = now > began ? now : began;
    session->launched_ns = now;
    put_event(session, SESSION_LAUNCH, row, began, now, result->threads, status);
    pthread_mutex_unlock(&session->lock);
}

hx_status hx_session_launched(hx_session *session, const char *kernel, hx_status status,
                              const hx_launch_result *result)
{
    DIAG_REQUIRE(NULL, session);
    DIAG_REQUIRE(NULL, kernel);
    DIAG_REQUIRE(NULL, result);
    if (is_own(session)) {
        start(session, kernel);
        end(session, kernel, status, result);
    }
    return HX_OK;
}

void hx_session_transferred(hx_session *session, const char *direction, uint64_t bytes, uint64_t duration_ns)
{
    const struct session_sum one = {.launches = 1, .loaded_bytes = bytes, .total_ns = duration_ns};
    if (!is_own(session) || !direction)
        return;
    const uint64_t now = machine_now_ns();
    pthread_mutex_lock(&session->lock);
    for (uint32_t i = 0; i < SESSION_DIRECTIONS; i++)
        if (strcmp(directions[i], direction) == 0) {
            add(&session->record->directions[i], &one);
            put_event(session, SESSION_COPY, i, now - duration_ns, now, bytes, HX_OK);
        }
    pthread_mutex_unlock(&session->lock);
}

int hx_session_has_report(const hx_session *session)
{
    return session && session->has_report && !session->is_recorded;
}

int hx_session_has_checks(const hx_session *session)
{
    return session && session->checked ? (int)hx_checks_kinds(session->checks) : 0;
}

void hx_session_command(hx_session *session, uint64_t number, const char *queue, const uint64_t *behind,
                        size_t count)
{
    if (hx_session_has_checks(session))
        hx_checks_command(session->checks, number, queue, behind, count);
}

void hx_session_waited(hx_session *session, uint64_t number)
{
    if (hx_session_has_checks(session))
        hx_checks_waited(session->checks, number);
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

void hx_session_prepare(const hx_session *session, hx_launch_options *options)
{
    if (!session || !options)
        return;
    options->workers = session->workers ? session->workers : options->workers;
    options->seed = session->seed ? session->seed : options->seed;
    options->tier = session->tier ? session->tier : options->tier;
    options->timeout_ns = session->timeout_ns ? session->timeout_ns : options->timeout_ns;
    if (!options->counts && session->has_report)
        options->counts = HX_COUNT_THREADS;
}

hx_status hx_session_follow(hx_session *session, hx_device *device, hx_diag *diag)
{
    DIAG_REQUIRE(diag, session);
    DIAG_REQUIRE(diag, device);
    if (!session->checks || !(hx_checks_kinds(session->checks) & HX_CHECK_MEMORY))
        hx_device_allow_strays(device, STRAY_BYTES);
    if (!session->checks)
        return HX_OK;
    const hx_status status = hx_checks_follow(session->checks, device, diag);
    session->checked = status == HX_OK ? device : session->checked;
    return status;
}

hx_status hx_session_launch(hx_session *session, hx_device *device, const hx_kernel *kernel, const char *name,
                            const hx_launch_options *options, hx_buffer *const *buffers, hx_diag *diag,
                            hx_launch_result *ret_result)
{
    DIAG_REQUIRE(diag, session);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, options);
    DIAG_REQUIRE(diag, ret_result);
    if (!is_own(session))
        return hx_launch(device, kernel, options, buffers, diag, ret_result);
    hx_launch_options prepared = {0};
    memcpy(&prepared, options,
           options->size && options->size < sizeof prepared ? options->size : sizeof prepared);
    prepared.size = sizeof prepared;
    hx_session_prepare(session, &prepared);
    start(session, name);
    atomic_fetch_add(&session->running, 1);
    const hx_status status =
        session->profile
            ? session_profile_launch(session, device, kernel, &prepared, buffers, diag, ret_result)
            : hx_launch(device, kernel, &prepared, buffers, diag, ret_result);
    end(session, name, status, ret_result);
    if (session->checked) {
        device_lock(session->checked);
        session_keep_findings(session);
        device_unlock(session->checked);
    }
    atomic_fetch_sub(&session->running, 1);
    return status;
}

void hx_session_changed(hx_session *session, hx_device *device, const hx_buffer_event *event)
{
    if (!hx_session_has_checks(session) || device != session->checked || !event || !event->buffer ||
        !is_own(session))
        return;
    device_lock(device);
    device_report_buffer(device, event);
    if (event->change == HX_BUFFER_COPIED_OUT || event->command)
        session_keep_findings(session);
    device_unlock(device);
}
