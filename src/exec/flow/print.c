/* Print and assert.
 *
 * Takes formats and numbers of lanes, leaves text in an order that does not depend on gangs and workers: a
 * block keeps what its threads print and sorts it by thread at its end; the launch outputs blocks in order of
 * their numbers. Formats come from the kernel's memory and are not trusted: they are read byte by byte within
 * mapped memory, and only known conversions reach snprintf, one at a time. */
#include "exec/flow/print.h"

#include "base/text.h"
#include "exec/faults.h"
#include "exec/flow/flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING_MAX   4096u /* bytes of a format or %s */
#define CONVERSION   32u   /* bytes of one, as it is handed to snprintf */
#define CONVERTED    512u  /* bytes of what it becomes */
#define ARGUMENT_MAX 3

/* ---- Strings of kernels -------------------------------------------------------------------------------- */

/* A place in constant memory, or a generic address; NULL where nothing is mapped. */
static const char *string_at(const struct gang_state *state, uint32_t lane, uint64_t address,
                             size_t *ret_room)
{
    const struct gang *gang = &state->gang;
    struct memory_window window = gang->constant;
    uint64_t at = address;
    if (at - SHARED_WINDOW < WINDOW_BYTES) {
        window = gang->shared;
        at -= SHARED_WINDOW;
    } else if (at - LOCAL_WINDOW < WINDOW_BYTES) {
        window = gang_local(state, lane);
        at -= LOCAL_WINDOW;
    } else if (at - CONSTANT_WINDOW < WINDOW_BYTES) {
        at -= CONSTANT_WINDOW;
    } else if (at >= gang->constant.size) {
        const hx_buffer *buffer = device_memory_find(device_memory(gang_launch(state)->device), at);
        struct memory_window inside;
        unsigned access;
        if (buffer)
            window = buffer->window;
        else if (!device_memory_find_mapped(device_memory(gang_launch(state)->device), at, 1, &window,
                                            &inside, &access))
            return NULL;
        at -= window.low;
    }
    if (at >= window.size)
        return NULL;
    *ret_room = window.size - at < STRING_MAX ? (size_t)(window.size - at) : STRING_MAX;
    return window.host + at;
}

/* ---- Formats ------------------------------------------------------------------------------------------- */

struct argument {
    enum hx_type type;
    uint64_t bits;
};

/* IEEE 754 binary16. */
static double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? fraction ? (double)NAN : (double)INFINITY
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(fraction + 1024, (int)exponent - 25);
    return copysign(magnitude, bits >> 15 ? -1.0 : 1.0);
}

static double as_double(struct argument argument)
{
    float narrow;
    double wide;
    memcpy(&narrow, &argument.bits, sizeof narrow);
    memcpy(&wide, &argument.bits, sizeof wide);
    switch (argument.type) {
    case HX_TYPE_F32:
        return (double)narrow;
    case HX_TYPE_F64:
        return wide;
    case HX_TYPE_F16:
        return half_value((unsigned)argument.bits);
    case HX_TYPE_I32:
        return (double)(int32_t)argument.bits;
    case HX_TYPE_I64:
        return (double)(int64_t)argument.bits;
    default:
        return (double)argument.bits;
    }
}

static uint64_t as_integer(struct argument argument)
{
    if (argument.type == HX_TYPE_I32)
        return (uint64_t)(int64_t)(int32_t)argument.bits;
    if (argument.type != HX_TYPE_F32 && argument.type != HX_TYPE_F64)
        return argument.bits;
    const double value = as_double(argument);
    const bool fits = value > -0x1p63 && value < 0x1p63;
    return fits ? (uint64_t)(int64_t)value : 0;
}

/* Where a format's arguments come from: a list, or a block in the lane's memory. */
struct argument_source {
    const struct argument *list;
    unsigned count; /* of the list that are left */
    bool is_block;
    uint64_t address; /* of the block's next argument */
};

/* A conversion, cut out of a format. */
struct conversion {
    char text[CONVERSION]; /* what snprintf is given */
    char letter;           /* 0: there is none */
    bool is_long;          /* an integer of 64 bits, as its argument lies in a block */
    unsigned narrowed;     /* %hd, %hhd: bits of the integer that count; 0: all */
    unsigned elements;     /* of a vector; 0: it is none */
    unsigned bytes;        /* of an element of the vector */
};

/* Cuts what may stand behind flags, width and precision: the "v4hl" of OpenCL C (3.0, 6.15.14), of which "hl"
 * is 4 bytes, and so is nothing; "ll". Returns where the letter is. */
static size_t cut_length(const char *format, size_t room, size_t i, struct conversion *conversion)
{
    unsigned halves = 0, longs = 0;
    if (i < room && format[i] == 'v') {
        unsigned count = 0;
        for (i++; i < room && format[i] >= '0' && format[i] <= '9' && count < 10; i++)
            count = 10 * count + (unsigned)(format[i] - '0');
        if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
            return room;
        conversion->elements = count;
    }
    for (; i < room && format[i] && strchr("hljztL", format[i]); i++)
        if (format[i] == 'h')
            halves++;
        else
            longs++;
    if (conversion->elements > 0) {
        conversion->bytes = halves >= 2 ? 1 : halves && longs ? 4 : halves ? 2 : longs ? 8 : 4;
    } else {
        conversion->narrowed = halves >= 2 ? 8 : halves ? 16 : 0;
        conversion->is_long = longs > 0;
    }
    return i;
}

/* Cuts "%-8.3llf" out of a format: into what snprintf is given, without the length of its argument. *at moves
 * behind it. */
static struct conversion cut_conversion(const char *format, size_t room, size_t *at)
{
    struct conversion conversion = {.letter = 0};
    char *const ret_text = conversion.text;
    size_t length = 0, i = *at + 1, digits = 0;
    ret_text[length++] = '%';
    for (; i < room && format[i] && strchr("-+ #0123456789.", format[i]); i++) {
        digits = format[i] >= '0' && format[i] <= '9' ? digits + 1 : 0;
        if (digits <= 3 && length < CONVERSION - 5)
            ret_text[length++] = format[i];
    }
    i = cut_length(format, room, i, &conversion);
    const char letter = i < room ? format[i] : 0;
    if (!letter || !strchr("diouxXcsfFeEgGaAp%", letter) ||
        (conversion.elements > 0 && strchr("csp%", letter)))
        return conversion;
    if (strchr("dioux", letter) || letter == 'X') {
        ret_text[length++] = 'l';
        ret_text[length++] = 'l';
    }
    ret_text[length++] = letter == 'p' ? 's' : letter;
    conversion.letter = letter;
    *at = i + 1;
    return conversion;
}

static bool is_integer(const struct conversion *conversion)
{
    return strchr("diouxX", conversion->letter) != NULL;
}

/* Where the next argument of a block lies, as C's variable arguments do for CUDA's vprintf: aligned to its
 * size, floats as doubles. Of a vector *ret_bytes are those of an element; one of 3 has the size of one of 4.
 */
static uint64_t place_in_block(const struct conversion *conversion, uint64_t *block, uint32_t *ret_bytes)
{
    if (conversion->elements > 0) {
        const uint64_t whole = conversion->bytes * (conversion->elements == 3 ? 4 : conversion->elements);
        const uint64_t vector = (*block + whole - 1) & ~(whole - 1);
        *ret_bytes = conversion->bytes;
        *block = vector + whole;
        return vector;
    }
    const bool is_narrow = conversion->letter == 'c' || (is_integer(conversion) && !conversion->is_long);
    *ret_bytes = is_narrow ? 4 : 8;
    const uint64_t address = (*block + *ret_bytes - 1) & ~(uint64_t)(*ret_bytes - 1);
    *block = address + *ret_bytes;
    return address;
}

void print_each_argument(const struct gang_state *state, uint32_t lane, uint64_t format_at, uint64_t block,
                         void (*take)(void *user, unsigned number, uint64_t address, uint32_t bytes),
                         void *user)
{
    unsigned number = 0;
    size_t room = 0, behind;
    const char *format = string_at(state, lane, format_at, &room);
    for (size_t at = 0; format && at < room && format[at]; at = behind > at ? behind : at + 1) {
        behind = at;
        if (format[at] != '%')
            continue;
        const struct conversion conversion = cut_conversion(format, room, &behind);
        if (!conversion.letter || conversion.letter == '%')
            continue;
        uint32_t bytes;
        const uint64_t address = place_in_block(&conversion, &block, &bytes);
        number++;
        for (unsigned i = 0; i == 0 || i < conversion.elements; i++)
            take(user, number, address + (uint64_t)i * bytes, bytes);
    }
}

static enum hx_type type_in_block(const struct conversion *conversion, uint32_t bytes)
{
    const bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
    if (conversion->elements > 0 && !is_integer(conversion))
        return bytes == 2 ? HX_TYPE_F16 : bytes == 4 ? HX_TYPE_F32 : HX_TYPE_F64;
    if (bytes <= 4)
        return is_signed ? HX_TYPE_I32 : HX_TYPE_U32;
    return is_integer(conversion) ? is_signed ? HX_TYPE_I64 : HX_TYPE_U64 : HX_TYPE_F64;
}

/* The argument at this place of a block. False when nothing is mapped there. */
static bool take_from_block(struct gang_state *state, uint32_t lane, const struct conversion *conversion,
                            uint64_t address, uint32_t bytes, struct argument *ret_argument)
{
    size_t room = 0;
    const char *from = string_at(state, lane, address, &room);
    if (!from || room < bytes)
        return false;
    ret_argument->bits = 0;
    ret_argument->type = type_in_block(conversion, bytes);
    memcpy(&ret_argument->bits, from, bytes);
    if (ret_argument->type == HX_TYPE_I32 && bytes < 4) {
        const unsigned unused = 32 - 8 * bytes;
        ret_argument->bits = (uint32_t)((int32_t)((uint32_t)ret_argument->bits << unused) >> unused);
    }
    return true;
}

static void convert(struct gang_state *state, uint32_t lane, const struct conversion *cut,
                    struct argument argument, struct text *out)
{
    const char *const conversion = cut->text;
    char text[CONVERTED], string[CONVERTED - 64] = "(unmapped)";
    size_t room;
    switch (cut->letter) {
    case 'd':
    case 'i': {
        const unsigned narrowed = cut->narrowed && !cut->is_long ? 64 - cut->narrowed : 0;
        const int64_t value = (int64_t)(as_integer(argument) << narrowed) >> narrowed;
        snprintf(text, sizeof text, conversion, (long long)value);
        break;
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
        const unsigned narrowed = cut->narrowed && !cut->is_long ? 64 - cut->narrowed : 0;
        const uint64_t bits = as_integer(argument) << narrowed >> narrowed;
        snprintf(text, sizeof text, conversion,
                 (unsigned long long)(argument.type == HX_TYPE_I32 ? bits & UINT32_MAX : bits));
        break;
    }
    case 'c':
        snprintf(text, sizeof text, conversion, (int)(argument.bits & 127 ? argument.bits & 127 : ' '));
        break;
    case 'p':
        snprintf(string, sizeof string, "0x%llx", (unsigned long long)argument.bits);
        snprintf(text, sizeof text, conversion, string);
        break;
    case 's': {
        const char *from = string_at(state, lane, argument.bits, &room);
        if (!from && argument.bits == 0)
            strcpy(string, "(null)");
        else if (from)
            snprintf(string, sizeof string, "%.*s", (int)(room < sizeof string ? room : sizeof string - 1),
                     from);
        snprintf(text, sizeof text, conversion, string);
        break;
    }
    default:
        snprintf(text, sizeof text, conversion, as_double(argument));
    }
    text_append(out, text, strlen(text));
}

/* Writes what the next argument, or each element of a vector, is converted to. False: there is none. */
static bool convert_next(struct gang_state *state, uint32_t lane, const struct conversion *conversion,
                         struct argument_source *source, struct text *out)
{
    struct argument argument;
    if (!source->is_block) { /* it has no vectors */
        if (source->count == 0 || conversion->elements > 0)
            return false;
        source->count--;
        convert(state, lane, conversion, *source->list++, out);
        return true;
    }
    uint32_t bytes;
    const uint64_t address = place_in_block(conversion, &source->address, &bytes);
    for (unsigned i = 0; i == 0 || i < conversion->elements; i++) {
        if (!take_from_block(state, lane, conversion, address + (uint64_t)i * bytes, bytes, &argument))
            return false;
        if (i > 0)
            text_append(out, ",", 1);
        convert(state, lane, conversion, argument, out);
    }
    return true;
}

/* Conversions without an argument, and what is none, stay as they are. */
static void format_text(struct gang_state *state, uint32_t lane, uint64_t address,
                        struct argument_source source, struct text *out)
{
    size_t room = 0;
    const char *format = string_at(state, lane, address, &room);
    for (size_t at = 0; format && at < room && format[at];) {
        struct conversion conversion = {.letter = 0};
        size_t behind = at;
        if (format[at] == '%')
            conversion = cut_conversion(format, room, &behind);
        if (conversion.letter == '%')
            text_append(out, "%", 1);
        else if (!conversion.letter || !convert_next(state, lane, &conversion, &source, out))
            text_append(out, format + at, conversion.letter ? behind - at : 1);
        at = conversion.letter ? behind : at + 1;
    }
}

/* ---- Handlers ------------------------------------------------------------------------------------------ */

static uint64_t cell(const struct gang_state *state, struct op_row row, uint32_t lane, size_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits,
           state->rows + row.at + (size_t)(lane / LANES_PER_CHUNK) * row.step +
               (size_t)(lane % LANES_PER_CHUNK) * bytes,
           bytes);
    return bits;
}

static void print_lane(struct gang_state *state, const struct op *op, uint32_t lane)
{
    const struct micro_op *micro = lowered_op(state, op);
    const struct op_row rows[ARGUMENT_MAX] = {op->b, op->c, op->f};
    const uint8_t kinds[ARGUMENT_MAX] = {micro->b.kind, micro->c.kind, micro->f.kind};
    struct argument arguments[ARGUMENT_MAX];
    struct argument_source source = {.list = arguments, .is_block = micro->semantic == SEM_vprint};
    if (source.is_block)
        source.address = cell(state, op->b, lane, 8);
    for (unsigned i = 0; !source.is_block && i < ARGUMENT_MAX && kinds[i] != ROW_NONE; source.count = ++i)
        arguments[i] = (struct argument){(enum hx_type)op->type,
                                         cell(state, rows[i], lane, type_bits(op->type) == 64 ? 8 : 4)};
    struct text *text = &state->block->printed;
    struct printed printed = {gang_thread(state, lane), text->length, 0};
    format_text(state, lane, cell(state, op->a, lane, 8), source, text);
    printed.length = text->length - printed.at;
    if (!text->failed && (gang_launch(state)->wanted & HX_EVENT_PRINT)) {
        const hx_print_event event = {.at = {.worker = state->block->worker->number,
                                             .instruction = op->instruction,
                                             .block = state->block->number,
                                             .first_thread = printed.thread},
                                      .text = text->at + printed.at,
                                      .bytes = printed.length};
        listener_print(&gang_launch(state)->listeners, &event);
    }
    if (!LIST_PUSH(text->allocator, &state->block->prints, printed))
        text->failed = true;
}

static bool is_printed(const struct launch *launch)
{
    return launch->options.print || (launch->wanted & HX_EVENT_PRINT);
}

static const struct op *print(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    for (uint32_t chunk = 0; is_printed(gang_launch(state)) && chunk < gang->chunks; chunk++)
        for (uint64_t left = gang->mask_bits[chunk]; left; left &= left - 1)
            print_lane(state, op, chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left));
    if (!state->block->printed.failed)
        return op + 1;
    fault_at_lanes(state, op, HX_FAULT_NO_MEMORY, gang->mask_bits, "what the block prints does not fit");
    return leave(state, LEAVE_FAULT);
}

static void format_message(struct gang_state *state, const struct op *op, uint32_t lane, struct text *out)
{
    const struct micro_op *micro = lowered_op(state, op);
    struct argument_source source = {.is_block = micro->c.kind != ROW_NONE};
    if (source.is_block)
        source.address = cell(state, op->c, lane, 8);
    if (micro->b.kind != ROW_NONE)
        format_text(state, lane, cell(state, op->b, lane, 8), source, out);
}

static const struct op *check(const struct op *op, struct gang *gang, char *rows)
{
    (void)rows;
    struct gang_state *state = gang_state_of(gang);
    for (uint32_t chunk = 0; chunk < gang->chunks; chunk++)
        for (uint64_t left = gang->mask_bits[chunk]; left; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left), lane = chunk * LANES_PER_CHUNK + bit;
            lane_set failing = {0};
            if (cell(state, op->a, lane, 1) & 1)
                continue;
            HX_AUTO(text_done)
            struct text message = {.allocator = device_allocator(gang_launch(state)->device)};
            format_message(state, op, lane, &message);
            failing[chunk] = UINT64_C(1) << bit;
            fault_at_lanes(state, op, HX_FAULT_ASSERT, failing, message.length ? message.at : "");
            return leave(state, LEAVE_FAULT);
        }
    return op + 1;
}

op_handler print_handler(int semantic)
{
    return semantic == SEM_print || semantic == SEM_vprint ? print : semantic == SEM_assert ? check : NULL;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
    const struct printed *one = a, *two = b;
    if (one->thread != two->thread)
        return one->thread < two->thread ? -1 : 1;
    return one->at < two->at ? -1 : one->at > two->at;
}

/* Hands over the blocks whose turn it is. */
static void flush(struct launch *launch, bool all)
{
    size_t done = 0;
    while (done < launch->outputs.count &&
           (all || launch->outputs.items[done].block == launch->next_output)) {
        struct output *output = &launch->outputs.items[done++];
        launch->next_output = output->block + 1;
        if (output->text.length)
            launch->options.print(launch->options.print_user, output->text.at, output->text.length);
        text_done(&output->text);
    }
    if (!done)
        return;
    launch->outputs.count -= done;
    memmove(launch->outputs.items, launch->outputs.items + done,
            launch->outputs.count * sizeof *launch->outputs.items);
}

void print_finish_block(struct block *block)
{
    struct launch *launch = block->worker->launch;
    if (!launch->options.print) { /* listeners alone: they have the text already */
        block->printed.length = block->prints.count = 0;
        return;
    }
    if (!launch->bound->lowered->prints)
        return;
    const hx_allocator *allocator = device_allocator(launch->device);
    uint32_t running = STOP_NO;
    struct output output = {.block = block->number, .text = {.allocator = allocator}};
    if (block->prints.count > 0)
        qsort(block->prints.items, block->prints.count, sizeof *block->prints.items, by_thread);
    for (size_t i = 0; i < block->prints.count; i++)
        text_append(&output.text, block->printed.at + block->prints.items[i].at,
                    block->prints.items[i].length);
    block->printed.length = block->prints.count = 0;
    pthread_mutex_lock(&launch->fault_lock);
    size_t at = launch->outputs.count;
    if (LIST_PUSH(allocator, &launch->outputs, output)) {
        for (; at > 0 && launch->outputs.items[at - 1].block > output.block; at--)
            launch->outputs.items[at] = launch->outputs.items[at - 1];
        launch->outputs.items[at] = output;
    } else {
        text_done(&output.text);
        output.text.failed = true;
    }
    if (output.text.failed)
        atomic_compare_exchange_strong(&launch->stop, &running, STOP_NO_MEMORY);
    flush(launch, false);
    pthread_mutex_unlock(&launch->fault_lock);
}

void print_finish_launch(struct launch *launch)
{
    flush(launch, true);
    LIST_DONE(device_allocator(launch->device), &launch->outputs);
}

void print_block_done(struct block *block)
{
    const hx_allocator *allocator = device_allocator(block->worker->launch->device);
    text_done(&block->printed);
    LIST_DONE(allocator, &block->prints);
}
