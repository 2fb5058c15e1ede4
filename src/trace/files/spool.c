/* The spool.
 *
 * Takes records in order of their ends, leaves entries that a file can be written from. The levels of
 * sampling are tried in one fixed order, groups first, and the first one at which everything fits is where
 * the spool ends up whatever order the records came in: keeping less never makes room for more than it would
 * have had from the beginning. */
#include "trace/files/spool.h"

#if HX_TRACING
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_MOST       31 /* groups and parts are 32 bits wide */
#define SHAPES_MOST      UINT16_MAX
#define TRACKS_MOST      UINT16_MAX
#define ROWS_MOST        (1u << 14) /* tracks of rows in a file: no viewer is of use with more */
#define NEST_MOST        255
#define FIRST_SLOT_COUNT 64

static const char *const amount_names[SPOOL_AMOUNTS] = {"bytes", "lanes", "flops"};

const char *spool_amount_name(enum spool_amount amount)
{
    return amount_names[amount];
}

void spool_init(struct spool *spool, const hx_allocator *allocator, struct spool_costs costs,
                uint64_t budget_bytes, uint64_t start_unix_ns)
{
    *spool = (struct spool){
        .allocator = allocator, .costs = costs, .budget_bytes = budget_bytes, .start_unix_ns = start_unix_ns};
    arena_init(&spool->arena, allocator);
}

void spool_done(struct spool *spool)
{
    LIST_DONE(spool->allocator, &spool->entries);
    LIST_DONE(spool->allocator, &spool->values);
    LIST_DONE(spool->allocator, &spool->shapes);
    LIST_DONE(spool->allocator, &spool->totals);
    LIST_DONE(spool->allocator, &spool->tracks);
    LIST_DONE(spool->allocator, &spool->strings);
    memory_free(spool->allocator, spool->shape_slots);
    memory_free(spool->allocator, spool->string_slots);
    memory_free(spool->allocator, spool->track_slots);
    arena_done(&spool->arena);
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static uint64_t hash_more(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_shape(const struct spool_shape *shape)
{
    uint64_t hash = hash_more((uintptr_t)shape->title, (uint64_t)shape->kind << 8 | shape->field_count);
    for (unsigned i = 0; i < shape->field_count; i++)
        hash = hash_more(hash, (uintptr_t)shape->names[i] + shape->kinds[i]);
    return hash;
}

static bool same_shape(const struct spool_shape *a, const struct spool_shape *b)
{
    return a->name == b->name && a->title == b->title && a->target == b->target && a->kind == b->kind &&
           a->field_count == b->field_count && memcmp(a->kinds, b->kinds, a->field_count) == 0 &&
           memcmp(a->names, b->names, a->field_count * sizeof *a->names) == 0;
}

static uint64_t hash_string(const char *string)
{
    uint64_t hash = 0;
    for (const char *at = string; *at; at++)
        hash = hash_more(hash, (unsigned char)*at);
    return hash;
}

/* Doubles a table of slots when `count` things half fill it; `hash_of` gives each thing's hash. */
static bool widen(struct spool *spool, uint32_t **slots, size_t *slot_count, size_t count,
                  uint64_t (*hash_of)(const struct spool *, size_t))
{
    if (count * 2 < *slot_count)
        return true;
    size_t wide = *slot_count ? *slot_count * 2 : FIRST_SLOT_COUNT;
    uint32_t *fresh = memory_allocate(spool->allocator, wide, sizeof *fresh);
    if (!fresh)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash_of(spool, i) & (wide - 1);
        while (fresh[at])
            at = (at + 1) & (wide - 1);
        fresh[at] = (uint32_t)i + 1;
    }
    memory_free(spool->allocator, *slots);
    *slots = fresh;
    *slot_count = wide;
    return true;
}

static uint64_t hash_of_shape(const struct spool *spool, size_t index)
{
    return hash_shape(&spool->shapes.items[index]);
}

static uint64_t hash_of_string(const struct spool *spool, size_t index)
{
    return hash_string(spool->strings.items[index]);
}

static bool find_string(struct spool *spool, const char *string, uint64_t *ret_index)
{
    string = string ? string : "";
    if (!widen(spool, &spool->string_slots, &spool->string_slot_count, spool->strings.count, hash_of_string))
        return false;
    const size_t mask = spool->string_slot_count - 1;
    size_t at = hash_string(string) & mask;
    for (; spool->string_slots[at]; at = (at + 1) & mask)
        if (strcmp(spool->strings.items[spool->string_slots[at] - 1], string) == 0) {
            *ret_index = spool->string_slots[at] - 1;
            return true;
        }
    const char *copy = arena_copy(&spool->arena, string, strlen(string));
    if (!copy || spool->strings.count >= UINT32_MAX || !LIST_PUSH(spool->allocator, &spool->strings, copy))
        return false;
    spool->string_slots[at] = (uint32_t)spool->strings.count;
    *ret_index = spool->strings.count - 1;
    return true;
}

static bool find_total(struct spool *spool, const hx_trace_record *record, uint32_t *ret_index)
{
    for (*ret_index = 0; *ret_index < spool->totals.count; ++*ret_index) {
        const struct spool_total *total = &spool->totals.items[*ret_index];
        if (total->kind == record->kind && strcmp(total->name, record->name) == 0 &&
            strcmp(total->target, record->target) == 0)
            return true;
    }
    const struct spool_total total = {
        .target = record->target, .name = record->name, .kind = (uint8_t)record->kind};
    return LIST_PUSH(spool->allocator, &spool->totals, total);
}

/* A file makes no difference between the fields of a record and those of its site. */
static size_t count_fields(const hx_trace_record *record)
{
    return record->field_count + record->constant_count;
}

static const hx_field *field_at(const hx_trace_record *record, size_t index)
{
    return index < record->field_count ? &record->fields[index]
                                       : &record->constants[index - record->field_count];
}

/* What a viewer shows. Spans about kernels differ by the kernels; the sums are of all of them. */
static const char *title_of(struct spool *spool, const hx_trace_record *record)
{
    char title[256];
    uint64_t index;
    for (size_t i = 0; record->kind == HX_RECORD_SPAN && i < record->field_count; i++) {
        const hx_field *field = &record->fields[i];
        if (field->kind != HX_FIELD_STR || strcmp(field->name, "kernel.name") != 0)
            continue;
        snprintf(title, sizeof title, "%s %s", record->name, field->value.string);
        return find_string(spool, title, &index) ? spool->strings.items[index] : NULL;
    }
    return record->name;
}

static bool find_shape(struct spool *spool, const hx_trace_record *record, uint16_t *ret_index)
{
    struct spool_shape shape = {.target = record->target,
                                .name = record->name,
                                .title = title_of(spool, record),
                                .kind = (uint8_t)record->kind,
                                .field_count = (uint8_t)count_fields(record)};
    if (!shape.title)
        return false;
    for (size_t i = 0; i < shape.field_count; i++) {
        shape.names[i] = field_at(record, i)->name;
        shape.kinds[i] = (uint8_t)field_at(record, i)->kind;
    }
    if (!widen(spool, &spool->shape_slots, &spool->shape_slot_count, spool->shapes.count, hash_of_shape))
        return false;
    const size_t mask = spool->shape_slot_count - 1;
    size_t at = hash_shape(&shape) & mask;
    for (; spool->shape_slots[at]; at = (at + 1) & mask)
        if (same_shape(&spool->shapes.items[spool->shape_slots[at] - 1], &shape)) {
            *ret_index = (uint16_t)(spool->shape_slots[at] - 1);
            return true;
        }
    if (spool->shapes.count > SHAPES_MOST || !find_total(spool, record, &shape.total) ||
        !LIST_PUSH(spool->allocator, &spool->shapes, shape))
        return false;
    spool->shape_slots[at] = (uint32_t)spool->shapes.count;
    *ret_index = (uint16_t)(spool->shapes.count - 1);
    return true;
}

/* ---- Tracks -------------------------------------------------------------------------------------------- */

static uint64_t hash_track(const struct spool_track *track)
{
    const uint64_t hash = hash_more((uint64_t)(track->name != NULL), track->number);
    return hash_more(hash, (uint64_t)track->group << 32 | track->row);
}

static uint64_t hash_of_track(const struct spool *spool, size_t index)
{
    return hash_track(&spool->tracks.items[index]);
}

static bool same_track(const struct spool_track *a, const struct spool_track *b)
{
    return a->number == b->number && (a->name != NULL) == (b->name != NULL) && a->group == b->group &&
           a->row == b->row;
}

static bool find_track(struct spool *spool, const hx_trace_record *record, uint16_t *ret_index)
{
    const struct spool_track track = {.name = record->track ? record->track_name : NULL,
                                      .number = record->track                       ? record->track
                                                : record->kind == HX_RECORD_COUNTER ? SPOOL_PROCESS
                                                                                    : record->thread,
                                      .group = record->row ? record->group : 0,
                                      .row = record->row,
                                      .index = (uint32_t)spool->tracks.count};
    if (!widen(spool, &spool->track_slots, &spool->track_slot_count, spool->tracks.count, hash_of_track))
        return false;
    const size_t mask = spool->track_slot_count - 1;
    size_t at = hash_track(&track) & mask;
    for (; spool->track_slots[at]; at = (at + 1) & mask)
        if (same_track(&spool->tracks.items[spool->track_slots[at] - 1], &track)) {
            *ret_index = (uint16_t)(spool->track_slots[at] - 1);
            return true;
        }
    *ret_index = (uint16_t)spool->tracks.count;
    if (spool->tracks.count >= TRACKS_MOST || !LIST_PUSH(spool->allocator, &spool->tracks, track))
        return false;
    spool->track_slots[at] = (uint32_t)spool->tracks.count;
    if (track.row) {
        spool->row_count++;
        spool->kept_bytes += spool->costs.track;
    }
    return true;
}

/* Removes empty rows and renumbers those of the entries. */
static void drop_empty_rows(struct spool *spool)
{
    size_t kept = 0;
    for (size_t i = 0; i < spool->tracks.count; i++) {
        struct spool_track track = spool->tracks.items[i];
        spool->tracks.items[i].sorted = (uint32_t)kept;
        if (track.row && track.entries == 0) {
            spool->row_count--;
            spool->kept_bytes -= spool->costs.track;
            continue;
        }
        track.index = (uint32_t)kept;
        track.sorted = spool->tracks.items[kept].sorted; /* that of the track which had this place */
        spool->tracks.items[kept++] = track;
    }
    for (size_t i = 0; i < spool->entries.count; i++)
        spool->entries.items[i].track = (uint16_t)spool->tracks.items[spool->entries.items[i].track].sorted;
    spool->tracks.count = kept;
    memset(spool->track_slots, 0, spool->track_slot_count * sizeof *spool->track_slots);
    for (size_t i = 0; i < kept; i++) {
        size_t at = hash_of_track(spool, i) & (spool->track_slot_count - 1);
        while (spool->track_slots[at])
            at = (at + 1) & (spool->track_slot_count - 1);
        spool->track_slots[at] = (uint32_t)i + 1;
    }
}

/* ---- Sampling ------------------------------------------------------------------------------------------ */

/* Is a multiple of 2^level among first to last? */
static bool has_multiple(uint32_t first, uint32_t last, unsigned level)
{
    const uint64_t step = UINT64_C(1) << level, next = (first + step - 1) / step * step;
    return next <= last;
}

static bool is_sampled(const struct spool *spool, uint32_t group, uint32_t first_part, uint32_t last_part)
{
    return group == 0 || (has_multiple(group - 1, group - 1, spool->group_level) &&
                          has_multiple(first_part, last_part, spool->part_level));
}

/* Its texts stand in the file each time. */
static uint64_t cost_of(const struct spool *spool, const struct spool_entry *entry)
{
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    uint64_t bytes = spool->costs.record + (uint64_t)shape->field_count * spool->costs.field;
    for (unsigned i = 0; i < shape->field_count; i++)
        if (shape->kinds[i] == HX_FIELD_STR)
            bytes += strlen(spool->strings.items[spool->values.items[entry->values + i]]);
    return bytes;
}

/* Removes the entries that the levels leave out. */
static void thin_out(struct spool *spool)
{
    size_t kept = 0, kept_values = 0;
    for (size_t i = 0; i < spool->entries.count; i++) {
        struct spool_entry entry = spool->entries.items[i];
        const struct spool_shape *shape = &spool->shapes.items[entry.shape];
        if (!is_sampled(spool, entry.group, entry.first_part, entry.last_part)) {
            spool->kept_bytes -= cost_of(spool, &entry);
            spool->totals.items[shape->total].kept--;
            spool->tracks.items[entry.track].entries--;
            continue;
        }
        if (shape->field_count > 0)
            memmove(spool->values.items + kept_values, spool->values.items + entry.values,
                    shape->field_count * sizeof *spool->values.items);
        entry.values = (uint32_t)kept_values;
        kept_values += shape->field_count;
        spool->entries.items[kept++] = entry;
    }
    spool->entries.count = kept;
    spool->values.count = kept_values;
    if (spool->row_count > 0)
        drop_empty_rows(spool);
}

static bool is_too_much(const struct spool *spool)
{
    return spool->kept_bytes > spool->budget_bytes || spool->row_count > ROWS_MOST;
}

static void keep_to_budget(struct spool *spool)
{
    while (is_too_much(spool) && spool->part_level < LEVEL_MOST) {
        if (spool->group_level < LEVEL_MOST)
            spool->group_level++;
        else
            spool->part_level++;
        thin_out(spool);
    }
}

/* ---- Adding -------------------------------------------------------------------------------------------- */

static void sum_up(struct spool *spool, struct spool_shape *shape, const hx_trace_record *record)
{
    struct spool_total *total = &spool->totals.items[shape->total];
    total->count++;
    total->duration_ns += record->duration_ns;
    for (size_t i = 0; i < record->field_count; i++) {
        const hx_field *field = &record->fields[i];
        if (field->kind != HX_FIELD_U64)
            continue;
        if (record->kind == HX_RECORD_COUNTER)
            shape->sums[i] += field->value.u64;
        for (int amount = 0; amount < SPOOL_AMOUNTS; amount++)
            if (strcmp(field->name, amount_names[amount]) == 0)
                total->amounts[amount] += field->value.u64;
    }
}

static bool put_values(struct spool *spool, const struct spool_shape *shape, const hx_trace_record *record)
{
    const size_t count = count_fields(record);
    if (count == 0)
        return true;
    if (!LIST_RESERVE(spool->allocator, &spool->values, count) ||
        spool->values.count > UINT32_MAX - HX_FIELDS_MAX)
        return false;
    uint64_t *to = spool->values.items + spool->values.count;
    for (size_t i = 0; i < count; i++) {
        const hx_field *field = field_at(record, i);
        if (field->kind == HX_FIELD_STR) {
            if (!find_string(spool, field->value.string, &to[i]))
                return false;
        } else if (field->kind == HX_FIELD_BOOL)
            to[i] = field->value.boolean != 0;
        else if (record->kind == HX_RECORD_COUNTER && field->kind == HX_FIELD_U64)
            to[i] = shape->sums[i];
        else
            memcpy(&to[i], &field->value, sizeof to[i]);
    }
    return true;
}

/* Where a span ends in its file. What reading the clock takes is not left off here: what happened at the end
 * of a span would be outside of it. */
static uint64_t extent(const hx_trace_record *record)
{
    return record->kind == HX_RECORD_SPAN && record->unix_ns > record->start_unix_ns
               ? record->unix_ns - record->start_unix_ns
               : record->duration_ns;
}

static bool put_entry(struct spool *spool, uint16_t shape_index, const hx_trace_record *record)
{
    struct spool_shape *shape = &spool->shapes.items[shape_index];
    struct spool_entry entry = {.start_ns = record->start_unix_ns > spool->start_unix_ns
                                                ? record->start_unix_ns - spool->start_unix_ns
                                                : 0,
                                .duration_ns = extent(record),
                                .group = record->group,
                                .first_part = record->first_part,
                                .last_part = record->last_part,
                                .order = spool->arrived++,
                                .values = (uint32_t)spool->values.count,
                                .shape = shape_index};
    if (!find_track(spool, record, &entry.track) || !put_values(spool, shape, record) ||
        !LIST_PUSH(spool->allocator, &spool->entries, entry))
        return false;
    spool->values.count += shape->field_count;
    spool->kept_bytes += cost_of(spool, &entry);
    spool->totals.items[shape->total].kept++;
    spool->tracks.items[entry.track].entries++;
    return true;
}

void spool_add(struct spool *spool, const hx_trace_record *record)
{
    uint16_t shape;
    const uint64_t end_ns =
        record->unix_ns > spool->start_unix_ns ? record->unix_ns - spool->start_unix_ns : 0;
    if (record->kind == HX_RECORD_ENTER || spool->failed)
        return;
    spool->end_ns = end_ns > spool->end_ns ? end_ns : spool->end_ns;
    if (!find_shape(spool, record, &shape)) {
        spool->failed = true;
        return;
    }
    sum_up(spool, &spool->shapes.items[shape], record);
    if (!is_sampled(spool, record->group, record->first_part, record->last_part))
        return;
    if (is_too_much(spool)) { /* nothing is left to remove */
        spool->left_out++;
        return;
    }
    if (!put_entry(spool, shape, record))
        spool->failed = true;
    keep_to_budget(spool);
}

hx_field spool_field(const struct spool *spool, const struct spool_entry *entry, unsigned index)
{
    const struct spool_shape *shape = &spool->shapes.items[entry->shape];
    hx_field field = {.name = shape->names[index], .kind = (hx_field_kind)shape->kinds[index]};
    const uint64_t bits = spool->values.items[entry->values + index];
    if (field.kind == HX_FIELD_STR)
        field.value.string = spool->strings.items[bits];
    else if (field.kind == HX_FIELD_BOOL)
        field.value.boolean = bits != 0;
    else
        memcpy(&field.value, &bits, sizeof bits);
    return field;
}

/* ---- Sorting ------------------------------------------------------------------------------------------- */

/* Of two that begin and end together the one that came later is around the other. */
static int compare(const void *first, const void *second)
{
    const struct spool_entry *a = first, *b = second;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return a->order > b->order ? -1 : a->order < b->order;
}

static bool is_span(const struct spool *spool, const struct spool_entry *entry)
{
    const uint8_t kind = spool->shapes.items[entry->shape].kind;
    return kind == HX_RECORD_SPAN || kind == HX_RECORD_PERF;
}

/* Rows behind the others, which stay in the order in which they came. */
static int compare_tracks(const void *first, const void *second)
{
    const struct spool_track *a = first, *b = second;
    if ((a->row != 0) != (b->row != 0))
        return a->row ? 1 : -1;
    if (!a->row)
        return a->index < b->index ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static void sort_tracks(struct spool *spool)
{
    struct spool_track *tracks = spool->tracks.items;
    uint32_t rows = 0, groups = 0;
    if (spool->row_count == 0)
        return;
    qsort(tracks, spool->tracks.count, sizeof *tracks, compare_tracks);
    for (size_t i = 0; i < spool->tracks.count; i++) {
        tracks[tracks[i].index].sorted = (uint32_t)i;
        if (!tracks[i].row)
            continue;
        const bool is_first =
            rows == 0 || tracks[i].number != tracks[i - 1].number || tracks[i].group != tracks[i - 1].group;
        groups += is_first && rows > 0;
        tracks[i].row_number = rows++;
        tracks[i].group_number = groups;
    }
    for (size_t i = 0; i < spool->entries.count; i++)
        spool->entries.items[i].track = (uint16_t)tracks[spool->entries.items[i].track].sorted;
}

void spool_sort(struct spool *spool)
{
    uint64_t ends[NEST_MOST]; /* of the spans that are open */
    unsigned depth = 0;
    if (spool->entries.count == 0)
        return;
    sort_tracks(spool);
    qsort(spool->entries.items, spool->entries.count, sizeof *spool->entries.items, compare);
    for (size_t i = 0; i < spool->entries.count; i++) {
        struct spool_entry *entry = &spool->entries.items[i];
        if (i == 0 || entry->track != entry[-1].track)
            depth = 0;
        while (depth > 0 && ends[depth - 1] <= entry->start_ns &&
               (entry->duration_ns > 0 || ends[depth - 1] < entry->start_ns))
            depth--;
        entry->depth = (uint8_t)depth;
        if (!is_span(spool, entry))
            continue;
        uint64_t end = entry->start_ns + entry->duration_ns;
        if (depth > 0 &&
            end > ends[depth - 1]) { /* no viewer draws spans that cross: it ends with the other */
            end = ends[depth - 1];
            entry->duration_ns = end - entry->start_ns;
            spool->shortened++;
        }
        if (depth < NEST_MOST && entry->duration_ns > 0)
            ends[depth++] = end;
    }
}
#endif
