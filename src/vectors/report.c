/* Going over files.
 *
 * Takes paths, leaves a report: folders become their files in order of names, files are shared out to
 * threads, and their results are put together in the order of the files, whichever thread was done first. */
#include "base/file.h"
#include "base/machine.h"
#include "base/thread.h"
#include "vectors/vectors.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hx_test_report {
    const hx_allocator *allocator;
    struct arena arena; /* paths */
    struct file_run *files;
    size_t file_count;
    LIST(const hx_test_point *) points;
    struct coverage coverage;
    hx_isa *built_in; /* what is around tested instructions is written for it */
};

/* ---- Files --------------------------------------------------------------------------------------------- */

struct path_list {
    const hx_allocator *allocator;
    struct arena *arena;
    LIST(const char *) paths;
    hx_diag *diag;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && name[0] != '.' && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static hx_status add_path(struct path_list *list, const char *path)
{
    const char *kept = arena_copy(list->arena, path, strlen(path));
    return kept && LIST_PUSH(list->allocator, &list->paths, kept) ? HX_OK : diag_no_memory(list->diag);
}

static hx_status add_folder(struct path_list *list, const char *folder)
{
    DIR *opened = opendir(folder);
    if (!opened)
        return diag_report(list->diag, DIAG_FILE_READ, (struct place){0}, NULL, "cannot read folder '%s'",
                           folder);
    const size_t first = list->paths.count;
    hx_status status = HX_OK;
    for (struct dirent *entry; status == HX_OK && (entry = readdir(opened)) != NULL;) {
        HX_AUTO(text_done) struct text path = {.allocator = list->allocator};
        if (!is_yaml(entry->d_name))
            continue;
        text_print(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", entry->d_name);
        status = path.failed ? diag_no_memory(list->diag) : add_path(list, path.at);
    }
    closedir(opened);
    if (list->paths.count > first)
        qsort(list->paths.items + first, list->paths.count - first, sizeof *list->paths.items, by_name);
    return status;
}

static hx_status gather(struct path_list *list, const char *const *paths, size_t count)
{
    hx_status status = HX_OK;
    for (size_t i = 0; i < count && status == HX_OK; i++) {
        if (!paths || !paths[i])
            return diag_missing(list->diag, "hx_test_run", "paths");
        struct stat about;
        const bool is_folder = stat(paths[i], &about) == 0 && S_ISDIR(about.st_mode);
        status = is_folder ? add_folder(list, paths[i]) : add_path(list, paths[i]);
    }
    return status;
}

/* ---- One file ------------------------------------------------------------------------------------------ */

static void run_document(struct file_run *run, struct vector_file *file)
{
    struct yaml_document *document = NULL;
    run->status = yaml_document_read(&file->arena, run->diag, &file->source, NULL, &document);
    if (run->status != HX_OK)
        return;
    run->status = vectors_read(document, run->diag, file);
    if (run->status == HX_OK)
        run_vectors(run, file);
}

static void run_file(struct file_run *run)
{
    char *bytes = NULL;
    size_t size = 0;
    struct vector_file file = {.isa = run->isa};
    arena_init(&file.arena, run->options->allocator);
    run->status = file_read(run->path, FILE_TEXT_LIMIT_BYTES, run->options->allocator, run->diag,
                            (struct place){0}, &bytes, &size);
    file.source = (struct source){.name = run->path, .text = bytes, .bytes = size};
    if (run->status == HX_OK && vectors_is_text(bytes))
        run_document(run, &file);
    else if (run->status == HX_OK)
        run_program(run);
    arena_done(&file.arena);
    memory_free(run->options->allocator, bytes);
}

/* ---- All of them --------------------------------------------------------------------------------------- */

struct crew {
    hx_test_report *report;
    const hx_test_options *options;
    pthread_mutex_t lock;
    size_t next, done;
};

static void *work(void *user)
{
    MACHINE_FLOATS;
    struct crew *crew = user;
    for (;;) {
        pthread_mutex_lock(&crew->lock);
        const size_t mine = crew->next++;
        pthread_mutex_unlock(&crew->lock);
        if (mine >= crew->report->file_count)
            return NULL;
        run_file(&crew->report->files[mine]);
        pthread_mutex_lock(&crew->lock);
        crew->done++;
        if (crew->options->progress)
            crew->options->progress(crew->options->user, crew->done, crew->report->file_count);
        pthread_mutex_unlock(&crew->lock);
    }
}

static void run_all(hx_test_report *report, const hx_test_options *options)
{
    enum { JOBS_MAX = 64 };
    pthread_t threads[JOBS_MAX];
    struct crew crew = {.report = report, .options = options};
    uint32_t jobs = options->jobs ? options->jobs : (uint32_t)machine_cores();
    jobs = jobs > report->file_count ? (uint32_t)report->file_count : jobs;
    uint32_t started = 0;
    pthread_mutex_init(&crew.lock, NULL);
    while (started + 1 < jobs && started < JOBS_MAX && thread_start(&threads[started], work, &crew))
        started++;
    (void)work(&crew);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&crew.lock);
}

static hx_status make_files(hx_test_report *report, const struct path_list *list, const hx_isa *isa,
                            const hx_test_options *options, hx_diag *diag)
{
    report->files = memory_allocate(report->allocator, list->paths.count + 1, sizeof *report->files);
    if (!report->files)
        return diag_no_memory(diag);
    for (size_t i = 0; i < list->paths.count; i++) {
        struct file_run *run = &report->files[i];
        *run = (struct file_run){
            .isa = isa, .built_in = report->built_in, .options = options, .path = list->paths.items[i]};
        arena_init(&run->arena, report->allocator);
        report->file_count++;
        if (hx_diag_new(report->allocator, &run->diag) != HX_OK ||
            !coverage_init(&run->coverage, isa, report->allocator))
            return diag_no_memory(diag);
    }
    return HX_OK;
}

/* The gravest status of all files, after all their points are in the report. */
static hx_status put_together(hx_test_report *report, hx_diag *diag)
{
    hx_status worst = HX_OK;
    for (size_t i = 0; i < report->file_count; i++) {
        struct file_run *run = &report->files[i];
        diag_append(diag, run->diag);
        if (run->status != HX_OK && worst != HX_NO_MEMORY)
            worst = run->status;
        coverage_merge(&report->coverage, &run->coverage);
        for (size_t k = 0; k < run->points.count; k++) {
            if (run->points.items[k].failures > 0 && worst == HX_OK)
                worst = HX_MISMATCH;
            if (!LIST_PUSH(report->allocator, &report->points, &run->points.items[k]))
                return diag_no_memory(diag);
        }
    }
    return worst;
}

hx_status hx_test_run(const hx_isa *isa, const char *const *paths, size_t path_count,
                      const hx_test_options *options, hx_diag *diag, hx_test_report **ret_report)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_report);
    diag_step(diag, "while testing", NULL, 0, (struct place){0});
    hx_test_options asked = {.size = sizeof asked};
    if (options)
        memcpy(&asked, options, options->size && options->size < sizeof asked ? options->size : sizeof asked);
    const hx_allocator *allocator = asked.allocator;
    hx_test_report *report = memory_allocate(allocator, 1, sizeof *report);
    if (!report)
        return diag_no_memory(diag);
    report->allocator = allocator;
    arena_init(&report->arena, allocator);
    struct path_list list = {.allocator = allocator, .arena = &report->arena, .diag = diag};
    hx_status status = gather(&list, paths, path_count);
    if (status == HX_OK)
        status = hx_isa_load(NULL, allocator, diag, &report->built_in);
    if (status == HX_OK)
        status = make_files(report, &list, isa, &asked, diag);
    if (status == HX_OK && !coverage_init(&report->coverage, isa, allocator))
        status = diag_no_memory(diag);
    LIST_DONE(allocator, &list.paths);
    if (status != HX_OK) {
        hx_test_report_free(report);
        return status;
    }
    run_all(report, &asked);
    status = put_together(report, diag);
    *ret_report = report;
    return status;
}

void hx_test_report_free(hx_test_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->file_count; i++) {
        struct file_run *run = &report->files[i];
        hx_diag_free(run->diag);
        coverage_done(&run->coverage, report->allocator);
        LIST_DONE(report->allocator, &run->points);
        arena_done(&run->arena);
    }
    coverage_done(&report->coverage, report->allocator);
    LIST_DONE(report->allocator, &report->points);
    hx_isa_free(report->built_in);
    memory_free(report->allocator, report->files);
    arena_done(&report->arena);
    memory_free(report->allocator, report);
}

size_t hx_test_point_count(const hx_test_report *report)
{
    if (!report)
        return 0;
    return report->points.count;
}

hx_test_point hx_test_point_at(const hx_test_report *report, size_t index)
{
    if (!report)
        return (hx_test_point){0};
    return index < report->points.count ? *report->points.items[index] : (hx_test_point){0};
}

hx_test_coverage hx_test_report_coverage(const hx_test_report *report)
{
    if (!report)
        return (hx_test_coverage){0};
    hx_test_coverage counts = {0};
    coverage_count(&report->coverage, &counts);
    for (size_t i = 0; i < report->file_count; i++) {
        counts.vectors += report->files[i].vectors;
        counts.programs += report->files[i].programs;
    }
    return counts;
}

hx_status hx_test_report_gaps(const hx_test_report *report, int modified, hx_write_function write, void *user)
{
    DIAG_REQUIRE(NULL, report);
    DIAG_REQUIRE(NULL, write);
    return coverage_gaps(&report->coverage, modified != 0, write, user);
}
