/* The places pass.
 *
 * Takes the bytes of a file, leaves a tree of nodes that know where they stand. It runs libyaml's event
 * parser, not its document loader, because events come one at a time: limits are checked before memory is
 * spent, and several faults of one file can be reported. libyaml counts characters, and lines by its own
 * rules; diagnostics count bytes and newlines. A cursor follows the events through the bytes and translates,
 * moving a little at a time, so that a file of one long line costs no more than any other. */
#include "yaml/places.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_DEFAULT 64
#define NODES_DEFAULT 4000000
#define BYTES_DEFAULT FILE_TEXT_LIMIT_BYTES
#define ANCHORS_MAX   256 /* they are searched one by one, here and in libcyaml */

struct anchor {
    const char *name;
    struct yaml_node *node; /* NULL while it is being read */
    size_t nodes, bytes;    /* in it */
};

/* A position as libyaml has it (characters) and as we do; line is 1-based. */
struct cursor {
    size_t characters, offset, line_start;
    int line;
};

/* The keys seen so far, of all mappings: a hash table with open addressing. */
struct key_slot {
    const struct yaml_node *mapping, *key;
};

struct reader {
    yaml_parser_t parser;
    struct arena *arena;
    hx_diag *diag;
    const struct source *source;
    struct yaml_limits limits;
    size_t nodes, bytes;
    hx_status status; /* of the first error */
    bool is_stopped;  /* by an error that leaves no way on */
    struct cursor cursor;
    LIST(struct anchor) anchors;
    struct key_slot *keys;
    size_t keys_used, keys_capacity;
};

static void note(struct reader *reader, hx_status status)
{
    if (reader->status == HX_OK || status == HX_NO_MEMORY)
        reader->status = status;
}

static void *stop(struct reader *reader, hx_status status)
{
    note(reader, status);
    reader->is_stopped = true;
    return NULL;
}

/* ---- Places -------------------------------------------------------------------------------------------- */

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void step_forward(struct cursor *cursor, const struct source *source)
{
    if (source->text[cursor->offset] == '\n') {
        cursor->line++;
        cursor->line_start = cursor->offset + 1;
    }
    do
        cursor->offset++;
    while (cursor->offset < source->bytes && continues(source->text[cursor->offset]));
    cursor->characters++;
}

static void step_back(struct cursor *cursor, const struct source *source)
{
    do
        cursor->offset--;
    while (cursor->offset > 0 && continues(source->text[cursor->offset]));
    if (source->text[cursor->offset] == '\n') {
        const char *before = memrchr(source->text, '\n', cursor->offset);
        cursor->line--;
        cursor->line_start = before ? (size_t)(before - source->text) + 1 : 0;
    }
    cursor->characters--;
}

static const struct cursor *move_to(struct reader *reader, size_t characters)
{
    struct cursor *cursor = &reader->cursor;
    while (cursor->characters < characters && cursor->offset < reader->source->bytes)
        step_forward(cursor, reader->source);
    while (cursor->characters > characters && cursor->offset > 0)
        step_back(cursor, reader->source);
    return cursor;
}

static struct place place_of_cursor(const struct reader *reader, size_t length)
{
    const struct cursor *cursor = &reader->cursor;
    return (struct place){reader->source, cursor->line, (int)(cursor->offset - cursor->line_start) + 1,
                          length > 0 ? (int)length : 1};
}

static struct place place_at(struct reader *reader, yaml_mark_t mark)
{
    move_to(reader, mark.index);
    return place_of_cursor(reader, 1);
}

/* Past an anchor, and a tag, to the value that they belong to; stays when nothing follows. */
static void skip_properties(struct reader *reader, size_t end)
{
    const struct cursor start = reader->cursor;
    const struct source *source = reader->source;
    struct cursor *cursor = &reader->cursor;
    while (cursor->offset < end) {
        char byte = source->text[cursor->offset];
        bool is_property = byte == '&' || byte == '!', is_comment = byte == '#';
        if (!is_property && !is_comment && !strchr(" \t\r\n", byte))
            return;
        do
            step_forward(cursor, source);
        while (cursor->offset < end && ((is_comment && source->text[cursor->offset] != '\n') ||
                                        (is_property && !strchr(" \t\r\n", source->text[cursor->offset]))));
    }
    *cursor = start;
}

/* The place of a value: of a scalar all of it that stands on its first line, of a collection its first byte.
 */
static struct place place_of_event(struct reader *reader, const yaml_event_t *event)
{
    move_to(reader, event->start_mark.index);
    if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return place_of_cursor(reader, 1);
    const struct cursor first = reader->cursor;
    size_t end = move_to(reader, event->end_mark.index)->offset;
    reader->cursor = first;
    if (event->type == YAML_SCALAR_EVENT && (event->data.scalar.anchor || event->data.scalar.tag))
        skip_properties(reader, end);
    const char *at = reader->source->text + reader->cursor.offset;
    size_t length = end > reader->cursor.offset ? end - reader->cursor.offset : 0;
    const char *newline = memchr(at, '\n', length);
    if (newline)
        length = (size_t)(newline - at);
    while (length > 1 && (at[length - 1] == '\r' || at[length - 1] == ' '))
        length--;
    return place_of_cursor(reader, length);
}

/* Where the text of a block scalar begins. Its first line that is not empty stands at the end of a line of
 * the file as it is, so what is longer there is the indentation, whether the header gave it or not. */
static void find_literal(const struct reader *reader, struct yaml_node *node)
{
    const char *end = reader->source->text + reader->source->bytes;
    const char *at = memchr(reader->source->text + reader->cursor.offset, '\n',
                            reader->source->bytes - reader->cursor.offset);
    size_t skipped = 0;
    while (skipped < node->text.length && node->text.at[skipped] == '\n') {
        at = at && at + 1 < end ? memchr(at + 1, '\n', (size_t)(end - at - 1)) : NULL;
        skipped++;
    }
    node->literal_line = node->place.line + 1;
    node->literal_column = 1;
    if (!at || skipped == node->text.length)
        return;
    const char *text = node->text.at + skipped, *newline = memchr(at + 1, '\n', (size_t)(end - at - 1));
    size_t shown = (size_t)((newline ? newline : end) - at - 1), wanted = strcspn(text, "\n");
    if (shown > 0 && at[shown] == '\r')
        shown--;
    if (shown >= wanted && memcmp(at + 1 + shown - wanted, text, wanted) == 0)
        node->literal_column = (int)(shown - wanted) + 1;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* What libyaml says, and what that mostly comes from. */
static const struct {
    const char *problem, *hint;
} hints[] = {
    {"tab character", "indent with spaces; YAML does not allow tabs there"},
    {"cannot start any token",
     "put the text in quotes; YAML gives @, ` and % a meaning of their own, and a tab is "
     "no indentation"},
    {"mapping values are not allowed", "check the indentation; a text with ': ' in it needs quotes"},
    {"block sequence entries are not allowed", "begin the list on a line of its own"},
    {"did not find expected key", "check the indentation of this line and of the one before it"},
    {"did not find expected '-' indicator", "check the indentation; each entry of the list begins with '- '"},
    {"could not find expected ':'", "a line of a mapping is 'key: value', with a blank behind the colon"},
    {"expected ',' or ']'", "a list in brackets is [a, b], closed by ]"},
    {"expected ',' or '}'", "a mapping in braces is {a: 1, b: 2}, closed by }"},
    {"expected <document start>", "the document has ended before; check the indentation"},
    {"unexpected end of stream", "look for a quote that is not closed"},
    {"unknown escape character",
     "in double quotes a backslash is written \\\\; single quotes have no escapes"},
};

static hx_status report_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "unreadable", *hint = NULL;
    for (size_t i = 0; i < HX_COUNT_OF(hints) && !hint; i++)
        if (strstr(problem, hints[i].problem))
            hint = hints[i].hint;
    if (!parser->context)
        return diag_report(reader->diag, DIAG_YAML_SYNTAX, place_at(reader, parser->problem_mark), hint,
                           "this is not YAML: %s", problem);
    struct place context = place_at(reader, parser->context_mark);
    return diag_report_noted(reader->diag, DIAG_YAML_SYNTAX, place_at(reader, parser->problem_mark), hint,
                             context, parser->context, "this is not YAML: %s", problem);
}

/* libyaml's reader gives an offset in bytes, of the byte that should have continued a character when one is
 * cut short, and may find the fault far ahead of the parser. */
static hx_status report_encoding(struct reader *reader)
{
    const char *problem = reader->parser.problem ? reader->parser.problem : "unreadable";
    const struct source *source = reader->source;
    size_t offset = reader->parser.problem_offset;
    if (strstr(problem, "trailing"))
        do
            offset--;
        while (offset > 0 && continues(source->text[offset]));
    while (reader->cursor.offset < offset && reader->cursor.offset < source->bytes)
        step_forward(&reader->cursor, source);
    bool is_control = strstr(problem, "control") != NULL;
    return diag_report(
        reader->diag, DIAG_YAML_ENCODING, place_of_cursor(reader, 1),
        is_control ? "remove it, or write it as an escape in double quotes" : "save the file as UTF-8",
        is_control ? "a control character (0x%02x) is not allowed here"
                   : "this is not UTF-8 text (byte 0x%02x)",
        reader->cursor.offset < source->bytes ? (unsigned char)source->text[reader->cursor.offset] : 0u);
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (reader->is_stopped)
        return false;
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    if (reader->parser.error == YAML_MEMORY_ERROR)
        stop(reader, diag_no_memory(reader->diag));
    else if (reader->parser.error == YAML_READER_ERROR)
        stop(reader, report_encoding(reader));
    else
        stop(reader, report_syntax(reader));
    return false;
}

struct properties {
    const yaml_char_t *anchor, *tag;
};

static struct properties properties_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return (struct properties){event->data.scalar.anchor, event->data.scalar.tag};
    case YAML_SEQUENCE_START_EVENT:
        return (struct properties){event->data.sequence_start.anchor, event->data.sequence_start.tag};
    case YAML_MAPPING_START_EVENT:
        return (struct properties){event->data.mapping_start.anchor, event->data.mapping_start.tag};
    default:
        return (struct properties){0};
    }
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* Counts nodes and bytes of text before memory is spent on them. */
static bool spend(struct reader *reader, struct place place, size_t nodes, size_t bytes)
{
    const struct yaml_limits *limits = &reader->limits;
    if (nodes > limits->nodes - reader->nodes)
        stop(reader,
             diag_report(reader->diag, DIAG_YAML_LIMIT, place, NULL, "the document has more than %zu nodes%s",
                         limits->nodes, nodes > 1 ? ", with what its aliases stand for" : ""));
    else if (bytes > limits->bytes - reader->bytes)
        stop(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, place, NULL,
                                 "the document has more than %zu bytes of text%s", limits->bytes,
                                 nodes > 1 ? ", with what its aliases stand for" : ""));
    if (reader->is_stopped)
        return false;
    reader->nodes += nodes;
    reader->bytes += bytes;
    return true;
}

static struct yaml_node *new_node(struct reader *reader, struct place place, enum yaml_kind kind)
{
    struct yaml_node *node = ARENA_NEW(reader->arena, struct yaml_node);
    if (!node)
        return stop(reader, diag_no_memory(reader->diag));
    node->kind = kind;
    node->place = place;
    node->text.at = "";
    return node;
}

static struct yaml_node *read_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct place place = place_of_event(reader, event);
    size_t length = event->data.scalar.length;
    struct yaml_node *node = spend(reader, place, 1, length) ? new_node(reader, place, YAML_SCALAR) : NULL;
    if (!node)
        return NULL;
    node->text.at = arena_copy(reader->arena, (const char *)event->data.scalar.value, length);
    node->text.length = length;
    if (!node->text.at)
        return stop(reader, diag_no_memory(reader->diag));
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->is_literal = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE;
    if (node->is_literal)
        find_literal(reader, node);
    if (memchr(node->text.at, 0, length))
        note(reader,
             diag_report(reader->diag, DIAG_YAML_ENCODING, place, NULL, "this text holds a NUL character"));
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

/* ---- Keys ---------------------------------------------------------------------------------------------- */

/* A mixing step with an odd constant (2^64 divided by the golden ratio). */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The slot of a key: the one where it is, or a free one. Addresses differ from run to run, so that a file
 * can't be made to collide. */
static struct key_slot *find_slot(const struct reader *reader, const struct yaml_node *mapping,
                                  const struct yaml_node *key)
{
    uint64_t hash = mix((uintptr_t)mapping, (uintptr_t)reader);
    for (size_t i = 0; i < key->text.length; i += sizeof hash) {
        uint64_t word = 0;
        size_t left = key->text.length - i;
        memcpy(&word, key->text.at + i, left < sizeof word ? left : sizeof word);
        hash = mix(hash, word);
    }
    for (size_t at = mix(hash, key->text.length);; at++) {
        struct key_slot *slot = &reader->keys[at & (reader->keys_capacity - 1)];
        if (!slot->key || (slot->mapping == mapping && slot->key->text.length == key->text.length &&
                           memcmp(slot->key->text.at, key->text.at, key->text.length) == 0))
            return slot;
    }
}

/* Keeps the table at most half full. */
static bool grow_keys(struct reader *reader)
{
    if (reader->keys_used * 2 < reader->keys_capacity)
        return true;
    size_t capacity = reader->keys_capacity, doubled = capacity ? capacity * 2 : 64;
    struct key_slot *old = reader->keys;
    struct key_slot *slots = memory_allocate(reader->arena->allocator, doubled, sizeof *slots);
    if (!slots)
        return false;
    reader->keys = slots;
    reader->keys_capacity = doubled;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].key)
            *find_slot(reader, old[i].mapping, old[i].key) = old[i];
    memory_free(reader->arena->allocator, old);
    return true;
}

static void check_key(struct reader *reader, const struct yaml_node *mapping, const struct yaml_node *key)
{
    if (key->kind != YAML_SCALAR) {
        note(reader,
             diag_report(reader->diag, DIAG_YAML_KIND, key->place,
                         "a key with special characters needs quotes", "a key must be a single word"));
        return;
    }
    if (key->is_plain && slice_equal(key->text, "<<"))
        note(reader, diag_report(reader->diag, DIAG_YAML_MERGE, key->place, "write the keys out",
                                 "merge keys are not allowed here"));
    if (!grow_keys(reader)) {
        stop(reader, diag_no_memory(reader->diag));
        return;
    }
    struct key_slot *slot = find_slot(reader, mapping, key);
    if (slot->key) {
        note(reader, diag_report_noted(reader->diag, DIAG_YAML_DUPLICATE_KEY, key->place,
                                       "remove one of the two", slot->key->place, "it was given here first",
                                       "key '" SLICE_FORMAT "' is given twice", SLICE_ARGS(key->text)));
        return;
    }
    *slot = (struct key_slot){mapping, key};
    reader->keys_used++;
}

static void read_children(struct reader *reader, struct yaml_node *parent, size_t depth)
{
    yaml_event_type_t end = parent->kind == YAML_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    const struct yaml_node *key = NULL;
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
            check_key(reader, parent, key);
        } else {
            child->key = key->text;
            child->key_place = key->place;
            append(parent, child);
            key = NULL;
        }
    }
}

/* ---- Anchors and aliases ------------------------------------------------------------------------------- */

/* A node that shares what the anchor's node has; NULL when reading must stop. */
static struct yaml_node *read_alias(struct reader *reader, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct place place = place_of_event(reader, event);
    const struct anchor *anchor = NULL;
    for (size_t i = reader->anchors.count; i-- > 0 && !anchor;)
        if (strcmp(reader->anchors.items[i].name, name) == 0)
            anchor = &reader->anchors.items[i];
    if (!anchor || !anchor->node) {
        note(reader, diag_report(reader->diag, DIAG_YAML_ALIAS, place, NULL,
                                 anchor ? "'*%s' is a part of what it stands for"
                                        : "there is no anchor '&%s' before this alias",
                                 name));
        return new_node(reader, place, YAML_SCALAR); /* stands in for it, to go on */
    }
    if (!spend(reader, place, anchor->nodes, anchor->bytes))
        return NULL;
    struct yaml_node *node = new_node(reader, place, anchor->node->kind);
    if (!node)
        return NULL;
    *node = *anchor->node;
    node->place = place;
    node->key = (struct slice){0};
    node->key_place = (struct place){0};
    node->is_literal = false; /* its text stands elsewhere */
    node->next = NULL;
    return node;
}

/* Makes a place for an anchor; its node comes when it is read in full. */
static bool open_anchor(struct reader *reader, const yaml_event_t *event, const char *name)
{
    struct anchor anchor = {.name = arena_copy(reader->arena, name, strlen(name)),
                            .nodes = reader->nodes,
                            .bytes = reader->bytes};
    if (reader->anchors.count >= ANCHORS_MAX) {
        stop(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, place_at(reader, event->start_mark), NULL,
                                 "the document has more than %d anchors", ANCHORS_MAX));
        return false;
    }
    if (!anchor.name || !LIST_PUSH(reader->arena->allocator, &reader->anchors, anchor)) {
        stop(reader, diag_no_memory(reader->diag));
        return false;
    }
    return true;
}

static void close_anchor(const struct reader *reader, struct anchor *anchor, struct yaml_node *node)
{
    anchor->nodes = reader->nodes - anchor->nodes;
    anchor->bytes = reader->bytes - anchor->bytes;
    anchor->node = node;
}

/* Reads the node that begins with `event`; NULL when reading must stop. */
static struct yaml_node *read_node(struct reader *reader, const yaml_event_t *event, size_t depth)
{
    const struct properties properties = properties_of(event);
    size_t anchor = reader->anchors.count;
    if (properties.tag)
        note(reader,
             diag_report(reader->diag, DIAG_YAML_TAG, place_at(reader, event->start_mark), "remove the tag",
                         "tags such as '%s' are not allowed here", (const char *)properties.tag));
    if (depth > reader->limits.depth)
        return stop(reader, diag_report(reader->diag, DIAG_YAML_LIMIT, place_of_event(reader, event), NULL,
                                        "the document is more than %zu levels deep", reader->limits.depth));
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event);
    if (properties.anchor && !open_anchor(reader, event, (const char *)properties.anchor))
        return NULL;
    struct yaml_node *node = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        node = read_scalar(reader, event);
    } else {
        struct place place = place_of_event(reader, event);
        enum yaml_kind kind = event->type == YAML_MAPPING_START_EVENT ? YAML_MAPPING : YAML_SEQUENCE;
        node = spend(reader, place, 1, 0) ? new_node(reader, place, kind) : NULL;
        if (node)
            read_children(reader, node, depth);
    }
    if (node && properties.anchor)
        close_anchor(reader, &reader->anchors.items[anchor], node);
    return reader->is_stopped ? NULL : node;
}

/* ---- The document -------------------------------------------------------------------------------------- */

static struct yaml_node *read_stream(struct reader *reader)
{
    struct yaml_node *root = NULL;
    yaml_event_t event;
    for (bool going = true; going && next_event(reader, &event);) {
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (root)
                stop(reader,
                     diag_report(reader->diag, DIAG_YAML_SECOND_DOCUMENT, place_at(reader, event.start_mark),
                                 "put it into a file of its own", "a second document begins here"));
            break;
        case YAML_STREAM_END_EVENT:
            going = false;
            break;
        default:
            root = read_node(reader, &event, 1);
        }
        yaml_event_delete(&event);
    }
    bool is_empty = !root || (root->kind == YAML_SCALAR && root->is_plain && root->text.length == 0);
    if (reader->status == HX_OK && is_empty)
        note(reader, diag_report(reader->diag, DIAG_YAML_EMPTY, (struct place){reader->source, 1, 1, 1}, NULL,
                                 "'%s' holds no document", reader->source->name));
    return root;
}

static struct yaml_limits with_defaults(const struct yaml_limits *limits)
{
    struct yaml_limits result = limits ? *limits : (struct yaml_limits){0};
    result.depth = result.depth ? result.depth : DEPTH_DEFAULT;
    result.nodes = result.nodes ? result.nodes : NODES_DEFAULT;
    result.bytes = result.bytes ? result.bytes : BYTES_DEFAULT;
    return result;
}

hx_status yaml_document_read(struct arena *arena, hx_diag *diag, const struct source *source,
                             const struct yaml_limits *limits, struct yaml_document **ret_document)
{
    struct reader reader = {.arena = arena, .diag = diag, .source = source, .cursor = {.line = 1}};
    reader.limits = with_defaults(limits);
    if (source->bytes > reader.limits.bytes)
        return diag_report(diag, DIAG_YAML_LIMIT, (struct place){.source = source}, NULL,
                           "'%s' has %zu bytes, at most %zu are read", source->name, source->bytes,
                           reader.limits.bytes);
    if (!yaml_parser_initialize(&reader.parser))
        return diag_no_memory(diag);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->text, source->bytes);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    struct yaml_node *root = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    LIST_DONE(arena->allocator, &reader.anchors);
    memory_free(arena->allocator, reader.keys);
    if (reader.status != HX_OK)
        return reader.status;
    struct yaml_document *document = ARENA_NEW(arena, struct yaml_document);
    if (!document)
        return diag_no_memory(diag);
    *document = (struct yaml_document){source, root};
    *ret_document = document;
    return HX_OK;
}
