/* Findings: collected, put together, sorted.
 *
 * Takes reports from any thread, leaves hx_findings. A report is looked up by its kind, its instructions and
 * its subject; if there is one already, it counts, and takes its place when it comes first by launch, block
 * and thread. */
#include "check/suppressions.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX 100000

/* A finding is as severe as its diagnostic. */
enum {
#define DIAG(number, name, severity, title, text) SEVERITY_##name = severity,
#include "base/codes.def"
#undef DIAG
};

const struct kind_row check_kind_rows[CHECK_KIND_COUNT] = {
#define CHECK_KIND(id, checker, name, code)                                                                  \
    {name, HX_CHECK_##checker, DIAG_##code, (hx_severity)SEVERITY_##code},
#include "check/kinds.def"
#undef CHECK_KIND
};

int hx_checks_kind_code(const char *kind)
{
    for (size_t i = 0; kind && i < CHECK_KIND_COUNT; i++)
        if (strcmp(check_kind_rows[i].name, kind) == 0)
            return check_kind_rows[i].code;
    return 0;
}

void check_checker_name(const hx_finding *finding, char *name, size_t room)
{
    const size_t length = strcspn(finding->kind, ".") + 1;
    text_put(name, length < room ? length : room, finding->kind);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

uint64_t check_name_hash(const char *name)
{
    uint64_t hash = 1;
    for (; *name; name++)
        hash = mix(hash, (uint8_t)*name);
    return hash;
}

/* A driver numbers what programs allocate ("allocation 3"), and a loop allocates anew each time. */
uint64_t check_subject(const char *name)
{
    const char *const number = strrchr(name, ' ');
    const bool is_numbered = number && number[1] && !number[1 + strspn(number + 1, "0123456789")];
    return is_numbered ? mix(1, (uint64_t)(number - name)) : check_name_hash(name);
}

static uint32_t instruction_of(const struct check_finding *finding, uint32_t site)
{
    const struct check_site *const at = &finding->sites[site];
    return finding->is_by_place && at->instruction < at->launch->code->count
               ? at->launch->code->alike[at->instruction]
               : at->instruction;
}

static uint64_t hash_of(const struct check_finding *finding)
{
    uint64_t hash = mix((uint64_t)finding->kind + 1, finding->subject);
    for (uint32_t i = 0; i < finding->site_count; i++)
        hash = mix(mix(hash, (uintptr_t)finding->sites[i].launch->code), instruction_of(finding, i));
    return hash;
}

static bool is_alike(const struct check_finding *a, const struct check_finding *b)
{
    if (a->kind != b->kind || a->subject != b->subject || a->site_count != b->site_count)
        return false;
    for (uint32_t i = 0; i < a->site_count; i++)
        if (a->sites[i].launch->code != b->sites[i].launch->code ||
            instruction_of(a, i) != instruction_of(b, i))
            return false;
    return true;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Below 0: `a` comes first. */
static int compare_findings(const struct check_finding *a, const struct check_finding *b)
{
    if ((a->site_count == 0) != (b->site_count == 0)) /* what has no place comes last */
        return a->site_count == 0 ? 1 : -1;
    for (uint32_t i = 0; i < a->site_count && i < b->site_count; i++) {
        const struct check_site *x = &a->sites[i], *y = &b->sites[i];
        int order = compare(x->launch->number, y->launch->number);
        order = order ? order : compare(x->block, y->block);
        order = order ? order : compare(x->thread, y->thread);
        order = order ? order : compare(x->instruction, y->instruction);
        if (order)
            return order;
    }
    return 0;
}

/* ---- Collecting, with the lock ------------------------------------------------------------------------- */

static bool grow_table(hx_checks *checks)
{
    if (checks->records.count * 2 < checks->table_size)
        return true;
    const size_t size = checks->table_size ? checks->table_size * 2 : 64;
    uint32_t *table = memory_allocate(checks->allocator, size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < checks->records.count; i++) {
        size_t at = checks->records.items[i]->hash & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    memory_free(checks->allocator, checks->table);
    checks->table = table;
    checks->table_size = size;
    return true;
}

static struct record *find(hx_checks *checks, const struct check_finding *finding, uint64_t hash,
                           size_t *ret_at)
{
    size_t at = hash & (checks->table_size - 1);
    for (; checks->table[at]; at = (at + 1) & (checks->table_size - 1)) {
        struct record *record = checks->records.items[checks->table[at] - 1];
        if (record->hash == hash && is_alike(&record->first, finding))
            return record;
    }
    *ret_at = at;
    return NULL;
}

static struct record *add(hx_checks *checks, uint64_t hash, size_t at)
{
    if (checks->records.count >= RECORDS_MAX)
        return NULL;
    struct record *record = memory_allocate(checks->allocator, 1, sizeof *record);
    if (!record || !LIST_PUSH(checks->allocator, &checks->records, record)) {
        memory_free(checks->allocator, record);
        checks->lacks_memory = true;
        return NULL;
    }
    record->hash = hash;
    text_init(&record->words.message, checks->allocator);
    text_init(&record->words.note, checks->allocator);
    text_init(&record->words.hint, checks->allocator);
    checks->table[at] = (uint32_t)checks->records.count;
    return record;
}

static void show(struct record *record, const struct check_finding *finding)
{
    struct check_words *words = &record->words;
    record->first = *finding;
    text_done(&words->message);
    text_done(&words->note);
    text_done(&words->hint);
    words->name[0] = 0;
    words->object = (hx_finding_object){.space = finding->space,
                                        .address = finding->address,
                                        .bytes = finding->bytes,
                                        .has_values = finding->has_values,
                                        .before = finding->before,
                                        .after = finding->after};
    finding->describe(finding->user, finding, words);
}

void check_on_report(hx_checks *checks, check_report_function found, void *user)
{
    checks->reported = found;
    checks->reported_user = user;
}

/* With the words of this very report, which need not be those that are kept. */
static void notify(const hx_checks *checks, const struct check_finding *finding)
{
    struct record one = {0};
    text_init(&one.words.message, checks->allocator);
    text_init(&one.words.note, checks->allocator);
    text_init(&one.words.hint, checks->allocator);
    show(&one, finding);
    checks->reported(checks->reported_user, finding, check_kind_rows[finding->kind].name,
                     one.words.message.at ? one.words.message.at : "");
    text_done(&one.words.message);
    text_done(&one.words.note);
    text_done(&one.words.hint);
}

void check_lost(hx_checks *checks)
{
    pthread_mutex_lock(&checks->lock);
    checks->lacks_memory = true;
    pthread_mutex_unlock(&checks->lock);
}

void check_unkept(hx_checks *checks, uint64_t count)
{
    pthread_mutex_lock(&checks->lock);
    checks->unkept += count;
    pthread_mutex_unlock(&checks->lock);
}

void check_found(hx_checks *checks, const struct check_finding *finding)
{
    const uint64_t hash = hash_of(finding);
    size_t at = 0;
    pthread_mutex_lock(&checks->lock);
    struct record *record = grow_table(checks) ? find(checks, finding, hash, &at) : NULL;
    const bool is_new = !record;
    if (is_new && checks->table_size > checks->records.count)
        record = add(checks, hash, at);
    if (!record)
        checks->left_out += 1;
    else if (is_new || compare_findings(finding, &record->first) < 0)
        show(record, finding);
    if (record)
        record->count += finding->count ? finding->count : 1;
    pthread_mutex_unlock(&checks->lock);
    if (checks->reported)
        notify(checks, finding);
}

/* ---- Finishing ----------------------------------------------------------------------------------------- */

static int compare_records(const void *a, const void *b)
{
    const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;
    const int order = compare_findings(&x->first, &y->first);
    return order                                   ? order
           : compare(x->first.kind, y->first.kind) ? compare(x->first.kind, y->first.kind)
                                                   : compare(x->first.subject, y->first.subject);
}

void check_place_of(const struct check_site *site, hx_finding_place *ret_place)
{
    const struct check_launch *launch = site->launch;
    const struct check_code *code = launch->code;
    const struct check_line *line = &code->lines[site->instruction < code->count ? site->instruction : 0];
    const uint32_t *grid = launch->grid, *block = launch->block;
    *ret_place = (hx_finding_place){
        .role = site->role,
        .file = line->file,
        .line = line->line,
        .column = line->column,
        .length = line->length,
        .source_line = line->source_line,
        .kernel = code->kernel,
        .instruction = line->text,
        .index = site->instruction,
        .block = {(uint32_t)(site->block % grid[0]), (uint32_t)(site->block / grid[0] % grid[1]),
                  (uint32_t)(site->block / grid[0] / grid[1])},
        .thread = {site->thread % block[0], site->thread / block[0] % block[1],
                   site->thread / block[0] / block[1]},
        .launch = launch->number,
        .program = code->program,
        .function = line->function,
    };
}

static void fill(const struct record *record, hx_finding *ret_finding)
{
    const struct kind_row *row = &check_kind_rows[record->first.kind];
    const struct check_words *words = &record->words;
    *ret_finding = (hx_finding){
        .kind = row->name,
        .code = row->code,
        .checker = row->checker,
        .message = words->message.at ? words->message.at : "",
        .place_count = record->first.site_count,
        .object = words->object,
        .note = words->note.length ? words->note.at : NULL,
        .hint = words->hint.length ? words->hint.at : NULL,
        .count = record->count,
        .severity = row->severity,
    };
    ret_finding->object.name = words->name[0] ? words->name : NULL;
    for (uint32_t i = 0; i < record->first.site_count; i++)
        check_place_of(&record->first.sites[i], &ret_finding->places[i]);
}

/* The table goes by index: it is made again with the next finding. */
static void sort(hx_checks *checks)
{
    if (checks->records.count > 1)
        qsort(checks->records.items, checks->records.count, sizeof *checks->records.items, compare_records);
    for (size_t i = 0; i < checks->table_size; i++)
        checks->table[i] = 0;
    for (size_t i = 0; i < checks->records.count; i++) {
        size_t at = checks->records.items[i]->hash & (checks->table_size - 1);
        while (checks->table[at])
            at = (at + 1) & (checks->table_size - 1);
        checks->table[at] = (uint32_t)i + 1;
    }
}

/* Fills the list: those that count from its beginning, those that are suppressed from its end; then these
 * come behind the others, in order. */
static void take_findings(hx_checks *checks)
{
    const size_t count = checks->records.count;
    const uint64_t limit = checks->options.error_limit;
    hx_finding *findings = checks->findings;
    checks->finding_count = checks->suppressed_count = 0;
    checks->total = checks->errors = checks->suppressed = 0;
    for (size_t i = 0; i < count; i++) {
        hx_finding finding;
        fill(checks->records.items[i], &finding);
        finding.reason = check_suppression_of(checks->options.suppressions, &finding);
        finding.suppressed = finding.reason != NULL;
        checks->suppressed += finding.reason != NULL;
        checks->total += !finding.reason;
        checks->errors += !finding.reason && finding.severity == HX_ERROR;
        if (!finding.reason && checks->finding_count < limit)
            findings[checks->finding_count++] = finding;
        else if (finding.reason && checks->suppressed_count < limit)
            findings[count - ++checks->suppressed_count] = finding;
    }
    for (size_t low = count - checks->suppressed_count, high = count; low + 1 < high; low++) {
        const hx_finding swapped = findings[--high];
        findings[high] = findings[low];
        findings[low] = swapped;
    }
    memmove(findings + checks->finding_count, findings + count - checks->suppressed_count,
            checks->suppressed_count * sizeof *findings);
}

hx_status hx_checks_finish(hx_checks *checks, hx_diag *diag)
{
    DIAG_REQUIRE(diag, checks);
    diag_step(diag, "for findings", NULL, 0, (struct place){0});
    sort(checks);
    const size_t count = checks->records.count;
    hx_finding *findings = memory_allocate(checks->allocator, count + 1, sizeof *findings);
    if (!findings)
        return diag_no_memory(diag);
    memory_free(checks->allocator, checks->findings);
    checks->findings = findings;
    take_findings(checks);
    for (size_t i = 0; i < count; i++)
        if (checks->records.items[i]->words.message.failed)
            checks->lacks_memory = true;
    if (check_decisions_finish(checks) != HX_OK)
        checks->lacks_memory = true;
    return checks->lacks_memory ? diag_no_memory(diag) : HX_OK;
}

uint64_t hx_checks_finding_total(const hx_checks *checks, uint64_t *ret_suppressed)
{
    if (ret_suppressed)
        *ret_suppressed = checks ? checks->suppressed : 0;
    return checks ? checks->total : 0;
}

uint64_t hx_checks_error_total(const hx_checks *checks)
{
    return checks ? checks->errors : 0;
}

size_t hx_checks_finding_count(const hx_checks *checks)
{
    return checks ? checks->finding_count : 0;
}

const hx_finding *hx_checks_finding(const hx_checks *checks, size_t index)
{
    return checks && index < checks->finding_count ? &checks->findings[index] : NULL;
}

size_t hx_checks_suppressed_count(const hx_checks *checks)
{
    return checks ? checks->suppressed_count : 0;
}

const hx_finding *hx_checks_suppressed(const hx_checks *checks, size_t index)
{
    return checks && index < checks->suppressed_count ? &checks->findings[checks->finding_count + index]
                                                      : NULL;
}

void check_records_done(hx_checks *checks)
{
    for (size_t i = 0; i < checks->records.count; i++) {
        struct check_words *words = &checks->records.items[i]->words;
        text_done(&words->message);
        text_done(&words->note);
        text_done(&words->hint);
        memory_free(checks->allocator, checks->records.items[i]);
    }
    LIST_DONE(checks->allocator, &checks->records);
    check_decisions_done(checks);
    memory_free(checks->allocator, checks->table);
    memory_free(checks->allocator, checks->findings);
}
