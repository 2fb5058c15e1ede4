/* Files of a program whose host code is taken out: what host_code.c decides, and host_text.c writes. */
#pragma once

#include "compiler/cpp.h"
#include "compiler/parts.h"

/* How much of a piece is there. Of some, a part can be replaced first, such as the value of a variable. */
enum host_level { HOST_WHOLE, HOST_PART, HOST_OUT };
/* A name before parameters, in a declaration that says it is the device's. */
struct host_function {
    struct slice name;
    bool is_kernel;
};
struct host_file {
    const char *name; /* as messages show it */
    const char *path; /* from the root; NULL: the program itself */
    struct cpp_words words;
    struct cpp_pieces pieces;
    unsigned char *levels; /* of each piece, as the others */
    unsigned *rounds;      /* when the level was changed */
    struct text made;
    LIST(struct host_function) device_functions; /* that are declared so; where that is known already */
    bool knows_device_functions;
    bool extends_std; /* it has declarations in the namespace of C++'s own headers */
};
/* For cpp_names_of: adds 1 to the size_t at `user`. */
bool host_count_name(void *user, struct slice name);
/* Words of a piece that a part's replacement is for, and the replacement; false: there is none. A launch of
 * `kernel<int>` becomes a mention of it, which makes the kernel, too. */
bool host_part_of(const struct host_file *file, size_t piece, size_t *ret_first, size_t *ret_end,
                  struct text *ret_replacement);
/* Writes file->made: the text without what is out, each line and column of the rest where it was. */
HX_MUST_CHECK hx_status host_file_write(struct host_file *file, const hx_allocator *allocator);
/* Is the piece in one that is out? That one; CPP_NONE. */
size_t host_outermost_out(const struct host_file *file, size_t piece);
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
/* Has the text of a macro the word, which is none of its parameters? `std_is_whole`: no name of std is out.
 */
bool host_macro_mentions(const struct host_macro *macro, struct slice word, bool std_is_whole);
/* How many definitions has a name? */
size_t host_count_macros(const struct host_macros *macros, struct slice name);
bool host_is_macro(const struct host_macros *macros, struct slice word);
/* May a name that the words of `piece` declare be meant by those from its end to `end`? */
hx_status host_names_are_used(const struct host_macros *macros, const struct cpp_words *words,
                              const struct cpp_piece *piece, size_t end, const hx_allocator *allocator,
                              bool *ret_are_used);

/* --- what is left out of one program -------------------------------------------------------------------- */

#define HOST_FILES_MAX 64
struct leaving_out {
    struct compiling *compiling;
    LIST(struct host_file) files;         /* the program itself is the first */
    LIST(struct compiler_part) libraries; /* headers that are not there */
    struct host_macros macros;
    unsigned round;
    bool knows_macros, has_failed;
    bool is_refused;       /* something would be missing that must not be */
    struct text remaining; /* errors that nothing can be left out for, as clang said them in the last round */
};
HX_MUST_CHECK hx_status host_add_file(struct leaving_out *leaving_out, const char *name, const char *path,
                                      struct slice text);
/* By the name that messages have; *ret_file is NULL for one that is not the program's. */
HX_MUST_CHECK hx_status host_find_file(struct leaving_out *leaving_out, struct slice name,
                                       struct host_file **ret_file);
/* Do files declare a function of the name for the device? */
bool host_is_declared_for_device(struct leaving_out *leaving_out, struct slice name);
/* A line of each launch that is out: "NAME FILE:LINE:COLUMN". */
void host_print_launches(struct leaving_out *leaving_out, struct text *lines);
/* One step further out for the piece, or what it lies in. False: it must stay. */
bool host_escalate(struct leaving_out *leaving_out, struct host_file *file, size_t piece);
/* The same for directives: a macro that mentions a name which is gone, or has it, and an #include of what is
 * not there. */
bool host_leave_out_define(struct leaving_out *leaving_out, struct host_file *file, size_t piece);
bool host_leave_out_include(struct leaving_out *leaving_out, struct host_file *file, size_t piece,
                            struct slice name);
/* The message as clang wrote it. */
struct slice host_line_of(const struct compiler_message *message);
/* "lines 3, 10-12 of a.cu; mpi.h is not there", or the latter alone; nothing is written where nothing is out.
 */
void host_print_note(struct leaving_out *leaving_out, bool with_lines, struct text *note);
/* Of the errors that remain those that clang has `said` already when all of the program but headers was
 * there; others follow from what was left out. False: there are none, and they are all that was said. */
bool host_print_errors(struct leaving_out *leaving_out, struct slice said, struct text *errors);
