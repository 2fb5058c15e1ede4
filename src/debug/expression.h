/* Expressions from the inside: the tree that parse.c makes of a text, and what those that evaluate it share,
 * expression.c (operators) and source/operators.c (values with types of the source).
 *
 * A tree is read once and evaluated for many threads. Where a name leads is kept beside it, for the scope in
 * which it was looked up last. */
#pragma once

#include "debug/debug.h"

/* ---- Trees --------------------------------------------------------------------------------------------- */

enum node_kind {
    NODE_NUMBER,      /* `value` */
    NODE_NAME,        /* `name`, of the source or of hexec */
    NODE_OWN,         /* $r3: of hexec in any case */
    NODE_SPECIAL,     /* %tid.x: `special` */
    NODE_SIGN,        /* +a, -a: `operator` is the sign */
    NODE_NOT,         /* !a */
    NODE_COMPLEMENT,  /* ~a */
    NODE_DEREFERENCE, /* *a; `type`: *f32 a, or NONE */
    NODE_ADDRESS,     /* &a */
    NODE_SIZE,        /* sizeof a */
    NODE_CAST,        /* (type) a: `declared` of the source, or else `type` */
    NODE_VECTOR,      /* (type) (a, ...): a is a NODE_LIST */
    NODE_LIST,        /* a, and behind it those of the list b */
    NODE_ELEMENT,     /* a[b] */
    NODE_ARROW,       /* a->name */
    NODE_DOT,         /* a.name */
    NODE_WORK_ITEM,   /* get_global_id(a): `special` is the function's number */
    NODE_BINARY,      /* a `operator` b; && and || as well */
    NODE_CHOICE       /* a ? b : c */
};

/* Where a name of the source leads, in a scope. */
enum binding_kind {
    BOUND_TO_NOTHING,
    BOUND_TO_ENTRY,  /* a variable, parameter or constant: `entry` */
    BOUND_TO_NUMBER, /* an enumerator: `entry` */
    BOUND_TO_MEMBER, /* of what `this` leads to, which is `entry` */
    BOUND_TO_TRIPLE, /* threadIdx and others: `triple` */
    BOUND_TO_WARP_SIZE,
    BOUND_TO_SEVERAL /* enumerators with different values */
};
struct binding {
    const struct kernel *kernel; /* for which it holds; NULL: it was never looked up */
    uint32_t scope, entry;
    enum binding_kind kind;
    uint8_t triple;
    struct dwarf_type_member member;
    struct variable_place place; /* of `entry` */
};

#define NO_NODE 0
struct node {
    enum node_kind kind;
    enum hx_type type;
    uint32_t a, b, c;  /* indexes of operands; NO_NODE: none */
    uint32_t depth;    /* of what is below it */
    uint32_t declared; /* 1 + the entry of a type; 0: none */
    int special;       /* enum special_register; -1: there is none of the name */
    const char *operator;
    struct slice name;
    struct value value;
    struct binding binding;
    bool is_checked, is_known; /* the name is one of the source, in some scope */
};
struct expression_tree {
    const hx_allocator *allocator;
    char *text;
    LIST(struct node) nodes; /* the first is none: its number means that there is none */
    uint32_t root;
};

/* What is wrong with a name that has no meaning where the thread stands. */
#define WRONG_ELSEWHERE "is a variable of another function or block"

/* ---- Evaluation ---------------------------------------------------------------------------------------- */

struct evaluation {
    const struct asker *asker;
    struct expression_tree *expression;
    char *wrong;
    size_t room;
    bool failed;
    enum {
        READS_ALL,
        READS_NUMBERS, /* of structures and arrays only where they are is wanted, */
        READS_NOTHING  /* and of whatever it is, behind & */
    } reads;
    bool is_check; /* names and grammar only: values are not there yet */
    bool has_stand, has_no_stand;
    uint32_t made;      /* vectors in engine->made */
    struct stand stand; /* of the asker's call, if has_stand */
};
/* The first failure is kept. */
void eval_fail(struct evaluation *evaluation, const char *format, ...) HX_PRINTF(2, 3);
/* Where the asker's thread stands; NULL: it is not there. */
const struct stand *eval_stand(struct evaluation *evaluation);
/* Reads what is at the value's address, which it has. */
void eval_read_memory(struct evaluation *evaluation, struct value *value);
/* ---- names.c */
/* A buffer, array, parameter or constant; the evaluation fails where there is none. */
struct value eval_named(struct evaluation *evaluation, struct slice name);
/* A register that PTX calls so; false: none is. */
bool eval_written(struct evaluation *evaluation, struct slice name, struct value *ret_value);
/* r3, p0; false: it is no such name. */
bool eval_register(struct evaluation *evaluation, struct slice name, struct value *ret_value);
struct value eval_special(struct evaluation *evaluation, const struct node *node);

/* ---- parse.c, literals.c: texts */
struct parser {
    struct engine *engine; /* of the types; those that the program does not have are made */
    struct expression_tree *expression;
    const char *at, *end;
    char *wrong;
    size_t room;
    bool failed;
    unsigned depth;
};
void parse_fail(struct parser *parser, const char *format, ...) HX_PRINTF(2, 3);
/* What begins with a digit or a point; what stands behind an opening quote. */
struct value literal_number(struct parser *parser);
struct value literal_character(struct parser *parser);

/* ---- source/operators.c: values with types of the source */
/* A variable that is found; `name` is for what is wrong. `place` keeps where it is in its
 * scope, once it was looked up. False: no thread is there. */
bool eval_entry(struct evaluation *evaluation, uint32_t variable, struct slice name,
                struct variable_place *place, struct value *ret_value);
/* What is at an address, as a value of a type; of a reference what that leads to. */
struct value eval_at(struct evaluation *evaluation, uint32_t type, int space, uint64_t address);
/* nullptr: a pointer to void, where the program has types of a source. */
struct value eval_null(const struct evaluation *evaluation);
/* Where only names and grammar are checked: a value of any type. */
struct value eval_unknown(void);
/* A member of threadIdx, blockIdx, blockDim or gridDim. */
struct value eval_coordinate(struct evaluation *evaluation, const struct value *triple, struct slice name);
/* Is it of the source, and has it members, elements, or a place that it leads to? */
bool eval_has_members(const struct evaluation *evaluation, const struct value *value);
bool eval_has_elements(const struct evaluation *evaluation, const struct value *value);
struct value eval_member(struct evaluation *evaluation, const struct value *value, struct slice name);
/* A member that dwarf_type_next_member found. */
struct value eval_part(struct evaluation *evaluation, const struct value *value,
                       const struct dwarf_type_member *member);
struct value eval_element(struct evaluation *evaluation, const struct value *value,
                          const struct value *index);
struct value eval_target(struct evaluation *evaluation, const struct value *value);
/* Sums and differences of pointers and arrays: false, it is something else. */
bool eval_moves_pointer(struct evaluation *evaluation, const char *operator, const struct value * a,
                        const struct value *b, struct value *ret_value);
/* Of ?:, does the value keep its type, whatever the type of the other one is? */
bool eval_keeps_type(const struct evaluation *evaluation, const struct value *value,
                     const struct value *other);
/* The entry of a type as it is written, "float", "struct item *"; DWARF_NONE: there is none. */
uint32_t eval_type(struct engine *engine, struct slice text);
/* The address of a value of the source, as a pointer to its type. */
struct value eval_address(struct evaluation *evaluation, const struct value *value);
/* `count` elements from a value's place on: value@count. */
struct value eval_repeated(struct evaluation *evaluation, const struct value *value,
                           const struct value *count);
struct value eval_converted(struct evaluation *evaluation, const struct value *value, uint32_t type);

/* ---- source/assigned.c */
/* Of a vector, structure or array of the source: the bytes that an assignment writes. */
uint64_t value_assigned_bytes(const struct asker *asker, const struct value *place);
/* Those bytes where a value is assigned to it. False, with what is wrong in *ret_wrong: it cannot be. */
bool value_assigned(const struct asker *asker, const struct value *place, const struct value *value, char *to,
                    char *ret_wrong, size_t room);

/* ---- source/work_items.c: OpenCL C's get_global_id and others */
/* The number of a function; -1: it is none. */
int work_item_find(struct slice name, bool *ret_has_dimension);
struct value eval_work_item(struct evaluation *evaluation, int number, const struct value *dimension);

/* ---- source/vectors.c: OpenCL C's */
#define VECTOR_LANES_MOST 16
bool eval_is_vector(const struct evaluation *evaluation, const struct value *value);
/* An operator between two, one of which is a vector; one before a vector. */
struct value eval_vectors(struct evaluation *evaluation, const char *operator, const struct value * a,
                          const struct value *b);
struct value eval_vector(struct evaluation *evaluation, char letter, const struct value *a);
/* A vector of this type with the lanes of numbers and vectors; one number is each of its lanes. */
struct value eval_made_vector(struct evaluation *evaluation, uint32_t type, const struct value *items,
                              size_t count);
/* Components that do not follow each other, v.wzyx, v.odd. False: the name is none of those. */
bool eval_components(struct evaluation *evaluation, const struct value *value, struct slice name,
                     struct value *ret_value);

/* ---- source/dynamic.c: shared memory of the launch */
/* An array of it as the source declares it. False: its type is not known. */
bool eval_dynamic(struct evaluation *evaluation, const struct array *array, struct value *ret_value);

/* ---- source/names.c */
/* What the program has at a name: variables, enumerators, members of the structure that the function is a
 * method of, and `threadIdx` of CUDA C. False: nothing. */
bool eval_source_name(struct evaluation *evaluation, struct node *node, struct value *ret_value);
