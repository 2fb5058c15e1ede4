/* Indexes beyond an array's end, and pointers that are misaligned for what they point to.
 *
 * Takes notes, leaves findings. Where a member of a structure is an array, an index beyond it reaches another
 * member, or bytes that no access of its own names: only the compiler knows. An access of the same line that
 * leaves an array with a name anyway says more, so a line's indexes are reported when the launch has ended
 * without one. All variables of a function in local memory are one array, of the compiler's: there an index
 * says more. A structure such as CUDA's float4 is aligned to more than the accesses that copy it without
 * optimization; a misaligned access of the same line says more there, too. */
#include "check/memory/clang_notes.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/program.h"

#include <inttypes.h>
#include <string.h>

struct noted {
    uint64_t count, block;
    uint32_t thread;  /* the first one in `block`, which is the first */
    uint32_t dropped; /* a bit, 1 << number, for each note of the line that need not be reported */
    uint64_t value;   /* what that thread has noted: the index, the pointer, or where its type is */
};
struct clang_notes {
    uint32_t workers, instructions;
    struct noted *items; /* of each worker and instruction */
};

hx_status clang_notes_new(hx_checks *checks, uint32_t workers, struct clang_notes **ret_notes)
{
    const struct kernel *const code = check_kernel_now(checks);
    const hx_allocator *const allocator = check_allocator(checks);
    *ret_notes = NULL;
    if (!note_is_in(code, NOTE_TYPE))
        return HX_OK;
    struct clang_notes *const notes = memory_allocate(allocator, 1, sizeof *notes);
    if (!notes)
        return HX_NO_MEMORY;
    *notes = (struct clang_notes){.workers = workers, .instructions = code->code_count};
    notes->items = memory_allocate(allocator, (size_t)workers * code->code_count, sizeof *notes->items);
    *ret_notes = notes;
    return notes->items ? HX_OK : HX_NO_MEMORY;
}

void clang_notes_free(hx_checks *checks, struct clang_notes *notes)
{
    if (notes)
        memory_free(check_allocator(checks), notes->items);
    memory_free(check_allocator(checks), notes);
}

static struct noted *noted_at(const struct clang_notes *notes, uint32_t worker, uint32_t instruction)
{
    return &notes->items[(size_t)worker * notes->instructions + instruction];
}

/* Keeps the count, and the first place with what is noted there. */
static void add(struct noted *to, const struct noted *more)
{
    const bool is_first =
        to->count == 0 || more->block < to->block || (more->block == to->block && more->thread < to->thread);
    if (is_first) {
        to->block = more->block;
        to->thread = more->thread;
        to->value = more->value;
    }
    to->count += more->count;
}

/* Of copies and rows, the lanes whose pointer is no multiple of the alignment, which was noted right before.
 */
static uint64_t wrong_lanes(const struct clang_notes *notes, const hx_lanes_event *event)
{
    uint64_t wrong = 0;
    if ((event->value != NOTE_COPIED && event->value != NOTE_ROW) || !event->noted ||
        event->at.instruction == 0)
        return event->lanes;
    const uint64_t alignment = noted_at(notes, event->at.worker, event->at.instruction - 1)->value;
    for (uint64_t left = event->lanes; left; left &= left - 1)
        if (event->noted[__builtin_ctzll(left)] & (alignment - 1))
            wrong |= left & -left;
    return wrong;
}

void clang_note(struct clang_notes *notes, const hx_lanes_event *event)
{
    const uint64_t which = event->value;
    if (!notes || !event->lanes ||
        (which != NOTE_INDEX && which != NOTE_POINTER && which != NOTE_COPIED && which != NOTE_ROW &&
         which != NOTE_TYPE))
        return;
    const uint64_t lanes = wrong_lanes(notes, event);
    if (!lanes)
        return;
    const unsigned lane = (unsigned)__builtin_ctzll(lanes);
    const uint64_t low = event->noted ? event->noted[lane] : 0;
    const uint64_t high = event->also_noted ? event->also_noted[lane] : 0;
    const struct noted one = {.count = (uint64_t)__builtin_popcountll(lanes),
                              .block = event->at.block,
                              .thread = event->at.first_thread + lane,
                              .value = low | high << 32};
    add(noted_at(notes, event->at.worker, event->at.instruction), &one);
}

bool clang_notes_has(const hx_checks *checks, const struct clang_notes *notes, uint32_t worker,
                     uint32_t instruction)
{
    const struct check_line *const lines = check_launch_now(checks)->code->lines;
    const struct kernel *const code = check_kernel_now(checks);
    for (uint32_t i = 0; notes && i < notes->instructions; i++)
        if (noted_at(notes, worker, i)->count > 0 && lines[i].line == lines[instruction].line &&
            note_is(&code->code[i], NOTE_INDEX))
            return true;
    return false;
}

void clang_notes_drop(struct clang_notes *notes, uint32_t worker, uint32_t instruction, enum check_note which)
{
    if (notes)
        noted_at(notes, worker, instruction)->dropped |= 1u << which;
}

/* ---- What clang says of a type ------------------------------------------------------------------------ */

/* clang's SanitizerHandler::OutOfBounds gives a variable that holds the address of a file's name, line and
 * column, and the addresses of the types of array and index. A type is a kind, 0 for integers, of which then
 * come the logarithm of the bits, times 2, and 1 if they are signed; and a name in quotes, as '__private
 * int[4]'. (compiler-rt, lib/ubsan/ubsan_value.h, TypeDescriptor.) */
struct index_data {
    uint64_t file;
    uint32_t line, column;
    uint64_t array, index;
};
/* The same of its SanitizerHandler::TypeMismatch: the type pointed to, the logarithm of its alignment, and
 * what the pointer is used for, 0 for a load and 1 for a store of a scalar. */
struct pointer_data {
    uint64_t file;
    uint32_t line, column;
    uint64_t type;
    uint8_t log_alignment, use;
};
struct type_data {
    uint16_t kind, info;
    char name[];
};

/* Bytes at an address of the device, at least `bytes` of them; *ret_left: how many. NULL: they are not there.
 */
static const void *find_bytes(const hx_checks *checks, uint64_t address, uint64_t bytes, uint64_t *ret_left)
{
    const struct check_buffer *const buffer = check_find_buffer(checks, address);
    const uint64_t offset = buffer ? address - buffer->low : 0;
    const bool is_aligned = address % _Alignof(struct type_data) == 0;
    if (!buffer || !buffer->data || !is_aligned || offset >= buffer->size || buffer->size - offset < bytes)
        return NULL;
    *ret_left = buffer->size - offset;
    return (const char *)buffer->data + offset;
}

/* The same of an address of which the lower half is known. */
static const void *find_bytes_of_half(const hx_checks *checks, uint32_t half, uint64_t bytes)
{
    const struct check_buffer *buffer;
    uint64_t left;
    for (size_t i = 0; (buffer = check_buffer_at(checks, i)); i++)
        if ((uint32_t)buffer->low == half && strncmp(buffer->name, "__unnamed_", 10) == 0)
            return find_bytes(checks, buffer->low, bytes, &left);
    return NULL;
}

/* The name of a type without quotes and OpenCL's address space; of no length when it is not known.
 */
static struct slice find_type_name(const hx_checks *checks, uint64_t address)
{
    uint64_t left;
    const struct type_data *const type = find_bytes(checks, address, sizeof *type + 3, &left);
    if (!type || type->name[0] != '\'')
        return (struct slice){0};
    const char *const name = type->name + 1;
    const char *const end = memchr(name, '\'', left - sizeof *type - 1);
    struct slice found = {name, end ? (size_t)(end - name) : 0};
    const char *const space = found.length ? memchr(name, ' ', found.length) : NULL;
    if (space && found.length > 2 && name[0] == '_' && name[1] == '_') {
        found.length -= (size_t)(space + 1 - name);
        found.at = space + 1;
    }
    return found;
}

/* An index has the bits of its type, and zeros above them. */
static bool find_index(const hx_checks *checks, uint64_t address, uint64_t bits, int64_t *ret_index)
{
    enum { INTEGER = 0 };
    uint64_t left;
    const struct type_data *const type = find_bytes(checks, address, sizeof *type, &left);
    if (!type || type->kind != INTEGER || type->info >> 1 > 6)
        return false;
    const unsigned unused = 64 - (1u << (type->info >> 1));
    *ret_index = type->info & 1 ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    return (type->info & 1) || *ret_index >= 0;
}

struct reported {
    const hx_checks *checks;
    uint64_t value; /* the index or the pointer */
    uint32_t data;  /* half of the address of struct index_data, or pointer_data; of copies and rows the
                       alignment */
};

static void describe_index(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct reported *reported = user;
    const struct index_data *data = find_bytes_of_half(reported->checks, reported->data, sizeof *data);
    const struct slice name = data ? find_type_name(reported->checks, data->array) : (struct slice){0};
    int64_t index;
    (void)finding;
    if (data && find_index(reported->checks, data->index, reported->value, &index))
        text_print(&words->message, "index %" PRId64 " is %s of ", index,
                   index < 0 ? "before the start" : "beyond the end");
    else
        text_print(&words->message, "an index is beyond the end of ");
    text_print(&words->message, name.length ? "an array '%.*s'" : "an array", (int)name.length, name.at);
    text_print(&words->hint,
               "the array has fewer elements, as its declaration says; what lies behind them is "
               "another member or variable, or nobody's");
}

/* The access itself shows whether a scalar is aligned. */
static bool is_scalar(const struct reported *reported)
{
    enum { LOAD = 0, STORE = 1 };
    const struct pointer_data *data = find_bytes_of_half(reported->checks, reported->data, sizeof *data);
    return data && (data->use == LOAD || data->use == STORE);
}

static const char pointer_hint[] = "the compiler takes a pointer to be a multiple of its type's alignment, "
                                   "and makes one access of that many "
                                   "bytes";

static void describe_copied(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct reported *reported = user;
    (void)finding;
    text_print(&words->message, "copy of an object at address 0x%" PRIx64 ", which is no multiple of %u",
               reported->value, reported->data);
    text_print(&words->hint, "%s", pointer_hint);
}

static void describe_row(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct reported *reported = user;
    (void)finding;
    text_print(&words->message, "row of a matrix at shared address 0x%" PRIx64 ", which is no multiple of %u",
               reported->value, reported->data);
    text_print(&words->hint,
               "each of the addresses that ldmatrix and stmatrix take is that of a row of 16 bytes");
}

static void describe_pointer(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct reported *reported = user;
    const struct pointer_data *data = find_bytes_of_half(reported->checks, reported->data, sizeof *data);
    const struct slice name = data ? find_type_name(reported->checks, data->type) : (struct slice){0};
    (void)finding;
    text_print(&words->message, "access to ");
    text_print(&words->message, name.length ? "a '%.*s'" : "an object", (int)name.length, name.at);
    text_print(&words->message, " at address 0x%" PRIx64, reported->value);
    if (data)
        text_print(&words->message, ", which is no multiple of %u", 1u << (data->log_alignment & 31));
    else
        text_print(&words->message, ", which is not aligned for it");
    text_print(&words->hint, "%s", pointer_hint);
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

static bool is_dropped(const struct clang_notes *notes, const struct check_code *code, uint32_t instruction,
                       enum check_note which)
{
    for (uint32_t i = 0; i < notes->instructions; i++)
        for (uint32_t worker = 0; worker < notes->workers; worker++)
            if (noted_at(notes, worker, i)->dropped & 1u << which &&
                code->lines[i].line == code->lines[instruction].line)
                return true;
    return false;
}

/* What all workers have noted. */
static struct noted noted_by_all(const struct clang_notes *notes, uint32_t instruction)
{
    struct noted all = {0};
    for (uint32_t worker = 0; worker < notes->workers; worker++) {
        const struct noted *const one = noted_at(notes, worker, instruction);
        if (one->count)
            add(&all, one);
    }
    return all;
}

static void report(hx_checks *checks, const struct clang_notes *notes, uint32_t instruction,
                   enum check_note which, const struct noted *all)
{
    const struct check_launch *const launch = check_launch_now(checks);
    const struct kernel *const code = check_kernel_now(checks);
    struct reported reported = {checks, all->value, 0};
    if (instruction > 0 && note_is(&code->code[instruction - 1], NOTE_TYPE))
        reported.data = (uint32_t)noted_by_all(notes, instruction - 1).value;
    if (which == NOTE_POINTER && is_scalar(&reported))
        return;
    const bool is_index = which == NOTE_INDEX;
    const struct check_finding finding = {.kind =
                                              is_index ? CHECK_MEMORY_LEAVES_ARRAY : CHECK_MEMORY_MISALIGNED,
                                          .sites = {{.launch = launch,
                                                     .instruction = instruction,
                                                     .thread = all->thread,
                                                     .block = all->block,
                                                     .role = is_index ? "index" : "access"}},
                                          .site_count = 1,
                                          .count = all->count,
                                          .describe = is_index               ? describe_index
                                                      : which == NOTE_COPIED ? describe_copied
                                                      : which == NOTE_ROW    ? describe_row
                                                                             : describe_pointer,
                                          .user = &reported};
    check_found(checks, &finding);
}

/* A misaligned access says more than a note of its pointer. */
static bool is_said(const struct clang_notes *notes, const struct check_code *code, uint32_t instruction,
                    enum check_note which)
{
    return is_dropped(notes, code, instruction, which == NOTE_INDEX ? NOTE_INDEX : NOTE_POINTER);
}

void clang_notes_report(hx_checks *checks, const struct clang_notes *notes)
{
    static const enum check_note kinds[] = {NOTE_INDEX, NOTE_POINTER, NOTE_COPIED, NOTE_ROW};
    const struct check_launch *const launch = check_launch_now(checks);
    const struct kernel *const code = check_kernel_now(checks);
    for (uint32_t i = 0; notes && i < notes->instructions; i++)
        for (size_t k = 0; k < HX_COUNT_OF(kinds); k++) {
            const struct noted all = noted_by_all(notes, i);
            if (all.count > 0 && note_is(&code->code[i], kinds[k]) &&
                !is_said(notes, launch->code, i, kinds[k]))
                report(checks, notes, i, kinds[k], &all);
        }
}
