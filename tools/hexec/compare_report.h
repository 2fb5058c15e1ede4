/* What hexec compare prints. */
#pragma once

#include "command.h"

struct compare_report {
    const hx_comparison *comparison;
    const char *old_path, *new_path;
    bool is_verbose; /* lists all changes */
};

/* For people, of at most 80 columns where names allow; for an issue or a pull request; for programs. */
void compare_print_text(struct text *out, const struct compare_report *report);
void compare_print_markdown(struct text *out, const struct compare_report *report);
void compare_print_json(struct text *out, const struct compare_report *report);
