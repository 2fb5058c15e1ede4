/* Why an instruction cannot be imported.
 *
 * Takes the opcode of a statement, leaves a sentence: PTX has no such instruction, hexec has none (with a
 * cure), or hexec does not have it with these types and modifiers. What PTX has is in known.def; what hexec
 * has, in its own tables, which were asked before. */
#include "ptx/importer.h"

#define PTX_NAMES(...)     static const char *const known_names[] = {__VA_ARGS__};
#define PTX_MODIFIERS(...) static const char *const known_modifiers[] = {__VA_ARGS__};
#define PTX_ABSENT(opcode, cure)
#include "ptx/known.def"
#undef PTX_NAMES
#undef PTX_MODIFIERS
#undef PTX_ABSENT

#define PTX_NAMES(...)
#define PTX_MODIFIERS(...)
#define PTX_ABSENT(opcode, cure) {opcode, cure},
static const struct absent {
    const char *opcode, *cure;
} absent[] = {
#include "ptx/known.def"
};
#undef PTX_NAMES
#undef PTX_MODIFIERS
#undef PTX_ABSENT

static bool is_among(struct slice name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equal(name, names[i]))
            return true;
    return false;
}

/* Is it no modifier of any instruction? Types, shapes and vectors have numbers. */
static bool is_wrong_modifier(struct slice part)
{
    for (size_t i = 0; i < part.length; i++)
        if (part.at[i] == ':' || (part.at[i] >= '0' && part.at[i] <= '9'))
            return false;
    return part.length > 0 && !is_among(part, known_modifiers, HX_COUNT_OF(known_modifiers));
}

/* A letter of types and a number of bits that no type has, such as u33. */
static bool is_wrong_type(struct slice part)
{
    static const char *const types[] = {"b1",  "b4",  "b8",  "b16", "b32", "b64", "b128", "u2",
                                        "u4",  "u8",  "u16", "u32", "u64", "s2",  "s4",   "s8",
                                        "s16", "s32", "s64", "f16", "f32", "f64"};
    if (part.length < 2 || !memchr("busf", part.at[0], 4))
        return false;
    for (size_t i = 1; i < part.length; i++)
        if (part.at[i] < '0' || part.at[i] > '9')
            return false;
    return !is_among(part, types, HX_COUNT_OF(types));
}

static const struct absent *find_absent(struct slice opcode)
{
    const struct absent *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < HX_COUNT_OF(absent); i++) {
        const size_t length = strlen(absent[i].opcode);
        if (length > longest && slice_starts_with(opcode, absent[i].opcode) &&
            (opcode.length == length || opcode.at[length] == '.')) {
            found = &absent[i];
            longest = length;
        }
    }
    return found;
}

/* `what` ends where the word begins. */
static const char *unknown_word(struct arena *arena, const char *what, struct slice word,
                                const char *const *known, size_t count)
{
    char hint[TEXT_HINT_BYTES];
    const char *question = text_did_you_mean(text_suggest_from(word, known, count), hint);
    return arena_format(arena, "PTX has no %s" SLICE_FORMAT "'%s%s", what, SLICE_ARGS(word),
                        question ? "; " : "", question ? question : "");
}

static const char *find_reason(struct arena *arena, struct slice opcode)
{
    struct slice name = opcode, part;
    size_t at = 0;
    ptx_next_part(opcode, &at, &name);
    const struct absent *found = find_absent(opcode);
    if (found)
        return arena_format(arena, "hexec has no '%s': %s", found->opcode, found->cure);
    if (!is_among(name, known_names, HX_COUNT_OF(known_names)))
        return unknown_word(arena, "instruction '", name, known_names, HX_COUNT_OF(known_names));
    while (ptx_next_part(opcode, &at, &part)) {
        if (is_wrong_type(part))
            return arena_format(arena, "PTX has no type '." SLICE_FORMAT "'", SLICE_ARGS(part));
        if (is_wrong_modifier(part))
            return unknown_word(arena, "modifier '.", part, known_modifiers, HX_COUNT_OF(known_modifiers));
    }
    return arena_format(arena, "hexec has no '" SLICE_FORMAT "' with these types and modifiers",
                        SLICE_ARGS(name));
}

void ptx_lacks_opcode(struct ptx_importer *importer)
{
    ptx_lacks(importer, find_reason(importer->code.arena, importer->statement->opcode));
}
