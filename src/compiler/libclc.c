/* Whether a program needs libclc.
 *
 * To link it takes clang 25 ms, more than most programs take. A program is compiled without it if it names
 * none of libclc's functions; should it call one all the same, through a macro of a header, its PTX says so,
 * and it is compiled again. */
#include "compiler/parts.h"

#include <stdlib.h>
#include <string.h>

/* By name. */
static const char *const names[] = {
    "abs",
    "abs_diff",
    "add_sat",
    "all",
    "any",
    "atom_add",
    "atom_and",
    "atom_cmpxchg",
    "atom_dec",
    "atom_inc",
    "atom_max",
    "atom_min",
    "atom_or",
    "atom_sub",
    "atom_xchg",
    "atom_xor",
    "atomic_add",
    "atomic_and",
    "atomic_cmpxchg",
    "atomic_dec",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xchg",
    "atomic_xor",
    "bitselect",
    "ceil",
    "clamp",
    "clz",
    "copysign",
    "cross",
    "degrees",
    "distance",
    "dot",
    "fabs",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fract",
    "frexp",
    "hadd",
    "half_cos",
    "half_divide",
    "half_exp",
    "half_exp10",
    "half_exp2",
    "half_log",
    "half_log10",
    "half_log2",
    "half_powr",
    "half_recip",
    "half_rsqrt",
    "half_sin",
    "half_sqrt",
    "half_tan",
    "ilogb",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "length",
    "lgamma_r",
    "logb",
    "mad",
    "mad24",
    "mad_sat",
    "max",
    "maxmag",
    "mem_fence",
    "min",
    "minmag",
    "mix",
    "modf",
    "mul24",
    "mul_hi",
    "native_divide",
    "native_powr",
    "native_recip",
    "nextafter",
    "normalize",
    "popcount",
    "prefetch",
    "radians",
    "read_mem_fence",
    "rhadd",
    "rint",
    "rotate",
    "round",
    "rsqrt",
    "select",
    "shuffle",
    "shuffle2",
    "sign",
    "signbit",
    "smoothstep",
    "sqrt",
    "step",
    "sub_sat",
    "trunc",
    "upsample",
    "write_mem_fence",
};
/* Of many types and widths. */
static const char *const beginnings[] = {"convert_", "vload", "vstore"};

static int compare(const void *key, const void *row)
{
    const struct slice *name = key;
    const char *other = *(const char *const *)row;
    const int order = strncmp(name->at, other, name->length);
    return order ? order : -(other[name->length] != '\0');
}

static bool is_of_libclc(struct slice name)
{
    for (size_t i = 0; i < HX_COUNT_OF(beginnings); i++)
        if (slice_starts_with(name, beginnings[i]))
            return true;
    return bsearch(&name, names, HX_COUNT_OF(names), sizeof *names, compare) != NULL;
}

bool compiler_names_libclc(struct slice program)
{
    const char *at = program.at, *end = program.at + program.length;
    while (at < end) {
        const char *from = at;
        while (at < end && text_is_word(*at))
            at++;
        if (at > from && is_of_libclc((struct slice){from, (size_t)(at - from)}))
            return true;
        at += at == from;
    }
    return false;
}
