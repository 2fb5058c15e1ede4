/* The places pass.
 *
 * Takes the bytes of a file, leaves a tree of nodes that know where they stand. It runs libyaml's event
 * parser, not its document loader, because events come one at a time: limits are checked before memory is
 * spent, and several faults of one file can be reported. An alias shares the node of its anchor, and the
 * nodes it stands for are counted, so that an alias bomb hits the limit and not the memory. */
#include "yaml/places.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_DEFAULT 64
#define NODES_DEFAULT 4000000

struct anchor {
    const char *name;
    struct yaml_node *node;
    size_t nodes; /* in it */
};

struct reader {
    yaml_parser_t parser;
    struct arena *arena;
    hx_diag *diag;
    const struct source *source;
    struct yaml_limits limits;
    size_t nodes;
    hx_status status;          /* of the first error */
    struct slice current_line; /* cache: text of line `current` */
    int current;
    const char *next_line;
    LIST(struct anchor) anchors;
};

static void note(struct reader *reader, hx_status status)
{
    if (reader->status == HX_OK)
        reader->status = status;
}

static struct slice line_of(struct reader *reader, int line)
{
    if (line < reader->current || !reader->next_line) {
        reader->current = 0;
        reader->next_line = reader->source->text;
    }
    const char *end = reader->source->text + reader->source->bytes;
    while (reader->current < line && reader->next_line <= end) {
        const char *at = reader->next_line;
        const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        reader->current_line = (struct slice){at, (size_t)((newline ? newline : end) - at)};
        reader->next_line = newline ? newline + 1 : end + 1;
        reader->current++;
    }
    return reader->current == line ? reader->current_line : (struct slice){NULL, 0};
}

/* libyaml counts characters; diagnostics count bytes. */
static struct place place_at(struct reader *reader, yaml_mark_t mark, int length)
{
    int line = (int)mark.line + 1;
    struct slice text = line_of(reader, line);
    size_t byte = 0;
    for (size_t characters = 0; characters < mark.column && byte < text.length; characters++)
        do
            byte++;
        while (byte < text.length && ((unsigned char)text.at[byte] & 0xc0) == 0x80);
    return (struct place){reader->source, line, (int)byte + 1, length > 0 ? length : 1};
}

static struct place place_of_event(struct reader *reader, const yaml_event_t *event)
{
    bool one_line = event->start_mark.line == event->end_mark.line;
    return place_at(reader, event->start_mark,
                    one_line ? (int)(event->end_mark.column - event->start_mark.column) : 1);
}

static struct yaml_node *new_node(struct reader *reader, const yaml_event_t *event, enum yaml_kind kind)
{
    struct yaml_node *node = ARENA_NEW(reader->arena, struct yaml_node);
    if (!node) {
        note(reader, diag_no_memory(reader->diag));
        return NULL;
    }
    node->kind = kind;
    node->place = place_of_event(reader, event);
    if (kind != YAML_SCALAR)
        node->place.length = 1;
    if (++reader->nodes > reader->limits.nodes) {
        note(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, node->place, NULL,
                                 "the document has more than %zu nodes", reader->limits.nodes));
        return NULL;
    }
    return node;
}

static const char *tag_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return (const char *)event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return (const char *)event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return (const char *)event->data.mapping_start.tag;
    default:
        return NULL;
    }
}

static const char *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return (const char *)event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return (const char *)event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return (const char *)event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        note(reader, diag_no_memory(reader->diag));
        return false;
    }
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) /* it gives a byte offset instead of a mark */
        for (size_t i = 0; i < parser->problem_offset && i < reader->source->bytes; i++) {
            mark.column = reader->source->text[i] == '\n' ? 0 : mark.column + 1;
            mark.line += reader->source->text[i] == '\n';
        }
    const char *problem = parser->problem ? parser->problem : "unreadable";
    struct place place = place_at(reader, mark, 1);
    if (parser->context)
        note(reader, diag_report_noted(reader->diag, DIAG_YAML_SYNTAX, place, NULL,
                                       place_at(reader, parser->context_mark, 1), parser->context,
                                       "this is not YAML: %s", problem));
    else
        note(reader,
             diag_report(reader->diag, DIAG_YAML_SYNTAX, place, NULL, "this is not YAML: %s", problem));
    return false;
}

static void find_literal_column(struct reader *reader, struct yaml_node *node, size_t mark_line)
{
    for (int line = (int)mark_line + 2;; line++) {
        struct slice text = line_of(reader, line);
        if (!text.at)
            return;
        size_t blanks = 0;
        while (blanks < text.length && text.at[blanks] == ' ')
            blanks++;
        if (blanks < text.length && text.at[blanks] != '\r') {
            node->literal_column = (int)blanks + 1;
            return;
        }
    }
}

static struct yaml_node *read_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct yaml_node *node = new_node(reader, event, YAML_SCALAR);
    if (!node)
        return NULL;
    node->text.at =
        arena_copy(reader->arena, (const char *)event->data.scalar.value, event->data.scalar.length);
    node->text.length = event->data.scalar.length;
    if (!node->text.at) {
        note(reader, diag_no_memory(reader->diag));
        return NULL;
    }
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->is_literal = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE;
    if (node->is_literal)
        find_literal_column(reader, node, event->start_mark.line);
    if (memchr(node->text.at, 0, node->text.length))
        note(reader, diag_report(reader->diag, DIAG_YAML_SYNTAX, node->place, NULL,
                                 "this text holds a NUL character"));
    return node;
}

static struct yaml_node *read_node(struct reader *reader, const yaml_event_t *event, size_t depth);

static void append(struct yaml_node *parent, struct yaml_node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

/* Keys are few, so a list is searched; but a hostile mapping may have a million. */
#define KEYS_MAX 4096

static void check_key(struct reader *reader, const struct yaml_node *parent, const struct yaml_node *key)
{
    if (slice_equal(key->text, "<<"))
        note(reader, diag_report(reader->diag, DIAG_YAML_MERGE, key->place, "write the keys out",
                                 "merge keys are not allowed here"));
    if (parent->count >= KEYS_MAX) {
        note(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, key->place, NULL,
                                 "a mapping has more than %d keys", KEYS_MAX));
        return;
    }
    for (const struct yaml_node *child = parent->first; child; child = child->next)
        if (child->key.length == key->text.length &&
            memcmp(child->key.at, key->text.at, key->text.length) == 0) {
            note(reader,
                 diag_report_noted(reader->diag, DIAG_YAML_DUPLICATE_KEY, key->place, "remove one of the two",
                                   child->key_place, "it was given here first",
                                   "key '" SLICE_FORMAT "' is given twice", SLICE_ARGS(key->text)));
            return;
        }
}

static void read_children(struct reader *reader, struct yaml_node *parent, size_t depth)
{
    yaml_event_type_t end = parent->kind == YAML_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    struct yaml_node *key = NULL;
    yaml_event_t event;
    while (next_event(reader, &event)) {
        bool at_end = event.type == end;
        struct yaml_node *child = at_end ? NULL : read_node(reader, &event, depth + 1);
        yaml_event_delete(&event);
        if (!child)
            return;
        if (parent->kind == YAML_SEQUENCE) {
            append(parent, child);
        } else if (!key) {
            key = child;
            if (key->kind != YAML_SCALAR) {
                note(reader, diag_report(reader->diag, DIAG_YAML_KIND, key->place, NULL,
                                         "a key must be a single word"));
                return;
            }
            check_key(reader, parent, key);
            if (parent->count >= KEYS_MAX)
                return;
        } else {
            child->key = key->text;
            child->key_place = key->place;
            append(parent, child);
            key = NULL;
        }
    }
}

static struct yaml_node *read_alias(struct reader *reader, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    for (size_t i = reader->anchors.count; i-- > 0;) {
        const struct anchor *anchor = &reader->anchors.items[i];
        if (strcmp(anchor->name, name) != 0 || !anchor->node)
            continue;
        struct yaml_node *node = new_node(reader, event, anchor->node->kind);
        if (!node || reader->limits.nodes - reader->nodes < anchor->nodes) {
            if (node)
                note(reader,
                     diag_report(reader->diag, DIAG_YAML_LIMIT, node->place, NULL,
                                 "with what its aliases stand for, the document has more than %zu nodes",
                                 reader->limits.nodes));
            return NULL;
        }
        reader->nodes += anchor->nodes;
        struct place place = node->place;
        *node = *anchor->node;
        node->place = place;
        node->is_literal = false; /* its text stands elsewhere */
        node->next = NULL;
        return node;
    }
    note(reader, diag_report(reader->diag, DIAG_YAML_ALIAS, place_of_event(reader, event), NULL,
                             "there is no anchor '&%s' before this alias", name));
    return NULL;
}

static struct yaml_node *read_node(struct reader *reader, const yaml_event_t *event, size_t depth)
{
    const char *tag = tag_of(event), *name = anchor_of(event);
    size_t nodes_before = reader->nodes;
    if (tag)
        note(reader, diag_report(reader->diag, DIAG_YAML_TAG, place_of_event(reader, event), "remove the tag",
                                 "tags such as '%s' are not allowed here", tag));
    if (depth > reader->limits.depth) {
        note(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, place_of_event(reader, event), NULL,
                                 "the document is more than %zu levels deep", reader->limits.depth));
        return NULL;
    }
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event);
    struct yaml_node *node;
    char *anchor_name = name ? arena_copy(reader->arena, name, strlen(name)) : NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        node = read_scalar(reader, event);
    } else {
        node =
            new_node(reader, event, event->type == YAML_MAPPING_START_EVENT ? YAML_MAPPING : YAML_SEQUENCE);
        if (node)
            read_children(reader, node, depth);
    }
    if (node && name) {
        struct anchor anchor = {anchor_name, node, reader->nodes - nodes_before};
        if (!anchor_name || !LIST_PUSH(reader->arena->allocator, &reader->anchors, anchor)) {
            note(reader, diag_no_memory(reader->diag));
            return NULL;
        }
    }
    return reader->status == HX_NO_MEMORY ? NULL : node;
}

static struct yaml_node *read_stream(struct reader *reader)
{
    struct yaml_node *root = NULL;
    bool second = false, going = true;
    while (going && reader->status != HX_NO_MEMORY) {
        yaml_event_t event;
        if (!next_event(reader, &event))
            break;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (root) {
                second = true;
                going = false;
                note(reader,
                     diag_report(reader->diag, DIAG_YAML_SECOND_DOCUMENT, place_of_event(reader, &event),
                                 "put it into a file of its own", "a second document begins here"));
            }
            break;
        case YAML_STREAM_END_EVENT:
            going = false;
            break;
        default:
            root = read_node(reader, &event, 1);
            going = root && reader->status == HX_OK;
        }
        yaml_event_delete(&event);
    }
    bool is_empty = !root || (root->kind == YAML_SCALAR && root->is_plain && root->text.length == 0);
    if (reader->status == HX_OK && !second && is_empty)
        note(reader, diag_report(reader->diag, DIAG_YAML_EMPTY, (struct place){reader->source, 1, 1, 1}, NULL,
                                 "'%s' holds no document", reader->source->name));
    return root;
}

hx_status yaml_document_read(struct arena *arena, hx_diag *diag, const struct source *source,
                             const struct yaml_limits *limits, struct yaml_document **ret_document)
{
    struct reader reader = {.arena = arena, .diag = diag, .source = source};
    reader.limits = limits ? *limits : (struct yaml_limits){DEPTH_DEFAULT, NODES_DEFAULT};
    if (!yaml_parser_initialize(&reader.parser))
        return diag_no_memory(diag);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->text, source->bytes);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    struct yaml_node *root = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    LIST_DONE(arena->allocator, &reader.anchors);
    if (reader.status != HX_OK)
        return reader.status;
    struct yaml_document *document = ARENA_NEW(arena, struct yaml_document);
    if (!document)
        return diag_no_memory(diag);
    *document = (struct yaml_document){source, root};
    *ret_document = document;
    return HX_OK;
}

/* ---- Looking things up --------------------------------------------------------------------------------- */

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != YAML_MAPPING)
        return NULL;
    for (const struct yaml_node *child = mapping->first; child; child = child->next)
        if (slice_equal(child->key, key))
            return child;
    return NULL;
}

const struct yaml_node *yaml_at(const struct yaml_node *node, size_t index)
{
    const struct yaml_node *child = node ? node->first : NULL;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

struct place yaml_place_in_scalar(const struct yaml_node *node, int line, int column, int length)
{
    if (!node->is_literal)
        return node->place;
    int first = node->literal_column > 0 ? node->literal_column : 1;
    return (struct place){node->place.source, node->place.line + 1 + line, first + column,
                          length > 0 ? length : 1};
}

hx_status yaml_number_problem(hx_diag *diag, struct place place, struct slice text, enum number_result result,
                              const char *wanted)
{
    switch (result) {
    case NUMBER_LEADING_ZERO:
        return diag_report(diag, DIAG_YAML_NUMBER, place,
                           "write it without the leading 0 (or 0x.. in hexadecimal)",
                           "'" SLICE_FORMAT "' begins with 0: decimal or octal?", SLICE_ARGS(text));
    case NUMBER_OUT_OF_RANGE:
        return diag_report(diag, DIAG_YAML_RANGE, place, NULL,
                           "'" SLICE_FORMAT "' is out of range: %s is wanted", SLICE_ARGS(text), wanted);
    default:
        return diag_report(diag, DIAG_YAML_NUMBER, place, NULL, "'" SLICE_FORMAT "' is not %s",
                           SLICE_ARGS(text), wanted);
    }
}

hx_status yaml_number_u64(const struct yaml_node *node, hx_diag *diag, uint64_t minimum, uint64_t maximum,
                          uint64_t *ret_value)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "an integer from %llu to %llu", (unsigned long long)minimum,
             (unsigned long long)maximum);
    uint64_t value = 0;
    enum number_result result = number_parse_u64(node->text, &value);
    if (result == NUMBER_OK && (value < minimum || value > maximum))
        result = NUMBER_OUT_OF_RANGE;
    if (result != NUMBER_OK)
        return yaml_number_problem(diag, node->place, node->text, result, wanted);
    *ret_value = value;
    return HX_OK;
}

hx_status yaml_number_f64(const struct yaml_node *node, hx_diag *diag, double *ret_value)
{
    enum number_result result = number_parse_f64(node->text, ret_value);
    return result == NUMBER_OK ? HX_OK
                               : yaml_number_problem(diag, node->place, node->text, result, "a number");
}
