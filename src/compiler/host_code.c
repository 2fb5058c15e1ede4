/* Host code that does not compile, taken out of a program in CUDA C.
 *
 * Takes what clang says of the program, leaves texts that compile, in which all that kernels may run is as it
 * was. In each round clang says where errors are; the pieces of host code that these lie in (cpp_pieces.c)
 * are taken out, a part of one first, then the whole, then what it lies in. Errors in other code must go away
 * by that, as those that follow from others do; otherwise the program is wrong, and what clang said at first
 * stands. Nothing depends on a guess of what is host code: what stands for a piece cannot be called by a
 * thread, and its names cannot be used (host_text.c). */
#include "compiler/host_code.h"
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_MAX     40
#define FILES_MAX      64
#define FILE_BYTES_MAX (8u << 20)

struct leaving_out {
    struct compiling *compiling;
    LIST(struct host_file) files;
    LIST(struct compiler_part) libraries;
    struct host_macros macros;
    unsigned round;
    bool knows_macros, has_failed, is_refused;
};

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

/* --- files ---------------------------------------------------------------------------------------------- */

static hx_status add_file(struct leaving_out *leaving_out, const char *name, const char *path,
                          struct slice text)
{
    const hx_allocator *allocator = leaving_out->compiling->allocator;
    struct host_file file = {.name = name, .path = path, .made.allocator = allocator};
    hx_status status = cpp_words_read(text, allocator, &file.words);
    if (status == HX_OK)
        status = cpp_pieces_find(&file.words, allocator, &file.pieces);
    file.levels = ARENA_ARRAY(&leaving_out->compiling->arena, unsigned char, file.pieces.list.count + 1);
    file.rounds = ARENA_ARRAY(&leaving_out->compiling->arena, unsigned, file.pieces.list.count + 1);
    if (status == HX_OK && file.levels && file.rounds && LIST_PUSH(allocator, &leaving_out->files, file))
        return HX_OK;
    cpp_words_done(&file.words, allocator);
    LIST_DONE(allocator, &file.pieces.list);
    return HX_NO_MEMORY;
}

/* From the root, since that is what the table of files has. */
static const char *whole_path(const struct leaving_out *leaving_out, const char *name)
{
    struct arena *arena = &leaving_out->compiling->arena;
    const char *folder = leaving_out->compiling->job->options_directory;
    char here[PATH_MAX];
    if (name[0] == '/')
        return name;
    if (folder && folder[0] == '/')
        return arena_format(arena, "%s/%s", folder, name);
    if (!getcwd(here, sizeof here))
        return NULL;
    return folder ? arena_format(arena, "%s/%s/%s", here, folder, name)
                  : arena_format(arena, "%s/%s", here, name);
}

/* Files of the system have no host code of the program. */
static bool may_be_read(struct slice name)
{
    return name.length > 0 && name.at[0] != '<' && !slice_starts_with(name, "/hexec/") &&
           !slice_starts_with(name, "/usr/") && !slice_starts_with(name, "/proc/");
}

static hx_status read_file(struct leaving_out *leaving_out, struct slice name, struct host_file **ret_file)
{
    const hx_allocator *allocator = leaving_out->compiling->allocator;
    struct arena *arena = &leaving_out->compiling->arena;
    const char *copy = arena_copy(arena, name.at, name.length),
               *path = copy ? whole_path(leaving_out, copy) : NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (!path)
        return HX_NO_MEMORY;
    const struct place nowhere = {0};
    hx_status status = file_read(path, FILE_BYTES_MAX, allocator, NULL, nowhere, &bytes, &size);
    if (status != HX_OK)
        return status == HX_NO_MEMORY ? status : HX_OK;
    const char *kept = arena_copy(arena, bytes, size);
    memory_free(allocator, bytes);
    status = kept ? add_file(leaving_out, copy, path, (struct slice){kept, size}) : HX_NO_MEMORY;
    if (status == HX_OK)
        *ret_file = &leaving_out->files.items[leaving_out->files.count - 1];
    return status;
}

/* *ret_file is NULL for one that is not the program's. */
static hx_status find_file(struct leaving_out *leaving_out, struct slice name, struct host_file **ret_file)
{
    *ret_file = NULL;
    for (size_t i = 0; i < leaving_out->files.count; i++)
        if (slice_equal(name, leaving_out->files.items[i].name)) {
            *ret_file = &leaving_out->files.items[i];
            return HX_OK;
        }
    if (!may_be_read(name) || leaving_out->files.count >= FILES_MAX)
        return HX_OK;
    return read_file(leaving_out, name, ret_file);
}

/* --- pieces --------------------------------------------------------------------------------------------- */

static bool count_name(void *user, struct slice name)
{
    (void)name;
    ++*(size_t *)user;
    return true;
}

/* The function that a piece is, or lies in; CPP_NONE. */
static size_t function_of(const struct host_file *file, size_t piece)
{
    while (piece != CPP_NONE && file->pieces.list.items[piece].kind != CPP_FUNCTION)
        piece = file->pieces.list.items[piece].parent;
    return piece;
}

/* Are there words in it of branches that the words do not have? */
static bool has_others(const struct host_file *file, const struct cpp_piece *piece)
{
    for (size_t i = 0; i < file->words.others.count; i++)
        if (file->words.others.items[i] >= piece->begin_at && file->words.others.items[i] < piece->end_at)
            return true;
    return false;
}

/* May what is behind a piece mean a name that the piece declares without that being seen? */
static bool may_be_meant(struct leaving_out *leaving_out, const struct host_file *file, size_t index)
{
    const struct cpp_words *words = &file->words;
    struct cpp_piece piece = file->pieces.list.items[index];
    const size_t function = function_of(file, index);
    bool are_used = true;
    if (function == CPP_NONE || function == index)
        return host_hides_names(&leaving_out->macros, words, piece.first, piece.head_end);
    const struct cpp_piece *whole = &file->pieces.list.items[function];
    if (piece.kind == CPP_CONTROL) { /* what its brackets declare */
        piece.first += 2 + cpp_is(words, piece.first + 1, "constexpr");
        piece.end = piece.first;
        while (piece.end + 1 < piece.head_end && !cpp_is(words, piece.end, ";"))
            piece.end = cpp_is(words, piece.end, "(") || cpp_is(words, piece.end, "{")
                            ? cpp_behind(words, piece.end, piece.head_end)
                            : piece.end + 1;
    }
    if (cpp_is_sure(words, whole->first, piece.first, piece.end) &&
        !host_hides_names(&leaving_out->macros, words, piece.first, piece.end))
        return false;
    leaving_out->has_failed |= host_names_are_used(&leaving_out->macros, words, &piece, whole->end,
                                                   leaving_out->compiling->allocator, &are_used) != HX_OK;
    return are_used;
}

/* Is the function that a piece is declared elsewhere as one of the device? */
static bool has_device_declaration(const struct leaving_out *leaving_out, const struct host_file *file,
                                   const struct cpp_piece *piece)
{
    size_t name = piece->first;
    while (name + 1 < piece->head_end &&
           !(file->words.list.items[name].kind == CPP_WORD && !cpp_is_keyword(&file->words, name) &&
             cpp_is(&file->words, name + 1, "(")))
        name++;
    return host_is_declared_for_device(&leaving_out->macros, leaving_out->files.items,
                                       leaving_out->files.count, cpp_word_text(&file->words, name));
}

static struct slice defined_by(const struct host_file *file, const struct cpp_piece *define)
{
    struct slice rest = {0};
    size_t length = 0;
    (void)cpp_directive_is(&file->words, &file->words.directives.items[define->first], "define", &rest);
    while (length < rest.length && text_is_word(rest.at[length]))
        length++;
    return (struct slice){rest.at, length};
}

struct freedom {
    const struct host_macros *macros;
    const struct host_file *file;
    const struct cpp_piece *piece;
    bool has_macro;
};

/* One that is defined behind the piece goes where it is defined. */
static bool note_name(void *user, struct slice name)
{
    struct freedom *freedom = user;
    size_t definitions = 0, behind = 0;
    for (size_t i = 0; i < freedom->macros->list.count; i++)
        definitions += slice_same(name, freedom->macros->list.items[i].name);
    for (size_t i = 0; i < freedom->file->pieces.list.count && definitions > 0; i++) {
        const struct cpp_piece *piece = &freedom->file->pieces.list.items[i];
        behind += piece->kind == CPP_DEFINE && piece->begin_at > freedom->piece->begin_at &&
                  slice_same(name, defined_by(freedom->file, piece));
    }
    freedom->has_macro |= definitions > behind;
    return true;
}

/* Are its names known, and none is a macro's, which cannot be poisoned? */
static bool has_free_names(const struct leaving_out *leaving_out, const struct host_file *file,
                           const struct cpp_piece *piece)
{
    struct freedom freedom = {.macros = &leaving_out->macros, .file = file, .piece = piece};
    bool are_variables;
    return cpp_names_of(&file->words, piece, note_name, &freedom, &are_variables) &&
           (are_variables || !freedom.has_macro);
}

/* May a piece be taken out so far? */
static bool may_leave_out(struct leaving_out *leaving_out, const struct host_file *file, size_t index,
                          enum host_level level)
{
    static const char *const deduced[] = {"auto", "decltype", NULL};
    const struct cpp_words *words = &file->words;
    const struct cpp_piece *piece = &file->pieces.list.items[index];
    const size_t function = function_of(file, index);
    if (function != CPP_NONE) {
        const struct cpp_piece *whole = &file->pieces.list.items[function];
        if (host_is_device(&leaving_out->macros, words, whole->first, whole->head_end) ||
            host_is_fixed(words, whole->first, whole->head_end) ||
            (function != index && host_has_word(words, whole->first, whole->head_end, deduced)))
            return false;
    }
    if (level == HOST_PART) {
        size_t first, end;
        struct text replacement HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
        return host_part_of(file, index, &first, &end, &replacement) && !has_others(file, piece) &&
               !host_is_device(&leaving_out->macros, words, first, end) &&
               (piece->kind != CPP_CONTROL || !may_be_meant(leaving_out, file, index));
    }
    return !has_others(file, piece) && !may_be_meant(leaving_out, file, index) &&
           !host_is_device(&leaving_out->macros, words, piece->first, piece->end) &&
           (piece->kind != CPP_DECLARATION || !host_is_fixed(words, piece->first, piece->end)) &&
           (piece->kind != CPP_FUNCTION || !has_device_declaration(leaving_out, file, piece)) &&
           has_free_names(leaving_out, file, piece);
}

/* A macro that mentions a name which is gone, or has it; nobody may use it then. */
static bool leave_out_define(struct leaving_out *leaving_out, struct host_file *file, size_t piece)
{
    struct slice rest;
    struct cpp_words words;
    const struct cpp_piece *define = &file->pieces.list.items[piece];
    (void)cpp_directive_is(&file->words, &file->words.directives.items[define->first], "define", &rest);
    if (file->levels[piece] == HOST_OUT)
        return file->rounds[piece] == leaving_out->round;
    if (cpp_words_read(rest, leaving_out->compiling->allocator, &words) != HX_OK) {
        leaving_out->has_failed = true;
        return false;
    }
    const bool may_go = !host_is_device(&leaving_out->macros, &words, 0, words.list.count);
    cpp_words_done(&words, leaving_out->compiling->allocator);
    if (may_go) {
        file->levels[piece] = HOST_OUT;
        file->rounds[piece] = leaving_out->round;
    }
    return may_go;
}

static bool drop_macros(void *user, struct slice name);

/* Each definition of a macro in the files; false: there is none that can be left out. */
static bool drop_macro(struct leaving_out *leaving_out, struct slice name)
{
    bool is_there = false;
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct host_file *file = &leaving_out->files.items[i];
        for (size_t k = 0; k < file->pieces.list.count; k++) {
            const struct cpp_piece *piece = &file->pieces.list.items[k];
            if (piece->kind != CPP_DEFINE || !slice_same(name, defined_by(file, piece)))
                continue;
            is_there = true;
            if (file->levels[k] != HOST_WHOLE)
                continue;
            if (!leave_out_define(leaving_out, file, k))
                return false;
            (void)drop_macros(leaving_out, name);
        }
    }
    return is_there;
}

/* Macros that mention a name which is gone, and those that mention them. One whose definition is not in sight
 * cannot go. */
static bool drop_macros(void *user, struct slice name)
{
    struct leaving_out *leaving_out = user;
    for (size_t i = 0; i < leaving_out->macros.list.count && !leaving_out->is_refused; i++)
        if (host_macro_mentions(&leaving_out->macros.list.items[i], name))
            leaving_out->is_refused |= !drop_macro(leaving_out, leaving_out->macros.list.items[i].name);
    return true;
}

static void set_level(struct leaving_out *leaving_out, struct host_file *file, size_t piece,
                      enum host_level level)
{
    bool are_variables;
    size_t count = 0;
    file->levels[piece] = (unsigned char)level;
    file->rounds[piece] = leaving_out->round;
    if (level == HOST_OUT &&
        cpp_names_of(&file->words, &file->pieces.list.items[piece], count_name, &count, &are_variables) &&
        count > 0 && !are_variables)
        (void)cpp_names_of(&file->words, &file->pieces.list.items[piece], drop_macros, leaving_out,
                           &are_variables);
}

/* One step further for the piece, or what it lies in. False: it must stay. */
static bool escalate(struct leaving_out *leaving_out, struct host_file *file, size_t piece)
{
    const size_t out = host_outermost_out(file, piece);
    if (out != CPP_NONE && file->rounds[out] == leaving_out->round)
        return true;
    if (out != CPP_NONE)
        piece = file->pieces.list.items[out].parent;
    for (; piece != CPP_NONE; piece = file->pieces.list.items[piece].parent) {
        if (file->rounds[piece] == leaving_out->round)
            return true;
        for (int level = file->levels[piece] + 1; level <= HOST_OUT; level++)
            if (may_leave_out(leaving_out, file, piece, (enum host_level)level)) {
                set_level(leaving_out, file, piece, (enum host_level)level);
                return true;
            }
    }
    return false;
}

/* --- directives ----------------------------------------------------------------------------------------- */

static bool add_library(struct leaving_out *leaving_out, struct slice name)
{
    static const char numbers[] = "#include <cuComplex.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n",
                      nothing[] = "/* only hosts call it */\n";
    static const struct {
        const char *name;
        bool has_numbers;
    } libraries[] = {
#define NUMBERS                 true
#define NOTHING                 false
#define LIBRARY(name, includes) {#name, includes},
#include "compiler/cuda_libraries.def"
#undef LIBRARY
#undef NUMBERS
#undef NOTHING
    };
    for (size_t i = 0; i < HX_COUNT_OF(libraries); i++) {
        if (!slice_equal(name, libraries[i].name))
            continue;
        const char *path =
            arena_format(&leaving_out->compiling->arena, LIBRARIES_AT "/%s", libraries[i].name);
        const struct slice bytes = slice_of(libraries[i].has_numbers ? numbers : nothing);
        const struct compiler_part part = {path, bytes};
        leaving_out->has_failed |=
            !path || !LIST_PUSH(leaving_out->compiling->allocator, &leaving_out->libraries, part);
        return !leaving_out->has_failed;
    }
    return false;
}

/* Others may be the program's own, and decide what its kernels are. */
static bool is_for_hosts(struct slice name)
{
    static const char *const headers[] = {
#define HEADERS(name) name,
#include "compiler/cuda_host_headers.def"
#undef HEADERS
    };
    for (size_t i = 0; i < HX_COUNT_OF(headers); i++)
        if (slice_equal(name, headers[i]) ||
            (headers[i][strlen(headers[i]) - 1] == '/' && slice_starts_with(name, headers[i])))
            return true;
    return false;
}

/* #include <...> of what is not there. One in quotes may have device code, and its names would be missing. */
static bool leave_out_include(struct leaving_out *leaving_out, struct host_file *file, size_t piece,
                              struct slice name)
{
    struct slice rest;
    const struct cpp_piece *include = &file->pieces.list.items[piece];
    (void)cpp_directive_is(&file->words, &file->words.directives.items[include->first], "include", &rest);
    if (add_library(leaving_out, name))
        return true;
    if (!slice_starts_with(rest, "<") || !is_for_hosts(name) || file->levels[piece] == HOST_OUT)
        return false;
    set_level(leaving_out, file, piece, HOST_OUT);
    return true;
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
               compiler_take_to(&text, "'", &name) && leave_out_include(leaving_out, file, piece, name);
    case CPP_DEFINE:
        return has(text, "poisoned") && leave_out_define(leaving_out, file, piece);
    default:
        return escalate(leaving_out, file, piece);
    }
}

/* Takes out what the errors are about; *ret_count is of the errors, *ret_taken of those. An error in a file
 * of the system is about the code that made it compile a template. */
static hx_status take_errors(struct leaving_out *leaving_out, struct slice said, size_t *ret_count,
                             size_t *ret_taken)
{
    struct compiler_message message;
    bool is_waiting = false;
    *ret_count = *ret_taken = 0;
    while (compiler_message_take(&said, &message) && !leaving_out->has_failed) {
        struct host_file *file = NULL;
        is_waiting &= message.is_note;
        if (!message.is_error && !(is_waiting && has(message.text, "requested here")))
            continue;
        *ret_count += message.is_error;
        /* a thread would reach what was left out */
        leaving_out->is_refused |= has(message.text, "'__hexec_") && has(message.text, "__host__ function");
        const hx_status status = message.line > 0 ? find_file(leaving_out, message.file, &file) : HX_OK;
        if (status != HX_OK)
            return status;
        is_waiting = message.line > 0 && !file;
        *ret_taken += file && take_error(leaving_out, file, &message);
    }
    return leaving_out->has_failed ? HX_NO_MEMORY : HX_OK;
}

/* Only then: what macros there are is known when all files are. */
static bool lacks_a_file(struct slice said)
{
    struct compiler_message message;
    while (compiler_message_take(&said, &message))
        if (message.is_error && has(message.text, "file not found"))
            return true;
    return false;
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

static hx_status run_rounds(struct leaving_out *leaving_out, struct slice said, bool *ret_is_done)
{
    static const char *const last[] = {"-fsyntax-only", "-ferror-limit=0", "-", NULL};
    struct text heard HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
    text_append(&heard, said.at, said.length);
    while (++leaving_out->round <= ROUNDS_MAX && !heard.failed) {
        size_t count, taken;
        struct process_result result HX_AUTO(process_result_done) = {0};
        hx_status status = HX_OK;
        said = (struct slice){heard.at, heard.length};
        if (!leaving_out->knows_macros && !lacks_a_file(said))
            status = find_macros(leaving_out);
        if (status == HX_OK)
            status = take_errors(leaving_out, said, &count, &taken);
        if (status != HX_OK || count == 0 || taken == 0 || leaving_out->is_refused) {
            *ret_is_done = status == HX_OK && count == 0;
            return status;
        }
        status = write_input(leaving_out);
        if (status == HX_OK)
            status = run_clang(leaving_out->compiling, last, &result);
        const bool has_ended = result.end == PROCESS_EXITED || result.end == PROCESS_ENDED;
        if (status != HX_OK || !has_ended)
            return status;
        heard.length = 0;
        text_append(&heard, result.errors.at ? result.errors.at : "", result.errors.length);
    }
    return heard.failed ? HX_NO_MEMORY : HX_OK;
}

static void write_note(struct leaving_out *leaving_out, struct text *ret_note)
{
    unsigned files = 0;
    for (size_t i = 0; i < leaving_out->files.count; i++) {
        struct text lines HX_AUTO(text_done) = {.allocator = leaving_out->compiling->allocator};
        if (host_print_lines(&leaving_out->files.items[i], &leaving_out->compiling->arena, &lines))
            text_print(ret_note, "%s lines %s of %s",
                       files++ ? ";" : "host code that does not compile:", lines.at,
                       leaving_out->files.items[i].name);
    }
    for (size_t i = 0; i < leaving_out->libraries.count; i++)
        text_print(ret_note, "%s %s is not there", files++ ? ";" : "host code:",
                   leaving_out->libraries.items[i].name + strlen(LIBRARIES_AT "/"));
    leaving_out->has_failed |= ret_note->failed;
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

hx_status compiler_leave_out(struct compiling *compiling, struct slice said, struct text *ret_note,
                             struct text *ret_launches, bool *ret_is_done)
{
    const hx_allocator *allocator = compiling->allocator;
    struct leaving_out leaving_out = {.compiling = compiling};
    *ret_is_done = false;
    hx_status status = add_file(&leaving_out, compiling->job->source->name, NULL,
                                source_behind_mark(compiling->job->source));
    if (status == HX_OK)
        status = run_rounds(&leaving_out, said, ret_is_done);
    if (status == HX_OK && *ret_is_done) {
        write_note(&leaving_out, ret_note);
        host_print_launches(&leaving_out.macros, leaving_out.files.items, leaving_out.files.count,
                            ret_launches);
        leaving_out.has_failed |= ret_launches->failed;
        status = leaving_out.has_failed ? HX_NO_MEMORY : keep_texts(&leaving_out);
    }
    for (size_t i = 0; i < leaving_out.files.count; i++) {
        cpp_words_done(&leaving_out.files.items[i].words, allocator);
        LIST_DONE(allocator, &leaving_out.files.items[i].pieces.list);
        text_done(&leaving_out.files.items[i].made);
    }
    LIST_DONE(allocator, &leaving_out.files);
    LIST_DONE(allocator, &leaving_out.libraries);
    host_macros_done(&leaving_out.macros, allocator);
    return status;
}
