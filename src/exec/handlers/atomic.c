/* Handlers of atomics, for the CPU level HANDLER_LEVEL. Takes the rows of atomic.def, leaves
 * handlers_atomic_LEVEL.
 *
 * Lanes run one after the other, in ascending order, so that the result is deterministic within a gang. Other
 * workers access global memory too, so each change there is a compare-and-swap that is repeated until it
 * succeeds. Shared memory belongs to one worker: its changes are plain ones. */
#include "exec/handlers/locate.h"
#include "exec/handlers/template.h"

#include "exec/handlers/lane_pairs.h"

#define WINDOW_GLOBAL  (&gang->windows[op->window_slot])
#define WINDOW_SHARED  (&gang->shared)
#define WINDOW_GENERIC WINDOW_GLOBAL

/* Where each active lane's element is; false after a fault. */
static NOINLINE bool find_elements(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,
                                   uint64_t active, const struct memory_window *window, unsigned bytes,
                                   struct scattered *ret_elements)
{
    const struct memory_access access = {
        .op = op, .gang = gang, .rows = rows, .window = window, .element_bytes = bytes, .is_store = true};
    uint64_t addresses[LANES_PER_CHUNK];
    lane_addresses(op, rows, chunk, LANES_PER_CHUNK, addresses);
    return locate_each(&access, chunk, active, addresses, 0, ret_elements) != PLACES_FAULT;
}

/* Puts `next` where `seen` is; false, with what is there now in `seen`, when that has changed. */
#define REPLACE_GLOBAL(at, seen, next)                                                                       \
    __atomic_compare_exchange_n(at, &(seen), next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define REPLACE_SHARED(at, seen, next)  (*(at) = (next), true)
#define REPLACE_GENERIC(at, seen, next) REPLACE_GLOBAL(at, seen, next)

/* Elements that are replaced as a whole: aligned, unlike those of loads and stores. */
#define WHOLE __attribute__((may_alias))
typedef uint16_t WHOLE whole_U16;
typedef uint32_t WHOLE whole_U32;
typedef uint64_t WHOLE whole_U64;
typedef uint32_t WHOLE whole_I32;
typedef uint64_t WHOLE whole_I64;
typedef uint16_t WHOLE whole_F16;
typedef uint16_t WHOLE whole_BF16;
typedef uint32_t WHOLE whole_F32;
typedef uint64_t WHOLE whole_F64;
typedef uint32_t WHOLE whole_F16X2;
typedef uint32_t WHOLE whole_BF16X2;

/* What finds another value than it compares with only loads, which takes a fraction of the time: C++, too,
 * has such a comparison as a load. */
#define FAILS_ATOMIC false
#define FAILS_CAS    (old != b)

#define MAKE_ATOMIC(view, type, name, space, FAILS, ...)                                                     \
    static NOINLINE bool name##_##view(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,   \
                                       uint64_t active)                                                      \
    {                                                                                                        \
        VIEW_##view(VIEW_DECLARE) typedef whole_##view whole;                                                \
        struct scattered elements;                                                                           \
        if (!find_elements(op, gang, rows, chunk, active, WINDOW_##space, sizeof(whole), &elements))         \
            return false;                                                                                    \
        const char *const at_b = FIRST_CHUNK(b), *const at_f UNUSED = FIRST_CHUNK(f);                        \
        ACTIVE_LANES(l)                                                                                      \
        {                                                                                                    \
            whole *const at = (whole *)(void *)elements.host[l];                                             \
            const T b = READ(view, b), f UNUSED = READ(view, f);                                             \
            whole seen = __atomic_load_n(at, __ATOMIC_ACQUIRE), next;                                        \
            cell_##view before = 0, after;                                                                   \
            bool is_done;                                                                                    \
            do {                                                                                             \
                __builtin_memcpy(&before, &seen, sizeof seen);                                               \
                const T old UNUSED = IN_##view(before);                                                      \
                after = (cell_##view)OUT_##view((T)(__VA_ARGS__));                                           \
                __builtin_memcpy(&next, &after, sizeof next);                                                \
                is_done = (FAILS) || REPLACE_##space(at, seen, next);                                        \
            } while (!is_done);                                                                              \
            ((cell_##view *)FIRST_CHUNK(d))[l] = before;                                                     \
            if (__builtin_expect(gang->atomics != NULL, 0)) {                                                \
                gang->atomics->before[chunk * LANES_PER_CHUNK + (uint32_t)l] = seen;                         \
                gang->atomics->after[chunk * LANES_PER_CHUNK + (uint32_t)l] = next;                          \
            }                                                                                                \
        }                                                                                                    \
        return true;                                                                                         \
    }                                                                                                        \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (!name##_##view(op, gang, rows, chunk, existing_lanes(gang, chunk)))                          \
                return gang->stop;                                                                           \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(name##_##view##_masked)                                                                          \
    {                                                                                                        \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (gang->mask_bits[chunk] && !name##_##view(op, gang, rows, chunk, gang->mask_bits[chunk]))     \
                return gang->stop;                                                                           \
        return op + 1;                                                                                       \
    }
#define ATOMIC(name, space, over, ...) ROW(MAKE_ATOMIC, over, name, space, FAILS_ATOMIC, __VA_ARGS__)
#define CAS(name, space, over, ...)    ROW(MAKE_ATOMIC, over, name, space, FAILS_CAS, __VA_ARGS__)

#include "semantics/atomic.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/atomic.def"
};
HANDLER_LIST(atomic, rows_here)
