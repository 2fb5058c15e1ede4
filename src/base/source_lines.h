/* Lines of sources, each found in one step; source_line() counts from the first. */
#ifndef HEXEC_BASE_SOURCE_LINES_H
#define HEXEC_BASE_SOURCE_LINES_H

#include "base/diag.h"
#include "base/memory.h"

/* Where the lines of a source begin. */
struct source_starts {
    const struct source *source;
    LIST(size_t) bytes; /* of line 1 and so on */
};

/* Made with an allocator, the rest zero. A source is read at its first line, and must stay. */
struct source_lines {
    const hx_allocator *allocator;
    LIST(struct source_starts) sources; /* a program's own and the libraries', a few */
};

void source_lines_done(struct source_lines *lines);

/* As source_line(), which it is also where there is no memory. */
struct slice source_lines_at(struct source_lines *lines, const struct source *source, int line);

#endif
