/* YAML documents with places: the libyaml pass that gives every key and value its line and column, refuses
 * what a hexec file must not have (duplicate keys, tags, merge keys, a second document), and bounds what a
 * hostile file can cost. libcyaml then loads values from the same bytes (load.h). */
#pragma once

#include "base/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    bool is_literal;   /* a block scalar written with '|' */
    bool is_plain;     /* a scalar without quotes */
    struct slice text; /* of a scalar */
    struct slice key;  /* in its mapping; empty elsewhere */
    struct place place, key_place;
    struct yaml_node *first, *last, *next; /* children in order; the next sibling */
    size_t count;                          /* of children */
    int literal_column;                    /* of a block scalar: where its text begins, 1-based */
};

struct yaml_document {
    const struct source *source;
    struct yaml_node *root;
};

struct yaml_limits {
    size_t depth, nodes; /* nodes: aliases count as all they stand for */
};

/* Reads a document; everything lives in `arena`. Borrows `source`. HX_INVALID with what was wrong,
 * HX_NO_MEMORY. `limits` NULL: 64 levels, 4 million nodes. */
HX_MUST_CHECK hx_status yaml_document_read(struct arena *arena, hx_diag *diag, const struct source *source,
                                           const struct yaml_limits *limits,
                                           struct yaml_document **ret_document);

/* The child of a mapping with this key, or NULL; NULL and nodes that are no mapping have none. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);
/* The i-th child, or NULL. */
const struct yaml_node *yaml_at(const struct yaml_node *node, size_t index);
/* The place of byte `column` (0-based) of line `line` (0-based) of a scalar's text; exact for block scalars,
 * else the scalar's own place. */
struct place yaml_place_in_scalar(const struct yaml_node *node, int line, int column, int length);

/* Numbers and booleans as people type them, with a diagnostic at the node. */
HX_MUST_CHECK hx_status yaml_number_u64(const struct yaml_node *node, hx_diag *diag, uint64_t minimum,
                                        uint64_t maximum, uint64_t *ret_value);
HX_MUST_CHECK hx_status yaml_number_f64(const struct yaml_node *node, hx_diag *diag, double *ret_value);
/* The message of a number that could not be read; used wherever people type numbers. */
hx_status yaml_number_problem(hx_diag *diag, struct place place, struct slice text, enum number_result result,
                              const char *wanted);
