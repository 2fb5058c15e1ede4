/* Random programs, walked along random ways: whatever a way meets, the verifier has warned of. */
#include "random_unit.h"

#define PROGRAMS 300
#define WAYS     8
#define STEPS    200

static bool is_warned(const hx_diag *diag, int code, int line, const char *text)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *got = hx_diag_at(diag, i);
        if (got->code == code && (line == 0 || got->line == line) &&
            strncmp(got->message, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* Of a way that has reached its end: no loop without an exit was on it. */
static void check_ended(const struct loaded_kernel *loaded, const uint32_t *passed, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        const int line = loaded->kernel->lines[passed[i]].place.line;
        ck_assert_msg(!is_warned(loaded->diag, DIAG_VERIFY_ENDLESS, line, "this loop"), "line %d", line);
    }
}

/* What a way has written: the step (0: nothing), and the bits. */
struct held {
    uint32_t steps[REGISTER_COUNT + PREDICATE_COUNT];
    unsigned bits[REGISTER_COUNT + PREDICATE_COUNT];
};

static void check_read(const struct loaded_kernel *loaded, const struct held *held, uint32_t at,
                       const struct operand_access *access, uint32_t member)
{
    char text[64];
    const bool predicate = member >= REGISTER_COUNT;
    const struct semantic *semantic = semantic_at(instruction_semantic(&loaded->kernel->code[at]));
    const bool is_short = access->is_base && held->bits[member] == 32 &&
                          (semantic->space == SPACE_SHARED || semantic->space == SPACE_CONSTANT ||
                           semantic->space == SPACE_LOCAL);
    const uint32_t number = predicate ? member - REGISTER_COUNT : member;
    if (held->steps[member] == 0) {
        snprintf(text, sizeof text, "%c%u may be read", predicate ? 'p' : 'r', number);
        ck_assert_msg(is_warned(loaded->diag, DIAG_VERIFY_UNINITIALISED, 0, text), "line %d: %s",
                      loaded->kernel->lines[at].place.line, text);
    } else if (!predicate && !access->is_index && !is_short &&
               (held->bits[member] == 64) != (type_bits(access->type) == 64)) {
        snprintf(text, sizeof text, "r%u holds", number);
        ck_assert_msg(is_warned(loaded->diag, DIAG_VERIFY_WIDTH, loaded->kernel->lines[at].place.line, text),
                      "line %d: %s", loaded->kernel->lines[at].place.line, text);
    }
}

/* True: it has reached its end. */
static bool walk_way(const struct loaded_kernel *loaded)
{
    struct held held = {{0}, {0}};
    struct way way = {.kernel = loaded->kernel};
    bool guard = true, is_over;
    uint32_t step = 0, passed[STEPS];
    do {
        passed[step] = way.at;
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t count = instruction_accesses(&loaded->kernel->code[way.at], accesses);
        guard = way_guard(&way, held.steps + REGISTER_COUNT);
        step++;
        for (size_t i = 0; i < count && guard; i++)
            for (unsigned r = 0; accesses[i].reads && r < accesses[i].registers; r++)
                check_read(loaded, &held, way.at, &accesses[i], flow_member(&accesses[i], r));
        for (size_t i = 0; i < count && guard; i++)
            for (unsigned r = 0; accesses[i].writes && r < accesses[i].registers; r++) {
                held.steps[flow_member(&accesses[i], r)] = step;
                held.bits[flow_member(&accesses[i], r)] = type_bits(accesses[i].type);
            }
        is_over = !way_next(&way, guard);
    } while (step < STEPS && !is_over);
    /* a way is not followed into calls that are nested too deep */
    if (!is_over || verify_flow_semantic(&loaded->kernel->code[way.at]) == SEM_call)
        return false;
    check_ended(loaded, passed, step);
    return true;
}

START_TEST(test_ways_are_warned_of)
{
    unsigned walked = 0, ended = 0, endless = 0;
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        random_state = seed * 104729;
        struct text text;
        text_init(&text, NULL);
        print_program(&text);
        struct loaded_kernel loaded = kernel_load_with(isa, "", text.at);
        struct verified_kernel *verified = NULL;
        ck_assert_ok(verify_kernel(loaded.program, loaded.kernel, NULL, loaded.diag, &verified));
        const bool has_all = hx_diag_count_of(loaded.diag, HX_WARNING) < 100;
        for (int i = 0; i < WAYS && has_all; i++)
            ended += walk_way(&loaded);
        endless += is_warned(loaded.diag, DIAG_VERIFY_ENDLESS, 0, "this loop");
        walked += has_all;
        verify_free(verified);
        kernel_unload(&loaded);
        text_done(&text);
    }
    hx_isa_free(isa);
    ck_assert_uint_gt(walked, PROGRAMS / 2);
    ck_assert_uint_gt(ended, PROGRAMS);
    ck_assert_uint_gt(endless, PROGRAMS / 20);
}
END_TEST

UNIT_MAIN("verify_ways", test_ways_are_warned_of)
