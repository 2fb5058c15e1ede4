/* Suppressions: findings that are known, with the reason why they stay and the date until which they may.
 *
 * Takes a YAML file, leaves entries that findings are held against. An entry's texts are patterns of shells
 * (fnmatch); one that says several things matches a finding of which all are true, those about a place of one
 * and the same place. An entry that has expired matches nothing, and is named; so is one that was not needed.
 */
#include "check/suppressions.h"

#include "base/file.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct yaml_entry {
    char *kind, *program, *kernel, *file, *line, *function, *buffer, *reason, *expires;
};
struct yaml_suppressions {
    struct yaml_entry *items;
    uint32_t count;
};

#define ENTRY_FIELD(name, flags)                                                                             \
    CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_POINTER | (flags), struct yaml_entry, name, 0, CYAML_UNLIMITED)
static const cyaml_schema_field_t entry_fields[] = {
    ENTRY_FIELD(kind, CYAML_FLAG_OPTIONAL),   ENTRY_FIELD(program, CYAML_FLAG_OPTIONAL),
    ENTRY_FIELD(kernel, CYAML_FLAG_OPTIONAL), ENTRY_FIELD(file, CYAML_FLAG_OPTIONAL),
    ENTRY_FIELD(line, CYAML_FLAG_OPTIONAL),   ENTRY_FIELD(function, CYAML_FLAG_OPTIONAL),
    ENTRY_FIELD(buffer, CYAML_FLAG_OPTIONAL), ENTRY_FIELD(reason, CYAML_FLAG_DEFAULT),
    ENTRY_FIELD(expires, CYAML_FLAG_DEFAULT), CYAML_FIELD_END};
static const cyaml_schema_value_t entry_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_entry, entry_fields)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("suppressions", CYAML_FLAG_POINTER, struct yaml_suppressions, items, count,
                               &entry_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_suppressions, file_fields)};

const cyaml_schema_value_t *check_suppressions_schema(void)
{
    return &file_schema;
}

struct entry {
    const struct yaml_entry *says;
    struct place place;
    uint64_t line; /* 0: any */
    bool has_expired;
    _Atomic uint64_t uses;
};

struct hx_suppressions {
    struct arena arena;
    struct entry *entries;
    size_t count;
};

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* A date as a number that orders: 20301231. False: it is none. */
static bool read_date(const char *text, uint32_t *ret_date)
{
    static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    if (strlen(text) != strlen("2030-12-31") || strspn(text, "0123456789-") != strlen(text) ||
        sscanf(text, "%4u-%2u-%2u", &year, &month, &day) != 3 || text[4] != '-' || text[7] != '-')
        return false;
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1] || (month == 2 && day == 29 && !is_leap))
        return false;
    *ret_date = year * 10000 + month * 100 + day;
    return true;
}

static uint32_t today(void)
{
    const time_t now = time(NULL);
    struct tm parts = {0};
    gmtime_r(&now, &parts);
    return ((uint32_t)parts.tm_year + 1900) * 10000 + ((uint32_t)parts.tm_mon + 1) * 100 +
           (uint32_t)parts.tm_mday;
}

/* A pattern of kinds, or the name of a checker. */
static bool is_kind(const char *pattern, const char *kind)
{
    const size_t length = strlen(pattern);
    return fnmatch(pattern, kind, 0) == 0 || (strncmp(pattern, kind, length) == 0 && kind[length] == '.');
}

static const char *next_kind(void *user, size_t index)
{
    (void)user;
    return index < CHECK_KIND_COUNT ? check_kind_rows[index].name : NULL;
}

static hx_status check_kind(const struct yaml_node *node, const char *pattern, hx_diag *diag)
{
    for (size_t i = 0; i < CHECK_KIND_COUNT; i++)
        if (is_kind(pattern, check_kind_rows[i].name))
            return HX_OK;
    char hint[128] = "hexec explain HX2003 shows an entry";
    const char *meant = text_suggest(slice_of(pattern), next_kind, NULL);
    if (meant)
        snprintf(hint, sizeof hint, "did you mean %s?", meant);
    return diag_report(diag, DIAG_SUPPRESSION, yaml_place(node), hint,
                       "there are no findings of the kind '%s'", pattern);
}

static hx_status read_entry(const struct yaml_entry *says, const struct yaml_node *node, hx_diag *diag,
                            struct entry *entry)
{
    hx_status status = HX_OK;
    uint32_t date = 0;
    entry->says = says;
    entry->place = yaml_place(node->first ? node->first : node);
    if (node->first)
        entry->place = yaml_place_key(node->first);
    if (!says->kind && !says->program && !says->kernel && !says->file && !says->line && !says->function &&
        !says->buffer)
        status = diag_report(diag, DIAG_SUPPRESSION, entry->place,
                             "add one of kind, program, kernel, file, line, function and buffer",
                             "the entry would suppress every finding");
    if (status == HX_OK && says->kind)
        status = check_kind(yaml_get(node, "kind"), says->kind, diag);
    if (status == HX_OK && says->line)
        status = yaml_number_u64(yaml_get(node, "line"), diag, 1, INT32_MAX, &entry->line);
    if (status == HX_OK && slice_trim(slice_of(says->reason)).length == 0)
        status = diag_report(diag, DIAG_SUPPRESSION, yaml_place(yaml_get(node, "reason")),
                             "say why its findings are no mistakes", "the entry has no reason");
    if (status == HX_OK && !read_date(says->expires, &date))
        status = diag_report(diag, DIAG_SUPPRESSION, yaml_place(yaml_get(node, "expires")),
                             "write year, month and day: 2030-12-31", "'%s' is not a date", says->expires);
    entry->has_expired = date <= today();
    return status;
}

static hx_status read_entries(hx_suppressions *suppressions, const struct yaml_document *document,
                              const struct yaml_suppressions *says, hx_diag *diag)
{
    hx_status status = HX_OK;
    suppressions->entries = ARENA_ARRAY(&suppressions->arena, struct entry, says->count + 1);
    if (!suppressions->entries)
        return diag_no_memory(diag);
    suppressions->count = says->count;
    for (uint32_t i = 0; i < says->count; i++) {
        const hx_status one = read_entry(&says->items[i], yaml_find(document, "/suppressions/%u", i), diag,
                                         &suppressions->entries[i]);
        status = status == HX_OK ? one : status;
    }
    return status;
}

static hx_status read_text(hx_suppressions *suppressions, const char *path, const char *text, size_t size,
                           hx_diag *diag)
{
    struct arena *arena = &suppressions->arena;
    struct source *source = ARENA_NEW(arena, struct source); /* places of reports need it */
    struct yaml_document *document = NULL;
    void *says = NULL;
    if (!source || !(source->text = arena_copy(arena, text, size)) ||
        !(source->name = arena_copy(arena, path, strlen(path))))
        return diag_no_memory(diag);
    source->bytes = size;
    hx_status status = yaml_document_read(arena, diag, source, NULL, &document);
    if (status == HX_OK)
        status = yaml_load(document, &file_schema, arena, diag, &says);
    return status == HX_OK ? read_entries(suppressions, document, says, diag) : status;
}

hx_status hx_suppressions_load(const char *path, const hx_allocator *allocator, hx_diag *diag,
                               hx_suppressions **ret_suppressions)
{
    DIAG_REQUIRE(diag, path);
    DIAG_REQUIRE(diag, ret_suppressions);
    diag_step(diag, "while reading", path, 0, (struct place){0});
    hx_suppressions *suppressions = memory_allocate(allocator, 1, sizeof *suppressions);
    if (!suppressions)
        return diag_no_memory(diag);
    arena_init(&suppressions->arena, allocator);
    char *text = NULL;
    size_t size = 0;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &text, &size);
    if (status == HX_OK)
        status = read_text(suppressions, path, text, size, diag);
    memory_free(allocator, text);
    if (status != HX_OK) {
        hx_suppressions_free(suppressions);
        return status;
    }
    *ret_suppressions = suppressions;
    return HX_OK;
}

void hx_suppressions_free(hx_suppressions *suppressions)
{
    if (!suppressions)
        return;
    const hx_allocator *allocator = suppressions->arena.allocator;
    arena_done(&suppressions->arena);
    memory_free(allocator, suppressions);
}

/* ---- Matching ------------------------------------------------------------------------------------------ */

static bool fits(const char *pattern, const char *text)
{
    return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

/* A pattern without a folder is for the name alone. */
static bool fits_file(const char *pattern, const char *path)
{
    const char *slash = pattern && path && !strchr(pattern, '/') ? strrchr(path, '/') : NULL;
    return fits(pattern, slash ? slash + 1 : path);
}

static bool fits_place(const struct entry *entry, const hx_finding_place *place)
{
    const struct yaml_entry *says = entry->says;
    return fits(says->program, place->program) && fits(says->kernel, place->kernel) &&
           fits_file(says->file, place->file) && fits(says->function, place->function) &&
           (!entry->line || (uint64_t)place->line == entry->line);
}

static bool fits_finding(const struct entry *entry, const hx_finding *finding)
{
    const struct yaml_entry *says = entry->says;
    if (entry->has_expired || (says->kind && !is_kind(says->kind, finding->kind)) ||
        !fits(says->buffer, finding->object.name))
        return false;
    if (!says->program && !says->kernel && !says->file && !says->line && !says->function)
        return true;
    for (uint32_t i = 0; i < finding->place_count; i++)
        if (fits_place(entry, &finding->places[i]))
            return true;
    return false;
}

const char *check_suppression_of(hx_suppressions *suppressions, const hx_finding *finding)
{
    for (size_t i = 0; suppressions && i < suppressions->count; i++)
        if (fits_finding(&suppressions->entries[i], finding)) {
            atomic_fetch_add(&suppressions->entries[i].uses, 1);
            return suppressions->entries[i].says->reason;
        }
    return NULL;
}

hx_status hx_suppressions_report(const hx_suppressions *suppressions, hx_diag *diag)
{
    DIAG_REQUIRE(diag, suppressions);
    hx_status status = HX_OK;
    for (size_t i = 0; i < suppressions->count; i++) {
        const struct entry *entry = &suppressions->entries[i];
        hx_status one = HX_OK;
        if (entry->has_expired)
            one = diag_report(diag, DIAG_SUPPRESSION_EXPIRED, entry->place,
                              "check its findings again, then remove it or give it a later date",
                              "the entry expired on %s, and suppresses nothing", entry->says->expires);
        else if (atomic_load(&entry->uses) == 0)
            one = diag_report(diag, DIAG_SUPPRESSION_UNUSED, entry->place, "remove it if the mistake is gone",
                              "no finding matched the entry");
        status = status == HX_OK ? one : status;
    }
    return status;
}
