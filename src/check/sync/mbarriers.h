/* Barriers in shared memory (mbarrier of PTX, cuda::barrier), as notes tell of them. */
#pragma once

#include "check/checks.h"

/* A place where there is or was a barrier. */
struct mbarrier {
    uint32_t offset, instruction, thread; /* and who initialized or invalidated it last */
    bool is_live, is_met;                 /* is_met: and all threads of the block have met since */
};
/* Those of one block; zeros: none. */
struct mbarriers {
    LIST(struct mbarrier) places;
};

/* Threads initialize, use or invalidate them (check/notes.h). False: no memory. */
bool mbarriers_note(hx_checks *checks, struct mbarriers *mbarriers, const hx_lanes_event *event);
/* All threads of the block have met. */
void mbarriers_release(struct mbarriers *mbarriers);
/* The block has ended. */
void mbarriers_clear(struct mbarriers *mbarriers);
void mbarriers_free(hx_checks *checks, struct mbarriers *mbarriers);
