/* A profile as a tree of frames: program > kernel > functions as they call each other > line > opcode. What
 * folded stacks, speedscope and the SVG flame graph draw. */
#pragma once

#include "profile/stacks.h"

enum frame_kind { FRAME_PROGRAM, FRAME_KERNEL, FRAME_FUNCTION, FRAME_LINE, FRAME_OPCODE };
struct frame {
    enum frame_kind kind;
    const char *name; /* of a line its text: the program writes "12: add.u32 r0, r0, 1" */
    const char *file, *class_name;
    uint32_t line, parent; /* parent: before this one; STACK_NONE: the program */
    uint32_t depth;        /* frames above it */
    struct figures self, total;
};
struct flame {
    struct arena arena;
    struct frame *frames; /* parents before their children, children in order */
    uint32_t count;
    uint32_t *path; /* room for the frames of one path */
};
/* Makes the tree; borrows stacks and name. Frames without cost are left out. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status flame_make(const struct stacks *stacks, const char *program,
                                   const hx_allocator *allocator, hx_diag *diag, struct flame *ret_flame);
void flame_done(struct flame *flame);
/* The frames from the program to `frame`, it included: depth + 1 of them. Borrowed until the next call. */
const uint32_t *flame_path(const struct flame *flame, uint32_t frame);
/* Appends a frame's name as people read it: "matmul", "12: add.u32 r0, r0, 1", "add.u32". */
void flame_print_name(const struct frame *frame, struct text *text);
