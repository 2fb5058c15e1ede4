/* Paths of files: as a client writes them, and as it finds them again.
 *
 * A client may have found a file by links. It gets the path by which it has named the file, not the one
 * that the system has in the end, for it would take that for another file. */
#include "debug/dap/dap.h"

#include <stdio.h>
#include <stdlib.h>

bool dap_source_path(const struct source *source, char path[PATH_MAX])
{
    return source->name && realpath(source->name, path) != NULL;
}

bool dap_read_path(const char *text, char path[PATH_MAX])
{
    static const char scheme[] = "file://";
    size_t length = 0;
    const bool is_uri = strncmp(text, scheme, sizeof scheme - 1) == 0;
    if (is_uri) { /* file://host/path: the host is this one */
        text += sizeof scheme - 1;
        text += strcspn(text, "/");
    }
    for (; *text && length + 1 < PATH_MAX; length++) {
        const char digits[] = {'0', 'x', text[0] == '%' ? text[1] : 0, text[1] ? text[2] : 0, 0};
        uint64_t code;
        const bool is_escape = is_uri && *text == '%' && strlen(digits) == 4 &&
                               number_parse_u64(slice_of(digits), &code) == NUMBER_OK && code > 0;
        path[length] = is_escape ? (char)code : *text;
        text += is_escape ? 3 : 1;
    }
    path[length] = 0;
    return *text == 0;
}

void dap_note_path(struct dap *dap, const char *given)
{
    char real[PATH_MAX];
    if (given[0] != '/' || !realpath(given, real) || strcmp(given, real) == 0)
        return;
    for (size_t i = 0; i < dap->paths.count; i++)
        if (strcmp(dap->paths.items[i].given, given) == 0)
            return;
    const size_t room = strlen(given) + 1, real_room = strlen(real) + 1;
    char *texts = memory_allocate(dap->allocator, room + real_room, 1);
    if (!texts) /* the client gets the path that the system has */
        return;
    memcpy(texts, given, room);
    memcpy(texts + room, real, real_room);
    const struct dap_path path = {texts, texts + room};
    if (!LIST_PUSH(dap->allocator, &dap->paths, path))
        memory_free(dap->allocator, texts);
}

/* Bytes of the folders and the name with which both end. */
static size_t common_end(const char *a, const char *b)
{
    const size_t a_length = strlen(a), b_length = strlen(b);
    size_t count = 0, kept = 0;
    while (count < a_length && count < b_length && a[a_length - 1 - count] == b[b_length - 1 - count]) {
        count++;
        kept = a[a_length - count] == '/' ? count : kept;
    }
    return kept;
}

/* A path with the links by which the client has found it: that of a file that it has named, or of one in a
 * folder beside it. */
static const char *as_given(const struct dap *dap, const char *path, char given[PATH_MAX])
{
    for (size_t i = 0; i < dap->paths.count; i++)
        if (strcmp(dap->paths.items[i].real, path) == 0)
            return dap->paths.items[i].given;
    for (size_t i = 0; i < dap->paths.count; i++) {
        const struct dap_path *known = &dap->paths.items[i];
        const size_t end = common_end(known->given, known->real);
        const size_t folder = strlen(known->real) - end;
        if (folder == 0 || strncmp(path, known->real, folder) != 0 || path[folder] != '/')
            continue;
        const int length = snprintf(given, PATH_MAX, "%.*s%s", (int)(strlen(known->given) - end),
                                    known->given, path + folder);
        if (length < PATH_MAX)
            return given;
    }
    return path;
}

void dap_write_path(const struct dap *dap, const char *path, struct json *json)
{
    char given[PATH_MAX];
    path = as_given(dap, path, given);
    struct text uri HX_AUTO(text_done) = {.allocator = dap->allocator};
    if (!dap->has_uris) {
        json_member_str(json, "path", path);
        return;
    }
    text_print(&uri, "file://");
    for (; *path; path++)
        text_print(&uri, text_is_word(*path) || strchr("/-.~", *path) ? "%c" : "%%%02X",
                   (unsigned char)*path);
    json_member_str(json, "path", uri.at ? uri.at : "");
}

void dap_paths_done(struct dap *dap)
{
    for (size_t i = 0; i < dap->paths.count; i++)
        memory_free(dap->allocator, dap->paths.items[i].given);
    LIST_DONE(dap->allocator, &dap->paths);
}
