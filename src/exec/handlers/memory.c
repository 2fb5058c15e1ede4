/* Handlers of loads, stores and clocks, for the CPU level HANDLER_LEVEL: leaves handlers_memory_LEVEL.
 *
 * locate.h finds the layout of the elements, and this file has one small loop for each layout. All lanes of
 * the gang are tried at once, then a chunk of 64 lanes at a time.
 *
 * load_global, store_shared and so on are written once, and each handler inlines one of them with its
 * element, form of address and mask as constants. The loops for arbitrary addresses are shared by all spaces.
 *
 * Only elements of active lanes that exist are touched, and stores happen in ascending order of lanes, so
 * that of several lanes that store to one place the highest wins. */
#include "exec/handlers/locate.h"
#include "exec/handlers/rows.h"
#include "semantics/sets.h"

/* ---- Elements and cells -------------------------------------------------------------------------------- */

typedef int8_t PACKED packed_I8;
typedef uint8_t PACKED packed_U8;
typedef int16_t PACKED packed_I16;
typedef uint16_t PACKED packed_U16;
typedef uint32_t PACKED packed_U32;
typedef uint64_t PACKED packed_U64;

enum element { ELEMENT_I8, ELEMENT_U8, ELEMENT_I16, ELEMENT_U16, ELEMENT_U32, ELEMENT_U64, ELEMENT_COUNT };
#define EACH_ELEMENT(X) X(I8) X(U8) X(I16) X(U16) X(U32) X(U64)

ALWAYS_INLINE unsigned bytes_of(enum element element)
{
    return element <= ELEMENT_U8 ? 1 : element <= ELEMENT_U16 ? 2 : element == ELEMENT_U32 ? 4 : 8;
}

ALWAYS_INLINE unsigned cell_bytes_of(enum element element)
{
    return element == ELEMENT_U64 ? 8 : 4;
}

/* Cell `lane` of `cells` := the element at `at`, i8 and i16 extended by sign, others by zero. */
ALWAYS_INLINE void load_element(char *cells, size_t lane, const char *at, enum element element)
{
    switch (element) {
    case ELEMENT_I8:
        ((int32_t *)cells)[lane] = *(const packed_I8 *)at;
        break;
    case ELEMENT_U8:
        ((uint32_t *)cells)[lane] = *(const packed_U8 *)at;
        break;
    case ELEMENT_I16:
        ((int32_t *)cells)[lane] = *(const packed_I16 *)at;
        break;
    case ELEMENT_U16:
        ((uint32_t *)cells)[lane] = *(const packed_U16 *)at;
        break;
    case ELEMENT_U32:
        ((uint32_t *)cells)[lane] = *(const packed_U32 *)at;
        break;
    default:
        ((uint64_t *)cells)[lane] = *(const packed_U64 *)at;
    }
}

/* The element at `at` := cell `lane` of `cells`. */
ALWAYS_INLINE void store_element(const char *cells, size_t lane, char *at, enum element element)
{
    switch (bytes_of(element)) {
    case 1:
        *(packed_U8 *)at = (uint8_t)((const uint32_t *)cells)[lane];
        break;
    case 2:
        *(packed_U16 *)at = (uint16_t)((const uint32_t *)cells)[lane];
        break;
    case 4:
        *(packed_U32 *)at = ((const uint32_t *)cells)[lane];
        break;
    default:
        *(packed_U64 *)at = ((const uint64_t *)cells)[lane];
    }
}

/* One for each element: addresses of any kind. */
typedef const struct op *(*lanes_function)(const struct op *op, struct gang *gang, char *rows,
                                           const struct memory_window *window, enum access_form form,
                                           bool is_masked);

#define EACH_LANE(lanes)  IVDEP for (uint32_t l = 0; l < (lanes); l++)
#define EACH_GROUP(lanes) for (uint32_t g = 0; g < (lanes); g += LAYOUT_GROUP)
/* Below this many active lanes, they are visited one by one. */
#define FEW_LANES 8

/* ---- Loads --------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void load_steps(const char *at, const int32_t *steps, uint8_t scale_log2, uint32_t lanes,
                              char *d, enum element element)
{
    EACH_LANE(lanes) load_element(d, l, at + step_of(steps, scale_log2, l), element);
}

/* d := the elements of the first `lanes` lanes. At steps, whole chunks are loaded. */
ALWAYS_INLINE void load_places(const struct places *places, enum places_layout layout, uint32_t lanes,
                               char *cells, enum element element)
{
    char *const d = (char *)__builtin_assume_aligned(cells, 64);
    const char *const at = places->at;
    const int32_t *const steps = places->steps;
    const uint8_t scale_log2 = places->scale_log2;
    const unsigned bytes = bytes_of(element), cell_bytes = cell_bytes_of(element);
    if (layout == PLACES_RUN) {
        EACH_LANE(lanes) load_element(d, l, at + (size_t)l * bytes, element);
    } else if (layout == PLACES_RUNS) {
        EACH_GROUP(lanes)
        {
            _Alignas(64) char run[LAYOUT_GROUP * sizeof(uint64_t)];
            char *const to = (char *)__builtin_assume_aligned(d + (size_t)g * cell_bytes, 64);
            __builtin_memcpy(run, at + step_of(steps, scale_log2, g), LAYOUT_GROUP * bytes);
            EACH_LANE(LAYOUT_GROUP) load_element(to, l, run + (size_t)l * bytes, element);
        }
    } else if (layout == PLACES_ONES) {
        EACH_GROUP(lanes)
        {
            char one[sizeof(uint64_t)], *const to = d + (size_t)g * cell_bytes;
            __builtin_memcpy(one, at + step_of(steps, scale_log2, g), bytes);
            EACH_LANE(LAYOUT_GROUP) load_element(to, l, one, element);
        }
    } else if (layout == PLACES_ONE) {
        char one[sizeof(uint64_t)];
        __builtin_memcpy(one, at, bytes);
        EACH_LANE(lanes) load_element(d, l, one, element);
    } else if (has_gathers(bytes)) {
        for (uint32_t l = 0; l < lanes; l += LANES_PER_CHUNK)
            load_sparse(at, steps + l, scale_log2, UINT64_MAX, d + (size_t)l * cell_bytes, cell_bytes);
    } else {
        load_steps(at, steps, scale_log2, lanes, d, element);
    }
}

/* d := the elements of a chunk's active lanes, which are not all of them. Steps are bytes unless there are
 * gathers. */
ALWAYS_INLINE void load_part(const struct places *places, enum places_layout layout, uint64_t active,
                             char *cells, enum element element)
{
    char *const d = (char *)__builtin_assume_aligned(cells, 64);
    const char *const at = places->at;
    const int32_t *const steps = places->steps;
    const uint8_t scale_log2 = places->scale_log2;
    const unsigned bytes = bytes_of(element), cell_bytes = cell_bytes_of(element);
    if (layout == PLACES_SCATTERED) {
        ACTIVE_LANES(l) load_element(d, l, places->scattered.host[l], element);
    } else if (layout == PLACES_RUN && has_gathers(bytes)) {
        load_run(d, at, active, cell_bytes);
    } else if (layout == PLACES_RUN) {
        ACTIVE_LANES(l) load_element(d, l, at + l * bytes, element);
    } else if (layout != PLACES_STEPS) {
        load_places(places, layout, (uint32_t)__builtin_popcountll(active), d, element);
    } else if (has_gathers(bytes)) {
        load_sparse(at, steps, scale_log2, active, d, cell_bytes);
    } else if (__builtin_popcountll(active) <= FEW_LANES) {
        ACTIVE_LANES(l) load_element(d, l, at + steps[l], element);
    } else {
        _Alignas(64) char all[LANES_PER_CHUNK * sizeof(uint64_t)];
        load_steps(at, steps, 0, LANES_PER_CHUNK, all, element);
        blend(d, all, active, places->mask, cell_bytes);
    }
}

ALWAYS_INLINE void load_chunk(const struct places *places, enum places_layout layout, uint64_t active,
                              char *cells, enum element element)
{
    if (active != UINT64_MAX)
        load_part(places, layout, active, cells, element);
    else if (layout == PLACES_SCATTERED)
        LANES load_element(cells, (size_t)l, places->scattered.host[l], element);
    else if (layout == PLACES_STEPS && !has_gathers(bytes_of(element)))
        load_steps(places->at, places->steps, 0, LANES_PER_CHUNK, cells, element);
    else
        load_places(places, layout, LANES_PER_CHUNK, cells, element);
}

/* Addresses of any kind: a chunk after the other, if the gang's lanes cannot be done at once. */
ALWAYS_INLINE const struct op *load_lanes(const struct memory_access *access, enum element element)
{
    const struct op *const op = access->op;
    struct gang *const gang = access->gang;
    struct places places;
    enum places_layout layout = locate(access, &places);
    if (layout != PLACES_UNKNOWN) {
        load_places(&places, layout, gang->lanes, access->rows + op->d.at, element);
        return op + 1;
    }
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        const uint64_t active = access->is_masked ? gang->mask_bits[chunk] : existing_lanes(gang, chunk);
        if (!active)
            continue;
        layout = locate_chunk(access, chunk, active, bytes_of(element), &places);
        if (layout == PLACES_FAULT)
            return gang->stop;
        load_chunk(&places, layout, active, access->rows + op->d.at + (size_t)chunk * op->d.step, element);
    }
    return op + 1;
}

/* Lanes of a run are loaded where they are active; of others all are, and blended if cells of inactive lanes
 * are still used. */
ALWAYS_INLINE void load_affine_masked(struct memory_access access, struct places places,
                                      enum places_layout layout, enum element element)
{
    const struct op *const op = access.op;
    const struct gang *const gang = access.gang;
    const size_t chunk_bytes = (size_t)LANES_PER_CHUNK * cell_bytes_of(element);
    _Alignas(64) char all[GANG_LANES_MAX * sizeof(uint64_t)];
    const bool is_run = layout == PLACES_RUN, is_blended = !(op->flags & MICRO_MASK_UNNEEDED);
    char *d = access.rows + op->d.at;
    if (!is_run)
        load_places(&places, layout, gang->lanes, is_blended ? all : d, element);
    for (uint32_t chunk = 0; chunk < gang->chunks && (is_run || is_blended); chunk++, d += op->d.step) {
        const uint64_t active = gang->mask_bits[chunk];
        if (!is_run)
            blend(d, all + chunk * chunk_bytes, active, gang->mask_bytes + (size_t)chunk * LANES_PER_CHUNK,
                  cell_bytes_of(element));
        else if (active)
            load_chunk(&places, layout, active, d, element);
        places.at += (size_t)LANES_PER_CHUNK * bytes_of(element);
    }
}

/* What the next gangs will want is fetched as well. */
ALWAYS_INLINE void prefetch_run(const struct op *op, const struct gang *gang, const char *at, unsigned bytes,
                                bool is_store)
{
    if (op->space != SPACE_GLOBAL)
        return;
    for (uint32_t from = 0; from < gang->lanes * bytes; from += 64)
        if (is_store)
            __builtin_prefetch(at + from + (size_t)2 * gang->lanes * bytes, 1);
        else
            __builtin_prefetch(at + from + (size_t)2 * gang->lanes * bytes);
}

#define INSTANCE(view)                                                                                       \
    static NOINLINE const struct op *load_lanes_##view(const struct op *op, struct gang *gang, char *rows,   \
                                                       const struct memory_window *window,                   \
                                                       enum access_form form, bool is_masked)                \
    {                                                                                                        \
        const struct memory_access access = {op,        gang, rows, window, form, bytes_of(ELEMENT_##view),  \
                                             is_masked, false};                                              \
        return load_lanes(&access, ELEMENT_##view);                                                          \
    }
EACH_ELEMENT(INSTANCE)
#undef INSTANCE

static const lanes_function load_lanes_of[] = {
#define INSTANCE(view) [ELEMENT_##view] = load_lanes_##view,
    EACH_ELEMENT(INSTANCE)
#undef INSTANCE
};

ALWAYS_INLINE const struct op *load(struct memory_access access, enum element element)
{
    const struct op *const op = access.op;
    struct gang *const gang = access.gang;
    struct places places;
    if (access.form != ACCESS_AFFINE && access.form != ACCESS_SAME)
        return load_lanes_of[element](op, gang, access.rows, access.window, access.form, access.is_masked);
    const enum places_layout layout = locate(&access, &places);
    char *const d = access.rows + op->d.at;
    if (layout == PLACES_FAULT)
        return gang->stop;
    if (layout == PLACES_UNKNOWN) {
        make_indices(op, gang, access.rows);
        return load_lanes_of[element](op, gang, access.rows, access.window, ACCESS_INDEXED, access.is_masked);
    }
    if (access.is_masked) {
        load_affine_masked(access, places, layout, element);
        return op + 1;
    }
    if (layout == PLACES_RUN)
        prefetch_run(op, gang, places.at, bytes_of(element), false);
    load_places(&places, layout, access.form == ACCESS_SAME ? LANES_PER_CHUNK : gang->lanes, d, element);
    return op + 1;
}

/* ---- Stores -------------------------------------------------------------------------------------------- */

/* The elements of the first `lanes` lanes := b; `is_row`: not one value for all. */
ALWAYS_INLINE void store_places(const struct places *places, enum places_layout layout, uint32_t lanes,
                                const char *cells, bool is_row, enum element element)
{
    const char *const b = (const char *)__builtin_assume_aligned(cells, 64);
    char *const at = places->at;
    const int32_t *const steps = places->steps;
    const uint8_t scale_log2 = places->scale_log2;
    const unsigned bytes = bytes_of(element), cell_bytes = cell_bytes_of(element);
    if (layout == PLACES_RUN) {
        EACH_LANE(lanes) store_element(b, is_row ? l : 0, at + (size_t)l * bytes, element);
    } else if (layout == PLACES_RUNS) {
        EACH_GROUP(lanes)
        {
            _Alignas(64) char run[LAYOUT_GROUP * sizeof(uint64_t)];
            const char *const from =
                (const char *)__builtin_assume_aligned(b + (is_row ? (size_t)g * cell_bytes : 0), 64);
            EACH_LANE(LAYOUT_GROUP) store_element(from, is_row ? l : 0, run + (size_t)l * bytes, element);
            __builtin_memcpy(at + step_of(steps, scale_log2, g), run, LAYOUT_GROUP * bytes);
        }
    } else if (layout == PLACES_ONES) {
        EACH_GROUP(lanes)
        store_element(b, is_row ? g + LAYOUT_GROUP - 1 : 0, at + step_of(steps, scale_log2, g), element);
    } else if (layout == PLACES_ONE) {
        store_element(b, is_row ? lanes - 1 : 0, at, element);
    } else {
        for (uint32_t l = 0; l < lanes; l++)
            store_element(b, is_row ? l : 0, at + step_of(steps, scale_log2, l), element);
    }
}

/* The elements of a chunk's active lanes := b. */
ALWAYS_INLINE void store_chunk(const struct places *places, enum places_layout layout, uint64_t active,
                               const char *cells, enum element element)
{
    const char *const b = (const char *)__builtin_assume_aligned(cells, 64);
    char *const at = places->at;
    const int32_t *const steps = places->steps;
    const uint8_t scale_log2 = places->scale_log2;
    const unsigned bytes = bytes_of(element), cell_bytes = cell_bytes_of(element);
    if (layout == PLACES_SCATTERED && active == UINT64_MAX) {
        for (size_t l = 0; l < LANES_PER_CHUNK; l++)
            store_element(b, l, places->scattered.host[l], element);
    } else if (layout == PLACES_SCATTERED) {
        ACTIVE_LANES(l) store_element(b, l, places->scattered.host[l], element);
    } else if (layout == PLACES_STEPS && has_gathers(bytes)) {
        store_sparse(at, steps, scale_log2, active, b, cell_bytes);
    } else if (layout == PLACES_STEPS) {
        ACTIVE_LANES(l) store_element(b, l, at + steps[l], element);
    } else if (active == UINT64_MAX) {
        store_places(places, layout, LANES_PER_CHUNK, b, true, element);
    } else if (layout != PLACES_RUN) {
        store_places(places, layout, (uint32_t)__builtin_popcountll(active), b, true, element);
    } else if (has_gathers(bytes)) {
        store_run(at, b, active, cell_bytes);
    } else {
        ACTIVE_LANES(l) store_element(b, l, at + l * bytes, element);
    }
}

/* Addresses of any kind, as load_lanes. */
ALWAYS_INLINE const struct op *store_lanes(const struct memory_access *access, enum element element)
{
    const struct op *const op = access->op;
    struct gang *const gang = access->gang;
    struct places places;
    enum places_layout layout = locate(access, &places);
    if (layout != PLACES_UNKNOWN) {
        store_places(&places, layout, gang->lanes, access->rows + op->b.at, true, element);
        return op + 1;
    }
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        const uint64_t active = access->is_masked ? gang->mask_bits[chunk] : existing_lanes(gang, chunk);
        if (!active)
            continue;
        layout = locate_chunk(access, chunk, active, bytes_of(element), &places);
        if (layout == PLACES_FAULT)
            return gang->stop;
        store_chunk(&places, layout, active, access->rows + op->b.at + (size_t)chunk * op->b.step, element);
    }
    return op + 1;
}

#define INSTANCE(view)                                                                                       \
    static NOINLINE const struct op *store_lanes_##view(const struct op *op, struct gang *gang, char *rows,  \
                                                        const struct memory_window *window,                  \
                                                        enum access_form form, bool is_masked)               \
    {                                                                                                        \
        const struct memory_access access = {op,        gang, rows, window, form, bytes_of(ELEMENT_##view),  \
                                             is_masked, true};                                               \
        return store_lanes(&access, ELEMENT_##view);                                                         \
    }
EACH_ELEMENT(INSTANCE)
#undef INSTANCE

static const lanes_function store_lanes_of[] = {
#define INSTANCE(view) [ELEMENT_##view] = store_lanes_##view,
    EACH_ELEMENT(INSTANCE)
#undef INSTANCE
};

ALWAYS_INLINE const struct op *store(struct memory_access access, enum element element)
{
    const struct op *const op = access.op;
    struct gang *const gang = access.gang;
    struct places places;
    if (access.form != ACCESS_AFFINE)
        return store_lanes_of[element](op, gang, access.rows, access.window, access.form, access.is_masked);
    const enum places_layout layout = locate(&access, &places);
    const char *b = access.rows + op->b.at;
    if (layout == PLACES_UNKNOWN) {
        make_indices(op, gang, access.rows);
        return store_lanes_of[element](op, gang, access.rows, access.window, ACCESS_INDEXED,
                                       access.is_masked);
    }
    if (access.is_masked) { /* a run */
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++, b += op->b.step) {
            if (gang->mask_bits[chunk])
                store_chunk(&places, PLACES_RUN, gang->mask_bits[chunk], b, element);
            places.at += (size_t)LANES_PER_CHUNK * bytes_of(element);
        }
        return op + 1;
    }
    if (layout == PLACES_RUN && op->b.step)
        prefetch_run(op, gang, places.at, bytes_of(element), true);
    if (op->b.step)
        store_places(&places, layout, gang->lanes, b, true, element);
    else
        store_places(&places, layout, gang->lanes, b, false, element);
    return op + 1;
}

/* ---- The rows of memory.def ---------------------------------------------------------------------------- */

/* Local memory: each lane has a window of its own. */
static const struct memory_window no_window = {0, 0, NULL};

ALWAYS_INLINE const struct op *load_global(const struct op *op, struct gang *gang, char *rows,
                                           enum element element, enum access_form form, bool is_masked)
{
    return load((struct memory_access){op, gang, rows, &gang->windows[op->window_slot], form,
                                       bytes_of(element), is_masked, false},
                element);
}

ALWAYS_INLINE const struct op *load_shared(const struct op *op, struct gang *gang, char *rows,
                                           enum element element, enum access_form form, bool is_masked)
{
    return load(
        (struct memory_access){op, gang, rows, &gang->shared, form, bytes_of(element), is_masked, false},
        element);
}

ALWAYS_INLINE const struct op *load_constant(const struct op *op, struct gang *gang, char *rows,
                                             enum element element, enum access_form form, bool is_masked)
{
    return load(
        (struct memory_access){op, gang, rows, &gang->constant, form, bytes_of(element), is_masked, false},
        element);
}

ALWAYS_INLINE const struct op *load_local(const struct op *op, struct gang *gang, char *rows,
                                          enum element element, enum access_form form, bool is_masked)
{
    return load((struct memory_access){op, gang, rows, &no_window, form, bytes_of(element), is_masked, false},
                element);
}

ALWAYS_INLINE const struct op *load_generic(const struct op *op, struct gang *gang, char *rows,
                                            enum element element, enum access_form form, bool is_masked)
{
    return load((struct memory_access){op, gang, rows, &gang->windows[op->window_slot], form,
                                       bytes_of(element), is_masked, false},
                element);
}

ALWAYS_INLINE const struct op *store_global(const struct op *op, struct gang *gang, char *rows,
                                            enum element element, enum access_form form, bool is_masked)
{
    return store((struct memory_access){op, gang, rows, &gang->windows[op->window_slot], form,
                                        bytes_of(element), is_masked, true},
                 element);
}

ALWAYS_INLINE const struct op *store_shared(const struct op *op, struct gang *gang, char *rows,
                                            enum element element, enum access_form form, bool is_masked)
{
    return store(
        (struct memory_access){op, gang, rows, &gang->shared, form, bytes_of(element), is_masked, true},
        element);
}

ALWAYS_INLINE const struct op *store_local(const struct op *op, struct gang *gang, char *rows,
                                           enum element element, enum access_form form, bool is_masked)
{
    return store((struct memory_access){op, gang, rows, &no_window, form, bytes_of(element), is_masked, true},
                 element);
}

ALWAYS_INLINE const struct op *store_generic(const struct op *op, struct gang *gang, char *rows,
                                             enum element element, enum access_form form, bool is_masked)
{
    return store((struct memory_access){op, gang, rows, &gang->windows[op->window_slot], form,
                                        bytes_of(element), is_masked, true},
                 element);
}

/* Clocks are read once for all lanes of an issue. */
ALWAYS_INLINE const struct op *read_clock(const struct op *op, struct gang *gang, char *rows, int semantic,
                                          enum element element, bool is_masked)
{
    const uint64_t value = special_clock(gang, semantic);
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        const uint64_t active = is_masked ? gang->mask_bits[chunk] : UINT64_MAX;
        ACTIVE_LANES(l)
        if (element == ELEMENT_U64)
            ((uint64_t *)FIRST_CHUNK(d))[l] = value;
        else
            ((uint32_t *)FIRST_CHUNK(d))[l] = (uint32_t)value;
    }
    return op + 1;
}

/* One handler: load_global_U32_affine, and load_global_U32_affine_masked. */
#define FORM(name, view, suffix, form)                                                                       \
    HANDLER(name##_##view##_##suffix)                                                                        \
    {                                                                                                        \
        return name(op, gang, rows, ELEMENT_##view, form, false);                                            \
    }                                                                                                        \
    HANDLER(name##_##view##_##suffix##_masked)                                                               \
    {                                                                                                        \
        return gang->is_whole ? name##_##view##_##suffix(op, gang, rows)                                     \
                              : name(op, gang, rows, ELEMENT_##view, form, true);                            \
    }
#define FORMS_OF_LANES(view, type, name, ...)                                                                \
    FORM(name, view, addressed, ACCESS_ADDRESSED) FORM(name, view, indexed, ACCESS_INDEXED)
#define FORM_AFFINE(view, type, name, ...) FORM(name, view, affine, ACCESS_AFFINE)
#define FORM_SAME(view, type, name, ...)                                                                     \
    HANDLER(name##_##view##_same)                                                                            \
    {                                                                                                        \
        return name(op, gang, rows, ELEMENT_##view, ACCESS_SAME, false);                                     \
    }
#define CLOCK(view, type, name, ...)                                                                         \
    HANDLER(name##_##view##_full)                                                                            \
    {                                                                                                        \
        return read_clock(op, gang, rows, SEM_##name, ELEMENT_##view, false);                                \
    }                                                                                                        \
    HANDLER(name##_##view##_masked)                                                                          \
    {                                                                                                        \
        return read_clock(op, gang, rows, SEM_##name, ELEMENT_##view, true);                                 \
    }

#define WITH_MASKED(view, type, name, suffix, ...)                                                           \
    [HX_TYPE_##type] = {name##_##view##_##suffix, name##_##view##_##suffix##_masked},
#define WITHOUT_MASKED(view, type, name, suffix, ...) [HX_TYPE_##type] = {name##_##view##_##suffix, NULL},
#define TABLE(over, entry, name, suffix)                                                                     \
    static const struct handler_pair name##_##suffix[HX_TYPE_COUNT] = {                                      \
        SET_##over(entry, entry, name, suffix, )};

/* An address in these spaces is the same place for all threads: only there are affine accesses made, and
 * loads of one element for all lanes. */
#define SHARED_BY_THREADS_GLOBAL(...)   __VA_ARGS__
#define SHARED_BY_THREADS_SHARED(...)   __VA_ARGS__
#define SHARED_BY_THREADS_CONSTANT(...) __VA_ARGS__
#define SHARED_BY_THREADS_LOCAL(...)
#define SHARED_BY_THREADS_GENERIC(...)

#define STORE(name, space, over)                                                                             \
    SET_##over(FORMS_OF_LANES, SKIP, name, ) TABLE(over, WITH_MASKED, name, addressed)                       \
        TABLE(over, WITH_MASKED, name, indexed) SHARED_BY_THREADS_##space(                                   \
            SET_##over(FORM_AFFINE, SKIP, name, ) TABLE(over, WITH_MASKED, name, affine))
#define LOAD(name, space, over)                                                                              \
    STORE(name, space, over)                                                                                 \
    SHARED_BY_THREADS_##space(SET_##over(FORM_SAME, SKIP, name, ) TABLE(over, WITHOUT_MASKED, name, same))
#define SPECIAL(name, over, ...)                                                                             \
    SET_##over(CLOCK, SKIP, name, ) static const struct handler_pair name##_handlers[HX_TYPE_COUNT] = {      \
        SET_##over(CLOCK_ENTRY, CLOCK_ENTRY, name, )};
#define CLOCK_ENTRY(view, type, name, ...) [HX_TYPE_##type] = {name##_##view##_full, name##_##view##_masked},

#include "semantics/memory.def"

#include "exec/handlers/list.h"

#define STORE_FORMS(name, space)                                                                             \
    [ACCESS_ADDRESSED] = name##_addressed, [ACCESS_INDEXED] = name##_indexed,                                \
    SHARED_BY_THREADS_##space([ACCESS_AFFINE] = name##_affine, )
#define STORE(name, space, over) {SEM_##name, false, {STORE_FORMS(name, space)}, NULL},
#define LOAD(name, space, over)                                                                              \
    {SEM_##name,                                                                                             \
     false,                                                                                                  \
     {STORE_FORMS(name, space) SHARED_BY_THREADS_##space([ACCESS_SAME] = name##_same, )},                    \
     NULL},

static const struct handler_row rows_here[] = {
#include "semantics/memory.def"
};
HANDLER_LIST(memory, rows_here)
