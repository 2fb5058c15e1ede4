/* From lanes to spans.
 *
 * Takes a load or store of elements of 4 bytes, finds how the elements of its lanes lie (src/exec/op.h), and
 * gives the engine lanes whose elements lie in a run or at one place. Where the layout is known, as in most
 * converged code, that takes a few tests for a chunk. */
#include "check/race/race.h"
#include "device/device.h"
#include "exec/handlers/addresses.h"
#include "exec/watch.h"

#include <string.h>

/* One chunk of a micro-op. */
struct chunk {
    struct race_spans spans;
    const struct race_op *op;
    const struct op *of;
    const char *rows;
    uint32_t number, first; /* first: thread of lane 0 */
    uint64_t block, lanes;
    const struct gang_state *state;
    struct race_place *place;
    bool has_addresses;
    uint64_t addresses[LANES_PER_CHUNK];
};

static const uint64_t *addresses_of(struct chunk *chunk)
{
    if (!chunk->has_addresses)
        lane_addresses(chunk->of, chunk->rows, chunk->number, LANES_PER_CHUNK, chunk->addresses);
    chunk->has_addresses = true;
    return chunk->addresses;
}

static const uint32_t *stored_of(const struct chunk *chunk)
{
    return chunk->op->is_store ? (const uint32_t *)(const void *)(chunk->rows + chunk->of->b.at +
                                                                  (size_t)chunk->number * chunk->of->b.step)
                               : NULL;
}

/* Lanes that are not simple are done one by one. `lane`: that has the address. */
static void give_rest(struct chunk *chunk, const struct race_span *span, uint64_t lanes, uint32_t lane)
{
    const struct race_lanes who = {chunk->block, chunk->first, lanes};
    const uint64_t *const of_lanes = addresses_of(chunk);
    uint64_t addresses[LANES_PER_CHUNK];
    for (uint32_t l = 0; l < LANES_PER_CHUNK; l++) /* of its space, if they are generic */
        addresses[l] = of_lanes[l] - of_lanes[lane] + span->address;
    race_access(chunk->spans.engine, chunk->op, &who, span->is_shared, addresses,
                (const uint8_t *)(const void *)span->stored);
}

/* ---- Memory that is only read -------------------------------------------------------------------------- */

static bool is_read_only(struct race_place *place, const struct gang_state *state, uint64_t low, uint64_t end)
{
    if (low < place->low || low >= place->end) {
        const hx_buffer *const buffer = device_memory_find(device_memory(gang_launch(state)->device), low);
        if (!buffer)
            return false;
        *place =
            (struct race_place){buffer->window.low, buffer->window.low + buffer->window.size,
                                buffer->access == HX_ACCESS_READ && !place->is_command, place->is_command};
    }
    return place->is_read_only && end <= place->end;
}

/* run: lanes of a run, as struct race_span has it; 0: all of `lanes` are at one place. */
static void give_span(struct chunk *chunk, uint64_t lanes, uint32_t run, uint64_t address)
{
    int space = chunk->of->space;
    if (space == SPACE_GENERIC)
        space = (int)window_resolve(&address);
    if (space != SPACE_GLOBAL && space != SPACE_SHARED)
        return;
    if (space == SPACE_GLOBAL && chunk->op->is_load &&
        is_read_only(chunk->place, chunk->state, address, address + 4 * (run ? run : 1)))
        return;
    const struct race_span span = {.first = chunk->first,
                                   .lane = (uint32_t)__builtin_ctzll(lanes),
                                   .count = run,
                                   .lanes = lanes,
                                   .is_shared = space == SPACE_SHARED,
                                   .address = address,
                                   .stored = stored_of(chunk)};
    const uint64_t left = race_span_access(&chunk->spans, &span);
    if (left)
        give_rest(chunk, &span, left, span.lane);
}

/* The lanes from the lowest on that are next to each other. */
static uint64_t lowest_lanes(uint64_t lanes)
{
    const uint64_t carried = lanes + (lanes & -lanes);
    return lanes & ~carried;
}

/* ---- By layout ----------------------------------------------------------------------------------------- */

/* The address of a lane of an affine access. */
static uint64_t affine_address(const struct chunk *chunk, uint32_t lane)
{
    const struct op *const op = chunk->of;
    const uint32_t same = *(const uint32_t *)(const void *)(chunk->rows + op->f.at);
    const uint32_t *const steps =
        (const uint32_t *)(const void *)(chunk->rows + op->e.at + (size_t)chunk->number * op->e.step);
    return *(const uint64_t *)(const void *)(chunk->rows + op->a.at) + (uint64_t)op->immediate +
           index_distance(op, same + steps[lane]);
}

/* Lanes that lie in a run: an index may begin again at 0 within it. */
static void give_run(struct chunk *chunk, uint64_t lanes)
{
    for (uint64_t part; lanes; lanes &= ~part) {
        part = lowest_lanes(lanes);
        const uint32_t first = (uint32_t)__builtin_ctzll(part), last = 63 - (uint32_t)__builtin_clzll(part);
        const uint64_t address = affine_address(chunk, first);
        const bool is_run = affine_address(chunk, last) - address == 4 * (uint64_t)(last - first);
        part = is_run ? part : part & -part;
        give_span(chunk, part, is_run ? last - first + 1 : 1, address);
    }
}

#define GROUP_MASK ((UINT64_C(1) << LAYOUT_GROUP) - 1)

/* All groups of lanes load the same run. False: an index begins again at 0 within it. */
static bool give_repeated(struct chunk *chunk)
{
    const uint64_t address = affine_address(chunk, 0);
    if (affine_address(chunk, LAYOUT_GROUP - 1) - address != 4 * (LAYOUT_GROUP - 1))
        return false;
    give_span(chunk, chunk->lanes, LAYOUT_GROUP, address);
    return true;
}

static void give_groups(struct chunk *chunk)
{
    const bool is_shared = chunk->of->space == SPACE_SHARED;
    uint64_t addresses[CHUNK_GROUPS];
    for (uint32_t g = 0; g < CHUNK_GROUPS; g++)
        addresses[g] = affine_address(chunk, g * LAYOUT_GROUP);
    const struct race_lanes who = {
        chunk->block, chunk->first,
        race_groups_access(&chunk->spans, chunk->first, chunk->lanes, is_shared, addresses)};
    if (who.lanes)
        race_access(chunk->spans.engine, chunk->op, &who, is_shared, addresses_of(chunk), NULL);
}

/* False: the layout is none that helps. */
static bool give_affine(struct chunk *chunk, const struct affine_part *part)
{
    if (part->kind == LAYOUT_ANY_LANES || (part->kind != LAYOUT_GROUPS_AT_ONE && chunk->of->scale_log2 != 2))
        return false;
    if (part->kind == LAYOUT_LANES_IN_RUN) {
        give_run(chunk, chunk->lanes);
        return true;
    }
    if (part->kind == LAYOUT_GROUPS_IN_RUN && part->is_repeated && chunk->op->is_load &&
        (chunk->lanes & GROUP_MASK) == GROUP_MASK && give_repeated(chunk))
        return true;
    if (part->kind == LAYOUT_GROUPS_AT_ONE && chunk->op->is_load && chunk->of->space != SPACE_GENERIC) {
        give_groups(chunk);
        return true;
    }
    for (uint32_t first = 0; first < LANES_PER_CHUNK; first += LAYOUT_GROUP) {
        const uint64_t lanes = chunk->lanes & GROUP_MASK << first;
        if (lanes && part->kind == LAYOUT_GROUPS_IN_RUN)
            give_run(chunk, lanes);
        else if (lanes)
            give_span(chunk, lanes, 0, affine_address(chunk, (uint32_t)__builtin_ctzll(lanes)));
    }
    return true;
}

/* ---- By address ---------------------------------------------------------------------------------------- */

static void give_addresses(struct chunk *chunk)
{
    const uint64_t *const at = addresses_of(chunk);
    for (uint64_t left = chunk->lanes, part; left; left &= ~part) {
        const uint32_t first = (uint32_t)__builtin_ctzll(left);
        uint32_t end = first + 1;
        const bool is_one =
            end < LANES_PER_CHUNK && (left >> end & 1) && at[end] == at[first] && chunk->op->is_load;
        while (end < LANES_PER_CHUNK && (left >> end & 1) &&
               at[end] - at[first] == (is_one ? 0 : 4 * (uint64_t)(end - first)))
            end++;
        part = (end == LANES_PER_CHUNK ? 0 : UINT64_MAX << end) ^ UINT64_MAX << first;
        give_span(chunk, part, is_one ? 0 : end - first, at[first]);
    }
}

static bool has_one_address(const struct op *op)
{
    return !op->affine_part && op->a.step == 0 && (op->source_type == HX_TYPE_NONE || op->c.step == 0);
}

/* ---- Of all chunks at once ------------------------------------------------------------------------------
 */

/* Where the groups of a gang's lanes lie. False: they are in no groups, or an index begins again at 0. */
static bool find_groups(const struct op *op, const char *rows, const struct affine_part *part,
                        struct race_many *many)
{
    static const int32_t at_one[RACE_CHUNKS * CHUNK_GROUPS] = {0};
    const uint64_t base = *(const uint64_t *)(const void *)(rows + op->a.at) + (uint64_t)op->immediate;
    many->groups = part ? part->groups : at_one;
    many->base = base;
    many->scale_log2 = 2;
    if (!part)
        return op->source_type == HX_TYPE_NONE;
    const uint32_t same = *(const uint32_t *)(const void *)(rows + op->f.at);
    const uint64_t low = index_distance(op, same + (uint32_t)part->low);
    const uint64_t rise = (uint64_t)((int64_t)part->high - part->low) << op->scale_log2;
    many->is_one_run = part->kind == LAYOUT_LANES_IN_RUN;
    many->is_run = many->is_one_run || part->kind == LAYOUT_GROUPS_IN_RUN;
    many->base += low - ((uint64_t)(int64_t)part->low << op->scale_log2);
    many->least = part->low;
    many->most = part->high;
    many->scale_log2 = op->scale_log2;
    return part->kind != LAYOUT_ANY_LANES && (!many->is_run || op->scale_log2 == 2) &&
           index_distance(op, same + (uint32_t)part->high) - low == rise;
}

/* The same for lanes in no groups, in shared memory. False: an address is none that is put off. */
static bool find_places(const struct gang_state *state, const struct op *op, struct race_many *many,
                        uint32_t places[RACE_CHUNKS * LANES_PER_CHUNK])
{
    uint64_t least = UINT64_MAX, most = 0, low_bits = 0;
    for (uint32_t number = 0; number < many->chunks; number++) {
        const uint64_t lanes = many->lanes[number];
        uint64_t at[LANES_PER_CHUNK];
        lane_addresses(op, state->rows, number, LANES_PER_CHUNK, at);
        for (uint32_t lane = 0; lanes && lane < LANES_PER_CHUNK; lane++) {
            const uint64_t address = lanes >> lane & 1 ? at[lane] : at[__builtin_ctzll(lanes)];
            least = address < least ? address : least;
            most = address > most ? address : most;
            low_bits |= address;
            places[number * LANES_PER_CHUNK + lane] = (uint32_t)(address / 4);
        }
    }
    many->groups = NULL;
    many->places = places;
    many->is_run = many->is_one_run = false;
    many->base = 0;
    many->scale_log2 = 2;
    many->least = (int32_t)(least / 4);
    many->most = (int32_t)(most / 4);
    return most <= INT32_MAX && !(low_bits & 3);
}

/* Accesses that need not be read one by one: those to shared memory are put off, those to memory that is
 * only read race with nothing. False: they must be done now. */
static bool is_done_at_once(const struct race_spans *spans, const struct race_op *op,
                            const hx_micro_op_event *event, const struct affine_part *part,
                            struct race_place *place)
{
    const struct gang_state *const state = event->state;
    const struct op *const of = event->op;
    struct race_many many = {.first = state->first_thread, .chunks = state->gang.chunks};
    uint64_t low, end;
    uint32_t places[RACE_CHUNKS * LANES_PER_CHUNK];
    if (of->space != SPACE_SHARED && (of->space != SPACE_GLOBAL || op->is_store))
        return false;
    memcpy(many.lanes, event->lanes, many.chunks * sizeof *many.lanes);
    if (!((part || has_one_address(of)) && find_groups(of, state->rows, part, &many)) &&
        !(of->space == SPACE_SHARED && op->is_load && race_defers(spans) &&
          find_places(state, of, &many, places)))
        return false;
    if (of->space == SPACE_GLOBAL)
        return !race_many_bytes(&many, &low, &end) || is_read_only(place, state, low, end);
    many.stored = (const uint32_t *)(const void *)(state->rows + of->b.at);
    many.stored_step = of->b.step / 4;
    return race_defer(spans, op, &many);
}

/* The lanes of a gang, if they are next to each other. False: they are not, or there are none. */
static bool find_lanes(const hx_micro_op_event *event, uint32_t chunks, uint32_t *ret_first,
                       uint32_t *ret_count)
{
    uint32_t first = 0, last = 0, count = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t lanes = event->lanes[chunk];
        if (!lanes)
            continue;
        if (count == 0)
            first = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(lanes);
        last = chunk * LANES_PER_CHUNK + LANES_PER_CHUNK - 1 - (uint32_t)__builtin_clzll(lanes);
        count += (uint32_t)__builtin_popcountll(lanes);
    }
    *ret_first = first;
    *ret_count = count;
    return count > 0 && last - first == count - 1;
}

static uint64_t gang_address(struct chunk *chunk, uint32_t lane)
{
    chunk->number = lane / LANES_PER_CHUNK;
    return affine_address(chunk, lane % LANES_PER_CHUNK);
}

/* What the gang's lanes store, one behind the other. */
static const uint32_t *stored_by_gang(struct chunk *chunk, uint32_t same[RACE_CHUNKS * LANES_PER_CHUNK])
{
    chunk->number = 0;
    const uint32_t *const stored = stored_of(chunk);
    if (!stored || chunk->of->b.step == LANES_PER_CHUNK * sizeof *stored)
        return stored;
    for (; chunk->number < chunk->state->gang.chunks; chunk->number++)
        memcpy(same + chunk->number * LANES_PER_CHUNK, stored_of(chunk), LANES_PER_CHUNK * sizeof *same);
    return same;
}

/* All lanes of a gang, in global memory, that are one run: as all of it is given at once, the shadow stays
 * simple where chunks meet within a line. Leaves the lanes that must be done by chunks. */
static bool give_gang(struct chunk *chunk, const hx_micro_op_event *event, const struct affine_part *part)
{
    const struct op *const op = chunk->of;
    uint64_t left[RACE_CHUNKS] = {0};
    uint32_t lane, count, same[RACE_CHUNKS * LANES_PER_CHUNK];
    if (!part || part->kind != LAYOUT_LANES_IN_RUN || op->scale_log2 != 2 || op->space != SPACE_GLOBAL ||
        !find_lanes(event, chunk->state->gang.chunks, &lane, &count))
        return false;
    const uint64_t address = gang_address(chunk, lane);
    if (gang_address(chunk, lane + count - 1) - address != 4 * (uint64_t)(count - 1))
        return false;
    const struct race_span run = {.first = chunk->state->first_thread,
                                  .lane = lane,
                                  .count = count,
                                  .address = address,
                                  .stored = stored_by_gang(chunk, same)};
    if (!race_run_access(&chunk->spans, &run, left))
        return false;
    for (chunk->number = 0; chunk->number < chunk->state->gang.chunks; chunk->number++) {
        const struct race_lanes who = {chunk->block, run.first + chunk->number * LANES_PER_CHUNK,
                                       left[chunk->number]};
        chunk->has_addresses = false;
        if (who.lanes)
            race_access(chunk->spans.engine, chunk->op, &who, false, addresses_of(chunk),
                        (const uint8_t *)(const void *)stored_of(chunk));
    }
    return true;
}

void race_spans_of_op(struct race_engine *engine, const struct race_op *op, const hx_micro_op_event *event,
                      struct race_place *place)
{
    const struct gang_state *const state = event->state;
    const struct op *const of = event->op;
    const struct affine_part *const part =
        of->affine_part ? &state->gang.affine_parts[of->affine_part - 1] : NULL;
    struct chunk chunk;
    if (!race_spans_begin(engine, op, state->block->number, &chunk.spans))
        return;
    if (is_done_at_once(&chunk.spans, op, event, part, place))
        return;
    chunk.op = op;
    chunk.of = of;
    chunk.state = state;
    chunk.place = place;
    chunk.rows = state->rows;
    chunk.block = state->block->number;
    if (give_gang(&chunk, event, part))
        return;
    for (chunk.number = 0; chunk.number < state->gang.chunks; chunk.number++) {
        chunk.lanes = event->lanes[chunk.number];
        chunk.first = state->first_thread + chunk.number * LANES_PER_CHUNK;
        chunk.has_addresses = false;
        if (!chunk.lanes || (part && give_affine(&chunk, part)))
            continue;
        if (has_one_address(of) && op->is_load)
            give_span(&chunk, chunk.lanes, 0, addresses_of(&chunk)[0]);
        else
            give_addresses(&chunk);
    }
}
