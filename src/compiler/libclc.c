/* Whether a program needs libclc.
 *
 * To link it takes clang 25 ms, more than most programs take. A program is compiled without it if it names
 * none of libclc's functions; should it call one all the same, through a macro of a header, its PTX says so,
 * and it is compiled again. */
#include "compiler/parts.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define LIBCLC(name) #name,
#include "compiler/libclc.def"
#undef LIBCLC
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
