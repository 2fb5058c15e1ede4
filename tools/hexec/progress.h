/* The line of progress, on standard error when that is a terminal: it appears when a run takes longer than
 * two seconds, and goes away before anything else is written and at the end. */
#pragma once

#include "command.h"

struct progress_line;

/* What the line tells of besides hx_progress. */
enum progress_kind {
    PROGRESS_RUN,
    PROGRESS_PROFILE, /* runs are passes, and nobody knows how many there will be */
    PROGRESS_TEST     /* files, as progress_files has them */
};

/* From now on, until it is stopped; writes through the command's console make room for the line. NULL where
 * none is wanted (no terminal, --quiet, TERM=dumb, a log on the same terminal), and when it cannot be: it is
 * no reason to fail. All functions below take NULL. The console keeps the line; one command starts one at
 * most. */
struct progress_line *progress_start(struct command *command, enum progress_kind kind);
void progress_stop(struct progress_line *line);
/* When nobody writes through the console any more. */
void progress_free(struct progress_line *line);
/* What runs are given; NULL: nothing. */
hx_progress *progress_of(const struct progress_line *line);
/* Of hx_test_options; `user` is the line. */
void progress_files(void *user, size_t done, size_t files);
