/* What the sinks that write event files share: the spool that they fill, and the file that they write from it
 * when tracing ends. Such a sink is one function that writes a format. */
#pragma once

#include "base/file.h"
#include "base/gzip.h"
#include "base/json.h"
#include "trace/files/sinks.h"
#include "trace/files/spool.h"

#define EVENT_FILE_PIECE ((size_t)64 << 10) /* text is written out when there is so much */

struct event_file {
    struct spool spool;
    const struct trace_config *config;
    uint64_t start_unix_ns, timer_ns;
    struct file_writer *writer;
    struct gzip *gzip; /* FILE.gz; into zipped */
    struct text text;  /* what comes next; event_file_pass writes it out */
    struct text zipped;
    struct json json; /* into text */
};

/* The members of a sink_class. */
hx_status event_file_open(struct sink *sink, const struct sink_request *request, struct spool_costs costs,
                          hx_diag *diag);
void event_file_records(struct sink *sink, const hx_trace_record *records, size_t count);
void event_file_flush(struct sink *sink);
hx_status event_file_close(struct sink *sink, void (*write)(struct event_file *file), hx_diag *diag);

/* Writes `text` out when it has grown large. */
void event_file_pass(struct event_file *file);

/* What a file says of itself, in the same words in every format: `put` is called for each. */
typedef void (*event_file_put)(void *user, const hx_field *field);
void event_file_about(const struct event_file *file, event_file_put put, void *user);
/* The same for one of spool.totals: count, duration_ns, kept and the amounts that are not 0. */
void event_file_total(const struct spool_total *total, event_file_put put, void *user);
/* As an event_file_put: a member of the JSON object that is open. */
void event_file_put_json(void *file, const hx_field *field);

/* The track's name as viewers show it, and a number that no other track of the process has. */
void event_file_track_name(const struct spool_track *track, char *ret_name, size_t bytes);
uint32_t event_file_track_number(const struct spool_track *track);
/* Is it one that spans can stand on? */
static inline bool event_file_has_spans(const struct spool_track *track)
{
    return track->name || track->number != SPOOL_PROCESS;
}
/* A row's group, "block 3" of "block 3 warp 1". Rows of one group follow each other; is it the first of it?
 */
void event_file_group_name(const struct spool_track *track, char *ret_name, size_t bytes);
bool event_file_begins_group(const struct spool *spool, size_t track);
#define EVENT_FILE_NAME_BYTES 128 /* enough for the name of a track */
/* A counter's name, and where it is: "active, worker 0". */
void event_file_counter_name(const struct event_file *file, const struct spool_entry *entry, char *ret_name,
                             size_t bytes);
/* Span or point in time; a counter is neither. */
static inline bool event_file_is_span(const struct spool_shape *shape)
{
    return shape->kind == HX_RECORD_SPAN || shape->kind == HX_RECORD_PERF;
}
