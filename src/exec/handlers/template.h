/* Handlers made from rows. A file that includes this and then a .def of src/semantics gets, for each row and
 * each view of its set, three functions; for `BINARY(add, MODULAR, (U)a + (U)b)` and u32:
 *
 *   add_U32         d := a + b for all 64 lanes of the chunks `chunk` to `end` - 1: the vector code, once
 *   add_U32_full    runs it over all chunks, straight into the row d
 *   add_U32_masked  runs it over the chunks that have active lanes, by way of a scratch row where some
 *                   lanes are not active: that is blended into d by the mask's bytes
 *
 * and one table add_handlers[type] = {full, masked}. Behind the rows, handler_list.h makes of them the list
 * in which handlers.c finds a row. The blend is a loop of its own, not `d[l] = m[l] ? x : d[l]` in each row:
 * that halves the code, keeps NaN handling cheap, and avoids a crash of gcc 12 with narrow lanes under masks.
 *
 * In a row, T is the instruction's type as a value, S a conversion's source type, U, W and UW relatives of T
 * (semantics/views.h). Cells are what rows hold: 4 bytes for types of up to 32 bits, else 8, and 1 for
 * predicates.
 *
 * Each object is compiled once for each CPU level, with HANDLER_LEVEL (plain, v3, v4) as its suffix. */
#pragma once

#include "exec/handlers/lane_masks.h"
#include "exec/handlers/lane_math.h"
#include "exec/handlers/lane_runs.h"
#include "exec/handlers/rows.h"
#include "semantics/sets.h"
#include "semantics/views.h"

typedef int32_t cell_I8, cell_I16, cell_I32;
typedef uint32_t cell_U8, cell_U16, cell_U32, cell_F16, cell_BF16;
typedef int64_t cell_I64;
typedef uint64_t cell_U64;
typedef float cell_F32;
typedef double cell_F64;
typedef uint8_t cell_PRED;

#define IN_I8(x)   (int8_t)(x)
#define IN_U8(x)   (uint8_t)(x)
#define IN_I16(x)  (int16_t)(x)
#define IN_U16(x)  (uint16_t)(x)
#define IN_I32(x)  (x)
#define IN_U32(x)  (x)
#define IN_I64(x)  (x)
#define IN_U64(x)  (x)
#define IN_F16(x)  float_of_f16(x)
#define IN_BF16(x) float_of_bf16(x)
#define IN_F32(x)  (x)
#define IN_F64(x)  (x)
#define IN_PRED(x) (x)

#define OUT_I8(x)   (x)
#define OUT_U8(x)   (x)
#define OUT_I16(x)  (x)
#define OUT_U16(x)  (x)
#define OUT_I32(x)  (x)
#define OUT_U32(x)  (x)
#define OUT_I64(x)  (x)
#define OUT_U64(x)  (x)
#define OUT_F32(x)  canonical_float(x)
#define OUT_F64(x)  canonical_double(x)
#define OUT_PRED(x) (x)
#ifdef LANES_DIRECTED
#define OUT_F16(x)     f16_directed(x, MODE)
#define OUT_BF16(x)    bf16_directed(x, MODE)
#define MODE           op->rounding
#define DIRECTED_BEGIN const int mode_before = directed_begin(op->rounding);
#define DIRECTED_END   directed_end(mode_before);
#else
#define OUT_F16(x)  f16_nearest(x)
#define OUT_BF16(x) bf16_nearest(x)
#define MODE        0
#define DIRECTED_BEGIN
#define DIRECTED_END
#endif

/* An operand's cell of lane l; NONE for an operand that the shape lacks. */
#define READ(view, letter)    READ_##view(letter)
#define CELL_OF(view, letter) IN_##view(((const cell_##view *)at_##letter)[l])
#define READ_NONE(letter)     0
#define VIEW_NONE(X)          X(NONE, int, int, int, int, 0, 0, 0)
#define READ_I8(letter)       CELL_OF(I8, letter)
#define READ_U8(letter)       CELL_OF(U8, letter)
#define READ_I16(letter)      CELL_OF(I16, letter)
#define READ_U16(letter)      CELL_OF(U16, letter)
#define READ_I32(letter)      CELL_OF(I32, letter)
#define READ_U32(letter)      CELL_OF(U32, letter)
#define READ_I64(letter)      CELL_OF(I64, letter)
#define READ_U64(letter)      CELL_OF(U64, letter)
#define READ_F16(letter)      CELL_OF(F16, letter)
#define READ_BF16(letter)     CELL_OF(BF16, letter)
#define READ_F32(letter)      CELL_OF(F32, letter)
#define READ_F64(letter)      CELL_OF(F64, letter)
#define READ_PRED(letter)     CELL_OF(PRED, letter)

#define TWICE_I8  I16
#define TWICE_U8  U16
#define TWICE_I16 I32
#define TWICE_U16 U32
#define TWICE_I32 I64
#define TWICE_U32 U64

/* ---- The body: one loop for all shapes.
 * M is the view that T is, the others
 * are those of the operands. `to` is where d goes. */

#define BODY(function, M, D, A, B, C, F, ...)                                                                \
    BODY_WITH(function, M, M, D, A, B, C, F, d_cells[l] = (cell_##D)OUT_##D((VALUE(D))(__VA_ARGS__)))
#define BODY_WITH(function, M, FROM, D, A, B, C, F, ...)                                                     \
    static NOINLINE void function(const struct op *op, char *rows, char *to, size_t to_step, uint32_t chunk, \
                                  uint32_t end)                                                              \
    {                                                                                                        \
        VIEW_##M(VIEW_DECLARE) VIEW_##FROM(VIEW_DECLARE_SOURCE) const char *at_a UNUSED = FIRST_CHUNK(a),    \
                                                                                 *at_b UNUSED =              \
                                                                                     FIRST_CHUNK(b);         \
        const char *at_c UNUSED = FIRST_CHUNK(c), *at_f UNUSED = FIRST_CHUNK(f);                             \
        char *at_e UNUSED = FIRST_CHUNK(e);                                                                  \
        const uint32_t immediate UNUSED = (uint32_t)op->immediate;                                           \
        const uint64_t scale UNUSED = (uint64_t)op->immediate;                                               \
        DIRECTED_BEGIN                                                                                       \
        for (; chunk < end; chunk++) {                                                                       \
            cell_##D *const d_cells = (cell_##D *)__builtin_assume_aligned(to, 64);                          \
            LANES                                                                                            \
            {                                                                                                \
                const VALUE(A) a UNUSED = READ(A, a);                                                        \
                const VALUE(B) b UNUSED = READ(B, b);                                                        \
                const VALUE(C) c UNUSED = READ(C, c);                                                        \
                const VALUE(F) f UNUSED = READ(F, f);                                                        \
                __VA_ARGS__;                                                                                 \
            }                                                                                                \
            to += to_step;                                                                                   \
            at_a += op->a.step, at_b += op->b.step, at_c += op->c.step, at_f += op->f.step;                  \
            at_e += op->e.step;                                                                              \
        }                                                                                                    \
        DIRECTED_END                                                                                         \
    }

/* ---- From a body to the two handlers */

static NOINLINE UNUSED void run_masked(const struct op *op, const struct gang *gang, char *rows, op_body body,
                                       size_t cell_bytes)
{
    run_lanes(op, rows, body, gang->chunks, gang->mask_bits, gang->mask_bytes, cell_bytes);
}

/* Rows with a second destination, e, of predicates: e is run in place, and what it had is put back. */
static NOINLINE UNUSED void run_masked_pair(const struct op *op, const struct gang *gang, char *rows,
                                            op_body body, size_t cell_bytes)
{
    _Alignas(64) char scratch[LANES_PER_CHUNK * sizeof(uint64_t)];
    _Alignas(64) uint8_t made[LANES_PER_CHUNK];
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++) {
        if (!gang->mask_bits[chunk])
            continue;
        const uint8_t *mask = gang->mask_bytes + (size_t)chunk * LANES_PER_CHUNK;
        uint8_t before[LANES_PER_CHUNK], *e = (uint8_t *)rows + op->e.at + (size_t)chunk * op->e.step;
        __builtin_memcpy(before, e, sizeof before);
        body(op, rows, scratch, sizeof scratch, chunk, chunk + 1);
        __builtin_memcpy(made, e, sizeof made);
        __builtin_memcpy(e, before, sizeof before);
        blend((char *)e, (const char *)made, gang->mask_bits[chunk], mask, 1);
        blend(rows + op->d.at + (size_t)chunk * op->d.step, scratch, gang->mask_bits[chunk], mask,
              cell_bytes);
    }
}

/* A row with one value for all lanes is one chunk. */
#define CHUNKS_OF(letter)        (op->letter.step ? gang->chunks : 1)
#define HANDLERS_OF(function, D) HANDLERS_BY(function, D, run_masked)
#define HANDLERS_BY(function, D, masked)                                                                     \
    HANDLER(function##_full)                                                                                 \
    {                                                                                                        \
        function(op, rows, rows + op->d.at, op->d.step, 0, CHUNKS_OF(d));                                    \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(function##_masked)                                                                               \
    {                                                                                                        \
        if (gang->is_whole)                                                                                  \
            return function##_full(op, gang, rows);                                                          \
        masked(op, gang, rows, function, sizeof(cell_##D));                                                  \
        return op + 1;                                                                                       \
    }

#define CHUNK_BODY(function)                                                                                 \
    static NOINLINE void function(const struct op *op, const struct gang *gang, char *rows, uint32_t chunk,  \
                                  uint64_t active)
/* Of a function of a chunk and its active lanes, which sees all of them at once. */
#define BY_CHUNKS(function)                                                                                  \
    HANDLER(function##_full)                                                                                 \
    {                                                                                                        \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            function(op, gang, rows, chunk, existing_lanes(gang, chunk));                                    \
        return op + 1;                                                                                       \
    }                                                                                                        \
    HANDLER(function##_masked)                                                                               \
    {                                                                                                        \
        for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)                                              \
            if (gang->mask_bits[chunk])                                                                      \
                function(op, gang, rows, chunk, gang->mask_bits[chunk]);                                     \
        return op + 1;                                                                                       \
    }

/* A row: its functions, and the table of them by type. */
#define ENTRY(view, type, name, ...)      [HX_TYPE_##type] = {name##_##view##_full, name##_##view##_masked},
#define ENTRY_BODY(view, type, name, ...) [HX_TYPE_##type] = name##_##view,
#define ROW(make, over, name, ...)                                                                           \
    SET_##over(make, SKIP, name,                                                                             \
               __VA_ARGS__) static const struct handler_pair name##_handlers[HX_TYPE_COUNT] = {              \
        SET_##over(ENTRY, ENTRY, name, )};

#define ROW_OF_BODIES(make, over, name, ...)                                                                 \
    ROW(make, over, name, __VA_ARGS__)                                                                       \
    static const op_body name##_bodies[HX_TYPE_COUNT] = {SET_##over(ENTRY_BODY, ENTRY_BODY, name, )};

/* ---- The shapes */

/* BODY, or NO_BODY where OWN_NAME_VIEW is defined as `~, NO_BODY`: the body is written by hand then. */
#define NO_BODY(...)
#define BODY_OR(...)                 BODY_OR_SECOND(__VA_ARGS__, BODY, )
#define BODY_OR_SECOND(a, body, ...) body
#define MAKE(name, view, M, D, A, B, C, F, ...)                                                              \
    BODY_OR(OWN_##name##_##view)(name##_##view, M, D, A, B, C, F, __VA_ARGS__) HANDLERS_OF(name##_##view, D)

#define MAKE_UNARY(view, type, name, ...)      MAKE(name, view, view, view, view, NONE, NONE, NONE, __VA_ARGS__)
#define MAKE_BINARY(view, type, name, ...)     MAKE(name, view, view, view, view, view, NONE, NONE, __VA_ARGS__)
#define MAKE_TERNARY(view, type, name, ...)    MAKE(name, view, view, view, view, view, view, NONE, __VA_ARGS__)
#define MAKE_QUATERNARY(view, type, name, ...) MAKE(name, view, view, view, view, view, U32, U32, __VA_ARGS__)
#define MAKE_SHIFT(view, type, name, ...)      MAKE(name, view, view, view, view, U32, NONE, NONE, __VA_ARGS__)
#define MAKE_FUNNEL(view, type, name, ...)     MAKE(name, view, view, view, view, view, U32, NONE, __VA_ARGS__)
#define MAKE_FIELD(view, type, name, ...)      MAKE(name, view, view, view, view, U32, U32, NONE, __VA_ARGS__)
#define MAKE_COUNT(view, type, name, ...)      MAKE(name, view, view, U32, view, NONE, NONE, NONE, __VA_ARGS__)
#define MAKE_COMPARE(view, type, name, ...)    MAKE(name, view, view, PRED, view, view, NONE, NONE, __VA_ARGS__)
#define MAKE_TEST(view, type, name, ...)       MAKE(name, view, view, PRED, view, NONE, NONE, NONE, __VA_ARGS__)
#define MAKE_SELECT(view, type, name, ...)     MAKE(name, view, view, view, view, view, PRED, NONE, __VA_ARGS__)
#define MAKE_CHOOSE(view, type, name, by, ...) MAKE(name, view, view, view, view, view, by, NONE, __VA_ARGS__)
#define MAKE_PAIR(view, type, name, ...)       MAKE_TWICE(name, view, TWICE_##view, __VA_ARGS__)
#define MAKE_WIDE(view, type, name, ...)       MAKE_TWICE(name, view, TWICE_##view, __VA_ARGS__)
#define MAKE_WIDE_ADD(view, type, name, ...)   MAKE_TWICE_ADD(name, view, TWICE_##view, __VA_ARGS__)
#define MAKE_HALF(view, type, name, ...)       MAKE_FROM_TWICE(name, view, TWICE_##view, __VA_ARGS__)
#define MAKE_ADDRESS(view, type, name, ...)    MAKE(name, view, view, U64, U64, view, NONE, NONE, __VA_ARGS__)
/* one more round, so that TWICE_I32 has become I64 */
#define MAKE_TWICE(name, view, twice, ...) MAKE(name, view, view, twice, view, view, NONE, NONE, __VA_ARGS__)
#define MAKE_TWICE_ADD(name, view, twice, ...)                                                               \
    MAKE(name, view, view, twice, view, view, twice, NONE, __VA_ARGS__)
#define MAKE_FROM_TWICE(name, view, twice, ...)                                                              \
    MAKE(name, view, view, view, twice, NONE, NONE, NONE, __VA_ARGS__)
/* d first: e's expression may name it */
#define MAKE_CARRY(view, type, name, ...)     MAKE_CARRY_OF(name, view, PRED, NONE, __VA_ARGS__)
#define MAKE_MAD_CARRY(view, type, name, ...) MAKE_CARRY_OF(name, view, view, PRED, __VA_ARGS__)
#define MAKE_CARRY_OF(name, view, C, F, sum, carry)                                                          \
    BODY_WITH(name##_##view, view, view, view, view, view, C, F, const T d = (T)(sum); d_cells[l] = d;       \
              ((uint8_t *)at_e)[l] = (uint8_t)(carry))                                                       \
    HANDLERS_BY(name##_##view, view, run_masked_pair)
#define MAKE_CONVERT(from, from_type, name, view, ...)                                                       \
    BODY_WITH(name##_##view##_##from, view, from, view, from, NONE, NONE, NONE,                              \
              d_cells[l] = (cell_##view)OUT_##view((T)(__VA_ARGS__)))                                        \
    HANDLERS_OF(name##_##view##_##from, view)
#define MAKE_CONVERT_TO(view, type, name, source, ...)                                                       \
    SOURCE_##source(MAKE_CONVERT, SKIP, name, view, __VA_ARGS__)
#define ENTRY_CONVERT(from, from_type, name, view, ...)                                                      \
    [HX_TYPE_##from_type] = {name##_##view##_##from##_full, name##_##view##_##from##_masked},
#define ENTRIES_CONVERT(view, type, name, source, ...)                                                       \
    [HX_TYPE_##type] = {SOURCE_##source(ENTRY_CONVERT, ENTRY_CONVERT, name, view, )},

#define UNARY(name, over, ...)      ROW_OF_BODIES(MAKE_UNARY, over, name, __VA_ARGS__)
#define BINARY(name, over, ...)     ROW_OF_BODIES(MAKE_BINARY, over, name, __VA_ARGS__)
#define TERNARY(name, over, ...)    ROW_OF_BODIES(MAKE_TERNARY, over, name, __VA_ARGS__)
#define QUATERNARY(name, over, ...) ROW_OF_BODIES(MAKE_QUATERNARY, over, name, __VA_ARGS__)
#define SHIFT(name, over, ...)      ROW_OF_BODIES(MAKE_SHIFT, over, name, __VA_ARGS__)
#define FUNNEL(name, over, ...)     ROW_OF_BODIES(MAKE_FUNNEL, over, name, __VA_ARGS__)
#define FIELD(name, over, ...)      ROW_OF_BODIES(MAKE_FIELD, over, name, __VA_ARGS__)
#define COUNT(name, over, ...)      ROW_OF_BODIES(MAKE_COUNT, over, name, __VA_ARGS__)
#define COMPARE(name, over, ...)    ROW_OF_BODIES(MAKE_COMPARE, over, name, __VA_ARGS__)
#define TEST(name, over, ...)       ROW_OF_BODIES(MAKE_TEST, over, name, __VA_ARGS__)
#define SELECT(name, over, ...)     ROW_OF_BODIES(MAKE_SELECT, over, name, __VA_ARGS__)
#define CHOOSE(name, over, by, ...) ROW_OF_BODIES(MAKE_CHOOSE, over, name, by, __VA_ARGS__)
#define CARRY(name, over, ...)      ROW(MAKE_CARRY, over, name, __VA_ARGS__)
#define MAD_CARRY(name, over, ...)  ROW(MAKE_MAD_CARRY, over, name, __VA_ARGS__)
#define WIDE(name, over, ...)       ROW_OF_BODIES(MAKE_WIDE, over, name, __VA_ARGS__)
#define WIDE_ADD(name, over, ...)   ROW_OF_BODIES(MAKE_WIDE_ADD, over, name, __VA_ARGS__)
#define PAIR(name, over, ...)       ROW_OF_BODIES(MAKE_PAIR, over, name, __VA_ARGS__)
#define HALF(name, over, ...)       ROW_OF_BODIES(MAKE_HALF, over, name, __VA_ARGS__)
#define ADDRESS(name, over, ...)    ROW(MAKE_ADDRESS, over, name, __VA_ARGS__)
#define CONVERT(name, to, from, ...)                                                                         \
    SET_##to(MAKE_CONVERT_TO, SKIP, name, from,                                                              \
             __VA_ARGS__) static const struct handler_pair name##_handlers[HX_TYPE_COUNT][HX_TYPE_COUNT] = { \
        SET_##to(ENTRIES_CONVERT, ENTRIES_CONVERT, name, from, )};
