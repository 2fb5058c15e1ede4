/* Gangs whose threads all stand at one place, and the code for them (lower/micro_op.h): going to it and from
 * it.
 */
#pragma once

#include "exec/gang.h"

/* Makes room for what is known of the kernel's affine_parts, and sets it. state->gang.affine_parts is given
 * (memory_free). False when memory runs out. */
bool converge_init(struct gang_state *state);
/* Fills the rows of the affine_parts for the gang's lanes, and tells how they lie. */
void converge_set_affine(struct gang_state *state);
/* The gang's one path begins at the start of a block: in the converged code, if there is one. */
void converge_start(struct gang_state *state);
/* A converged gang: when lanes have parted, takes it to the general code: all paths' places, and each value
 * that was kept once into the lanes that need it. */
void converge_part(struct gang_state *state);
/* When the running path, which has all lanes, stands where the code may change and what is kept once there is
 * the same in all lanes: takes it to the converged code. True if so. */
bool converge_enter(struct gang_state *state);
