/* The rows read as data: name, shape, types, expression.
 *
 * This is one of the readings of all.def; exec's handlers are another. Nothing here knows a single row. */
#include "semantics/semantics.h"

#include "semantics/sets.h"
#include "semantics/types.h"

#include <string.h>
#include <strings.h>

#define VALUE_ROW(shape, name, over, ...)                                                                    \
    {#name, SHAPE_##shape, SPACE_NONE, SET_TYPES(over), 0, #__VA_ARGS__},
#define MEMORY_ROW(shape, name, space, over, ...)                                                            \
    {#name, SHAPE_##shape, SPACE_##space, SET_TYPES(over), 0, #__VA_ARGS__},

#define UNARY(name, ...)                            VALUE_ROW(UNARY, name, __VA_ARGS__)
#define BINARY(name, ...)                           VALUE_ROW(BINARY, name, __VA_ARGS__)
#define TERNARY(name, ...)                          VALUE_ROW(TERNARY, name, __VA_ARGS__)
#define QUATERNARY(name, ...)                       VALUE_ROW(QUATERNARY, name, __VA_ARGS__)
#define SHIFT(name, ...)                            VALUE_ROW(SHIFT, name, __VA_ARGS__)
#define FUNNEL(name, ...)                           VALUE_ROW(FUNNEL, name, __VA_ARGS__)
#define FIELD(name, ...)                            VALUE_ROW(FIELD, name, __VA_ARGS__)
#define COUNT(name, ...)                            VALUE_ROW(COUNT, name, __VA_ARGS__)
#define COMPARE(name, ...)                          VALUE_ROW(COMPARE, name, __VA_ARGS__)
#define TEST(name, ...)                             VALUE_ROW(TEST, name, __VA_ARGS__)
#define SELECT(name, ...)                           VALUE_ROW(SELECT, name, __VA_ARGS__)
#define CARRY(name, ...)                            VALUE_ROW(CARRY, name, __VA_ARGS__)
#define MAD_CARRY(name, ...)                        VALUE_ROW(MAD_CARRY, name, __VA_ARGS__)
#define WIDE(name, ...)                             VALUE_ROW(WIDE, name, __VA_ARGS__)
#define WIDE_ADD(name, ...)                         VALUE_ROW(WIDE_ADD, name, __VA_ARGS__)
#define PAIR(name, ...)                             VALUE_ROW(PAIR, name, __VA_ARGS__)
#define HALF(name, ...)                             VALUE_ROW(HALF, name, __VA_ARGS__)
#define POLICY(name, ...)                           VALUE_ROW(POLICY, name, __VA_ARGS__)
#define POLICY_RANGE(name, ...)                     VALUE_ROW(POLICY_RANGE, name, __VA_ARGS__)
#define ADDRESS(name, ...)                          VALUE_ROW(ADDRESS, name, __VA_ARGS__)
#define SHUFFLE(name, ...)                          VALUE_ROW(SHUFFLE, name, __VA_ARGS__)
#define VOTE(name, ...)                             VALUE_ROW(VOTE, name, __VA_ARGS__)
#define BALLOT(name, ...)                           VALUE_ROW(BALLOT, name, __VA_ARGS__)
#define MEMBERS(name, ...)                          VALUE_ROW(MEMBERS, name, __VA_ARGS__)
#define MATRIX(name, over, words, parts, a, b, ...) VALUE_ROW(MATRIX, name, over, __VA_ARGS__)
#define MATCH(name, ...)                            VALUE_ROW(MATCH, name, __VA_ARGS__)
#define MATCH_ALL(name, ...)                        VALUE_ROW(MATCH_ALL, name, __VA_ARGS__)
#define REDUX(name, ...)                            VALUE_ROW(REDUX, name, __VA_ARGS__)
#define REDUCE(name, ...)                           VALUE_ROW(REDUCE, name, __VA_ARGS__)
#define SCAN(name, ...)                             VALUE_ROW(SCAN, name, __VA_ARGS__)
#define SCAN_BEFORE(name, ...)                      VALUE_ROW(SCAN_BEFORE, name, __VA_ARGS__)
#define SPECIAL(name, ...)                          VALUE_ROW(SPECIAL, name, __VA_ARGS__)
#define CONVERT(name, to, from, ...)                                                                         \
    {#name, SHAPE_CONVERT, SPACE_NONE, SET_TYPES(to), SOURCE_TYPES(from), #__VA_ARGS__},
#define CHOOSE(name, over, by, ...)                                                                          \
    {#name, SHAPE_CHOOSE, SPACE_NONE, SET_TYPES(over), 1u << HX_TYPE_##by, #__VA_ARGS__},
#define LOAD(name, ...)          MEMORY_ROW(LOAD, name, __VA_ARGS__)
#define STORE(name, ...)         MEMORY_ROW(STORE, name, __VA_ARGS__)
#define ATOMIC(name, ...)        MEMORY_ROW(ATOMIC, name, __VA_ARGS__)
#define CAS(name, ...)           MEMORY_ROW(CAS, name, __VA_ARGS__)
#define PRINT(name, ...)         VALUE_ROW(PRINT, name, __VA_ARGS__)
#define STACK_TAKE(name, ...)    VALUE_ROW(STACK_TAKE, name, __VA_ARGS__)
#define STACK_SAVE(name, ...)    VALUE_ROW(STACK_SAVE, name, __VA_ARGS__)
#define STACK_RESTORE(name, ...) VALUE_ROW(STACK_RESTORE, name, __VA_ARGS__)
#define PRINT_BLOCK(name, ...)   {#name, SHAPE_PRINT_BLOCK, SPACE_NONE, 0, 0, #__VA_ARGS__},
#define CHECK(name, ...)         {#name, SHAPE_CHECK, SPACE_NONE, 0, 0, #__VA_ARGS__},
#define FLOW(name, ...)          {#name, SHAPE_FLOW, SPACE_NONE, 0, 0, #__VA_ARGS__},

static const struct semantic rows[] = {
#include "semantics/all.def"
};
_Static_assert(HX_COUNT_OF(rows) == SEMANTIC_COUNT, "the list is read twice in one order");

const struct semantic *semantic_at(int id)
{
    return id >= 0 && id < SEMANTIC_COUNT ? &rows[id] : NULL;
}

int semantic_find(struct slice name)
{
    for (int id = 0; id < SEMANTIC_COUNT; id++)
        if (slice_equal(name, rows[id].name))
            return id;
    return SEMANTIC_NONE;
}

int semantic_find_variant(struct slice base, struct slice modifier)
{
    for (int id = 0; id < SEMANTIC_COUNT; id++) {
        struct slice name = slice_of(rows[id].name);
        if (name.length == base.length + 1 + modifier.length && memcmp(name.at, base.at, base.length) == 0 &&
            name.at[base.length] == '_' &&
            memcmp(name.at + base.length + 1, modifier.at, modifier.length) == 0)
            return id;
    }
    return SEMANTIC_NONE;
}

bool semantic_is_family(struct slice name)
{
    for (int id = 0; id < SEMANTIC_COUNT; id++) {
        struct slice row = slice_of(rows[id].name);
        if (row.length >= name.length && name.length > 0 && memcmp(row.at, name.at, name.length) == 0 &&
            (row.length == name.length || row.at[name.length] == '_'))
            return true;
    }
    return false;
}

/* The shapes' operands in words, as the list has them: "d:T a:T b:L". */
static const char *const shape_operands[] = {
#define SHAPE_OPERANDS(name, operands) operands,
    SEMANTIC_SHAPES(SHAPE_OPERANDS)
#undef SHAPE_OPERANDS
};

enum hx_type semantic_operand_type(enum semantic_shape shape, enum semantic_operand operand,
                                   enum hx_type type, enum hx_type source_type)
{
    static const char letters[] = "deabcf";
    _Static_assert(sizeof letters == OPERAND_LETTERS + 1, "a letter for each operand");
    for (const char *at = shape_operands[shape]; *at; at += at[3] ? 4 : 3) {
        if (at[0] != letters[operand])
            continue;
        switch (at[2]) {
        case 'T':
            return type;
        case 'S':
            return source_type;
        case 'W':
            return type_twice(type);
        case 'Q':
            return HX_TYPE_U64;
        case 'P':
            return HX_TYPE_PRED;
        case 'F':
            return HX_TYPE_F32;
        case 'M':
            return type == HX_TYPE_F64 ? HX_TYPE_F64 : HX_TYPE_U32;
        default:
            return HX_TYPE_U32;
        }
    }
    return HX_TYPE_NONE;
}

static const struct {
    const char *name;
    uint8_t bits;
} types[] = {
#define TYPE_ROW(NAME, name, bits) {name, bits},
    HX_TYPE_LIST(TYPE_ROW)
#undef TYPE_ROW
};

const char *hx_type_name(hx_type type)
{
    return (unsigned)type < HX_TYPE_COUNT ? types[type].name : "?";
}

unsigned type_bits(enum hx_type type)
{
    return (unsigned)type < HX_TYPE_COUNT ? types[type].bits : 0;
}

size_t hx_type_bytes(hx_type type)
{
    return type_bits(type) / 8;
}

hx_type hx_type_find(const char *name)
{
    if (!name)
        return HX_TYPE_NONE;
    static const struct {
        const char *name;
        hx_type type;
    } spellings[] = {{"s8", HX_TYPE_I8}, {"s16", HX_TYPE_I16}, {"s32", HX_TYPE_I32}, {"s64", HX_TYPE_I64},
                     {"b8", HX_TYPE_U8}, {"b16", HX_TYPE_U16}, {"b32", HX_TYPE_U32}, {"b64", HX_TYPE_U64}};
    for (int type = 0; type < HX_TYPE_PRED; type++)
        if (strcasecmp(name, types[type].name) == 0)
            return (hx_type)type;
    for (size_t i = 0; i < HX_COUNT_OF(spellings); i++)
        if (strcasecmp(name, spellings[i].name) == 0)
            return spellings[i].type;
    return HX_TYPE_NONE;
}

enum hx_type type_twice(enum hx_type type)
{
    switch (type) {
    case HX_TYPE_I8:
        return HX_TYPE_I16;
    case HX_TYPE_U8:
        return HX_TYPE_U16;
    case HX_TYPE_I16:
        return HX_TYPE_I32;
    case HX_TYPE_U16:
    case HX_TYPE_F16:
    case HX_TYPE_BF16:
        return HX_TYPE_U32;
    case HX_TYPE_I32:
        return HX_TYPE_I64;
    case HX_TYPE_U32:
    case HX_TYPE_F32:
        return HX_TYPE_U64;
    default:
        return HX_TYPE_NONE;
    }
}
