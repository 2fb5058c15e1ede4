/* Caches of a launch.
 *
 * Takes warps' accesses, leaves counts. An access becomes requests of lines, which wait in one list until the
 * wave is complete: each warp's are chained, oldest first. Playing a wave then takes one request of each warp
 * in turn. What waits is bounded: beyond WAVE_REQUESTS a wave is played early at the end of a block, beyond
 * PIECE_REQUESTS at once (then what takes turns with what depends on gangs; no block that a person writes
 * gets there without tens of millions of accesses). */
#include "gpu/hierarchy.h"

#include "gpu/access.h"
#include "gpu/cache.h"

#include <string.h>

#define NONE           UINT32_MAX
#define WAVE_REQUESTS  ((size_t)4 << 20)  /* about 100 MB */
#define PIECE_REQUESTS ((size_t)32 << 20) /* about 800 MB */
#define LINES_MAX      128u /* that one request can touch: 64 lanes, whole vectors of 32 bytes */
#define LOCAL_BASE     ((uint64_t)1 << 60) /* where local memory is, in addresses of the model */
#define LOCAL_WORD     4u                  /* consecutive words of a thread are a warp's width apart */
/* Lines that L1 looks up in a clock (NVIDIA Developer Forums, "Pascal L1 cache", of Volta: "the tag stage can
 * look up 4 tags per cycle resolving a maximum of 16 sectors"). */
#define L1_TAGS 4u

/* Sectors of one line that one access of a warp touches. */
struct line_request {
    uint64_t line;
    uint32_t next; /* of the same warp, NONE at the end */
    uint32_t instruction;
    uint16_t buffer;
    uint8_t sectors;
    uint8_t kind : 4;    /* enum hierarchy_kind */
    uint8_t is_last : 1; /* of its access */
};

struct stream {
    uint64_t block;
    uint32_t warp, first, last;
};

struct hierarchy {
    const struct gpu *gpu;
    const hx_allocator *allocator;
    struct hierarchy_launch launch;
    unsigned line_shift, sector_shift;
    struct cache *l2, **l1; /* l1_count of them, each of l1_ways */
    size_t l1_count;
    uint64_t l1_ways, wave_blocks, done_blocks;
    struct hierarchy_range *buffers;
    size_t buffer_count, last_buffer;
    struct hierarchy_counts *of_instruction, *of_buffer, total;
    LIST(struct line_request) requests;
    LIST(struct stream) streams; /* block_warps for each block that has any, in order of appearance */
    size_t last_streams;         /* the first of the block of the last access */
    uint64_t highest_block;      /* that has streams */
    hx_status status;
};

hx_status hierarchy_new(const struct gpu *gpu, const hx_allocator *allocator,
                        struct hierarchy **ret_hierarchy)
{
    struct hierarchy *hierarchy = memory_allocate(allocator, 1, sizeof *hierarchy);
    if (!hierarchy)
        return HX_NO_MEMORY;
    hierarchy->gpu = gpu;
    hierarchy->allocator = allocator;
    hierarchy->line_shift = (unsigned)__builtin_ctzll(gpu->line_bytes);
    hierarchy->sector_shift = (unsigned)__builtin_ctzll(gpu->sector_bytes);
    if (cache_new(gpu->l2.bytes / (gpu->l2.ways * gpu->line_bytes), gpu->l2.ways, allocator,
                  &hierarchy->l2) != HX_OK ||
        hierarchy_set_buffers(hierarchy, NULL, 0) != HX_OK) {
        hierarchy_free(hierarchy);
        return HX_NO_MEMORY;
    }
    *ret_hierarchy = hierarchy;
    return HX_OK;
}

static void free_l1(struct hierarchy *hierarchy)
{
    for (size_t i = 0; i < hierarchy->l1_count; i++)
        cache_free(hierarchy->l1[i]);
    memory_free(hierarchy->allocator, hierarchy->l1);
    hierarchy->l1 = NULL;
    hierarchy->l1_count = 0;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    free_l1(hierarchy);
    cache_free(hierarchy->l2);
    memory_free(hierarchy->allocator, hierarchy->buffers);
    memory_free(hierarchy->allocator, hierarchy->of_instruction);
    memory_free(hierarchy->allocator, hierarchy->of_buffer);
    LIST_DONE(hierarchy->allocator, &hierarchy->requests);
    LIST_DONE(hierarchy->allocator, &hierarchy->streams);
    memory_free(hierarchy->allocator, hierarchy);
}

hx_status hierarchy_set_buffers(struct hierarchy *hierarchy, const struct hierarchy_range *buffers,
                                size_t count)
{
    if (count > UINT16_MAX - 2)
        return HX_NO_MEMORY;
    struct hierarchy_range *ranges = memory_allocate(hierarchy->allocator, count + 1, sizeof *ranges);
    struct hierarchy_counts *counts = memory_allocate(hierarchy->allocator, count + 2, sizeof *counts);
    if (!ranges || !counts) {
        memory_free(hierarchy->allocator, ranges);
        memory_free(hierarchy->allocator, counts);
        return HX_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        ranges[i] = buffers[i];
    memory_free(hierarchy->allocator, hierarchy->buffers);
    memory_free(hierarchy->allocator, hierarchy->of_buffer);
    hierarchy->buffers = ranges;
    hierarchy->of_buffer = counts;
    hierarchy->buffer_count = count;
    hierarchy->last_buffer = 0;
    return HX_OK;
}

/* As many L1 caches as SMs have blocks; those of the launch before serve again when they have the same size.
 */
static hx_status make_l1(struct hierarchy *hierarchy, const struct hierarchy_launch *launch)
{
    const struct gpu *gpu = hierarchy->gpu;
    const uint64_t sms = launch->blocks < gpu->sms ? launch->blocks : gpu->sms;
    const uint64_t ways = launch->l1_bytes / (gpu->l1.sets * gpu->line_bytes);
    if (hierarchy->l1_count >= sms && hierarchy->l1_ways == ways) {
        for (size_t i = 0; i < hierarchy->l1_count; i++)
            cache_clear(hierarchy->l1[i]);
        return HX_OK;
    }
    free_l1(hierarchy);
    hierarchy->l1 = memory_allocate(hierarchy->allocator, sms + 1, sizeof(struct cache *));
    if (!hierarchy->l1)
        return HX_NO_MEMORY;
    hierarchy->l1_ways = ways;
    for (; hierarchy->l1_count < sms; hierarchy->l1_count++)
        if (cache_new(gpu->l1.sets, ways, hierarchy->allocator, &hierarchy->l1[hierarchy->l1_count]) != HX_OK)
            return HX_NO_MEMORY;
    return HX_OK;
}

hx_status hierarchy_begin(struct hierarchy *hierarchy, const struct hierarchy_launch *launch)
{
    hierarchy->launch = *launch;
    hierarchy->wave_blocks = launch->resident_blocks * hierarchy->gpu->sms;
    hierarchy->done_blocks = 0;
    hierarchy->requests.count = hierarchy->streams.count = 0;
    hierarchy->last_streams = 0;
    hierarchy->total = (struct hierarchy_counts){0};
    memset(hierarchy->of_buffer, 0, (hierarchy->buffer_count + 2) * sizeof *hierarchy->of_buffer);
    memory_free(hierarchy->allocator, hierarchy->of_instruction);
    hierarchy->of_instruction = memory_allocate(hierarchy->allocator, (size_t)launch->instructions + 1,
                                                sizeof *hierarchy->of_instruction);
    if (!launch->keep_l2)
        cache_clear(hierarchy->l2);
    return hierarchy->status = hierarchy->of_instruction ? make_l1(hierarchy, launch) : HX_NO_MEMORY;
}

/* The streams of a block's warps; NULL: no memory. Blocks seldom alternate, and then few do. */
static struct stream *streams_of(struct hierarchy *hierarchy, uint64_t block)
{
    const size_t warps = hierarchy->launch.block_warps, count = hierarchy->streams.count;
    struct stream *items = hierarchy->streams.items;
    if (count > 0 && items[hierarchy->last_streams].block == block)
        return &items[hierarchy->last_streams];
    for (size_t at = block > hierarchy->highest_block ? 0 : count; at > 0; at -= warps)
        if (items[at - warps].block == block) {
            hierarchy->last_streams = at - warps;
            return &items[at - warps];
        }
    if (!LIST_RESERVE(hierarchy->allocator, &hierarchy->streams, warps))
        return NULL;
    for (uint32_t i = 0; i < warps; i++)
        hierarchy->streams.items[count + i] = (struct stream){block, i, NONE, NONE};
    hierarchy->streams.count += warps;
    hierarchy->last_streams = count;
    hierarchy->highest_block =
        count == 0 || block > hierarchy->highest_block ? block : hierarchy->highest_block;
    return &hierarchy->streams.items[count];
}

/* Of some sectors of a line: buffers begin at sectors. */
static uint16_t buffer_of(struct hierarchy *hierarchy, uint64_t line, uint8_t sectors)
{
    const uint64_t address =
        (line << hierarchy->line_shift) + ((uint64_t)__builtin_ctz(sectors) << hierarchy->sector_shift);
    if (address >= LOCAL_BASE)
        return (uint16_t)(hierarchy->buffer_count + 1);
    const struct hierarchy_range *last = &hierarchy->buffers[hierarchy->last_buffer];
    if (hierarchy->buffer_count > 0 && address - last->address < last->bytes)
        return (uint16_t)hierarchy->last_buffer;
    for (size_t i = 0; i < hierarchy->buffer_count; i++)
        if (address - hierarchy->buffers[i].address < hierarchy->buffers[i].bytes) {
            hierarchy->last_buffer = i;
            return (uint16_t)i;
        }
    return (uint16_t)hierarchy->buffer_count;
}

/* The lines that an access touches, in order of the first lane that touches each. */
struct touched {
    uint64_t lines[LINES_MAX];
    uint8_t sectors[LINES_MAX];
    uint32_t count;
};

static void touch(const struct hierarchy *hierarchy, struct touched *touched, uint64_t address,
                  uint32_t bytes)
{
    const uint64_t end = address + (bytes ? bytes : 1) - 1;
    for (uint64_t sector = address >> hierarchy->sector_shift; sector <= end >> hierarchy->sector_shift;
         sector++) {
        const unsigned in_line = hierarchy->line_shift - hierarchy->sector_shift;
        const uint64_t line = sector >> in_line;
        uint32_t at = touched->count;
        while (at > 0 && touched->lines[at - 1] != line)
            at--;
        if (at == 0) {
            if (touched->count == LINES_MAX)
                return;
            touched->lines[touched->count] = line;
            touched->sectors[touched->count] = 0;
            at = ++touched->count;
        }
        touched->sectors[at - 1] |= (uint8_t)(1u << (sector & ((1u << in_line) - 1)));
    }
}

/* Local memory of the model: each warp that an SM holds has a piece, used again by the warp that comes after
 * it; in it, the same word of all lanes stands together. */
static void touch_local(const struct hierarchy *hierarchy, struct touched *touched,
                        const hx_access_event *access, uint32_t warp, unsigned lane)
{
    const struct hierarchy_launch *launch = &hierarchy->launch;
    const uint64_t words = (launch->local_bytes + LOCAL_WORD - 1) / LOCAL_WORD;
    const uint64_t place = (access->at.block % hierarchy->wave_blocks) * launch->block_warps + warp;
    const uint64_t base = LOCAL_BASE + place * words * launch->warp_size * LOCAL_WORD;
    for (uint32_t done = 0; done < access->lane_bytes;) {
        const uint64_t at = access->addresses[lane] + done;
        const uint32_t in_word = (uint32_t)(at % LOCAL_WORD), left = access->lane_bytes - done;
        const uint32_t bytes = LOCAL_WORD - in_word < left ? LOCAL_WORD - in_word : left;
        touch(hierarchy, touched, base + (at / LOCAL_WORD * launch->warp_size + lane) * LOCAL_WORD + in_word,
              bytes);
        done += bytes;
    }
}

static void play(struct hierarchy *hierarchy);

static void add_request(struct hierarchy *hierarchy, struct stream *stream, struct line_request request)
{
    const uint32_t at = (uint32_t)hierarchy->requests.count;
    request.next = NONE;
    hierarchy->requests.items[hierarchy->requests.count++] = request;
    *(stream->last == NONE ? &stream->first : &hierarchy->requests.items[stream->last].next) = at;
    stream->last = at;
}

/* What a request takes of the L1 cache, hit or not. In local memory the lanes' words stand side by side. */
static void count_passes(struct hierarchy *hierarchy, const hx_access_event *access,
                         const struct touched *touched)
{
    const uint64_t line = hierarchy->gpu->line_bytes;
    const uint64_t bytes = (uint64_t)__builtin_popcountll(access->lanes) * access->lane_bytes;
    const uint64_t banks = access->space == SPACE_LOCAL ? (bytes + line - 1) / line : access_passes(access);
    const uint64_t tags = (touched->count + L1_TAGS - 1) / L1_TAGS, passes = banks > tags ? banks : tags;
    hierarchy->of_instruction[access->at.instruction].passes += passes;
    hierarchy->total.passes += passes;
}

void hierarchy_access(struct hierarchy *hierarchy, enum hierarchy_kind kind, const hx_access_event *access)
{
    if (hierarchy->status != HX_OK || access->lanes == 0)
        return;
    if (hierarchy->requests.count > PIECE_REQUESTS)
        play(hierarchy);
    const uint32_t warp = access->at.first_thread / hierarchy->launch.warp_size;
    struct touched touched;
    touched.count = 0;
    for (uint64_t lanes = access->lanes; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (access->space == SPACE_LOCAL)
            touch_local(hierarchy, &touched, access, warp, lane);
        else
            touch(hierarchy, &touched, access->addresses[lane], access->lane_bytes);
    }
    struct stream *streams = streams_of(hierarchy, access->at.block);
    if (!streams || !LIST_RESERVE(hierarchy->allocator, &hierarchy->requests, touched.count)) {
        hierarchy->status = HX_NO_MEMORY;
        return;
    }
    count_passes(hierarchy, access, &touched);
    for (uint32_t i = 0; i < touched.count; i++)
        add_request(
            hierarchy, &streams[warp],
            (struct line_request){.line = touched.lines[i],
                                  .instruction = access->at.instruction,
                                  .buffer = buffer_of(hierarchy, touched.lines[i], touched.sectors[i]),
                                  .sectors = touched.sectors[i],
                                  .kind = (uint8_t)kind,
                                  .is_last = i + 1 == touched.count});
}

void hierarchy_block_done(struct hierarchy *hierarchy)
{
    hierarchy->done_blocks++;
    if (hierarchy->done_blocks == hierarchy->wave_blocks || hierarchy->requests.count > WAVE_REQUESTS) {
        play(hierarchy);
        hierarchy->done_blocks = 0;
    }
}

/* Counts one request of a line, for the launch, the instruction and the buffer. */
struct tally {
    struct hierarchy_counts *instruction, *buffer, *total;
};
#define TALLY(tally, member, count)                                                                          \
    ((tally)->instruction->member += (count), (tally)->buffer->member += (count),                            \
     (tally)->total->member += (count))

static unsigned count_of(uint8_t sectors)
{
    return (unsigned)__builtin_popcount(sectors);
}

/* Sectors go to or come from L2; whether any had to come from DRAM. */
static bool use_l2(struct hierarchy *hierarchy, const struct line_request *request, uint8_t sectors,
                   const struct tally *tally)
{
    const uint64_t bytes = count_of(sectors) * hierarchy->gpu->sector_bytes;
    const bool is_store = request->kind == HIERARCHY_STORE,
               writes = is_store || request->kind == HIERARCHY_ATOMIC;
    struct cache_victim victim;
    TALLY(tally, l2_slots, (bytes + HIERARCHY_L2_SLOT - 1) / HIERARCHY_L2_SLOT);
    const uint8_t there =
        cache_use(hierarchy->l2, request->line, sectors, writes ? CACHE_WRITE : CACHE_READ, &victim);
    if (victim.dirty) {
        const unsigned count = count_of(victim.dirty);
        hierarchy->of_buffer[buffer_of(hierarchy, victim.line, victim.dirty)].written_sectors += count;
        tally->instruction->written_sectors += count;
        tally->total->written_sectors += count;
    }
    if (writes)
        TALLY(tally, stored_sectors, count_of(sectors));
    if (is_store) /* L2 knows which bytes it has, so nothing need be read first */
        return false;
    const uint8_t missing = sectors & (uint8_t)~there;
    TALLY(tally, l2_sectors, count_of(sectors));
    TALLY(tally, l2_hits, count_of(there));
    TALLY(tally, dram_sectors, count_of(missing));
    return missing != 0;
}

static enum hierarchy_level use_line(struct hierarchy *hierarchy, struct cache *l1,
                                     const struct line_request *request, const struct tally *tally)
{
    uint8_t sectors = request->sectors;
    struct cache_victim clean; /* L1 is written through: nothing in it is dirty */
    switch ((enum hierarchy_kind)request->kind) {
    case HIERARCHY_LOAD: {
        const uint8_t there = cache_use(l1, request->line, sectors, CACHE_READ, &clean);
        TALLY(tally, l1_sectors, count_of(sectors));
        TALLY(tally, l1_hits, count_of(there));
        sectors &= (uint8_t)~there;
        if (sectors == 0)
            return HIERARCHY_L1;
        TALLY(tally, fills, 1);
        break;
    }
    case HIERARCHY_STORE:
        cache_use(l1, request->line, sectors, CACHE_TOUCH, &clean);
        break;
    case HIERARCHY_ATOMIC:
    case HIERARCHY_LOAD_PAST_L1:
        cache_use(l1, request->line, sectors, CACHE_DROP, &clean);
        break;
    }
    return use_l2(hierarchy, request, sectors, tally) ? HIERARCHY_DRAM : HIERARCHY_L2;
}

/* The lines of a warp's next access. */
static void play_access(struct hierarchy *hierarchy, struct stream *stream)
{
    struct cache *l1 = hierarchy->l1[stream->block % hierarchy->gpu->sms];
    const struct line_request *request;
    enum hierarchy_level slowest = HIERARCHY_L1;
    do {
        request = &hierarchy->requests.items[stream->first];
        stream->first = request->next;
        const struct tally tally = {&hierarchy->of_instruction[request->instruction],
                                    &hierarchy->of_buffer[request->buffer], &hierarchy->total};
        const enum hierarchy_level level = use_line(hierarchy, l1, request, &tally);
        slowest = level > slowest ? level : slowest;
    } while (!request->is_last);
    /* the lines of one access are of one buffer, but for accesses that go to several: the last counts */
    const struct tally tally = {&hierarchy->of_instruction[request->instruction],
                                &hierarchy->of_buffer[request->buffer], &hierarchy->total};
    TALLY(&tally, requests, 1);
    if (request->kind != HIERARCHY_STORE)
        TALLY(&tally, levels[slowest], 1);
}

/* Into linear order of blocks: they mostly are. */
static void sort_streams(struct hierarchy *hierarchy)
{
    const size_t warps = hierarchy->launch.block_warps, count = hierarchy->streams.count;
    struct stream *streams = hierarchy->streams.items;
    for (size_t i = warps; i < count; i += warps)
        for (size_t j = i; j > 0 && streams[j - warps].block > streams[j].block; j -= warps)
            for (size_t k = 0; k < warps; k++) {
                const struct stream moved = streams[j + k];
                streams[j + k] = streams[j + k - warps];
                streams[j + k - warps] = moved;
            }
}

static void play(struct hierarchy *hierarchy)
{
    if (hierarchy->status != HX_OK)
        return;
    sort_streams(hierarchy);
    struct stream *streams = hierarchy->streams.items;
    size_t count = hierarchy->streams.count;
    for (size_t left = count; left > 0; count = left) {
        left = 0; /* streams that go on are moved to the front, in their order */
        for (size_t i = 0; i < count; i++) {
            struct stream stream = streams[i];
            if (stream.first == NONE)
                continue;
            play_access(hierarchy, &stream);
            streams[left++] = stream;
        }
    }
    hierarchy->requests.count = hierarchy->streams.count = 0;
    hierarchy->last_streams = 0;
}

hx_status hierarchy_end(struct hierarchy *hierarchy)
{
    play(hierarchy);
    return hierarchy->status;
}

const struct hierarchy_counts *hierarchy_of_instruction(const struct hierarchy *hierarchy,
                                                        uint32_t instruction)
{
    return &hierarchy->of_instruction[instruction];
}

const struct hierarchy_counts *hierarchy_of_buffer(const struct hierarchy *hierarchy, size_t buffer)
{
    return &hierarchy->of_buffer[buffer];
}

const struct hierarchy_counts *hierarchy_total(const struct hierarchy *hierarchy)
{
    return &hierarchy->total;
}

void hierarchy_add(struct hierarchy_counts *to, const struct hierarchy_counts *from)
{
    to->requests += from->requests;
    to->l1_sectors += from->l1_sectors;
    to->l1_hits += from->l1_hits;
    to->l2_sectors += from->l2_sectors;
    to->l2_hits += from->l2_hits;
    to->stored_sectors += from->stored_sectors;
    to->dram_sectors += from->dram_sectors;
    to->written_sectors += from->written_sectors;
    for (int i = 0; i < HIERARCHY_LEVELS; i++)
        to->levels[i] += from->levels[i];
    to->passes += from->passes;
    to->fills += from->fills;
    to->l2_slots += from->l2_slots;
}

uint64_t hierarchy_dirty(const struct hierarchy *hierarchy)
{
    return cache_dirty(hierarchy->l2);
}
