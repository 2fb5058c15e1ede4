/* C++ in a file, as far as it is known without its headers: words, and the pieces that they form.
 *
 * A piece is what can be taken out of a file as a whole: a function, a declaration, a statement. Pieces that
 * lie in another one stand behind it in the list. */
#pragma once

#include "base/text.h"

enum cpp_kind { CPP_WORD, CPP_NUMBER, CPP_STRING, CPP_SIGN, CPP_DIRECTIVE };
/* A sign is one character. A directive is all of its lines. */
struct cpp_word {
    size_t at, length;
    enum cpp_kind kind;
};
/* Words of the file, in order, without those of branches of #if that do not count for brackets: the part
 * behind `#if 0`, and other branches where the first one opens or closes brackets. */
struct cpp_words {
    struct slice text;
    LIST(struct cpp_word) list;
    LIST(struct cpp_word) directives; /* all of them */
    LIST(size_t) lines;               /* where each begins */
    LIST(size_t) others;              /* where words of branches are that do not count, but may be compiled */
    bool has_digraphs;                /* brackets are not what they seem */
};
HX_MUST_CHECK hx_status cpp_words_read(struct slice text, const hx_allocator *allocator,
                                       struct cpp_words *ret_words);
void cpp_words_done(struct cpp_words *words, const hx_allocator *allocator);
struct slice cpp_word_text(const struct cpp_words *words, size_t index);
/* Is there such a word at `index`, or such a sign? Beyond the end there is none. */
bool cpp_is(const struct cpp_words *words, size_t index, const char *text);
/* One of a list that ends with NULL? A bracket that opens? */
bool cpp_is_one_of(const struct cpp_words *words, size_t index, const char *const *texts);
bool cpp_opens(const struct cpp_words *words, size_t index);
/* Behind the bracket that closes the one at `first`: `end` where none does. */
size_t cpp_behind(const struct cpp_words *words, size_t first, size_t end);
/* The line of an offset, from 1 on, and the offset of a line and column; false: there is no such place. */
size_t cpp_line_of(const struct cpp_words *words, size_t at);
bool cpp_offset_of(const struct cpp_words *words, size_t line, size_t column, size_t *ret_at);
/* The directive that has the offset; NULL. */
const struct cpp_word *cpp_directive_at(const struct cpp_words *words, size_t at);
/* Blanks `__device__` beside `__shared__`, which clang does not allow in functions, and moves an alignas
 * behind such words before them. False: no memory. */
HX_MUST_CHECK bool cpp_correct_variables(char *bytes, size_t length, const hx_allocator *allocator);
/* "#  define NAME ...": what kind of directive it is. */
bool cpp_directive_is(const struct cpp_words *words, const struct cpp_word *directive, const char *name,
                      struct slice *ret_rest);

enum cpp_piece_kind {
    CPP_INCLUDE,
    CPP_DEFINE,
    CPP_FUNCTION,    /* with its body */
    CPP_CLASS,       /* with its body and what it declares beside it */
    CPP_DECLARATION, /* another one, outside of functions */
    CPP_CONTROL,     /* if, for, while, switch, do, try with the statements that belong to it */
    CPP_STATEMENT    /* another one, in a function */
};
struct cpp_piece {
    enum cpp_piece_kind kind;
    size_t first, end; /* words; of a directive the number in the list of directives is `first` */
    size_t parent;     /* the piece that it lies in; CPP_NONE */
    size_t begin_at, end_at;
    size_t head_end; /* of functions: where the body begins; of the others `end` */
};
#define CPP_NONE SIZE_MAX
struct cpp_pieces {
    LIST(struct cpp_piece) list; /* in the order of their beginnings */
    size_t directives;           /* the number of the first directive: these are last, in their order */
};
/* None where brackets are not what they seem. */
HX_MUST_CHECK hx_status cpp_pieces_find(const struct cpp_words *words, const hx_allocator *allocator,
                                        struct cpp_pieces *ret_pieces);
/* The innermost piece that has the offset; CPP_NONE: there is none, or it is in a directive that must stay.
 */
size_t cpp_piece_at(const struct cpp_words *words, const struct cpp_pieces *pieces, size_t at);
/* Behind the `>` that belongs to the `<` at `first`; `first`: it belongs to none. */
size_t cpp_behind_angles(const struct cpp_words *words, size_t first, size_t end);

/* Calls `add` with each name that a piece declares, or may declare. False: it has no name that could be
 * found, or it must stay, such as an enumeration. *ret_are_variables: all of them are. */
typedef bool cpp_name_function(void *user, struct slice name);
bool cpp_names_of(const struct cpp_words *words, const struct cpp_piece *piece, cpp_name_function *add,
                  void *user, bool *ret_are_variables);
/* Is it sure that a statement declares nothing but what cpp_names_of finds? No word is a macro then. Names
 * that the words from `before` on have are known: "f(x);" is a call then. */
bool cpp_is_sure(const struct cpp_words *words, size_t before, size_t first, size_t end);
/* Is it sure that it declares nothing at all? */
bool cpp_is_action(const struct cpp_words *words, size_t before, size_t first, size_t end);
bool cpp_is_keyword(const struct cpp_words *words, size_t index);
