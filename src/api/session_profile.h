/* The profile of a session: made while launches run, read from the record's files. */
#pragma once

#include "hexec/profile.h"
#include "hexec/session.h"

#define SESSION_PROFILE ".profile" /* the ending of its file, behind the record's */

/* Makes session->profile. HX_NO_MEMORY, or a warning where no file can be made. */
HX_MUST_CHECK hx_status session_profile_open(hx_session *session, hx_diag *diag);
void session_profile_close(hx_session *session);
/* hx_launch, which becomes a part of it. */
HX_MUST_CHECK hx_status session_profile_launch(hx_session *session, hx_device *device,
                                               const hx_kernel *kernel, hx_launch_options *options,
                                               hx_buffer *const *buffers, hx_diag *diag,
                                               hx_launch_result *ret_result);

/* A profile that a process left; one at a time can be read. */
struct session_profile_read {
    void *mapped;
    const hx_profile *profile; /* NULL: there is none */
};
/* HX_NO_MEMORY; *ret_read is given (session_profile_unload). */
HX_MUST_CHECK hx_status session_profile_load(const char *path, hx_diag *diag,
                                             struct session_profile_read *ret_read);
void session_profile_unload(struct session_profile_read *read);
