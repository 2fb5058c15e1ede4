/* Random programs of loops, branches, switches, calls, guards and exits, that compute with values which are
 * the same in all threads, multiples of a thread's place, or neither. An evaluator that goes through the same
 * tree thread by thread, and knows nothing of gangs, paths and rows, says what x must hold. */
#include "converge_unit.h"

#define VALUES      10 /* r0 to r9 */
#define PREDICATES  4
#define SLOTS       2    /* that a thread has in x for itself */
#define TABLE       2048 /* elements of x behind them, which are read */
#define SUMS        4    /* and behind the table, which all threads add to */
#define NODES_MAX   400
#define THREADS_MAX 768
#define MOST_DEEP   4

enum kind {
    SET,    /* value a := b op c */
    MOVE,   /* value a := something that has no operands */
    WIDEN,  /* value a := (b * c) >> 16 of 64 bits, b and c being values */
    TEST,   /* predicate a := value b < value c % 64 */
    LOOK,   /* value a := the table's element b * x + c * y + z + some of a value */
    LOAD,   /* value a := slot b */
    STORE,  /* slot b := value a */
    ADD,    /* sum b += value a */
    GUARD,  /* if predicate b: the one statement inside, under a guard */
    IF,     /* if predicate b: inside, else other */
    LOOP,   /* inside, as often as value a says */
    SWITCH, /* inside or other or nothing: value a % 3 */
    CALL,   /* function a */
    RETURN, /* if predicate b; of a function */
    EXIT,   /* if predicate b */
    MEET,   /* a barrier; not within others */
    SUM,    /* value a := sum of all threads' value b; not within others */
    COUNT   /* value a := how many threads have predicate b; not within others */
};
struct node {
    enum kind kind;
    uint32_t a, b, c, how;
    uint32_t inside, other, next; /* nodes; 0: none */
    uint32_t deep;
};

static struct node nodes[NODES_MAX];
static uint32_t node_count, functions[2], begin, random_state, label_count;
static struct shape shape;
static uint32_t grid;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static uint32_t make_list(uint32_t count, uint32_t deep, bool in_function);

static void make_inside(struct node *node, bool in_function)
{
    /* the array does not move */
    switch (node->kind) {
    case GUARD:
        node->inside = make_list(1, MOST_DEEP, in_function);
        break;
    case IF:
    case SWITCH:
        node->inside = make_list(1 + draw(3), node->deep + 1, in_function);
        node->other = draw(2) ? make_list(1 + draw(3), node->deep + 1, in_function) : 0;
        break;
    case LOOP:
        node->inside = make_list(1 + draw(4), node->deep + 1, in_function);
        break;
    default:
        break;
    }
}

static enum kind draw_kind(uint32_t deep, bool in_function)
{
    static const enum kind plain[] = {SET, SET, SET, SET, MOVE, MOVE, WIDEN, LOOK, LOOK, LOAD, STORE, ADD};
    static const enum kind whole[] = {TEST, IF, IF, IF, LOOP, LOOP, GUARD, SWITCH, CALL};
    if (deep == 0 && draw(8) == 0)
        return (enum kind)(MEET + (int)draw(3));
    if (deep < MOST_DEEP && draw(25) == 0)
        return in_function ? RETURN : EXIT;
    if (deep >= MOST_DEEP - 1 || draw(2))
        return deep < MOST_DEEP && draw(6) == 0 ? TEST : plain[draw(HX_COUNT_OF(plain))];
    return whole[draw(HX_COUNT_OF(whole) - in_function)];
}

/* Half of the statements work on values that are the same in all threads to begin with, so that some of them
 * stay so for long. */
static uint32_t draw_value(bool is_same)
{
    static const uint32_t same[] = {3, 4, 5, 7};
    return is_same ? same[draw(HX_COUNT_OF(same))] : draw(VALUES);
}

/* The number of the first node. */
static uint32_t make_list(uint32_t count, uint32_t deep, bool in_function)
{
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < count && node_count + 1 < NODES_MAX; i++) {
        const uint32_t number = ++node_count;
        const bool is_same = draw(2), reads_same = is_same && draw(8);
        struct node *node = &nodes[number];
        *node = (struct node){
            .kind = draw_kind(deep, in_function), .a = draw_value(is_same), .deep = deep, .how = draw(1000)};
        if (node->kind == MOVE && reads_same)
            node->how = draw_value(true);
        const bool tests = node->kind >= GUARD || node->kind == TEST;
        node->b =
            tests && node->kind != TEST && node->kind != SUM ? draw(PREDICATES) : draw_value(reads_same);
        node->c = draw_value(reads_same);
        make_inside(node, in_function);
        if (last)
            nodes[last].next = number;
        else
            first = number;
        last = number;
    }
    return first;
}

static const char *const operations[] = {"add.u32", "sub.i32", "mul.u32", "xor.u32",
                                         "min.u32", "add.u32", "rem.u32"};
static const char *const moved[] = {"%tid.x", "%tid.y",  "%tid.z",  "%ctaid.x",
                                    "$n",     "%ntid.x", "%laneid", "3"};
static const uint32_t factors[] = {1, 3, 0xffffffff, 4, 16};

static void print_list(struct text *text, uint32_t number, bool in_function);

static void print_set(struct text *text, const struct node *node, const char *guard)
{
    const uint32_t operation = node->how % 11;
    if (operation < HX_COUNT_OF(operations))
        text_print(text, "%s%s r%u, r%u, %s%u\n", guard, operations[operation], node->a, node->b,
                   node->how & 32 ? "" : "r", node->how & 32 ? 1 + node->c : node->c);
    else if (operation == 7)
        text_print(text, "%sshl.u32 r%u, r%u, %u\n", guard, node->a, node->b, node->c);
    else if (operation == 8)
        text_print(text, "%sadd.i32 r%u, r%u, $tiny\n", guard, node->a, node->b);
    else
        text_print(text, "%smad.u32 r%u, r%u, %u, r%u\n", guard, node->a, node->b,
                   factors[node->how / 11 % 5], node->c);
}

static void print_plain(struct text *text, const struct node *node, const char *guard)
{
    switch (node->kind) {
    case SET:
        print_set(text, node, guard);
        break;
    case MOVE:
        text_print(text, "%smov.u32 r%u, %s\n", guard, node->a, moved[node->how % 8]);
        break;
    case WIDEN:
        text_print(text, "%smulw.u32 r24, r%u, r%u\n%sshr.u64 r24, r24, 16\n%scvt.u32.u64 r%u, r24\n", guard,
                   node->b, node->c, guard, guard, node->a);
        break;
    case LOOK:
        text_print(
            text,
            "mov.u32 r20, %%tid.x\nmul.u32 r20, r20, %u\nmov.u32 r21, %%tid.y\nmad.u32 r20, r21, %u, r20\n"
            "mov.u32 r21, %%tid.z\nmad.u32 r20, r21, %u, r20\nand.u32 r21, r%u, 15\nadd.u32 r20, r20, r21\n",
            node->b % 4, node->c % 4 * 8, node->how / 2 % 2, node->a);
        text_print(text, "%sldg.u32 r%u, [$x + r20.%s*4 + %u]\n", guard, node->a,
                   node->how & 1 ? "i32" : "u32", grid * shape_threads(shape) * SLOTS * 4);
        break;
    case LOAD:
        text_print(text, "%sldg.u32 r%u, [$x + r22.u32*4 + %u]\n", guard, node->a, node->b % SLOTS * 4);
        break;
    case STORE:
        text_print(text, "%sstg.u32 [$x + r22.i32*4 + %u], r%u\n", guard, node->b % SLOTS * 4, node->a);
        break;
    default:
        text_print(text, "%sredg.add.u32 [$x + %u], r%u\n", guard,
                   (grid * shape_threads(shape) * SLOTS + TABLE + node->b % SUMS) * 4, node->a);
    }
}

static void print_choice(struct text *text, const struct node *node, bool in_function)
{
    const uint32_t label = label_count++;
    if (node->kind == SWITCH) {
        text_print(text, "rem.u32 r20, r%u, 3\nbrx r20, t%u, 3\nt%u: bra a%u\nbra b%u\nbra e%u\na%u: nop\n",
                   node->a, label, label, label, label, label, label);
    } else {
        text_print(text, "@%sp%u bra %c%u\n", node->how & 1 ? "!" : "", node->b, node->other ? 'b' : 'e',
                   label);
    }
    print_list(text, node->inside, in_function);
    if (node->other || node->kind == SWITCH) {
        text_print(text, "bra e%u\nb%u:\n", label, label);
        print_list(text, node->other, in_function);
        if (node->kind == SWITCH)
            text_print(text, "nop\n");
    }
    text_print(text, "e%u:\n", label);
    if (node->how & 2)
        text_print(text, "nop\n");
}

static void print_loop(struct text *text, const struct node *node, bool in_function)
{
    const uint32_t label = label_count++, counter = 30 + node->deep * 2 + in_function * 10;
    text_print(text, "and.u32 r%u, r%u, 3\nadd.u32 r%u, r%u, 1\n", counter, node->a, counter, counter);
    if (node->how & 1)
        text_print(text, "mov.u32 r%u, 0\n", counter + 1);
    text_print(text, "l%u: nop\n", label);
    print_list(text, node->inside, in_function);
    if (node->how & 1)
        text_print(text, "add.u32 r%u, r%u, 1\nsetp.lt.u32 p7, r%u, r%u\n@p7 bra l%u\n", counter + 1,
                   counter + 1, counter + 1, counter, label);
    else
        text_print(text, "loop.u32 r%u, l%u\n", counter, label);
}

static void print_list(struct text *text, uint32_t number, bool in_function)
{
    for (; number; number = nodes[number].next) {
        const struct node *node = &nodes[number];
        const char *const negated = node->how & 1 ? "!" : "";
        char guard[12] = "";
        switch (node->kind) {
        case TEST:
            text_print(text, "and.u32 r20, r%u, 63\nsetp.lt.u32 p%u, r%u, r20\n", node->c,
                       node->a % PREDICATES, node->b);
            break;
        case GUARD:
            snprintf(guard, sizeof guard, "@%sp%u ", negated, node->b);
            print_plain(text, &nodes[node->inside], guard);
            break;
        case IF:
        case SWITCH:
            print_choice(text, node, in_function);
            break;
        case LOOP:
            print_loop(text, node, in_function);
            break;
        case CALL:
            text_print(text, "call f%u\n", node->a % 2);
            break;
        case RETURN:
        case EXIT:
            text_print(text, "@%sp%u %s\n", negated, node->b, node->kind == EXIT ? "exit" : "ret");
            break;
        case MEET:
            text_print(text, "bar.sync 1\n");
            break;
        case SUM:
            text_print(text, "reduce.add.u32 r%u, r%u\n", node->a, node->b);
            break;
        case COUNT:
            text_print(text, "bar.red.popc.u32 r%u, 2, %sp%u\n", node->a, negated, node->b);
            break;
        default:
            print_plain(text, node, guard);
        }
    }
}

/* All values begin with something; r22 is the index of the thread's first slot. */
static void print_program(struct text *text)
{
    label_count = 0;
    text_print(text, "mov.u32 r20, %%ctaid.x\nmul.u32 r22, r20, %u\n", shape_threads(shape) * SLOTS);
    text_print(text, "mov.u32 r20, %%tid.x\nmad.u32 r22, r20, %u, r22\n", SLOTS);
    text_print(text, "mov.u32 r20, %%tid.y\nmad.u32 r22, r20, %u, r22\n", SLOTS * shape.x);
    text_print(text, "mov.u32 r20, %%tid.z\nmad.u32 r22, r20, %u, r22\n", SLOTS * shape.x * shape.y);
    for (uint32_t v = 0; v < VALUES; v++)
        text_print(text, "mov.u32 r%u, %s\n", v, moved[v % 8]);
    for (uint32_t p = 0; p < PREDICATES; p++)
        text_print(text, "setp.eq.u32 p%u, r%u, r%u\n", p, p, p + 3);
    print_list(text, begin, false);
    for (uint32_t v = 0; v < VALUES; v++)
        text_print(text, "mad.u32 r9, r9, 31, r%u\n", v);
    text_print(text, "stg.u32 [$x + r22*4], r9\nexit\n");
    for (int f = 0; f < 2; f++) {
        text_print(text, "f%d: nop\n", f);
        print_list(text, functions[f], true);
        text_print(text, "ret\n");
    }
}

struct thread {
    uint32_t values[VALUES], tid[3], number, block;
    bool predicates[PREDICATES], is_done;
};
enum way { ON, BACK, OUT };

static struct thread threads[THREADS_MAX];
static uint32_t *memory;

static uint32_t slots_of_all(void)
{
    return grid * shape_threads(shape) * SLOTS;
}

static uint32_t evaluate_move(const struct thread *thread, uint32_t how)
{
    const uint32_t linear = thread->number % shape_threads(shape);
    const uint32_t results[] = {
        thread->tid[0], thread->tid[1], thread->tid[2], thread->block, 7, shape.x, linear % 32, 3};
    return results[how % 8];
}

static uint32_t evaluate_set(const struct thread *thread, const struct node *node)
{
    const uint32_t operation = node->how % 11, b = thread->values[node->b];
    const uint32_t value = thread->values[node->c], c = node->how & 32 ? 1 + node->c : value;
    switch (operation) {
    case 0:
    case 5:
        return b + c;
    case 1:
        return b - c;
    case 2:
        return b * c;
    case 3:
        return b ^ c;
    case 4:
        return b < c ? b : c;
    case 6:
        return c ? b % c : b;
    case 7:
        return b << node->c;
    case 8:
        return b - 3;
    default:
        return b * factors[node->how / 11 % 5] + value;
    }
}

static void evaluate_plain(struct thread *thread, const struct node *node)
{
    uint32_t *const a = &thread->values[node->a];
    uint32_t *const slot = memory + thread->number * SLOTS + node->b % SLOTS;
    switch (node->kind) {
    case SET:
        *a = evaluate_set(thread, node);
        break;
    case MOVE:
        *a = evaluate_move(thread, node->how);
        break;
    case WIDEN:
        *a = (uint32_t)((uint64_t)thread->values[node->b] * thread->values[node->c] >> 16);
        break;
    case LOOK:
        *a = memory[slots_of_all() + thread->tid[0] * (node->b % 4) + thread->tid[1] * (node->c % 4 * 8) +
                    thread->tid[2] * (node->how / 2 % 2) + (*a & 15)];
        break;
    case LOAD:
        *a = *slot;
        break;
    case STORE:
        *slot = *a;
        break;
    default:
        memory[slots_of_all() + TABLE + node->b % SUMS] += *a;
    }
}

static enum way evaluate(struct thread *thread, uint32_t number);

static enum way evaluate_one(struct thread *thread, const struct node *node)
{
    const bool negated = node->how & 1, holds = thread->predicates[node->b % PREDICATES] != negated;
    enum way way = ON;
    switch (node->kind) {
    case TEST:
        thread->predicates[node->a % PREDICATES] = thread->values[node->b] < (thread->values[node->c] & 63);
        return ON;
    case GUARD:
        if (holds)
            evaluate_plain(thread, &nodes[node->inside]);
        return ON;
    case IF: /* a branch: what follows it is for those that do not jump */
        return evaluate(thread, holds ? node->other : node->inside);
    case SWITCH:
        return thread->values[node->a] % 3 == 2
                   ? ON
                   : evaluate(thread, thread->values[node->a] % 3 ? node->other : node->inside);
    case LOOP:
        for (uint32_t left = (thread->values[node->a] & 3) + 1; left > 0 && way == ON; left--)
            way = evaluate(thread, node->inside);
        return way;
    case CALL:
        return evaluate(thread, functions[node->a % 2]) == OUT ? OUT : ON;
    case RETURN:
        return holds ? BACK : ON;
    case EXIT:
        return holds ? OUT : ON;
    default:
        evaluate_plain(thread, node);
        return ON;
    }
}

static enum way evaluate(struct thread *thread, uint32_t number)
{
    enum way way = ON;
    for (; number && way == ON; number = nodes[number].next)
        way = evaluate_one(thread, &nodes[number]);
    return way;
}

/* What threads of a block do together. */
static void evaluate_block(struct thread *first, const struct node *node)
{
    const bool negated = node->how & 1;
    uint32_t sum = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t t = 0; t < shape_threads(shape); t++) {
            struct thread *thread = &first[t];
            if (thread->is_done)
                continue;
            if (pass == 1)
                thread->values[node->a] = sum;
            else
                sum += node->kind == SUM ? thread->values[node->b]
                                         : thread->predicates[node->b % PREDICATES] != negated;
        }
}

static void evaluate_all(void)
{
    const uint32_t per_block = shape_threads(shape), count = grid * per_block;
    for (uint32_t t = 0; t < count; t++) {
        struct thread *thread = &threads[t];
        const uint32_t in_block = t % per_block;
        *thread = (struct thread){
            .tid = {in_block % shape.x, in_block / shape.x % shape.y, in_block / shape.x / shape.y},
            .number = t,
            .block = t / per_block};
        for (uint32_t v = 0; v < VALUES; v++)
            thread->values[v] = evaluate_move(thread, v);
        for (uint32_t p = 0; p < PREDICATES; p++)
            thread->predicates[p] = thread->values[p] == thread->values[p + 3];
    }
    for (uint32_t number = begin; number; number = nodes[number].next) {
        const struct node *node = &nodes[number];
        for (uint32_t t = 0; t < count && node->kind < MEET; t++)
            if (!threads[t].is_done)
                threads[t].is_done = evaluate_one(&threads[t], node) == OUT;
        for (uint32_t block = 0; block < grid && node->kind > MEET; block++)
            evaluate_block(&threads[block * per_block], node);
    }
    for (uint32_t t = 0; t < count; t++) {
        uint32_t *const values = threads[t].values;
        for (uint32_t v = 0; v < VALUES; v++)
            values[VALUES - 1] = values[VALUES - 1] * 31 + values[v];
        if (!threads[t].is_done)
            memory[t * SLOTS] = values[VALUES - 1];
    }
}

static void check_program(uint32_t seed)
{
    static const struct shape shapes[] = {{1, 1, 1},   {7, 1, 1},  {33, 1, 1}, {100, 1, 1}, {250, 1, 1},
                                          {16, 4, 1},  {5, 3, 2},  {32, 8, 1}, {8, 8, 4},   {64, 1, 1},
                                          {128, 2, 1}, {3, 50, 1}, {16, 16, 1}};
    struct text text;
    random_state = seed * 2654435761u + 1;
    shape = shapes[draw(HX_COUNT_OF(shapes))];
    grid = 1 + draw(3);
    node_count = 0;
    for (int f = 0; f < 2; f++)
        functions[f] = make_list(1 + draw(4), 1, true);
    begin = make_list(6 + draw(10), 0, false);
    text_init(&text, NULL);
    print_program(&text);
    ck_assert(!text.failed);
    const uint32_t elements = slots_of_all() + TABLE + SUMS;
    uint32_t *const start = calloc(elements, sizeof *start);
    memory = calloc(elements, sizeof *memory);
    for (uint32_t i = 0; i < slots_of_all() + TABLE; i++)
        start[i] = draw(4) ? draw(20) : draw(1 << 24) * 977;
    memcpy(memory, start, elements * sizeof *memory);
    evaluate_all();
    check_ways("", text.at, grid, shape, elements, start, memory);
    free(start);
    free(memory);
    text_done(&text);
}

START_TEST(test_random_programs)
{
    const char *const asked = getenv("CONVERGE_SEED");
    const uint32_t from = asked ? (uint32_t)atoi(asked) : 1, count = asked ? 1 : 60;
    for (uint32_t seed = from; seed < from + count; seed++)
        check_program(seed);
}
END_TEST

UNIT_MAIN("exec_converge_random", test_random_programs)
