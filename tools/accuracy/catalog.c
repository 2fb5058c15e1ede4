/* Finds the opcodes to be measured. Takes an instruction set, leaves names, operands and types. The public
 * API tells these in one way, the reference as JSON, which has one opcode a line: that is what is read here.
 */
#include "catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t bytes;
};

static hx_status append(void *user, const char *bytes, size_t count)
{
    struct text *text = user;
    char *longer = realloc(text->at, text->bytes + count + 1);
    if (!longer)
        return HX_NO_MEMORY;
    memcpy(longer + text->bytes, bytes, count);
    text->at = longer;
    text->bytes += count;
    longer[text->bytes] = '\0';
    return HX_OK;
}

/* What follows `"key":` on a line; NULL without the key. */
static const char *member(const char *line, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(line, quoted);
    return found ? found + strlen(quoted) : NULL;
}

static bool starts_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

static bool is_wanted(const char *name, const char *line)
{
    return starts_with(member(line, "class"), "\"math\"") || strcmp(name, "rcp") == 0 ||
           strcmp(name, "sqrt") == 0 || strcmp(name, "rsqrt") == 0;
}

static void read_types(const char *list, struct opcode *opcode)
{
    for (const char *at = list + 1; *at == '"'; at += *at == ',') {
        const size_t length = strcspn(at + 1, "\"");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        const hx_type type = hx_type_find(name);
        if (type < HX_TYPE_COUNT && format_of(type))
            opcode->types[type] = true;
        at += length + 2;
    }
}

static void read_line(const char *line, struct catalog *catalog)
{
    const char *name = member(line, "mnemonic"), *operands = member(line, "operands"),
               *types = member(line, "types");
    if (!starts_with(name, "\"") || !operands || !types || catalog->count == CATALOG_MAX)
        return;
    struct opcode *opcode = &catalog->opcodes[catalog->count];
    *opcode = (struct opcode){.sources = starts_with(operands, "[\"d\",\"a\"]")         ? 1
                                         : starts_with(operands, "[\"d\",\"a\",\"b\"]") ? 2
                                                                                        : 0};
    snprintf(opcode->name, sizeof opcode->name, "%.*s", (int)strcspn(name + 1, "\""), name + 1);
    if (opcode->sources == 0 || !is_wanted(opcode->name, line))
        return;
    read_types(types, opcode);
    opcode->function = function_find(opcode->name);
    if (opcode->function && (opcode->function->exact != NULL) != (opcode->sources == 1))
        opcode->function = NULL;
    catalog->count++;
}

static void read_library(struct catalog *catalog)
{
    *catalog = (struct catalog){0};
    for (size_t i = 0; function_of_library(i) && catalog->count < CATALOG_MAX; i++) {
        const struct function *function = function_of_library(i);
        struct opcode *opcode = &catalog->opcodes[catalog->count++];
        *opcode =
            (struct opcode){.sources = function->exact ? 1 : 2, .is_library = true, .function = function};
        snprintf(opcode->name, sizeof opcode->name, "%s", function->name);
        opcode->types[HX_TYPE_F32] = opcode->types[HX_TYPE_F64] = true;
    }
}

hx_status catalog_read(const hx_isa *isa, bool library, hx_diag *diag, struct catalog *ret_catalog)
{
    if (library) {
        read_library(ret_catalog);
        return HX_OK;
    }
    struct text text = {0};
    hx_status status = hx_isa_reference(isa, NULL, HX_ISA_JSON, diag, append, &text);
    if (status == HX_OK) {
        *ret_catalog = (struct catalog){0};
        for (char *line = text.at, *end; line; line = end) {
            if ((end = strchr(line, '\n')))
                *end++ = '\0';
            read_line(line, ret_catalog);
        }
    }
    free(text.at);
    return status;
}
