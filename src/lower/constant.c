/* The rows of integer.def and logic.def, compiled once more: for one lane, over integers of 32 and 64 bits.
 *
 * Each row becomes one case of a switch for each of its types. Rows with a second result, with a result of
 * another width or with operands of the micro-op are left out. */
#include "lower/constant.h"

#include "semantics/integers.h"
#include "semantics/semantics.h"
#include "semantics/sets.h"
#include "semantics/views.h"

#define KEY(semantic, type) ((semantic) * (int)HX_TYPE_COUNT + (int)(type))

/* b and c have the type T, or 32 bits. */
#define ROW(name, over, B, C, ...) SET_##over(EACH, EACH, name, B, C, __VA_ARGS__)
#define EACH(view, type, ...)      EACH_##view(view, type, __VA_ARGS__)
#define EACH_I8(...)
#define EACH_U8(...)
#define EACH_I16(...)
#define EACH_U16(...)
#define EACH_I32 CASE
#define EACH_U32 CASE
#define EACH_I64 CASE
#define EACH_U64 CASE
#define CASE(view, type, name, B, C, ...)                                                                    \
    case KEY(SEM_##name, HX_TYPE_##type): {                                                                  \
        VIEW_##view(VIEW_DECLARE) const T a VIEW_UNUSED = (T)operands[0];                                    \
        const B b VIEW_UNUSED = (B)operands[1];                                                              \
        const C c VIEW_UNUSED = (C)operands[2];                                                              \
        *ret_bits = (uint64_t)(T)(__VA_ARGS__);                                                              \
        return true;                                                                                         \
    }

#define UNARY(name, over, ...)   ROW(name, over, T, T, __VA_ARGS__)
#define BINARY(name, over, ...)  ROW(name, over, T, T, __VA_ARGS__)
#define SHIFT(name, over, ...)   ROW(name, over, uint32_t, T, __VA_ARGS__)
#define FUNNEL(name, over, ...)  ROW(name, over, T, uint32_t, __VA_ARGS__)
#define FIELD(name, over, ...)   ROW(name, over, uint32_t, uint32_t, __VA_ARGS__)
#define TERNARY(name, over, ...) ROW(name, over, T, T, __VA_ARGS__)
#define QUATERNARY(...)
#define COUNT(...)
#define CARRY(...)
#define MAD_CARRY(...)
#define WIDE(...)
#define WIDE_ADD(...)

bool constant_compute(int semantic, enum hx_type type, const uint64_t operands[3], uint64_t *ret_bits)
{
    enum { immediate = 0 }; /* of lop3, which is computed when the kernel runs */
    switch (KEY(semantic, type)) {
#include "semantics/integer.def"
#include "semantics/logic.def"
    default:
        return false;
    }
}
