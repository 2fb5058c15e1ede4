/* Values that decide something, and findings about them.
 *
 * Takes an operand that is not all defined in some lanes, leaves a finding for each of them, and calls the
 * operand defined from then on: one mistake is one finding, not one for all that follows. */
#include "check/init/init.h"

#include "base/memory.h"
#include "check/notes.h"
#include "program/program.h"

#include <inttypes.h>
#include <string.h>

struct init_decision {
    struct init *init;
    const struct check_launch *launch;
    uint16_t member; /* of a flow_set; INIT_NO_MEMBER: it has no name */
    uint64_t origin;
    const struct init_buffer *buffer; /* of a byte that the host reads */
};

/* ---- Words --------------------------------------------------------------------------------------------- */

static void print_member(struct text *text, uint16_t member)
{
    text_print(text, "%c%u", member < REGISTER_COUNT ? 'r' : 'p',
               member < REGISTER_COUNT ? member : member - REGISTER_COUNT);
}

static void print_element(struct text *text, const char *name, uint64_t offset, uint32_t element)
{
    if (element <= 1)
        text_print(text, "byte %" PRIu64 " of '%s'", offset, name);
    else
        text_print(text, "%s[%" PRIu64 "]", name, offset / element);
    if (element > 1 && offset % element)
        text_print(text, " (its byte %" PRIu64 ")", offset % element);
}

/* "element 3 of the buffer of argument 1", "y[3] of a buffer" */
static void print_buffer_element(struct text *text, const char *name, uint64_t offset, uint32_t element)
{
    if (element > 1 && !text_is_digit(name[0]) && !strchr(name, ' ')) {
        print_element(text, name, offset, element);
        text_print(text, " of a buffer");
        return;
    }
    text_print(text, "%s %" PRIu64 " of ", element > 1 ? "element" : "byte",
               offset / (element > 1 ? element : 1));
    check_print_buffer(text, name);
    if (element > 1 && offset % element)
        text_print(text, " (its byte %" PRIu64 ")", offset % element);
}

/* What a compiler has made of all variables of a function. */
static bool is_frame(const char *name)
{
    static const char frame[] = "__local_depot";
    return strncmp(name, frame, sizeof frame - 1) == 0;
}

static void print_memory(struct text *text, const struct init_decision *decision)
{
    const int space = INIT_ORIGIN_SPACE(decision->origin);
    const uint64_t address = INIT_ORIGIN_ADDRESS(decision->origin);
    const uint32_t bytes =
        1u << (decision->origin >> 52 & 7); /* of the value; arrays of compilers have none */
    if (space == SPACE_GLOBAL) {
        const struct check_buffer *buffer = check_find_buffer(decision->init->checks, address);
        const struct init_array *array =
            buffer ? init_find_buffer_array(decision->init, decision->launch->code, buffer->name) : NULL;
        if (buffer && note_is_heap(buffer->name))
            text_print(text, "memory of malloc");
        else if (buffer)
            print_buffer_element(text, buffer->name, address - buffer->low,
                                 array && array->element > 1 ? array->element : bytes);
        else
            text_print(text, "a buffer");
        text_print(text, " that nobody has written%s",
                   array && !note_is_heap(array->name) ? " (fill: none)" : "");
        return;
    }
    const struct init_array *array = init_find_array(decision->init, decision->launch->code, space, address);
    struct init_variable variable;
    int line = array ? array->line : 0;
    const bool has_variable =
        init_find_variable(decision->init, decision->launch->code, space, address, &variable);
    if (has_variable)
        init_print_variable(text, &variable);
    else if (array && is_frame(array->name))
        text_print(text, "a variable (byte %" PRIu64 " of '%s')", address - array->low, array->name);
    else if (array)
        print_element(text, array->name, address - array->low, array->element > 1 ? array->element : bytes);
    else
        text_print(text, "byte %" PRIu64, address);
    text_print(text, " in %s memory, which nobody has written since the block began",
               space == SPACE_SHARED ? "shared" : "local");
    if (has_variable && (line = (int)variable.dwarf->entries.items[variable.entry].line) > 0)
        text_print(text, "; '" SLICE_FORMAT "' is declared in line %d",
                   SLICE_ARGS(dwarf_variable_name(variable.dwarf, variable.entry)), line);
    else if (line)
        text_print(text, "; '%s' is declared in line %d", array->name, line);
    else if (!array && space == SPACE_LOCAL)
        text_print(text, "; it is on the thread's stack");
}

/* The part of a statement of PTX where the operand with a letter of a micro-op is written. */
static struct slice operands_of(const char *line, int letter)
{
    const char *from = line + strspn(line, " \t");
    const bool is_guarded = *from == '@';
    from += is_guarded ? strcspn(from, " \t") : 0;
    from += strspn(from, " \t");
    const char *const open = strchr(from, '['), *const close = strchr(from, ']'),
                      *const comma = strchr(from, ',');
    if (strncmp(from, "st.", 3) == 0 && open && close &&
        open < close) /* the value stands behind the address */
        return letter == OPERAND_B ? (struct slice){close, strlen(close)}
                                   : (struct slice){open, (size_t)(close - open)};
    from = comma && letter != OPERAND_C ? comma : is_guarded || !comma ? line : comma;
    return (struct slice){from, strlen(from)};
}

/* The register of PTX that nobody wrote, where the statement leaves no doubt which one it is. */
static bool print_ptx_register(struct text *text, const struct check_line *line, int letter)
{
    const char *const ending = line->file ? strrchr(line->file, '.') : NULL;
    const char *const end = line->source_line ? strchr(line->source_line, ';') : NULL;
    struct slice found = {NULL, 0};
    if (!ending || strcmp(ending, ".ptx") != 0 || !end || strchr(end + 1, ';'))
        return false;
    const struct slice part = operands_of(line->source_line, letter);
    for (const char *at = part.at; at < part.at + part.length; at++) {
        if (*at != '%')
            continue;
        size_t length = 1;
        while (text_is_word(at[length]) || at[length] == '$')
            length++;
        if (found.at && (found.length != length || memcmp(found.at, at, length) != 0))
            return false;
        found = (struct slice){at, length};
    }
    if (found.at)
        text_print(text, SLICE_FORMAT, SLICE_ARGS(found));
    return found.at != NULL;
}

/* "it comes from tile[3] in shared memory, ..." */
static void print_origin(struct text *text, const struct init_decision *decision)
{
    const uint32_t instruction = (uint32_t)decision->origin;
    const uint16_t member = (uint16_t)(decision->origin >> 32 & 0xffff);
    const struct check_code *code = decision->launch->code;
    if (decision->origin & INIT_FROM_MEMORY) {
        text_print(text, "it comes from ");
        print_memory(text, decision);
        return;
    }
    text_print(text, "it comes from ");
    const bool is_variable = member >= INIT_VARIABLE && member != INIT_NO_MEMBER;
    const struct check_line *const line =
        is_variable && instruction < code->count ? &code->lines[instruction] : NULL;
    if (member < INIT_VARIABLE)
        print_member(text, member);
    else if (!line || !print_ptx_register(text, line, member - INIT_VARIABLE))
        text_print(text, "%s", is_variable ? "a variable" : "a register");
    text_print(text, ", which was never written");
    if (instruction < code->count && !is_variable && code->lines[instruction].text)
        text_print(text, " and which '%s' in line %d reads", code->lines[instruction].text,
                   code->lines[instruction].line);
    else if (instruction < code->count && code->lines[instruction].line)
        text_print(text, " and is read in line %d", code->lines[instruction].line);
}

static const char *hint_of(const struct init_decision *decision)
{
    const int space = INIT_ORIGIN_SPACE(decision->origin);
    if (!(decision->origin & INIT_FROM_MEMORY))
        return "give the register a value on every way that leads here";
    if (space == SPACE_SHARED)
        return "write the element before it is read; shared memory holds no zeros when a block begins";
    if (space == SPACE_LOCAL)
        return "write the variable on every way that leads here";
    const struct check_buffer *const buffer =
        check_find_buffer(decision->init->checks, INIT_ORIGIN_ADDRESS(decision->origin));
    if (buffer && note_is_heap(buffer->name))
        return "write it first; what malloc gives holds whatever was there before";
    return "write the element first, or give the buffer another fill";
}

static const char *message_of(enum check_kind kind)
{
    switch (kind) {
    case CHECK_INIT_BRANCH:
        return "decides which way threads go, and nobody has given it a value";
    case CHECK_INIT_BARRIER:
        return "decides at a barrier or for a warp, and nobody has given it a value";
    case CHECK_INIT_PRINT:
        return "is shown or decides there, and nobody has given it a value";
    default:
        return "is part of an address, and nobody has given it a value";
    }
}

static void describe(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct init_decision *decision = user;
    if (decision->member < INIT_VARIABLE)
        print_member(&words->message, decision->member);
    else
        text_print(&words->message, "a value");
    text_print(&words->message, " %s", message_of(finding->kind));
    print_origin(&words->note, decision);
    text_print(&words->hint, "%s", hint_of(decision));
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

static const char *role_of(enum check_kind kind)
{
    return kind == CHECK_INIT_BRANCH    ? "branch"
           : kind == CHECK_INIT_BARRIER ? "barrier"
           : kind == CHECK_INIT_PRINT   ? "use"
                                        : "access";
}

void init_report(struct init_step *step, enum check_kind kind, uint32_t lane, uint64_t subject,
                 uint16_t member, uint64_t origin)
{
    struct init_decision decision = {
        .init = step->init, .launch = step->init->launch, .member = member, .origin = origin};
    const struct check_finding finding = {.kind = kind,
                                          .sites = {{.launch = step->init->launch,
                                                     .instruction = step->event->op->instruction,
                                                     .thread = init_thread(step, lane),
                                                     .block = step->block->number,
                                                     .role = role_of(kind)}},
                                          .site_count = 1,
                                          .subject = subject,
                                          .describe = describe,
                                          .user = &decision};
    check_found(step->init->checks, &finding);
}

/* ---- What has decided -----------------------------------------------------------------------------------
 *
 * Compiled without optimization, variables are in local memory, and each use of one is a load of its own. So
 * that a variable counts as defined once its value has decided, as a register does, loads from local memory
 * ask whether a value with its origin has. Where a few bits of it choose a way, a member of a structure, they
 * say nothing of the others; those of an index are cut by the size of an element. */

#define ORIGIN_ALONE (~(INIT_COMPUTED | INIT_CUT))

static uint64_t *judged_of(const struct init_step *step, uint32_t lane)
{
    const struct init_block *const block = step->block;
    return block->judged ? block->judged[init_thread(step, lane) % block->local_count] : NULL;
}

static void judge(struct init_step *step, enum check_kind kind, uint32_t lane, uint64_t origin)
{
    struct init_block *const block = step->block;
    if (!block->local_count || (kind != CHECK_INIT_ADDRESS && (origin & INIT_CUT)))
        return;
    if (!block->judged)
        block->judged = memory_allocate(step->init->allocator, block->local_count, sizeof *block->judged);
    uint64_t *const judged = judged_of(step, lane);
    if (!judged) {
        atomic_store(&step->init->has_failed, true);
        return;
    }
    memmove(judged + 1, judged, (INIT_JUDGED - 1) * sizeof *judged);
    judged[0] = origin & ORIGIN_ALONE;
}

bool init_is_judged(const struct init_step *step, uint32_t lane, uint64_t origin)
{
    const uint64_t *const judged = judged_of(step, lane);
    for (int i = 0; judged && i < INIT_JUDGED; i++)
        if (judged[i] == (origin & ORIGIN_ALONE))
            return true;
    return false;
}

void init_forget_judged(struct init_step *step, uint32_t lane, uint64_t from)
{
    uint64_t *const judged = judged_of(step, lane);
    for (int i = 0; judged && i < INIT_JUDGED; i++)
        if ((judged[i] & INIT_FROM_MEMORY) && INIT_ORIGIN_SPACE(judged[i]) == SPACE_LOCAL &&
            INIT_ORIGIN_ADDRESS(judged[i]) >= from)
            judged[i] = 0;
}

/* ---- Decisions ----------------------------------------------------------------------------------------- */

void init_decide(struct init_step *step, enum semantic_operand letter, enum check_kind kind)
{
    for (uint32_t chunk = 0; chunk < step->chunks; chunk++)
        for (uint64_t left = init_undefined(step, letter, chunk); left; left &= left - 1) {
            const uint32_t lane = chunk * LANES_PER_CHUNK + (uint32_t)__builtin_ctzll(left);
            const uint64_t origin = init_get(step, letter, lane).origin;
            init_report(step, kind, lane, letter, init_member(step, letter), origin);
            judge(step, kind, lane, origin);
            init_define_lane(step, letter, lane);
        }
}

/* ---- What the host reads ------------------------------------------------------------------------------- */

static void describe_read(void *user, const struct check_finding *finding, struct check_words *words)
{
    const struct init_decision *decision = user;
    const struct init_buffer *buffer = decision->buffer;
    const struct init_array *array =
        init_find_buffer_array(decision->init, decision->launch->code, buffer->name);
    const uint64_t offset = finding->address - buffer->low;
    words->object.low = buffer->low;
    words->object.size = buffer->size;
    words->object.offset = (int64_t)offset;
    words->object.element_bytes = array ? array->element : finding->bytes;
    words->object.element = words->object.element_bytes ? (int64_t)(offset / words->object.element_bytes) : 0;
    text_put(words->name, sizeof words->name, buffer->name);
    print_element(&words->message, buffer->name, offset, words->object.element_bytes);
    text_print(&words->message, ", which the host reads, was given a value that nobody has set");
    print_origin(&words->note, decision);
    text_print(&words->hint, "%s", hint_of(decision));
}

void init_report_read(struct init *init, const struct init_buffer *buffer, uint64_t offset, uint32_t bytes,
                      const struct init_cell *cell)
{
    struct init_decision decision = {.init = init,
                                     .launch = cell->launch,
                                     .member = INIT_NO_MEMBER,
                                     .origin = cell->origin,
                                     .buffer = buffer};
    const struct check_finding finding = {.kind = CHECK_INIT_STORE,
                                          .sites = {{.launch = cell->launch,
                                                     .instruction = cell->instruction,
                                                     .thread = cell->thread,
                                                     .block = cell->block,
                                                     .role = "store"}},
                                          .site_count = 1,
                                          .subject = check_subject(buffer->name),
                                          .describe = describe_read,
                                          .user = &decision,
                                          .space = SPACE_GLOBAL,
                                          .address = buffer->low + offset,
                                          .bytes = bytes};
    check_found(init->checks, &finding);
}
