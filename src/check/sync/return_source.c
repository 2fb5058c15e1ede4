/* What the source says of returns.
 *
 * A statement is read as text: words, brackets, comments and strings are known from each other, and macros
 * are not expanded. What is not understood is unknown. */
#include "check/sync/return_source.h"

#include "base/text.h"

#include <string.h>

#define DEPTH_MAX 200 /* of statements in each other */

/* The source from an instruction's place to the end of its line; empty: it is not there. */
static struct slice text_at(const struct kernel *code, uint32_t at)
{
    const struct place *const place = &code->lines[at].place;
    const struct slice line = place->source ? source_line(place->source, place->line) : (struct slice){0};
    const size_t from = place->column > 0 ? (size_t)place->column - 1 : 0;
    return from < line.length ? (struct slice){line.at + from, line.length - from} : (struct slice){0};
}

static struct slice word_of(const char *at, const char *end)
{
    struct slice word = {at, 0};
    while (at + word.length < end && text_is_word(at[word.length]))
        word.length++;
    return word;
}

/* The word there; empty: it is none. */
static struct slice word_at(const struct kernel *code, uint32_t at)
{
    const struct slice text = text_at(code, at);
    return word_of(text.at, text.at + text.length);
}

/* The end of a line, and of those that go on in the next one. */
static const char *line_end(const char *at, const char *end)
{
    const char *last = at;
    while (last < end && (*last != '\n' || last[-1] == '\\' || (last[-1] == '\r' && last[-2] == '\\')))
        last++;
    return last;
}

bool return_source_macros(const hx_allocator *allocator, const struct source *source,
                          struct source_macros *ret_macros)
{
    static const char define[] = "define";
    const char *const end = source ? source->text + source->bytes : NULL;
    const char *at = source ? source->text : NULL;
    *ret_macros = (struct source_macros){0};
    while (at && (at = memmem(at, (size_t)(end - at), define, strlen(define)))) {
        at += strlen(define);
        while (at < end && text_is_blank(*at))
            at++;
        const struct slice name = word_of(at, end);
        const char *const text = at + name.length, *const last = line_end(text, end);
        if (name.length > 0 && !LIST_PUSH(allocator, &ret_macros->items,
                                          (struct source_macro){name, {text, (size_t)(last - text)}}))
            return false;
    }
    return true;
}

/* NULL: there is none in the file. */
static const struct source_macro *find_macro(const struct source_macros *macros, struct slice name)
{
    for (size_t i = 0; i < macros->items.count; i++)
        if (slice_same(macros->items.items[i].name, name))
            return &macros->items.items[i];
    return NULL;
}

/* By custom the name of a macro has no small letters. */
static bool is_macro(const struct source_macros *macros, struct slice word)
{
    bool has_small = false;
    for (size_t i = 0; i < word.length; i++)
        has_small |= word.at[i] >= 'a' && word.at[i] <= 'z';
    return !has_small || find_macro(macros, word);
}

static bool is_one_of(struct slice word, const char *const *words)
{
    for (; *words; words++)
        if (slice_equal(word, *words))
            return true;
    return false;
}

enum source_word return_source_word(const struct kernel *code, const struct source_macros *macros,
                                    uint32_t at)
{
    static const char *const others[] = {"if", "for", "while", "switch", "do", "else", NULL};
    static const char *const leaving[] = {"goto", "break", NULL};
    const struct slice text = text_at(code, at), word = word_at(code, at);
    if (text.length == 0)
        return WORD_UNKNOWN;
    if (word.length == 0 || is_one_of(word, others))
        return WORD_OTHER;
    if (slice_equal(word, "return"))
        return WORD_RETURN;
    if (is_macro(macros, word))
        return WORD_MACRO;
    return is_one_of(word, leaving) || (text.length > word.length && text.at[word.length] == '(')
               ? WORD_LEAVES
               : WORD_OTHER;
}

bool return_source_macro_returns(const struct kernel *code, const struct source_macros *macros, uint32_t at)
{
    static const char word[] = "return";
    const struct source_macro *const macro = find_macro(macros, word_at(code, at));
    return macro && memmem(macro->text.at, macro->text.length, word, strlen(word));
}

bool return_source_has_brace(const struct kernel *code, uint32_t end)
{
    return slice_starts_with(text_at(code, end), "}");
}

bool return_source_is_own(const struct kernel *code, uint32_t end, uint32_t at)
{
    const struct place *const place = &code->lines[at].place, *const last = &code->lines[end].place;
    return place->source == last->source && place->line >= code->lines[0].place.line &&
           place->line <= last->line;
}

bool return_source_has_return(const struct kernel *code, uint32_t end)
{
    static const char word[] = "return";
    const struct place *const last = &code->lines[end].place;
    bool has_return = false;
    for (int line = code->lines[0].place.line; line <= last->line && !has_return && last->source; line++) {
        const struct slice text = source_line(last->source, line);
        has_return = text.length > 0 && memmem(text.at, text.length, word, strlen(word));
    }
    return has_return;
}

/* ---- Statements ---------------------------------------------------------------------------------------- */

struct reader {
    const char *at, *end;
    bool fails; /* it ends too early, or is too deep */
};
struct statement {
    const char *begin, *end;
};

static bool starts(const struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

/* Goes behind the next such text. */
static void skip_to(struct reader *reader, const char *text)
{
    const char *const found = memmem(reader->at, (size_t)(reader->end - reader->at), text, strlen(text));
    reader->at = found ? found + strlen(text) : reader->end;
}

/* Blanks, comments, and lines of the preprocessor. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        if (starts(reader, "//") || *reader->at == '#')
            skip_to(reader, "\n");
        else if (starts(reader, "/*"))
            skip_to(reader, "*/");
        else if (text_is_blank(*reader->at) || *reader->at == '\n' || *reader->at == '\r')
            reader->at++;
        else
            return;
    }
    reader->fails = true;
}

/* A string, a word or number, or one character. */
static struct slice read_token(struct reader *reader)
{
    skip_blanks(reader);
    const char *const begin = reader->at;
    if (reader->fails)
        return (struct slice){begin, 0};
    if (*begin == '"' || *begin == '\'') {
        for (reader->at++; reader->at < reader->end && *reader->at != *begin; reader->at++)
            reader->at += *reader->at == '\\' && reader->at + 1 < reader->end;
        reader->at += reader->at < reader->end;
    } else {
        do /* 1'000 is one number */
            reader->at += text_is_word(*reader->at) ? word_of(reader->at, reader->end).length : 1;
        while (text_is_digit(*begin) && reader->end - reader->at > 1 && *reader->at == '\'' &&
               text_is_word(reader->at[1]));
    }
    return (struct slice){begin, (size_t)(reader->at - begin)};
}

/* Goes behind the bracket that closes the one that was read. */
static void close_bracket(struct reader *reader)
{
    for (uint32_t depth = 1; depth > 0 && !reader->fails;) {
        const struct slice token = read_token(reader);
        if (token.length == 1 && strchr("([{", *token.at))
            depth++;
        else if (token.length == 1 && strchr(")]}", *token.at))
            depth--;
    }
}

/* The condition of a statement, whose word was read. */
static void read_condition(struct reader *reader)
{
    struct slice token = read_token(reader);
    if (slice_equal(token, "constexpr"))
        token = read_token(reader);
    if (slice_equal(token, "("))
        close_bracket(reader);
    else
        reader->fails = true;
}

static bool take_else(struct reader *reader)
{
    const struct reader before = *reader;
    if (slice_equal(read_token(reader), "else"))
        return true;
    *reader = before;
    return false;
}

static struct statement read_statement(struct reader *reader, uint32_t depth);

/* The rest of a statement with arms. */
static void read_arms(struct reader *reader, bool has_else, uint32_t depth)
{
    read_condition(reader);
    (void)read_statement(reader, depth + 1);
    if (has_else && !reader->fails && take_else(reader))
        (void)read_statement(reader, depth + 1);
}

static struct statement read_statement(struct reader *reader, uint32_t depth)
{
    static const char *const loops[] = {"for", "while", "switch", NULL};
    struct slice token = read_token(reader);
    const char *const begin = token.at;
    reader->fails |= depth > DEPTH_MAX;
    if (reader->fails)
        return (struct statement){begin, begin};
    if (slice_equal(token, ";"))
        return (struct statement){begin, reader->at};
    if (slice_equal(token, "{")) {
        close_bracket(reader);
    } else if (slice_equal(token, "if") || is_one_of(token, loops)) {
        read_arms(reader, slice_equal(token, "if"), depth);
    } else {
        if (slice_equal(token, "do"))
            (void)read_statement(reader, depth + 1);
        while (!reader->fails && !slice_equal(token = read_token(reader), ";"))
            if (token.length == 1 && strchr("([{", *token.at))
                close_bracket(reader);
    }
    return (struct statement){begin, reader->at};
}

/* The word before, on the same line. */
static const char *word_before(const struct source *source, const char *at)
{
    while (at > source->text && text_is_blank(at[-1]))
        at--;
    while (at > source->text && text_is_word(at[-1]))
        at--;
    return at;
}

/* The bracket that is open where a place is, and no brace; NULL: there is none. */
static const char *find_open(const struct source *source, const char *place)
{
    uint32_t closed = 0;
    for (const char *at = place; at > source->text;) {
        const char c = *--at;
        if (c == '{' || c == '}')
            return NULL;
        if (c == '(' && closed == 0)
            return at;
        closed += c == ')';
        closed -= c == '(';
    }
    return NULL;
}

/* The word of the statement in whose condition a place is, or that stands there; NULL: there is none. */
static const char *find_statement(const struct source *source, const char *place)
{
    static const char *const words[] = {"if", "for", "while", NULL};
    const char *const end = source->text + source->bytes;
    const char *word = place;
    while (place && !is_one_of(word_of(word, end), words)) {
        place = find_open(source, place);
        if (!place)
            return NULL;
        word = word_before(source, place);
        if (slice_equal(word_of(word, end), "constexpr"))
            word = word_before(source, word);
    }
    return word;
}

static bool has_byte(const struct statement *statement, const char *at)
{
    return statement->begin && at >= statement->begin && at < statement->end;
}

/* What threads do that do such an arm, or none. */
static enum source_arm judge(const struct source_macros *macros, const struct statement *arm)
{
    static const char *const leaving[] = {"goto", "break", "continue", "return", "asm", NULL};
    struct reader reader = {.at = arm->begin, .end = arm->end};
    struct slice last = {0}; /* the first word of the last statement */
    uint32_t depth = 0;
    const uint32_t own = arm->begin && *arm->begin == '{'; /* depth of its statements */
    bool begins = true, leaves = false;
    while (arm->begin && reader.at < reader.end) {
        const struct slice token = read_token(&reader);
        if (reader.fails)
            break;
        if (begins && depth == own && text_is_word(*token.at))
            last = token;
        depth += token.length == 1 && strchr("([{", *token.at);
        depth -= token.length == 1 && strchr(")]}", *token.at);
        begins = token.length == 1 && strchr(";{}", *token.at);
        leaves |= is_one_of(token, leaving) ||
                  (text_is_word(*token.at) && !text_is_digit(*token.at) && is_macro(macros, token));
    }
    if (slice_equal(last, "return"))
        return ARM_RETURNS;
    return leaves ? ARM_UNKNOWN : ARM_PASSES;
}

/* A place's byte in the source; NULL: it is not there. */
static const char *byte_at(const struct kernel *code, const struct source *source, uint32_t at)
{
    return code->lines[at].place.source == source ? text_at(code, at).at : NULL;
}

enum source_arm return_source_arm(const struct kernel *code, const struct source_macros *macros,
                                  uint32_t branch, uint32_t barrier)
{
    const struct source *const source = code->lines[branch].place.source;
    const char *const place = source ? byte_at(code, source, branch) : NULL,
                      *const at = source ? byte_at(code, source, barrier) : NULL,
                      *const word = place ? find_statement(source, place) : NULL;
    if (!word)
        return ARM_UNKNOWN;
    struct reader reader = {.at = word, .end = source->text + source->bytes};
    const bool is_if = slice_equal(read_token(&reader), "if");
    read_condition(&reader);
    const struct statement then = read_statement(&reader, 0);
    struct statement other = {0};
    if (is_if && !reader.fails && take_else(&reader))
        other = read_statement(&reader, 0);
    if (reader.fails)
        return ARM_UNKNOWN;
    if (has_byte(&then, at))
        return is_if ? judge(macros, &other) : ARM_PASSES;
    if (has_byte(&other, at))
        return judge(macros, &then);
    const bool returns = is_if && (judge(macros, &then) == ARM_RETURNS ||
                                   (other.begin && judge(macros, &other) == ARM_RETURNS));
    return returns ? ARM_RETURNS : ARM_UNKNOWN;
}
