/* The stream that binary.c walks a program along: numbers, bytes and strings, appended when writing and taken
 * when reading. */
#pragma once

#include "asm/asm.h"

struct stream {
    bool reading;
    uint32_t version; /* of the form */
    hx_program *program;
    struct text out, out_strings; /* writing */
    const char *at, *end;         /* reading: where we are, and the end of the tables */
    const char *strings;          /* ... and the strings, to the end of the file */
    size_t string_bytes;
    hx_status status;
    const char *why;
};

/* The file cannot be used, because `why`; memory ran out. The first of these decides, and what follows does
 * nothing. */
void visit_refuse(struct stream *stream, const char *why);
void visit_no_memory(struct stream *stream);

void visit_bytes(struct stream *stream, void *bytes, size_t size);
/* A number from `least` to `most`, in as many bytes as `most` needs: 1, 2, 4 or 8. */
void visit_number(struct stream *stream, uint64_t *value, uint64_t least, uint64_t most);
void visit_f64(struct stream *stream, double *value);
/* Bits of a type, none beyond its width. */
void visit_bits(struct stream *stream, uint64_t *bits, enum hx_type type);
void visit_type(struct stream *stream, enum hx_type *type);
void visit_elements(struct stream *stream, const void **values, size_t *count, enum hx_type type);
/* Any UTF-8; a name. Never NULL. */
void visit_string(struct stream *stream, const char **string);
void visit_name(struct stream *stream, const char **name);
/* Memory of the program for items of which each takes at least `least` bytes of the file: a count that the
 * file cannot hold is refused before memory is taken for it. */
void *visit_allocate(struct stream *stream, size_t count, size_t size, size_t least);

/* visit_number for an lvalue of any integer type. */
#define VISIT(stream, lvalue, least, most)                                                                   \
    do {                                                                                                     \
        uint64_t visited = (uint64_t)(lvalue);                                                               \
        visit_number(stream, &visited, least, most);                                                         \
        if ((stream)->reading && (stream)->status == HX_OK)                                                  \
            (lvalue) = (__typeof__(lvalue))visited;                                                          \
    } while (0)

/* A count, and as many items. */
#define VISIT_LIST(stream, items, count, count_max, item_bytes, visit_item)                                  \
    do {                                                                                                     \
        VISIT(stream, count, 0, count_max);                                                                  \
        if ((stream)->reading)                                                                               \
            (items) = visit_allocate(stream, (stream)->status == HX_OK ? (count) : 0, sizeof *(items),       \
                                     item_bytes);                                                            \
        for (size_t item = 0; (stream)->status == HX_OK && item < (count); item++)                           \
            visit_item(stream, &(items)[item]);                                                              \
    } while (0)
