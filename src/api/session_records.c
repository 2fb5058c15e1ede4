/* The records of a folder: what several processes left, however they ended, as one report.
 *
 * Takes files that a session mapped; they are read as they are, and one that is none is refused. */
#include "api/session.h"
#include "api/session_profile.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/machine.h"
#include "device/device.h"
#include "hexec/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".record"

struct opened {
    const char *path; /* in the arena */
    struct session_record *record;
    struct session_events *events; /* NULL: there are none */
    char *findings;
    size_t findings_bytes;
};
struct folder {
    const hx_session_report_options *options;
    hx_diag *diag;
    struct arena arena;
    LIST(struct opened) items;
};

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* A private mapping of a file that begins as records do, with strings that end; NULL: it is none, or not
 * there. */
static void *map_file(const char *path, size_t bytes)
{
    struct stat about;
    char magic[sizeof((struct session_record *)NULL)->magic];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    void *mapped = MAP_FAILED;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size == bytes &&
        pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
        memcmp(magic, SESSION_MAGIC, sizeof magic) == 0)
        mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    (void)close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static struct session_record *map_record(const char *path)
{
    struct session_record *record = map_file(path, sizeof *record);
    if (record && (record->version != SESSION_VERSION || record->bytes != sizeof *record)) {
        munmap(record, sizeof *record);
        return NULL;
    }
    const uint32_t count = record ? atomic_load(&record->row_count) : 0;
    for (uint32_t i = 0; i < count && i < SESSION_ROWS; i++)
        record->rows[i].name[SESSION_NAME_BYTES - 1] = '\0';
    return record;
}

static struct session_events *map_events(const char *path)
{
    struct session_events *events = map_file(path, sizeof *events);
    for (size_t i = 0; events && i < SESSION_CALLS; i++)
        events->calls[i][SESSION_CALL_BYTES - 1] = '\0';
    return events;
}

static hx_status open_one(struct folder *folder, const char *name)
{
    const char *path = arena_format(&folder->arena, "%s/%s", folder->options->folder, name);
    const char *events = path ? arena_format(&folder->arena, "%s.events", path) : NULL;
    const char *findings =
        events ? arena_format(&folder->arena, "%s%s", path,
                              folder->options->json ? SESSION_FINDINGS_JSON : SESSION_FINDINGS_TEXT)
               : NULL;
    if (!findings)
        return diag_no_memory(folder->diag);
    struct opened opened = {.path = path, .record = map_record(path)};
    if (!opened.record) /* of a process that was killed before there was anything to say */
        return HX_OK;
    opened.events = map_events(events);
    if (access(findings, R_OK) == 0)
        (void)!file_read(findings, FILE_TEXT_LIMIT_BYTES, folder->options->allocator, NULL, (struct place){0},
                         &opened.findings, &opened.findings_bytes);
    return LIST_PUSH(folder->options->allocator, &folder->items, opened) ? HX_OK
                                                                         : diag_no_memory(folder->diag);
}

static int by_start(const void *a, const void *b)
{
    const struct opened *first = a, *second = b;
    if (first->record->start_ns != second->record->start_ns)
        return first->record->start_ns < second->record->start_ns ? -1 : 1;
    return strcmp(first->path, second->path);
}

static hx_status open_folder(struct folder *folder)
{
    hx_status status = HX_OK;
    DIR *directory = opendir(folder->options->folder);
    if (!directory)
        return file_report_error(folder->diag, DIAG_SESSION_RECORD, (struct place){0}, "open",
                                 folder->options->folder, errno);
    for (const struct dirent *entry; status == HX_OK && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name), ending = strlen(ENDING);
        if (length > ending && strcmp(entry->d_name + length - ending, ENDING) == 0)
            status = open_one(folder, entry->d_name);
    }
    (void)closedir(directory);
    if (folder->items.count > 1)
        qsort(folder->items.items, folder->items.count, sizeof *folder->items.items, by_start);
    return status;
}

static void close_folder(struct folder *folder)
{
    for (size_t i = 0; i < folder->items.count; i++) {
        const struct opened *opened = &folder->items.items[i];
        munmap(opened->record, sizeof *opened->record);
        if (opened->events)
            munmap(opened->events, sizeof *opened->events);
        memory_free(folder->options->allocator, opened->findings);
    }
    LIST_DONE(folder->options->allocator, &folder->items);
    arena_done(&folder->arena);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void replay(const struct folder *folder)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < folder->items.count; i++) {
        const struct opened *opened = &folder->items.items[i];
        if (!opened->events || !hx_trace_files_enabled())
            continue;
        session_events_replay(opened->record, opened->events);
        lost += atomic_load(&opened->events->lost);
    }
    if (lost)
        diag_report(folder->diag, DIAG_SESSION_EVENTS, (struct place){0}, "trace a shorter run",
                    "%llu launches, copies and calls are not in the trace, which has room for %u a process",
                    (unsigned long long)lost, SESSION_EVENTS);
}

/* A SARIF document has a list of runs: those of all processes are put together. */
static hx_status write_sarif(const struct folder *folder)
{
    json_t *all = NULL;
    for (size_t i = 0; i < folder->items.count; i++) {
        const char *path = arena_format((struct arena *)&folder->arena, "%s%s", folder->items.items[i].path,
                                        SESSION_FINDINGS_SARIF);
        json_t *one = path ? json_load_file(path, 0, NULL) : NULL;
        if (!all)
            all = one;
        else if (one) {
            (void)json_array_extend(json_object_get(all, "runs"), json_object_get(one, "runs"));
            json_decref(one);
        }
    }
    char *text = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    hx_status status = HX_OK;
    if (text)
        status = file_write(folder->options->sarif, text, strlen(text), folder->diag);
    else if (all)
        status = diag_no_memory(folder->diag);
    free(text);
    json_decref(all);
    return status;
}

static uint64_t launches_of(const struct session_record *record)
{
    uint64_t sum = 0;
    const uint32_t count = atomic_load(&record->row_count);
    for (uint32_t i = 0; i < count && i < SESSION_ROWS; i++)
        sum += session_row_sum(&record->rows[i])->launches;
    return sum;
}

/* The profile of one process, as text. */
static hx_status print_profile(const struct folder *folder, const char *record, bool is_taken,
                               struct text *out)
{
    const hx_session_report_options *options = folder->options;
    hx_profile_print_options how = *options->profile;
    struct session_profile_read read = {0};
    char *path = arena_format((struct arena *)&folder->arena, "%s" SESSION_PROFILE, record);
    hx_status status = path ? session_profile_load(path, folder->diag, &read) : diag_no_memory(folder->diag);
    if (status != HX_OK || !read.profile)
        return status;
    how.format = options->json ? HX_PROFILE_JSON : HX_PROFILE_TEXT;
    if (out->length > 0)
        text_append(out, options->json ? "," : "\n", 1);
    status = hx_profile_print(read.profile, &how, folder->diag, text_write, out);
    if (status == HX_OK && is_taken && options->take_profile)
        status = options->take_profile(options->take_user, read.profile);
    session_profile_unload(&read);
    return status;
}

/* Of all processes; files are made of that which launched most. */
static hx_status print_profiles(const struct folder *folder, struct text *out)
{
    size_t most = 0;
    hx_status status = HX_OK;
    for (size_t i = 1; i < folder->items.count; i++)
        if (launches_of(folder->items.items[i].record) > launches_of(folder->items.items[most].record))
            most = i;
    for (size_t i = 0; status == HX_OK && folder->options->profile && i < folder->items.count; i++)
        if (launches_of(folder->items.items[i].record) > 0)
            status = print_profile(folder, folder->items.items[i].path, i == most, out);
    return status;
}

static hx_status report(const struct folder *folder, hx_write_function write, void *user)
{
    struct text out HX_AUTO(text_done) = {.allocator = folder->options->allocator};
    const size_t count = folder->items.count;
    const struct session_record **records =
        ARENA_ARRAY((struct arena *)&folder->arena, const struct session_record *, count);
    struct slice *findings = ARENA_ARRAY((struct arena *)&folder->arena, struct slice, count);
    if (!records || !findings)
        return diag_no_memory(folder->diag);
    bool has_findings = false;
    for (size_t i = 0; i < count; i++) {
        const struct opened *opened = &folder->items.items[i];
        records[i] = opened->record;
        findings[i] = (struct slice){opened->findings, opened->findings_bytes};
        has_findings |= opened->findings_bytes > 0;
    }
    struct text profiles HX_AUTO(text_done) = {.allocator = folder->options->allocator};
    const hx_status status = print_profiles(folder, &profiles);
    if (status != HX_OK)
        return status;
    const struct session_total total = {.records = records,
                                        .findings = has_findings ? findings : NULL,
                                        .profiles = {profiles.at, profiles.length},
                                        .has_profiles = folder->options->profile != NULL,
                                        .record_count = count,
                                        .program_ns = folder->options->program_ns};
    if (session_print(&total, folder->options->json, folder->options->allocator, &out) != HX_OK)
        return diag_no_memory(folder->diag);
    return write(user, out.at, out.length);
}

hx_status hx_session_report_records(const hx_session_report_options *options, hx_diag *diag,
                                    hx_write_function write, void *user, uint64_t *ret_findings)
{
    DIAG_REQUIRE(diag, options);
    DIAG_REQUIRE(diag, write);
    DIAG_REQUIRE(diag, options->folder);
    hx_session_report_options asked = {0};
    memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    struct folder folder = {.options = &asked, .diag = diag, .arena.allocator = asked.allocator};
    uint64_t findings = 0, errors = 0;
    hx_status status = open_folder(&folder);
    if (status == HX_OK) {
        replay(&folder);
        status = report(&folder, write, user);
    }
    if (status == HX_OK && asked.sarif)
        status = write_sarif(&folder);
    for (size_t i = 0; i < folder.items.count; i++) {
        findings += atomic_load(&folder.items.items[i].record->findings);
        errors += atomic_load(&folder.items.items[i].record->errors);
    }
    close_folder(&folder);
    if (status == HX_OK && ret_findings)
        *ret_findings = findings;
    if (status == HX_OK && asked.ret_errors)
        *asked.ret_errors = errors;
    return status;
}

/* ---- Of the process itself ----------------------------------------------------------------------------- */

/* Nothing follows: what threads have from malloc is lost now. A launch that still runs may run for ever. */
static void end_checks(hx_session *session)
{
    if (!session->checked || atomic_load(&session->running) != 0)
        return;
    hx_checks_leave(session->checks, 0);
    device_lock(session->checked);
    session_keep_findings(session);
    device_unlock(session->checked);
}

hx_status hx_session_report(hx_session *session, hx_diag *diag, hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, session);
    DIAG_REQUIRE(diag, write);
    end_checks(session);
    if (!hx_session_has_report(session))
        return HX_OK;
    struct text out HX_AUTO(text_done) = {.allocator = session->allocator};
    struct text findings HX_AUTO(text_done) = {.allocator = session->allocator};
    hx_status status = HX_OK;
    if (session->checked && atomic_load(&session->running) == 0) { /* else a launch may run for ever */
        device_lock(session->checked);
        status = session_print_findings(session, session->is_json, &findings);
        device_unlock(session->checked);
    }
    const struct session_record *record = session->record;
    const struct slice text = {findings.at, findings.length};
    const struct session_total total = {.records = &record,
                                        .findings = session->checked ? &text : NULL,
                                        .record_count = 1,
                                        .program_ns = machine_now_ns() - record->start_ns};
    pthread_mutex_lock(&session->lock);
    if (status == HX_OK)
        status = session_print(&total, session->is_json, session->allocator, &out);
    pthread_mutex_unlock(&session->lock);
    if (status != HX_OK)
        return diag_no_memory(diag);
    return session->output ? file_write(session->output, out.at, out.length, diag)
                           : write(user, out.at, out.length);
}
