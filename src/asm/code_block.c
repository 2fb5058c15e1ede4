/* Code blocks whose first line is not the least indented.
 *
 * Kernels are written with guards and labels to the left of instructions, so the first line of a `code: |`
 * block is often indented deeper than others. YAML takes a block's indentation from its first line and would
 * refuse the rest, unless the header says it: `code: |2`. This pass writes that digit for the author. It
 * changes nothing else: every line keeps its number, and all lines but the header their columns. */
#include "asm/asm.h"

#include <string.h>

struct block {
    const char *header_end;   /* behind the '|' */
    size_t least, first, key; /* indentation: least and first line's, and the key's */
    const char *end;          /* behind the block */
};

static size_t blanks(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at == ' ')
        at++;
    return (size_t)(at - start);
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* Is this line "code: |", perhaps behind a "- "? */
static bool is_header(const char *line, const char *end, struct block *block)
{
    static const char key[] = "code:";
    const char *at = line + blanks(line, end);
    while (at + 1 < end && at[0] == '-' && at[1] == ' ')
        at += 1 + blanks(at + 1, end);
    block->key = (size_t)(at - line);
    if ((size_t)(end - at) < sizeof key || memcmp(at, key, sizeof key - 1) != 0)
        return false;
    at += sizeof key - 1;
    at += blanks(at, end);
    if (at == end || *at != '|')
        return false;
    block->header_end = at + 1;
    at++;
    at += blanks(at, end);
    return at == end || *at == '\r' || *at == '#';
}

static void measure(const char *at, const char *end, struct block *block)
{
    block->least = block->first = SIZE_MAX;
    for (; at < end; at = line_end(at, end) + 1) {
        const char *stop = line_end(at, end);
        size_t indent = blanks(at, stop);
        if (at + indent == stop || at[indent] == '\r')
            continue;
        if (indent <= block->key)
            break;
        block->first = block->first == SIZE_MAX ? indent : block->first;
        block->least = indent < block->least ? indent : block->least;
    }
    block->end = at < end ? at : end;
}

hx_status code_blocks_indent(const struct source *source, struct text *ret_text)
{
    const char *at = source->text, *end = at + source->bytes;
    while (at < end) {
        const char *stop = line_end(at, end), *next = stop < end ? stop + 1 : end;
        struct block block;
        if (!is_header(at, stop, &block)) {
            text_append(ret_text, at, (size_t)(next - at));
            at = next;
            continue;
        }
        measure(next, end, &block);
        text_append(ret_text, at, (size_t)(block.header_end - at));
        if (block.first != SIZE_MAX && block.least < block.first && block.least - block.key <= 9)
            text_print(ret_text, "%zu", block.least - block.key);
        text_append(ret_text, block.header_end, (size_t)(block.end - block.header_end));
        at = block.end;
    }
    return ret_text->failed ? HX_NO_MEMORY : HX_OK;
}
