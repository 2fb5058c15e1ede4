/* The command x: memory from a place on, as elements of a type.
 *
 * Takes a place as an expression names it, or an address, leaves rows of elements, each with its address and
 * what stands there: an element of a buffer, or the place and how far from it. */
#include "debug/expression.h"
#include "debug/table.h"
#include "device/window.h"
#include "program/parts.h"

#include <stdio.h>

#define EXAMINED_MOST   4096
#define COUNT_OTHERWISE 16 /* elements, where none is written */
#define PLACE_MOST      160
#define TEXT_MOST       200 /* characters of a text */

/* What is shown, and how. */
struct examined {
    struct value from; /* a number, where its elements begin */
    uint64_t count;
    bool has_count; /* it is written */
    char format;
    enum hx_type type;      /* that the command says; NONE: that of the place */
    char label[PLACE_MOST]; /* of a place of the source */
    bool is_array;          /* ... with elements of the type */
};

/* "/8xb": how many, how they are written, and how wide they are. */
static hx_status read_letters(struct hx_debugger *debugger, struct slice word, struct examined *examined)
{
    static const char sizes[] = "bhwg";
    static const enum hx_type integers[] = {HX_TYPE_U8, HX_TYPE_U16, HX_TYPE_U32, HX_TYPE_U64},
                              reals[] = {HX_TYPE_U8, HX_TYPE_F16, HX_TYPE_F32, HX_TYPE_F64};
    const char *size = NULL;
    uint64_t count = 0;
    size_t at = 1;
    for (; at < word.length && text_is_digit(word.at[at]) && count <= EXAMINED_MOST; at++)
        count = 10 * count + (uint64_t)(word.at[at] - '0');
    examined->has_count = at > 1;
    examined->count = at > 1 ? count : examined->count;
    for (; at < word.length; at++) {
        const char *found = strchr(sizes, word.at[at]);
        if (found)
            size = found;
        else if (strchr("xtducfsi", word.at[at]))
            examined->format = word.at[at];
        else
            break;
    }
    if (at < word.length || examined->count == 0 || examined->count > EXAMINED_MOST)
        return debug_wrong(
            debugger,
            "x/8xw shows 8 words as hexadecimal digits: x t d u c f, of b h w g; x/s text, x/i instructions",
            "'" SLICE_FORMAT "' is not a format", SLICE_ARGS(word));
    if (size)
        examined->type = (examined->format == 'f' ? reals : integers)[size - sizes];
    return HX_OK;
}

/* x PLACE [COUNT] [TYPE]: from the end, a type, a number; what stands before them is the place. */
static hx_status read_words(struct hx_debugger *debugger, struct slice *rest, struct examined *examined)
{
    for (int i = 0; i < 2; i++) {
        size_t from = rest->length;
        while (from > 0 && !text_is_blank(rest->at[from - 1]))
            from--;
        const struct slice word = {rest->at + from, rest->length - from};
        if (from == 0)
            break;
        const enum hx_type type = debug_type(word);
        uint64_t count;
        if (type_is_element(type) && examined->type == HX_TYPE_NONE)
            examined->type = type;
        else if (number_parse_u64(word, &count) == NUMBER_OK && count > 0 && count <= EXAMINED_MOST) {
            examined->count = count;
            examined->has_count = true;
            i = 2;
        } else
            break;
        *rest = slice_trim((struct slice){rest->at, from});
    }
    return rest->length > 0 ? HX_OK : debug_wrong(debugger, NULL, "x needs a place: x y[0] 16 f32");
}

/* The number that an array, or array of arrays, has as its elements; of a structure words. */
static enum hx_type number_of(const struct dwarf *dwarf, uint32_t type)
{
    for (unsigned depth = 0; depth < 16 && dwarf_type_is_array(dwarf, type); depth++)
        type = dwarf_type_target(dwarf, type);
    const enum hx_type number = dwarf_type_of_number(dwarf, type);
    return number != HX_TYPE_NONE ? number : dwarf_type_size(dwarf, type) % 4 ? HX_TYPE_U8 : HX_TYPE_U32;
}

/* A place of the source: a pointer leads to it, anything else is one. */
static void aim_at_source(const struct engine *engine, const struct value *value, struct slice place,
                          struct examined *examined)
{
    const struct dwarf *dwarf = &engine->dwarf;
    const uint32_t type = value->declared - 1;
    struct dwarf_type_elements elements;
    const bool is_pointer = dwarf_type_is_pointer(dwarf, type);
    struct value *from = &examined->from;
    *from = *value;
    const bool is_address = is_pointer && place.at[0] == '&';
    const struct slice name = {place.at + is_address, place.length - is_address};
    snprintf(examined->label, sizeof examined->label, "%s" SLICE_FORMAT, is_pointer && !is_address ? "*" : "",
             SLICE_ARGS(name));
    if (is_pointer) {
        const uint32_t target = dwarf_type_target(dwarf, type);
        from->space = dwarf_type_space(dwarf, type);
        from->address = value->bits;
        from->type = target == DWARF_NONE ? HX_TYPE_U8 : number_of(dwarf, target);
    } else {
        from->type = number_of(dwarf, type);
        examined->is_array = dwarf_type_elements(dwarf, type, value->dimension, &elements) &&
                             !elements.dimension && elements.bytes == type_bytes(from->type);
    }
    if (from->space == SPACE_GENERIC)
        from->space = window_resolve(&from->address);
}

static hx_status aim(struct hx_debugger *debugger, struct slice place, struct examined *examined)
{
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    if (expression_value(&asker, place, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (value.type == HX_TYPE_NONE && !value.has_address)
        return debug_wrong(debugger, NULL, "'" SLICE_FORMAT "' has no address", SLICE_ARGS(place));
    const bool is_pointer = value.declared && dwarf_type_is_pointer(&asker.engine->dwarf, value.declared - 1);
    if (value.declared && (value.has_address || is_pointer)) {
        aim_at_source(asker.engine, &value, place, examined);
    } else if (value.has_address) {
        examined->from = value;
    } else {
        examined->from = (struct value){.type = HX_TYPE_U32, .space = SPACE_GENERIC, .address = value.bits};
        examined->from.space = window_resolve(&examined->from.address);
    }
    if (examined->type != HX_TYPE_NONE) {
        examined->is_array &= type_bytes(examined->type) == type_bytes(examined->from.type);
        examined->from.type = examined->type;
    }
    return HX_OK;
}

static void print_label(const struct engine *engine, const struct examined *examined, uint64_t number,
                        struct text *out)
{
    const struct value *from = &examined->from;
    const uint64_t distance = number * type_bytes(from->type);
    text_print(out, "0x%llx ", (unsigned long long)(from->address + distance));
    if (!examined->label[0] || from->space == SPACE_GLOBAL)
        state_print_address(engine, from->space, from->address + distance, out);
    else if (examined->is_array)
        text_print(out, "%s[%llu]", examined->label, (unsigned long long)number);
    else if (number)
        text_print(out, "%s+0x%llx", examined->label, (unsigned long long)distance);
    else
        text_print(out, "%s", examined->label);
    text_append(out, ":", 1);
}

static hx_status show(struct hx_debugger *debugger, const struct examined *examined)
{
    const struct asker asker = debug_asker(debugger);
    const struct value *from = &examined->from;
    const unsigned bytes = type_bytes(from->type), per_line = bytes >= 8 ? 4 : 8;
    struct text *out = debugger->out;
    for (uint64_t i = 0; i < examined->count; i++) {
        const char *host = state_memory(asker.engine, asker.block, asker.thread, from->space,
                                        from->address + i * bytes, bytes);
        struct value one = {.type = from->type};
        if (!host && i == 0)
            return debug_wrong(debugger, "info buffers lists what there is", "there is no memory at 0x%llx",
                               (unsigned long long)from->address);
        if (!host) {
            text_print(out, "\nthere is no memory from 0x%llx on",
                       (unsigned long long)(from->address + i * bytes));
            break;
        }
        if (i % per_line == 0) {
            text_print(out, "%s", i ? "\n" : "");
            print_label(asker.engine, examined, i, out);
        }
        memcpy(&one.bits, host, bytes);
        text_append(out, " ", 1);
        value_print(&one, examined->format, out);
    }
    text_append(out, "\n", 1);
    return HX_OK;
}

/* x/s: texts of char that follow each other, each up to its 0. */
static hx_status show_texts(struct hx_debugger *debugger, const struct examined *examined)
{
    const struct asker asker = debug_asker(debugger);
    const struct value *from = &examined->from;
    uint64_t address = from->address;
    for (uint64_t i = 0; i < examined->count; i++) {
        char text[TEXT_MOST];
        const char *host = NULL;
        size_t length = 0;
        while (length < sizeof text &&
               (host = state_memory(asker.engine, asker.block, asker.thread, from->space, address + length,
                                    1)) &&
               *host)
            text[length++] = *host;
        if (!host && length == 0)
            return i > 0 ? HX_OK
                         : debug_wrong(debugger, "info buffers lists what there is",
                                       "there is no memory at 0x%llx", (unsigned long long)address);
        text_print(debugger->out, "0x%llx: ", (unsigned long long)address);
        value_print_text(text, length, length == sizeof text, debugger->out);
        text_append(debugger->out, "\n", 1);
        address += length + (length < sizeof text);
    }
    return HX_OK;
}

/* x/i: instructions from a number on, from the thread's own if none is written. */
static hx_status show_code(struct hx_debugger *debugger, struct slice rest, uint64_t count)
{
    const struct asker asker = debug_asker(debugger);
    const struct kernel *kernel = asker.engine->kernel;
    struct stand stand = {.instruction = UINT32_MAX};
    const bool is_there = stand_find(&asker, &stand);
    struct value value = value_integer(is_there ? stand.instruction : 0, true);
    char wrong[160];
    const hx_status status = debug_need_live(debugger);
    if (status != HX_OK)
        return status;
    if (rest.length > 0 && expression_value(&asker, rest, &value, wrong, sizeof wrong) != HX_OK)
        return debug_wrong(debugger, NULL, "%s", wrong);
    if (type_is_float(value.type) || value.bits >= kernel->code_count)
        return debug_wrong(debugger, "x/4i $pc", "kernel '%s' has the instructions 0 to %u", kernel->name,
                           kernel->code_count ? kernel->code_count - 1 : 0);
    for (uint64_t i = value.bits; i < kernel->code_count && i - value.bits < count; i++)
        debug_print_numbered(debugger, (uint32_t)i, stand.instruction);
    return HX_OK;
}

void debug_show_code(struct hx_debugger *debugger, struct slice from)
{
    const struct asker asker = debug_asker(debugger);
    struct value value;
    char wrong[160];
    const struct kernel *kernel = asker.engine->kernel;
    struct stand stand = {.instruction = UINT32_MAX};
    (void)stand_find(&asker, &stand);
    if (expression_value(&asker, from, &value, wrong, sizeof wrong) != HX_OK)
        text_print(debugger->out, "<%s>\n", wrong);
    else if (kernel && !type_is_float(value.type) && value.bits < kernel->code_count)
        debug_print_numbered(debugger, (uint32_t)value.bits, stand.instruction);
}

hx_status command_examine(struct hx_debugger *debugger, struct slice rest)
{
    struct examined examined = {.count = COUNT_OTHERWISE, .type = HX_TYPE_NONE};
    hx_status status = debug_need_buffers(debugger);
    if (status == HX_OK && rest.length > 0 && rest.at[0] == '/')
        status = read_letters(debugger, debug_word(&rest), &examined);
    if (status == HX_OK && examined.format == 'i')
        return show_code(debugger, rest, examined.has_count ? examined.count : 1);
    if (status == HX_OK)
        status = read_words(debugger, &rest, &examined);
    if (status == HX_OK)
        status = aim(debugger, rest, &examined);
    if (status == HX_OK && examined.format == 's') {
        examined.count = examined.has_count ? examined.count : 1;
        return show_texts(debugger, &examined);
    }
    return status == HX_OK ? show(debugger, &examined) : status;
}
