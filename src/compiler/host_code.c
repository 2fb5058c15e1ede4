/* Host code that does not compile, taken out of a program in CUDA C.
 *
 * Takes what clang says of the program, leaves texts that compile, in which all that kernels may run is as it
 * was. In each round clang says where errors are; the pieces of host code that these lie in (cpp_pieces.c)
 * are taken out, a part of one first, then the whole, then what it lies in (host_pieces.c). Errors in other
 * code must go away by that, as those that follow from others do; otherwise the program is wrong, and of what
 * clang says that stands which no host code is the reason of (host_notes.c). Nothing depends on a guess of
 * what is host code: what stands for a piece cannot be called by a thread, and its names cannot be used
 * (host_text.c). */
#include "compiler/host_code.h"
#include "base/machine.h"

#include <string.h>

#define ROUNDS_MAX 40
#define ROUNDS_NS  (120 * 1000000000ull) /* all of them together */

static hx_status run_clang(struct compiling *compiling, const char *const *last,
                           struct process_result *ret_result)
{
    const size_t before =
        compiling->is_precompiled ? compiling->prelude_bytes + compiling->functions_bytes : 0;
    const struct slice input = {compiling->input.at + before, compiling->input.length - before};
    return compiling->is_precompiled ? compiler_run_precompiled(compiling, input, last, ret_result)
                                     : compiler_run_clang(compiling, input, last, ret_result);
}

/* All files are read then. */
static hx_status find_macros(struct leaving_out *leaving_out)
{
    leaving_out->knows_macros = true;
    return host_find_macros(leaving_out->compiling, &leaving_out->macros);
}

/* --- errors --------------------------------------------------------------------------------------------- */

static bool has(struct slice text, const char *part)
{
    return memmem(text.at, text.length, part, strlen(part)) != NULL;
}

/* False: the error is not one of host code. */
static bool take_error(struct leaving_out *leaving_out, struct host_file *file,
                       const struct compiler_message *message)
{
    size_t at, piece;
    struct slice before, name, text = message->text;
    if (!cpp_offset_of(&file->words, (size_t)message->line, (size_t)message->column, &at))
        return false;
    piece = cpp_piece_at(&file->words, &file->pieces, at);
    if (piece == CPP_NONE)
        return false;
    switch (file->pieces.list.items[piece].kind) {
    case CPP_INCLUDE:
        return has(text, "file not found") && compiler_take_to(&text, "'", &before) &&
               compiler_take_to(&text, "'", &name) && host_leave_out_include(leaving_out, file, piece, name);
    case CPP_DEFINE:
        return has(text, "poisoned") && host_leave_out_define(leaving_out, file, piece);
    default:
        return host_escalate(leaving_out, file, piece);
    }
}

/* What macros there are is known when all files are. */
static bool lacks_a_file(struct slice said)
{
    struct compiler_message message;
    while (compiler_message_take(&said, &message))
        if (message.is_error && has(message.text, "file not found"))
            return true;
    return false;
}

/* Errors of one round. */
struct taking {
    size_t count;
    bool first_stays; /* nothing was taken out for the first error, which follows from no other */
    bool lacks_a_file;
};

/* False: the message stays. One of a file of the system is about the code that made it compile a template,
 * which notes name: *is_waiting. */
static bool take_message(struct leaving_out *leaving_out, const struct taking *taking,
                         const struct compiler_message *message, bool *is_waiting)
{
    struct host_file *file = NULL;
    /* a thread would reach what was left out */
    leaving_out->is_refused |= has(message->text, "'__hexec_") && has(message->text, "__host__ function");
    if (message->line > 0 && host_find_file(leaving_out, message->file, &file) != HX_OK) {
        leaving_out->has_failed = true;
        return false;
    }
    *is_waiting = message->line > 0 && !file;
    return file && (!taking->lacks_a_file || has(message->text, "file not found")) &&
           take_error(leaving_out, file, message);
}

/* Takes out what the errors are about, and keeps those that it cannot do this for. */
static hx_status take_errors(struct leaving_out *leaving_out, struct slice said, struct taking *taking)
{
    struct text *remaining = &leaving_out->remaining;
    struct compiler_message message;
    bool is_waiting = false, stays = false;
    size_t begin = remaining->length = 0;
    taking->count = 0;
    while (!leaving_out->has_failed && compiler_message_take(&said, &message)) {
        is_waiting &= message.is_note;
        stays &= message.is_note;
        taking->count += message.is_error;
        if (message.is_error) {
            begin = remaining->length;
            stays = true;
        }
        const bool may_take = message.is_error || (is_waiting && has(message.text, "requested here"));
        if (may_take && take_message(leaving_out, taking, &message, &is_waiting)) {
            remaining->length = begin;
            stays = false;
        } else if (stays) {
            text_print(remaining, SLICE_FORMAT "\n", SLICE_ARGS(host_line_of(&message)));
        }
        if (taking->count <= 1)
            taking->first_stays = stays;
    }
    return leaving_out->has_failed || remaining->failed ? HX_NO_MEMORY : HX_OK;
}

/* --- rounds --------------------------------------------------------------------------------------------- */

/* The input and the table of files, with the texts as they are now. */
static hx_status write_input(struct leaving_out *leaving_out)
{
    struct compiling *compiling = leaving_out->compiling;
    compiling->replaced.count = 0;
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct host_file *file = &leaving_out->files.items[i];
        const hx_status status = host_file_write(file, compiling->allocator);
        if (status != HX_OK)
            return status;
        const struct slice made = {file->made.at ? file->made.at : "", file->made.length};
        const struct compiler_part part = {file->path, made};
        if (!file->path)
            compiling->program = made;
        else if (!LIST_PUSH(compiling->allocator, &compiling->replaced, part))
            return HX_NO_MEMORY;
    }
    for (size_t i = 0; i < leaving_out->libraries.count; i++)
        if (!LIST_PUSH(compiling->allocator, &compiling->replaced, leaving_out->libraries.items[i]))
            return HX_NO_MEMORY;
    compiler_input_rewrite(compiling);
    return compiling->input.failed || compiling->overlay.failed ? HX_NO_MEMORY : HX_OK;
}

/* Is nothing out but headers? */
static bool is_whole(const struct leaving_out *leaving_out)
{
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        const struct host_file *file = &leaving_out->files.items[i];
        for (size_t k = 0; k < file->pieces.list.count; k++)
            if (file->levels[k] != HOST_WHOLE && file->pieces.list.items[k].kind != CPP_INCLUDE)
                return false;
    }
    return true;
}

/* What clang says of the texts as they are now. *ret_has_ended: it has said all. */
static hx_status ask(struct leaving_out *leaving_out, uint64_t since_ns, struct text *heard,
                     bool *ret_has_ended)
{
    static const char *const last[] = {"-fsyntax-only", "-ferror-limit=0", "-", NULL};
    struct process_result result HX_AUTO(process_result_done) = {0};
    const uint64_t now_ns = machine_now_ns();
    *ret_has_ended = false;
    if (now_ns - since_ns >= ROUNDS_NS)
        return HX_OK;
    hx_status status = write_input(leaving_out);
    leaving_out->compiling->limit_ns = ROUNDS_NS - (now_ns - since_ns);
    if (status == HX_OK)
        status = run_clang(leaving_out->compiling, last, &result);
    leaving_out->compiling->limit_ns = 0;
    *ret_has_ended = status == HX_OK && (result.end == PROCESS_EXITED || result.end == PROCESS_ENDED);
    heard->length = 0;
    if (*ret_has_ended)
        text_append(heard, result.errors.at ? result.errors.at : "", result.errors.length);
    return status == HX_OK && heard->failed ? HX_NO_MEMORY : status;
}

/* What clang says of all but headers. */
static hx_status ask_of_whole(struct leaving_out *leaving_out, uint64_t since_ns, struct text *heard,
                              bool *ret_has_ended)
{
    unsigned char *levels[HOST_FILES_MAX];
    hx_status status = HX_OK;
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct host_file *file = &leaving_out->files.items[i];
        levels[i] = file->levels;
        file->levels =
            ARENA_ARRAY(&leaving_out->compiling->arena, unsigned char, file->pieces.list.count + 1);
        status = file->levels ? status : HX_NO_MEMORY;
        for (size_t k = 0; k < file->pieces.list.count && file->levels; k++)
            if (file->pieces.list.items[k].kind == CPP_INCLUDE)
                file->levels[k] = levels[i][k];
    }
    if (status == HX_OK)
        status = ask(leaving_out, since_ns, heard, ret_has_ended);
    for (size_t i = 0; i < leaving_out->files.count; i++)
        leaving_out->files.items[i].levels = levels[i];
    return status;
}

/* The program is wrong: which errors are its own? None are given where those of all of it are right. */
static hx_status refuse(struct leaving_out *leaving_out, uint64_t since_ns, struct text *whole,
                        struct left_out *ret_out)
{
    static const char begin[] =
        "host code that does not compile would be left out, if nothing else were wrong: ";
    struct text *note = &ret_out->note;
    bool has_ended = true;
    text_print(note, "%s", begin);
    host_print_note(leaving_out, true, note);
    if (note->length < sizeof begin || leaving_out->has_failed)
        return leaving_out->has_failed ? HX_NO_MEMORY : HX_OK;
    if (memmem(whole->at, whole->length, "too many errors emitted", 23)) {
        const hx_status status = ask_of_whole(leaving_out, since_ns, whole, &has_ended);
        if (status != HX_OK)
            return status;
    }
    if (has_ended &&
        !host_print_errors(leaving_out, (struct slice){whole->at, whole->length}, &ret_out->errors)) {
        note->length = 0;
        host_print_note(leaving_out, false, note);
        if (note->length == 0)
            ret_out->errors.length = 0;
    }
    return ret_out->errors.failed || leaving_out->has_failed ? HX_NO_MEMORY : HX_OK;
}

static hx_status run_rounds(struct leaving_out *leaving_out, struct slice said, struct left_out *ret_out)
{
    const uint64_t since_ns = machine_now_ns();
    struct text heard HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator},
                      whole HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
    text_append(&heard, said.at, said.length);
    text_print(&whole, "%s", "");
    while (++leaving_out->round <= ROUNDS_MAX && !heard.failed && !whole.failed) {
        bool has_ended = false;
        said = (struct slice){heard.at, heard.length};
        struct taking taking = {.lacks_a_file = lacks_a_file(said)};
        if (is_whole(leaving_out)) {
            whole.length = 0;
            text_append(&whole, said.at, said.length);
        }
        hx_status status = HX_OK;
        if (!leaving_out->knows_macros && !taking.lacks_a_file)
            status = find_macros(leaving_out);
        if (status == HX_OK)
            status = take_errors(leaving_out, said, &taking);
        if (status != HX_OK)
            return status;
        ret_out->is_done = taking.count == 0;
        if (taking.count > 0 && (taking.first_stays || leaving_out->is_refused))
            return refuse(leaving_out, since_ns, &whole, ret_out);
        if (taking.count == 0)
            return HX_OK;
        status = ask(leaving_out, since_ns, &heard, &has_ended);
        if (status != HX_OK || !has_ended)
            return status;
    }
    return heard.failed || whole.failed ? HX_NO_MEMORY : HX_OK;
}

/* The texts are read after this ends. */
static hx_status keep_texts(struct leaving_out *leaving_out)
{
    struct compiling *compiling = leaving_out->compiling;
    const char *program = arena_copy(&compiling->arena, compiling->program.at, compiling->program.length);
    compiling->program.at = program;
    for (size_t i = 0; i < compiling->replaced.count && program; i++) {
        struct slice *bytes = &compiling->replaced.items[i].bytes;
        bytes->at = program = arena_copy(&compiling->arena, bytes->at, bytes->length);
    }
    if (!program)
        return HX_NO_MEMORY;
    compiler_input_rewrite(compiling);
    return compiling->input.failed || compiling->overlay.failed ? HX_NO_MEMORY : HX_OK;
}

void compiler_left_out_done(struct left_out *left_out)
{
    text_done(&left_out->note);
    text_done(&left_out->launches);
    text_done(&left_out->errors);
}

hx_status compiler_leave_out(struct compiling *compiling, struct slice said, struct left_out *ret_out)
{
    const hx_allocator *allocator = compiling->allocator;
    struct leaving_out leaving_out = {.compiling = compiling, .remaining.allocator = allocator};
    ret_out->is_done = false;
    hx_status status = host_add_file(&leaving_out, compiling->job->source->name, NULL,
                                     source_behind_mark(compiling->job->source));
    if (status == HX_OK)
        status = run_rounds(&leaving_out, said, ret_out);
    if (status == HX_OK && ret_out->is_done) {
        text_print(&ret_out->note, "host code that does not compile: ");
        host_print_note(&leaving_out, true, &ret_out->note);
        host_print_launches(&leaving_out, &ret_out->launches);
        leaving_out.has_failed |= ret_out->launches.failed;
        status = leaving_out.has_failed ? HX_NO_MEMORY : keep_texts(&leaving_out);
    }
    for (size_t i = 0; i < leaving_out.files.count; i++) {
        cpp_words_done(&leaving_out.files.items[i].words, allocator);
        LIST_DONE(allocator, &leaving_out.files.items[i].pieces.list);
        LIST_DONE(allocator, &leaving_out.files.items[i].device_functions);
        text_done(&leaving_out.files.items[i].made);
    }
    LIST_DONE(allocator, &leaving_out.files);
    LIST_DONE(allocator, &leaving_out.libraries);
    host_macros_done(&leaving_out.macros, allocator);
    text_done(&leaving_out.remaining);
    return status;
}
