/* Names of the source: variables, enumerators, members of the object that a method is called for, and the
 * built-in variables of CUDA C.
 *
 * Takes a name as C++ writes it, `Mode::On`, and a scope, leaves where it leads; looked for is from the scope
 * outwards, as C++ does (N4659, 6.4): the blocks of the function, members of `this`, classes and namespaces
 * around it, the file. What is nowhere there may be of another file or namespace, if only one thing has the
 * name. */
#include "debug/expression.h"
#include "device/window.h"
#include "program/parts.h"

#include <assert.h>

#define PARTS_MOST 16 /* of a qualified name */
#define DEPTH_MOST 16 /* of scopes without a name in each other */

/* ---- Looking up ---------------------------------------------------------------------------------------- */

/* "ns::Mode::On" in parts. */
struct lookup {
    const struct dwarf *dwarf;
    struct slice parts[PARTS_MOST];
    unsigned count;
    bool is_global; /* :: stands before it */
    bool only_enumerators;
    uint32_t found;   /* DWARF_NONE: nothing */
    bool has_several; /* enumerators of different values */
};

static bool split(struct slice name, struct lookup *lookup)
{
    lookup->is_global = slice_starts_with(name, "::");
    for (size_t at = lookup->is_global ? 2 : 0; at <= name.length; at += 2) {
        size_t end = at;
        while (end < name.length && name.at[end] != ':')
            end++;
        if (lookup->count == PARTS_MOST || end == at)
            return false;
        lookup->parts[lookup->count++] = (struct slice){name.at + at, end - at};
        at = end;
    }
    return true;
}

/* The first thing that is found counts; of enumerators another one must be the same number. */
static void offer(struct lookup *lookup, uint32_t entry)
{
    const struct dwarf_entry *items = lookup->dwarf->entries.items;
    if (lookup->found == DWARF_NONE)
        lookup->found = entry;
    else if (items[entry].tag == DWARF_ENUMERATOR && items[lookup->found].tag == DWARF_ENUMERATOR)
        lookup->has_several |= items[entry].constant != items[lookup->found].constant;
}

static void look_in_enumeration(struct lookup *lookup, uint32_t enumeration, struct slice name)
{
    const struct dwarf_entry *items = lookup->dwarf->entries.items;
    for (uint32_t i = enumeration + 1; i < items[enumeration].end; i = items[i].end)
        if (items[i].tag == DWARF_ENUMERATOR && slice_same(items[i].name, name))
            offer(lookup, i);
}

/* Of a variable that is declared in a class or namespace: its definition, which stands elsewhere. */
static uint32_t find_definition(const struct dwarf *dwarf, uint32_t declaration)
{
    if (!dwarf->entries.items[declaration].is_declaration)
        return declaration;
    for (uint32_t i = 0; i < dwarf->entries.count; i++)
        if (dwarf->entries.items[i].origin == declaration && dwarf->entries.items[i].tag == DWARF_VARIABLE)
            return i;
    return DWARF_NONE;
}

/* Is it in the scope by what it says, and not only where the compiler wrote it down? */
static bool is_own(const struct dwarf *dwarf, uint32_t variable)
{
    const uint32_t origin = dwarf->entries.items[variable].origin;
    return origin >= dwarf->entries.count || !dwarf->entries.items[origin].is_declaration;
}

static void offer_variable(struct lookup *lookup, uint32_t variable)
{
    const struct dwarf *dwarf = lookup->dwarf;
    if (lookup->only_enumerators ||
        !slice_same(variable_name(dwarf, variable), lookup->parts[lookup->count - 1]))
        return;
    const uint32_t definition = is_own(dwarf, variable) ? find_definition(dwarf, variable) : DWARF_NONE;
    if (definition != DWARF_NONE)
        offer(lookup, definition);
}

/* What a scope itself has: `part` and those behind it, one in the other. */
static void look_in(struct lookup *lookup, uint32_t scope, unsigned part, unsigned depth)
{
    const struct dwarf *dwarf = lookup->dwarf;
    const struct dwarf_entry *items = dwarf->entries.items;
    const unsigned left = lookup->count - part;
    for (uint32_t i = scope + 1; i < items[scope].end && depth < DEPTH_MOST; i = items[i].end) {
        const struct dwarf_entry *child = &items[i];
        const uint32_t type = child->tag == DWARF_TYPEDEF ? dwarf_type_strip(dwarf, i) : i;
        const uint16_t tag = type == DWARF_NONE ? 0 : items[type].tag;
        const bool is_variable =
            tag == DWARF_VARIABLE || tag == DWARF_PARAMETER || (tag == DWARF_MEMBER && child->is_declaration);
        const bool is_meant = left > 1 && child->name.length && slice_same(child->name, lookup->parts[part]);
        if (tag == DWARF_ENUMERATION && (left == 1 ? child->tag == tag : left == 2 && is_meant))
            look_in_enumeration(lookup, type, lookup->parts[lookup->count - 1]);
        else if (left == 1 && is_variable)
            offer_variable(lookup, i);
        else if (tag == DWARF_NAMESPACE && child->name.length == 0)
            look_in(lookup, i, part, depth + 1);
        else if (is_meant && (tag == DWARF_NAMESPACE || tag == DWARF_STRUCTURE || tag == DWARF_CLASS ||
                              tag == DWARF_UNION || tag == DWARF_FUNCTION))
            look_in(lookup, type, part + 1, depth + 1);
    }
}

static bool is_of_function(uint16_t tag)
{
    return tag == DWARF_FUNCTION || tag == DWARF_INLINED || tag == DWARF_BLOCK;
}

/* In the blocks of a function, and it: *scope is the one around it then, if it is not found. */
static void look_in_function(struct lookup *lookup, uint32_t *scope)
{
    const struct dwarf *dwarf = lookup->dwarf;
    while (*scope != DWARF_NONE && is_of_function(dwarf->entries.items[*scope].tag)) {
        const bool is_last = dwarf->entries.items[*scope].tag != DWARF_BLOCK;
        look_in(lookup, *scope, 0, 0);
        if (lookup->found != DWARF_NONE)
            return;
        *scope = scope_parent(dwarf, *scope);
        if (is_last)
            return;
    }
}

/* Around a function: of another one, in which its class is, variables are not there. */
static void look_around(struct lookup *lookup, uint32_t scope)
{
    const struct dwarf *dwarf = lookup->dwarf;
    for (unsigned i = 0; i < SCOPES_MOST && scope != DWARF_NONE && lookup->found == DWARF_NONE;
         scope = scope_parent(dwarf, scope), i++) {
        lookup->only_enumerators = is_of_function(dwarf->entries.items[scope].tag);
        look_in(lookup, scope, 0, 0);
    }
    lookup->only_enumerators = false;
}

/* In all files; and then in whatever has a scope, for enumerators alone if the name has no qualifier. */
static void look_everywhere(struct lookup *lookup)
{
    const struct dwarf *dwarf = lookup->dwarf;
    for (unsigned pass = 0; pass < (lookup->is_global ? 1 : 2) && lookup->found == DWARF_NONE; pass++) {
        lookup->only_enumerators = pass > 0 && lookup->count == 1;
        for (uint32_t i = 0; i < dwarf->entries.count; i++) {
            const uint16_t tag = dwarf->entries.items[i].tag;
            if (tag == DWARF_UNIT || (pass > 0 && (tag == DWARF_NAMESPACE || tag == DWARF_STRUCTURE ||
                                                   tag == DWARF_CLASS || is_of_function(tag))))
                look_in(lookup, i, 0, 0);
            if (pass > 0 && lookup->count == 1 && tag == DWARF_ENUMERATION)
                look_in_enumeration(lookup, i, lookup->parts[0]);
        }
    }
}

/* ---- Bindings ------------------------------------------------------------------------------------------ */

static const struct triple {
    const char *name;
    enum special_register x;
} triples[] = {{"threadIdx", SPECIAL_TID_X},
               {"blockIdx", SPECIAL_CTAID_X},
               {"blockDim", SPECIAL_NTID_X},
               {"gridDim", SPECIAL_NCTAID_X}};

static bool bind_built_in(struct slice name, struct binding *binding)
{
    for (size_t i = 0; i < HX_COUNT_OF(triples); i++)
        if (slice_equal(name, triples[i].name)) {
            binding->kind = BOUND_TO_TRIPLE;
            binding->triple = (uint8_t)(i + 1);
            return true;
        }
    if (slice_equal(name, "warpSize"))
        binding->kind = BOUND_TO_WARP_SIZE;
    return binding->kind != BOUND_TO_NOTHING;
}

/* A member of what `this` leads to. */
static bool bind_member(const struct dwarf *dwarf, uint32_t scope, struct slice name, struct binding *binding)
{
    uint32_t self = DWARF_NONE;
    for (; self == DWARF_NONE && scope != DWARF_NONE && is_of_function(dwarf->entries.items[scope].tag);
         scope = dwarf->entries.items[scope].tag == DWARF_BLOCK ? scope_parent(dwarf, scope) : DWARF_NONE) {
        struct lookup lookup = {.dwarf = dwarf, .found = DWARF_NONE, .count = 1, .parts = {slice_of("this")}};
        look_in(&lookup, scope, 0, 0);
        self = lookup.found;
    }
    if (self == DWARF_NONE ||
        !dwarf_type_find_member(dwarf, dwarf_type_target(dwarf, variable_type(dwarf, self)), name,
                                &binding->member))
        return false;
    binding->kind = BOUND_TO_MEMBER;
    binding->entry = self;
    return true;
}

static void keep(const struct lookup *lookup, struct binding *binding)
{
    if (lookup->found == DWARF_NONE)
        return;
    binding->entry = lookup->found;
    binding->kind = lookup->has_several                                                   ? BOUND_TO_SEVERAL
                    : lookup->dwarf->entries.items[lookup->found].tag == DWARF_ENUMERATOR ? BOUND_TO_NUMBER
                                                                                          : BOUND_TO_ENTRY;
}

static void bind(const struct dwarf *dwarf, struct slice name, struct binding *binding)
{
    struct lookup lookup = {.dwarf = dwarf, .found = DWARF_NONE};
    uint32_t scope = binding->scope;
    binding->kind = BOUND_TO_NOTHING;
    binding->place.is_known = false;
    if (dwarf->entries.count == 0 || !split(name, &lookup))
        return;
    const bool is_plain = lookup.count == 1 && !lookup.is_global;
    if (!lookup.is_global)
        look_in_function(&lookup, &scope);
    if (lookup.found == DWARF_NONE && is_plain &&
        (bind_member(dwarf, binding->scope, name, binding) || bind_built_in(name, binding)))
        return;
    if (!lookup.is_global)
        look_around(&lookup, scope);
    if (lookup.found == DWARF_NONE)
        look_everywhere(&lookup);
    keep(&lookup, binding);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static struct value enumerator(const struct dwarf *dwarf, uint32_t entry)
{
    const uint32_t type = dwarf->entries.items[entry].parent;
    struct value value = {.declared = type + 1, .type = dwarf_type_of_number(dwarf, type)};
    value.bits = value_extend(dwarf->entries.items[entry].constant, value.type);
    return value;
}

static struct value own_member(struct evaluation *evaluation, struct binding *binding)
{
    struct value self;
    if (!eval_entry(evaluation, binding->entry, slice_of("this"), &binding->place, &self) ||
        evaluation->failed)
        return (struct value){0};
    const struct value object = eval_target(evaluation, &self);
    return evaluation->failed ? object : eval_part(evaluation, &object, &binding->member);
}

static uint64_t coordinate(const struct asker *asker, uint8_t triple, char letter)
{
    static_assert(SPECIAL_TID_Z == SPECIAL_TID_X + 2 && SPECIAL_CTAID_Z == SPECIAL_CTAID_X + 2 &&
                      SPECIAL_NTID_Z == SPECIAL_NTID_X + 2 && SPECIAL_NCTAID_Z == SPECIAL_NCTAID_X + 2,
                  "y and z of a special register are behind its x");
    const enum special_register special =
        (enum special_register)(triples[triple - 1].x + (unsigned)(letter - 'x'));
    return asker->block ? block_special(asker->block->block, special, asker->thread) : 0;
}

struct value eval_coordinate(struct evaluation *evaluation, const struct value *triple, struct slice name)
{
    struct value value = {.type = HX_TYPE_U32, .count = 1};
    if (name.length != 1 || name.at[0] < 'x' || name.at[0] > 'z')
        eval_fail(evaluation, "there is no member '" SLICE_FORMAT "'", SLICE_ARGS(name));
    else
        value.bits = coordinate(evaluation->asker, triple->triple, name.at[0]);
    return value;
}

void value_show_triple(const struct asker *asker, const struct value *value, char format, struct text *out)
{
    for (char letter = 'x'; letter <= 'z'; letter++) {
        const struct value one = {.type = HX_TYPE_U32, .bits = coordinate(asker, value->triple, letter)};
        text_print(out, "%s%c = ", letter == 'x' ? "{" : ", ", letter);
        value_print(&one, format, out);
    }
    text_append(out, "}", 1);
}

/* Somewhere, for a thread that may come. */
static bool is_known(const struct dwarf *dwarf, struct slice name)
{
    struct binding binding = {.scope = DWARF_NONE};
    bind(dwarf, name, &binding);
    if (binding.kind != BOUND_TO_NOTHING)
        return true;
    for (uint32_t i = 0; i < dwarf->entries.count; i++) {
        const uint16_t tag = dwarf->entries.items[i].tag;
        if ((tag == DWARF_VARIABLE || tag == DWARF_PARAMETER || tag == DWARF_MEMBER) &&
            slice_same(variable_name(dwarf, i), name))
            return true;
    }
    return false;
}

static bool bound_value(struct evaluation *evaluation, struct slice name, struct binding *binding,
                        struct value *ret_value)
{
    const struct asker *asker = evaluation->asker;
    switch (binding->kind) {
    case BOUND_TO_NOTHING:
        return false;
    case BOUND_TO_ENTRY:
        return eval_entry(evaluation, binding->entry, name, &binding->place, ret_value);
    case BOUND_TO_NUMBER:
        *ret_value = enumerator(&asker->engine->dwarf, binding->entry);
        return true;
    case BOUND_TO_MEMBER:
        *ret_value = own_member(evaluation, binding);
        return true;
    case BOUND_TO_TRIPLE:
        *ret_value = (struct value){.type = HX_TYPE_NONE, .triple = binding->triple, .count = 1};
        return asker->block != NULL;
    case BOUND_TO_WARP_SIZE:
        *ret_value = (struct value){.type = HX_TYPE_I32, .bits = state_warp_lanes(asker->engine)};
        return asker->block != NULL;
    case BOUND_TO_SEVERAL:
        eval_fail(evaluation, "several enumerators are named '" SLICE_FORMAT "': write which, as Color::Red",
                  SLICE_ARGS(name));
        return true;
    }
    return false;
}

bool eval_source_name(struct evaluation *evaluation, struct node *node, struct value *ret_value)
{
    const struct engine *engine = evaluation->asker->engine;
    struct binding *binding = &node->binding;
    if (evaluation->is_check) {
        *ret_value = eval_unknown();
        if (!node->is_checked) /* once: what C does not evaluate is checked for each thread */
            node->is_known = is_known(&engine->dwarf, node->name);
        node->is_checked = true;
        return node->is_known;
    }
    const struct stand *stand = eval_stand(evaluation);
    const uint32_t scope = stand ? stand->scope : DWARF_NONE;
    if (!engine->kernel || binding->kernel != engine->kernel || binding->scope != scope) {
        *binding = (struct binding){.kernel = engine->kernel, .scope = scope};
        bind(&engine->dwarf, node->name, binding);
    }
    return bound_value(evaluation, node->name, binding, ret_value);
}
