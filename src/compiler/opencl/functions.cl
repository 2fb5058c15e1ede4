/* Functions of OpenCL C in the place of libclc's.
 *
 * Each has a name of its own and the symbol of one of OpenCL C's: clang takes its body for that one, or finds it
 * when it links. A program that defines a function of the same name keeps its own. */
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __hexec_is_library
#define __hexec_own
#else
#define __hexec_own static /* they are a part of the program */
#endif
#define __hexec_by(symbol) __asm__(symbol) __attribute__((always_inline, nodebug, unused))
#define __hexec_define(result, name, symbol, parameters, body)                                               \
    __hexec_own result name parameters __hexec_by(symbol);                                                   \
    __hexec_own result name parameters { return body; }
#include "functions_items.cl"
#include "functions_convert.cl"
#include "functions_widths.cl"
#include "functions_math.cl"
#include "functions_integer.cl"
#if defined(__hexec_is_library) || defined(__OPTIMIZE__) /* the device library's are as fast, without */
#include "functions_atomic.cl"
#endif
#undef __hexec_own
#undef __hexec_by
#undef __hexec_define
#undef __hexec_one
#undef __hexec_two
#undef __hexec_of_three
#undef __hexec_three
#undef __hexec_same
#undef __hexec_integers
#ifdef __cplusplus
}
#endif
