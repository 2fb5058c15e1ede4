/* Which language a text is in, and what compiles it. */
#include "compiler/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- the language --------------------------------------------------------------------------------------- */

/* What is behind the first `word`, from `text` on; NULL: there is none. */
static const char *find_word(struct slice text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text.at; at && (size_t)(at - text.at) + length <= text.length;) {
        const size_t left = text.length - (size_t)(at - text.at);
        const char *found = memmem(at, left, word, length);
        if (!found)
            return NULL;
        const bool begins = found == text.at || !text_is_word(found[-1]);
        const bool ends = found + length == text.at + text.length || !text_is_word(found[length]);
        if (begins && ends)
            return found + length;
        at = found + 1;
    }
    return NULL;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* A kernel's head in OpenCL C: "kernel void" or "kernel __attribute__" with any blanks. */
static bool has_kernel_head(struct slice text, const char *word)
{
    struct slice rest = text;
    for (const char *at; (at = find_word(rest, word)) != NULL;) {
        rest = (struct slice){at, text.length - (size_t)(at - text.at)};
        const struct slice head = slice_trim(rest);
        if (slice_starts_with(head, "void") || slice_starts_with(head, "__attribute__"))
            return true;
    }
    return false;
}

/* A program of hexec: a document in YAML. */
static bool is_document(struct slice text)
{
    return slice_starts_with(text, "program:") || memmem(text.at, text.length, "\nprogram:", 9);
}

enum compiler_language compiler_language_of(const char *path, struct slice text)
{
    static const char *const cuda[] = {".cu", ".cuh"}, *const opencl[] = {".cl", ".ocl", ".clc"};
    for (size_t i = 0; i < HX_COUNT_OF(cuda); i++)
        if (ends_with(path, cuda[i]))
            return COMPILER_CUDA;
    for (size_t i = 0; i < HX_COUNT_OF(opencl); i++)
        if (ends_with(path, opencl[i]))
            return COMPILER_OPENCL;
    if (ends_with(path, ".yaml") || ends_with(path, ".yml") ||
        !strchr("/#_ktv", text.length ? text.at[0] : 0))
        return COMPILER_NONE; /* a text in C begins with a comment, a directive or a declaration */
    if (is_document(text))
        return COMPILER_NONE;
    if (find_word(text, "__global__"))
        return COMPILER_CUDA;
    return has_kernel_head(text, "kernel") || has_kernel_head(text, "__kernel") ? COMPILER_OPENCL
                                                                                : COMPILER_NONE;
}

/* --- clang and libclc ----------------------------------------------------------------------------------- */

#define NEWEST 29
#define OLDEST 13

static bool find_libclc(struct text *path)
{
    static const char *const folders[] = {"/usr/lib/clc", "/usr/share/clc", "/usr/local/share/clc",
                                          "/usr/local/lib/clc", "/usr/libexec/clc"};
    const char *own = getenv("HEXEC_LIBCLC");
    for (size_t i = 0; i < (own ? 1 : HX_COUNT_OF(folders)); i++) {
        struct stat is;
        path->length = 0;
        text_print(path, "%s/nvptx64--nvidiacl.bc", own ? own : folders[i]);
        if (path->failed || (stat(path->at, &is) == 0 && S_ISREG(is.st_mode)))
            return !path->failed;
    }
    path->length = 0;
    path->at[0] = 0;
    return false;
}

/* Debian says which version a package of libclc has by the name of its folder of documents alone. */
static bool is_of_libclc(unsigned version)
{
    char path[64];
    struct stat is;
    snprintf(path, sizeof path, "/usr/share/doc/libclc-%u", version);
    return stat(path, &is) == 0;
}

static bool find_version(unsigned version, struct text *path)
{
    char name[32];
    snprintf(name, sizeof name, "clang-%u", version);
    return process_find(name, path);
}

static bool find_clang(struct text *path)
{
    const char *own = getenv("HEXEC_CLANG");
    bool found = own && own[0] ? process_find(own, path) : false;
    if (own && own[0])
        return found;
    for (unsigned version = NEWEST; version >= OLDEST && !found; version--)
        found = is_of_libclc(version) && find_version(version, path);
    for (unsigned version = NEWEST; version >= OLDEST && !found; version--)
        found = find_version(version, path);
    return found || process_find("clang", path);
}

hx_status compiler_find_tools(const hx_allocator *allocator, struct compiler_tools *ret_tools)
{
    *ret_tools = (struct compiler_tools){.clang.allocator = allocator, .libclc.allocator = allocator};
    text_print(&ret_tools->clang, "%s", "");
    text_print(&ret_tools->libclc, "%s", "");
    if (!find_clang(&ret_tools->clang))
        ret_tools->clang.length = 0;
    if (!find_libclc(&ret_tools->libclc))
        ret_tools->libclc.length = 0;
    if (!ret_tools->clang.failed && !ret_tools->libclc.failed)
        return HX_OK;
    compiler_tools_done(ret_tools);
    return HX_NO_MEMORY;
}

void compiler_tools_done(struct compiler_tools *tools)
{
    text_done(&tools->clang);
    text_done(&tools->libclc);
}
