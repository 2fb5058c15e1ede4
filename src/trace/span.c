/* Spans and events: what the macros call, and perf spans that others have timed.
 *
 * Takes a call site and its fields, leaves a record in the thread's ring, or nothing. A site is judged once
 * by the filter and keeps the verdict in its flag, the only cost of a site that is off; it is judged again
 * when tracing is set up anew, so sites are kept in a list. A thread remembers which
 * of its spans are open: records name the span around them, and a filter may name the span around.
 */
#include "trace/registry.h"

#if HX_TRACING
#include <stdatomic.h>
#include <string.h>

#define FILE_LEVEL   HX_DEBUG /* of what event files hold besides perf spans */
#define OPEN_MAX     64       /* deeper spans are recorded, but not known to what is inside of them */
#define PERF_BUCKETS 256      /* a power of two */

enum { SITE_UNKNOWN, SITE_OFF, SITE_ON }; /* hx_callsite.state */

struct hx_perf_site {
    struct hx_perf_site *next;
    _Atomic int answer, file_answer; /* enum filter_answer: of the log, of event files */
    uint32_t count;                  /* of its constant fields */
    const hx_field *fields;
    const char *name;
};

/* All sites that were reached; the registry's lock guards the lists. */
static struct {
    hx_callsite *list;
    hx_perf_site *perf[PERF_BUCKETS];
} sites;

struct open_span {
    const char *name;
    uint64_t id;
    hx_level inside; /* of what is wanted in it because a directive names it or a span around it */
};
static _Thread_local struct {
    unsigned muted; /* not 0: nothing that this thread does is recorded */
    unsigned depth;
    struct open_span open[OPEN_MAX];
} spans;

/* The innermost open span of this thread, or one that stands for none. */
static const struct open_span *innermost(void)
{
    static const struct open_span none = {.inside = HX_LEVEL_OFF};
    unsigned depth = spans.depth < OPEN_MAX ? spans.depth : OPEN_MAX;
    return depth ? &spans.open[depth - 1] : &none;
}

/* ---- Sites --------------------------------------------------------------------------------------------- */

static enum filter_answer judge(const struct session *session, const struct filter_subject *site)
{
    if (!session || (site->is_perf && !session->config.perf))
        return FILTER_NEVER;
    return filter_ask(site->is_perf ? &session->config.perf_filter : &session->config.filter, site);
}

/* The same for event files: the filter is for what there is much of, the rest is their frame. */
static enum filter_answer judge_for_files(const struct session *session, const struct filter_subject *site)
{
    if (!session || session->config.file_count == 0)
        return FILTER_NEVER;
    if (site->is_perf)
        return filter_ask(&session->config.file_filter, site);
    return site->level >= FILE_LEVEL ? FILTER_ALWAYS : FILTER_NEVER;
}

static bool judge_site(hx_callsite *site)
{
    /* events and spans share a kind of site: a span is what could be entered, so both are matched */
    const struct filter_subject subject = {.target = site->target,
                                           .name = site->name,
                                           .level = site->level,
                                           .is_span = true,
                                           .is_perf = site->is_perf != 0};
    const struct session *session = registry_judge(false);
    const enum filter_answer answer = judge(session, &subject);
    __atomic_store_n(&site->answer, (int)answer, __ATOMIC_RELAXED);
    bool wanted = (answer != FILTER_NEVER || judge_for_files(session, &subject) != FILTER_NEVER) &&
                  registry_judge(true);
    __atomic_store_n(&site->state, wanted ? SITE_ON : SITE_OFF, __ATOMIC_RELAXED);
    return wanted;
}

int hx_trace_resolve(hx_callsite *site)
{
    if (!site)
        return 0;
    registry_lock();
    if (__atomic_load_n(&site->state, __ATOMIC_RELAXED) == SITE_UNKNOWN) {
        site->next = sites.list;
        sites.list = site;
    }
    bool wanted = judge_site(site);
    registry_unlock();
    return wanted;
}

static void judge_perf_site(hx_perf_site *site)
{
    const struct filter_subject subject = {
        .target = SPAN_PERF_TARGET, .name = site->name, .level = HX_DEBUG, .is_span = true, .is_perf = true};
    const struct session *session = registry_judge(false);
    enum filter_answer answer = judge(session, &subject), file_answer = judge_for_files(session, &subject);
    if ((answer != FILTER_NEVER || file_answer != FILTER_NEVER) && !registry_judge(true))
        answer = file_answer = FILTER_NEVER;
    atomic_store_explicit(&site->answer, answer, memory_order_relaxed);
    atomic_store_explicit(&site->file_answer, file_answer, memory_order_relaxed);
}

void site_judge_all(void)
{
    for (hx_callsite *site = sites.list; site; site = site->next)
        (void)judge_site(site);
    for (unsigned i = 0; i < PERF_BUCKETS; i++)
        for (hx_perf_site *site = sites.perf[i]; site; site = site->next)
            judge_perf_site(site);
}

static bool same_fields(const hx_perf_site *site, const hx_field *fields, size_t count)
{
    bool same = site->count == count;
    for (size_t i = 0; same && i < count; i++) {
        const hx_field *a = &site->fields[i], *b = &fields[i];
        same = a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
               (a->kind == HX_FIELD_STR ? strcmp(a->value.string, b->value.string) == 0
                                        : memcmp(&a->value, &b->value, sizeof a->value) == 0);
    }
    return same;
}

/* In one piece with its fields and all strings. */
static hx_perf_site *make_perf_site(const char *name, const hx_field *fields, size_t count)
{
    size_t bytes = strlen(name) + 1;
    for (size_t i = 0; i < count; i++)
        bytes += fields[i].kind == HX_FIELD_STR ? strlen(fields[i].value.string) + 1 : 0;
    hx_perf_site *site = memory_allocate(NULL, 1, sizeof *site + count * sizeof *fields + bytes);
    if (!site)
        return NULL;
    hx_field *own = (hx_field *)(site + 1);
    char *text = (char *)(own + count);
    site->name = strcpy(text, name);
    text += strlen(name) + 1;
    for (size_t i = 0; i < count; i++) {
        own[i] = fields[i];
        if (fields[i].kind != HX_FIELD_STR)
            continue;
        own[i].value.string = strcpy(text, fields[i].value.string);
        text += strlen(text) + 1;
    }
    site->fields = own;
    site->count = (uint32_t)count;
    return site;
}

static hx_perf_site *find_perf_site(const char *name, const hx_field *fields, size_t count)
{
    uint32_t hash = 2166136261u; /* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv */
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    hx_perf_site **bucket = &sites.perf[hash % PERF_BUCKETS];
    for (hx_perf_site *site = *bucket; site; site = site->next)
        if (strcmp(site->name, name) == 0 && same_fields(site, fields, count))
            return site;
    hx_perf_site *site = make_perf_site(name, fields, count);
    if (!site)
        return NULL;
    judge_perf_site(site);
    site->next = *bucket;
    return *bucket = site;
}

hx_perf_site *hx_trace_perf_site_with(const char *name, const hx_field *fields, size_t count)
{
    if (!name)
        return NULL;
    registry_lock();
    hx_perf_site *site = find_perf_site(name, fields, fields ? count : 0);
    registry_unlock();
    return site;
}

hx_perf_site *hx_trace_perf_site(const char *name)
{
    return hx_trace_perf_site_with(name, NULL, 0);
}

/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Which sinks take it: enum wanted, or 0. Filters are matched only where the site's answer
 * leaves it open. */
static unsigned passes(const struct session *session, const hx_callsite *site,
                       const struct filter_subject *subject)
{
    const struct trace_config *config = &session->config;
    const int answer = __atomic_load_n(&site->answer, __ATOMIC_RELAXED);
    unsigned wanted = answer == FILTER_ALWAYS ? WANTED_LOG : 0;
    if (subject->is_perf) {
        if (answer == FILTER_DEPENDS && filter_passes(&config->perf_filter, subject, HX_LEVEL_OFF))
            wanted |= WANTED_LOG;
        if (config->file_count > 0 && filter_passes(&config->file_filter, subject, HX_LEVEL_OFF))
            wanted |= WANTED_FILES;
        return wanted;
    }
    if (answer == FILTER_DEPENDS && filter_passes(&config->filter, subject, innermost()->inside))
        wanted |= WANTED_LOG;
    if (config->file_count > 0 && subject->level >= FILE_LEVEL)
        wanted |= WANTED_FILES;
    return wanted;
}

static bool is_below_threshold(const struct session *session, uint64_t start_ticks, uint64_t end_ticks)
{
    double ns =
        (double)(int64_t)(end_ticks - start_ticks) * session->timer->ns_per_tick - session->timer->cost_ns;
    return session->config.threshold_ns > 0 && ns < session->config.threshold_ns;
}

uint64_t span_least_ticks(const struct session *session)
{
    const double ticks =
        (session->config.threshold_ns + session->timer->cost_ns) / session->timer->ns_per_tick;
    if (session->config.threshold_ns <= 0)
        return 0;
    if (!(ticks < 0x1p62))
        return UINT64_MAX;
    uint64_t least = (uint64_t)ticks; /* but for the rounding */
    while (least > 0 && !is_below_threshold(session, 0, least - 1))
        least--;
    while (is_below_threshold(session, 0, least))
        least++;
    return least;
}

bool span_context(const char **ret_parent, uint64_t *ret_parent_id)
{
    *ret_parent = innermost()->name;
    *ret_parent_id = innermost()->id;
    return spans.muted == 0;
}

enum filter_answer span_site_answer(const hx_perf_site *site)
{
    return (enum filter_answer)atomic_load_explicit(&site->answer, memory_order_relaxed);
}

const char *span_site_name(const hx_perf_site *site)
{
    return site->name;
}

const hx_field *span_site_fields(const hx_perf_site *site, size_t *ret_count)
{
    *ret_count = site ? site->count : 0;
    return site ? site->fields : NULL;
}

static void put(const hx_callsite *site, hx_record_kind kind, unsigned wanted, const struct open_span *around,
                uint64_t id, uint64_t start_ticks, uint64_t end_ticks, const hx_field *fields, size_t count)
{
    const struct record_head head = {.target = site->target,
                                     .name = site->name,
                                     .parent = around->name,
                                     .start_ticks = start_ticks,
                                     .end_ticks = end_ticks,
                                     .id = id,
                                     .parent_id = around->id,
                                     .kind = (uint8_t)kind,
                                     .level = (uint8_t)site->level};
    ring_put(&head, wanted, fields, count);
}

void hx_trace_mute(int change)
{
    spans.muted += (unsigned)change;
}

void hx_trace_start_span(hx_span *span)
{
    if (!span || !span->site)
        return;
    const struct session *session = spans.muted ? NULL : registry_session();
    const hx_callsite *site = span->site;
    const struct filter_subject subject = {site->target,       site->name,   site->level,      true,
                                           site->is_perf != 0, span->fields, span->field_count};
    hx_level inside =
        session && !subject.is_perf ? filter_inside(&session->config.filter, &subject) : HX_LEVEL_OFF;
    span->is_recorded = session ? (int)passes(session, site, &subject) : 0;
    if (!span->is_recorded && inside == HX_LEVEL_OFF) {
        span->site = NULL;
        return;
    }
    const struct open_span *around = innermost();
    struct open_span own = *around; /* a span that is not recorded is not named by what is inside of it */
    if (span->is_recorded) {
        own.name = site->name;
        own.id = ring_next_id();
    }
    own.inside = inside < around->inside ? inside : around->inside;
    span->start_ticks = machine_ticks(session->timer);
    if ((span->is_recorded & WANTED_LOG) && session->config.span_events && !subject.is_perf)
        put(site, HX_RECORD_ENTER, WANTED_LOG, around, own.id, span->start_ticks, span->start_ticks,
            span->fields, span->field_count);
    if (spans.depth < OPEN_MAX)
        spans.open[spans.depth] = own;
    spans.depth++;
}

void hx_trace_record_span(hx_span *span)
{
    if (!span || !span->site)
        return;
    const struct session *session = registry_session();
    uint64_t end_ticks = session ? machine_ticks(session->timer) : 0;
    uint64_t id = spans.depth <= OPEN_MAX ? innermost()->id : ring_next_id();
    spans.depth--;
    if (!session || !span->is_recorded)
        return;
    bool is_perf = span->site->is_perf != 0;
    unsigned wanted = (unsigned)span->is_recorded;
    if (!is_perf || !is_below_threshold(session, span->start_ticks, end_ticks))
        put(span->site, is_perf ? HX_RECORD_PERF : HX_RECORD_SPAN, wanted, innermost(), id, span->start_ticks,
            end_ticks, span->fields, span->field_count);
}

void hx_trace_record_event(hx_callsite *site, const hx_field *fields, size_t count)
{
    if (!site)
        return;
    count = fields ? count : 0;
    const struct session *session = spans.muted ? NULL : registry_session();
    const struct filter_subject subject = {site->target, site->name, site->level, false,
                                           false,        fields,     count};
    const unsigned wanted = session ? passes(session, site, &subject) : 0;
    if (!wanted)
        return;
    uint64_t now = machine_ticks(session->timer);
    put(site, HX_RECORD_EVENT, wanted, innermost(), 0, now, now, fields, count);
}

/* Is a finished perf span of a site wanted, by an answer that the site has or by what its fields say? */
static bool is_wanted(int answer, const struct filter *filter, const struct filter_subject *subject)
{
    return answer == FILTER_ALWAYS ||
           (answer == FILTER_DEPENDS && filter_passes(filter, subject, HX_LEVEL_OFF));
}

void hx_trace_perf_put(hx_perf_site *site, const hx_trace_place *place, uint64_t start_ticks,
                       uint64_t end_ticks, const hx_field *fields, size_t count)
{
    if (!place)
        return;
    count = fields ? count : 0;
    const struct session *session = spans.muted ? NULL : registry_session();
    if (!site || !session)
        return;
    const struct filter_subject subject = {SPAN_PERF_TARGET, site->name, HX_DEBUG, true, true, fields, count};
    unsigned wanted = 0;
    const bool is_frame = place->only_files && place->group == 0;
    if (!is_frame && is_below_threshold(session, start_ticks, end_ticks))
        return;
    if (is_frame ? session->config.file_count > 0
                 : is_wanted(atomic_load_explicit(&site->file_answer, memory_order_relaxed),
                             &session->config.file_filter, &subject))
        wanted |= WANTED_FILES;
    if (!place->only_files && is_wanted(atomic_load_explicit(&site->answer, memory_order_relaxed),
                                        &session->config.perf_filter, &subject))
        wanted |= WANTED_LOG;
    if (!wanted)
        return;
    const struct open_span *around = innermost();
    const struct record_head head = {.target = SPAN_PERF_TARGET,
                                     .name = site->name,
                                     .parent = around->name,
                                     .start_ticks = start_ticks,
                                     .end_ticks = end_ticks,
                                     .id = ring_next_id(),
                                     .parent_id = around->id,
                                     .group = place->group,
                                     .first_part = place->first_part,
                                     .last_part = place->last_part,
                                     .track = (uint16_t)place->track,
                                     .row = (uint16_t)place->row,
                                     .kind = HX_RECORD_PERF,
                                     .level = HX_DEBUG,
                                     .site = site->count ? site : NULL};
    ring_put(&head, wanted, fields, count);
}

void hx_trace_perf_complete(hx_perf_site *site, uint64_t start_ticks, uint64_t end_ticks,
                            const hx_field *fields, size_t count)
{
    static const hx_trace_place own_track = {.last_part = UINT32_MAX};
    hx_trace_perf_put(site, &own_track, start_ticks, end_ticks, fields, count);
}

void hx_trace_count(const char *name, const hx_trace_place *place, uint64_t ticks, const hx_field *fields,
                    size_t count)
{
    if (!name || !place)
        return;
    count = fields ? count : 0;
    const struct session *session = spans.muted ? NULL : registry_session();
    if (!session || !session->wants_files_perf)
        return;
    const struct record_head head = {.target = SPAN_PERF_TARGET,
                                     .name = name,
                                     .start_ticks = ticks,
                                     .end_ticks = ticks,
                                     .group = place->group,
                                     .first_part = place->first_part,
                                     .last_part = place->last_part,
                                     .track = (uint16_t)place->track,
                                     .kind = HX_RECORD_COUNTER,
                                     .level = HX_DEBUG};
    ring_put(&head, WANTED_FILES, fields, count);
}
#endif
