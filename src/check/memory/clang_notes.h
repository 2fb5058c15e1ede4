/* Indexes beyond an array's end and misaligned pointers, of which compiled code tells by notes
 * (check/notes.h). */
#pragma once

#include "check/checks.h"
#include "check/notes.h"

struct clang_notes;

/* For the launch that begins; NULL when its kernel has no such notes. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status clang_notes_new(hx_checks *checks, uint32_t workers, struct clang_notes **ret_notes);
void clang_notes_free(hx_checks *checks, struct clang_notes *notes);
void clang_note(struct clang_notes *notes, const hx_lanes_event *event);
/* Has a thread of the worker noted an index of the same line as the instruction's? */
bool clang_notes_has(const hx_checks *checks, const struct clang_notes *notes, uint32_t worker,
                     uint32_t instruction);
/* An access is reported anyway, with the array and the element: its line's notes NOTE_INDEX or NOTE_POINTER
 * need not be. */
void clang_notes_drop(struct clang_notes *notes, uint32_t worker, uint32_t instruction,
                      enum check_note which);
/* The launch has ended: reports the others. */
void clang_notes_report(hx_checks *checks, const struct clang_notes *notes);
