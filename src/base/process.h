/* Programs that hexec runs and waits for, such as a compiler. */
#pragma once

#include "base/text.h"

/* A program with its input; all borrowed. */
struct process {
    const char *const *arguments; /* the program's name or path first, NULL behind the last */
    struct slice input;           /* what it reads from its standard input */
    /* Files that it can open under /proc/self/fd: the first is number PROCESS_FIRST_FILE. */
    const struct slice *files;
    size_t file_count;
    uint64_t limit_ns; /* it is killed after so long; time in which the caller is stopped does not count */
};
#define PROCESS_FIRST_FILE 3
#define PROCESS_FILES_MAX  400

enum process_end {
    PROCESS_EXITED,
    PROCESS_ENDED, /* how is not known: the caller ignores SIGCHLD */
    PROCESS_KILLED,
    PROCESS_TOO_LONG,
    PROCESS_NOT_FOUND,
    PROCESS_FAILED
};
struct process_result {
    enum process_end end;
    int code;                   /* exit status; signal; errno of PROCESS_NOT_FOUND and PROCESS_FAILED */
    struct text output, errors; /* what it wrote; process_result_done them */
};
void process_result_done(struct process_result *result);
/* Runs a program to its end. It has the caller's environment and folder, and no file of the caller's but
 * those above. Its signals have their default actions; SIGHUP, SIGINT and SIGQUIT are ignored where the
 * caller ignores them. Threads may call it at once. HX_NO_MEMORY; all else is in *result, which is given also
 * then. */
HX_MUST_CHECK hx_status process_run(const struct process *process, const hx_allocator *allocator,
                                    struct process_result *ret_result);
/* The path of a program that a shell would find, or of the path itself where it has a slash; false: there is
 * none that may be run. */
bool process_find(const char *name, struct text *ret_path);
