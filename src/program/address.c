/* Addresses as initial values.
 *
 * Takes the words that stand for them, leaves what they lead to: a buffer or an array, and a distance. The
 * number is known when the buffers have their addresses, in each run, so that a program keeps targets and
 * runs make numbers of them. A byte of an address is there for arrays of bytes, which structures of other
 * languages become (PTX ISA, "Initializers", has it as mask()). */
#include "program/address.h"

#include "program/parts.h"

#include "semantics/semantics.h"

#include <stdio.h>

/* Where an address's target is; NULL: nowhere. */
static const struct array_list *list_of(const hx_program *program, const struct address_target *target)
{
    const struct kernel *kernel =
        target->kernel < program->kernel_count ? &program->kernels[target->kernel] : NULL;
    switch (target->kind) {
    case TARGET_BUFFER:
        return &program->buffers;
    case TARGET_CONSTANT:
        return &program->constants;
    case TARGET_SHARED:
        return kernel ? &kernel->shared : NULL;
    case TARGET_LOCAL:
        return kernel ? &kernel->local : NULL;
    case TARGET_NONE:
        break;
    }
    return NULL;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

static bool add_arrays(struct address_names *names, const struct array_list *list,
                       struct address_target target)
{
    for (size_t i = 0; i < list->count; i++) {
        target.index = (uint32_t)i;
        if (!names_add(&names->arrays, slice_of(list->items[i].name), (uint32_t)names->targets.count) ||
            !LIST_PUSH(names->arrays.allocator, &names->targets, target))
            return false;
    }
    return true;
}

hx_status address_names_make(const hx_program *program, hx_diag *diag, struct address_names *ret_names)
{
    const hx_allocator *allocator = program->arena.allocator;
    struct address_names names = {
        .program = program, .buffers.allocator = allocator, .arrays.allocator = allocator};
    bool made = add_arrays(&names, &program->constants, (struct address_target){.kind = TARGET_CONSTANT});
    for (size_t i = 0; made && i < program->buffers.count; i++)
        made = names_add(&names.buffers, slice_of(program->buffers.items[i].name), (uint32_t)i);
    for (size_t k = 0; made && k < program->kernel_count; k++) {
        const struct kernel *kernel = &program->kernels[k];
        made = add_arrays(&names, &kernel->shared,
                          (struct address_target){.kind = TARGET_SHARED, .kernel = (uint16_t)k}) &&
               add_arrays(&names, &kernel->local,
                          (struct address_target){.kind = TARGET_LOCAL, .kernel = (uint16_t)k});
    }
    names_sort(&names.buffers);
    names_sort(&names.arrays);
    if (!made) {
        address_names_done(&names);
        return diag_no_memory(diag);
    }
    *ret_names = names;
    return HX_OK;
}

void address_names_done(struct address_names *names)
{
    LIST_DONE(names->arrays.allocator, &names->targets);
    names_done(&names->buffers);
    names_done(&names->arrays);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct address_reader {
    const struct address_names *names;
    struct piece word;
    enum hx_type type;
    bool is_param;
    size_t at;
    hx_diag *diag;
    hx_status status;
};

static void fail(struct address_reader *reader, size_t start, size_t length, const char *hint,
                 const char *problem)
{
    if (reader->status == HX_OK)
        reader->status = diag_report(
            reader->diag, DIAG_PROGRAM_ADDRESS, piece_part(reader->word, start, length ? length : 1).place,
            hint, "address '" SLICE_FORMAT "': %s", SLICE_ARGS(reader->word.text), problem);
}

static char peek(struct address_reader *reader)
{
    const struct slice text = reader->word.text;
    while (reader->at < text.length && text_is_blank(text.at[reader->at]))
        reader->at++;
    return reader->at < text.length ? text.at[reader->at] : 0;
}

static bool accept(struct address_reader *reader, char c)
{
    const bool is_there = peek(reader) == c;
    reader->at += is_there;
    return is_there;
}

static struct slice take_name(struct address_reader *reader)
{
    (void)peek(reader);
    const struct slice text = reader->word.text;
    const size_t start = reader->at;
    while (reader->at < text.length && text_is_word(text.at[reader->at]))
        reader->at++;
    return (struct slice){text.at + start, reader->at - start};
}

static bool is_scalar(const hx_program *program, struct slice name)
{
    for (size_t i = 0; i < program->param_count; i++)
        if (slice_equal(name, program->params[i].name))
            return true;
    return false;
}

static const char *next_name(void *user, size_t index)
{
    const struct address_names *names = user;
    if (index >= names->arrays.list.count)
        return NULL;
    const struct address_target *target = &names->targets.items[names->arrays.list.items[index].number];
    return list_of(names->program, target)->items[target->index].name;
}

static const char *next_buffer(void *user, size_t index)
{
    const hx_program *program = ((const struct address_names *)user)->program;
    return index < program->buffers.count ? program->buffers.items[index].name : NULL;
}

static void fail_name(struct address_reader *reader, size_t start, struct slice name, bool is_buffer)
{
    char space[TEXT_HINT_BYTES];
    const bool is_other = names_find(is_buffer ? &reader->names->arrays : &reader->names->buffers, name);
    const char *near =
        text_suggest(name, is_buffer ? next_buffer : next_name, (void *)(uintptr_t)reader->names);
    if (!is_buffer && !is_other && !near && name.length == reader->word.text.length)
        reader->status = yaml_number_problem(reader->diag, reader->word.place, name, NUMBER_NOT_A_NUMBER,
                                             values_range(reader->type));
    else if (is_buffer && is_other)
        fail(reader, start, name.length, "write `generic(NAME)`, or NAME for its address in its own space",
             "this is an array, and no buffer");
    else if (is_buffer && is_scalar(reader->names->program, name))
        fail(reader, start, name.length, "name a buffer or an array", "a scalar parameter has no address");
    else if (is_buffer)
        fail(reader, start, name.length, text_did_you_mean(near, space), "there is no such buffer");
    else
        fail(reader, start, name.length,
             is_other ? "write `$` before the name of a buffer" : text_did_you_mean(near, space),
             "there is no such array");
}

static struct address_target find_buffer(struct address_reader *reader)
{
    const size_t start = reader->at;
    const struct slice text = take_name(reader);
    const struct name *name = names_find(&reader->names->buffers, text);
    if (!name)
        fail_name(reader, start, text, true);
    return (struct address_target){.kind = TARGET_BUFFER, .index = name ? name->number : 0};
}

/* `array`, or `kernel.array` */
static struct address_target find_array(struct address_reader *reader)
{
    (void)peek(reader);
    const hx_program *program = reader->names->program;
    const struct names *arrays = &reader->names->arrays;
    size_t start = reader->at, found_count = 0;
    struct slice text = take_name(reader), kernel = {0};
    if (accept(reader, '.')) {
        kernel = text;
        start = reader->at;
        text = take_name(reader);
    }
    struct address_target found = {0};
    const struct name *name = names_find(arrays, text);
    const struct name *const end = name ? arrays->list.items + arrays->list.count : NULL;
    for (; name && name < end && name->text.length == text.length &&
           memcmp(name->text.at, text.at, text.length) == 0;
         name++) {
        const struct address_target target = reader->names->targets.items[name->number];
        if (kernel.at &&
            (target.kind == TARGET_CONSTANT || !slice_equal(kernel, program->kernels[target.kernel].name)))
            continue;
        found = target;
        found_count++;
    }
    if (found_count == 0 && kernel.at && names_find(arrays, text))
        fail(reader, start, text.length, NULL, "the kernel has no such array, or is not there");
    else if (found_count == 0)
        fail_name(reader, start, text, false);
    else if (found_count > 1)
        fail(reader, start, text.length, "write KERNEL.NAME", "several kernels have such an array");
    return found;
}

static void close(struct address_reader *reader)
{
    if (!accept(reader, ')'))
        fail(reader, reader->at, 1, NULL, "the parenthesis is not closed");
}

static struct address_target read_wide(struct address_reader *reader)
{
    if (accept(reader, '$'))
        return find_buffer(reader);
    const size_t start = reader->at;
    if (slice_equal(take_name(reader), "generic") && accept(reader, '(')) {
        struct address_target target = find_array(reader);
        target.is_generic = true;
        close(reader);
        return target;
    }
    reader->at = start;
    return find_array(reader);
}

static struct address_target read_target(struct address_reader *reader)
{
    const size_t start = reader->at;
    if (peek(reader) != '$' && slice_equal(take_name(reader), "narrow") && accept(reader, '(')) {
        struct address_target target = read_wide(reader);
        target.is_narrow = true;
        close(reader);
        return target;
    }
    reader->at = start;
    return read_wide(reader);
}

static int64_t read_addend(struct address_reader *reader)
{
    const bool negative = peek(reader) == '-';
    if (!negative && peek(reader) != '+')
        return 0;
    reader->at++;
    (void)peek(reader);
    const size_t start = reader->at;
    const struct slice digits = take_name(reader);
    uint64_t bytes = 0;
    if (number_parse_u64(digits, &bytes) != NUMBER_OK || bytes > (uint64_t)INT64_MAX + negative)
        fail(reader, start, digits.length, "give the distance in bytes: $x + 8",
             "a number from 0 to 2^63 is expected behind the sign");
    return (int64_t)(negative ? 0 - bytes : bytes);
}

/* "0xff00(": which byte of the address it is. */
static uint8_t read_mask(struct address_reader *reader)
{
    const size_t start = reader->at;
    const struct slice digits = take_name(reader);
    uint64_t mask = 0;
    if (number_parse_u64(digits, &mask) == NUMBER_OK && accept(reader, '('))
        for (uint8_t byte = 0; byte < 8; byte++)
            if (mask == UINT64_C(0xff) << (8 * byte))
                return byte;
    fail(reader, start, digits.length, "0xff($x), 0xff00($x), 0xff0000($x), ... are its bytes",
         "an address begins with $, a name, or the mask of a byte");
    return 0;
}

bool address_is(struct slice word, enum hx_type type)
{
    if (word.length == 0 || type == HX_TYPE_NONE)
        return false;
    const char first = word.at[0];
    if (text_is_digit(first))
        return word.at[word.length - 1] == ')';
    return first == '$' || (text_is_word(first) && !type_is_float(type)) ||
           slice_starts_with(word, "generic(") || slice_starts_with(word, "narrow(");
}

bool address_begins(const struct address_names *names, struct slice word)
{
    size_t length = 0;
    while (length < word.length && text_is_word(word.at[length]))
        length++;
    const struct slice name = {word.at, length};
    const char next = length < word.length ? word.at[length] : 0;
    if (length == 0 || text_is_digit(word.at[0]))
        return length < word.length && next == '$';
    return next == '.' || (next == '(' && (slice_equal(name, "generic") || slice_equal(name, "narrow"))) ||
           (names_find(&names->arrays, name) && !is_scalar(names->program, name));
}

const char *address_problem(const hx_program *program, const struct address *address, enum hx_type type)
{
    const struct address_target *target = &address->target;
    const struct array_list *list = list_of(program, target);
    const bool is_any = target->kind == TARGET_BUFFER || target->is_generic;
    const bool is_wide = is_any && !target->is_narrow;
    if (!list || target->index >= list->count)
        return "there is no such buffer or array";
    if (!type_is_element(type) || type_is_float(type))
        return "an address is an integer";
    if (type_bits(type) == 8)
        return address->byte < 8 ? NULL : "an address has eight bytes";
    if (target->is_narrow && !is_any)
        return "an address in its own space is written without narrow";
    if (target->is_narrow && type_bits(type) != 32)
        return "an address that is narrow has 32 bits";
    if (address->byte)
        return "a byte of an address is an element of 8 bits";
    if (type_bits(type) < (is_wide ? 64 : 32))
        return is_wide ? "it has 64 bits" : "it has at least 32 bits";
    return NULL;
}

/* The type must hold it. */
static void check_type(struct address_reader *reader, const struct address *address, bool is_byte)
{
    const char *problem = address_problem(reader->names->program, address, reader->type);
    const char *hint = !is_byte           ? "make it type: u64"
                       : reader->is_param ? "give the whole address: $x"
                                          : "make it type: u8";
    char text[96];
    if (reader->status != HX_OK)
        return;
    if (reader->is_param && is_byte)
        problem = "a parameter is no byte of an address";
    else if (is_byte && type_bits(reader->type) != 8)
        problem = "a byte of an address is an element of 8 bits";
    else if (!is_byte && type_bits(reader->type) == 8)
        problem = "it has more bits";
    if (!problem)
        return;
    if (!is_byte && !reader->is_param && type_bits(reader->type) == 8)
        hint = "make it type: u64, or give its bytes: 0xff($x), 0xff00($x), ...";
    snprintf(text, sizeof text, "%s, and the type is %s", problem, hx_type_name(reader->type));
    fail(reader, 0, reader->word.text.length, hint, text);
}

hx_status address_read_target(const struct address_names *names, struct piece word, enum hx_type type,
                              hx_diag *diag, struct address_target *ret_target, size_t *ret_length)
{
    struct address_reader reader = {
        .names = names, .word = word, .type = type, .is_param = true, .diag = diag};
    const struct address address = {.target = read_target(&reader)};
    check_type(&reader, &address, false);
    if (reader.status == HX_OK) {
        *ret_target = address.target;
        *ret_length = reader.at;
    }
    return reader.status;
}

static hx_status read_all(struct address_reader *reader, struct address *ret_address)
{
    struct address address = {0};
    const bool is_byte = text_is_digit(peek(reader));
    if (is_byte)
        address.byte = read_mask(reader);
    if (reader->status == HX_OK)
        address.target = read_target(reader);
    if (reader->status == HX_OK)
        address.addend = read_addend(reader);
    if (is_byte && !accept(reader, ')'))
        fail(reader, reader->at, 1, NULL, "the parenthesis is not closed");
    if (peek(reader))
        fail(reader, reader->at, reader->word.text.length - reader->at, NULL,
             "something stands behind its end");
    check_type(reader, &address, is_byte);
    if (reader->status == HX_OK)
        *ret_address = address;
    return reader->status;
}

hx_status address_read(const struct address_names *names, struct piece word, enum hx_type type, hx_diag *diag,
                       struct address *ret_address)
{
    struct address_reader reader = {.names = names, .word = word, .type = type, .diag = diag};
    return read_all(&reader, ret_address);
}

hx_status address_read_param(const struct address_names *names, struct piece word,
                             struct program_param *param, hx_diag *diag)
{
    struct address address;
    struct address_reader reader = {
        .names = names, .word = word, .type = param->type, .is_param = true, .diag = diag};
    const hx_status status = read_all(&reader, &address);
    if (status != HX_OK)
        return status;
    param->target = address.target;
    param->follows = 0;
    param->bits = (uint64_t)address.addend & (UINT64_MAX >> (64 - type_bits(param->type)));
    param->has_value = true;
    return HX_OK;
}

/* ---- Printing ------------------------------------------------------------------------------------------ */

void address_print_target(struct text *text, const hx_program *program, const struct address_target *target)
{
    const bool is_of_kernel = target->kind == TARGET_SHARED || target->kind == TARGET_LOCAL;
    text_print(text, "%s%s", target->is_narrow ? "narrow(" : "",
               target->kind == TARGET_BUFFER ? "$"
               : target->is_generic          ? "generic("
                                             : "");
    const char *name = list_of(program, target)->items[target->index].name;
    if (is_of_kernel && (program->kernel_count > 1 || is_scalar(program, slice_of(name))))
        text_print(text, "%s.", program->kernels[target->kernel].name);
    text_print(text, "%s%s%s", name, target->is_generic ? ")" : "", target->is_narrow ? ")" : "");
}

void address_print(struct text *text, const hx_program *program, const struct address *address,
                   enum hx_type type)
{
    const uint64_t addend = (uint64_t)address->addend;
    const bool is_byte = type_bits(type) == 8;
    if (is_byte)
        text_print(text, "0x%llx(", 0xffull << (8 * address->byte));
    address_print_target(text, program, &address->target);
    if (address->addend)
        text_print(text, address->addend < 0 ? " - %llu" : " + %llu",
                   (unsigned long long)(address->addend < 0 ? 0 - addend : addend));
    if (is_byte)
        text_print(text, ")");
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

uint64_t address_of_target(const hx_program *program, const struct address_target *target,
                           const uint64_t *buffers)
{
    static const uint64_t windows[] = {
        [TARGET_CONSTANT] = CONSTANT_WINDOW, [TARGET_SHARED] = SHARED_WINDOW, [TARGET_LOCAL] = LOCAL_WINDOW};
    static const uint64_t narrow[] = {[TARGET_CONSTANT] = NARROW_WINDOWS + 2 * NARROW_WINDOW_BYTES,
                                      [TARGET_SHARED] = NARROW_WINDOWS,
                                      [TARGET_LOCAL] = NARROW_WINDOWS + NARROW_WINDOW_BYTES};
    if (target->kind == TARGET_NONE)
        return 0;
    if (target->kind == TARGET_BUFFER)
        return buffers[target->index] - (target->is_narrow ? NARROW_BASE : 0);
    return list_of(program, target)->items[target->index].offset + (target->is_narrow ? narrow[target->kind]
                                                                    : target->is_generic
                                                                        ? windows[target->kind]
                                                                        : 0);
}

uint64_t address_of_param(const hx_program *program, const struct program_param *param,
                          const uint64_t *buffers)
{
    if (param->target.kind == TARGET_NONE)
        return param->bits;
    return (param->bits + address_of_target(program, &param->target, buffers)) &
           (UINT64_MAX >> (64 - type_bits(param->type)));
}

hx_status address_check_narrow(const hx_program *program, const uint64_t *buffers, hx_diag *diag)
{
    for (size_t i = 0; i < program->param_count; i++) {
        const struct address_target *target = &program->params[i].target;
        if (target->kind != TARGET_BUFFER || !target->is_narrow)
            continue;
        const struct array *array = &program->buffers.items[target->index];
        const uint64_t begin = buffers[target->index], bytes = array->count * hx_type_bytes(array->type);
        if (begin >= NARROW_BASE && begin + bytes <= NARROW_BASE + NARROW_WINDOWS)
            continue;
        diag_report(diag, DIAG_MEMORY_LIMIT, program->params[i].place,
                    "make the buffers smaller, or compile for addresses of 64 bits",
                    "parameter '%s' has 32 bits, and buffer '%s' does not end below 3.2 GiB",
                    program->params[i].name, array->name);
        return HX_LIMIT;
    }
    return HX_OK;
}

void address_fill(const hx_program *program, const struct array *array, void *elements,
                  const uint64_t *buffers)
{
    const size_t bytes = hx_type_bytes(array->type);
    for (size_t i = 0; i < array->fill.relocation_count; i++) {
        const struct relocation *relocation = &array->fill.relocations[i];
        const struct address *address = &relocation->address;
        const uint64_t bits =
            (address_of_target(program, &address->target, buffers) + (uint64_t)address->addend) >>
            (8 * address->byte);
        const uint64_t kept = address->target.is_narrow && address->byte >= 4 ? 0 : bits;
        memcpy((char *)elements + relocation->element * bytes, &kept, bytes);
    }
}
