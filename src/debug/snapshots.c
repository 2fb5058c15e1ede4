/* Keeping snapshots: pages that are shared, a list by time, and what is given up.
 *
 * Takes the bytes that the engine saves, leaves them in pages, each of which is compared with the one at the
 * same place of the snapshot before. */
#include "debug/snapshots.h"

#include "base/machine.h"

#include <string.h>

void snapshots_init(struct snapshots *snapshots, const hx_allocator *allocator)
{
    *snapshots = (struct snapshots){
        .allocator = allocator, .distance = SNAPSHOT_DISTANCE, .cost_share = SNAPSHOT_COST_SHARE};
}

static void drop_page(struct snapshots *snapshots, struct snapshot_page *page)
{
    if (--page->uses > 0)
        return;
    memory_free(snapshots->allocator, page);
    snapshots->bytes -= sizeof *page;
}

static void free_snapshot(struct snapshots *snapshots, struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->pages.count; i++)
        drop_page(snapshots, snapshot->pages.items[i]);
    LIST_DONE(snapshots->allocator, &snapshot->pages);
    memory_free(snapshots->allocator, snapshot->did);
    memory_free(snapshots->allocator, snapshot);
}

void snapshots_done(struct snapshots *snapshots)
{
    for (size_t i = 0; i < snapshots->items.count; i++)
        free_snapshot(snapshots, snapshots->items.items[i]);
    LIST_DONE(snapshots->allocator, &snapshots->items);
}

void snapshots_forget(struct snapshots *snapshots, uint64_t time)
{
    while (snapshots->items.count > 0 && snapshots->items.items[snapshots->items.count - 1]->time > time)
        free_snapshot(snapshots, snapshots->items.items[--snapshots->items.count]);
}

/* How many are before a time. */
static size_t count_before(const struct snapshots *snapshots, uint64_t time)
{
    size_t low = 0, high = snapshots->items.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (snapshots->items.items[middle]->time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct snapshot *snapshots_before(const struct snapshots *snapshots, uint64_t time)
{
    const size_t count = count_before(snapshots, time);
    return count > 0 ? snapshots->items.items[count - 1] : NULL;
}

struct snapshot *snapshots_further(const struct snapshots *snapshots, uint64_t time, size_t further)
{
    const size_t count = count_before(snapshots, time);
    return count == 0 ? NULL : snapshots->items.items[further < count ? count - 1 - further : 0];
}

bool snapshots_want(const struct snapshots *snapshots, uint64_t time)
{
    const size_t before = count_before(snapshots, time + 1);
    const uint64_t last = before > 0 ? snapshots->items.items[before - 1]->time : 0;
    if (snapshots->is_off || time - last < snapshots->distance)
        return false;
    if (before < snapshots->items.count && snapshots->items.items[before]->time - time < snapshots->distance)
        return false;
    return machine_now_ns() - snapshots->last_ns >= snapshots->cost_share * snapshots->cost_ns;
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

/* A page with these bytes behind those that the snapshot has. */
static bool add_page(struct snapshot_stream *stream, const char *bytes)
{
    struct snapshots *snapshots = stream->snapshots;
    struct snapshot *of = stream->of;
    const size_t number = of->pages.count;
    struct snapshot_page *page =
        stream->like && number < stream->like->pages.count ? stream->like->pages.items[number] : NULL;
    if (!LIST_RESERVE(snapshots->allocator, &of->pages, 1))
        return false;
    if (!page || memcmp(page->bytes, bytes, sizeof page->bytes) != 0) {
        page = memory_resize(snapshots->allocator, NULL, 1, sizeof *page);
        if (!page)
            return false;
        memcpy(page->bytes, bytes, sizeof page->bytes);
        page->uses = 0;
        snapshots->bytes += sizeof *page;
    }
    page->uses++;
    of->pages.items[of->pages.count++] = page;
    return true;
}

static bool write_bytes(struct snapshot_stream *stream, const char *at, size_t bytes)
{
    while (bytes > 0) {
        const size_t room = SNAPSHOT_PAGE_BYTES - stream->filled, part = bytes < room ? bytes : room;
        const bool is_page = part == SNAPSHOT_PAGE_BYTES;
        if (!is_page)
            memcpy(stream->bytes + stream->filled, at, part);
        if (part == room && !add_page(stream, is_page ? at : stream->bytes))
            return false;
        stream->filled = part == room ? 0 : stream->filled + part;
        at += part;
        bytes -= part;
    }
    return true;
}

static bool read_bytes(struct snapshot_stream *stream, char *at, size_t bytes)
{
    while (bytes > 0) {
        const size_t room = SNAPSHOT_PAGE_BYTES - stream->filled, part = bytes < room ? bytes : room;
        if (stream->page >= stream->of->pages.count)
            return false;
        memcpy(at, stream->of->pages.items[stream->page]->bytes + stream->filled, part);
        stream->page += part == room;
        stream->filled = part == room ? 0 : stream->filled + part;
        at += part;
        bytes -= part;
    }
    return true;
}

static bool move(struct snapshot_port *port, void *at, size_t bytes)
{
    struct snapshot_stream *stream = (struct snapshot_stream *)(void *)port;
    if (!stream->failed)
        stream->failed = port->loads ? !read_bytes(stream, at, bytes) : !write_bytes(stream, at, bytes);
    return !stream->failed;
}

bool snapshots_align(struct snapshot_stream *stream)
{
    static const char zeros[SNAPSHOT_PAGE_BYTES];
    const size_t left = stream->filled ? SNAPSHOT_PAGE_BYTES - stream->filled : 0;
    if (!stream->port.loads)
        return stream->port.move(&stream->port, (char *)zeros, left);
    stream->page += left > 0;
    stream->filled = 0;
    return !stream->failed;
}

struct snapshot *snapshots_begin(struct snapshots *snapshots, struct snapshot_stream *stream, uint64_t time,
                                 uint32_t launch, const struct kernel *kernel)
{
    struct snapshot *made = memory_allocate(snapshots->allocator, 1, sizeof *made);
    if (made)
        made->did = memory_allocate(snapshots->allocator, kernel->code_count + (size_t)1, 1);
    if (!made || !made->did) {
        memory_free(snapshots->allocator, made);
        return NULL;
    }
    made->time = time;
    made->launch = launch;
    made->kernel = kernel;
    made->first_block = made->low = UINT64_MAX;
    made->least_depth = UINT32_MAX;
    snapshots->last_ns = machine_now_ns();
    stream->port = (struct snapshot_port){.move = move};
    stream->snapshots = snapshots;
    stream->like = snapshots_before(snapshots, time);
    stream->of = made;
    stream->page = stream->filled = 0;
    stream->failed = false;
    return made;
}

void snapshots_read(struct snapshots *snapshots, struct snapshot_stream *stream,
                    const struct snapshot *snapshot)
{
    stream->port = (struct snapshot_port){.loads = true, .move = move};
    stream->snapshots = snapshots;
    stream->like = NULL;
    stream->of = (struct snapshot *)snapshot;
    stream->page = stream->filled = 0;
    stream->failed = false;
}

/* ---- Giving up ----------------------------------------------------------------------------------------- */

/* What is known of two pieces together. */
static void unite(struct snapshot *to, const struct snapshot *from)
{
    if (to->launch != from->launch || !from->kernel)
        to->kernel = NULL;
    for (uint32_t i = 0; to->kernel && i < to->kernel->code_count; i++)
        to->did[i] |= from->did[i];
    to->first_block = from->first_block < to->first_block ? from->first_block : to->first_block;
    to->last_block = from->last_block > to->last_block ? from->last_block : to->last_block;
    to->low = from->low < to->low ? from->low : to->low;
    to->end = from->end > to->end ? from->end : to->end;
    to->has_others |= from->has_others;
    to->most_depth = from->most_depth > to->most_depth ? from->most_depth : to->most_depth;
    to->least_depth = from->least_depth < to->least_depth ? from->least_depth : to->least_depth;
}

static void thin_out(struct snapshots *snapshots)
{
    size_t kept = 0;
    for (size_t i = 0; i < snapshots->items.count; i++) {
        struct snapshot *snapshot = snapshots->items.items[i];
        if (i % 2 == 0) {
            snapshots->items.items[kept++] = snapshot;
            continue;
        }
        unite(snapshots->items.items[kept - 1], snapshot);
        free_snapshot(snapshots, snapshot);
    }
    snapshots->items.count = kept;
    snapshots->distance *= 2;
}

void snapshots_end(struct snapshots *snapshots, struct snapshot_stream *stream, bool good)
{
    struct snapshot *made = stream->of;
    good = good && snapshots_align(stream) && LIST_RESERVE(snapshots->allocator, &snapshots->items, 1);
    const uint64_t now = machine_now_ns();
    snapshots->cost_ns = now - snapshots->last_ns;
    snapshots->last_ns = now;
    if (!good) {
        free_snapshot(snapshots, made);
        snapshots->is_off = true;
        return;
    }
    const size_t before = count_before(snapshots, made->time);
    if (before > 0 && before < snapshots->items.count) /* all of a piece that is cut has been done already */
        unite(made, snapshots->items.items[before - 1]);
    memmove(snapshots->items.items + before + 1, snapshots->items.items + before,
            (snapshots->items.count - before) * sizeof *snapshots->items.items);
    snapshots->items.items[before] = made;
    snapshots->items.count++;
    while (snapshots->items.count > SNAPSHOT_COUNT_MAX ||
           (snapshots->bytes > SNAPSHOT_BYTES_MAX && snapshots->items.count > 1))
        thin_out(snapshots);
    if (snapshots->bytes > SNAPSHOT_BYTES_MAX) {
        snapshots_forget(snapshots, 0);
        snapshots->is_off = true;
    }
}
