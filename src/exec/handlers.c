/* The handlers of one CPU level: compiled once for each, with HANDLER_LEVEL (plain, v2, v3, v4) as its name.
 * Takes the lists of the objects of that level, leaves handlers_LEVEL, which handlers_select.c chooses from.
 */
#include "exec/handler_rows.h"

#define DECLARE_LIST(name) extern const struct handler_list HANDLER_NAME(name);
HANDLER_OBJECTS(DECLARE_LIST)

static op_handler find(int semantic, enum hx_type type, enum hx_type source_type, bool masked)
{
#define ADDRESS_OF_LIST(name) &HANDLER_NAME(name),
    static const struct handler_list *const lists[] = {HANDLER_OBJECTS(ADDRESS_OF_LIST)};
    if ((unsigned)type >= HX_TYPE_COUNT)
        return NULL;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t k = 0; k < lists[i]->count; k++) {
            const struct handler_row *row = &lists[i]->rows[k];
            if (row->semantic != semantic)
                continue;
            if (row->converts && (unsigned)source_type >= HX_TYPE_COUNT)
                return NULL;
            const bool is_indexed = row->indexed && source_type != HX_TYPE_NONE;
            const struct handler_pair *pair =
                (is_indexed ? row->indexed : row->pairs) +
                (row->converts ? (size_t)type * HX_TYPE_COUNT + source_type : (size_t)type);
            return masked ? pair->masked : pair->full;
        }
    }
    return NULL;
}

extern const struct handler_set HANDLER_NAME(set);
const struct handler_set HANDLER_NAME(set) = {find};
