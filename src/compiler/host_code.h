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
