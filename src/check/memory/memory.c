/* The checker `memory`.
 *
 * Takes accesses that would be faults (HX_EVENT_VIOLATION), lets them by, and leaves a finding for each: what
 * was accessed, by how much it missed, and why. The handlers test each access anyhow, so an access that is
 * right costs nothing here. Which array an address should be in is known where the address is written with
 * it; see src/exec/bounds.c. */
#include "base/memory.h"
#include "check/checks.h"
#include "check/memory/clang_notes.h"
#include "check/memory/heap.h"
#include "check/memory/images.h"
#include "check/memory/pieces.h"
#include "program/regions.h"

#include <inttypes.h>
#include <string.h>

/* Addresses that nobody means: a null pointer and a small index. */
#define NULL_BYTES 65536
/* An address so far from a buffer is about it. */
#define NEAR_BYTES 65536

struct memory {
    struct checker checker;
    hx_checks *checks;
    struct clang_notes *notes; /* of the launch that runs; NULL: none can come */
    struct images *images;     /* the same */
    struct pieces_cache *pieces;
    struct heap *heap;
    struct arena arena; /* of the launch that runs */
    struct shared_regions regions;
};

struct violation {
    const struct memory *memory;
    const hx_violation_event *event;
    const struct check_buffer
        *buffer;               /* global memory: that it is made from, else the nearest one; or NULL */
    const struct array *array; /* other spaces: the same */
    const struct shared_region
        *given;         /* shared memory: what an argument has, in the place of an array; or NULL */
    uint64_t low, size; /* of buffer or array */
    const char *name;   /* NULL: there is neither */
};

/* ---- What the address is about ------------------------------------------------------------------------- */

/* Of two buffers around an address the nearer one: it may be as far before one as behind the other. NULL:
 * both are too far away. */
static const struct check_buffer *nearest(const hx_checks *checks, const struct check_buffer *below,
                                          uint64_t address)
{
    const struct check_buffer *const above = check_buffer_above(checks, address);
    const uint64_t behind = below ? address - below->low - below->size : UINT64_MAX;
    const uint64_t before = above ? above->low - address : UINT64_MAX;
    if (before < behind && before <= NEAR_BYTES)
        return above;
    return behind < NEAR_BYTES ? below : NULL;
}

static const struct check_buffer *buffer_of(const hx_checks *checks, const hx_violation_event *event)
{
    const struct check_buffer *made_from = check_find_buffer(checks, event->base);
    if (made_from && event->base - made_from->low < made_from->size)
        return made_from;
    const struct check_buffer *in = check_find_buffer(checks, event->address);
    if (in && event->address - in->low < in->size)
        return in;
    if (made_from && event->base == made_from->low) /* of a buffer without bytes */
        return made_from;
    return nearest(checks, in, event->address);
}

static uint64_t array_bytes(const hx_checks *checks, const struct array *array)
{
    return array->is_dynamic ? check_launch_now(checks)->dynamic_shared
                             : array->count * hx_type_bytes(array->type);
}

/* The array that begins at `low` when the access has one of its own, else that which its base is in, else the
 * last one that begins below. */
static const struct array *array_of(const hx_checks *checks, const hx_violation_event *event)
{
    const struct kernel *code = check_kernel_now(checks);
    const struct array_list *list = event->space == SPACE_SHARED  ? &code->shared
                                    : event->space == SPACE_LOCAL ? &code->local
                                                                  : &check_program_now(checks)->constants;
    /* of local memory only where pointers to that may be NULL, too */
    const bool has_null = event->space == SPACE_SHARED || (event->space == SPACE_LOCAL && list->count > 0 &&
                                                           strcmp(list->items[0].name, "null") == 0);
    const uint32_t null_bytes = has_null ? code->null_bytes : 0;
    const struct array *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct array *array = &list->items[i];
        const uint64_t bytes = array_bytes(checks, array);
        if (array->offset == event->low && bytes == event->size)
            return array;
        if (event->base - array->offset < bytes)
            found = array;
    }
    const struct array *below = NULL;
    for (size_t i = 0; !found && i < list->count; i++) {
        const struct array *array = &list->items[i];
        const bool is_nothing = array->offset < null_bytes; /* for NULL */
        if (!is_nothing && array->offset <= event->address && (!below || array->offset >= below->offset))
            below = array;
    }
    return found ? found : below;
}

/* What an argument has of shared memory, where the access must stay in that. */
static const struct shared_region *given_of(const struct memory *memory, const hx_violation_event *event)
{
    for (size_t i = 0; event->space == SPACE_SHARED && i < memory->regions.count; i++) {
        const struct shared_region *region = &memory->regions.items[i];
        if (region->is_argument && region->low == event->low && region->size == event->size)
            return region;
    }
    return NULL;
}

static struct violation look_up(const struct memory *memory, const hx_violation_event *event)
{
    struct violation found = {.memory = memory, .event = event};
    if (event->space == SPACE_GLOBAL && (found.buffer = buffer_of(memory->checks, event))) {
        found.name = found.buffer->name;
        found.low = found.buffer->low;
        found.size = found.buffer->size;
    }
    if ((found.given = given_of(memory, event))) {
        found.name = found.given->name;
        found.low = found.given->low;
        found.size = found.given->size;
        return found;
    }
    if (event->space != SPACE_GLOBAL && (found.array = array_of(memory->checks, event))) {
        found.name = found.array->name;
        found.low = found.array->offset;
        found.size = array_bytes(memory->checks, found.array);
    }
    return found;
}

/* Only an access to a surface does that: its coordinates may be beyond an end of a row, and the
 * address still in the buffer. */
static bool is_of_surface(const struct violation *violation)
{
    const hx_violation_event *const event = violation->event;
    const uint64_t offset = event->address - violation->low;
    return event->fault == HX_FAULT_OUT_OF_RANGE && violation->buffer && !violation->buffer->is_freed &&
           offset < violation->size && violation->size - offset >= event->bytes;
}

/* In shared memory an index before the first array leads to where NULL is, too: what is made from an array
 * must stay in that, what is not in all of the space. */
static bool is_null(const struct violation *violation)
{
    const hx_violation_event *event = violation->event;
    const uint64_t null_bytes = check_kernel_now(violation->memory->checks)->null_bytes;
    return (event->space == SPACE_GLOBAL && event->address < NULL_BYTES) ||
           (event->space == SPACE_SHARED && event->address < null_bytes && event->low < null_bytes);
}

static enum check_kind kind_of(const struct violation *violation)
{
    const hx_violation_event *event = violation->event;
    const struct check_buffer *buffer = violation->buffer;
    /* also one that begins in it and ends behind it: a GPU tests the alignment first */
    const bool begins_inside =
        violation->name && event->address - violation->low < violation->size && !is_of_surface(violation);
    if (event->fault == HX_FAULT_MISALIGNED || (event->fault == HX_FAULT_OUT_OF_RANGE && begins_inside &&
                                                event->bytes && event->address % event->bytes))
        return CHECK_MEMORY_MISALIGNED;
    if (event->fault == HX_FAULT_READ_DENIED)
        return CHECK_MEMORY_READ_DENIED;
    if (event->fault == HX_FAULT_WRITE_DENIED)
        return CHECK_MEMORY_WRITE_DENIED;
    if (is_null(violation))
        return CHECK_MEMORY_NULL;
    if (buffer && buffer->is_freed && event->address - buffer->low < buffer->size)
        return CHECK_MEMORY_FREED;
    return violation->array || violation->given ? CHECK_MEMORY_LEAVES_ARRAY : CHECK_MEMORY_OUT_OF_RANGE;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

static const char *role_of(const hx_violation_event *event)
{
    return event->is_load && event->is_store ? "atomic" : event->is_store ? "store" : "load";
}

static const char *space_name(int space)
{
    static const char *const names[] = {"", "global", "shared", "constant", "local"};
    return space > 0 && (size_t)space < HX_COUNT_OF(names) ? names[space] : "";
}

static void print_object(struct text *text, const struct violation *violation)
{
    if (violation->buffer)
        check_print_buffer(text, violation->name);
    else if (violation->given)
        text_print(text, "the local memory of argument %s", violation->name);
    else
        text_print(text, "array '%s'", violation->name);
}

/* "8 bytes behind the end of buffer 'x'" */
static void print_distance(struct text *text, const struct violation *violation)
{
    const hx_violation_event *event = violation->event;
    const uint64_t end = violation->low + violation->size;
    const char *where = "behind the end";
    uint64_t bytes = event->address - end;
    if (event->address == end) {
        text_print(text, " right behind the end of ");
        print_object(text, violation);
        return;
    }
    if (event->address >= violation->low && event->address < end) {
        where = "before the end";
        bytes = end - event->address;
    } else if (event->address < violation->low || (int64_t)bytes < 0) { /* a negative offset wraps around */
        where = "before the start";
        bytes = violation->low - event->address;
    }
    text_print(text, ", %" PRIu64 " byte%s %s of ", bytes, bytes == 1 ? "" : "s", where);
    print_object(text, violation);
}

/* "to buffer 'x', which may only be read" */
static void print_denied(struct text *text, const struct violation *violation, const char *to,
                         const char *allowed)
{
    text_print(text, " %s ", to);
    if (violation->name)
        print_object(text, violation);
    else
        text_print(text, "memory of the host");
    text_print(text, ", which may only be %s", allowed);
}

static void print_outside(struct text *text, const struct violation *violation)
{
    text_print(text, " beyond an end of the surface in ");
    print_object(text, violation);
}

static void print_freed(struct text *text, const struct violation *violation)
{
    text_print(text, " in ");
    print_object(text, violation);
    text_print(text, ", which was freed behind launch %" PRIu64, violation->buffer->freed_behind);
}

static void print_element(struct text *text, const struct violation *violation,
                          const hx_finding_object *object)
{
    if (object->element_bytes > 0 && violation->size % object->element_bytes == 0)
        text_print(text, ", element %" PRId64 " of %" PRIu64, object->element,
                   violation->size / object->element_bytes);
}

static void fill_object(const struct violation *violation, struct check_words *words)
{
    const hx_violation_event *event = violation->event;
    hx_finding_object *object = &words->object;
    if (!violation->name)
        return;
    text_put(words->name, sizeof words->name, violation->name);
    object->low = violation->low;
    object->size = violation->size;
    object->offset = (int64_t)(event->address - violation->low);
    object->element_bytes = check_element_bytes(violation->memory->checks, event->space, violation->name);
    if (object->element_bytes == 0)
        object->element_bytes = event->bytes;
    const int64_t bytes = (int64_t)object->element_bytes;
    object->element = object->offset / bytes - (object->offset % bytes < 0);
}

static const char *hint_of(enum check_kind kind)
{
    switch (kind) {
    case CHECK_MEMORY_NULL:
        return "the pointer was never set: is the argument there, and was it loaded from where it stands?";
    case CHECK_MEMORY_MISALIGNED:
        return "an address must be a multiple of the bytes of the access; of the whole vector for .v2 and "
               ".v4";
    case CHECK_MEMORY_READ_DENIED:
        return "the buffer is declared write-only (access: write, CL_MEM_WRITE_ONLY)";
    case CHECK_MEMORY_WRITE_DENIED:
        return "the buffer is declared read-only (access: read, CL_MEM_READ_ONLY, const or __constant)";
    case CHECK_MEMORY_FREED:
        return "free the buffer behind the last launch that uses it";
    case CHECK_MEMORY_LEAVES_ARRAY:
        return "the index is beyond the array's own elements; what lies there belongs to another array, or "
               "to nobody";
    default:
        return "is the guard against threads beyond the end there, and does it compare with the right "
               "number?";
    }
}

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct violation *violation = user;
    const hx_violation_event *event = violation->event;
    fill_object(violation, words);
    text_print(&words->message, "%s of %u byte%s", role_of(event), event->bytes,
               event->bytes == 1 ? "" : "s");
    if (finding->kind == CHECK_MEMORY_NULL)
        text_print(&words->message, " at address 0x%" PRIx64 ", which is a null pointer%s", event->address,
                   event->address ? " and an offset" : "");
    else if (finding->kind == CHECK_MEMORY_MISALIGNED)
        text_print(&words->message, " at %s address 0x%" PRIx64 ", which is no multiple of %u",
                   space_name(event->space), event->address, event->bytes);
    else if (finding->kind == CHECK_MEMORY_READ_DENIED)
        print_denied(&words->message, violation, "from", "written");
    else if (finding->kind == CHECK_MEMORY_WRITE_DENIED)
        print_denied(&words->message, violation, "to", "read");
    else if (finding->kind == CHECK_MEMORY_FREED)
        print_freed(&words->message, violation);
    else if (is_of_surface(violation))
        print_outside(&words->message, violation);
    else if (violation->name)
        print_distance(&words->message, violation);
    else
        text_print(&words->message, " at %s address 0x%" PRIx64 ", where nothing is",
                   space_name(event->space), event->address);
    if (violation->name && finding->kind != CHECK_MEMORY_NULL && !is_of_surface(violation))
        print_element(&words->message, violation, &words->object);
    text_print(&words->hint, "%s",
               is_of_surface(violation)
                   ? "surf*read and surf*write take x in bytes, y and z in rows and slices"
                   : hint_of(finding->kind));
}

/* ---- Events -------------------------------------------------------------------------------------------- */

/* Compilers load a vector to store one of its elements. */
static bool is_part_of_store(const struct memory *memory, const hx_violation_event *event)
{
    const struct kernel *const code = check_kernel_now(memory->checks);
    const struct check_line *const lines = check_launch_now(memory->checks)->code->lines;
    const uint32_t at = event->at.instruction;
    if (event->fault != HX_FAULT_READ_DENIED || event->is_store || instruction_vector(&code->code[at]) < 2)
        return false;
    for (uint32_t i = at + 1; i < code->code_count && lines[i].line == lines[at].line; i++)
        if (code->code[i].opcode->shape == SHAPE_STORE &&
            instruction_vector(&code->code[i]) == instruction_vector(&code->code[at]))
            return true;
    return false;
}

/* Does it leave what a compiler has made of all variables of a function? */
static bool is_of_frame(const struct violation *violation)
{
    static const char frame[] = "__local_depot";
    return violation->array && strncmp(violation->name, frame, sizeof frame - 1) == 0;
}

/* Would an access of the same kind as the event's leave what there is, at this address? */
static bool is_outside(const struct memory *memory, const hx_violation_event *event, uint64_t address)
{
    const struct check_buffer *const buffer =
        event->space == SPACE_GLOBAL ? check_find_buffer(memory->checks, address) : NULL;
    const uint64_t low = buffer ? buffer->low : event->low, size = buffer ? buffer->size : event->size;
    if (event->space == SPACE_GLOBAL && (!buffer || buffer->is_freed))
        return true;
    return address < low || address - low >= size || size - (address - low) < event->bytes;
}

/* What the source has as one access, if the event's is a piece of it: *ret_whole, whose first instruction is
 * *ret_first. False: the thread has left the buffer with an earlier piece already. */
static bool find_whole(const struct memory *memory, const hx_violation_event *event,
                       hx_violation_event *ret_whole, uint32_t *ret_first)
{
    int64_t own = 0, most = 0;
    *ret_whole = *event;
    *ret_first = event->at.instruction;
    const struct pieces *const pieces =
        event->fault == HX_FAULT_OUT_OF_RANGE ? pieces_of(memory->pieces, event->at.instruction) : NULL;
    if (!pieces || pieces->count < 2 || pieces->bytes != event->bytes ||
        !is_outside(memory, event, event->address))
        return true;
    for (uint32_t i = 0; i < pieces->count; i++) {
        own = pieces->instructions[i] == event->at.instruction ? pieces->offsets[i] : own;
        most = pieces->offsets[i] > most ? pieces->offsets[i] : most;
    }
    ret_whole->address -= (uint64_t)own;
    ret_whole->bytes += (uint32_t)most;
    *ret_first = pieces->instructions[0];
    for (uint32_t i = 0; i < pieces->count; i++)
        if (pieces->instructions[i] < event->at.instruction &&
            is_outside(memory, event, ret_whole->address + (uint64_t)pieces->offsets[i]))
            return false;
    return true;
}

static int on_violation(void *user, const hx_violation_event *event)
{
    const struct memory *memory = user;
    if (is_part_of_store(memory, event))
        return 1;
    if (event->space == SPACE_GLOBAL && heap_is_own(memory->heap, event->at.instruction))
        return 1; /* what free was given is reported */
    if (memory->images && images_explain(memory->images, event->at.worker, event->at.instruction))
        return 1; /* the handle is reported */
    struct violation violation = look_up(memory, event);
    if (is_of_frame(&violation) &&
        clang_notes_has(memory->checks, memory->notes, event->at.worker, event->at.instruction))
        return 1; /* the index is reported */
    hx_violation_event whole;
    uint32_t first;
    if (!find_whole(memory, event, &whole, &first))
        return 1;
    const enum check_kind kind = kind_of(&violation);
    violation.event = &whole;
    const struct check_finding finding = {
        .kind = kind,
        .sites = {{.launch = check_launch_now(memory->checks),
                   .instruction = first,
                   .thread = event->at.first_thread,
                   .block = event->at.block,
                   .role = role_of(event)}},
        .site_count = 1,
        .is_by_place = true,
        .subject = violation.name ? check_subject(violation.name) : 0,
        .describe = describe,
        .user = &violation,
        .space = event->space,
        .address = whole.address,
        .bytes = whole.bytes,
    };
    check_found(memory->checks, &finding);
    clang_notes_drop(memory->notes, event->at.worker, event->at.instruction,
                     finding.kind == CHECK_MEMORY_MISALIGNED ? NOTE_POINTER : NOTE_INDEX);
    return 1;
}

static void describe_leak(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct check_buffer *buffer = user;
    (void)finding;
    check_print_buffer(&words->message, buffer->name);
    text_print(&words->message, " of %" PRIu64 " bytes was never freed", buffer->size);
    text_print(&words->hint, "free it when the last launch that uses it has ended");
    text_put(words->name, sizeof words->name, buffer->name);
    words->object.low = buffer->low;
    words->object.size = buffer->size;
}

/* Accesses are wanted only where there is a heap. */
static void want_accesses(struct memory *memory, bool are_wanted)
{
    memory->checker.listener.events &= ~(uint32_t)HX_EVENT_ACCESS;
    memory->checker.listener.events |= are_wanted ? (uint32_t)HX_EVENT_ACCESS : 0u;
}

static void follow(struct checker *checker)
{
    struct memory *memory = (struct memory *)checker;
    want_accesses(memory, heap_follow(memory->heap));
}

static void on_buffer(void *user, const hx_buffer_event *event)
{
    struct memory *memory = user;
    if (event->change == HX_BUFFER_MADE || event->change == HX_BUFFER_FREED)
        want_accesses(memory, heap_buffer(memory->heap, event));
}

static int on_access(void *user, const hx_access_event *event, hx_refusal *refusal)
{
    (void)refusal;
    heap_access(((struct memory *)user)->heap, event);
    return 0;
}

static void leave(struct checker *checker, bool leaks)
{
    struct memory *memory = (struct memory *)checker;
    const struct check_buffer *buffer;
    heap_leave(memory->heap);
    for (size_t i = 0; leaks && (buffer = check_buffer_at(memory->checks, i)); i++) {
        const struct check_finding finding = {.kind = CHECK_MEMORY_LEAK,
                                              .subject = check_name_hash(buffer->name),
                                              .describe = describe_leak,
                                              .user = (void *)(uintptr_t)buffer,
                                              .space = SPACE_GLOBAL,
                                              .address = buffer->low,
                                              .bytes = 0};
        check_found(memory->checks, &finding);
    }
}

static void free_notes(struct memory *memory)
{
    clang_notes_free(memory->checks, memory->notes);
    images_free(memory->checks, memory->images);
    pieces_free(memory->pieces);
    memory->notes = NULL;
    memory->images = NULL;
    memory->pieces = NULL;
}

static hx_status on_begin(void *user, const hx_launch_begin *event)
{
    struct memory *memory = user;
    free_notes(memory);
    arena_done(&memory->arena);
    arena_init(&memory->arena, check_allocator(memory->checks));
    if (!program_shared_regions(check_program_now(memory->checks), check_kernel_now(memory->checks),
                                event->options, &memory->arena, &memory->regions) ||
        !(memory->pieces = pieces_new(memory->checks)))
        return HX_NO_MEMORY;
    const hx_status status = images_new(memory->checks, event, &memory->images);
    return status == HX_OK ? clang_notes_new(memory->checks, event->workers, &memory->notes) : status;
}

static void on_end(void *user, const hx_launch_end *event)
{
    struct memory *memory = user;
    (void)event;
    clang_notes_report(memory->checks, memory->notes);
    free_notes(memory);
}

static void on_note(void *user, const hx_lanes_event *event)
{
    const struct memory *const memory = user;
    clang_note(memory->notes, event);
    heap_note(memory->heap, event);
    if (!images_note(memory->images, event))
        check_lost(memory->checks);
}

static void close_memory(struct checker *checker)
{
    struct memory *memory = (struct memory *)checker;
    free_notes(memory);
    heap_free(memory->heap);
    arena_done(&memory->arena);
    memory_free(check_allocator(memory->checks), checker);
}

hx_status check_memory_open(hx_checks *checks, hx_diag *diag, struct checker **ret_checker)
{
    struct memory *memory = memory_allocate(check_allocator(checks), 1, sizeof *memory);
    if (!memory || !(memory->heap = heap_new(checks))) {
        memory_free(check_allocator(checks), memory);
        return diag_no_memory(diag);
    }
    memory->checks = checks;
    arena_init(&memory->arena, check_allocator(checks));
    memory->checker = (struct checker){
        .listener = {.size = sizeof memory->checker.listener,
                     .events = HX_EVENT_LAUNCH | HX_EVENT_VIOLATION | HX_EVENT_NOTE | HX_EVENT_BUFFER,
                     .user = memory,
                     .begin = on_begin,
                     .end = on_end,
                     .note = on_note,
                     .access = on_access,
                     .buffer = on_buffer,
                     .violation = on_violation},
        .close = close_memory,
        .follow = follow,
        .leave = leave};
    *ret_checker = &memory->checker;
    return HX_OK;
}
