/* What the source says of returns: CUDA C at the places that compiled code has. */
#pragma once

#include "base/memory.h"
#include "base/text.h"
#include "program/program.h"

struct source_macro {
    struct slice name, text; /* text: what follows the name in its definition */
};
/* Those that a file defines. */
struct source_macros {
    LIST(struct source_macro) items;
};
/* Names and texts are the source's, which may be NULL. False: no memory. The caller frees the list in any
 * case. */
bool return_source_macros(const hx_allocator *allocator, const struct source *source,
                          struct source_macros *ret_macros);

enum source_word {
    WORD_UNKNOWN, /* the source is not there */
    WORD_RETURN,
    WORD_MACRO,
    WORD_LEAVES, /* goto, break, or what looks like a call */
    WORD_OTHER
};
/* The word at an instruction's place. */
enum source_word return_source_word(const struct kernel *code, const struct source_macros *macros,
                                    uint32_t at);
/* Is there a macro whose definition in this file has the word `return`? */
bool return_source_macro_returns(const struct kernel *code, const struct source_macros *macros, uint32_t at);
/* Does the code end with a brace of the source? */
bool return_source_has_brace(const struct kernel *code, uint32_t end);
/* Is the instruction one of the kernel's own lines, and not of a function whose code is in it? */
bool return_source_is_own(const struct kernel *code, uint32_t end, uint32_t at);
/* Have the kernel's own lines the word `return`? */
bool return_source_has_return(const struct kernel *code, uint32_t end);

enum source_arm {
    ARM_UNKNOWN,
    ARM_RETURNS, /* the arm of its `if` without the barrier ends in a return */
    ARM_PASSES   /* its statement has the barrier, and those that do not do it go on behind the statement */
};
/* What the statement of a branch says of the way that does not lead to the barrier. */
enum source_arm return_source_arm(const struct kernel *code, const struct source_macros *macros,
                                  uint32_t branch, uint32_t barrier);
