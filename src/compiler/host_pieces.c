/* Which pieces of host code may be taken out of a program, and how far.
 *
 * Takes a piece in which an error is, takes it or what it lies in a step further out. What a kernel may run
 * stays, and what gives a name a meaning that a kernel would have another one for without it. */
#include "compiler/host_code.h"

#include <string.h>

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
static bool has_device_declaration(struct leaving_out *leaving_out, const struct host_file *file,
                                   const struct cpp_piece *piece)
{
    size_t name = piece->first;
    while (name + 1 < piece->head_end &&
           !(file->words.list.items[name].kind == CPP_WORD && !cpp_is_keyword(&file->words, name) &&
             cpp_is(&file->words, name + 1, "(")))
        name++;
    return host_is_declared_for_device(leaving_out, cpp_word_text(&file->words, name));
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
    const size_t definitions = host_count_macros(freedom->macros, name);
    size_t behind = 0;
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
bool host_leave_out_define(struct leaving_out *leaving_out, struct host_file *file, size_t piece)
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
            if (!host_leave_out_define(leaving_out, file, k))
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
    bool std_is_whole = true;
    for (size_t i = 0; i < leaving_out->files.count; i++)
        std_is_whole &= !leaving_out->files.items[i].extends_std;
    for (size_t i = 0; i < leaving_out->macros.list.count && !leaving_out->is_refused; i++)
        if (host_macro_mentions(&leaving_out->macros.list.items[i], name, std_is_whole))
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
        cpp_names_of(&file->words, &file->pieces.list.items[piece], host_count_name, &count,
                     &are_variables) &&
        count > 0 && !are_variables)
        (void)cpp_names_of(&file->words, &file->pieces.list.items[piece], drop_macros, leaving_out,
                           &are_variables);
}

/* One step further for the piece, or what it lies in. False: it must stay. */
bool host_escalate(struct leaving_out *leaving_out, struct host_file *file, size_t piece)
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
bool host_leave_out_include(struct leaving_out *leaving_out, struct host_file *file, size_t piece,
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
