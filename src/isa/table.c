/* The table: closed lists by name, looking opcodes up, expanding macro-opcodes. */
#include "isa/load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GROUP_WORDS(NAME, name, ...) static const char *const name##_words[] = {__VA_ARGS__, NULL};
MODIFIER_GROUPS(GROUP_WORDS)

static const struct {
    const char *name;
    const char *const *words;
    unsigned count;
} groups[] = {
#define GROUP_ROW(NAME, name, ...) {#name, name##_words, HX_COUNT_OF(name##_words) - 1},
    MODIFIER_GROUPS(GROUP_ROW)};

const char *modifier_group_name(enum modifier_group group)
{
    return groups[group].name;
}

const char *modifier_text(enum modifier_group group, unsigned value)
{
    return value >= 1 && value <= groups[group].count ? groups[group].words[value - 1] : NULL;
}

static const struct {
    const char *name;
    enum hx_type type;
} specials[] = {
#define SPECIAL_ROW(NAME, text, type) {text, HX_TYPE_##type},
    SPECIAL_REGISTERS(SPECIAL_ROW)};

const char *special_name(enum special_register special)
{
    return (unsigned)special < SPECIAL_COUNT ? specials[special].name : NULL;
}

enum hx_type special_type(enum special_register special)
{
    return specials[special].type;
}

int special_find(struct slice name)
{
    for (int i = 0; i < SPECIAL_COUNT; i++)
        if (slice_equal_nocase(name, specials[i].name))
            return i;
    return -1;
}

static int compare_names(const void *a, const void *b)
{
    const struct isa_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->opcode->index > y->opcode->index) - (x->opcode->index < y->opcode->index);
}

hx_status isa_index_build(hx_isa *isa)
{
    size_t count = 0;
    for (size_t i = 0; i < isa->opcode_count; i++)
        count += 1 + isa->opcodes[i].alias_count;
    struct isa_index *index = ARENA_NEW(&isa->arena, struct isa_index);
    struct isa_name *names = ARENA_ARRAY(&isa->arena, struct isa_name, count);
    if (!index || !names)
        return HX_NO_MEMORY;
    size_t filled = 0;
    for (size_t i = 0; i < isa->opcode_count; i++) {
        const struct isa_opcode *opcode = &isa->opcodes[i];
        names[filled++] = (struct isa_name){opcode->mnemonic, opcode};
        for (size_t j = 0; j < opcode->alias_count; j++)
            names[filled++] = (struct isa_name){opcode->aliases[j], opcode};
    }
    qsort(names, count, sizeof *names, compare_names);
    *index = (struct isa_index){names, count};
    isa->index = index;
    return HX_OK;
}

static int compare_slice(struct slice a, const char *b)
{
    size_t length = strlen(b), common = a.length < length ? a.length : length;
    int order = strncasecmp(a.at, b, common);
    return order ? order : (a.length > length) - (a.length < length);
}

/* The first entry of a mnemonic in the index, or count. */
static size_t first_of(const struct isa_index *index, struct slice mnemonic)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_slice(mnemonic, index->names[middle].name) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->count && compare_slice(mnemonic, index->names[low].name) == 0 ? low : index->count;
}

bool isa_has_mnemonic(const hx_isa *isa, struct slice mnemonic)
{
    return first_of(isa->index, mnemonic) < isa->index->count;
}

static bool has_type(uint32_t types, enum hx_type type)
{
    return type == HX_TYPE_NONE ? types == 0 : (types & TYPE_BIT(type)) != 0;
}

const struct isa_opcode *isa_find(const hx_isa *isa, struct slice mnemonic, enum hx_type type,
                                  enum hx_type source_type, const struct isa_opcode **ret_any)
{
    size_t i = first_of(isa->index, mnemonic);
    *ret_any = i < isa->index->count ? isa->index->names[i].opcode : NULL;
    for (; i < isa->index->count && compare_slice(mnemonic, isa->index->names[i].name) == 0; i++) {
        const struct isa_opcode *opcode = isa->index->names[i].opcode;
        if (has_type(opcode->types, type) && has_type(opcode->source_types, source_type))
            return opcode;
    }
    return NULL;
}

const char *isa_name_at(void *isa, size_t index)
{
    const struct isa_index *names = ((const hx_isa *)isa)->index;
    return index < names->count ? names->names[index].name : NULL;
}

void isa_expand_line(const struct isa_opcode *opcode, size_t index, const struct slice *operands,
                     struct slice type, struct slice source_type, struct text *text)
{
    for (const char *at = opcode->expansion[index]; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            text_append(text, at++, 1);
            continue;
        }
        struct slice name = {at + 1, (size_t)(end - at - 1)};
        if (slice_equal(name, "type"))
            text_append(text, type.at, type.length);
        else if (slice_equal(name, "source_type"))
            text_append(text, source_type.at, source_type.length);
        for (unsigned i = 0; i < opcode->form_count; i++) {
            char form[16];
            form_print(&opcode->forms[i], form);
            if (slice_equal(name, form))
                text_append(text, operands[i].at, operands[i].length);
        }
        at = end + 1;
    }
}
