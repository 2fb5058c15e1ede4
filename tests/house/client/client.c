/* A program of somebody who uses an installed hexec: runs the program named, prints the elements of y. */
#include <hexec/hexec.h>

#include <stdio.h>

/* Names that hexec uses inside are the program's to use. */
const char *file_read(void);
const char *file_read(void)
{
    return "the client's own";
}
int arena_init = 7;

static hx_status print(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? HX_OK : HX_IO;
}

static hx_status run(const char *path, hx_diag *diag, hx_context *context)
{
    hx_run_result result = {.size = sizeof result};
    hx_status status = hx_context_load(context, path, diag);
    if (status == HX_OK)
        status = hx_context_run(context, NULL, diag, &result);
    size_t checked = 0;
    if (status == HX_OK)
        status = hx_context_check_expectations(context, diag, &checked);
    if (status == HX_OK)
        status = hx_context_print_buffer(context, "y", 0, 4, print, stdout);
    if (status == HX_OK)
        printf("\n");
    return status == HX_OK && checked != 1 ? HX_MISMATCH : status;
}

int main(int argc, char **argv)
{
    hx_diag *diag = NULL;
    hx_context *context = NULL;
    if (argc != 2 || hx_diag_new(NULL, &diag) != HX_OK)
        return 2;
    hx_status status = hx_context_new(NULL, diag, &context);
    if (status == HX_OK)
        status = run(argv[1], diag, context);
    const hx_render_options plain = {0, 0};
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        (void)hx_diagnostic_render(hx_diag_at(diag, i), &plain, print, stderr);
    hx_context_free(context);
    hx_diag_free(diag);
    return hx_status_exit_code(status);
}
