/* Pieces of C++: which words form a function, a declaration, a statement.
 *
 * Takes the words of a file, leaves the pieces in their order, those of functions with the statements in
 * them. Headers are not known, so neither is what a name means: brackets, semicolons and keywords decide. A
 * piece that is wrong because of that is too large or one that does not compile without its other part; it is
 * never trusted to be right. */
#include "compiler/cpp.h"

#include <string.h>

#define DEPTH_MAX       100
#define ANGLE_WORDS_MAX 2000 /* a `<` is no bracket that closes behind more */

struct finding {
    const struct cpp_words *words;
    const hx_allocator *allocator;
    struct cpp_pieces *pieces;
    unsigned depth;
    bool has_failed;
};

static size_t push(struct finding *finding, enum cpp_piece_kind kind, size_t first, size_t parent)
{
    const struct cpp_piece piece = {.kind = kind, .first = first, .parent = parent};
    if (!LIST_PUSH(finding->allocator, &finding->pieces->list, piece)) {
        finding->has_failed = true;
        return CPP_NONE;
    }
    return finding->pieces->list.count - 1;
}

static void close_piece(struct finding *finding, size_t index, size_t head_end, size_t end)
{
    if (index == CPP_NONE)
        return;
    struct cpp_piece *piece = &finding->pieces->list.items[index];
    const struct cpp_word *words = finding->words->list.items;
    piece->end = end;
    piece->head_end = head_end;
    piece->begin_at = words[piece->first].at;
    piece->end_at = end > piece->first ? words[end - 1].at + words[end - 1].length : piece->begin_at;
}

static bool is(const struct finding *finding, size_t index, const char *text)
{
    return cpp_is(finding->words, index, text);
}

static bool is_word(const struct finding *finding, size_t index)
{
    return index < finding->words->list.count && finding->words->list.items[index].kind == CPP_WORD;
}

/* --- statements ----------------------------------------------------------------------------------------- */

static size_t find_statement(struct finding *finding, size_t first, size_t end, size_t parent);

static size_t behind_label(const struct finding *finding, size_t first, size_t end)
{
    static const char *const labels[] = {"case", "default", NULL};
    const bool is_label =
        is_word(finding, first) && is(finding, first + 1, ":") && !is(finding, first + 2, ":");
    if (!is_label && !cpp_is_one_of(finding->words, first, labels))
        return first;
    for (size_t i = first; i < end; i++) {
        if (cpp_opens(finding->words, i))
            i = cpp_behind(finding->words, i, end) - 1;
        else if (is(finding, i, ";"))
            return first;
        else if (is(finding, i, ":") && is(finding, i + 1, ":"))
            i++;
        else if (is(finding, i, ":"))
            return i + 1;
    }
    return first;
}

static void find_statements(struct finding *finding, size_t first, size_t end, size_t parent)
{
    if (finding->depth >= DEPTH_MAX)
        return;
    finding->depth++;
    for (size_t i = first; i < end && !finding->has_failed;) {
        const size_t behind = behind_label(finding, i, end);
        i = behind > i ? behind : find_statement(finding, i, end, parent);
    }
    finding->depth--;
}

/* Where a statement ends that is none of control: behind its semicolon. A macro with a block behind it may
 * have none. */
static size_t behind_simple(const struct finding *finding, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (is(finding, i, ";"))
            return i + 1;
        if (is(finding, i, "}"))
            return i > first ? i : i + 1;
        if (!cpp_opens(finding->words, i))
            continue;
        const bool may_end = is(finding, i, "{") && i > first && is(finding, i - 1, ")");
        i = cpp_behind(finding->words, i, end) - 1;
        if (may_end && is_word(finding, i + 1))
            return i + 1;
    }
    return end;
}

static size_t find_control(struct finding *finding, size_t first, size_t end, size_t parent)
{
    size_t head = first + 1 + is(finding, first + 1, "constexpr");
    if (!is(finding, head, "("))
        return CPP_NONE;
    const size_t index = push(finding, CPP_CONTROL, first, parent);
    head = cpp_behind(finding->words, head, end);
    size_t behind = find_statement(finding, head, end, index);
    if (is(finding, first, "if") && is(finding, behind, "else") && behind < end)
        behind = find_statement(finding, behind + 1, end, index);
    close_piece(finding, index, head, behind);
    return behind;
}

static size_t find_do_or_try(struct finding *finding, size_t first, size_t end, size_t parent)
{
    const size_t index = push(finding, CPP_CONTROL, first, parent);
    size_t behind = find_statement(finding, first + 1, end, index);
    while (behind < end && is(finding, first, "try") && is(finding, behind, "catch")) {
        behind = is(finding, behind + 1, "(") ? cpp_behind(finding->words, behind + 1, end) : behind + 1;
        behind = find_statement(finding, behind, end, index);
    }
    if (behind < end && is(finding, first, "do"))
        behind = behind_simple(finding, behind, end);
    close_piece(finding, index, first + 1, behind);
    return behind;
}

/* Returns where the next one begins. */
static size_t find_statement(struct finding *finding, size_t first, size_t end, size_t parent)
{
    static const char *const controls[] = {"if", "for", "while", "switch", NULL}, *const blocks[] = {
                                                                                      "do", "try", NULL};
    if (first >= end || is(finding, first, ";"))
        return first < end ? first + 1 : end;
    if (is(finding, first, "{")) {
        const size_t behind = cpp_behind(finding->words, first, end);
        find_statements(finding, first + 1, behind > first + 1 ? behind - 1 : behind, parent);
        return behind;
    }
    if (finding->depth < DEPTH_MAX &&
        (cpp_is_one_of(finding->words, first, controls) || cpp_is_one_of(finding->words, first, blocks))) {
        finding->depth++;
        const size_t behind = cpp_is_one_of(finding->words, first, controls)
                                  ? find_control(finding, first, end, parent)
                                  : find_do_or_try(finding, first, end, parent);
        finding->depth--;
        if (behind != CPP_NONE)
            return behind;
    }
    const size_t index = push(finding, CPP_STATEMENT, first, parent);
    const size_t behind = behind_simple(finding, first, end);
    close_piece(finding, index, behind, behind);
    return behind;
}

/* --- declarations --------------------------------------------------------------------------------------- */

static size_t behind_semicolon(const struct finding *finding, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (is(finding, i, ";"))
            return i + 1;
        if (cpp_opens(finding->words, i))
            i = cpp_behind(finding->words, i, end) - 1;
    }
    return end;
}

/* What is known of a declaration up to some word. */
struct head {
    bool has_class, has_enum, has_parameters, has_initializers;
};

static void read_head_bracket(const struct finding *finding, size_t at, struct head *head)
{
    static const char *const attributes[] = {"alignas",           "__align__",  "__attribute__",
                                             "__builtin_align__", "__declspec", NULL};
    if (is(finding, at, "(") && !(head->has_class && cpp_is_one_of(finding->words, at - 1, attributes)))
        head->has_parameters = true;
}

/* A body, or values in braces? Behind "X::X() : a" come values of a member. */
static bool begins_body(const struct finding *finding, size_t at, const struct head *head)
{
    if (!head->has_parameters)
        return false;
    return !(head->has_initializers && (is_word(finding, at - 1) || is(finding, at - 1, ">")));
}

static size_t end_with_body(struct finding *finding, size_t first, size_t body, size_t end, size_t parent)
{
    const size_t index = push(finding, CPP_FUNCTION, first, parent);
    size_t behind = cpp_behind(finding->words, body, end);
    find_statements(finding, body + 1, behind > body + 1 ? behind - 1 : behind, index);
    while (behind < end && is(finding, behind, "catch"))
        behind = cpp_behind(finding->words, cpp_behind(finding->words, behind + 1, end), end);
    close_piece(finding, index, body, behind);
    return behind;
}

static size_t end_simple(struct finding *finding, enum cpp_piece_kind kind, size_t first, size_t end,
                         size_t parent)
{
    const size_t index = push(finding, kind, first, parent);
    close_piece(finding, index, end, end);
    return end;
}

size_t cpp_behind_angles(const struct cpp_words *words, size_t first, size_t end)
{
    size_t depth = 0;
    end = end - first > ANGLE_WORDS_MAX ? first + ANGLE_WORDS_MAX : end;
    for (size_t i = first; i < end; i++) {
        if (cpp_is(words, i, "(") || cpp_is(words, i, "["))
            i = cpp_behind(words, i, end) - 1;
        else if (cpp_is(words, i, ";") || cpp_is(words, i, "{") || cpp_is(words, i, "}"))
            return first;
        else if (cpp_is(words, i, "<"))
            depth++;
        else if (cpp_is(words, i, ">") && !cpp_is(words, i - 1, "-") && --depth == 0)
            return i + 1;
    }
    return first;
}

static size_t behind_templates(const struct finding *finding, size_t first, size_t end)
{
    while (is(finding, first, "template") && is(finding, first + 1, "<")) {
        const size_t behind = cpp_behind_angles(finding->words, first + 1, end);
        if (behind == first + 1)
            return first;
        first = behind;
    }
    return first;
}

/* operator=, operator+=, operator<<= */
static bool is_of_operator(const struct finding *finding, size_t at)
{
    for (size_t i = 1; i <= 3 && i <= at; i++)
        if (is(finding, at - i, "operator"))
            return true;
    return false;
}

static size_t find_declaration(struct finding *finding, size_t first, size_t end, size_t parent)
{
    static const char *const classes[] = {"class", "struct", "union", NULL};
    struct head head = {0};
    for (size_t i = behind_templates(finding, first, end); i < end; i++) {
        if (is(finding, i, ";"))
            return end_simple(finding, CPP_DECLARATION, first, i + 1, parent);
        if (is(finding, i, "}"))
            return end_simple(finding, CPP_DECLARATION, first, i > first ? i : i + 1, parent);
        if (is(finding, i, "=") && !is_of_operator(finding, i))
            return end_simple(finding, CPP_DECLARATION, first, behind_semicolon(finding, i, end), parent);
        head.has_class |= cpp_is_one_of(finding->words, i, classes);
        head.has_enum |= is(finding, i, "enum");
        if (is(finding, i, "<") && i > first) {
            const size_t behind = cpp_behind_angles(finding->words, i, end);
            i = behind > i ? behind - 1 : i;
        }
        if (is(finding, i, ":") && is(finding, i + 1, ":"))
            i++;
        else if (is(finding, i, ":"))
            head.has_initializers |= head.has_parameters;
        if (!cpp_opens(finding->words, i))
            continue;
        if (is(finding, i, "{") && (head.has_class || head.has_enum) && !head.has_parameters)
            return end_simple(finding, head.has_enum ? CPP_DECLARATION : CPP_CLASS, first,
                              behind_semicolon(finding, i, end), parent);
        if (is(finding, i, "{") && begins_body(finding, i, &head))
            return end_with_body(finding, first, i, end, parent);
        read_head_bracket(finding, i, &head);
        i = cpp_behind(finding->words, i, end) - 1;
    }
    return end_simple(finding, CPP_DECLARATION, first, end, parent);
}

/* The brace of "namespace a::b {" or `extern "C" {`; CPP_NONE: something else begins at `first`. */
static size_t brace_of_group(const struct finding *finding, size_t first, size_t end)
{
    const size_t word = first + is(finding, first, "inline");
    if (is(finding, first, "extern") && first + 2 < end && is(finding, first + 2, "{") &&
        finding->words->list.items[first + 1].kind == CPP_STRING)
        return first + 2;
    if (!is(finding, word, "namespace"))
        return CPP_NONE;
    for (size_t i = word + 1; i < end && !is(finding, i, ";") && !is(finding, i, "="); i++)
        if (is(finding, i, "{"))
            return i;
    return CPP_NONE;
}

static void find_declarations(struct finding *finding, size_t first, size_t end)
{
    if (finding->depth >= DEPTH_MAX)
        return;
    finding->depth++;
    for (size_t i = first; i < end && !finding->has_failed;) {
        const size_t brace = brace_of_group(finding, i, end);
        if (is(finding, i, ";") || is(finding, i, "}")) {
            i++;
        } else if (brace != CPP_NONE) {
            i = cpp_behind(finding->words, brace, end);
            find_declarations(finding, brace + 1, i > brace + 1 ? i - 1 : i);
        } else {
            i = find_declaration(finding, i, end, CPP_NONE);
        }
    }
    finding->depth--;
}

static void find_directives(struct finding *finding)
{
    const struct cpp_words *words = finding->words;
    for (size_t i = 0; i < words->directives.count; i++) {
        const struct cpp_word *directive = &words->directives.items[i];
        struct slice rest;
        const bool is_include = cpp_directive_is(words, directive, "include", &rest),
                   is_define = cpp_directive_is(words, directive, "define", &rest);
        const size_t index = is_include || is_define
                                 ? push(finding, is_include ? CPP_INCLUDE : CPP_DEFINE, i, CPP_NONE)
                                 : CPP_NONE;
        if (index == CPP_NONE)
            continue;
        struct cpp_piece *piece = &finding->pieces->list.items[index];
        piece->end = i;
        piece->begin_at = directive->at;
        piece->end_at = directive->at + directive->length;
    }
}

hx_status cpp_pieces_find(const struct cpp_words *words, const hx_allocator *allocator,
                          struct cpp_pieces *ret_pieces)
{
    *ret_pieces = (struct cpp_pieces){0};
    struct finding finding = {.words = words, .allocator = allocator, .pieces = ret_pieces};
    if (words->has_digraphs)
        return HX_OK;
    find_declarations(&finding, 0, words->list.count);
    ret_pieces->directives = ret_pieces->list.count;
    find_directives(&finding);
    if (!finding.has_failed)
        return HX_OK;
    LIST_DONE(allocator, &ret_pieces->list);
    return HX_NO_MEMORY;
}

/* The last of some pieces that begins at the offset or before it; `end`: none does. */
static size_t last_begun(const struct cpp_pieces *pieces, size_t first, size_t end, size_t at)
{
    size_t low = first, high = end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pieces->list.items[middle].begin_at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? low - 1 : end;
}

size_t cpp_piece_at(const struct cpp_words *words, const struct cpp_pieces *pieces, size_t at)
{
    const size_t count = pieces->list.count;
    size_t found = last_begun(pieces, pieces->directives, count, at);
    if (found < count && at < pieces->list.items[found].end_at)
        return found;
    found = last_begun(pieces, 0, pieces->directives, at);
    if (found == pieces->directives || cpp_directive_at(words, at))
        return CPP_NONE;
    while (found != CPP_NONE && at >= pieces->list.items[found].end_at)
        found = pieces->list.items[found].parent;
    return found;
}
