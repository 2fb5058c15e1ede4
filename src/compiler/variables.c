/* Variables of CUDA C that a host sets: those that stay, whatever the program itself does with them.
 *
 * A host finds `static __device__ float table[4];` by its name (cuModuleGetGlobal) and writes it, though no
 * function of the program does. clang's optimizer sees a variable of this program alone: it takes the first
 * value for the only one, and drops the variable. The attribute "used" says that others know it, and nvcc
 * keeps them all. __constant__ and __managed__ are of variables alone, so that their macros have the
 * attribute (cuda/prelude.h). __device__ is of functions, too, of which those that nobody calls must go: in
 * the program's text the word becomes __devvar__ before a variable. Both have the same length, which leaves
 * positions as they are. */
#include "compiler/parts.h"

#include <string.h>

static const char word_of_both[] = "__device__", word_of_variables[] = "__devvar__";
_Static_assert(sizeof word_of_both == sizeof word_of_variables, "positions stay as they are");

struct reader {
    char *at;
    const char *begin, *end;
    bool is_directive; /* a line of the preprocessor, whose end ends what is read */
};

static char peek(const struct reader *reader, size_t ahead)
{
    return (size_t)(reader->end - reader->at) > ahead ? reader->at[ahead] : '\0';
}

static bool starts_with(const struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

/* Behind `text`, or at the end. */
static void skip_to(struct reader *reader, const char *text, size_t length)
{
    char *found = memmem(reader->at, (size_t)(reader->end - reader->at), text, length);
    reader->at = found ? found + length : (char *)reader->end;
}

/* A literal from its quote on; the next line ends one that is not closed. */
static void skip_literal(struct reader *reader)
{
    const char quote = *reader->at++;
    while (reader->at < reader->end && *reader->at != quote && *reader->at != '\n')
        reader->at += *reader->at == '\\' && reader->at + 1 < reader->end ? 2 : 1;
    if (reader->at < reader->end && *reader->at == quote)
        reader->at++;
}

/* R"mark(text)mark" from its quote on */
static void skip_raw_literal(struct reader *reader)
{
    char close[20] = ")";
    const char *open = memchr(reader->at, '(', (size_t)(reader->end - reader->at));
    const size_t length = open ? (size_t)(open - reader->at) - 1 : sizeof close;
    if (length > 16) { /* as many as C++ has */
        skip_literal(reader);
        return;
    }
    memcpy(close + 1, reader->at + 1, length);
    close[length + 1] = '"';
    skip_to(reader, close, length + 2);
}

/* Comments and blanks; false: there are none here. The end of a directive's line is kept. */
static bool skip_blank(struct reader *reader)
{
    if (starts_with(reader, "/*"))
        skip_to(reader, "*/", 2);
    else if (starts_with(reader, "//"))
        for (; reader->at < reader->end && *reader->at != '\n';)
            reader->at++;
    else if (starts_with(reader, "\\\n"))
        reader->at += 2;
    else if (strchr(" \t\r\f\v", peek(reader, 0)) && peek(reader, 0))
        reader->at++;
    else if (peek(reader, 0) == '\n' && !reader->is_directive)
        reader->at++;
    else
        return false;
    return true;
}

/* A word; empty: something else. */
static struct slice take_word(struct reader *reader)
{
    struct slice word = {reader->at, 0};
    while (text_is_word(peek(reader, word.length)))
        word.length++;
    reader->at += word.length;
    return word;
}

static void skip_quoted(struct reader *reader)
{
    const bool is_raw = *reader->at == '"' && reader->at > reader->begin && reader->at[-1] == 'R';
    if (is_raw)
        skip_raw_literal(reader);
    else
        skip_literal(reader);
}

/* 1'000'000 */
static bool is_separator(const struct reader *reader)
{
    return peek(reader, 0) == '\'' && reader->at > reader->begin &&
           strchr("0123456789abcdefABCDEF", reader->at[-1]);
}

/* From an opening bracket to behind the one that closes it; false: it is not closed. */
static bool skip_brackets(struct reader *reader)
{
    static const char open[] = "([{<", close[] = ")]}>";
    const char *kind = strchr(open, *reader->at);
    unsigned depth = 0, lists = 0; /* in which < and > compare */
    while (reader->at < reader->end) {
        const char c = *reader->at;
        if (skip_blank(reader) || take_word(reader).length > 0)
            continue;
        if ((c == '"' || c == '\'') && !is_separator(reader)) {
            skip_quoted(reader);
            continue;
        }
        if (c == '\n' || c == ';') /* a line that ends, or something that is not a list */
            return false;
        reader->at++;
        lists += *kind == '<' && c == '(';
        lists -= lists > 0 && c == ')';
        if (lists > 0)
            continue;
        depth += c == *kind;
        depth -= c == close[kind - open];
        if (depth == 0)
            return true;
    }
    return false;
}

static bool is_one_of(struct slice word, const char *const *words)
{
    for (; *words; words++)
        if (slice_equal(word, *words))
            return true;
    return false;
}

/* Is a function's head what is behind "__device__ type name(list)"? After a macro with a list, as in
 * "__device__ ALIGN(16) float table[4]", comes another word. */
static bool ends_head(struct reader reader)
{
    static const char *const words[] = {"const", "noexcept", "override", "final",        "volatile",
                                        "throw", "requires", "mutable",  "__restrict__", NULL};
    while (skip_blank(&reader))
        continue;
    const struct slice word = take_word(&reader);
    return word.length == 0 || is_one_of(word, words);
}

/* A list in parentheses: false where it is a function's, which that of an attribute or of the first word, a
 * macro, need not be. "(*table[2])(float)" is a variable, a pointer to functions. */
static bool skip_list(struct reader *reader, bool is_attribute, bool may_be_other, bool *ret_is_pointer)
{
    struct reader inside = *reader;
    inside.at++;
    while (skip_blank(&inside))
        continue;
    *ret_is_pointer = peek(&inside, 0) == '*';
    const char *begin = reader->at;
    if (!skip_brackets(reader))
        return false;
    if (*ret_is_pointer)
        return !memchr(begin + 1, '(', (size_t)(reader->at - begin - 1));
    return is_attribute || (may_be_other && !ends_head(*reader));
}

/* Is what follows __device__ a variable? It is read up to what decides: a list of parameters, or an end, a
 * size or a value. */
static bool declares_variable(struct reader reader)
{
    static const char *const with_list[] = {"__attribute__", "__align__", "alignas", "__builtin_align__",
                                            NULL};
    static const char *const types[] = {"decltype", "__typeof__", "typeof", NULL};
    static const char *const others[] = {"operator", "typedef", "using", "friend", "extern", NULL};
    unsigned words = 0; /* a type and a name at least; lambdas have neither */
    bool is_attribute = false, is_pointer = false;
    while (reader.at < reader.end) {
        if (skip_blank(&reader))
            continue;
        const struct slice word = take_word(&reader);
        const char c = peek(&reader, 0);
        if (word.length > 0) {
            const bool is_type = is_one_of(word, types);
            is_attribute = is_type || is_one_of(word, with_list);
            words += is_type || !is_attribute;
            if (is_one_of(word, others))
                return false;
        } else if (c == '=' || c == ';' || c == ',' || c == '{' || (c == '[' && peek(&reader, 1) != '[')) {
            return words > 1;
        } else if (c == '(') {
            if (!skip_list(&reader, is_attribute, words == 1, &is_pointer))
                return false;
            if (is_pointer)
                return words > 0;
        } else if (c == '[' || c == '<') {
            if (!skip_brackets(&reader))
                return false;
        } else if (c == '*' || c == '&' || (c == ':' && peek(&reader, 1) == ':')) {
            reader.at += 1 + (c == ':');
        } else {
            return false;
        }
    }
    return false;
}

void compiler_mark_variables(char *text, size_t length)
{
    struct reader reader = {text, text, text + length, false};
    bool is_first = true; /* of its line, but for blanks */
    while (reader.at < reader.end) {
        const char c = peek(&reader, 0);
        if (c == '\n') {
            is_first = true;
            reader.is_directive = false;
        }
        if (skip_blank(&reader))
            continue;
        reader.is_directive |= is_first && c == '#';
        is_first = false;
        char *begin = reader.at;
        const struct slice word = take_word(&reader);
        if (slice_equal(word, word_of_both) && declares_variable(reader))
            memcpy(begin, word_of_variables, sizeof word_of_variables - 1);
        else if (word.length == 0 && (c == '"' || c == '\'') && !is_separator(&reader))
            skip_quoted(&reader);
        else if (word.length == 0)
            reader.at++;
    }
}
