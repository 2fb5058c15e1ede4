/* The handlers of one CPU level: compiled once for each, with HANDLER_LEVEL (plain, v3, v4) as its name.
 * Takes the lists of the objects of that level, leaves handlers_LEVEL, which select.c chooses from.
 */
#include "exec/handlers/rows.h"

#define DECLARE_LIST(name) extern const struct handler_list HANDLER_NAME(name);
HANDLER_OBJECTS(DECLARE_LIST)

/* The row that has the semantic in this form. ACCESS_INDEXED becomes ACCESS_ADDRESSED where a row has no
 * indexed form. */
static const struct handler_row *find_row(int semantic, enum access_form *form)
{
#define ADDRESS_OF_LIST(name) &HANDLER_NAME(name),
    static const struct handler_list *const lists[] = {HANDLER_OBJECTS(ADDRESS_OF_LIST)};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct handler_row *row = lists[i]->rows, *end = row + lists[i]->count; row < end; row++) {
            if (row->semantic != semantic)
                continue;
            if (*form == ACCESS_INDEXED && !row->forms[ACCESS_INDEXED])
                *form = ACCESS_ADDRESSED;
            if (row->forms[*form])
                return row;
        }
    return NULL;
}

static op_handler find(int semantic, enum hx_type type, enum hx_type source_type, enum access_form form,
                       bool masked)
{
    const struct handler_row *row = find_row(semantic, &form);
    if (!row || (unsigned)type >= HX_TYPE_COUNT || (row->converts && (unsigned)source_type >= HX_TYPE_COUNT))
        return NULL;
    const struct handler_pair *pair =
        row->forms[form] + (row->converts ? (size_t)type * HX_TYPE_COUNT + source_type : (size_t)type);
    return masked ? pair->masked : pair->full;
}

static op_body find_body(int semantic, enum hx_type type)
{
    enum access_form form = ACCESS_ADDRESSED;
    const struct handler_row *row = find_row(semantic, &form);
    return row && row->bodies && (unsigned)type < HX_TYPE_COUNT ? row->bodies[type] : NULL;
}

extern const struct mask_functions HANDLER_NAME(masks);
extern const struct handler_set HANDLER_NAME(set);
const struct handler_set HANDLER_NAME(set) = {find, &HANDLER_NAME(masks), find_body,
                                              HANDLER_NAME(multiply_add)};
