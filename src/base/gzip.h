/* gzip: bytes as one member, the same for the same bytes. */
#pragma once

#include "base/text.h"

/* Appends `bytes` as gzip has them; lack of memory shows in ret_text->failed. */
void gzip_append(struct text *ret_text, const void *bytes, size_t size);

/* The same piece by piece: what is ready is appended to `text`, which may be emptied in between. */
struct gzip;
struct gzip *gzip_open(struct text *text); /* NULL: no memory */
void gzip_put(struct gzip *gzip, const void *bytes, size_t size);
/* Appends the end and frees. */
void gzip_close(struct gzip *gzip);
/* Frees; NULL is fine. */
void gzip_abandon(struct gzip *gzip);
