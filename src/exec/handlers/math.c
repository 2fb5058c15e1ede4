/* Handlers of the transcendental functions, for the CPU level HANDLER_LEVEL. Takes the rows of math.def and
 * their functions over 64 lanes (lane_functions.h), leaves handlers_math_LEVEL. */
#include "exec/handlers/lane_functions.h"

/* ---- From 64 lanes to the handlers of a view */

#define CELLS(view, letter) ((const cell_##view *)__builtin_assume_aligned(FIRST_CHUNK(letter), 64))
#define MAKE_MATH(view, type, name, T, of_lanes, second)                                                     \
    static NOINLINE void name##_##view(const struct op *op, char *rows, char *to, size_t to_step,            \
                                       uint32_t chunk, uint32_t end)                                         \
    {                                                                                                        \
        for (; chunk < end; chunk++, to += to_step) {                                                        \
            _Alignas(64) T x[LANES_PER_CHUNK], y[LANES_PER_CHUNK] UNUSED;                                    \
            const cell_##view *const a = CELLS(view, a);                                                     \
            cell_##view *const d = (cell_##view *)__builtin_assume_aligned(to, 64);                          \
            LANES x[l] = IN_##view(a[l]);                                                                    \
            second(view);                                                                                    \
            name##_of_##of_lanes(x, y, x);                                                                   \
            LANES d[l] = OUT_##view(x[l]);                                                                   \
        }                                                                                                    \
    }                                                                                                        \
    HANDLERS_OF(name##_##view, view)
#define NO_SECOND(view) (void)0
#define SECOND(view)                                                                                         \
    const cell_##view *const b = CELLS(view, b);                                                             \
    LANES y[l] = IN_##view(b[l])
#define MAKE_MATH_F16(name, second)         MAKE_MATH(F16, F16, name, float, floats, second)
#define MAKE_MATH_BF16(name, second)        MAKE_MATH(BF16, BF16, name, float, floats, second)
#define MAKE_MATH_F32(name, second)         MAKE_MATH(F32, F32, name, float, floats, second)
#define MAKE_MATH_F64(name, second)         MAKE_MATH(F64, F64, name, double, doubles, second)
#define MATH_VIEW(view, type, name, second) MAKE_MATH_##view(name, second)
#define MATH_ROW(name, over, second)                                                                         \
    SET_##over(MATH_VIEW, SKIP, name,                                                                        \
               second) static const struct handler_pair name##_handlers[HX_TYPE_COUNT] = {                   \
        SET_##over(ENTRY, ENTRY, name, )};                                                                   \
    static const op_body name##_bodies[HX_TYPE_COUNT] = {SET_##over(ENTRY_BODY, ENTRY_BODY, name, )};

#undef UNARY
#undef BINARY
#define UNARY(name, over, ...)  MATH_ROW(name, over, NO_SECOND)
#define BINARY(name, over, ...) MATH_ROW(name, over, SECOND)
#include "semantics/math.def"

#include "exec/handlers/list.h"

static const struct handler_row rows_here[] = {
#include "semantics/math.def"
};
HANDLER_LIST(math, rows_here)
