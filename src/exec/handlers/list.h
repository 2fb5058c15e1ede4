/* Gives the shapes of src/semantics their other meaning in exec: an entry of the object's list of rows.
 * Included behind handler_template.h and the first reading of the rows:
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
#define LISTED(name, ...) {SEM_##name, false, name##_handlers, NULL, NULL, NULL, NULL, NULL},
#define EITHER(name, ...) {SEM_##name, false, name##_handlers, name##_handlers, NULL, NULL, NULL, NULL},
#define LOADED(name, ...)                                                                                    \
    {SEM_##name,    false,       name##_handlers,      name##_indexed,                                       \
     name##_affine, name##_same, name##_affine_masked, NULL},
#define STORED(name, ...)                                                                                    \
    {SEM_##name, false, name##_handlers, name##_indexed, name##_affine, NULL, name##_affine_masked, NULL},
#define BODIED(name, ...) {SEM_##name, false, name##_handlers, NULL, NULL, NULL, NULL, name##_bodies},
#define COMPARED(name, ...)                                                                                  \
    {SEM_##name, false, name##_handlers, NULL, name##_affine, NULL, NULL, name##_bodies},
#define UNARY              BODIED
#define BINARY             BODIED
#define TERNARY            BODIED
#define QUATERNARY         BODIED
#define SHIFT              BODIED
#define FUNNEL             BODIED
#define FIELD              BODIED
#define COUNT              BODIED
#define COMPARE            COMPARED
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
#define LOAD               LOADED
#define STORE              STORED
#define ATOMIC             EITHER
#define CAS                EITHER
#define SHUFFLE            LISTED
#define VOTE               LISTED
#define BALLOT             LISTED
#define MEMBERS            LISTED
#define MATCH              LISTED
#define MATCH_ALL          LISTED
#define REDUX              LISTED
#define REDUCE             LISTED
#define SCAN               LISTED
#define SCAN_BEFORE        LISTED
#define SPECIAL            LISTED
#define CONVERT(name, ...) {SEM_##name, true, name##_handlers[0], NULL, NULL, NULL, NULL, NULL},

#define HANDLER_LIST(name, rows)                                                                             \
    const struct handler_list HANDLER_NAME(name) = {(rows), sizeof(rows) / sizeof *(rows)};
