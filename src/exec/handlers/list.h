/* Gives the shapes of src/semantics their second meaning in exec: an entry of the object's list of rows.
 * Included behind template.h and the first reading of the rows; memory.c says itself what its rows are:
 *
 *   #include "exec/handlers/template.h"
 *   #include "semantics/integer.def"
 *   #include "exec/handlers/list.h"
 *   static const struct handler_row rows[] = {
 *   #include "semantics/integer.def"
 *   };
 *   HANDLER_LIST(integer, rows)
 */
#include "semantics/undefine.h"
#define LISTED(name, ...)  {SEM_##name, false, {name##_handlers}, NULL},
#define EITHER(name, ...)  {SEM_##name, false, {name##_handlers, name##_handlers}, NULL},
#define BODIED(name, ...)  {SEM_##name, false, {name##_handlers}, name##_bodies},
#define UNARY              BODIED
#define BINARY             BODIED
#define TERNARY            BODIED
#define QUATERNARY         BODIED
#define SHIFT              BODIED
#define FUNNEL             BODIED
#define FIELD              BODIED
#define COUNT              BODIED
#define COMPARE            BODIED
#define TEST               BODIED
#define SELECT             BODIED
#define CHOOSE             BODIED
#define CARRY              LISTED
#define MAD_CARRY          LISTED
#define WIDE               BODIED
#define WIDE_ADD           BODIED
#define PAIR               BODIED
#define HALF               BODIED
#define ADDRESS            LISTED
#define ATOMIC             EITHER
#define CAS                EITHER
#define SHUFFLE            LISTED
#define VOTE               LISTED
#define BALLOT             LISTED
#define MEMBERS            LISTED
#define MATRIX             LISTED
#define MATCH              LISTED
#define MATCH_ALL          LISTED
#define REDUX              LISTED
#define REDUCE             LISTED
#define SCAN               LISTED
#define SCAN_BEFORE        LISTED
#define SPECIAL            LISTED
#define CONVERT(name, ...) {SEM_##name, true, {name##_handlers[0]}, NULL},

#define HANDLER_LIST(name, rows)                                                                             \
    const struct handler_list HANDLER_NAME(name) = {(rows), sizeof(rows) / sizeof *(rows)};
