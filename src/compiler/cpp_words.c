/* Words of C++.
 *
 * Takes the text of a file, leaves its words, strings, signs and directives with their places; comments and
 * blanks are gone. Nothing is expanded. The branches of an #if are read one behind the other, as though all
 * of them counted, unless that would leave a bracket open: then the first one counts. */
#include "compiler/cpp.h"

#include <string.h>

struct branch {
    size_t depth;    /* of brackets at the #if */
    bool is_closed;  /* no other branch counts */
    bool is_skipped; /* this one does not count */
    bool was_skipped, was_dead;
};
struct reading {
    const hx_allocator *allocator;
    struct cpp_words *words;
    struct slice text;
    size_t at, depth;
    bool begins_line, is_skipped, is_dead /* behind #if 0 */, has_failed;
    LIST(struct branch) branches;
};

static char peek(const struct reading *reading, size_t ahead)
{
    return reading->at + ahead < reading->text.length ? reading->text.at[reading->at + ahead] : '\0';
}

static bool is_at_end(const struct reading *reading)
{
    return reading->at >= reading->text.length;
}

static void skip_block_comment(struct reading *reading)
{
    const char *from = reading->text.at + reading->at + 2;
    const size_t left = reading->text.length - reading->at - 2;
    const char *end = memmem(from, left, "*/", 2);
    reading->at = end ? (size_t)(end - reading->text.at) + 2 : reading->text.length;
}

/* Length of a backslash and the end of the line behind it, which carry the line on; 0: there is none here. */
static size_t carries_on(const struct reading *reading)
{
    if (peek(reading, 0) != '\\')
        return 0;
    if (peek(reading, 1) == '\n')
        return 2;
    return peek(reading, 1) == '\r' && peek(reading, 2) == '\n' ? 3 : 0;
}

static void skip_line(struct reading *reading)
{
    while (!is_at_end(reading) && peek(reading, 0) != '\n')
        reading->at += carries_on(reading) ? carries_on(reading) : 1;
}

static void skip_quoted(struct reading *reading, char quote)
{
    for (reading->at++; !is_at_end(reading) && peek(reading, 0) != '\n'; reading->at++) {
        if (peek(reading, 0) == quote) {
            reading->at++;
            return;
        }
        if (carries_on(reading))
            reading->at += carries_on(reading) - 1;
        else if (peek(reading, 0) == '\\' && reading->at + 1 < reading->text.length)
            reading->at++;
    }
}

/* R"MARK( ... )MARK" */
static void skip_raw(struct reading *reading)
{
    char end[20] = ")";
    size_t length = 1;
    for (reading->at++; !is_at_end(reading) && peek(reading, 0) != '(' && length < sizeof end - 2;
         reading->at++)
        end[length++] = peek(reading, 0);
    end[length++] = '"';
    const char *found =
        memmem(reading->text.at + reading->at, reading->text.length - reading->at, end, length);
    reading->at = found ? (size_t)(found - reading->text.at) + length : reading->text.length;
}

/* A word, or a string with this word as its prefix, u8R"(...)": is it one? Such a string has several lines in
 * directives, too. */
static bool skip_word(struct reading *reading)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    const char *begin = reading->text.at + reading->at;
    while (text_is_word(peek(reading, 0)) || (unsigned char)peek(reading, 0) >= 0x80)
        reading->at++;
    const struct slice word = {begin, (size_t)(reading->text.at + reading->at - begin)};
    for (size_t i = 0; i < HX_COUNT_OF(prefixes) && peek(reading, 0) == '"'; i++)
        if (slice_equal(word, prefixes[i])) {
            skip_raw(reading);
            return true;
        }
    return false;
}

static void push(struct reading *reading, size_t begin, enum cpp_kind kind)
{
    const struct cpp_word word = {begin, reading->at - begin, kind};
    if (reading->is_dead)
        return;
    if (reading->is_skipped ? !LIST_PUSH(reading->allocator, &reading->words->others, begin)
                            : !LIST_PUSH(reading->allocator, &reading->words->list, word))
        reading->has_failed = true;
}

/* --- directives ----------------------------------------------------------------------------------------- */

/* Comments of a directive may have several lines, too. */
static void skip_directive(struct reading *reading)
{
    while (!is_at_end(reading) && peek(reading, 0) != '\n') {
        if (peek(reading, 0) == '/' && peek(reading, 1) == '*')
            skip_block_comment(reading);
        else if (peek(reading, 0) == '/' && peek(reading, 1) == '/')
            skip_line(reading);
        else if (peek(reading, 0) == '"')
            skip_quoted(reading, '"');
        else if (text_is_word(peek(reading, 0)))
            (void)skip_word(reading);
        else
            reading->at += carries_on(reading) ? carries_on(reading) : 1;
    }
}

bool cpp_directive_is(const struct cpp_words *words, const struct cpp_word *directive, const char *name,
                      struct slice *ret_rest)
{
    struct slice line = {words->text.at + directive->at + 1, directive->length - 1};
    const size_t length = strlen(name);
    line = slice_trim(line);
    if (!slice_starts_with(line, name) || (line.length > length && text_is_word(line.at[length])))
        return false;
    *ret_rest = slice_trim((struct slice){line.at + length, line.length - length});
    return true;
}

/* Is a condition this number, and nothing else but comments? */
static bool is_number(struct slice condition, char number)
{
    if (condition.length == 0 || condition.at[0] != number)
        return false;
    struct reading rest = {.text = {condition.at + 1, condition.length - 1}};
    while (!is_at_end(&rest))
        if (peek(&rest, 0) == '/' && peek(&rest, 1) == '*')
            skip_block_comment(&rest);
        else if (peek(&rest, 0) == '/' && peek(&rest, 1) == '/')
            skip_line(&rest);
        else if (carries_on(&rest))
            rest.at += carries_on(&rest);
        else if (text_is_blank(peek(&rest, 0)) || peek(&rest, 0) == '\r')
            rest.at++;
        else
            return false;
    return true;
}

static void begin_branches(struct reading *reading, struct slice condition)
{
    const struct branch branch = {.depth = reading->depth,
                                  .is_closed = is_number(condition, '1'),
                                  .is_skipped = is_number(condition, '0'),
                                  .was_skipped = reading->is_skipped,
                                  .was_dead = reading->is_dead};
    if (!LIST_PUSH(reading->allocator, &reading->branches, branch))
        reading->has_failed = true;
    reading->is_skipped |= branch.is_skipped;
    reading->is_dead |= branch.is_skipped;
}

static void next_branch(struct reading *reading)
{
    if (reading->branches.count == 0)
        return;
    struct branch *branch = &reading->branches.items[reading->branches.count - 1];
    branch->is_closed |= !branch->is_skipped && reading->depth != branch->depth;
    branch->is_skipped = branch->is_closed;
    reading->is_skipped = branch->was_skipped || branch->is_closed;
    reading->is_dead = branch->was_dead;
}

static void read_directive(struct reading *reading)
{
    const size_t begin = reading->at;
    skip_directive(reading);
    const struct cpp_word word = {begin, reading->at - begin, CPP_DIRECTIVE};
    struct slice rest;
    if (!LIST_PUSH(reading->allocator, &reading->words->directives, word))
        reading->has_failed = true;
    if (cpp_directive_is(reading->words, &word, "if", &rest))
        begin_branches(reading, rest);
    else if (cpp_directive_is(reading->words, &word, "ifdef", &rest) ||
             cpp_directive_is(reading->words, &word, "ifndef", &rest))
        begin_branches(reading, (struct slice){0});
    else if (cpp_directive_is(reading->words, &word, "else", &rest) ||
             cpp_directive_is(reading->words, &word, "elif", &rest))
        next_branch(reading);
    else if (cpp_directive_is(reading->words, &word, "endif", &rest) && reading->branches.count > 0) {
        const struct branch *branch = &reading->branches.items[--reading->branches.count];
        reading->is_skipped = branch->was_skipped;
        reading->is_dead = branch->was_dead;
    }
}

/* --- words ---------------------------------------------------------------------------------------------- */

static void read_word(struct reading *reading)
{
    const size_t begin = reading->at;
    push(reading, begin, skip_word(reading) ? CPP_STRING : CPP_WORD);
}

static void read_number(struct reading *reading)
{
    const size_t begin = reading->at;
    while (text_is_word(peek(reading, 0)) || peek(reading, 0) == '.' ||
           (peek(reading, 0) == '\'' && text_is_word(peek(reading, 1))) ||
           ((peek(reading, 0) == '+' || peek(reading, 0) == '-') &&
            memchr("eEpP", reading->text.at[reading->at - 1], 4)))
        reading->at++;
    push(reading, begin, CPP_NUMBER);
}

/* <% %> <: :> %: stand for { } [ ] #; "<::" is < and :: unless one of : > is behind it (C++17, 5.4). */
static bool is_digraph(const struct reading *reading)
{
    static const char *const all[] = {"<%", "%>", ":>", "%:"};
    const struct slice rest = {reading->text.at + reading->at, reading->text.length - reading->at};
    for (size_t i = 0; i < HX_COUNT_OF(all); i++)
        if (slice_starts_with(rest, all[i]))
            return true;
    return slice_starts_with(rest, "<:") &&
           (peek(reading, 2) != ':' || peek(reading, 3) == ':' || peek(reading, 3) == '>');
}

static void read_sign(struct reading *reading)
{
    const char sign = peek(reading, 0);
    reading->words->has_digraphs |= !reading->is_dead && is_digraph(reading);
    const size_t begin = reading->at++;
    if (!reading->is_skipped && memchr("([{", sign, 3))
        reading->depth++;
    else if (!reading->is_skipped && memchr(")]}", sign, 3))
        reading->depth -= reading->depth > 0;
    push(reading, begin, CPP_SIGN);
}

static void read_one(struct reading *reading)
{
    const char c = peek(reading, 0), next = peek(reading, 1);
    const size_t begin = reading->at;
    const bool begins_line = reading->begins_line;
    if (carries_on(reading)) {
        reading->at += carries_on(reading);
        return;
    }
    if (c == '\n' || text_is_blank(c) || memchr("\r\v\f\\", c, 4)) {
        reading->begins_line |= c == '\n';
        reading->at++;
        return;
    }
    if (c == '/' && (next == '*' || next == '/')) {
        (next == '*' ? skip_block_comment : skip_line)(reading);
        return;
    }
    reading->begins_line = false;
    if (c == '#' && begins_line) {
        read_directive(reading);
    } else if (c == '"' || c == '\'') {
        skip_quoted(reading, c);
        push(reading, begin, CPP_STRING);
    } else if (text_is_digit(c) || (c == '.' && text_is_digit(next))) {
        read_number(reading);
    } else if (text_is_word(c) || (unsigned char)c >= 0x80) {
        read_word(reading);
    } else {
        read_sign(reading);
    }
}

static bool find_lines(struct cpp_words *words, const hx_allocator *allocator)
{
    bool is_right = LIST_PUSH(allocator, &words->lines, 0);
    for (size_t i = 0; i < words->text.length && is_right; i++)
        if (words->text.at[i] == '\n')
            is_right = LIST_PUSH(allocator, &words->lines, i + 1);
    return is_right;
}

hx_status cpp_words_read(struct slice text, const hx_allocator *allocator, struct cpp_words *ret_words)
{
    *ret_words = (struct cpp_words){.text = text};
    struct reading reading = {.allocator = allocator, .words = ret_words, .text = text, .begins_line = true};
    reading.has_failed = !find_lines(ret_words, allocator);
    while (!is_at_end(&reading) && !reading.has_failed)
        read_one(&reading);
    LIST_DONE(allocator, &reading.branches);
    if (!reading.has_failed)
        return HX_OK;
    cpp_words_done(ret_words, allocator);
    return HX_NO_MEMORY;
}

void cpp_words_done(struct cpp_words *words, const hx_allocator *allocator)
{
    LIST_DONE(allocator, &words->list);
    LIST_DONE(allocator, &words->directives);
    LIST_DONE(allocator, &words->lines);
    LIST_DONE(allocator, &words->others);
}

/* --- places --------------------------------------------------------------------------------------------- */

struct slice cpp_word_text(const struct cpp_words *words, size_t index)
{
    const struct cpp_word *word = &words->list.items[index];
    return (struct slice){words->text.at + word->at, word->length};
}

bool cpp_is(const struct cpp_words *words, size_t index, const char *text)
{
    return index < words->list.count && words->list.items[index].kind != CPP_STRING &&
           words->text.at[words->list.items[index].at] == text[0] &&
           slice_equal(cpp_word_text(words, index), text);
}

bool cpp_is_one_of(const struct cpp_words *words, size_t index, const char *const *texts)
{
    for (; *texts; texts++)
        if (cpp_is(words, index, *texts))
            return true;
    return false;
}

bool cpp_opens(const struct cpp_words *words, size_t index)
{
    return cpp_is(words, index, "(") || cpp_is(words, index, "[") || cpp_is(words, index, "{");
}

size_t cpp_behind(const struct cpp_words *words, size_t first, size_t end)
{
    size_t depth = 0;
    for (size_t i = first; i < end; i++) {
        if (words->list.items[i].kind != CPP_SIGN)
            continue;
        const char sign = words->text.at[words->list.items[i].at];
        if (memchr("([{", sign, 3))
            depth++;
        else if (memchr(")]}", sign, 3) && --depth == 0)
            return i + 1;
    }
    return end;
}

size_t cpp_line_of(const struct cpp_words *words, size_t at)
{
    size_t low = 0, high = words->lines.count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(words->lines.items[middle] <= at ? &low : &high) = middle;
    }
    return low + 1;
}

const struct cpp_word *cpp_directive_at(const struct cpp_words *words, size_t at)
{
    size_t low = 0, high = words->directives.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(words->directives.items[middle].at <= at ? &low : &high) =
            words->directives.items[middle].at <= at ? middle + 1 : middle;
    }
    const struct cpp_word *last = low > 0 ? &words->directives.items[low - 1] : NULL;
    return last && at - last->at < last->length ? last : NULL;
}

bool cpp_offset_of(const struct cpp_words *words, size_t line, size_t column, size_t *ret_at)
{
    if (line == 0 || column == 0 || line > words->lines.count)
        return false;
    const size_t begin = words->lines.items[line - 1];
    if (column - 1 > words->text.length - begin)
        return false;
    *ret_at = begin + column - 1;
    return true;
}
