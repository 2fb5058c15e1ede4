/* Cost files: what is written is read, and each mistake is reported where it stands. */
#include "base/text.h"
#include "hexec/bench.h"
#include "marked_unit.h"

static const hx_cost_machine machine = {
    .cpu = "A \"Processor\": #1", .cpu_level = "x86-64-v3", .cores = 6, .gang_lanes = 128};
static const hx_cost_model add_model = {.issue_ns = 4.1,
                                        .lane_ns = 0.1 + 0.2,
                                        .masked_ns = 2.0 / 3,
                                        .sector_ns = 1e-9,
                                        .conflict_ns = 0,
                                        .same_ns = 3.25,
                                        .samples = 12,
                                        .r2 = -0.5,
                                        .largest_error = 0.64};

static hx_costs *make(const hx_allocator *allocator, hx_status *ret_status)
{
    static const char *const forms[] = {"mul.f32", "add.f32", "bra", "cvt.f32.i8"};
    hx_costs *costs = NULL;
    *ret_status = hx_costs_new("hexec", &machine, allocator, &costs);
    for (size_t i = 0; i < HX_COUNT_OF(forms) && *ret_status == HX_OK; i++) {
        hx_cost_model model = add_model;
        model.issue_ns += (double)i;
        *ret_status = hx_costs_add(costs, forms[i], &model);
    }
    return costs;
}

static void check_model(const hx_cost_model *have, const hx_cost_model *want)
{
    ck_assert_ptr_nonnull(have);
    ck_assert_double_eq(have->issue_ns, want->issue_ns);
    ck_assert_double_eq(have->lane_ns, want->lane_ns);
    ck_assert_double_eq(have->masked_ns, want->masked_ns);
    ck_assert_double_eq(have->sector_ns, want->sector_ns);
    ck_assert_double_eq(have->conflict_ns, want->conflict_ns);
    ck_assert_double_eq(have->same_ns, want->same_ns);
    ck_assert_double_eq(have->r2, want->r2);
    ck_assert_double_eq(have->largest_error, want->largest_error);
    ck_assert_uint_eq(have->samples, want->samples);
}

START_TEST(test_models_by_name)
{
    hx_status status;
    hx_costs *costs = make(NULL, &status);
    const hx_cost_model *model;
    ck_assert_ok(status);
    ck_assert_uint_eq(hx_costs_count(costs), 4);
    ck_assert_str_eq(hx_costs_form_at(costs, 0, &model), "add.f32");
    ck_assert_double_eq(model->issue_ns, add_model.issue_ns + 1);
    ck_assert_str_eq(hx_costs_form_at(costs, 3, &model), "mul.f32");
    ck_assert_ptr_null(hx_costs_form_at(costs, 4, &model));
    ck_assert_ptr_null(hx_costs_find(costs, "add"));
    ck_assert_ptr_null(hx_costs_find(costs, "zzz"));
    check_model(hx_costs_find(costs, "mul.f32"), &add_model);
    /* a second model takes the place of the first */
    ck_assert_ok(hx_costs_add(costs, "add.f32", &add_model));
    ck_assert_uint_eq(hx_costs_count(costs), 4);
    check_model(hx_costs_find(costs, "add.f32"), &add_model);
    hx_costs_free(costs);
}
END_TEST

START_TEST(test_a_file_reads_back_and_is_the_same_again)
{
    hx_status status;
    hx_costs *costs = make(NULL, &status), *again = NULL;
    struct text first = {0}, second = {0};
    ck_assert_ok(status);
    ck_assert_ok(hx_costs_print(costs, text_write, &first));
    ck_assert_ok(hx_costs_load_text("costs.yaml", first.at, first.length, NULL, NULL, &again));
    ck_assert_str_eq(hx_costs_isa(again), "hexec");
    const hx_cost_machine read = hx_costs_machine(again);
    ck_assert_str_eq(read.cpu, machine.cpu);
    ck_assert_str_eq(read.cpu_level, machine.cpu_level);
    ck_assert_uint_eq(read.cores, machine.cores);
    ck_assert_uint_eq(read.gang_lanes, machine.gang_lanes);
    for (size_t i = 0; i < hx_costs_count(costs); i++) {
        const hx_cost_model *model;
        const char *form = hx_costs_form_at(costs, i, &model);
        check_model(hx_costs_find(again, form), model);
    }
    ck_assert_ok(hx_costs_print(again, text_write, &second));
    ck_assert_str_eq(first.at, second.at);
    hx_costs_free(costs);
    hx_costs_free(again);
    text_done(&first);
    text_done(&second);
}
END_TEST

START_TEST(test_an_empty_set)
{
    hx_costs *costs = NULL, *again = NULL;
    struct text text = {0};
    ck_assert_ok(hx_costs_new("tiny", &(hx_cost_machine){0}, NULL, &costs));
    ck_assert_ok(hx_costs_print(costs, text_write, &text));
    ck_assert_ok(hx_costs_load_text("c", text.at, text.length, NULL, NULL, &again));
    ck_assert_uint_eq(hx_costs_count(again), 0);
    hx_costs_free(costs);
    hx_costs_free(again);
    text_done(&text);
}
END_TEST

#define HEAD "costs: hexec\nmachine: {cpu: x}\nforms:\n"
#define FORM "form: add.f32, issue_ns: 1, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0"

START_TEST(test_mistakes)
{
    static const struct {
        int code;
        const char *text, *part;
    } mistakes[] = {
        {1106, HEAD "  - {" FORM ", <<colour>>: red}\n", "colour"},
        {1106, "costs: x\nmachine: {<<cpus>>: 1}\nforms: []\n", "cpus"},
        {1107, HEAD "  - <<>>{form: add.f32, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n",
         "issue_ns"},
        {1107, "<<>>costs: x\nmachine: {}\n", "forms"},
        {1107, "<<>>machine: {}\nforms: []\n", "costs"},
        {1111,
         HEAD "  - {form: a, issue_ns: <<much>>, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n",
         "much"},
        {1111, HEAD "  - {" FORM ", samples: <<some>>}\n", "some"},
        {1112, HEAD "  - {" FORM ", samples: <<-1>>}\n", "-1"},
        {1930,
         HEAD "  - {form: a, issue_ns: <<-1>>, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n",
         "issue_ns"},
        {1930,
         HEAD "  - {form: a, issue_ns: 1, lane_ns: <<inf>>, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n",
         "lane_ns"},
        {1930,
         HEAD "  - {form: a, issue_ns: 1, lane_ns: 0, masked_ns: 0, sector_ns: <<nan>>, conflict_ns: 0}\n",
         "sector_ns"},
        {1930, HEAD "  - {" FORM ", same_ns: <<-0.5>>}\n", "same_ns"},
        {1930, HEAD "  - {" FORM ", r2: <<nan>>}\n", "r2"},
        {1930,
         HEAD "  - {form: <<\"\">>, issue_ns: 1, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n",
         "name"},
        {1931,
         HEAD "  - {" FORM "}\n  - {form: <<add.f32>>, issue_ns: 1, lane_ns: 0, masked_ns: 0, sector_ns: 0, "
              "conflict_ns: 0}\n",
         "twice"},
        {1108, "costs: x\nmachine: <<>>[]\nforms: []\n", "mapping"},
    };
    hx_diag *diag;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    for (size_t i = 0; i < HX_COUNT_OF(mistakes); i++) {
        struct marked_text text = marked_text_new(mistakes[i].text);
        hx_costs *costs = NULL;
        hx_diag_clear(diag);
        ck_assert_msg(hx_costs_load_text("c.yaml", text.text, strlen(text.text), NULL, diag, &costs) ==
                          HX_INVALID,
                      "%s", text.text);
        ck_assert_ptr_null(costs);
        marked_text_check(&text, diag, mistakes[i].code, mistakes[i].part);
        free(text.text);
    }
    hx_diag_free(diag);
}
END_TEST

START_TEST(test_all_mistakes_are_reported)
{
    static const char text[] =
        HEAD "  - {form: a, issue_ns: -1, lane_ns: x, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n"
             "  - {form: b, issue_ns: 1, lane_ns: -2, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n"
             "  - {form: a, issue_ns: 1, lane_ns: 0, masked_ns: 0, sector_ns: 0, conflict_ns: 0}\n";
    hx_diag *diag;
    hx_costs *costs = NULL;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(hx_costs_load_text("c", text, sizeof text - 1, NULL, diag, &costs), HX_INVALID);
    ck_assert_uint_eq(hx_diag_count(diag), 4);
    const hx_diagnostic *twice = hx_diag_at(diag, 3);
    ck_assert_int_eq(twice->code, 1931);
    ck_assert_int_eq(twice->note_line, 4);
    hx_diag_free(diag);
}
END_TEST

START_TEST(test_memory_runs_out)
{
    hx_status status;
    struct text text = {0};
    hx_costs *costs = make(NULL, &status);
    ck_assert_ok(hx_costs_print(costs, text_write, &text));
    hx_costs_free(costs);
    status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        costs = make(&failing.hook, &status);
        hx_costs_free(costs);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        ck_assert_uint_eq(failing.live, 0);
    }
    status = HX_NO_MEMORY;
    for (size_t fail_at = 1; status == HX_NO_MEMORY; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        costs = NULL;
        status = hx_costs_load_text("c", text.at, text.length, &failing.hook, NULL, &costs);
        if (status == HX_OK) { /* writing it needs memory too */
            struct text out = {.allocator = &failing.hook};
            status = hx_costs_print(costs, text_write, &out);
            text_done(&out);
        }
        hx_costs_free(costs);
        ck_assert(status == HX_OK || status == HX_NO_MEMORY);
        ck_assert_uint_eq(failing.live, 0);
    }
    text_done(&text);
}
END_TEST

UNIT_MAIN("costs_document", test_models_by_name, test_a_file_reads_back_and_is_the_same_again,
          test_an_empty_set, test_mistakes, test_all_mistakes_are_reported, test_memory_runs_out)
