/* A program of tests for test_trace_fixture.c, which runs it: what do its tests say on standard error? */
#include "unit.h"

#include "hexec/isa.h"

START_TEST(loads_an_instruction_set)
{
    hx_isa *isa;
    ck_assert_int_eq(hx_isa_load(NULL, NULL, NULL, &isa), HX_OK);
    hx_isa_free(isa);
}
END_TEST

START_TEST(fails_on_request)
{
    HX_EVENT(HX_TRACE, "hexec::exec", "last_words");
    ck_assert_ptr_null(getenv("LOG_CHILD_FAILS"));
}
END_TEST

UNIT_MAIN("log child", loads_an_instruction_set, fails_on_request)
