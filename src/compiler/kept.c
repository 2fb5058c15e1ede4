/* What the cache keeps of compilations.
 *
 * An entry of code has what clang said beside it, since a program whose compilation gives warnings is one
 * that is compiled often, too. A program with headers that are not there has no key for its code, as what the
 * preprocessor makes of it is unknown. Of one whose host code was left out the texts of the rest are kept:
 * they have such a key. */
#include "base/crc32.h"
#include "base/disk_cache.h"
#include "base/file.h"
#include "compiler/parts.h"

#include <string.h>

/* The length of what clang said, a new line, what it said, and the code. */
bool compiler_get_kept(const struct compiling *compiling, const char *kind, struct slice key,
                       struct text *ret_code)
{
    struct text entry HX_AUTO(text_done) = {.allocator = compiling->allocator};
    uint64_t length = 0;
    if (!disk_cache_get(kind, key, &entry))
        return false;
    const char *end = memchr(entry.at, '\n', entry.length);
    if (!end || number_parse_u64((struct slice){entry.at, (size_t)(end - entry.at)}, &length))
        return false;
    const char *said = end + 1;
    const size_t left = entry.length - (size_t)(said - entry.at);
    if (length > left)
        return false;
    text_append(ret_code, said + length, left - length);
    (void)compiler_messages_report(compiling->job, (struct slice){said, length}, compiling->diag);
    return true;
}

void compiler_keep(const struct compiling *compiling, const char *kind, struct slice key, struct slice said,
                   const struct text *code)
{
    struct text entry HX_AUTO(text_done) = {.allocator = compiling->allocator};
    text_print(&entry, "%zu\n", said.length);
    text_append(&entry, said.at, said.length);
    text_append(&entry, code->at, code->length);
    if (!entry.failed)
        disk_cache_put(kind, key, (struct slice){entry.at, entry.length}, compiling->allocator);
}

/* --- texts without host code ---------------------------------------------------------------------------- */

#define KIND_REST "rest"

/* What a file has whose text was replaced; "": it is the program, or one of the headers of libraries. */
static void print_state(const struct compiling *compiling, const char *path, struct text *to)
{
    const struct place nowhere = {0};
    char *bytes = NULL;
    size_t size = 0;
    if (!path[0] || strncmp(path, LIBRARIES_AT "/", strlen(LIBRARIES_AT "/")) == 0 ||
        file_read(path, FILE_TEXT_LIMIT_BYTES, compiling->allocator, NULL, nowhere, &bytes, &size) != HX_OK)
        return;
    text_print(to, "%zu %08x", size, (unsigned)crc32_of(bytes, size));
    memory_free(compiling->allocator, bytes);
}

static void print_slice(struct text *to, struct slice bytes)
{
    text_print(to, "%zu\n", bytes.length);
    text_append(to, bytes.at ? bytes.at : "", bytes.length);
}

static void print_file(const struct compiling *compiling, const char *path, struct slice bytes,
                       struct text *to)
{
    struct text state HX_AUTO(text_done) = {.allocator = compiling->allocator};
    text_print(&state, "%s", "");
    print_state(compiling, path, &state);
    to->failed |= state.failed;
    print_slice(to, slice_of(path));
    print_slice(to, (struct slice){state.at, state.length});
    print_slice(to, bytes);
}

void compiler_keep_rest(const struct compiling *compiling, struct slice key)
{
    struct text entry HX_AUTO(text_done) = {.allocator = compiling->allocator};
    print_file(compiling, "", compiling->program, &entry);
    for (size_t i = 0; i < compiling->replaced.count; i++)
        print_file(compiling, compiling->replaced.items[i].name, compiling->replaced.items[i].bytes, &entry);
    if (!entry.failed)
        disk_cache_put(KIND_REST, key, (struct slice){entry.at, entry.length}, compiling->allocator);
}

static bool take_slice(struct slice *entry, struct slice *ret_bytes)
{
    struct slice number;
    uint64_t length = 0;
    if (!compiler_take_to(entry, "\n", &number) || number_parse_u64(number, &length) ||
        length > entry->length)
        return false;
    *ret_bytes = (struct slice){entry->at, length};
    *entry = (struct slice){entry->at + length, entry->length - length};
    return true;
}

/* False: the entry is broken, or the file has changed. */
static bool take_file(struct compiling *compiling, struct slice *entry)
{
    struct text now HX_AUTO(text_done) = {.allocator = compiling->allocator};
    struct slice path, state, bytes;
    if (!take_slice(entry, &path) || !take_slice(entry, &state) || !take_slice(entry, &bytes))
        return false;
    const char *name = arena_copy(&compiling->arena, path.at, path.length),
               *text = arena_copy(&compiling->arena, bytes.at, bytes.length);
    if (!name || !text)
        return false;
    text_print(&now, "%s", "");
    print_state(compiling, name, &now);
    if (now.failed || !slice_equal(state, now.at))
        return false;
    const struct compiler_part part = {name, {text, bytes.length}};
    if (path.length > 0)
        return LIST_PUSH(compiling->allocator, &compiling->replaced, part);
    compiling->program = part.bytes;
    return true;
}

bool compiler_get_rest(struct compiling *compiling, struct slice key)
{
    struct text entry HX_AUTO(text_done) = {.allocator = compiling->allocator};
    if (!disk_cache_get(KIND_REST, key, &entry))
        return false;
    struct slice left = {entry.at, entry.length};
    bool is_right = true;
    while (left.length > 0 && is_right)
        is_right = take_file(compiling, &left);
    compiler_input_rewrite(compiling);
    return is_right && compiling->program.at && !compiling->input.failed && !compiling->overlay.failed;
}
