/* Races between commands: what one stores and another one accesses, where neither comes behind the other.
 *
 * Takes the shadow of global memory that a launch leaves, and ranges of bytes that are copied and filled, in
 * the order in which they are done. Each is compared with what commands of other chains have accessed before
 * (commands.c), and then is part of its own chain. Of a chain the last store and the last load of each word
 * are kept: what races with an earlier one races with these, too. */
#include "check/race/launches.h"

#include "check/race/between.h"

#include <string.h>

#define PAGES_MOST  16384 /* in all chains together, each of 1 KiB of memory, that 4 or 8 KiB are kept of */
#define RANGES_MOST 4096

/* ---- Chains -------------------------------------------------------------------------------------------- */

static void free_page(struct race_launches *launches, struct past_page *page)
{
    if (page) {
        memory_free(launches->allocator, page->of[0]);
        memory_free(launches->allocator, page->of[1]);
        launches->page_count--;
    }
    memory_free(launches->allocator, page);
}

static void forget_chain(struct race_launches *launches, struct past_chain *chain)
{
    for (size_t i = 0; i < chain->room; i++)
        free_page(launches, chain->pages[i]);
    memory_free(launches->allocator, chain->pages);
    chain->pages = NULL;
    chain->room = chain->count = 0;
}

static size_t slot_of(const struct past_chain *chain, uint64_t number)
{
    size_t slot = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (chain->room - 1);
    while (chain->pages[slot] && chain->pages[slot]->number != number)
        slot = (slot + 1) & (chain->room - 1);
    return slot;
}

static struct past_page *find_page(const struct past_chain *chain, uint64_t number)
{
    return chain->room ? chain->pages[slot_of(chain, number)] : NULL;
}

static bool grow(struct race_launches *launches, struct past_chain *chain)
{
    struct past_chain grown = {
        .room = chain->room ? 2 * chain->room : 64, .count = chain->count, .last = chain->last};
    if (2 * chain->count < chain->room)
        return true;
    grown.pages = memory_allocate(launches->allocator, grown.room, sizeof *grown.pages);
    if (!grown.pages)
        return false;
    for (size_t i = 0; i < chain->room; i++)
        if (chain->pages[i])
            grown.pages[slot_of(&grown, chain->pages[i]->number)] = chain->pages[i];
    memory_free(launches->allocator, chain->pages);
    *chain = grown;
    return true;
}

/* NULL: no memory, or there are too many. */
static struct past_page *make_page(struct race_launches *launches, struct past_chain *chain, uint64_t number)
{
    struct past_page *page = find_page(chain, number);
    if (page)
        return page;
    if (launches->page_count >= PAGES_MOST || !grow(launches, chain) ||
        !(page = memory_allocate(launches->allocator, 1, sizeof *page)))
        return NULL;
    page->number = number;
    chain->pages[slot_of(chain, number)] = page;
    chain->count++;
    launches->page_count++;
    return page;
}

/* What the host had waited for when the command was given races with nothing any more. */
static void forget_waited(struct race_launches *launches, const struct check_order *now)
{
    for (uint32_t i = 0; i < CHECK_CHAINS; i++)
        if (launches->chains[i].room && launches->chains[i].last <= now->host[i])
            forget_chain(launches, &launches->chains[i]);
    size_t kept = 0;
    struct past_range *const ranges = launches->ranges.items;
    for (size_t i = 0; i < launches->ranges.count; i++)
        if (ranges[i].by.at > now->host[ranges[i].by.chain])
            ranges[kept++] = ranges[i];
    launches->ranges.count = kept;
}

/* ---- What a launch leaves ------------------------------------------------------------------------------ */

static void keep(struct race_launches *launches, struct past_page *page, uint32_t word,
                 const struct record *record)
{
    const bool is_store = record->what & WHAT_STORE;
    struct past_access **const of = &page->of[is_store];
    if (!*of && !(*of = memory_allocate(launches->allocator, PAST_WORDS, sizeof **of))) {
        check_lost(launches->checks);
        return;
    }
    struct past_access *const to = &(*of)[word];
    const uint32_t launch = (uint32_t)launches->launches.count, bytes = record->what & WHAT_MASK;
    if (to->launch == launch && (to->what & WHAT_STRONG) <= (record->what & WHAT_STRONG)) {
        to->what |= bytes;
        return;
    }
    *to = (struct past_access){.launch = launch,
                               .group = record->group,
                               .what = record->what | (to->launch == launch ? to->what & WHAT_MASK : 0),
                               .lane = (uint32_t)__builtin_ctz(record->lanes)};
}

/* A record of the cell after another, from 0 on; NULL: there are no more. */
static const struct record *next_record(const struct race_engine *engine, const struct cell *cell,
                                        uint32_t *at, uint32_t *node)
{
    while (*at < HX_COUNT_OF(cell->records))
        if (cell->records[(*at)++].lanes)
            return &cell->records[*at - 1];
    if (*at == HX_COUNT_OF(cell->records)) {
        *node = cell->more;
        (*at)++;
    }
    if (!*node)
        return NULL;
    const struct node *const found = &engine->nodes.items[*node];
    *node = found->next;
    return &found->record;
}

static void compare_record(struct race_launches *launches, const struct race_engine *engine,
                           const struct past_page *past, uint64_t address, uint32_t word,
                           const struct record *record)
{
    for (int store = record->what & WHAT_STORE ? 0 : 1; store < 2; store++) {
        const struct past_access *const then = past->of[store] ? &past->of[store][word] : NULL;
        if (!then || !then->launch || !(then->what & record->what & WHAT_MASK))
            continue;
        const struct past_launch *const launch = &launches->launches.items[then->launch - 1];
        const uint32_t strong = WHAT_STRONG | WHAT_WIDE;
        if (launch->by.at <= launches->now.behind[launch->by.chain] ||
            (then->what & record->what & strong) == strong)
            continue;
        const struct between pair = {.launches = launches,
                                     .address = address + 4 * (uint64_t)word,
                                     .first = between_side(launch, then),
                                     .second = between_now(launches, engine, record)};
        between_add(&pair);
    }
}

static void pass_page(struct race_launches *launches, const struct race_engine *engine,
                      const struct page *page)
{
    struct past_chain *const own = &launches->chains[launches->now.chain];
    struct past_page *const to = make_page(launches, own, page->number);
    const uint64_t address = page->number << PAGE_LOG2;
    for (uint32_t chain = 0; chain < CHECK_CHAINS; chain++) {
        const struct past_chain *const other = &launches->chains[chain];
        const struct past_page *const past =
            other != own && other->last > launches->now.behind[chain] ? find_page(other, page->number) : NULL;
        for (uint32_t word = 0; past && word < PAST_WORDS; word++) {
            const struct record *record;
            uint32_t at = 0, node = 0;
            const struct cell cell = race_cell(page, word);
            while ((record = next_record(engine, &cell, &at, &node)))
                compare_record(launches, engine, past, address, word, record);
        }
    }
    for (uint32_t word = 0; word < PAST_WORDS; word++) {
        const struct record *record;
        uint32_t at = 0, node = 0;
        const struct cell cell = race_cell(page, word);
        while ((record = next_record(engine, &cell, &at, &node)))
            if (to)
                keep(launches, to, word, record);
            else
                check_unkept(launches->checks, 1);
    }
}

/* A copy or fill of before. */
static void compare_range(struct race_launches *launches, const struct race_engine *engine,
                          const struct page *page, const struct past_range *range)
{
    const uint64_t address = page->number << PAGE_LOG2;
    for (uint32_t word = 0; word < PAST_WORDS; word++) {
        const struct record *record;
        uint32_t at = 0, node = 0;
        const uint64_t low = address + 4 * (uint64_t)word;
        if (low + 4 <= range->low || low >= range->low + range->bytes)
            continue;
        const struct cell cell = race_cell(page, word);
        while ((record = next_record(engine, &cell, &at, &node)))
            if (range->is_store || (record->what & WHAT_STORE)) {
                const struct between pair = {.launches = launches,
                                             .address = low,
                                             .first = between_range(range),
                                             .second = between_now(launches, engine, record)};
                between_add(&pair);
                break;
            }
    }
}

void race_launches_end(struct race_launches *launches, struct race_engine *engine)
{
    if (!launches->is_command)
        return;
    launches->is_command = false;
    const struct past_launch made = {.launch = check_launch_now(launches->checks),
                                     .block_groups = engine->block_groups,
                                     .by = launches->by};
    if (!LIST_PUSH(launches->allocator, &launches->launches, made)) {
        check_lost(launches->checks);
        return;
    }
    forget_waited(launches, &launches->now);
    for (size_t i = 0; i < engine->page_room; i++) {
        const struct page *const page = engine->pages[i];
        for (size_t k = 0; page && k < launches->ranges.count; k++) {
            const struct past_range *const range = &launches->ranges.items[k];
            const uint64_t low = page->number << PAGE_LOG2;
            if (range->by.at > launches->now.behind[range->by.chain] &&
                range->low < low + (1u << PAGE_LOG2) && low < range->low + range->bytes)
                compare_range(launches, engine, page, range);
        }
        if (page)
            pass_page(launches, engine, page);
    }
    launches->chains[launches->now.chain].last = launches->now.at;
    between_flush(launches);
}

bool race_launches_begin(struct race_launches *launches, uint64_t command)
{
    launches->is_command = check_order_of(launches->checks, command, &launches->now);
    launches->by = (struct past_by){.chain = launches->now.chain, .at = launches->now.at};
    memcpy(launches->by.queue, launches->now.queue, sizeof launches->by.queue);
    return launches->is_command;
}

/* ---- Copies and fills ---------------------------------------------------------------------------------- */

static void compare_past(struct race_launches *launches, const struct past_page *page,
                         const struct past_range *range)
{
    for (uint32_t word = 0; word < PAST_WORDS; word++) {
        const uint64_t low = (page->number << PAGE_LOG2) + 4 * (uint64_t)word;
        if (low + 4 <= range->low || low >= range->low + range->bytes)
            continue;
        for (int store = range->is_store ? 0 : 1; store < 2; store++) {
            const struct past_access *const then = page->of[store] ? &page->of[store][word] : NULL;
            const struct past_launch *const launch =
                then && then->launch ? &launches->launches.items[then->launch - 1] : NULL;
            if (!launch || launch->by.at <= launches->now.behind[launch->by.chain])
                continue;
            const struct between pair = {.launches = launches,
                                         .address = low,
                                         .first = between_side(launch, then),
                                         .second = between_range(range)};
            between_add(&pair);
        }
    }
}

static void add_range(struct race_launches *launches, const struct past_range *range)
{
    for (size_t i = 0; i < launches->ranges.count; i++) {
        struct past_range *const then = &launches->ranges.items[i];
        const bool overlap = then->low < range->low + range->bytes && range->low < then->low + then->bytes;
        if (overlap && (then->is_store || range->is_store) &&
            then->by.at > launches->now.behind[then->by.chain]) {
            const uint64_t address = then->low > range->low ? then->low : range->low;
            const struct between pair = {.launches = launches,
                                         .address = address,
                                         .first = between_range(then),
                                         .second = between_range(range)};
            between_add(&pair);
        }
    }
    for (uint32_t chain = 0; chain < CHECK_CHAINS; chain++) {
        const struct past_chain *const other = &launches->chains[chain];
        for (size_t i = 0; other->last > launches->now.behind[chain] && i < other->room; i++)
            if (other->pages[i])
                compare_past(launches, other->pages[i], range);
    }
    between_flush(launches);
    for (size_t i = 0; i < launches->ranges.count; i++) {
        struct past_range *const then = &launches->ranges.items[i];
        if (then->by.chain == range->by.chain && then->low == range->low && then->bytes == range->bytes &&
            then->is_store == range->is_store) {
            *then = *range;
            return;
        }
    }
    if (launches->ranges.count >= RANGES_MOST || !LIST_PUSH(launches->allocator, &launches->ranges, *range))
        check_unkept(launches->checks, 1);
}

/* On a unified device addresses come again. */
static void forget_bytes(struct race_launches *launches, uint64_t low, uint64_t bytes)
{
    for (uint32_t chain = 0; chain < CHECK_CHAINS; chain++)
        for (size_t i = 0; i < launches->chains[chain].room; i++) {
            struct past_page *const page = launches->chains[chain].pages[i];
            const uint64_t at = page ? page->number << PAGE_LOG2 : 0;
            if (page && at + (1u << PAGE_LOG2) > low && at < low + bytes)
                for (int store = 0; store < 2; store++) {
                    memory_free(launches->allocator, page->of[store]);
                    page->of[store] = NULL;
                }
        }
    for (size_t i = 0; i < launches->ranges.count; i++)
        if (launches->ranges.items[i].low < low + bytes &&
            low < launches->ranges.items[i].low + launches->ranges.items[i].bytes)
            launches->ranges.items[i].bytes = 0;
}

void race_launches_buffer(struct race_launches *launches, const hx_buffer_event *event)
{
    const uint64_t low = hx_buffer_address(event->buffer) + event->offset;
    if (event->change == HX_BUFFER_MADE)
        forget_bytes(launches, hx_buffer_address(event->buffer), hx_buffer_bytes(event->buffer));
    if (event->change < HX_BUFFER_FILLED || event->change > HX_BUFFER_COPIED || event->bytes == 0 ||
        !race_launches_begin(launches, event->command))
        return;
    launches->is_command = false;
    forget_waited(launches, &launches->now);
    static const char *const names[] = {[HX_BUFFER_FILLED] = "fill",
                                        [HX_BUFFER_COPIED_IN] = "copy from the host",
                                        [HX_BUFFER_COPIED_OUT] = "copy to the host",
                                        [HX_BUFFER_COPIED] = "copy"};
    struct past_range range = {.low = low,
                               .bytes = event->bytes,
                               .by = launches->by,
                               .is_store = event->change != HX_BUFFER_COPIED_OUT,
                               .what = names[event->change]};
    add_range(launches, &range);
    if (event->change == HX_BUFFER_COPIED && event->from) {
        range.low = hx_buffer_address(event->from) + event->from_offset;
        range.is_store = false;
        add_range(launches, &range);
    }
}

/* ---- Open and close ------------------------------------------------------------------------------------ */

struct race_launches *race_launches_new(hx_checks *checks)
{
    struct race_launches *const launches = memory_allocate(check_allocator(checks), 1, sizeof *launches);
    if (!launches)
        return NULL;
    launches->checks = checks;
    launches->allocator = check_allocator(checks);
    return launches;
}

void race_launches_free(struct race_launches *launches)
{
    if (!launches)
        return;
    for (uint32_t i = 0; i < CHECK_CHAINS; i++)
        forget_chain(launches, &launches->chains[i]);
    LIST_DONE(launches->allocator, &launches->ranges);
    LIST_DONE(launches->allocator, &launches->launches);
    memory_free(launches->allocator, launches);
}
