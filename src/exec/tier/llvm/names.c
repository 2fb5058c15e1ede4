/* Names of the functions of rows.c.
 *
 * Takes the rows of src/semantics, leaves for a micro-op the name of the function for its types: several
 * types may share one view, and so one function (semantics/sets.h). */
#include "exec/tier/llvm/graph.h"

#include "semantics/sets.h"

#define NAMED(view, type, name, ...)     [HX_TYPE_##type] = "row_" #name "_" #view,
#define ROW_NAMES(name, over, ...)       [SEM_##name] = {SET_##over(NAMED, NAMED, name, )},
#define NAMED_FROM(from, type, name, to) [HX_TYPE_##type] = "row_" #name "_" #to "_" #from,
#define NAMED_TO(view, type, name, from)                                                                     \
    [HX_TYPE_##type] = {SOURCE_##from(NAMED_FROM, NAMED_FROM, name, view)},
#define CONVERT_NAMES(name, to, from, ...) [SEM_##name] = {SET_##to(NAMED_TO, NAMED_TO, name, from)},

#define UNARY      ROW_NAMES
#define BINARY     ROW_NAMES
#define TERNARY    ROW_NAMES
#define QUATERNARY ROW_NAMES
#define SHIFT      ROW_NAMES
#define FUNNEL     ROW_NAMES
#define FIELD      ROW_NAMES
#define COUNT      ROW_NAMES
#define COMPARE    ROW_NAMES
#define TEST       ROW_NAMES
#define SELECT     ROW_NAMES
#define CHOOSE     ROW_NAMES
#define CARRY      ROW_NAMES
#define MAD_CARRY  ROW_NAMES
#define WIDE       ROW_NAMES
#define WIDE_ADD   ROW_NAMES
#define PAIR       ROW_NAMES
#define HALF       ROW_NAMES
#define ADDRESS    ROW_NAMES
static const char *const names[SEMANTIC_COUNT][HX_TYPE_COUNT] = {
#define CONVERT(...)
#include "semantics/compare.def"
#include "semantics/data.def"
#include "semantics/float.def"
#include "semantics/integer.def"
#include "semantics/logic.def"
#include "semantics/math.def"
#undef CONVERT
};

static const char *const conversions[SEMANTIC_COUNT][HX_TYPE_COUNT][HX_TYPE_COUNT] = {
#define CONVERT CONVERT_NAMES
#include "semantics/convert.def"
};

/* The view that a row has of each type: U32 of f32 where it is about bits. */
static const uint8_t views[SEMANTIC_COUNT][HX_TYPE_COUNT] = {
#undef CONVERT
#undef ROW_NAMES
#define VIEWED(view, type, name, ...) [HX_TYPE_##type] = HX_TYPE_##view,
#define ROW_NAMES(name, over, ...)    [SEM_##name] = {SET_##over(VIEWED, VIEWED, name, )},
#define CONVERT(...)
#include "semantics/compare.def"
#include "semantics/data.def"
#include "semantics/float.def"
#include "semantics/integer.def"
#include "semantics/logic.def"
#include "semantics/math.def"
#undef CONVERT
};

static bool is_float(unsigned type)
{
    return type == HX_TYPE_F32 || type == HX_TYPE_F64;
}

static bool is_conversion(const struct micro_op *op)
{
    return (unsigned)op->source_type < HX_TYPE_COUNT && conversions[op->semantic][op->type][op->source_type];
}

bool row_is_float(const struct micro_op *op)
{
    if (!row_function_name(op) || (op->d.kind != ROW_4 && op->d.kind != ROW_8))
        return false;
    return is_float(is_conversion(op) ? op->type : views[op->semantic][op->type]);
}

bool row_takes_floats(const struct micro_op *op)
{
    if (!row_function_name(op) || row_is_of_lanes(op))
        return false;
    return is_float(is_conversion(op) ? op->source_type : views[op->semantic][op->type]);
}

const char *row_function_name(const struct micro_op *op)
{
    if (op->semantic < 0 || op->semantic >= SEMANTIC_COUNT || (unsigned)op->type >= HX_TYPE_COUNT)
        return NULL;
    const bool has_source = (unsigned)op->source_type < HX_TYPE_COUNT;
    const char *converting = has_source ? conversions[op->semantic][op->type][op->source_type] : NULL;
    return converting ? converting : names[op->semantic][op->type];
}

const char *atomic_function_name(const struct micro_op *op)
{
#define LEFT_NAMED(view, type, name, ...)  [HX_TYPE_##type] = "one_" #name "_" #view,
#define LEFT_NAMES(name, space, over, ...) [SEM_##name] = {SET_##over(LEFT_NAMED, LEFT_NAMED, name, )},
#define ATOMIC                             LEFT_NAMES
#define CAS                                LEFT_NAMES
    static const char *const left[SEMANTIC_COUNT][HX_TYPE_COUNT] = {
#include "semantics/atomic.def"
    };
    return left[op->semantic][op->type];
}

const char *warp_function_name(const struct micro_op *op)
{
#undef ROW_NAMES
#define ROW_NAMES(name, over, ...) [SEM_##name] = {SET_##over(NAMED, NAMED, name, )},
#define SHUFFLE                    ROW_NAMES
#define VOTE                       ROW_NAMES
#define BALLOT                     ROW_NAMES
#define MEMBERS                    ROW_NAMES
#define MATCH                      ROW_NAMES
#define MATCH_ALL                  ROW_NAMES
#define REDUX                      ROW_NAMES
#define REDUCE(...)
#define SCAN(...)
#define SCAN_BEFORE(...)
    static const char *const of_warps[SEMANTIC_COUNT][HX_TYPE_COUNT] = {
#include "semantics/warp.def"
    };
    const bool is_known =
        op->semantic >= 0 && op->semantic < SEMANTIC_COUNT && (unsigned)op->type < HX_TYPE_COUNT;
    return is_known ? of_warps[op->semantic][op->type] : NULL;
}

bool row_is_of_lanes(const struct micro_op *op)
{
    static const bool is_of_lanes[SEMANTIC_COUNT] = {
#undef UNARY
#undef BINARY
#define UNARY(name, ...)  [SEM_##name] = true,
#define BINARY(name, ...) [SEM_##name] = true,
#include "semantics/math.def"
    };
    return op->semantic >= 0 && op->semantic < SEMANTIC_COUNT && is_of_lanes[op->semantic];
}
