/* Files of a program whose host code is taken out.
 *
 * Takes the names that clang's messages have, leaves the files with their words and pieces: those of the
 * program alone, whether it gives them in quotes or finds them in its folders. */
#include "base/file.h"
#include "compiler/host_code.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX (8u << 20)

hx_status host_add_file(struct leaving_out *leaving_out, const char *name, const char *path,
                        struct slice text)
{
    const hx_allocator *allocator = leaving_out->compiling->allocator;
    struct host_file file = {.name = name, .path = path, .made.allocator = allocator};
    hx_status status = cpp_words_read(text, allocator, &file.words);
    if (status == HX_OK)
        status = cpp_pieces_find(&file.words, allocator, &file.pieces);
    for (size_t i = 0; status == HX_OK && i < file.words.list.count; i++)
        file.extends_std |= cpp_is(&file.words, i, "namespace") && cpp_is(&file.words, i + 1, "std");
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
    status = kept ? host_add_file(leaving_out, copy, path, (struct slice){kept, size}) : HX_NO_MEMORY;
    if (status == HX_OK)
        *ret_file = &leaving_out->files.items[leaving_out->files.count - 1];
    return status;
}

/* *ret_file is NULL for one that is not the program's. */
hx_status host_find_file(struct leaving_out *leaving_out, struct slice name, struct host_file **ret_file)
{
    *ret_file = NULL;
    for (size_t i = 0; i < leaving_out->files.count; i++)
        if (slice_equal(name, leaving_out->files.items[i].name)) {
            *ret_file = &leaving_out->files.items[i];
            return HX_OK;
        }
    if (!may_be_read(name) || leaving_out->files.count >= HOST_FILES_MAX)
        return HX_OK;
    return read_file(leaving_out, name, ret_file);
}
