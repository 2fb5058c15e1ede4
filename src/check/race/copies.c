/* Findings of accesses to what a copy under way writes or reads. */
#include "check/race/copies.h"

#include "check/notes.h"
#include "check/race/objects.h"
#include "program/program.h"

struct copy_words {
    hx_checks *checks;
    const struct race_copy *copy;
    struct race_object object;
};

static void describe(void *user, const struct check_finding *finding, struct check_words *to)
{
    const struct copy_words *const words = user;
    race_object_fill(words->checks, &words->object, to);
    text_print(&to->message, "%s of ", finding->sites[0].role);
    race_object_print(&to->message, &words->object, to);
    text_print(&to->message, " that a copy is still %s", words->copy->reads ? "reading" : "writing");
    words->copy->advise(words->copy->user, to);
}

void race_copy_report(const struct race_copy_launch *of, const struct race_copy *copy)
{
    hx_checks *const checks = of->checks;
    const hx_access_event *const event = copy->event;
    const struct check_launch *const launch = check_launch_now(checks);
    const bool is_atomic = event->is_load && event->is_store;
    const struct check_site access = {.launch = launch,
                                      .instruction = event->at.instruction,
                                      .thread = event->at.first_thread + copy->lane,
                                      .block = event->at.block,
                                      .role = is_atomic         ? "atomic"
                                              : event->is_store ? "store"
                                                                : "load"};
    struct copy_words words = {.checks = checks,
                               .copy = copy,
                               .object = {.is_shared = event->space == SPACE_SHARED,
                                          .address = event->addresses[copy->lane],
                                          .bytes = event->lane_bytes}};
    race_object_find(checks, of->regions, &words.object);
    const char *const name = words.object.name;
    const struct check_finding finding = {.kind = CHECK_RACE_UNWAITED_COPY,
                                          .sites = {access,
                                                    {.launch = launch,
                                                     .instruction = copy->instruction,
                                                     .thread = copy->thread,
                                                     .block = event->at.block,
                                                     .role = "copy"}},
                                          .site_count = 2,
                                          .is_by_place = true,
                                          .subject = name[0] ? check_subject(name) : 0,
                                          .describe = describe,
                                          .user = &words,
                                          .space = event->space,
                                          .address = event->addresses[copy->lane],
                                          .bytes = event->lane_bytes};
    check_found(checks, &finding);
}

bool race_copy_arrives(const struct kernel *code, uint32_t instruction)
{
    return note_is(&code->code[instruction], NOTE_BULK_WRITES) ||
           note_is(&code->code[instruction], NOTE_BULK_COMBINES);
}

uint32_t race_copy_store(const struct kernel *code, uint32_t instruction)
{
    const struct place *const of = &code->lines[instruction].place;
    for (uint32_t i = instruction + 1; race_copy_arrives(code, instruction) && i < code->code_count; i++) {
        const struct place *const place = &code->lines[i].place;
        if (place->source != of->source || place->line != of->line || place->column != of->column)
            break;
        const enum semantic_shape shape = code->code[i].opcode->shape;
        if (shape == SHAPE_STORE || shape_is_atomic(shape))
            return i;
    }
    return instruction;
}
