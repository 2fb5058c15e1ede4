/* Inexact values in memory.
 *
 * Takes loads, stores and atomics, leaves for each byte of memory the number of the source that it comes
 * from, 0 where it is exact. Shared memory, a thread's local memory and pages of buffers have such numbers
 * from their first inexact byte on. */
#include "base/memory.h"
#include "check/init/init.h"
#include "exec/handlers/addresses.h"
#include "semantics/types.h"

#include <string.h>

typedef _Atomic(uint16_t) atomic_source;

/* ---- Buffers ------------------------------------------------------------------------------------------- */

void fidelity_free_pages(const hx_allocator *allocator, struct init_buffer *buffer)
{
    for (uint64_t i = 0; buffer->inexact && i < buffer->page_count; i++)
        memory_free(allocator, atomic_load(&buffer->inexact[i]));
    memory_free(allocator, buffer->inexact);
}

/* The numbers of the bytes from `offset` on, to the end of its page; made if `makes`. NULL: there are none,
 * or no memory. */
static atomic_source *numbers_at(struct init *init, struct init_buffer *buffer, uint64_t offset, bool makes)
{
    _Atomic(atomic_source *) *const place = &buffer->inexact[offset / INIT_PAGE_BYTES];
    atomic_source *page = atomic_load(place), *none = NULL;
    if (!page && makes) {
        page = memory_allocate(init->allocator, INIT_PAGE_BYTES, sizeof *page);
        if (!page)
            atomic_store(&init->has_failed, true);
        else if (!atomic_compare_exchange_strong(place, &none, page)) {
            memory_free(init->allocator, page);
            page = none;
        }
    }
    return page ? page + offset % INIT_PAGE_BYTES : NULL;
}

static void set_byte(struct init *init, struct init_buffer *buffer, uint64_t offset, uint16_t source)
{
    atomic_source *const number = numbers_at(init, buffer, offset, source != 0);
    if (number)
        atomic_store_explicit(number, source, memory_order_relaxed);
}

static uint16_t byte_of(struct init *init, struct init_buffer *buffer, uint64_t offset)
{
    const atomic_source *const number = numbers_at(init, buffer, offset, false);
    return number ? atomic_load_explicit(number, memory_order_relaxed) : 0;
}

void fidelity_host_writes(struct init *init, struct init_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    const uint64_t end = atomic_load(&init->fidelity.has_global) ? offset + bytes : offset;
    for (uint64_t at = offset; at < end;) {
        const uint64_t in_page = at % INIT_PAGE_BYTES;
        const uint64_t run = end - at < INIT_PAGE_BYTES - in_page ? end - at : INIT_PAGE_BYTES - in_page;
        atomic_source *const numbers = numbers_at(init, buffer, at, false);
        for (uint64_t i = 0; numbers && i < run; i++)
            atomic_store_explicit(&numbers[i], 0, memory_order_relaxed);
        at += run;
    }
}

void fidelity_host_copies(struct init *init, const hx_buffer_event *event, struct init_buffer *to)
{
    struct init_buffer *const from =
        event->from ? init_find_buffer(init, hx_buffer_address(event->from)) : NULL;
    const bool backwards = from == to && event->offset > event->from_offset;
    if (!from) {
        fidelity_host_writes(init, to, event->offset, event->bytes);
        return;
    }
    for (uint64_t i = 0; atomic_load(&init->fidelity.has_global) && i < event->bytes; i++) {
        const uint64_t at = backwards ? event->bytes - 1 - i : i;
        set_byte(init, to, event->offset + at, byte_of(init, from, event->from_offset + at));
    }
}

/* ---- Memory of a block --------------------------------------------------------------------------------- */

/* The numbers of the space's bytes for a lane; with `makes`, made. NULL: all are exact, or no memory. */
static uint16_t *own_bytes(const struct init_step *step, int space, uint32_t lane, bool makes,
                           uint64_t *ret_bytes)
{
    struct fidelity_block *const own = makes ? fidelity_block_made(step) : step->block->fidelity;
    const bool is_shared = space == SPACE_SHARED;
    if (!own || (!is_shared && (space != SPACE_LOCAL || own->local_count == 0)))
        return NULL;
    uint16_t **const at = is_shared ? &own->shared : &own->locals[init_thread(step, lane) % own->local_count];
    *ret_bytes = is_shared ? step->block->shared.bytes : step->event->state->gang.local_stride;
    if (!*at && makes && *ret_bytes) {
        *at = memory_allocate(step->init->allocator, *ret_bytes, sizeof **at);
        if (!*at)
            atomic_store(&step->init->has_failed, true);
    }
    return *at;
}

static bool has_inexact(const struct init *init, const struct init_block *block, int space)
{
    const struct fidelity_block *const own = block->fidelity;
    switch (space) {
    case SPACE_GLOBAL:
        return atomic_load_explicit(&init->fidelity.has_global, memory_order_relaxed);
    case SPACE_SHARED:
        return own && own->has_shared;
    case SPACE_LOCAL:
        return own && own->has_local;
    case SPACE_GENERIC:
        return has_inexact(init, block, SPACE_GLOBAL) || (own && (own->has_shared || own->has_local));
    default:
        return false;
    }
}

bool fidelity_in_memory(const struct init *init, const struct init_block *block, const struct init_op *op,
                        const hx_micro_op_event *event)
{
    return op->class >= INIT_LOAD && op->class <= INIT_ATOMIC && has_inexact(init, block, event->op->space);
}

/* Lanes that follow each other mostly access one buffer. */
static struct init_buffer *buffer_at(struct init_step *step, uint64_t address)
{
    struct init_buffer *const last = step->last_buffer;
    if (last && address - last->low < last->size)
        return last;
    struct init_buffer *const found = init_find_buffer(step->init, address);
    step->last_buffer = found ? found : last;
    return found;
}

static bool is_in_page(uint64_t offset, uint32_t bytes)
{
    return offset % INIT_PAGE_BYTES + bytes <= INIT_PAGE_BYTES;
}

/* What is inexact of the value at an address. */
static fidelity_mark load(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const uint32_t count = type_bytes((enum hx_type)step->event->op->type);
    struct init_buffer *const buffer = space == SPACE_GLOBAL ? buffer_at(step, address) : NULL;
    uint64_t size = buffer ? buffer->size : 0;
    const uint16_t *const own = buffer ? NULL : own_bytes(step, space, lane, false, &size);
    const uint64_t offset = buffer ? address - buffer->low : address;
    uint32_t bytes = 0;
    uint16_t source = 0;
    if ((!buffer && !own) || offset >= size || size - offset < count)
        return 0;
    if (buffer && is_in_page(offset, count) && !numbers_at(step->init, buffer, offset, false))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t here = own ? own[offset + i] : byte_of(step->init, buffer, offset + i);
        bytes |= here ? 1u << i : 0;
        source = source ? source : here;
    }
    return source ? source | bytes << 16 : 0;
}

static void store(struct init_step *step, int space, uint64_t address, uint32_t lane, fidelity_mark mark)
{
    const uint32_t count = type_bytes((enum hx_type)step->event->op->type);
    struct init_buffer *const buffer = space == SPACE_GLOBAL ? buffer_at(step, address) : NULL;
    uint64_t size = buffer ? buffer->size : 0;
    uint16_t *const own = buffer ? NULL : own_bytes(step, space, lane, mark != 0, &size);
    const uint64_t offset = buffer ? address - buffer->low : address;
    if ((!buffer && !own) || offset >= size || size - offset < count)
        return;
    atomic_source *const numbers =
        buffer && is_in_page(offset, count) ? numbers_at(step->init, buffer, offset, mark != 0) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t source = FIDELITY_BYTES(mark) >> i & 1 ? FIDELITY_ORIGIN(mark) : 0;
        if (own)
            own[offset + i] = source;
        else if (numbers)
            atomic_store_explicit(&numbers[i], source, memory_order_relaxed);
        else if (!is_in_page(offset, count))
            set_byte(step->init, buffer, offset + i, source);
    }
    if (mark && buffer)
        atomic_store_explicit(&step->init->fidelity.has_global, true, memory_order_relaxed);
    else if (mark)
        *(space == SPACE_SHARED ? &step->block->fidelity->has_shared : &step->block->fidelity->has_local) =
            true;
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

static void decide_address(const struct init_step *step)
{
    fidelity_decide(step, OPERAND_A, CHECK_DECIDES_ADDRESS);
    if (step->event->op->source_type != HX_TYPE_NONE)
        fidelity_decide(step, OPERAND_C, CHECK_DECIDES_ADDRESS);
}

/* Returns the mark of the lane's result. */
typedef fidelity_mark access_function(struct init_step *step, int space, uint64_t address, uint32_t lane);

/* has_result: row d gets the marks. */
static void each_lane(struct init_step *step, access_function *function, bool has_result)
{
    const struct op *const op = step->event->op;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        struct fidelity_marks marks = {{0}};
        if (!step->lanes[chunk])
            continue;
        lane_addresses(op, step->event->state->rows, chunk, LANES_PER_CHUNK, addresses);
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            uint64_t address = addresses[lane];
            const int space = op->space == SPACE_GENERIC ? (int)window_resolve(&address) : op->space;
            marks.of[lane] = function(step, space, address, chunk * LANES_PER_CHUNK + lane);
        }
        if (has_result)
            fidelity_put_marks(step, OPERAND_D, chunk, &marks);
    }
}

/* The mark of a register that is given what lies in memory: signs are extended. */
static fidelity_mark as_register(const struct init_step *step, fidelity_mark mark)
{
    const enum hx_type type = (enum hx_type)step->event->op->type;
    const uint32_t bytes = init_gather(init_cell(type, init_spread(FIDELITY_BYTES(mark))));
    return bytes ? FIDELITY_ORIGIN(mark) | bytes << 16 : 0;
}

static fidelity_mark load_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const fidelity_mark mark = load(step, space, address, lane);
    return mark ? as_register(step, mark) : 0;
}

void fidelity_load(struct init_step *step)
{
    decide_address(step);
    if (has_inexact(step->init, step->block, step->event->op->space))
        each_lane(step, load_lane, true);
    else
        fidelity_put_exact(step, OPERAND_D);
}

/* The bytes of a register that an element of memory has. */
static fidelity_mark stored_mark(const struct init_step *step, enum semantic_operand letter, uint32_t lane)
{
    const uint32_t all = (1u << type_bytes((enum hx_type)step->event->op->type)) - 1;
    const fidelity_mark mark = fidelity_get(step, letter, lane);
    const uint32_t bytes = FIDELITY_BYTES(mark) & all;
    return bytes ? FIDELITY_ORIGIN(mark) | bytes << 16 : 0;
}

static fidelity_mark store_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    fidelity_mark mark = stored_mark(step, OPERAND_B, lane);
    if (step->inexact_from) /* it stores a special register of the machine's own */
        mark = step->inexact_from | FIDELITY_ALL_BYTES;
    store(step, space, address, lane, mark);
    return 0;
}

void fidelity_store(struct init_step *step)
{
    bool any = step->inexact_from != 0;
    decide_address(step);
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        any |= fidelity_lanes(step, OPERAND_B, chunk) != 0;
    if (any || has_inexact(step->init, step->block, step->event->op->space))
        each_lane(step, store_lane, false);
}

/* Sums of floats depend on the order of threads; of others only what they return does. */
static bool is_open_sum(const struct init_step *step)
{
    return step->inexact_from && type_is_float((enum hx_type)step->event->op->type) &&
           (step->op->semantic == SEM_atomic_add_global || step->op->semantic == SEM_atomic_add_shared ||
            step->op->semantic == SEM_atomic_add_generic);
}

static bool exchanges(int semantic)
{
    return semantic == SEM_atomic_exch_global || semantic == SEM_atomic_exch_shared ||
           semantic == SEM_atomic_exch_generic;
}

static fidelity_mark atomic_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const fidelity_mark old = load(step, space, address, lane);
    const fidelity_mark given = stored_mark(step, OPERAND_B, lane),
                        other = stored_mark(step, OPERAND_F, lane);
    fidelity_mark made = old ? old : other ? other : given;
    if (is_open_sum(step))
        made = step->inexact_from;
    else if (exchanges(step->op->semantic))
        made = given;
    store(step, space, address, lane, made ? made | FIDELITY_ALL_BYTES : 0);
    return as_register(step, old);
}

void fidelity_atomic(struct init_step *step)
{
    decide_address(step);
    each_lane(step, atomic_lane, true);
}
