/* Loading a program.
 *
 * Takes a file or its bytes, leaves a program whose arrays are laid out. Which form it has, YAML or binary,
 * follows from its first bytes. */
#include "asm/asm.h"
#include "base/crc32.h"
#include "base/file.h"
#include "base/machine.h"
#include "ptx/ptx.h"

#include <string.h>

hx_status hx_program_load_bytes(const char *name, const char *directory, const void *bytes, size_t size,
                                const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                                hx_program **ret_program)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, name);
    if (!bytes && size > 0)
        return diag_missing(diag, __func__, "bytes");
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_program);
    diag_step(diag, "while reading", name, 0, (struct place){0});
    hx_program *program = memory_allocate(allocator, 1, sizeof *program);
    if (!program)
        return diag_no_memory(diag);
    arena_init(&program->arena, allocator);
    program->isa = isa;
    program->crc = crc32_of(bytes, size);
    program->source.text = arena_copy(&program->arena, bytes, size);
    program->source.name = program->path = arena_copy(&program->arena, name, strlen(name));
    program->source.bytes = size;
    program->directory =
        arena_copy(&program->arena, directory ? directory : ".", strlen(directory ? directory : "."));
    program->is_binary = binary_is(bytes, size);
    hx_status status = HX_NO_MEMORY;
    if (program->source.text && program->source.name && program->directory)
        status = program->is_binary                                         ? binary_load(program, diag)
                 : ptx_is_text(program->source.text, program->source.bytes) ? ptx_load(program, diag)
                                                                            : document_load(program, diag);
    if (status == HX_OK)
        status = program_layout(program, diag);
    if (status != HX_OK) {
        hx_program_free(program);
        return status == HX_NO_MEMORY ? diag_no_memory(diag) : status;
    }
    *ret_program = program;
    return HX_OK;
}

hx_status hx_program_load(const char *path, const hx_isa *isa, const hx_allocator *allocator, hx_diag *diag,
                          hx_program **ret_program)
{
    DIAG_REQUIRE(diag, path);
    DIAG_REQUIRE(diag, isa);
    DIAG_REQUIRE(diag, ret_program);
    diag_step(diag, "while reading", path, 0, (struct place){0});
    char *bytes;
    size_t size;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    HX_AUTO(text_done) struct text directory = {.allocator = allocator};
    const char *slash = strrchr(path, '/');
    text_append(&directory, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    if (directory.length == 0)
        text_append(&directory, "/", 1);
    status = directory.failed
                 ? diag_no_memory(diag)
                 : hx_program_load_bytes(path, directory.at, bytes, size, isa, allocator, diag, ret_program);
    memory_free(allocator, bytes);
    return status;
}
