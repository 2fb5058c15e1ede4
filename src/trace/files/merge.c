/* Merging: several Chrome traces, one clock.
 *
 * Takes files, leaves a file with the events of all. Traces are large, so events are read one by one and
 * never stand in a tree together; all but two members of an event is copied letter for letter. Only `ts` and
 * `pid` of events and `unix_start_ns` of otherData are changed or used. */
#include "base/file.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/machine.h"
#include "hexec/trace.h"

#if HX_TRACING
#include <math.h>
#include <string.h>
#include <zlib.h>

#define FILE_LIMIT_BYTES   ((size_t)1 << 30)
#define START_MOST_NS      ((uint64_t)INT64_MAX / 2) /* in 2116: sums of times stay below the largest number */
#define PIECE_BYTES        ((size_t)64 << 10)
#define WINDOW_BITS_DETECT 47 /* zlib.h, inflateInit2: 15, and 32 to look for a gzip header */

struct trace {
    struct source source;
    char *bytes;
    size_t size;
    struct slice about; /* the value of otherData */
    size_t events;      /* where that of traceEvents starts; 0: there is none */
    uint64_t start_unix_ns;
};

struct process {
    size_t trace;
    int64_t from, to;
};

struct merging {
    struct trace *traces;
    size_t count;
    LIST(struct process) processes;
    size_t last; /* the process found last: events of one process mostly stand together */
    int64_t next_pid;
    uint64_t base_unix_ns;
    struct file_writer *writer;
    struct text text;
    hx_diag *diag;
};

static struct json_reader read_from(const struct trace *trace, size_t at, hx_diag *diag)
{
    return (struct json_reader){.source = trace->source, .at = at, .diag = diag, .code = DIAG_TRACE_MERGE};
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Undoes gzip; any other text is kept. */
static hx_status inflate_bytes(struct trace *trace, hx_diag *diag)
{
    if (trace->size < 2 || memcmp(trace->bytes, "\x1f\x8b", 2) != 0)
        return HX_OK;
    struct text text = {0};
    char piece[16384];
    z_stream stream = {.next_in = (unsigned char *)trace->bytes, .avail_in = (uInt)trace->size};
    int result = inflateInit2(&stream, WINDOW_BITS_DETECT);
    while (result == Z_OK && text.length <= FILE_LIMIT_BYTES && !text.failed) {
        stream.next_out = (unsigned char *)piece;
        stream.avail_out = sizeof piece;
        result = inflate(&stream, Z_NO_FLUSH);
        text_append(&text, piece, sizeof piece - stream.avail_out);
    }
    (void)inflateEnd(&stream);
    if (result != Z_STREAM_END || text.failed) {
        text_done(&text);
        if (text.failed || result == Z_MEM_ERROR)
            return diag_no_memory(diag);
        return diag_report(diag, DIAG_TRACE_MERGE, (struct place){.source = &trace->source}, NULL,
                           result == Z_OK ? "it has more than a gibibyte"
                                          : "the compressed file is damaged or incomplete");
    }
    memory_free(NULL, trace->bytes);
    trace->bytes = text.at;
    trace->size = text.length;
    return HX_OK;
}

/* otherData, which says when the clock of the trace began. */
static bool read_about(struct json_reader *reader, struct trace *trace)
{
    json_t *about;
    trace->about = json_reader_value(reader, &about);
    const char *start = json_string_value(json_object_get(about, "unix_start_ns"));
    const bool found = start && number_parse_u64(slice_of(start), &trace->start_unix_ns) == NUMBER_OK &&
                       trace->start_unix_ns <= START_MOST_NS;
    json_decref(about);
    return found;
}

static void skip_events(struct json_reader *reader)
{
    bool first = true;
    if (!json_reader_take(reader, '['))
        json_reader_fail(reader, "traceEvents is an array");
    while (json_reader_item(reader, &first))
        (void)json_reader_value(reader, NULL);
}

/* Reads up to the events if otherData stands before them, else up to otherData. */
static hx_status find_events(struct trace *trace, hx_diag *diag)
{
    struct json_reader reader = read_from(trace, 0, diag);
    bool first = true, has_start = false;
    struct slice key;
    if (!json_reader_take(&reader, '{'))
        json_reader_fail(&reader, "a Chrome trace with otherData begins with {");
    while (!(has_start && trace->events) && json_reader_key(&reader, &first, &key)) {
        if (slice_equal(key, "\"otherData\""))
            has_start = read_about(&reader, trace);
        else if (!slice_equal(key, "\"traceEvents\""))
            (void)json_reader_value(&reader, NULL);
        else {
            trace->events = reader.at;
            if (!has_start)
                skip_events(&reader);
        }
    }
    if (reader.status == HX_OK && !(has_start && trace->events))
        return diag_report(diag, DIAG_TRACE_MERGE, (struct place){.source = &trace->source},
                           "traces that hexec --trace=chrome writes do",
                           "it has no traceEvents, or does not say when its clock began");
    return reader.status;
}

static hx_status read_trace(const char *path, hx_diag *diag, struct trace *trace)
{
    trace->source = (struct source){.name = path};
    hx_status status =
        file_read(path, FILE_LIMIT_BYTES, NULL, diag, (struct place){0}, &trace->bytes, &trace->size);
    if (status == HX_OK)
        status = inflate_bytes(trace, diag);
    if (status != HX_OK)
        return status;
    trace->source.text = trace->bytes;
    trace->source.bytes = trace->size;
    return find_events(trace, diag);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void pass(struct merging *merging)
{
    if (merging->text.length < PIECE_BYTES)
        return;
    (void)!file_writer_put(merging->writer, merging->text.at, merging->text.length);
    merging->text.length = 0;
}

/* The number by which a process goes in the file: its own, unless another trace has it already. */
static int64_t pid_of(struct merging *merging, size_t trace, int64_t pid)
{
    bool is_taken = false;
    const struct process *last =
        merging->processes.count > 0 ? &merging->processes.items[merging->last] : NULL;
    if (last && last->trace == trace && last->from == pid)
        return last->to;
    for (size_t i = 0; i < merging->processes.count; i++) {
        const struct process *process = &merging->processes.items[i];
        if (process->trace == trace && process->from == pid) {
            merging->last = i;
            return process->to;
        }
        is_taken |= process->to == pid;
    }
    const struct process process = {trace, pid, is_taken ? merging->next_pid : pid};
    if (!LIST_PUSH(NULL, &merging->processes, process))
        merging->text.failed = true;
    if (process.to >= merging->next_pid && process.to < INT64_MAX)
        merging->next_pid = process.to + 1;
    return process.to;
}

static void put_time(struct merging *merging, const struct trace *trace, struct slice value)
{
    double us;
    if (number_parse_f64(value, &us) != NUMBER_OK || !(fabs(us) < 1e15)) {
        text_append(&merging->text, value.at, value.length);
        return;
    }
    const int64_t ns = llround(us * 1000) + (int64_t)(trace->start_unix_ns - merging->base_unix_ns);
    text_append(&merging->text, "-", ns < 0);
    json_print_decimal(&merging->text, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, 3);
}

static void put_pid(struct merging *merging, size_t trace, struct slice value)
{
    bool negative;
    uint64_t magnitude;
    if (number_parse_integer(value, &negative, &magnitude) == NUMBER_OK && magnitude <= INT64_MAX)
        text_print(&merging->text, "%lld",
                   (long long)pid_of(merging, trace, negative ? -(int64_t)magnitude : (int64_t)magnitude));
    else
        text_append(&merging->text, value.at, value.length);
}

static void put_event(struct merging *merging, size_t index, struct json_reader *reader)
{
    struct text *text = &merging->text;
    bool first = true;
    struct slice key;
    if (!json_reader_take(reader, '{'))
        json_reader_fail(reader, "an event, which is an object, should stand here");
    text_append(text, "{", 1);
    for (bool more = false; json_reader_key(reader, &first, &key); more = true) {
        const struct slice value = json_reader_value(reader, NULL);
        text_append(text, ",", more);
        text_append(text, key.at, key.length);
        text_append(text, ":", 1);
        if (slice_equal(key, "\"ts\""))
            put_time(merging, &merging->traces[index], value);
        else if (slice_equal(key, "\"pid\""))
            put_pid(merging, index, value);
        else
            text_append(text, value.at, value.length);
    }
    text_append(text, "}", 1);
}

static hx_status put_events(struct merging *merging, size_t index, bool *any)
{
    struct json_reader reader =
        read_from(&merging->traces[index], merging->traces[index].events, merging->diag);
    bool first = true;
    struct slice key;
    if (!json_reader_take(&reader, '['))
        json_reader_fail(&reader, "traceEvents is an array");
    while (json_reader_item(&reader, &first)) {
        text_append(&merging->text, *any ? ",\n" : "\n", *any ? 2 : 1);
        *any = true;
        put_event(merging, index, &reader);
        pass(merging);
    }
    while (json_reader_key(&reader, &first, &key))
        (void)json_reader_value(&reader, NULL);
    return reader.status;
}

static hx_status put_all(struct merging *merging)
{
    struct text *text = &merging->text;
    bool any = false;
    text_print(text,
               "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"hexec %s\",\"unix_start_ns\":"
               "\"%llu\",\"processes\":[",
               HX_VERSION, (unsigned long long)merging->base_unix_ns);
    for (size_t i = 0; i < merging->count; i++) {
        text_append(text, i ? ",\n" : "\n", i ? 2 : 1);
        text_append(text, merging->traces[i].about.at, merging->traces[i].about.length);
    }
    text_print(text, "]},\"traceEvents\":[");
    for (size_t i = 0; i < merging->count; i++) {
        hx_status status = put_events(merging, i, &any);
        if (status != HX_OK)
            return status;
    }
    text_print(text, "]}\n");
    (void)!file_writer_put(merging->writer, text->at, text->length);
    return text->failed ? diag_no_memory(merging->diag) : HX_OK;
}

static hx_status merge(struct merging *merging, const char *const *inputs, const char *output)
{
    merging->traces = memory_allocate(NULL, merging->count, sizeof *merging->traces);
    if (!merging->traces)
        return diag_no_memory(merging->diag);
    hx_status status = HX_OK;
    for (size_t i = 0; status == HX_OK && i < merging->count; i++) {
        if (!inputs || !inputs[i])
            return diag_missing(merging->diag, "hx_trace_merge", "inputs");
        status = read_trace(inputs[i], merging->diag, &merging->traces[i]);
        if (i == 0 || merging->traces[i].start_unix_ns < merging->base_unix_ns)
            merging->base_unix_ns = merging->traces[i].start_unix_ns;
    }
    if (status == HX_OK)
        status = file_writer_open(output, NULL, NULL, merging->diag, &merging->writer);
    if (status != HX_OK)
        return status;
    status = put_all(merging);
    if (status == HX_OK)
        return file_writer_commit(merging->writer, merging->diag);
    file_writer_abandon(merging->writer);
    return status;
}

hx_status hx_trace_merge(const char *const *inputs, size_t count, const char *output, hx_diag *diag)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, output);
    diag_step(diag, "while merging traces into", output, 0, (struct place){0});
    struct merging merging = {.count = count, .next_pid = 1, .diag = diag};
    hx_status status = merge(&merging, inputs, output);
    for (size_t i = 0; merging.traces && i < count; i++)
        memory_free(NULL, merging.traces[i].bytes);
    memory_free(NULL, merging.traces);
    LIST_DONE(NULL, &merging.processes);
    text_done(&merging.text);
    return status;
}
#endif
