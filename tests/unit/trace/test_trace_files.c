/* Event files: what the spool keeps and lets go, how spans nest, contexts, and files written through the
 * public functions. What real viewers make of the files is checked in tests/clients. */
#include "trace_unit.h"

#if HX_TRACING
#include "base/file.h"
#include "trace/files/spool.h"
#include "trace/traceparent.h"

#include <stdio.h>
#include <unistd.h>

static const struct spool_costs costs = {100, 0, 0};

static hx_trace_record span_record(const char *name, uint64_t start, uint64_t end)
{
    return (hx_trace_record){.kind = HX_RECORD_PERF,
                             .target = "hexec::performance",
                             .name = name,
                             .start_unix_ns = start,
                             .unix_ns = end,
                             .duration_ns = end - start,
                             .last_part = UINT32_MAX};
}

static const struct spool_shape *shape_at(const struct spool *spool, size_t entry)
{
    return &spool->shapes.items[spool->entries.items[entry].shape];
}

START_TEST(spans_stand_in_order_and_nest)
{
    static const struct {
        const char *name;
        uint64_t start, end;
    } spans[] = {/* in order of their ends */
                 {"first", 10, 20}, {"inner", 20, 30},   {"middle", 20, 30},
                 {"outer", 10, 30}, {"crossing", 5, 12}, {"nothing", 40, 40}};
    static const char *const order[] = {"crossing", "outer", "first", "middle", "inner", "nothing"};
    static const uint8_t depths[] = {0, 1, 2, 0, 1, 0};
    struct spool spool;
    spool_init(&spool, NULL, costs, UINT64_MAX, 0);
    for (size_t i = 0; i < HX_COUNT_OF(spans); i++) {
        const hx_trace_record record = span_record(spans[i].name, spans[i].start, spans[i].end);
        spool_add(&spool, &record);
    }
    spool_sort(&spool);
    ck_assert_uint_eq(spool.entries.count, HX_COUNT_OF(order));
    for (size_t i = 0; i < HX_COUNT_OF(order); i++) {
        ck_assert_str_eq(shape_at(&spool, i)->name, order[i]);
        ck_assert_uint_eq(spool.entries.items[i].depth, depths[i]);
    }
    /* outer and first began in what had ended: they end with it, and that is reported */
    ck_assert_uint_eq(spool.shortened, 2);
    ck_assert_uint_eq(spool.entries.items[1].duration_ns, 2);
    spool_done(&spool);
}
END_TEST

/* Blocks of `turns` turns each, in the order of `blocks`. */
static void add_blocks(struct spool *spool, const uint32_t *blocks, size_t count, uint32_t turns)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t turn = 0; turn < turns; turn++) {
            hx_trace_record record = span_record("turn", i * 1000 + turn, i * 1000 + turn + 1);
            const hx_field fields[] = {HX_U64("bytes", 4)};
            record.group = blocks[i] + 1;
            record.first_part = record.last_part = turn;
            record.fields = fields;
            record.field_count = 1;
            spool_add(spool, &record);
        }
        hx_trace_record record = span_record("block", i * 1000, i * 1000 + turns);
        record.group = blocks[i] + 1;
        spool_add(spool, &record);
    }
}

static const struct spool_total *total_of(const struct spool *spool, const char *name)
{
    for (size_t i = 0; i < spool->totals.count; i++)
        if (strcmp(spool->totals.items[i].name, name) == 0)
            return &spool->totals.items[i];
    ck_abort_msg("no total of %s", name);
}

START_TEST(too_much_is_thinned_out_whatever_the_order)
{
    static const uint32_t forwards[] = {0, 1, 2, 3, 4, 5, 6, 7}, mixed[] = {3, 7, 0, 6, 1, 5, 4, 2};
    for (int way = 0; way < 2; way++) {
        struct spool spool;
        spool_init(&spool, NULL, costs, 2500, 0); /* room for 25 records, and there are 88 */
        const hx_trace_record frame = span_record("frame", 0, 1);
        spool_add(&spool, &frame);
        add_blocks(&spool, way ? mixed : forwards, 8, 10);
        ck_assert_uint_eq(spool.group_level, 2); /* every fourth: blocks 0 and 4 */
        ck_assert_uint_eq(spool.part_level, 0);
        ck_assert_uint_eq(spool.entries.count, 23);
        for (size_t i = 0; i < spool.entries.count; i++)
            ck_assert_uint_eq(spool.entries.items[i].group % 4, spool.entries.items[i].group ? 1 : 0);
        const struct spool_total *turns = total_of(&spool, "turn");
        ck_assert_uint_eq(turns->count, 80);
        ck_assert_uint_eq(turns->kept, 20);
        ck_assert_uint_eq(turns->duration_ns, 80);
        ck_assert_uint_eq(turns->amounts[SPOOL_BYTES], 320);
        ck_assert_uint_eq(spool.left_out, 0);
        spool_done(&spool);
    }
}
END_TEST

START_TEST(one_large_group_loses_parts)
{
    static const uint32_t only[] = {0};
    struct spool spool;
    spool_init(&spool, NULL, costs, 2500, 0);
    add_blocks(&spool, only, 1, 80);
    ck_assert_uint_eq(spool.group_level, 31);
    ck_assert_uint_eq(spool.part_level, 2);
    ck_assert_uint_eq(total_of(&spool, "turn")->kept, 20);
    ck_assert_uint_eq(total_of(&spool, "block")->kept, 1); /* it has all parts */
    spool_done(&spool);
}
END_TEST

START_TEST(what_has_no_group_is_left_out_last)
{
    struct spool spool;
    spool_init(&spool, NULL, costs, 500, 0);
    for (uint64_t i = 0; i < 10; i++) {
        const hx_trace_record record = span_record("launch", i, i + 1);
        spool_add(&spool, &record);
    }
    ck_assert_uint_eq(spool.entries.count, 6); /* the one that went over the budget is the last */
    ck_assert_uint_eq(spool.left_out, 4);
    ck_assert_uint_eq(total_of(&spool, "launch")->count, 10);
    spool_done(&spool);
}
END_TEST

START_TEST(counters_add_up_before_they_are_thinned_out)
{
    struct spool spool;
    spool_init(&spool, NULL, costs, 300, 0);
    for (uint32_t i = 0; i < 8; i++) {
        const hx_field fields[] = {HX_U64("loaded", 10), HX_F64("lanes", i)};
        const hx_trace_record record = {.kind = HX_RECORD_COUNTER,
                                        .target = "t",
                                        .name = "bytes",
                                        .start_unix_ns = i,
                                        .unix_ns = i,
                                        .group = i + 1,
                                        .last_part = UINT32_MAX,
                                        .fields = fields,
                                        .field_count = 2};
        spool_add(&spool, &record);
    }
    spool_sort(&spool);
    ck_assert_uint_eq(spool.entries.count, 2); /* 0 and 4 */
    ck_assert_uint_eq(spool_field(&spool, &spool.entries.items[1], 0).value.u64, 50);
    ck_assert_double_eq(spool_field(&spool, &spool.entries.items[1], 1).value.f64, 4);
    spool_done(&spool);
}
END_TEST

START_TEST(fields_come_back)
{
    struct spool spool;
    char text[] = "saxpy.yaml";
    const hx_field fields[] = {HX_STR("file", text),
                               HX_U64("u", UINT64_MAX),
                               HX_I64("i", -5),
                               HX_F64("f", 0.5),
                               HX_BOOL("b", 1),
                               HX_STR("none", NULL),
                               HX_STR("again", "saxpy.yaml")};
    hx_trace_record record = span_record("load", 5, 7);
    spool_init(&spool, NULL, costs, UINT64_MAX, 0);
    record.fields = fields;
    record.field_count = HX_COUNT_OF(fields);
    spool_add(&spool, &record);
    memset(text, 'x', sizeof text - 1);
    const struct spool_entry *entry = &spool.entries.items[0];
    ck_assert_str_eq(spool_field(&spool, entry, 0).value.string, "saxpy.yaml");
    ck_assert_uint_eq(spool_field(&spool, entry, 1).value.u64, UINT64_MAX);
    ck_assert_int_eq(spool_field(&spool, entry, 2).value.i64, -5);
    ck_assert_double_eq(spool_field(&spool, entry, 3).value.f64, 0.5);
    ck_assert_int_eq(spool_field(&spool, entry, 4).value.boolean, 1);
    ck_assert_str_eq(spool_field(&spool, entry, 5).value.string, "");
    ck_assert_ptr_eq(spool_field(&spool, entry, 6).value.string, spool_field(&spool, entry, 0).value.string);
    spool_done(&spool);
}
END_TEST

/* What a row of a group does, so many times. */
static void add_row(struct spool *spool, uint32_t group, uint32_t row, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        hx_trace_record record = span_record("turn", group * 100 + i, group * 100 + i + 1);
        record.track = 1;
        record.track_name = "block % warp %";
        record.group = group + 1;
        record.row = row + 1;
        spool_add(spool, &record);
    }
}

START_TEST(rows_stand_in_order_behind_the_others)
{
    static const uint32_t spans[][2] = {{3, 1}, {0, 0}, {3, 0}, {1, 31}, {0, 1}, {3, 1}};
    static const uint32_t order[][4] = {/* group, row, entries, number of the group */
                                        {1, 1, 2, 0},
                                        {1, 2, 2, 0},
                                        {2, 32, 2, 1},
                                        {4, 1, 2, 2},
                                        {4, 2, 4, 2}};
    struct spool spool;
    spool_init(&spool, NULL, costs, UINT64_MAX, 0);
    for (size_t i = 0; i < HX_COUNT_OF(spans); i++) {
        hx_trace_record record = span_record("block", spans[i][0] * 100, spans[i][0] * 100 + 9);
        record.thread = spans[i][0];
        record.group = spans[i][0] + 1;
        add_row(&spool, spans[i][0], spans[i][1], 2);
        spool_add(&spool, &record);
    }
    spool_sort(&spool);
    ck_assert_uint_eq(spool.tracks.count, 3 + HX_COUNT_OF(order));
    for (size_t i = 0; i < spool.tracks.count; i++) {
        const struct spool_track *track = &spool.tracks.items[i];
        if (i < 3) {
            ck_assert_uint_eq(track->row, 0);
            continue;
        }
        ck_assert_uint_eq(track->group, order[i - 3][0]);
        ck_assert_uint_eq(track->row, order[i - 3][1]);
        ck_assert_uint_eq(track->entries, order[i - 3][2]);
        ck_assert_uint_eq(track->group_number, order[i - 3][3]);
        ck_assert_uint_eq(track->row_number, i - 3);
    }
    uint32_t entries[8] = {0};
    for (size_t i = 0; i < spool.entries.count; i++) {
        const struct spool_entry *entry = &spool.entries.items[i];
        entries[entry->track]++;
        ck_assert_str_eq(shape_at(&spool, i)->name, entry->track < 3 ? "block" : "turn");
    }
    for (size_t i = 0; i < spool.tracks.count; i++)
        ck_assert_uint_eq(entries[i], spool.tracks.items[i].entries);
    spool_done(&spool);
}
END_TEST

START_TEST(rows_go_with_what_stood_on_them)
{
    static const uint32_t forwards[] = {0, 1, 2, 3, 4, 5, 6, 7}, mixed[] = {3, 7, 0, 6, 1, 5, 4, 2};
    for (int way = 0; way < 2; way++) {
        struct spool spool;
        spool_init(&spool, NULL, (struct spool_costs){100, 0, 50}, 3600, 0);
        for (size_t i = 0; i < 8; i++)
            for (uint32_t row = 0; row < 4; row++)
                add_row(&spool, way ? mixed[i] : forwards[i], row, 4);
        ck_assert_uint_eq(spool.group_level, 2); /* 32 records of 100 and 8 rows of 50 just fit */
        ck_assert_uint_eq(spool.row_count, 8);
        ck_assert_uint_eq(spool.tracks.count, 8);
        ck_assert_uint_eq(spool.kept_bytes, 8 * 50 + 32 * 100);
        spool_sort(&spool);
        for (size_t i = 0; i < spool.entries.count; i++) {
            const struct spool_track *track = &spool.tracks.items[spool.entries.items[i].track];
            ck_assert_uint_eq(track->group, spool.entries.items[i].group);
            ck_assert_uint_eq(track->group, i < 16 ? 1 : 5);
        }
        spool_done(&spool);
    }
}
END_TEST

/* However many there are, and however much room. */
START_TEST(rows_are_bounded)
{
    struct spool spool;
    spool_init(&spool, NULL, costs, UINT64_MAX, 0);
    for (uint32_t group = 0; group < 1000; group++)
        for (uint32_t row = 0; row < 64; row++)
            add_row(&spool, group, row, 1);
    ck_assert_uint_eq(spool.group_level, 2);
    ck_assert_uint_eq(spool.row_count, 250 * 64);
    ck_assert_uint_eq(spool.entries.count, 250 * 64);
    ck_assert_uint_eq(total_of(&spool, "turn")->count, 64000);
    ck_assert(!spool.failed);
    spool_done(&spool);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    static const uint32_t blocks[] = {0, 1, 2};
    const hx_field fields[] = {HX_STR("file", "a")};
    size_t tries = 0;
    for (bool failed = true; failed;) {
        struct failing_allocator failing;
        hx_trace_record record = span_record("load", 0, 1);
        struct spool spool;
        failing_allocator_init(&failing, ++tries);
        record.fields = fields;
        record.field_count = 1;
        spool_init(&spool, &failing.hook, costs, UINT64_MAX, 0);
        spool_add(&spool, &record);
        add_blocks(&spool, blocks, 3, 30);
        add_row(&spool, 1, 1, 1);
        failed = spool.failed;
        spool_sort(&spool);
        spool_done(&spool);
        ck_assert_uint_eq(failing.live, 0);
    }
    ck_assert_uint_gt(tries, 5);
}
END_TEST

START_TEST(traceparents)
{
    static const struct {
        const char *header;
        bool good;
    } cases[] = {
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true},
        {" 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00 ", true},
        {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes-later", true},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", false},
        {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
        {"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false},
        {"00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
        {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false},
        {"00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01", false},
        {"", false},
    };
    for (size_t i = 0; i < HX_COUNT_OF(cases); i++) {
        struct trace_context context = {0};
        ck_assert_msg(traceparent_parse(slice_of(cases[i].header), &context) == cases[i].good, "%s",
                      cases[i].header);
        if (!cases[i].good)
            continue;
        traceparent_draw(&context);
        ck_assert_str_eq(context.trace_id, "0af7651916cd43dd8448eb211c80319c");
        ck_assert_str_eq(context.parent_id, "b7ad6b7169203331");
        ck_assert_uint_eq(strlen(context.root_id), 16);
        ck_assert_int_eq(context.is_sampled, strstr(cases[i].header, "-01") != NULL);
    }
    struct trace_context one = {0}, other = {0};
    traceparent_draw(&one);
    traceparent_draw(&other);
    ck_assert_uint_eq(strlen(one.trace_id), 32);
    ck_assert_str_ne(one.trace_id, other.trace_id);
    ck_assert_str_ne(one.root_id, other.root_id);
    ck_assert_str_eq(one.parent_id, "");
}
END_TEST

static char folder[] = "/tmp/hexec-files-XXXXXX";
static char path[64], given[96];

static void make_folder(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    snprintf(given, sizeof given, "chrome:%s", path);
}

static void remove_folder(void)
{
    (void)unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); /* no temporary file is left */
}

static char *read_file(void)
{
    char *bytes = NULL;
    size_t size;
    ck_assert_int_eq(file_read(path, 1 << 20, NULL, NULL, (struct place){0}, &bytes, &size), HX_OK);
    return bytes;
}

static hx_trace_options file_options(const char *const *files)
{
    static const char *const nothing[] = {NULL};
    hx_trace_options options = quiet_options(nothing);
    options.files = files;
    options.file_count = 1;
    return options;
}

START_TEST(a_file_holds_what_the_log_does_not)
{
    const char *const files[] = {given};
    hx_trace_options options = file_options(files);
    struct text kept = {0};
    make_folder();
    options.filter = "warn";
    trace_start(&options, &kept);
    {
        HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_F64("ratio", 0.0 / 0.0));
        HX_PERF_SPAN("cpu_ldg", HX_U64("bytes", 4));
        HX_EVENT(HX_TRACE, "hexec::exec", "too_fine");
    }
    const hx_trace_place place = {.track = hx_trace_track("worker \"7\""), .last_part = UINT32_MAX};
    ck_assert_uint_eq(place.track, hx_trace_track("worker \"7\""));
    hx_trace_perf_put(hx_trace_perf_site("cpu_add"), &place, hx_trace_ticks(), hx_trace_ticks(), NULL, 0);
    ck_assert(access(path, F_OK) != 0); /* not before it is complete */
    trace_expect(&kept, "");
    char *text = read_file();
    ck_assert_ptr_nonnull(
        strstr(text, "\"name\":\"launch\",\"cat\":\"hexec::exec\",\"args\":{\"ratio\":null}}"));
    ck_assert_ptr_nonnull(
        strstr(text, "\"name\":\"cpu_ldg\",\"cat\":\"hexec::performance\",\"args\":{\"bytes\":4}}"));
    ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"worker \\\"7\\\"\"}"));
    ck_assert_ptr_null(strstr(text, "too_fine"));
    memory_free(NULL, text);
    remove_folder();
}
END_TEST

START_TEST(rows_have_names_and_groups)
{
    const char *const files[] = {given};
    hx_trace_options options = file_options(files);
    struct text kept = {0};
    options.filter = "warn";
    options.file_tracks = "warps", options.process_name = "p";
    make_folder();
    trace_start(&options, &kept);
    ck_assert_int_eq(hx_trace_files_by_warp(), 1);
    const hx_trace_place place = {
        .track = hx_trace_track("block % warp %"), .group = 4, .row = 2, .last_part = UINT32_MAX};
    hx_trace_perf_put(hx_trace_perf_site("cpu_add"), &place, hx_trace_ticks(), hx_trace_ticks(), NULL, 0);
    trace_expect(&kept, "");
    char *text = read_file();
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"process_name\",\"args\":{\"name\":\"p: block 3\"}"));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"thread_name\",\"args\":{\"name\":\"block 3 warp 1\"}"));
    memory_free(NULL, text);
    options.file_tracks = "blocks";
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_INVALID);
    remove_folder();
}
END_TEST

START_TEST(the_limit_is_for_perf_spans)
{
    const char *const files[] = {given};
    hx_trace_options options = file_options(files);
    options.file_filter = "[cpu_ldg{block=0}]";
    make_folder();
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    for (unsigned block = 0; block < 2; block++) {
        HX_SPAN(HX_DEBUG, "hexec::exec", "launch");
        const hx_field fields[] = {HX_U64("block", block)};
        hx_trace_perf_complete(hx_trace_perf_site("cpu_ldg"), hx_trace_ticks(), hx_trace_ticks(), fields, 1);
        hx_trace_perf_complete(hx_trace_perf_site("cpu_add"), hx_trace_ticks(), hx_trace_ticks(), fields, 1);
    }
    ck_assert_int_eq(hx_trace_finish(NULL), HX_OK);
    char *text = read_file();
    ck_assert_ptr_nonnull(
        strstr(text, "{\"name\":\"cpu_ldg\",\"target\":\"hexec::performance\",\"count\":1,"));
    ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"launch\",\"target\":\"hexec::exec\",\"count\":2,"));
    ck_assert_ptr_null(strstr(text, "cpu_add"));
    memory_free(NULL, text);
    remove_folder();
}
END_TEST

#define wants(text, part) ck_assert_msg(strstr(text, part), "there is no %s in %s", part, text)
/* Sites of one name differ by their fields; a span is called by its kernel, and sums are of all kernels. */
START_TEST(spans_say_what_they_are_of)
{
    const char *const files[] = {given};
    hx_trace_options options = file_options(files);
    const hx_field first[] = {HX_STR("type", "f32"), HX_U64("line", 7)},
                   second[] = {HX_STR("type", "u32"), HX_U64("line", 8)}, own[] = {HX_U64("pc", 3)};
    struct text kept = {0};
    make_folder();
    options.redact_token = "-";
    options.filter = "warn";
    for (int redacted = 0; redacted < 2; redacted++) {
        options.redact_fields = redacted ? "type" : NULL;
        trace_start(&options, &kept);
        hx_perf_site *site = hx_trace_perf_site_with("cpu_add", first, 2);
        ck_assert(site != hx_trace_perf_site_with("cpu_add", second, 2) &&
                  site != hx_trace_perf_site("cpu_add"));
        ck_assert_ptr_eq(site, hx_trace_perf_site_with("cpu_add", first, 2));
        {
            HX_SPAN(HX_DEBUG, "hexec::exec", "launch", HX_STR("kernel.name", "saxpy"));
            hx_trace_perf_complete(site, hx_trace_ticks(), hx_trace_ticks(), own, 1);
        }
        trace_expect(&kept, "");
        char *text = read_file();
        wants(text, redacted ? "\"args\":{\"pc\":3,\"type\":\"-\",\"line\":7}}"
                             : "\"args\":{\"pc\":3,\"type\":\"f32\",\"line\":7}}");
        wants(text,
              "\"name\":\"launch saxpy\",\"cat\":\"hexec::exec\",\"args\":{\"kernel.name\":\"saxpy\"}}");
        wants(text, "{\"name\":\"launch\",\"target\":\"hexec::exec\",\"count\":1,");
        memory_free(NULL, text);
    }
    remove_folder();
}
END_TEST

/* Far more than a ring holds: the thread waits, and nothing is dropped. */
START_TEST(files_lose_nothing)
{
    const char *const files[] = {given};
    hx_trace_options options = file_options(files);
    options.ring_records = 2;
    options.file_budget_bytes = 1 << 16;
    make_folder();
    ck_assert_int_eq(hx_trace_init(&options, NULL), HX_OK);
    for (int i = 0; i < 500; i++)
        HX_EVENT(HX_DEBUG, "hexec::exec", "step");
    ck_assert_int_eq(hx_trace_finish(NULL), HX_OK);
    ck_assert_uint_eq(hx_trace_dropped(), 0);
    char *text = read_file();
    ck_assert_ptr_nonnull(strstr(text, "{\"name\":\"step\",\"target\":\"hexec::exec\",\"count\":500,"));
    memory_free(NULL, text);
    remove_folder();
}
END_TEST

START_TEST(bad_files_are_reported_at_once)
{
    static const char *const bad[] = {"chrome:",  "chrome", "crome:x", "", "perfetto:/nonexistent/x",
                                      "firefox:/"};
    for (size_t i = 0; i < HX_COUNT_OF(bad); i++) {
        hx_trace_options options = file_options(&bad[i]);
        hx_diag *diag;
        ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
        const hx_status status = hx_trace_init(&options, diag);
        ck_assert_msg(status == HX_INVALID || status == HX_IO, "%s", bad[i]);
        ck_assert_uint_eq(hx_diag_count(diag), 1);
        ck_assert_int_eq(hx_trace_perf_enabled(), 0);
        hx_diag_free(diag);
    }
}
END_TEST

static void write_text(const char *name, const char *text)
{
    ck_assert_int_eq(file_write(name, text, strlen(text), NULL), HX_OK);
}

START_TEST(merged_times_and_processes)
{
    char first[64], second[64];
    make_folder();
    snprintf(first, sizeof first, "%s/1", folder);
    snprintf(second, sizeof second, "%s/2", folder);
    write_text(first, "{\"otherData\":{\"unix_start_ns\":\"1700000000000002500\"},\"traceEvents\":["
                      "{\"ph\":\"X\",\"pid\":7,\"ts\":1.500,\"args\":{\"ts\":3,\"pid\":\"]\\\"\"}}]}");
    write_text(second,
               " {\"x\" : [1, {}], \"traceEvents\" : [ {\"pid\":7,\"ts\":0} , {\"pid\":8,\"ts\":1e1} ],\n"
               "\"otherData\":{\"unix_start_ns\":\"1700000000000000000\"}}");
    const char *const inputs[] = {first, second};
    ck_assert_int_eq(hx_trace_merge(inputs, 2, path, NULL), HX_OK);
    char *text = read_file();
    ck_assert_ptr_nonnull(strstr(text, "\"unix_start_ns\":\"1700000000000000000\""));
    ck_assert_ptr_nonnull(
        strstr(text, "[\n{\"ph\":\"X\",\"pid\":7,\"ts\":4.000,\"args\":{\"ts\":3,\"pid\":\"]\\\"\"}},\n"
                     "{\"pid\":8,\"ts\":0.000},\n{\"pid\":9,\"ts\":10.000}]}"));
    memory_free(NULL, text);
    static const char *const broken[] = {
        "",
        "[]",
        "{\"otherData\":{\"unix_start_ns\":\"1\"},\"traceEvents\":[{\"ts\":1]}",
        "{\"otherData\":{\"unix_start_ns\":\"1\"},\"traceEvents\":[1]}",
        "{\"otherData\":{\"unix_start_ns\":1},\"traceEvents\":[]}",
        "{\"traceEvents\":[]}",
        "{\"otherData\":{\"unix_start_ns\":\"1\"},\"traceEvents\":[{\"a\":\"",
        "\x1f\x8b and so on"};
    ck_assert_int_eq(unlink(path), 0);
    for (size_t i = 0; i < HX_COUNT_OF(broken); i++) {
        write_text(second, broken[i]);
        ck_assert_msg(hx_trace_merge(inputs, 2, path, NULL) == HX_INVALID, "%s", broken[i]);
        ck_assert_int_ne(access(path, F_OK), 0);
    }
    ck_assert_int_eq(unlink(first), 0);
    ck_assert_int_eq(unlink(second), 0);
    remove_folder();
}
END_TEST

UNIT_MAIN("trace files", spans_stand_in_order_and_nest, too_much_is_thinned_out_whatever_the_order,
          one_large_group_loses_parts, what_has_no_group_is_left_out_last,
          counters_add_up_before_they_are_thinned_out, fields_come_back, every_allocation_may_fail,
          rows_stand_in_order_behind_the_others, rows_go_with_what_stood_on_them, rows_are_bounded,
          traceparents, a_file_holds_what_the_log_does_not, rows_have_names_and_groups,
          the_limit_is_for_perf_spans, spans_say_what_they_are_of, files_lose_nothing,
          bad_files_are_reported_at_once, merged_times_and_processes)
#else
int main(void)
{
    return EXIT_SUCCESS;
}
#endif
