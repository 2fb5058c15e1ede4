/* Handlers of loads, stores and clocks, for the CPU level HANDLER_LEVEL. Takes the rows of memory.def, leaves
 * handlers_memory_LEVEL.
 *
 * The work is done a chunk of 64 lanes at a time, and finding the elements is apart from moving them.
 * `locate` says how the active lanes' elements lie: as one run, all at one place, spread over a window that
 * is known, or scattered (then memory_resolve found each of them, or a fault). It tests addresses in vector
 * form, and for a run only the first and the last. The row's own code is one small loop for each of the
 * answers.
 *
 * Only elements of active lanes that exist are touched, and stores happen in ascending order of lanes, so
 * that of several lanes that store to one place the highest wins. */
#include "exec/handler_template.h"

enum pattern {
    PATTERN_RUN,       /* lane l's element is at `at` + l elements */
    PATTERN_ONE,       /* all 64 lanes' element is at `at` */
    PATTERN_SPREAD,    /* at `at` + offsets[l], a valid place for inactive lanes too */
    PATTERN_SCATTERED, /* at hosts.host[l] */
    PATTERN_FAULT
};

struct located {
    char *at;
    _Alignas(64) uint8_t mask[LANES_PER_CHUNK]; /* the active lanes; not for a whole chunk */
    _Alignas(64) uint64_t offsets[LANES_PER_CHUNK];
    struct scattered hosts;
};

struct request {
    const struct op *op;
    struct gang *gang;
    const struct memory_window *window;
    const uint64_t *addresses; /* a row's chunk, without the op's offset */
    uint32_t chunk;
    uint64_t active; /* not 0 */
    unsigned element_bytes;
    bool is_store;
};

/* A bit for each lane becomes a byte, eight at a time: every byte keeps one bit of its copy. */
static void spread_mask(uint64_t bits, uint8_t *mask)
{
    for (int i = 0; i < 8; i++) {
        const uint64_t copies = (bits >> (8 * i) & 255) * 0x0101010101010101u & 0x8040201008040201u;
        const uint64_t bytes = (copies + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        __builtin_memcpy(mask + 8 * i, &bytes, sizeof bytes);
    }
}

/* Is the whole range from `address` on, `bytes` long, in the window, and the address a multiple of align + 1?
 */
static inline bool fits(const struct memory_window *window, uint64_t address, uint64_t bytes, uint64_t align)
{
    return bytes <= window->size && address - window->low <= window->size - bytes && (address & align) == 0;
}

/* The way through memory_resolve. The window may be another one afterwards. */
static NOINLINE enum pattern resolve(const struct request *request, struct located *located)
{
    const uint64_t offset = (uint64_t)request->op->immediate;
    for (int l = 0; l < LANES_PER_CHUNK; l++)
        located->offsets[l] = request->addresses[l] + offset;
    return memory_resolve(request->op, request->gang, request->chunk, located->offsets, request->active,
                          request->element_bytes, request->is_store, &located->hosts)
               ? PATTERN_SCATTERED
               : PATTERN_FAULT;
}

static enum pattern locate_part(const struct request *request, uint64_t bytes, uint64_t align,
                                struct located *located)
{
    const struct memory_window *window = request->window;
    const uint64_t *a = request->addresses, element = request->element_bytes;
    const int first_lane = __builtin_ctzll(request->active);
    const uint64_t first = a[first_lane], origin = first - (uint64_t)first_lane * element;
    const uint64_t to_offset = (uint64_t)request->op->immediate - window->low, room = window->size - bytes;
    spread_mask(request->active, located->mask);
    uint64_t not_run = element & align, outside = window->size < bytes, misaligned = 0;
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        const uint64_t address = located->mask[l] ? a[l] : first;
        const uint64_t in_run = origin + (uint64_t)l * element;
        located->offsets[l] = address + to_offset;
        outside |= address + to_offset > room;
        misaligned |= (address + (uint64_t)request->op->immediate) & align;
        not_run |= located->mask[l] ? a[l] ^ in_run : 0;
    }
    if (outside || misaligned)
        return resolve(request, located);
    located->at = window->host;
    if (not_run)
        return PATTERN_SPREAD;
    /* of a lane that may not exist: an address to count from, not one to look at */
    located->at = (char *)((uintptr_t)window->host + (uintptr_t)(origin + to_offset));
    return PATTERN_RUN;
}

static NOINLINE enum pattern locate(const struct request *request, struct located *located)
{
    const struct op *op = request->op;
    const struct memory_window *window = request->window;
    const uint64_t *a = request->addresses, element = request->element_bytes;
    const uint64_t bytes = op->access_bytes > element ? op->access_bytes : element;
    const uint64_t align = ((uint64_t)1 << op->align_log2) - 1, offset = (uint64_t)op->immediate;
    if (request->active != UINT64_MAX)
        return locate_part(request, bytes, align, located);
    uint64_t not_run = element & align, not_one = 0;
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        not_run |= (a[l] - a[0]) ^ (uint64_t)l * element;
        not_one |= a[l] ^ a[0];
    }
    const uint64_t span = not_run ? bytes : (LANES_PER_CHUNK - 1) * element + bytes;
    if (!not_run || !not_one) {
        if (!fits(window, a[0] + offset, span, align))
            return resolve(request, located);
        located->at = window->host + (a[0] + offset - window->low);
        return not_one ? PATTERN_RUN : PATTERN_ONE;
    }
    const uint64_t to_offset = offset - window->low, room = window->size - bytes;
    uint64_t outside = window->size < bytes, misaligned = 0;
    for (int l = 0; l < LANES_PER_CHUNK; l++) {
        located->offsets[l] = a[l] + to_offset;
        outside |= a[l] + to_offset > room;
        misaligned |= (a[l] + offset) & align;
    }
    if (outside || misaligned)
        return resolve(request, located);
    located->at = window->host;
    return PATTERN_SPREAD;
}

/* ---- The rows
 * ---------------------------------------------------------------------------------------------- */

/* Elements as they lie in memory. */
#define PACKED __attribute__((aligned(1), may_alias))
typedef int8_t PACKED element_I8;
typedef uint8_t PACKED element_U8;
typedef int16_t PACKED element_I16;
typedef uint16_t PACKED element_U16;
typedef uint32_t PACKED element_U32;
typedef uint64_t PACKED element_U64;

#define WINDOW_GLOBAL   (&gang->last_hit[op->cache])
#define WINDOW_SHARED   (&gang->shared)
#define WINDOW_CONSTANT (&gang->constant)
#define ALL_LANES       for (int l = 0; l < LANES_PER_CHUNK; l++)
#define ACTIVE_LANES(l)                                                                                      \
    for (uint64_t rest_ = active, l; rest_ && (l = (uint64_t)__builtin_ctzll(rest_), true);                  \
         rest_ &= rest_ - 1)

/* The lanes of a chunk that exist. */
static inline uint64_t existing(const struct gang *gang, uint32_t chunk)
{
    const uint32_t lanes = gang->lanes - chunk * LANES_PER_CHUNK;
    return lanes >= LANES_PER_CHUNK ? UINT64_MAX : ((uint64_t)1 << lanes) - 1;
}

#define MAKE_MOVES(view, type, name, space, store, move)                                                     \
    static NOINLINE bool name##_##view(const struct op *op, struct gang *gang, char *rows, uint32_t chunk,   \
                                       uint64_t active)                                                      \
    {                                                                                                        \
        typedef element_##view element;                                                                      \
        typedef cell_##view cell;                                                                            \
        const struct request request = {op,    gang,   WINDOW_##space,  (const uint64_t *)FIRST_CHUNK(a),    \
                                        chunk, active, sizeof(element), store};                              \
        struct located located;                                                                              \
        const enum pattern pattern = locate(&request, &located);                                             \
        move(op, rows, chunk, active, pattern, &located) return pattern != PATTERN_FAULT;                    \
    }                                                                                                        \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (!name##_##view(op, gang, rows, chunk, existing(gang, chunk)))                                \
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

#define MOVE_IN(op, rows, chunk, active, pattern, located)                                                   \
    cell *const d = (cell *)__builtin_assume_aligned(FIRST_CHUNK(d), 64);                                    \
    const element *const at = (const element *)(located)->at;                                                \
    const bool whole = active == UINT64_MAX;                                                                 \
    const uint8_t *const mask = (located)->mask;                                                             \
    if (pattern == PATTERN_RUN && whole) {                                                                   \
        LANES d[l] = at[l];                                                                                  \
    } else if (pattern == PATTERN_RUN) {                                                                     \
        LANES if (mask[l]) d[l] = at[l];                                                                     \
    } else if (pattern == PATTERN_ONE) {                                                                     \
        const cell x = *at;                                                                                  \
        LANES d[l] = x;                                                                                      \
    } else if (pattern == PATTERN_SPREAD) {                                                                  \
        const char *const base = (located)->at;                                                              \
        const uint64_t *const offsets = (located)->offsets;                                                  \
        if (whole)                                                                                           \
            LANES d[l] = *(const element *)(base + offsets[l]);                                              \
        else                                                                                                 \
            ACTIVE_LANES(l)                                                                                  \
        d[l] = *(const element *)(base + offsets[l]);                                                        \
    } else if (pattern == PATTERN_SCATTERED) {                                                               \
        ACTIVE_LANES(l)                                                                                      \
        d[l] = *(const element *)(located)->hosts.host[l];                                                   \
    }

#define MOVE_OUT(op, rows, chunk, active, pattern, located)                                                  \
    const cell *const b = (const cell *)__builtin_assume_aligned(FIRST_CHUNK(b), 64);                        \
    element *const at = (element *)(located)->at;                                                            \
    const uint8_t *const mask = (located)->mask;                                                             \
    if (pattern == PATTERN_RUN && active == UINT64_MAX) {                                                    \
        LANES at[l] = (element)b[l];                                                                         \
    } else if (pattern == PATTERN_RUN) {                                                                     \
        LANES if (mask[l]) at[l] = (element)b[l];                                                            \
    } else if (pattern == PATTERN_ONE) {                                                                     \
        *at = (element)b[LANES_PER_CHUNK - 1];                                                               \
    } else if (pattern == PATTERN_SPREAD) {                                                                  \
        ACTIVE_LANES(l)                                                                                      \
        *(element *)((located)->at + (located)->offsets[l]) = (element)b[l];                                 \
    } else if (pattern == PATTERN_SCATTERED) {                                                               \
        ACTIVE_LANES(l)                                                                                      \
        *(element *)(located)->hosts.host[l] = (element)b[l];                                                \
    }

#define MAKE_LOAD(view, type, name, space, ...)  MAKE_MOVES(view, type, name, space, false, MOVE_IN)
#define MAKE_STORE(view, type, name, space, ...) MAKE_MOVES(view, type, name, space, true, MOVE_OUT)
#define LOAD(name, space, over, ...)             ROW(MAKE_LOAD, over, name, space)
#define STORE(name, space, over, ...)            ROW(MAKE_STORE, over, name, space)

/* A clock is read once for all lanes of an issue. */
#define MAKE_SPECIAL(view, type, name, ...)                                                                  \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        const cell_##view value = (cell_##view)special_clock(gang, SEM_##name);                              \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            ALL_LANES((cell_##view *)FIRST_CHUNK(d))[l] = value;                                             \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(name##_##view##_masked)                                                                          \
    {                                                                                                        \
        const cell_##view value = (cell_##view)special_clock(gang, SEM_##name);                              \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {                                            \
            const uint64_t active = gang->mask_bits[chunk];                                                  \
            ACTIVE_LANES(l)                                                                                  \
            ((cell_##view *)FIRST_CHUNK(d))[l] = value;                                                      \
        }                                                                                                    \
        return op + 1;                                                                                       \
    }
#define SPECIAL(name, over, ...) ROW(MAKE_SPECIAL, over, name, )

#include "semantics/memory.def"

#include "exec/handler_list.h"

static const struct handler_row rows_here[] = {
#include "semantics/memory.def"
};
HANDLER_LIST(memory, rows_here)
