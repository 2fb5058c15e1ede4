/* Listeners by name.
 *
 * Takes the name of a row of listeners.def and a function for text, leaves a listener whose events' functions
 * are the row's. What all of them share is here: the lines, one at a time, with the places in the source. */
#include "base/diag.h"
#include "base/memory.h"
#include "check/check.h"
#include "exec/kernel.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

struct check {
    hx_listener listener; /* first: what the caller holds */
    hx_write_function write;
    void *user;
    pthread_mutex_t lock; /* of what is below, and of `write` */
    struct text line;
    const struct kernel *kernel; /* that runs */
    hx_status status;            /* of `write` */
};

struct check_row {
    const char *name, *summary;
    const hx_listener *calls;
};

static const struct check_row rows[] = {
#define CHECK_LISTENER(name, summary) {#name, summary, &check_##name},
#include "check/listeners.def"
#undef CHECK_LISTENER
};

const char *hx_listener_name(size_t index)
{
    return index < HX_COUNT_OF(rows) ? rows[index].name : NULL;
}

const char *hx_listener_summary(size_t index)
{
    return index < HX_COUNT_OF(rows) ? rows[index].summary : NULL;
}

static const char *next_name(void *user, size_t index)
{
    (void)user;
    return hx_listener_name(index);
}

static const struct check_row *find_row(const char *name, hx_diag *diag)
{
    struct text hint HX_AUTO(text_done) = {0};
    for (size_t i = 0; i < HX_COUNT_OF(rows); i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
        text_print(&hint, "%s%s", i ? ", " : "there are: ", rows[i].name);
    }
    const char *meant = text_suggest(slice_of(name), next_name, NULL);
    if (meant)
        text_print(&hint, "; did you mean %s?", meant);
    (void)diag_report(diag, DIAG_LISTENER_NAME, (struct place){0}, hint.at, "there is no listener '%s'",
                      name);
    return NULL;
}

static hx_status begin(void *user, const hx_launch_begin *event)
{
    struct check *check = user;
    check->kernel = kernel_code(event->kernel);
    return check->status;
}

hx_status hx_listener_open(const char *name, hx_write_function write, void *user, hx_diag *diag,
                           hx_listener **ret_listener)
{
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, write);
    DIAG_REQUIRE(diag, ret_listener);
    *ret_listener = NULL;
    const struct check_row *row = find_row(name, diag);
    if (!row)
        return HX_INVALID;
    struct check *check = memory_allocate(NULL, 1, sizeof *check);
    if (!check)
        return diag_no_memory(diag);
    check->listener = *row->calls;
    check->listener.size = sizeof check->listener;
    check->listener.user = check;
    check->listener.events |= HX_EVENT_LAUNCH;
    check->listener.begin = begin;
    check->write = write;
    check->user = user;
    pthread_mutex_init(&check->lock, NULL);
    *ret_listener = &check->listener;
    return HX_OK;
}

hx_status hx_listener_close(hx_listener *listener)
{
    struct check *check = (struct check *)listener;
    if (!check)
        return HX_OK;
    const hx_status status = check->status;
    pthread_mutex_destroy(&check->lock);
    text_done(&check->line);
    memory_free(NULL, check);
    return status;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

/* "threads 0-31,40" */
static void print_threads(struct text *line, uint32_t first, uint64_t lanes)
{
    const char *before = (lanes & (lanes - 1)) ? "threads " : "thread ";
    for (uint32_t lane = 0; lane < 64; lane++) {
        const uint32_t start = lane;
        if (!(lanes >> lane & 1))
            continue;
        while (lane < 63 && (lanes >> (lane + 1) & 1))
            lane++;
        text_print(line, "%s%u", before, first + start);
        if (lane > start)
            text_print(line, "-%u", first + lane);
        before = ",";
    }
}

static void finish_line(struct check *check, const char *format, va_list arguments)
{
    text_print_list(&check->line, format, arguments);
    text_append(&check->line, "\n", 1);
    if (check->status == HX_OK)
        check->status =
            check->line.failed ? HX_NO_MEMORY : check->write(check->user, check->line.at, check->line.length);
    text_done(&check->line);
}

void check_line(void *user, const hx_event_place *at, uint64_t lanes, const char *format, ...)
{
    struct check *check = user;
    const struct place place = check->kernel->lines[at->instruction].place;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&check->lock);
    text_print(&check->line, "%s:%d: block %llu, ", place.source ? place.source->name : "?", place.line,
               (unsigned long long)at->block);
    print_threads(&check->line, at->first_thread, lanes);
    text_append(&check->line, ": ", 2);
    finish_line(check, format, arguments);
    pthread_mutex_unlock(&check->lock);
    va_end(arguments);
}

void check_block_line(void *user, uint64_t block, const char *format, ...)
{
    struct check *check = user;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&check->lock);
    text_print(&check->line, "block %llu: ", (unsigned long long)block);
    finish_line(check, format, arguments);
    pthread_mutex_unlock(&check->lock);
    va_end(arguments);
}
