/* Any bytes as a YAML document: read, checked and loaded against a schema, looked up, and all that is said
 * about them rendered. What must hold besides: places lie in the file, and where a value stands as it is, the
 * bytes at its place are its text. */
#include "yaml/load.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *name, *text;
    int choice;
};
struct top {
    char *program;
    struct entry *entries;
    unsigned entries_count;
    char **words;
    unsigned words_count;
    struct entry one;
};

static const cyaml_schema_value_t word = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_strval_t choices[] = {{"read", 0}, {"write", 1}};
static const cyaml_schema_field_t entry_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct entry, name, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("code", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct entry, text, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_ENUM("access", CYAML_FLAG_OPTIONAL | CYAML_FLAG_CASE_INSENSITIVE, struct entry, choice,
                     choices, 2),
    CYAML_FIELD_END};
static const cyaml_schema_value_t entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct entry, entry_fields)};
static const cyaml_schema_field_t top_fields[] = {
    CYAML_FIELD_STRING_PTR("program", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct top, program, 0, 100),
    CYAML_FIELD_SEQUENCE("buffers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct top, entries, &entry, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER_NULL_STR | CYAML_FLAG_OPTIONAL, struct top, words, &word,
                         1, 3),
    CYAML_FIELD_MAPPING("launch", CYAML_FLAG_OPTIONAL, struct top, one, entry_fields), CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct top, top_fields)};

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static void check_place(struct place place)
{
    REQUIRE(place.line >= 1 && place.column >= 1 && place.length >= 1);
    REQUIRE((size_t)place.column <= source_line(place.source, place.line).length + 2); /* a CR counts too */
}

/* libyaml makes one newline of CR LF, CR and NEL: then texts and files differ. */
static bool has_odd_line_ends(const struct source *source)
{
    return memchr(source->text, '\r', source->bytes) || memmem(source->text, source->bytes, "\xc2\x85", 2) ||
           memmem(source->text, source->bytes, "\xe2\x80", 2);
}

static void check_literal(const struct yaml_node *node)
{
    struct slice rest = node->text;
    for (int line = 0; rest.length > 0; line++) {
        const char *newline = memchr(rest.at, '\n', rest.length);
        size_t length = newline ? (size_t)(newline - rest.at) : rest.length;
        struct place place = yaml_place_in_scalar(node, line, 0, 1);
        struct slice shown = source_line(place.source, place.line);
        size_t first = (size_t)place.column - 1;
        if (length > 0)
            REQUIRE(first + length == shown.length && memcmp(shown.at + first, rest.at, length) == 0);
        rest.at += newline ? length + 1 : length;
        rest.length -= newline ? length + 1 : length;
    }
}

static void check_node(const struct yaml_node *node, size_t *budget)
{
    if ((*budget)-- == 0) {
        *budget = 0;
        return;
    }
    check_place(node->place);
    if (node->key_place.source)
        check_place(node->key_place);
    bool is_ordinary = !has_odd_line_ends(node->place.source);
    if (node->is_literal && is_ordinary)
        check_literal(node);
    struct slice shown = source_line(node->place.source, node->place.line);
    size_t first = (size_t)node->place.column - 1;
    if (node->kind == YAML_SCALAR && node->is_plain && is_ordinary && node->text.length > 0 &&
        first < shown.length && shown.at[first] != '*' && !memchr(shown.at, '&', shown.length) &&
        (size_t)node->place.length == node->text.length)
        REQUIRE(memcmp(shown.at + first, node->text.at, node->text.length) == 0);
    REQUIRE(node->kind != YAML_SCALAR || strlen(node->text.at) == node->text.length);
    size_t count = 0;
    for (const struct yaml_node *child = node->first; child && *budget > 0; child = child->next, count++)
        check_node(child, budget);
    REQUIRE(*budget == 0 || count == node->count);
}

static hx_status count_bytes(void *user, const char *text, size_t bytes)
{
    *(size_t *)user += bytes + (text[0] == 0);
    return HX_OK;
}

static void try_values(const struct yaml_node *node)
{
    uint64_t u64;
    int64_t i64;
    double f64;
    (void)!yaml_number_u64(node, NULL, 1, 100, &u64);
    (void)!yaml_number_i64(node, NULL, -5, 5, &i64);
    (void)!yaml_number_f64(node, NULL, &f64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hx_diag *diag;
    if (hx_diag_new(NULL, &diag) != HX_OK)
        return 0;
    struct arena arena = {0};
    const struct source source = {"fuzz.yaml", (const char *)data, size};
    const struct yaml_limits limits = {.nodes = 100000, .bytes = 1 << 20};
    struct yaml_document *document = NULL;
    hx_status status = yaml_document_read(&arena, diag, &source, &limits, &document);
    REQUIRE(status == (hx_diag_count_of(diag, HX_ERROR) ? HX_INVALID : HX_OK));
    if (status == HX_OK) {
        size_t budget = 2000;
        check_node(document->root, &budget);
        const struct yaml_node *first = yaml_find(document, "/buffers/0/name");
        if (first)
            try_values(first);
        void *loaded = NULL;
        status = yaml_load(document, &schema, &arena, diag, &loaded);
        REQUIRE(status == (hx_diag_count_of(diag, HX_ERROR) ? HX_INVALID : HX_OK));
        /* the check finds all that libcyaml would refuse */
        for (size_t i = 0; i < hx_diag_count(diag); i++)
            REQUIRE(hx_diag_at(diag, i)->code != DIAG_YAML_LOAD);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        REQUIRE(hx_diag_at(diag, i)->line > 0 || hx_diag_at(diag, i)->code == DIAG_YAML_LIMIT ||
                hx_diag_at(diag, i)->code == DIAG_LEFT_OUT);
        for (int json = 0; json < 2; json++)
            (void)!hx_diagnostic_render(hx_diag_at(diag, i), &(hx_render_options){.json = json, .color = 1},
                                        count_bytes, &bytes);
    }
    arena_done(&arena);
    hx_diag_free(diag);
    return 0;
}
