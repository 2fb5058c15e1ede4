/* Enumerators of all rows: SEM_add, SEM_setp_lt, ... Included inside an enum. */
#define ROW_ID(name, ...) SEM_##name,
#define UNARY             ROW_ID
#define BINARY            ROW_ID
#define TERNARY           ROW_ID
#define QUATERNARY        ROW_ID
#define SHIFT             ROW_ID
#define FUNNEL            ROW_ID
#define FIELD             ROW_ID
#define COUNT             ROW_ID
#define COMPARE           ROW_ID
#define TEST              ROW_ID
#define SELECT            ROW_ID
#define CHOOSE            ROW_ID
#define CARRY             ROW_ID
#define MAD_CARRY         ROW_ID
#define WIDE              ROW_ID
#define WIDE_ADD          ROW_ID
#define PAIR              ROW_ID
#define HALF              ROW_ID
#define CONVERT           ROW_ID
#define POLICY            ROW_ID
#define POLICY_RANGE      ROW_ID
#define ADDRESS           ROW_ID
#define LOAD              ROW_ID
#define STORE             ROW_ID
#define ATOMIC            ROW_ID
#define CAS               ROW_ID
#define SHUFFLE           ROW_ID
#define VOTE              ROW_ID
#define BALLOT            ROW_ID
#define MEMBERS           ROW_ID
#define MATRIX            ROW_ID
#define MATCH             ROW_ID
#define MATCH_ALL         ROW_ID
#define REDUX             ROW_ID
#define REDUCE            ROW_ID
#define SCAN              ROW_ID
#define SCAN_BEFORE       ROW_ID
#define SPECIAL           ROW_ID
#define PRINT             ROW_ID
#define PRINT_BLOCK       ROW_ID
#define CHECK             ROW_ID
#define STACK_TAKE        ROW_ID
#define STACK_SAVE        ROW_ID
#define STACK_RESTORE     ROW_ID
#define FLOW              ROW_ID
#include "semantics/all.def"
#include "semantics/undefine.h"
#undef ROW_ID
