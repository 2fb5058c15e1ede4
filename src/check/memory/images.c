/* Handles that functions of images, textures and surfaces are given and that are none.
 *
 * Takes notes, leaves findings. A handle is the address of a descriptor (program/image.h), which the maker of
 * the image has put into a buffer. So an address is one if a descriptor is there, as far as its numbers can
 * tell. Where none is, the function goes on with whatever lies there: accesses of its line that are wrong
 * then follow from the handle and are not reported. */
#include "check/memory/images.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/image.h"
#include "program/program.h"

#include <inttypes.h>
#include <string.h>

/* As OpenCL numbers types of channels: CL_SNORM_INT8 to CL_UNORM_INT_101010_2. */
#define TYPE_FIRST    0x10d0u
#define TYPE_LAST     0x10e0u
#define CHANNELS_MOST 4u

struct given {
    bool is_known;
    uint64_t value;
};
struct image_worker {
    uint64_t good;      /* the last handle that was one; 0: none was */
    LIST(uint32_t) bad; /* instructions whose note had a wrong one */
};
struct images {
    hx_checks *checks;
    uint32_t worker_count;
    struct image_worker *workers;
    struct given *arguments; /* of each formal parameter of the kernel */
    bool are_arguments;      /* OpenCL C: images are nothing else; other handles may lie in memory */
};

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* What the program has for a parameter: a number, or where a buffer begins, and so many bytes behind that. */
static uint64_t value_of_param(const hx_checks *checks, const struct program_param *param)
{
    const hx_program *const program = check_program_now(checks);
    const struct check_buffer *buffer;
    if (param->target.kind != TARGET_BUFFER)
        return param->bits;
    for (size_t i = 0; (buffer = check_buffer_at(checks, i)); i++)
        if (strcmp(buffer->name, program->buffers.items[param->target.index].name) == 0)
            return param->bits + buffer->low;
    return param->bits;
}

/* Those that may be a handle. */
static void take_arguments(struct images *images, const hx_launch_options *options)
{
    const struct kernel *const code = check_kernel_now(images->checks);
    const hx_program *const program = check_program_now(images->checks);
    images->are_arguments = program->language == LANGUAGE_OPENCL;
    for (size_t i = 0; i < code->formal_count; i++) {
        const struct kernel_param *const formal = &code->formals[i];
        struct given *const to = &images->arguments[i];
        to->is_known = !formal->is_constant && program_formal_bytes(program, formal) == sizeof to->value;
        if (!to->is_known)
            continue;
        if (!options->arguments)
            to->value = value_of_param(images->checks, &program->params[formal->index]);
        else if (options->arguments[i].value && options->arguments[i].bytes <= sizeof to->value)
            memcpy(&to->value, options->arguments[i].value, options->arguments[i].bytes);
    }
}

hx_status images_new(hx_checks *checks, const hx_launch_begin *event, struct images **ret_images)
{
    const struct kernel *const code = check_kernel_now(checks);
    const hx_allocator *const allocator = check_allocator(checks);
    *ret_images = NULL;
    if (!note_is_in(code, NOTE_IMAGE))
        return HX_OK;
    struct images *const images = memory_allocate(allocator, 1, sizeof *images);
    if (!images)
        return HX_NO_MEMORY;
    *ret_images = images;
    images->checks = checks;
    images->workers = memory_allocate(allocator, event->workers, sizeof *images->workers);
    images->arguments = memory_allocate(allocator, code->formal_count + 1, sizeof *images->arguments);
    if (!images->workers || !images->arguments)
        return HX_NO_MEMORY;
    images->worker_count = event->workers;
    take_arguments(images, event->options);
    return HX_OK;
}

void images_free(hx_checks *checks, struct images *images)
{
    if (!images)
        return;
    for (uint32_t i = 0; i < images->worker_count; i++)
        LIST_DONE(check_allocator(checks), &images->workers[i].bad);
    memory_free(check_allocator(checks), images->workers);
    memory_free(check_allocator(checks), images->arguments);
    memory_free(check_allocator(checks), images);
}

/* ---- Handles ------------------------------------------------------------------------------------------- */

enum handle { HANDLE_IMAGE, HANDLE_NULL, HANDLE_FREED, HANDLE_EMPTY, HANDLE_BUFFER, HANDLE_NUMBER };

static bool is_image(const struct image_descriptor *at)
{
    return at->width > 0 && at->height > 0 && at->depth > 0 && at->channels > 0 &&
           at->channels <= CHANNELS_MOST && at->type >= TYPE_FIRST && at->type <= TYPE_LAST &&
           at->texel_bytes >= at->channels && at->row_bytes / at->texel_bytes >= at->width;
}

/* *ret_buffer: that it leads to, of the last three kinds but one. */
static enum handle look_at(const hx_checks *checks, uint64_t handle, const struct check_buffer **ret_buffer)
{
    static const struct image_descriptor empty;
    struct image_descriptor at;
    const struct check_buffer *const buffer = check_find_buffer(checks, handle);
    const uint64_t offset = buffer ? handle - buffer->low : 0;
    *ret_buffer = NULL;
    if (handle == 0)
        return HANDLE_NULL;
    if (!buffer || offset >= buffer->size)
        return HANDLE_NUMBER;
    *ret_buffer = buffer;
    if (buffer->is_freed)
        return HANDLE_FREED;
    if (!buffer->data || buffer->size - offset < sizeof at)
        return HANDLE_BUFFER;
    memcpy(&at, (const char *)buffer->data + offset, sizeof at);
    if (is_image(&at) && at.data != 0)
        return HANDLE_IMAGE;
    /* a variable of the module, with the room of one descriptor */
    const bool is_variable = offset == 0 && buffer->size == sizeof at;
    return is_variable && memcmp(&at, &empty, sizeof at) == 0 ? HANDLE_EMPTY : HANDLE_BUFFER;
}

/* ---- Findings ------------------------------------------------------------------------------------------ */

struct image_words {
    const struct images *images;
    enum handle kind;
    uint64_t handle;
    const struct check_buffer *buffer;
};

/* "argument 0", if that alone has this value. Many an argument is 0 that is no handle. */
static void print_which(struct text *text, const struct image_words *words)
{
    const struct images *const images = words->images;
    const size_t count = check_kernel_now(images->checks)->formal_count;
    size_t found = 0, which = 0;
    for (size_t i = 0; i < count; i++)
        if (images->arguments[i].is_known && images->arguments[i].value == words->handle) {
            found++;
            which = i;
        }
    if (found == 1 && (words->handle != 0 || images->are_arguments))
        text_print(text, "argument %zu", which);
    else
        text_print(text, "the handle");
}

static void describe(void *user, const struct check_finding *finding, struct check_words *to)
{
    const struct image_words *const words = user;
    (void)finding;
    print_which(&to->message, words);
    text_print(&to->message, " is no image, texture or surface, but ");
    switch (words->kind) {
    case HANDLE_NULL:
        text_print(&to->message, "a null pointer");
        break;
    case HANDLE_FREED:
        text_print(&to->message, "one that was destroyed, or memory that was freed, behind launch %" PRIu64,
                   words->buffer->freed_behind);
        break;
    case HANDLE_NUMBER:
        text_print(&to->message, "the number 0x%" PRIx64, words->handle);
        break;
    default:
        text_print(&to->message, words->handle == words->buffer->low ? "the address of " : "an address in ");
        check_print_buffer(&to->message, words->buffer->name);
        text_print(&to->message, "%s", words->kind == HANDLE_EMPTY ? ", which nothing is bound to" : "");
        text_put(to->name, sizeof to->name, words->buffer->name);
        to->object.low = words->buffer->low;
        to->object.size = words->buffer->size;
        to->object.offset = (int64_t)(words->handle - words->buffer->low);
        break;
    }
    text_print(&to->hint, "%s",
               words->kind == HANDLE_EMPTY
                   ? "bind a texture or surface to it before the launch (cuTexRefSetArray), or give the "
                     "kernel a handle"
                   : "give the kernel an image (--arg image:f32:64x64), what clCreateImage made, or a handle "
                     "of cudaCreateTextureObject or cudaCreateSurfaceObject that is not destroyed yet");
}

static bool found(struct images *images, const hx_lanes_event *event, uint64_t lanes, uint64_t handle,
                  enum handle kind, const struct check_buffer *buffer)
{
    struct image_worker *const worker = &images->workers[event->at.worker];
    const unsigned lane = (unsigned)__builtin_ctzll(lanes);
    struct image_words words = {images, kind, handle, buffer};
    const struct check_finding finding = {.kind = CHECK_MEMORY_NO_IMAGE,
                                          .sites = {{.launch = check_launch_now(images->checks),
                                                     .instruction = event->at.instruction,
                                                     .thread = event->at.first_thread + lane,
                                                     .block = event->at.block,
                                                     .role = "image"}},
                                          .site_count = 1,
                                          .subject = buffer ? check_subject(buffer->name) : 0,
                                          .count = (uint64_t)__builtin_popcountll(lanes),
                                          .describe = describe,
                                          .user = &words,
                                          .space = SPACE_GLOBAL,
                                          .address = handle};
    check_found(images->checks, &finding);
    for (size_t i = 0; i < worker->bad.count; i++)
        if (worker->bad.items[i] == event->at.instruction)
            return true;
    return LIST_PUSH(check_allocator(images->checks), &worker->bad, event->at.instruction);
}

static uint64_t handle_of(const hx_lanes_event *event, unsigned lane)
{
    const uint64_t high = event->also_noted ? event->also_noted[lane] : 0;
    return event->noted[lane] | high << 32;
}

bool images_note(struct images *images, const hx_lanes_event *event)
{
    bool is_kept = true;
    if (!images || event->value != NOTE_IMAGE || !event->noted)
        return true;
    struct image_worker *const worker = &images->workers[event->at.worker];
    for (uint64_t left = event->lanes; left && is_kept;) {
        const uint64_t handle = handle_of(event, (unsigned)__builtin_ctzll(left));
        const struct check_buffer *buffer;
        uint64_t same = 0;
        for (uint64_t others = left; others; others &= others - 1)
            if (handle_of(event, (unsigned)__builtin_ctzll(others)) == handle)
                same |= others & -others;
        left &= ~same;
        if (handle == worker->good && handle != 0)
            continue;
        const enum handle kind = look_at(images->checks, handle, &buffer);
        if (kind == HANDLE_IMAGE)
            worker->good = handle;
        else
            is_kept = found(images, event, same, handle, kind, buffer);
    }
    return is_kept;
}

bool images_explain(const struct images *images, uint32_t worker, uint32_t instruction)
{
    const struct check_line *const lines = check_launch_now(images->checks)->code->lines;
    const struct image_worker *const at = &images->workers[worker];
    for (size_t i = 0; i < at->bad.count; i++) {
        const struct check_line *const noted = &lines[at->bad.items[i]], *const line = &lines[instruction];
        if (noted->line == line->line && noted->column == line->column && noted->file && line->file &&
            strcmp(noted->file, line->file) == 0)
            return true;
    }
    return false;
}
