/* What the files that write the Firefox Profiler's format share: the state of a profile that is being
 * written. */
#pragma once

#include "trace/files/file.h"

/* A node in the tree of a thread's stacks. */
struct firefox_stack {
    uint32_t prefix, name; /* its parent, FIREFOX_NONE for a root; index in the thread's names */
};
#define FIREFOX_NONE UINT32_MAX
struct firefox_writing {
    struct event_file *file;
    const struct spool_entry *first; /* the thread's entries */
    size_t count;
    LIST(const char *) names; /* the thread's strings; a function for each */
    LIST(struct firefox_stack) stacks;
    uint32_t *stack_of; /* of each entry */
    uint64_t *own_ns;   /* without the spans inside */
    uint32_t *name_of;  /* of each shape */
};

static inline const struct spool_shape *firefox_shape_of(const struct firefox_writing *writing,
                                                         const struct spool_entry *entry)
{
    return &writing->file->spool.shapes.items[entry->shape];
}

/* Writes "hexec-00012", the name of the marker schema of a shape, as a JSON string. */
void firefox_schema_name(uint16_t shape, struct json *json);
#define FIREFOX_CATEGORY_SPAN  0 /* the order of meta.categories */
#define FIREFOX_CATEGORY_OTHER 1

/* The members "threads" and "counters" of the profile. */
void firefox_put_threads(struct firefox_writing *writing);
void firefox_put_counters(struct firefox_writing *writing);
