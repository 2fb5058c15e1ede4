/* gzip: bytes as one member, the same for the same bytes. */
#pragma once

#include "base/text.h"

/* Appends `bytes` as gzip has them; lack of memory shows in ret_text->failed. */
void gzip_append(struct text *ret_text, const void *bytes, size_t size);
