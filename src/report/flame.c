/* The tree of frames.
 *
 * Takes stacks, leaves frames, parents first. Ways that differ only in which line of a function called are
 * one frame here: a reader asks which function called which. Every function's frame is followed by those of
 * its lines and opcodes, in the order of stack_function, so that a further way to the same frame finds them
 * by counting along. */
#include "report/flame.h"

#include <string.h>

struct tree {
    const struct stacks *stacks;
    const hx_allocator *allocator;
    LIST(struct frame) frames;
    uint32_t *frame_of; /* for each context of the kernel */
};

static bool push(struct tree *tree, const struct frame *frame)
{
    return tree->frames.count < STACK_NONE && LIST_PUSH(tree->allocator, &tree->frames, *frame);
}

static bool same_line(const struct stack_instruction *a, const struct stack_instruction *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Frames for the lines of a function and their opcodes, behind the function's own. */
static bool push_lines(struct tree *tree, const struct stack_kernel *kernel,
                       const struct stack_function *function)
{
    const uint32_t parent = (uint32_t)tree->frames.count - 1;
    uint32_t line = STACK_NONE;
    const struct stack_instruction *last = NULL;
    for (uint32_t i = 0; i < function->count; i++) {
        const struct stack_instruction *one = &kernel->instructions[kernel->order[function->first + i]];
        const bool is_new = !last || !same_line(last, one);
        if (is_new) {
            line = (uint32_t)tree->frames.count;
            if (!push(tree, &(struct frame){.kind = FRAME_LINE,
                                            .name = one->text,
                                            .file = one->file,
                                            .class_name = one->class_name,
                                            .line = one->line,
                                            .parent = parent}))
                return false;
        }
        if ((is_new || strcmp(last->form, one->form) != 0) &&
            !push(tree, &(struct frame){.kind = FRAME_OPCODE,
                                        .name = one->form,
                                        .file = one->file,
                                        .class_name = one->class_name,
                                        .line = one->line,
                                        .parent = line}))
            return false;
        last = one;
    }
    return true;
}

/* Adds what a way to the function cost, to the opcodes that push_lines made behind `frame`. */
static void add_costs(struct tree *tree, const struct stack_kernel *kernel,
                      const struct stack_context *context, uint32_t frame)
{
    const struct stack_function *function = &kernel->functions[context->function];
    const struct stack_instruction *last = NULL;
    for (uint32_t i = 0; i < function->count; i++) {
        const struct stack_instruction *one = &kernel->instructions[kernel->order[function->first + i]];
        if (!last || !same_line(last, one))
            frame += 2;
        else if (strcmp(last->form, one->form) != 0)
            frame++;
        const struct figures share = stacks_share(context, &one->figures);
        figures_add(&tree->frames.items[frame].self, &share);
        last = one;
    }
}

/* The frame of a function under `parent`, if a way before this one made it. */
static uint32_t find_function(const struct tree *tree, const struct stack_kernel *kernel, uint32_t contexts,
                              uint32_t parent, uint32_t function)
{
    for (uint32_t c = 0; c < contexts; c++)
        if (kernel->contexts[c].function == function &&
            tree->frames.items[tree->frame_of[c]].parent == parent)
            return tree->frame_of[c];
    return STACK_NONE;
}

static bool add_context(struct tree *tree, const struct stack_kernel *kernel, uint32_t kernel_frame,
                        uint32_t index)
{
    const struct stack_context *context = &kernel->contexts[index];
    const struct stack_function *function = &kernel->functions[context->function];
    uint32_t frame = kernel_frame;
    if (index > 0) {
        const uint32_t parent =
            context->parent == STACK_NONE ? kernel_frame : tree->frame_of[context->parent];
        frame = find_function(tree, kernel, index, parent, context->function);
        if (frame == STACK_NONE) {
            frame = (uint32_t)tree->frames.count;
            if (!push(tree, &(struct frame){.kind = FRAME_FUNCTION,
                                            .name = function->name,
                                            .file = kernel->about->file,
                                            .line = function->line,
                                            .parent = parent}) ||
                !push_lines(tree, kernel, function))
                return false;
        }
    }
    tree->frame_of[index] = frame;
    add_costs(tree, kernel, context, frame);
    return true;
}

static bool add_kernel(struct tree *tree, const struct stack_kernel *kernel)
{
    const uint32_t frame = (uint32_t)tree->frames.count;
    if (kernel->function_count == 0)
        return true;
    if (!push(tree, &(struct frame){.kind = FRAME_KERNEL,
                                    .name = kernel->about->name,
                                    .file = kernel->about->file,
                                    .line = kernel->about->line}) ||
        !push_lines(tree, kernel, &kernel->functions[0]))
        return false;
    tree->frame_of = memory_allocate(tree->allocator, kernel->context_count, sizeof *tree->frame_of);
    bool fine = tree->frame_of != NULL;
    for (uint32_t c = 0; fine && c < kernel->context_count; c++)
        fine = add_context(tree, kernel, frame, c);
    memory_free(tree->allocator, tree->frame_of);
    return fine;
}

/* Sums up, then closes the gaps of what cost nothing: of such a frame all below it cost nothing either. */
static void finish(struct frame *frames, uint32_t *count, uint32_t *renumbered)
{
    for (uint32_t i = *count; i-- > 0;) {
        figures_add(&frames[i].total, &frames[i].self);
        if (i > 0)
            figures_add(&frames[frames[i].parent].total, &frames[i].total);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (i > 0 && figures_are_zero(&frames[i].total))
            continue;
        renumbered[i] = kept;
        frames[kept] = frames[i];
        if (i > 0) {
            frames[kept].parent = renumbered[frames[i].parent];
            frames[kept].depth = frames[frames[kept].parent].depth + 1;
        }
        kept++;
    }
    *count = kept;
}

hx_status flame_make(const struct stacks *stacks, const char *program, const hx_allocator *allocator,
                     hx_diag *diag, struct flame *ret_flame)
{
    struct tree tree = {.stacks = stacks, .allocator = allocator};
    struct flame flame = {.count = 0};
    arena_init(&flame.arena, allocator);
    bool fine = push(
        &tree, &(struct frame){.kind = FRAME_PROGRAM, .name = program, .file = "", .parent = STACK_NONE});
    for (size_t i = 0; fine && i < stacks->kernel_count; i++)
        fine = add_kernel(&tree, &stacks->kernels[i]);
    if (fine) {
        const size_t count = tree.frames.count;
        flame.frames = ARENA_ARRAY(&flame.arena, struct frame, count);
        flame.path = ARENA_ARRAY(&flame.arena, uint32_t, count);
        uint32_t *renumbered = ARENA_ARRAY(&flame.arena, uint32_t, count);
        fine = flame.frames && flame.path && renumbered;
        if (fine) {
            memcpy(flame.frames, tree.frames.items, count * sizeof *flame.frames);
            flame.count = (uint32_t)count;
            finish(flame.frames, &flame.count, renumbered);
        }
    }
    LIST_DONE(allocator, &tree.frames);
    if (!fine) {
        arena_done(&flame.arena);
        return diag_no_memory(diag);
    }
    *ret_flame = flame;
    return HX_OK;
}

void flame_done(struct flame *flame)
{
    arena_done(&flame->arena);
}

const uint32_t *flame_path(const struct flame *flame, uint32_t frame)
{
    for (uint32_t i = flame->frames[frame].depth + 1; i-- > 0; frame = flame->frames[frame].parent)
        flame->path[i] = frame;
    return flame->path;
}

void flame_print_name(const struct frame *frame, struct text *text)
{
    if (frame->kind == FRAME_LINE)
        text_print(text, "%u: ", frame->line);
    const char *at = frame->name;
    while (*at) { /* columns of a listing are no use in one line: one blank for several */
        const size_t length = strcspn(at, " "), blanks = strspn(at + length, " ");
        text_append(text, at, length + (blanks > 0));
        at += length + blanks;
    }
}
