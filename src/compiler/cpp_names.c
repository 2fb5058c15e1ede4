/* Names that pieces of C++ declare.
 *
 * Where it is not sure which of some words is the name, all of them are: what is done with names that are
 * taken out of a program, nobody may use them, is right for too many, too. */
#include "compiler/cpp.h"

#include <string.h>

/* None of these is the name of something. */
static const char *const keywords[] = {"alignas",
                                       "alignof",

                                       "asm",
                                       "auto",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "char16_t",
                                       "char32_t",
                                       "class",
                                       "const",
                                       "continue",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "else",
                                       "enum",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "final",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "if",
                                       "inline",
                                       "int",
                                       "long",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",

                                       "nullptr",
                                       "operator",

                                       "override",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "requires",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "static_assert",
                                       "static_cast",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "union",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "wchar_t",
                                       "while",
                                       "__host__",
                                       "__attribute__",
                                       "__inline__",
                                       "__align__",
                                       "__restrict__",
                                       "__forceinline__",
                                       "__inline",
                                       "__noinline__",
                                       "_Pragma",
                                       "thread_local",
                                       "co_return",
                                       "co_await",
                                       "co_yield",
                                       "reinterpret_cast",
                                       "const_cast",
                                       "dynamic_cast",
                                       NULL};
/* Statements that begin so declare nothing. */
static const char *const actions[] = {"return", "goto",   "break",   "continue", "throw",     "delete",
                                      "new",    "sizeof", "this",    "co_yield", "co_return", "co_await",
                                      "case",   "else",   "_Pragma", "asm",      NULL};
/* What must stay wherever it is. */
static const char *const lasting[] = {"static_assert", "_Static_assert", "asm",    "__asm__", "namespace",
                                      "friend",        "export",         "import", NULL};

struct naming {
    const struct cpp_words *words;
    cpp_name_function *add;
    void *user;
    size_t end;
    bool has_failed, has_function, has_any;
};

static bool is(const struct naming *naming, size_t index, const char *text)
{
    return index < naming->end && cpp_is(naming->words, index, text);
}

static bool is_one_of(const struct naming *naming, size_t index, const char *const *texts)
{
    return index < naming->end && cpp_is_one_of(naming->words, index, texts);
}

static bool is_name(const struct naming *naming, size_t index)
{
    return index < naming->end && naming->words->list.items[index].kind == CPP_WORD &&
           !is_one_of(naming, index, keywords);
}

static bool opens(const struct naming *naming, size_t index)
{
    return index < naming->end && cpp_opens(naming->words, index);
}

static bool is_qualified(const struct naming *naming, size_t index)
{
    return index >= 2 && cpp_is(naming->words, index - 1, ":") && cpp_is(naming->words, index - 2, ":");
}

static void add_name(struct naming *naming, size_t index)
{
    naming->has_any = true;
    naming->has_failed |= !naming->add(naming->user, cpp_word_text(naming->words, index));
}

/* --- declarators ---------------------------------------------------------------------------------------- */

/* The name in "(*name)(int)". */
static size_t name_in_brackets(const struct naming *naming, size_t first)
{
    const size_t end = cpp_behind(naming->words, first, naming->end);
    size_t found = CPP_NONE;
    for (size_t i = first + 1; i + 1 < end; i++) {
        if (opens(naming, i))
            break;
        found = is_name(naming, i) ? i : found;
    }
    return found;
}

static bool has_at_top(const struct naming *naming, size_t first, size_t end, const char *word)
{
    for (size_t i = first; i < end; i++) {
        if (is(naming, i, word))
            return true;
        if (opens(naming, i))
            i = cpp_behind(naming->words, i, end) - 1;
    }
    return false;
}

static size_t behind_value(const struct naming *naming, size_t first)
{
    for (size_t i = first; i < naming->end; i++) {
        if (is(naming, i, ",") || is(naming, i, ";"))
            return i;
        if (opens(naming, i))
            i = cpp_behind(naming->words, i, naming->end) - 1;
        else if (is(naming, i, "<")) {
            const size_t behind = cpp_behind_angles(naming->words, i, naming->end);
            if (behind > i && !has_at_top(naming, i, behind, "=")) /* a = b < c, d = e > f */
                i = behind - 1;
        }
    }
    return naming->end;
}

/* A name is the last word before what ends a declarator's name. Those of other scopes are declared there;
 * a variable among them is no variable that could be done without. */
static void name_is(struct naming *naming, size_t index, bool is_function)
{
    if (index == CPP_NONE)
        return;
    naming->has_function |= is_function;
    if (!is_qualified(naming, index))
        add_name(naming, index);
    else if (is_function)
        naming->has_any = true;
    else
        naming->has_failed = true;
}

static void read_bindings(struct naming *naming, size_t first)
{
    for (size_t i = first, end = cpp_behind(naming->words, first, naming->end); i < end; i++)
        if (is_name(naming, i))
            add_name(naming, i);
}

static void read_declarators(struct naming *naming, size_t first)
{
    size_t last = CPP_NONE;
    for (size_t i = first; i < naming->end; i++) {
        if (is(naming, i, "<") && cpp_behind_angles(naming->words, i, naming->end) > i) {
            i = cpp_behind_angles(naming->words, i, naming->end) - 1;
        } else if (is(naming, i, ":") && is(naming, i + 1, ":")) {
            i++;
        } else if (is_name(naming, i)) {
            last = i;
        } else if (is(naming, i, "(") &&
                   (is(naming, i + 1, "*") || is(naming, i + 1, "&") || is(naming, i + 1, "^"))) {
            name_is(naming, name_in_brackets(naming, i), false);
            last = CPP_NONE;
            i = cpp_behind(naming->words, i, naming->end) - 1;
        } else if (opens(naming, i)) {
            if (is(naming, i, "[") && last == CPP_NONE)
                read_bindings(naming, i);
            /* an attribute's brackets stand behind a keyword */
            if (last + 1 == i)
                name_is(naming, last, is(naming, i, "("));
            last = last + 1 == i ? CPP_NONE : last;
            i = cpp_behind(naming->words, i, naming->end) - 1;
        } else if (is(naming, i, "=") || is(naming, i, ":")) {
            name_is(naming, last, false);
            last = CPP_NONE;
            i = behind_value(naming, i) - 1;
        } else if (is(naming, i, ",") || is(naming, i, ";")) {
            name_is(naming, last, false);
            last = CPP_NONE;
        }
    }
    name_is(naming, last, false);
}

/* --- outside of functions ------------------------------------------------------------------------------- */

/* Behind template <...>. False: it is a specialization, or what instantiates a template. */
static bool skip_templates(const struct naming *naming, size_t *at)
{
    while (is(naming, *at, "template")) {
        const size_t behind = cpp_behind_angles(naming->words, *at + 1, naming->end);
        if (behind <= *at + 3)
            return false;
        *at = behind;
    }
    return !(is(naming, *at, "extern") && is(naming, *at + 1, "template"));
}

/* Each word with parameters behind it: a macro may stand before the function. */
static bool name_function(struct naming *naming, size_t first, size_t head_end)
{
    if (has_at_top(naming, first, head_end, "operator"))
        return false;
    for (size_t i = first; i < head_end; i++) {
        if (is(naming, i, ":") && !is(naming, i + 1, ":") && !is(naming, i - 1, ":"))
            break;
        if (!opens(naming, i))
            continue;
        if (is(naming, i, "(") && i > first && is_name(naming, i - 1))
            name_is(naming, i - 1, true);
        else if (is(naming, i, "(") && i > first + 1 && is(naming, i - 1, ">"))
            return false; /* f<int>() */
        i = cpp_behind(naming->words, i, head_end) - 1;
    }
    return naming->has_any && !naming->has_failed;
}

/* Its name is the last word before its bases and its body. */
static bool name_class(struct naming *naming, size_t first)
{
    static const char *const classes[] = {"class", "struct", "union", NULL};
    size_t name = CPP_NONE, i = first;
    while (i < naming->end && !is_one_of(naming, i, classes))
        i++;
    for (i++; i < naming->end && !is(naming, i, "{") && !is(naming, i, ";") && !is(naming, i, ":"); i++) {
        if (is(naming, i, "<"))
            return false;
        if (is(naming, i, "(") || is(naming, i, "["))
            i = cpp_behind(naming->words, i, naming->end) - 1;
        else if (is_name(naming, i))
            name = i;
    }
    if (is(naming, i, ":") && is(naming, i + 1, ":"))
        return false;
    if (name != CPP_NONE)
        add_name(naming, name);
    while (i < naming->end && !is(naming, i, "{") && !is(naming, i, ";"))
        i++;
    read_declarators(naming, is(naming, i, "{") ? cpp_behind(naming->words, i, naming->end) : i);
    return naming->has_any && !naming->has_failed;
}

static bool name_using(struct naming *naming, size_t first)
{
    size_t last = CPP_NONE;
    if (is(naming, first + 1, "namespace"))
        return true;
    for (size_t i = first + 1; i < naming->end; i++) {
        if (is_name(naming, i))
            last = i;
        if ((is(naming, i, "=") || is(naming, i, ",") || is(naming, i, ";")) && last != CPP_NONE)
            add_name(naming, last);
        if (is(naming, i, "="))
            return !naming->has_failed;
    }
    return naming->has_any && !naming->has_failed;
}

static bool name_declaration(struct naming *naming, size_t first)
{
    if (is(naming, first, "namespace") && is_name(naming, first + 1) && is(naming, first + 2, "=")) {
        add_name(naming, first + 1);
        return !naming->has_failed;
    }
    if (is_one_of(naming, first, lasting) || has_at_top(naming, first, naming->end, "enum") ||
        has_at_top(naming, first, naming->end, "operator") ||
        has_at_top(naming, first, naming->end, "concept"))
        return false;
    if (is(naming, first, "using"))
        return name_using(naming, first);
    read_declarators(naming, first);
    return naming->has_any && !naming->has_failed;
}

/* --- in functions --------------------------------------------------------------------------------------- */

/* Does a statement declare variables: "TYPE NAME" with something behind it that no expression has there? */
static bool declares(const struct naming *naming, size_t first)
{
    static const char *const ends[] = {"=", ";", ",", "(", "{", "[", ":", NULL};
    bool has_type = false;
    for (size_t i = first; i < naming->end; i++) {
        if (is(naming, i, ":") && is(naming, i + 1, ":")) {
            i++;
        } else if (is(naming, i, "<")) {
            const size_t behind = cpp_behind_angles(naming->words, i, naming->end);
            if (behind == i || !has_type)
                return false;
            i = behind - 1;
        } else if (is_name(naming, i)) {
            if (has_type && !is_qualified(naming, i))
                return is_one_of(naming, i + 1, ends) || is_name(naming, i + 1);
            has_type = true;
        } else if (is_one_of(naming, i, keywords)) {
            has_type = true;
            if (is(naming, i + 1, "("))
                i = cpp_behind(naming->words, i + 1, naming->end) - 1;
        } else if (is(naming, i, "(") && has_type) {
            static const char *const marks[] = {"*", "&", "^", NULL}, *const behind[] = {"(", "[", "=", NULL};
            return is_one_of(naming, i + 1, marks) &&
                   is_one_of(naming, cpp_behind(naming->words, i, naming->end), behind);
        } else if (is(naming, i, "[")) {
            return has_type && !is(naming, i + 1, "[") && has_at_top(naming, first, i, "auto");
        } else if (!(has_type && (is(naming, i, "*") || is(naming, i, "&")))) {
            return false;
        }
    }
    return false;
}

/* Is what stands in the brackets of "f(x);" no name that "type (x);" would declare? */
static bool is_call(const struct naming *naming, size_t before, size_t first, size_t open)
{
    static const char *const ends[] = {")", "[", "(", NULL}, *const marks[] = {"*", "&", "(", NULL},
                             *const others[] = {"(", "[", "{", "=", ",", ":", NULL};
    const size_t behind = cpp_behind(naming->words, open, naming->end);
    size_t name = open + 1;
    if (behind < naming->end && !is(naming, behind, ";"))
        return naming->words->list.items[behind].kind == CPP_SIGN && !is_one_of(naming, behind, others);
    while (is_one_of(naming, name, marks))
        name++;
    if (!is_name(naming, name) || !is_one_of(naming, name + 1, ends))
        return true;
    for (size_t i = before; i < first; i++)
        if (slice_same(cpp_word_text(naming->words, i), cpp_word_text(naming->words, name)))
            return true;
    return false;
}

/* a::b<c> = ..., a::b(...), a.b ... */
static bool is_action_on(const struct naming *naming, size_t before, size_t first)
{
    size_t i = first;
    while (i < naming->end) {
        if (is(naming, i, ":") && is(naming, i + 1, ":")) {
            i += 2;
            continue;
        }
        if (!is_name(naming, i))
            return false;
        const size_t behind = is(naming, i + 1, "<") && !is(naming, i + 2, "<")
                                  ? cpp_behind_angles(naming->words, i + 1, naming->end)
                                  : i + 1;
        i = behind > i + 1 ? behind : i + 1;
        if (!is(naming, i, ":"))
            break;
    }
    if (i >= naming->end || is(naming, i, ";"))
        return true;
    if (is(naming, i, "("))
        return is_call(naming, before, first, i);
    if (is(naming, i, "*") || is(naming, i, "&"))
        return is(naming, i + 1, "=");
    return naming->words->list.items[i].kind == CPP_SIGN && !is(naming, i, "{") && !is(naming, i, ":");
}

bool cpp_is_action(const struct cpp_words *words, size_t before, size_t first, size_t end)
{
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast",
                                        "typeid",      "nullptr",          "true",       "false",
                                        NULL};
    const struct naming naming = {.words = words, .end = end};
    if (first >= end || is_one_of(&naming, first, actions) || is_one_of(&naming, first, casts))
        return true;
    if (is_one_of(&naming, first, keywords))
        return false;
    if (words->list.items[first].kind != CPP_SIGN)
        return words->list.items[first].kind != CPP_WORD || is_action_on(&naming, before, first);
    if (is(&naming, first, "["))
        return !is(&naming, first + 1, "[");
    if (is(&naming, first, ":"))
        return is_action_on(&naming, before, first);
    return !is(&naming, first, "{");
}

bool cpp_is_sure(const struct cpp_words *words, size_t before, size_t first, size_t end)
{
    const struct naming naming = {.words = words, .end = end};
    if (has_at_top(&naming, first, end, "enum") && has_at_top(&naming, first, end, "{"))
        return false;
    return cpp_is_action(words, before, first, end) || declares(&naming, first);
}

bool cpp_is_keyword(const struct cpp_words *words, size_t index)
{
    const struct naming naming = {.words = words, .end = words->list.count};
    return is_one_of(&naming, index, keywords);
}

/* Is there a brace before a value? */
static bool has_body(const struct naming *naming, size_t first)
{
    for (size_t i = first; i < naming->end && !is(naming, i, "=") && !is(naming, i, ";"); i++) {
        if (is(naming, i, "{"))
            return true;
        if (opens(naming, i))
            i = cpp_behind(naming->words, i, naming->end) - 1;
    }
    return false;
}

static bool name_statement(struct naming *naming, size_t first, bool *ret_are_variables)
{
    static const char *const types[] = {"using", "typedef", "struct", "class", "union", "enum", NULL};
    *ret_are_variables = true;
    if (is_one_of(naming, first, actions))
        return true;
    if (is_one_of(naming, first, types) && !is(naming, first, "using") && !is(naming, first, "typedef") &&
        has_body(naming, first)) {
        *ret_are_variables = false;
        return !is(naming, first, "enum") && name_class(naming, first);
    }
    if (is(naming, first, "using") || is(naming, first, "typedef") || is_one_of(naming, first, lasting)) {
        *ret_are_variables = false;
        return name_declaration(naming, first);
    }
    if (declares(naming, first))
        read_declarators(naming, first);
    return !naming->has_failed;
}

bool cpp_names_of(const struct cpp_words *words, const struct cpp_piece *piece, cpp_name_function *add,
                  void *user, bool *ret_are_variables)
{
    struct naming naming = {.words = words, .add = add, .user = user, .end = piece->end};
    size_t first = piece->first;
    *ret_are_variables = false;
    if (piece->kind == CPP_STATEMENT)
        return name_statement(&naming, first, ret_are_variables);
    if (piece->kind == CPP_CONTROL)
        return true;
    if (piece->kind == CPP_INCLUDE || piece->kind == CPP_DEFINE || !skip_templates(&naming, &first))
        return false;
    if (piece->kind == CPP_FUNCTION)
        return name_function(&naming, first, piece->head_end);
    if (piece->kind == CPP_CLASS)
        return name_class(&naming, first);
    const bool is_right = name_declaration(&naming, first);
    *ret_are_variables = is_right && !naming.has_function && naming.has_any && !is(&naming, first, "using") &&
                         !is(&naming, first, "typedef") && !is(&naming, first, "namespace") &&
                         !is(&naming, first, "class") && !is(&naming, first, "struct") &&
                         !is(&naming, first, "union") && first == piece->first;
    return is_right;
}
