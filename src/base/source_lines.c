/* Lines of sources, each found in one step. A compiled kernel with images has lines of a library of 240,000:
 * to count up to each of its instructions' took most of the time of printing it. */
#include "base/source_lines.h"

#include <string.h>

static bool find_starts(const hx_allocator *allocator, struct source_starts *starts)
{
    const char *text = starts->source->text, *end = text + starts->source->bytes;
    for (const char *at = text; at && at < end;) {
        if (!LIST_PUSH(allocator, &starts->bytes, (size_t)(at - text)))
            return false;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : NULL;
    }
    return true;
}

static const struct source_starts *starts_of(struct source_lines *lines, const struct source *source)
{
    for (size_t i = 0; i < lines->sources.count; i++)
        if (lines->sources.items[i].source == source)
            return &lines->sources.items[i];
    struct source_starts starts = {.source = source};
    if (find_starts(lines->allocator, &starts) && LIST_PUSH(lines->allocator, &lines->sources, starts))
        return &lines->sources.items[lines->sources.count - 1];
    LIST_DONE(lines->allocator, &starts.bytes);
    return NULL;
}

void source_lines_done(struct source_lines *lines)
{
    for (size_t i = 0; i < lines->sources.count; i++)
        LIST_DONE(lines->allocator, &lines->sources.items[i].bytes);
    LIST_DONE(lines->allocator, &lines->sources);
}

struct slice source_lines_at(struct source_lines *lines, const struct source *source, int line)
{
    const struct source_starts *starts = starts_of(lines, source);
    if (!starts)
        return source_line(source, line);
    const size_t index = line > 1 ? (size_t)line - 1 : 0;
    const size_t start = index < starts->bytes.count ? starts->bytes.items[index] : source->bytes;
    const struct source rest = {.text = source->text + start, .bytes = source->bytes - start};
    return source_line(&rest, 1);
}
