/* Statuses: names, sentences and exit codes, all from the one list in hexec/status.h. */
#include "hexec/status.h"

struct status_row {
    const char *name, *sentence;
    int exit_code;
};

static const struct status_row rows[] = {
#define STATUS_ROW(name, exit_code, sentence) {"HX_" #name, sentence, exit_code},
    HX_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};
_Static_assert(sizeof rows / sizeof *rows == HX_STATUS_COUNT, "a row for each status");

static const struct status_row unknown = {"HX_?", "unknown status", 5};

static const struct status_row *row_of(hx_status status)
{
    return (unsigned)status < HX_STATUS_COUNT ? &rows[status] : &unknown;
}

const char *hx_status_name(hx_status status)
{
    return row_of(status)->name;
}

const char *hx_status_sentence(hx_status status)
{
    return row_of(status)->sentence;
}

int hx_status_exit_code(hx_status status)
{
    return row_of(status)->exit_code;
}
