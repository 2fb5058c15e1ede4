/* Handles that functions of images are given and that are none, of which compiled code tells by notes
 * (check/notes.h). */
#pragma once

#include "check/checks.h"

struct images;

/* For the launch that begins; NULL when its kernel has no such notes. HX_NO_MEMORY. */
HX_MUST_CHECK hx_status images_new(hx_checks *checks, const hx_launch_begin *event,
                                   struct images **ret_images);
void images_free(hx_checks *checks, struct images *images);
/* False: no memory. */
bool images_note(struct images *images, const hx_lanes_event *event);
/* Is the instruction of a function that a thread of the worker has given a wrong handle, which is reported?
 */
bool images_explain(const struct images *images, uint32_t worker, uint32_t instruction);
