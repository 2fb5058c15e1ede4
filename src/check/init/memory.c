/* The shadow of memory: loads, stores, atomics.
 *
 * Takes an access of one type, leaves the shadow of what it loads or of the bytes that it stores. Shared
 * memory counts the bytes that are not defined, and all buffers together have a flag: where nothing is
 * undefined, no address is needed. */
#include "check/init/init.h"

#include "base/memory.h"
#include "device/device.h"
#include "exec/flow/print.h"
#include "exec/handlers/addresses.h"
#include "semantics/types.h"

#include <string.h>

void init_area_done(const hx_allocator *allocator, struct init_area *area)
{
    memory_free(allocator, area->state);
    memory_free(allocator, atomic_load(&area->cells));
    *area = (struct init_area){0};
}

/* The area of a thread's local memory; all of it is unwritten at the block's first access. */
static struct init_area *local_area(struct init_step *step, uint32_t lane)
{
    const uint32_t thread = init_thread(step, lane);
    struct init_area *area = &step->block->locals[thread % step->block->local_count];
    const uint64_t bytes = step->event->state->gang.local_stride;
    if (area->left)
        return area;
    if (!area->state && !(area->state = memory_allocate(step->init->allocator, bytes, 1))) {
        atomic_store(&step->init->has_failed, true);
        return NULL;
    }
    memset(area->state, INIT_IS_UNWRITTEN, bytes);
    area->bytes = bytes;
    area->left = 1; /* in use by this block */
    return area;
}

/* Where the shadow of `bytes` from an address on begins; NULL: all of them are defined, unless `makes`, or
 * they are no memory. */
static struct init_area *area_at(struct init_step *step, int space, uint64_t address, uint32_t bytes,
                                 uint32_t lane, bool makes, uint64_t *ret_offset)
{
    struct init_area *area = NULL;
    *ret_offset = address;
    if (space == SPACE_GLOBAL)
        area = init_global_page(step->init, address, makes, ret_offset);
    else if (space == SPACE_SHARED)
        area = &step->block->shared;
    else if (space == SPACE_LOCAL && step->block->local_count)
        area = local_area(step, lane);
    return area && *ret_offset < area->bytes && area->bytes - *ret_offset >= bytes ? area : NULL;
}

struct init_cell *init_cells_of(struct init *init, struct init_area *area)
{
    struct init_cell *cells = atomic_load(&area->cells), *none = NULL;
    if (cells)
        return cells;
    cells = memory_allocate(init->allocator, area->bytes, sizeof *cells);
    if (!cells) {
        atomic_store(&init->has_failed, true);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&area->cells, &none, cells))
        return cells;
    memory_free(init->allocator, cells);
    return none;
}

/* What is undefined of the value at an address. */
static struct init_value load(struct init_step *step, int space, uint64_t address, uint32_t bytes,
                              uint32_t lane)
{
    struct init_value value = {0, 0};
    uint64_t offset;
    const struct init_area *area = area_at(step, space, address, bytes, lane, false, &offset);
    for (uint32_t i = 0; area && i < bytes; i++) {
        const uint8_t state = __atomic_load_n(&area->state[offset + i], __ATOMIC_RELAXED);
        if (state == INIT_IS_DEFINED)
            continue;
        const struct init_cell *const cells = state == INIT_IS_UNWRITTEN ? NULL : atomic_load(&area->cells);
        value.bits |= (uint64_t)(cells ? cells[offset + i].bits : 255) << 8 * i;
        if (!value.origin)
            value.origin = !cells ? INIT_FROM_MEMORY | (uint64_t)space << 56 |
                                        (uint64_t)__builtin_ctz(bytes) << 52 | (address + i)
                                  : cells[offset + i].origin;
    }
    if (value.bits && space == SPACE_LOCAL && init_is_judged(step, lane, value.origin))
        return (struct init_value){0, 0};
    return value;
}

/* Does a value go back to where it was loaded from? So members are set that are some bits of a byte. */
static bool is_put_back(struct init_value value, int space, uint64_t address, uint32_t bytes)
{
    return (value.origin & INIT_FROM_MEMORY) && INIT_ORIGIN_SPACE(value.origin) == space &&
           INIT_ORIGIN_ADDRESS(value.origin) - address < bytes;
}

static void store(struct init_step *step, int space, uint64_t address, uint32_t bytes, uint32_t lane,
                  struct init_value value, bool is_padding)
{
    uint64_t offset;
    struct init_area *area = area_at(step, space, address, bytes, lane, value.bits != 0, &offset);
    struct init_cell *cells = area && value.bits ? init_cells_of(step->init, area) : NULL;
    if (!area || (value.bits && !cells))
        return;
    if (is_put_back(value, space, address, bytes))
        value.origin &= ~INIT_CUT;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t bits = (uint8_t)(value.bits >> 8 * i);
        const bool is_undefined = bits != 0;
        const uint8_t state =
            is_undefined ? (is_padding ? INIT_IS_PADDING : INIT_IS_STORED) : INIT_IS_DEFINED;
        if (is_undefined)
            cells[offset + i] = (struct init_cell){.origin = value.origin,
                                                   .block = step->block->number,
                                                   .element = address,
                                                   .launch = step->init->launch,
                                                   .instruction = step->event->op->instruction,
                                                   .thread = init_thread(step, lane),
                                                   .bits = bits};
        if (space == SPACE_SHARED)
            area->left += (uint64_t)is_undefined - (area->state[offset + i] != INIT_IS_DEFINED);
        __atomic_store_n(&area->state[offset + i], state, __ATOMIC_RELAXED);
    }
    if (space == SPACE_GLOBAL && value.bits)
        atomic_store_explicit(&step->init->is_undefined_global, true, memory_order_relaxed);
}

bool init_memory_is_defined(const struct init *init, const struct init_block *block, const struct op *op)
{
    const bool global = !atomic_load_explicit(&init->is_undefined_global, memory_order_relaxed);
    const bool shared = block->shared.left == 0;
    switch (op->space) {
    case SPACE_GLOBAL:
        return global;
    case SPACE_SHARED:
        return shared;
    case SPACE_GENERIC:
        return global && shared && block->local_count == 0;
    default:
        return op->space == SPACE_CONSTANT;
    }
}

static bool is_all_defined(const struct init_step *step)
{
    return init_memory_is_defined(step->init, step->block, step->event->op);
}

static void decide_address(struct init_step *step)
{
    init_decide(step, OPERAND_A, CHECK_INIT_ADDRESS);
    if (step->event->op->source_type != HX_TYPE_NONE)
        init_decide(step, OPERAND_C, CHECK_INIT_ADDRESS);
}

typedef void access_function(struct init_step *step, int space, uint64_t address, uint32_t lane);

static void each_lane(struct init_step *step, access_function *function)
{
    const struct op *op = step->event->op;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        if (!step->lanes[chunk])
            continue;
        lane_addresses(op, step->event->state->rows, chunk, LANES_PER_CHUNK, addresses);
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            uint64_t address = addresses[lane];
            const int space = op->space == SPACE_GENERIC ? (int)window_resolve(&address) : op->space;
            function(step, space, address, chunk * LANES_PER_CHUNK + lane);
        }
    }
}

static uint32_t element_bytes(const struct init_step *step)
{
    return type_bytes((enum hx_type)step->event->op->type);
}

/* ---- Shared memory, all of whose values in registers are defined --------------------------------------- */

/* The states of an element's bytes in shared memory, the first one lowest; 0: all are defined, or it is not
 * there. */
static inline uint64_t shared_states(const struct init_area *shared, uint64_t address, uint32_t bytes)
{
    uint64_t states = 0;
    if (address >= shared->bytes || shared->bytes - address < bytes)
        return 0;
    if (bytes == 4) { /* known to the compiler: most are */
        uint32_t word;
        memcpy(&word, shared->state + address, sizeof word);
        return word;
    }
    memcpy(&states, shared->state + address, bytes); /* low bytes come first */
    return states;
}

/* The element that each lane stores there is defined. */
static void define_shared(struct init_step *step)
{
    const uint32_t bytes = element_bytes(step);
    struct init_area *const shared = &step->block->shared;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        if (!step->lanes[chunk])
            continue;
        lane_addresses(step->event->op, step->event->state->rows, chunk, LANES_PER_CHUNK, addresses);
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            const uint64_t address = addresses[__builtin_ctzll(left)];
            const uint64_t states = shared_states(shared, address, bytes);
            if (!states)
                continue;
            shared->left -= (uint64_t)__builtin_popcount(init_gather(states));
            memset(shared->state + address, INIT_IS_DEFINED, bytes);
        }
    }
}

/* Is all defined that the lanes load from there? */
static bool is_shared_defined(const struct init_step *step)
{
    const uint32_t bytes = element_bytes(step);
    uint64_t any = 0;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++) {
        uint64_t addresses[LANES_PER_CHUNK];
        if (!step->lanes[chunk])
            continue;
        lane_addresses(step->event->op, step->event->state->rows, chunk, LANES_PER_CHUNK, addresses);
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1)
            any |= shared_states(&step->block->shared, addresses[__builtin_ctzll(left)], bytes);
    }
    return any == 0;
}

static void load_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    struct init_value value = load(step, space, address, element_bytes(step), lane);
    value.bits = init_cell((enum hx_type)step->event->op->type, value.bits);
    init_set(step, OPERAND_D, lane, value);
}

void init_step_load(struct init_step *step)
{
    decide_address(step);
    if (is_all_defined(step) || (step->event->op->space == SPACE_SHARED && is_shared_defined(step)))
        init_define(step, OPERAND_D);
    else
        each_lane(step, load_lane);
}

static uint64_t element_bits(const struct init_step *step)
{
    return UINT64_MAX >> (64 - 8 * element_bytes(step));
}

/* The undefined bits of the element of one of the stores of a vector. */
static struct init_value stored_value(struct init_step *step, uint32_t lane)
{
    struct init_value value = init_get(step, OPERAND_B, lane);
    value.bits &= element_bits(step);
    return value;
}

/* May one of a vector's elements be padding, where others are not? Compilers copy structures with vectors of
 * integers, and leave the fourth of three floats in a register that nobody writes. A float that was read from
 * memory is a value; who writes assembly copies values. */
static bool has_padding_elements(const struct init_step *step, struct init_value value)
{
    const bool is_float = type_is_float((enum hx_type)step->event->op->type);
    return step->init->code.kernel->is_imported && !(is_float && (value.origin & INIT_FROM_MEMORY));
}

/* Of the stored element some bytes are defined, or, as it lay in memory, some bits. */
static bool has_defined_part(const struct init_step *step, struct init_value value)
{
    if (value.origin & INIT_CUT)
        return init_gather(value.bits) != init_gather(element_bits(step));
    return value.bits != element_bits(step);
}

/* Was a value only moved, of which some bytes are defined? */
static bool is_padding(struct init_step *step, uint32_t lane, struct init_value value)
{
    const struct init_op *const own = step->op, *const ops = step->init->code.ops;
    if (value.origin & INIT_COMPUTED)
        return false;
    bool has_defined = has_defined_part(step, value);
    for (uint32_t i = 0; has_padding_elements(step, value) && i < own->group_count; i++) {
        step->op = &ops[own->group + i];
        has_defined |= has_defined_part(step, stored_value(step, lane));
    }
    step->op = own;
    return has_defined;
}

static void store_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const struct init_value value = stored_value(step, lane);
    store(step, space, address, element_bytes(step), lane, value,
          value.bits && is_padding(step, lane, value));
}

static bool is_operand_defined(const struct init_step *step, enum semantic_operand letter)
{
    uint64_t any = 0;
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        any |= init_undefined(step, letter, chunk);
    return any == 0;
}

void init_step_store(struct init_step *step)
{
    decide_address(step);
    const bool is_defined = is_operand_defined(step, OPERAND_B);
    if (is_defined && step->event->op->space == SPACE_SHARED)
        define_shared(step);
    else if (!is_defined || !is_all_defined(step))
        each_lane(step, store_lane);
}

static bool exchanges(int semantic)
{
    return semantic == SEM_atomic_exch_global || semantic == SEM_atomic_exch_shared ||
           semantic == SEM_atomic_exch_generic;
}

/* What lies there now, which is all defined; false where no memory is. */
static bool read_memory(const struct init_step *step, int space, uint64_t address, uint32_t bytes,
                        uint32_t lane, uint64_t *ret_value)
{
    const struct gang_state *const state = step->event->state;
    struct memory_window window = state->gang.whole_shared;
    if (space == SPACE_LOCAL)
        window = gang_local(state, lane);
    if (space == SPACE_GLOBAL) {
        const hx_buffer *const buffer =
            device_memory_find(device_memory(gang_launch(state)->device), address);
        if (!buffer)
            return false;
        window = buffer->window;
    }
    *ret_value = 0;
    if (address < window.low || address - window.low >= window.size ||
        window.size - (address - window.low) < bytes)
        return false;
    memcpy(ret_value, window.host + (address - window.low), bytes); /* low bytes come first */
    return true;
}

/* What lanes of the same compare-and-swap have stored so far, which memory does not have yet. */
struct init_swaps {
    uint32_t count;
    struct {
        int space;
        uint64_t address, value;
    } items[GANG_LANES_MAX];
};

static void keep_swap(const struct init_step *step, int space, uint64_t address, uint64_t value)
{
    struct init_swaps *const swaps = step->swaps;
    if (space != SPACE_LOCAL && swaps->count < HX_COUNT_OF(swaps->items)) {
        swaps->items[swaps->count].space = space;
        swaps->items[swaps->count].address = address;
        swaps->items[swaps->count++].value = value;
    }
}

/* The value of the last of them at the address. */
static bool find_swap(const struct init_swaps *swaps, int space, uint64_t address, uint64_t *ret_value)
{
    for (uint32_t i = swaps->count; i > 0; i--)
        if (swaps->items[i - 1].address == address && swaps->items[i - 1].space == space) {
            *ret_value = swaps->items[i - 1].value;
            return true;
        }
    return false;
}

/* A compare-and-swap that is known to find another value leaves what is there. */
static bool leaves_memory(const struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const uint32_t bytes = element_bytes(step);
    const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    uint64_t now;
    if (semantic_at(step->op->semantic)->shape != SHAPE_CAS || init_get(step, OPERAND_B, lane).bits ||
        (!find_swap(step->swaps, space, address, &now) &&
         !read_memory(step, space, address, bytes, lane, &now)))
        return false;
    if (now == (init_cell_value(step, OPERAND_B, lane) & mask))
        keep_swap(step, space, address, init_cell_value(step, OPERAND_F, lane) & mask);
    return now != (init_cell_value(step, OPERAND_B, lane) & mask);
}

/* Lanes come one after the other, as they do when it runs. */
static void atomic_lane(struct init_step *step, int space, uint64_t address, uint32_t lane)
{
    const uint32_t bytes = element_bytes(step);
    const struct init_value old = load(step, space, address, bytes, lane);
    struct init_value made = stored_value(step, lane);
    const bool is_swapped = !old.bits && !made.bits && semantic_at(step->op->semantic)->shape == SHAPE_CAS;
    if (is_swapped) {
        made = init_get(step, OPERAND_F, lane);
        made.bits &= element_bits(step);
    } else if (!exchanges(step->op->semantic)) {
        const struct init_value other = init_get(step, OPERAND_F, lane);
        const uint64_t origin = old.origin ? old.origin : made.origin ? made.origin : other.origin;
        const uint64_t any = old.bits | made.bits | other.bits;
        made =
            any ? (struct init_value){element_bits(step), origin | INIT_COMPUTED} : (struct init_value){0, 0};
    }
    if (!is_swapped || !leaves_memory(step, space, address, lane))
        store(step, space, address, bytes, lane, made, false);
    init_set(step, OPERAND_D, lane,
             (struct init_value){init_cell((enum hx_type)step->event->op->type, old.bits), old.origin});
}

void init_step_atomic(struct init_step *step)
{
    struct init_swaps swaps;
    swaps.count = 0;
    step->swaps = &swaps;
    decide_address(step);
    if (is_all_defined(step) && is_operand_defined(step, OPERAND_B) && is_operand_defined(step, OPERAND_F))
        init_define(step, OPERAND_D);
    else
        each_lane(step, atomic_lane);
}

/* What a thread takes of its stack is unwritten again, whatever was there before. */
static void take_lane(struct init_step *step, uint32_t lane)
{
    struct init_area *area = local_area(step, lane);
    const uint64_t from = gang_local(step->event->state, lane).size;
    const uint64_t wanted = init_cell_value(step, OPERAND_A, lane);
    uint64_t align = init_cell_value(step, OPERAND_B, lane);
    if (!area || from >= area->bytes)
        return;
    align = align ? align : 8;
    const uint64_t room = area->bytes - from;
    init_forget_judged(step, lane, from);
    memset(area->state + from, INIT_IS_UNWRITTEN,
           wanted < room && align < room - wanted ? wanted + align : room);
}

void init_step_stack(struct init_step *step)
{
    init_decide(step, OPERAND_A, CHECK_INIT_ADDRESS);
    init_decide(step, OPERAND_B, CHECK_INIT_ADDRESS);
    for (uint32_t chunk = 0; chunk < step->chunks && step->block->local_count; chunk++)
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1)
            take_lane(step, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left));
    init_define(step, OPERAND_D);
}

/* ---- Arguments of prints ------------------------------------------------------------------------------- */

struct shown {
    struct init_step *step;
    uint32_t lane;
};

static void show_argument(void *user, unsigned number, uint64_t address, uint32_t bytes)
{
    struct shown *const shown = user;
    const int space = (int)window_resolve(&address);
    const struct init_value value = load(shown->step, space, address, bytes, shown->lane);
    if (!value.bits)
        return;
    init_report(shown->step, CHECK_INIT_PRINT, shown->lane, OPERAND_LETTERS + number, INIT_NO_MEMBER,
                value.origin);
    store(shown->step, space, address, bytes, shown->lane, (struct init_value){0, 0}, false);
}

void init_step_arguments(struct init_step *step)
{
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        for (uint64_t left = step->lanes[chunk]; left; left &= left - 1) {
            struct shown shown = {.step = step,
                                  .lane = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left)};
            print_each_argument(step->event->state, shown.lane, init_cell_value(step, OPERAND_A, shown.lane),
                                init_cell_value(step, OPERAND_B, shown.lane), show_argument, &shown);
        }
}
