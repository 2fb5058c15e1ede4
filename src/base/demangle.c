/* Readable names of functions.
 *
 * Takes a mangled name, leaves what stands in the source: the name with its namespaces and template
 * arguments, and the types of its parameters. The grammar is that of the Itanium C++ ABI, 5.1, as far as
 * kernels and device functions use it: names, operators, lambdas, what is local to a function, templates of
 * types and integers, pointers, references, const, and substitutions. */
#include "base/demangle.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_MAX 64 /* substitutions */
#define DEPTH_MAX 32

struct reader {
    const char *at, *end;
    const struct text *text;      /* what is written so far */
    struct text known[KNOWN_MAX]; /* what S_, S0_, ... stand for */
    unsigned known_count, depth;
    struct text arguments; /* of the last template, apart by '\n': T_, T0_, ... */
    bool has_template;     /* the function's type begins with its result */
};

static bool read_type(struct reader *reader, struct text *out);
static bool read_name(struct reader *reader, struct text *out, bool is_type, bool *ret_template);

static bool take(struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool is_next(const struct reader *reader, char letter)
{
    return reader->at < reader->end && *reader->at == letter;
}

/* Remembers what a part of a name or a type is, for a substitution. */
static bool keep(struct reader *reader, const char *from, size_t length)
{
    if (reader->known_count == KNOWN_MAX)
        return false;
    text_append(&reader->known[reader->known_count++], from, length);
    return true;
}

static bool read_number(struct reader *reader, uint64_t *ret_number)
{
    const char *const from = reader->at;
    uint64_t number = 0;
    while (reader->at < reader->end && text_is_digit(*reader->at) && reader->at - from < 9)
        number = number * 10 + (uint64_t)(*reader->at++ - '0');
    *ret_number = number;
    return reader->at > from;
}

/* 3add */
static bool read_source_name(struct reader *reader, struct text *out)
{
    uint64_t length;
    if (!read_number(reader, &length) || length == 0 || length > (uint64_t)(reader->end - reader->at))
        return false;
    if (length >= 11 && memcmp(reader->at, "_GLOBAL__N_", 11) == 0)
        text_print(out, "(anonymous namespace)");
    else
        text_append(out, reader->at, length);
    reader->at += length;
    return true;
}

static const char *operator_of(const struct reader *reader)
{
    static const struct {
        char code[3];
        const char *sign;
    } operators[] = {
        {"aa", "&&"},   {"ad", "&"},         {"an", "&"},      {"cl", "()"},      {"cm", ","},  {"co", "~"},
        {"dV", "/="},   {"da", " delete[]"}, {"de", "*"},      {"dl", " delete"}, {"dv", "/"},  {"eO", "^="},
        {"eo", "^"},    {"eq", "=="},        {"ge", ">="},     {"gt", ">"},       {"ix", "[]"}, {"lS", "<<="},
        {"le", "<="},   {"ls", "<<"},        {"lt", "<"},      {"mI", "-="},      {"mL", "*="}, {"mi", "-"},
        {"ml", "*"},    {"mm", "--"},        {"na", " new[]"}, {"ne", "!="},      {"ng", "-"},  {"nt", "!"},
        {"nw", " new"}, {"oR", "|="},        {"oo", "||"},     {"or", "|"},       {"pL", "+="}, {"pl", "+"},
        {"pm", "->*"},  {"pp", "++"},        {"ps", "+"},      {"pt", "->"},      {"rM", "%="}, {"rS", ">>="},
        {"rm", "%"},    {"rs", ">>"},        {"ss", "<=>"},    {"aN", "&="},      {"aS", "="}};
    for (size_t i = 0; i < HX_COUNT_OF(operators) && reader->end - reader->at > 1; i++)
        if (memcmp(reader->at, operators[i].code, 2) == 0)
            return operators[i].sign;
    return NULL;
}

/* "pl": operator+; "cvf": operator float. */
static bool read_operator(struct reader *reader, struct text *out)
{
    const char *const sign = operator_of(reader);
    if (take(reader, "cv")) {
        text_print(out, "operator ");
        return read_type(reader, out);
    }
    if (!sign)
        return false;
    reader->at += 2;
    text_print(out, "operator%s", sign);
    return true;
}

/* UlfE_, UlfE0_: the first and the second lambda of a function. */
static bool read_lambda(struct reader *reader, struct text *out)
{
    uint64_t number = 0;
    if (!take(reader, "Ul"))
        return false;
    text_print(out, "{lambda(");
    for (bool is_first = true; !take(reader, "E"); is_first = false) {
        if (is_first && take(reader, "v"))
            continue;
        text_print(out, is_first ? "" : ", ");
        if (!read_type(reader, out))
            return false;
    }
    number = read_number(reader, &number) ? number + 2 : 1;
    text_print(out, ")#%llu}", (unsigned long long)number);
    return take(reader, "_");
}

/* C1, D2: the class's own name, which is what was written last; `from`: where names begin. */
static bool read_constructor(struct reader *reader, struct text *out, size_t from)
{
    const bool is_end = is_next(reader, 'D');
    if (reader->end - reader->at < 2 || !strchr("CD", reader->at[0]) || !strchr("0123", reader->at[1]) ||
        out->failed || out->length < from + 2)
        return false;
    reader->at += 2;
    size_t end = out->length - 2, depth = 0; /* before the "::" */
    if (out->at[end - 1] == '>')
        do {
            end--;
            depth += out->at[end] == '>';
            depth -= out->at[end] == '<';
        } while (depth > 0 && end > from);
    size_t begin = end;
    while (begin > from && text_is_word(out->at[begin - 1]))
        begin--;
    HX_AUTO(text_done) struct text name = {.allocator = out->allocator};
    text_append(&name, out->at + begin, end - begin);
    text_print(out, "%s%s", is_end ? "~" : "", name.at ? name.at : "");
    return !name.failed;
}

/* 3add, pl, C1, UlvE_ */
static bool read_part(struct reader *reader, struct text *out, size_t from)
{
    if (reader->at < reader->end && (*reader->at == 'C' || *reader->at == 'D'))
        return read_constructor(reader, out, from);
    if (is_next(reader, 'U'))
        return read_lambda(reader, out);
    return reader->at < reader->end && text_is_digit(*reader->at) ? read_source_name(reader, out)
                                                                  : read_operator(reader, out);
}

/* S_, S0_, S1_, ...; SA_ comes behind S9_. */
static bool read_substitution(struct reader *reader, struct text *out)
{
    unsigned number = 0;
    if (take(reader, "St")) {
        text_print(out, "std::");
        return read_source_name(reader, out);
    }
    if (!take(reader, "S"))
        return false;
    for (bool has_digit = false; reader->at < reader->end && !is_next(reader, '_'); has_digit = true) {
        const char digit = *reader->at++;
        if (!text_is_digit(digit) && (digit < 'A' || digit > 'Z'))
            return false;
        number = (has_digit ? number : 0) * 36 +
                 (unsigned)(text_is_digit(digit) ? digit - '0' : digit - 'A' + 10) +
                 (is_next(reader, '_') ? 1 : 0);
        if (number > KNOWN_MAX)
            return false;
    }
    if (!take(reader, "_") || number >= reader->known_count)
        return false;
    text_append(out, reader->known[number].at ? reader->known[number].at : "", reader->known[number].length);
    return true;
}

/* T_, T0_, ... */
static bool read_parameter(struct reader *reader, struct text *out)
{
    uint64_t number = 0;
    if (!take(reader, "T"))
        return false;
    if (read_number(reader, &number))
        number++;
    const char *at = reader->arguments.at;
    for (; at && number > 0; number--)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (!take(reader, "_") || !at || !*at)
        return false;
    const size_t from = out->length;
    text_append(out, at, strcspn(at, "\n"));
    return !out->failed && keep(reader, out->at + from, out->length - from);
}

/* Li3E, Lb1E */
static bool read_literal(struct reader *reader, struct text *out)
{
    if (!take(reader, "L") || reader->at == reader->end)
        return false;
    const char type = *reader->at++;
    const bool is_negative = take(reader, "n");
    uint64_t number;
    if (!strchr("bcahstijlmxy", type) || !read_number(reader, &number) || !take(reader, "E"))
        return false;
    if (type == 'b')
        text_print(out, number ? "true" : "false");
    else
        text_print(out, "%s%llu%s", is_negative ? "-" : "", (unsigned long long)number,
                   strchr("jmy", type) ? "u" : "");
    return true;
}

/* I...E */
static bool read_arguments(struct reader *reader, struct text *out)
{
    HX_AUTO(text_done) struct text all = {.allocator = out->allocator};
    if (!take(reader, "I"))
        return false;
    text_print(out, "<");
    for (bool is_first = true; !take(reader, "E"); is_first = false) {
        const size_t from = out->length + (is_first ? 0 : 2);
        text_print(out, is_first ? "" : ", ");
        if (!(is_next(reader, 'L') ? read_literal(reader, out) : read_type(reader, out)) || out->failed)
            return false;
        text_append(&all, out->at + from, out->length - from);
        text_append(&all, "\n", 1);
    }
    text_print(out, ">");
    reader->arguments.length = 0;
    text_append(&reader->arguments, all.at ? all.at : "", all.length);
    return !all.failed;
}

/* N1n1gE; *ret_template: its last part has arguments. What a qualifier stands for may be meant again. */
static bool read_nested(struct reader *reader, struct text *out, bool *ret_template)
{
    const size_t from = out->length;
    bool is_first = true;
    if (!take(reader, "N"))
        return false;
    while (take(reader, "K") || take(reader, "V"))
        ;
    while (!take(reader, "E")) {
        const bool is_arguments = is_next(reader, 'I'), is_known = is_next(reader, 'S');
        if (!is_first && !is_arguments)
            text_print(out, "::");
        if (!(is_arguments ? read_arguments(reader, out)
              : is_known   ? read_substitution(reader, out)
                           : read_part(reader, out, from)) ||
            out->failed)
            return false;
        if (!is_known && !is_next(reader, 'E') && !keep(reader, out->at + from, out->length - from))
            return false;
        *ret_template = is_arguments;
        is_first = false;
    }
    return true;
}

static bool read_parameters(struct reader *reader, struct text *out);

/* Z1kPfE3box: what stands in a function, k(float*)::box. */
static bool read_local(struct reader *reader, struct text *out)
{
    bool is_template = false;
    HX_AUTO(text_done) struct text result = {.allocator = out->allocator};
    if (!take(reader, "Z") || reader->depth == DEPTH_MAX)
        return false;
    reader->depth++;
    const bool is_read = read_name(reader, out, false, &is_template) &&
                         (!is_template || read_type(reader, &result)) && read_parameters(reader, out) &&
                         take(reader, "E");
    text_print(out, "::");
    const bool is_named = is_read && read_name(reader, out, false, &is_template);
    reader->depth--;
    return is_named;
}

/* The name of a function or a class. */
static bool read_name(struct reader *reader, struct text *out, bool is_type, bool *ret_template)
{
    const size_t from = out->length;
    *ret_template = false;
    if (is_next(reader, 'Z')) {
        if (!read_local(reader, out))
            return false;
    } else if (is_next(reader, 'N')) {
        if (!read_nested(reader, out, ret_template))
            return false;
    } else {
        (void)take(reader, "L"); /* static */
        if (!(is_next(reader, 'S') ? read_substitution(reader, out) : read_part(reader, out, from)))
            return false;
        if (is_next(reader, 'I')) {
            *ret_template = true;
            if (out->failed || !keep(reader, out->at + from, out->length - from) ||
                !read_arguments(reader, out))
                return false;
        }
    }
    return !is_type || (!out->failed && keep(reader, out->at + from, out->length - from));
}

static const char *builtin(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } types[] = {{'v', "void"},
                 {'b', "bool"},
                 {'c', "char"},
                 {'a', "signed char"},
                 {'h', "unsigned char"},
                 {'s', "short"},
                 {'t', "unsigned short"},
                 {'i', "int"},
                 {'j', "unsigned int"},
                 {'l', "long"},
                 {'m', "unsigned long"},
                 {'x', "long long"},
                 {'y', "unsigned long long"},
                 {'f', "float"},
                 {'d', "double"},
                 {'w', "wchar_t"},
                 {'n', "__int128"},
                 {'o', "unsigned __int128"},
                 {'z', "..."}};
    for (size_t i = 0; i < HX_COUNT_OF(types); i++)
        if (types[i].letter == letter)
            return types[i].name;
    return NULL;
}

/* Pointers, references, const: what stands behind the type that they are of. */
static bool read_wrapped(struct reader *reader, struct text *out)
{
    static const struct {
        const char *code, *suffix;
    } wrappers[] = {{"P", "*"},      {"R", "&"},         {"O", "&&"},
                    {"K", " const"}, {"V", " volatile"}, {"r", " __restrict"}};
    const size_t from = out->length;
    for (size_t i = 0; i < HX_COUNT_OF(wrappers); i++)
        if (take(reader, wrappers[i].code)) {
            if (!read_type(reader, out))
                return false;
            text_print(out, "%s", wrappers[i].suffix);
            return !out->failed && keep(reader, out->at + from, out->length - from);
        }
    return false;
}

static bool read_plain_type(struct reader *reader, struct text *out)
{
    const char *const name = reader->at < reader->end ? builtin(*reader->at) : NULL;
    bool is_template;
    if (name) {
        reader->at++;
        text_print(out, "%s", name);
        return true;
    }
    if (take(reader, "Dh") || take(reader, "DF16_")) {
        text_print(out, "half");
        return true;
    }
    if (is_next(reader, 'T'))
        return read_parameter(reader, out);
    if (is_next(reader, 'S') && !(reader->end - reader->at > 1 && reader->at[1] == 't')) {
        if (!read_substitution(reader, out))
            return false;
        return !is_next(reader, 'I') || read_arguments(reader, out);
    }
    if (is_next(reader, 'N') || is_next(reader, 'S') || is_next(reader, 'Z') ||
        (reader->at < reader->end && text_is_digit(*reader->at)))
        return read_name(reader, out, true, &is_template);
    return false;
}

static bool read_type(struct reader *reader, struct text *out)
{
    if (reader->depth == DEPTH_MAX)
        return false;
    reader->depth++;
    const bool is_wrapped = reader->at < reader->end && strchr("PROKVr", *reader->at);
    const bool is_read = is_wrapped ? read_wrapped(reader, out) : read_plain_type(reader, out);
    reader->depth--;
    return is_read;
}

/* "(float*, int)"; the types to the end of the name, or of what a local name stands in. */
static bool read_parameters(struct reader *reader, struct text *out)
{
    text_print(out, "(");
    for (bool is_first = true; reader->at < reader->end && *reader->at != '.' && *reader->at != 'E';
         is_first = false) {
        if (is_first && is_next(reader, 'v')) {
            reader->at++;
            continue;
        }
        text_print(out, is_first ? "" : ", ");
        if (!read_type(reader, out))
            return false;
    }
    text_print(out, ")");
    return true;
}

void demangle(struct text *out, const char *name)
{
    struct reader reader = {.at = name, .end = name + strlen(name)};
    HX_AUTO(text_done) struct text made = {.allocator = out->allocator};
    HX_AUTO(text_done) struct text result = {.allocator = out->allocator};
    bool is_template = false;
    for (unsigned i = 0; i < KNOWN_MAX; i++)
        reader.known[i].allocator = out->allocator;
    reader.arguments.allocator = out->allocator;
    if (take(&reader, "_Z") && read_name(&reader, &made, false, &is_template)) {
        const size_t plain = made.length;
        const bool has_result = !is_template || read_type(&reader, &result);
        if (!has_result || !read_parameters(&reader, &made))
            made.length = plain;
        text_append(out, made.at ? made.at : name, made.length);
    } else {
        text_append(out, name, strlen(name));
    }
    for (unsigned i = 0; i < KNOWN_MAX; i++)
        text_done(&reader.known[i]);
    text_done(&reader.arguments);
    out->failed |= made.failed;
}
