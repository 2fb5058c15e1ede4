/* The ways in which a host program ends, most of which leave its drivers no time to say anything. */
#pragma once

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does not return; what it does not know is an error. */
_Noreturn static inline void end_by(const char *how)
{
    if (strcmp(how, "return") == 0)
        exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(4);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(5);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "terminate") == 0)
        raise(SIGTERM);
    fprintf(stderr, "there is no end '%s'\n", how);
    exit(1);
}

/* Of a child that was forked: its exit status. */
static inline int end_of_child(pid_t child)
{
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
