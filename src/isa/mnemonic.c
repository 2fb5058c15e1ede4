/* Mnemonics without a program: "setp.lt.and.f32" to an opcode, its types and modifiers.
 *
 * The longest dotted beginning that the instruction set knows is the mnemonic; of what follows, in any order,
 * each part is a type or a modifier. Nothing is reported here: the assembler (asm/mnemonic.c) says what is
 * wrong with one that does not fit. */
#include "isa/isa.h"

#include <string.h>

struct slice isa_cut_mnemonic(const hx_isa *isa, struct slice word)
{
    while (word.length > 0 && !isa_has_mnemonic(isa, word))
        do
            word.length--;
        while (word.length > 0 && word.at[word.length] != '.');
    return word;
}

enum hx_type isa_type_of(struct slice text)
{
    char word[8] = "";
    if (text.length == 0 || text.length >= sizeof word)
        return HX_TYPE_NONE;
    memcpy(word, text.at, text.length);
    return hx_type_find(word);
}

int isa_apply_modifier(const struct isa_opcode *opcode, struct slice word, uint8_t *modifiers)
{
    int result = 0;
    for (int group = 0; group < GROUP_COUNT; group++)
        for (unsigned value = 1; modifier_text(group, value); value++) {
            if (!(opcode->modifiers[group] >> value & 1) ||
                !slice_equal_nocase(word, modifier_text(group, value)))
                continue;
            if (modifiers[group] == 0) {
                modifiers[group] = (uint8_t)value;
                return 1;
            }
            result = -1;
        }
    return result;
}

static bool next_part(struct slice word, size_t *at, struct slice *ret_part)
{
    if (*at >= word.length)
        return false;
    const char *start = word.at + *at, *dot = memchr(start, '.', word.length - *at);
    *ret_part = (struct slice){start, dot ? (size_t)(dot - start) : word.length - *at};
    *at += ret_part->length + 1;
    return true;
}

bool isa_read_mnemonic(const hx_isa *isa, struct slice word, struct instruction *ret_instruction)
{
    const struct slice name = isa_cut_mnemonic(isa, word);
    enum hx_type types[2] = {HX_TYPE_NONE, HX_TYPE_NONE};
    unsigned count = 0;
    struct slice part;
    for (size_t at = name.length + 1; name.length > 0 && next_part(word, &at, &part);)
        if (count < 2 && isa_type_of(part) != HX_TYPE_NONE)
            types[count++] = isa_type_of(part);
    const struct isa_opcode *any,
        *opcode = name.length ? isa_find(isa, name, types[0], types[1], &any) : NULL;
    if (!opcode)
        return false;
    *ret_instruction = (struct instruction){
        .opcode = opcode, .type = (uint8_t)types[0], .source_type = (uint8_t)types[1], .guard = -1};
    count = 0;
    for (size_t at = name.length + 1; next_part(word, &at, &part);)
        if (count < 2 && isa_type_of(part) != HX_TYPE_NONE)
            count++;
        else if (isa_apply_modifier(opcode, part, ret_instruction->modifiers) != 1)
            return false;
    return opcode->expansion_count > 0 || instruction_semantic(ret_instruction) != SEMANTIC_NONE;
}
