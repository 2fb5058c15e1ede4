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

struct host_macros {
    LIST(struct slice) device; /* that stand for words of device code */
    LIST(struct slice)
    declaring; /* with parameters, that may declare something; or without, and nothing else */
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
/* Does a macro hide what a piece declares? NAME(...), or nothing but NAME. */
bool host_hides_names(const struct host_macros *macros, const struct cpp_words *words, size_t first,
                      size_t end);
