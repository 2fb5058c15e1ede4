/* JSON Schemas of the documents that hexec writes: that of profiles, and the pieces that schemas are made of.
 */
#pragma once

#include "base/text.h"

void schema_print_profile(struct text *text);

/* Members of an object: all must be there, but for `optional`, and no others. The last one has no name. */
struct schema_member {
    const char *name, *schema;
};
void schema_print_object(struct text *text, const struct schema_member *members,
                         const struct schema_member *optional);

/* Schemas of values. */
#define STRING     "{\"type\":\"string\"}"
#define NAME       "{\"type\":\"string\",\"minLength\":1}"
#define MAYBE      "{\"type\":[\"string\",\"null\"]}"
#define COUNT      "{\"type\":\"integer\",\"minimum\":0}"
#define NUMBER     "{\"type\":\"number\",\"minimum\":0}"
#define OF(name)   "{\"$ref\":\"#/$defs/" name "\"}"
#define EACH(item) "{\"type\":\"array\",\"items\":" item "}"
#define SHAPE                                                                                                \
    "{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":1},\"minItems\":3,\"maxItems\":3}"
