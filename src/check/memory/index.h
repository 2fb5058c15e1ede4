/* Indexes beyond an array's end, of which compiled code tells by notes (check/notes.h). */
#pragma once

#include "check/checks.h"

struct index_notes;

/* For the launch that begins; NULL when its kernel has no such notes. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status index_notes_new(hx_checks *checks, uint32_t workers, struct index_notes **ret_notes);
void index_notes_free(hx_checks *checks, struct index_notes *notes);
void index_note(struct index_notes *notes, const hx_lanes_event *event);
/* Has a thread of the worker noted an index of the same line as the instruction's? */
bool index_notes_has(const hx_checks *checks, const struct index_notes *notes, uint32_t worker,
                     uint32_t instruction);
/* An access is reported anyway, with the array and the element: its line's indexes need not be. */
void index_notes_drop(struct index_notes *notes, uint32_t worker, uint32_t instruction);
/* The launch has ended: reports the others. */
void index_notes_report(hx_checks *checks, const struct index_notes *notes);
