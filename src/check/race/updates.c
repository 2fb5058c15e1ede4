/* Statements that change what they read.
 *
 * Takes the places of a load and a store, leaves whether they are of one statement such as `x[0] += 1`,
 * `x[0]++` or `x[0] = x[0] + 1`. A compiler gives both accesses of `+=` the column of this operator, and the
 * store of `=` that of the sign. Equal columns alone do not tell: a call of memcpy, or the store of one
 * component of a vector, has both accesses, too. They must do where a macro is called, whose accesses all
 * have the call's column. */
#include "check/race/updates.h"

#include <ctype.h>
#include <string.h>

/* The text from a column on, which counts from 1; empty beyond the end. */
static const char *text_at(const struct check_line *line)
{
    const size_t length = strlen(line->source_line);
    return line->column > 0 && (size_t)line->column <= length ? line->source_line + line->column - 1 : "";
}

/* +=, <<=, ++ and the like. */
static bool is_update_operator(const char *at)
{
    static const char *const operators[] = {
        "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t i = 0; i < HX_COUNT_OF(operators); i++)
        if (strncmp(at, operators[i], strlen(operators[i])) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A call, `INC(x)`, but of a function that copies. */
static bool is_call(const char *at)
{
    static const char *const copies[] = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"};
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    for (size_t i = 0; i < HX_COUNT_OF(copies); i++)
        if (strlen(copies[i]) == length && strncmp(at, copies[i], length) == 0)
            return false;
    const size_t spaces = strspn(at + length, " ");
    return length > 0 && !isdigit((unsigned char)at[0]) && at[length + spaces] == '(';
}

/* Back over what stands in brackets that end before `at`; NULL: they do not begin on this line. */
static const char *skip_brackets(const char *begin, const char *at)
{
    unsigned depth = 0;
    while (at > begin) {
        const char c = *--at;
        depth += c == ']' || c == ')';
        depth -= c == '[' || c == '(';
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* What stands to the left of the sign at `sign`: a name with indexes and members, and stars before it. */
static struct slice left_side(const char *begin, const char *sign)
{
    const char *end = sign;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    const char *at = end;
    while (at && at > begin) {
        const bool is_arrow = at - begin > 1 && at[-1] == '>' && at[-2] == '-';
        if (at[-1] == ']' || at[-1] == ')')
            at = skip_brackets(begin, at);
        else if (is_word(at[-1]) || at[-1] == '.' || is_arrow)
            at -= is_arrow ? 2 : 1;
        else
            break;
    }
    while (at && at > begin && at[-1] == '*')
        at--;
    return at ? (struct slice){at, (size_t)(end - at)} : (struct slice){0};
}

/* Does the rest of the statement name it? */
static bool names_it(const char *rest, struct slice name)
{
    const char *const end = rest + strcspn(rest, ";");
    for (const char *at = rest; name.length > 0 && (size_t)(end - at) >= name.length; at++)
        if (memcmp(at, name.at, name.length) == 0 && !is_word(at[-1]) && at[-1] != '.' &&
            !(is_word(at[name.length]) || at[name.length] == '[' || at[name.length] == '.'))
            return true;
    return false;
}

bool race_is_update(const struct check_line *load, const struct check_line *store)
{
    if (load->line != store->line || !load->file || !store->file || strcmp(load->file, store->file) != 0)
        return false;
    if (!store->source_line)
        return load->column == store->column;
    const char *const sign = text_at(store);
    if (load->column == store->column)
        return is_update_operator(sign) || is_call(sign);
    return sign[0] == '=' && sign[1] != '=' && names_it(sign + 1, left_side(store->source_line, sign));
}
