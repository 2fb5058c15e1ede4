/* What the tests of tracing share: an environment of their own, and a sink that keeps what it gets as
 * text. */
#pragma once

#define UNIT_OWN_TRACING
#include "base/text.h"
#include "hexec/trace.h"
#include "unit.h"

#include <string.h>

/* Variables in the form NAME=value, up to a NULL; what hx_trace_options.get_variable wants. */
static inline const char *environment_get(void *user, const char *name)
{
    size_t length = strlen(name);
    for (const char *const *variable = user; variable && *variable; variable++)
        if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
            return *variable + length + 1;
    return NULL;
}

/* Options that see `environment` and nothing of the real one, and write no log. */
static inline hx_trace_options quiet_options(const char *const *environment)
{
    return (hx_trace_options){.size = sizeof(hx_trace_options),
                              .get_variable = environment_get,
                              .user = (void *)(uintptr_t)environment,
                              .no_log = 1,
                              .ring_records = 4096};
}

#if HX_TRACING
#include "base/json.h"

/* One line for each record: kind level target name{field=value ...} <parent */
static inline void sink_keep(void *user, const hx_trace_record *record)
{
    static const char *const kinds[] = {"event", "span", "perf", "enter"};
    static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
    struct text *text = user;
    text_print(text, "%s %s %s %s", kinds[record->kind], levels[record->level], record->target, record->name);
    for (size_t i = 0; i < record->field_count; i++) {
        struct json value = {.out = text};
        text_print(text, "%s%s=", i ? " " : "{", record->fields[i].name);
        json_field(&value, &record->fields[i]);
    }
    text_print(text, "%s", record->field_count ? "}" : "");
    if (record->parent)
        text_print(text, " <%s", record->parent);
    text_print(text, "\n");
}

static inline void trace_start(const hx_trace_options *options, struct text *kept)
{
    hx_diag *diag;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(hx_trace_add_sink(sink_keep, kept), HX_OK);
    ck_assert_int_eq(hx_trace_init(options, diag), HX_OK);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    hx_diag_free(diag);
}

/* Shuts tracing down; what was kept must be exactly that. */
static inline void trace_expect(struct text *kept, const char *expected)
{
    ck_assert_int_eq(hx_trace_shutdown(), HX_OK);
    ck_assert_str_eq(kept->at ? kept->at : "", expected);
    text_done(kept);
}
#endif
