/* Files of a program whose host code is taken out: what host_code.c decides, and host_text.c writes. */
#pragma once

#include "compiler/cpp.h"
#include "compiler/parts.h"

/* How much of a piece is there. Of some, a part can be replaced first, such as the value of a variable. */
enum host_level { HOST_WHOLE, HOST_PART, HOST_OUT };
struct host_file {
    const char *name; /* as messages show it */
    const char *path; /* from the root; NULL: the program itself */
    struct cpp_words words;
    struct cpp_pieces pieces;
    unsigned char *levels; /* of each piece, as the others */
    unsigned *rounds;      /* when the level was changed */
    struct text made;
};
/* Words of a piece that a part's replacement is for, and the replacement; false: there is none. A launch of
 * `kernel<int>` becomes a mention of it, which makes the kernel, too. */
bool host_part_of(const struct host_file *file, size_t piece, size_t *ret_first, size_t *ret_end,
                  struct text *ret_replacement);
/* Writes file->made: the text without what is out, each line and column of the rest where it was. */
HX_MUST_CHECK hx_status host_file_write(struct host_file *file, const hx_allocator *allocator);
/* Is the piece in one that is out? That one; CPP_NONE. */
size_t host_outermost_out(const struct host_file *file, size_t piece);
/* "3, 10-12": the lines that are out; false: none is, or memory has run out, as the text knows. */
bool host_print_lines(const struct host_file *file, struct arena *arena, struct text *note);

/* One definition of a macro. */
struct host_macro {
    struct slice name;
    struct cpp_words words; /* parameters in brackets, and the text */
    size_t body;            /* where the text begins */
    bool is_device;         /* it stands for words of device code */
    bool declares;          /* it may declare something */
    bool is_type;           /* what it declares, what stands behind it has the name of */
};
struct host_macros {
    LIST(struct host_macro) list; /* in the order of their names */
    bool has_failed;
};
HX_MUST_CHECK hx_status host_find_macros(struct compiling *compiling, struct host_macros *macros);
void host_macros_done(struct host_macros *macros, const hx_allocator *allocator);
/* Does some word of the range say that this is code of the device? */
bool host_is_device(const struct host_macros *macros, const struct cpp_words *words, size_t first,
                    size_t end);
/* Or is it constexpr, which device code may use, too? */
bool host_is_fixed(const struct cpp_words *words, size_t first, size_t end);
bool host_has_word(const struct cpp_words *words, size_t first, size_t end, const char *const *list);
bool host_has_inner_device(const struct host_macros *macros, const struct cpp_words *words,
                           const struct cpp_piece *function);
/* Does a macro hide what a piece declares? */
bool host_hides_names(const struct host_macros *macros, const struct cpp_words *words, size_t first,
                      size_t end);
/* Has the text of a macro the word, which is none of its parameters? */
bool host_macro_mentions(const struct host_macro *macro, struct slice word);
/* Do files declare a function of the name for the device? */
bool host_is_declared_for_device(const struct host_macros *macros, const struct host_file *files,
                                 size_t count, struct slice name);
/* A line of each launch that is out: "NAME FILE:LINE:COLUMN". */
void host_print_launches(const struct host_macros *macros, const struct host_file *files, size_t count,
                         struct text *lines);
bool host_is_macro(const struct host_macros *macros, struct slice word);
/* May a name that the words of `piece` declare be meant by those from its end to `end`? */
hx_status host_names_are_used(const struct host_macros *macros, const struct cpp_words *words,
                              const struct cpp_piece *piece, size_t end, const hx_allocator *allocator,
                              bool *ret_are_used);
