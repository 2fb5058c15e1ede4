/* YAML documents with places: the libyaml pass that gives every key and value its line and column, refuses
 * what a hexec file must not have (duplicate keys, tags, merge keys, a second document), and bounds what a
 * hostile file can cost. libcyaml then loads values from the same bytes (load.h). */
#pragma once

#include "base/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

/* A value. An alias is a node of its own, with its own place, that shares text and children with its anchor.
 */
struct yaml_node {
    enum yaml_kind kind;
    bool is_literal;   /* a block scalar written with '|' */
    bool is_plain;     /* a scalar without quotes */
    struct slice text; /* of a scalar, else empty; a NUL stands behind it and none in it */
    struct slice key;  /* in its mapping; empty elsewhere */
    struct place place, key_place;
    struct yaml_node *first, *last, *next; /* children in order; the next sibling */
    size_t count;                          /* of children */
    int literal_line, literal_column;      /* of a block scalar: where its text begins, 1-based */
};

struct yaml_document {
    const struct source *source;
    struct yaml_node *root;
};

/* Bounds; 0 means the default. What aliases stand for counts each time. */
struct yaml_limits {
    size_t depth; /* of nesting: 64 */
    size_t nodes; /* keys and values: 4 million */
    size_t bytes; /* of the file, and of the text of all nodes: 64 MiB */
};

/* Reads a document; everything lives in `arena`. Borrows `source` for as long as the document. Reports all
 * that is wrong up to the first fault that leaves no way on (one of syntax, or a bound). HX_INVALID,
 * HX_NO_MEMORY. */
HX_MUST_CHECK hx_status yaml_document_read(struct arena *arena, hx_diag *diag, const struct source *source,
                                           const struct yaml_limits *limits,
                                           struct yaml_document **ret_document);

/* The child of a mapping with this key, or NULL; NULL and nodes that are no mapping have none. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);
/* The i-th child, or NULL. */
const struct yaml_node *yaml_at(const struct yaml_node *node, size_t index);
/* The node at a path of keys and indices such as "/buffers/0/type", which is a format of printf; NULL when
 * there is none. "" is the root. */
const struct yaml_node *yaml_find(const struct yaml_document *document, const char *path_format, ...)
    HX_PRINTF(2, 3);

/* Where a node stands, and where its key does (the node itself when it has none); of NULL, no place. */
struct place yaml_place(const struct yaml_node *node);
struct place yaml_place_key(const struct yaml_node *node);
/* The place of byte `column` (0-based) of line `line` (0-based) of a scalar's text. Exact for block scalars
 * written with '|' and for scalars on one line without escapes, else the scalar's own place. */
struct place yaml_place_in_scalar(const struct yaml_node *node, int line, int column, int length);

/* Numbers as people type them, strictly; HX_INVALID with a diagnostic at the node, which says
 * what is wanted. A node that is no scalar is refused in the same way. */
HX_MUST_CHECK hx_status yaml_number_u64(const struct yaml_node *node, hx_diag *diag, uint64_t minimum,
                                        uint64_t maximum, uint64_t *ret_value);
HX_MUST_CHECK hx_status yaml_number_i64(const struct yaml_node *node, hx_diag *diag, int64_t minimum,
                                        int64_t maximum, int64_t *ret_value);
HX_MUST_CHECK hx_status yaml_number_f64(const struct yaml_node *node, hx_diag *diag, double *ret_value);
/* The message of a number that could not be read; used wherever people type numbers. `wanted` completes "...
 * is wanted": "an integer from 1 to 3". Returns HX_INVALID. */
hx_status yaml_number_problem(hx_diag *diag, struct place place, struct slice text, enum number_result result,
                              const char *wanted);
