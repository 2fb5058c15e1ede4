/* What a run leaves: its buffers, compared with what the program expects, printed and saved.
 *
 * Takes a context after a run; leaves it as it is. */
#include "api/context.h"

#include "base/machine.h"
#include "program/parts.h"

#include <string.h>

hx_array_view hx_context_buffer_at(hx_context *context, size_t index)
{
    if (!context)
        return (hx_array_view){0};
    const hx_program *program = hx_context_program(context);
    if (!program || index >= program->buffers.count)
        return (hx_array_view){0};
    const struct array *array = &program->buffers.items[index];
    hx_array_view view = {.name = array->name,
                          .type = array->type,
                          .count = array->count,
                          .access = (hx_buffer_access)array->access};
    size_t count;
    hx_buffer *const *buffers = context_buffers(context, &count);
    if (index < count) {
        view.data = hx_buffer_data(buffers[index]);
        view.count = hx_buffer_bytes(buffers[index]) / hx_type_bytes(array->type);
    }
    return view;
}

static const char *buffer_name(void *context, size_t index)
{
    return hx_context_buffer_at(context, index).name;
}

hx_status hx_context_buffer(hx_context *context, const char *name, hx_diag *diag, hx_array_view *ret_view)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, ret_view);
    hx_array_view view;
    for (size_t i = 0; (view = hx_context_buffer_at(context, i)).name; i++)
        if (strcmp(view.name, name) == 0) {
            if (!view.data)
                return diag_report(diag, DIAG_PROGRAM_BUFFER, (struct place){0}, NULL,
                                   "buffer '%s' holds nothing before a run", name);
            *ret_view = view;
            return HX_OK;
        }
    return diag_report(diag, DIAG_PROGRAM_BUFFER, (struct place){0},
                       text_suggest(slice_of(name), buffer_name, context), "the program has no buffer '%s'",
                       name);
}

hx_status hx_context_check_expectations(hx_context *context, hx_diag *diag, size_t *ret_checked)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, ret_checked);
    diag_step(diag, "while comparing buffers with `expect`", NULL, 0, (struct place){0});
    const struct file_wait wait = context_wait(context);
    const hx_program *program = hx_context_program(context);
    hx_status worst = context_check_loaded(context, diag);
    if (worst != HX_OK)
        return worst;
    size_t count;
    hx_buffer *const *buffers = context_buffers(context, &count);
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        hx_status status = expectation->kind == EXPECT_FAULT ? HX_OK
                           : expectation->buffer < count
                               ? program_check_expectation(program, expectation,
                                                           hx_buffer_data(buffers[expectation->buffer]),
                                                           &wait, context_allocator(context), diag)
                               : HX_MISMATCH;
        worst = worst == HX_OK ? status : worst;
    }
    *ret_checked = program->expectation_count;
    return worst;
}

hx_status hx_context_verdict(hx_context *context, hx_status status, const hx_run_result *result,
                             hx_diag *diag, size_t *ret_checked)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, result);
    DIAG_REQUIRE(diag, ret_checked);
    const hx_program *program = hx_context_program(context);
    const struct expectation *fault = NULL;
    *ret_checked = 0;
    for (size_t i = 0; program && i < program->expectation_count; i++)
        fault = program->expectations[i].kind == EXPECT_FAULT ? &program->expectations[i] : fault;
    if (status == HX_FAULT && fault && (uint32_t)result->fault.kind == fault->fault)
        status = HX_OK;
    else if (status == HX_OK && fault) {
        diag_report(diag, DIAG_EXPECT_MISMATCH, fault->place, NULL,
                    "the program ran to its end, expected '%s'", hx_fault_text((hx_fault_kind)fault->fault));
        return HX_MISMATCH;
    }
    return status == HX_OK ? hx_context_check_expectations(context, diag, ret_checked) : status;
}

hx_status hx_context_save_buffer(hx_context *context, const char *name, const char *path, hx_diag *diag)
{
    DIAG_REQUIRE(diag, context);
    DIAG_REQUIRE(diag, name);
    DIAG_REQUIRE(diag, path);
    diag_step(diag, "while writing", path, 0, (struct place){0});
    hx_array_view view;
    struct file_writer *writer;
    const struct file_wait wait = context_wait(context);
    hx_status status = hx_context_buffer(context, name, diag, &view);
    if (status == HX_OK)
        status = file_writer_open(path, &wait, context_allocator(context), diag, &writer);
    if (status != HX_OK)
        return status;
    const uint64_t start = machine_now_ns();
    HX_SPAN(HX_DEBUG, "hexec::memory", "save", HX_STR("buffer", name), HX_STR("file", path));
    size_t length = strlen(path);
    HX_AUTO(text_done) struct text header = {.allocator = context_allocator(context)};
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0)
        npy_header(&header, view.type, view.count);
    if (header.failed) {
        file_writer_abandon(writer);
        return diag_no_memory(diag);
    }
    if (file_writer_put(writer, header.at, header.length) == HX_OK)
        (void)!file_writer_put(writer, view.data, view.count * hx_type_bytes(view.type));
    status = file_writer_commit(writer, diag);
    hx_record_transfer(view.count * hx_type_bytes(view.type), "D2H", machine_now_ns() - start);
    return status;
}

hx_status hx_context_print_buffer(hx_context *context, const char *name, uint64_t first, uint64_t count,
                                  hx_write_function write, void *user)
{
    MACHINE_FLOATS;
    DIAG_REQUIRE(NULL, context);
    DIAG_REQUIRE(NULL, name);
    DIAG_REQUIRE(NULL, write);
    hx_array_view view;
    hx_status status = hx_context_buffer(context, name, NULL, &view);
    HX_AUTO(text_done) struct text text = {.allocator = context_allocator(context)};
    for (uint64_t i = first; status == HX_OK && i < view.count && i - first < count; i++) {
        text_print(&text, "%s", i > first ? " " : "");
        values_print(&text, (const char *)view.data + i * hx_type_bytes(view.type), view.type);
        if (text.length > 4096 && !text.failed) {
            status = write(user, text.at, text.length);
            text.length = 0;
        }
    }
    if (status != HX_OK || text.failed)
        return text.failed ? HX_NO_MEMORY : status;
    return text.length ? write(user, text.at, text.length) : HX_OK;
}
