/* Diagnostics: what is kept and in which order, how it is rendered, what happens without memory. */
#include "base/source_lines.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char source_text[] = "program: a\n"
                                  "\tmov r0, \xc3\xbc\xc3\xbc x\r\n"
                                  "\xe6\xbc\xa2\xe5\xad\x97: e\xcc\x81 \x1b[31m \xff!\n"
                                  "last";
static const struct source source = {"dir/a.yaml", source_text, sizeof source_text - 1};

static hx_diag *new_diag(void)
{
    hx_diag *diag = NULL;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    return diag;
}

static struct place place(int line, int column, int length)
{
    return (struct place){&source, line, column, length};
}

/* The first diagnostic as text; the caller frees. */
static struct text rendered(const hx_diag *diag, const hx_render_options *options)
{
    struct text text = {0};
    for (size_t i = 0; i < hx_diag_count(diag); i++)
        ck_assert_int_eq(hx_diagnostic_render(hx_diag_at(diag, i), options, text_write, &text), HX_OK);
    return text;
}

static void check_rendering(struct place where, const char *expected)
{
    hx_diag *diag = new_diag();
    ck_assert_int_eq(diag_report(diag, DIAG_YAML_KIND, where, NULL, "wrong"), HX_INVALID);
    HX_AUTO(text_done) struct text text = rendered(diag, NULL);
    ck_assert_str_eq(text.at, expected);
    hx_diag_free(diag);
}

START_TEST(lines_are_found)
{
    ck_assert(slice_equal(source_line(&source, 1), "program: a"));
    ck_assert(slice_equal(source_line(&source, 4), "last"));
    ck_assert(slice_equal(source_line(&source, 5), ""));
    ck_assert_uint_eq(source_line(&source, 2).length, strlen("\tmov r0, \xc3\xbc\xc3\xbc x")); /* no \r */
    const struct source empty = {"e", "", 0};
    ck_assert_uint_eq(source_line(&empty, 1).length, 0);
}
END_TEST

/* Those that are found in one step are those that are counted, whichever comes first, of all sources. */
START_TEST(lines_of_several_sources)
{
    const struct source empty = {"e", "", 0}, ends = {"n", "a\r\n\nb\n", 6};
    const struct source *const sources[] = {&ends, &source, &empty};
    HX_AUTO(source_lines_done) struct source_lines lines = {0};
    for (int line = 6; line >= 0; line--)
        for (size_t i = 0; i < HX_COUNT_OF(sources); i++) {
            const struct slice found = source_lines_at(&lines, sources[i], line);
            const struct slice counted = source_line(sources[i], line);
            ck_assert_uint_eq(found.length, counted.length);
            ck_assert_ptr_eq(found.at, counted.at);
        }
    ck_assert_uint_eq(lines.sources.count, HX_COUNT_OF(sources));
}
END_TEST

START_TEST(the_caret_stands_right)
{
    check_rendering(place(1, 10, 1), "dir/a.yaml:1:10: error[HX1108]: wrong\n"
                                     "    1 | program: a\n"
                                     "      |          ^\n");
    /* a tab before it stays a tab; two-byte letters take one column */
    check_rendering(place(2, 10, 4), "dir/a.yaml:2:10: error[HX1108]: wrong\n"
                                     "    2 | \tmov r0, \xc3\xbc\xc3\xbc x\n"
                                     "      | \t        ^~\n");
    check_rendering(place(2, 15, 1), "dir/a.yaml:2:15: error[HX1108]: wrong\n"
                                     "    2 | \tmov r0, \xc3\xbc\xc3\xbc x\n"
                                     "      | \t           ^\n");
    /* wide letters take two columns, combining marks none; what would steer the terminal is not printed */
    check_rendering(place(3, 1, 6), "dir/a.yaml:3:1: error[HX1108]: wrong\n"
                                    "    3 | \xe6\xbc\xa2\xe5\xad\x97: e\xcc\x81 ?[31m ?!\n"
                                    "      | ^~~~\n");
    check_rendering(place(3, 19, 1), "dir/a.yaml:3:19: error[HX1108]: wrong\n"
                                     "    3 | \xe6\xbc\xa2\xe5\xad\x97: e\xcc\x81 ?[31m ?!\n"
                                     "      |               ^\n");
}
END_TEST

START_TEST(places_that_are_not_in_the_file)
{
    check_rendering(place(4, 5, 1), "dir/a.yaml:4:5: error[HX1108]: wrong\n"
                                    "    4 | last\n"
                                    "      |     ^\n");
    check_rendering(place(4, 500, 9), "dir/a.yaml:4:500: error[HX1108]: wrong\n"
                                      "    4 | last\n"
                                      "      |     ^\n");
    check_rendering(place(4, 1, 500), "dir/a.yaml:4:1: error[HX1108]: wrong\n"
                                      "    4 | last\n"
                                      "      | ^~~~\n");
    check_rendering(place(99, 1, 1), "dir/a.yaml:99:1: error[HX1108]: wrong\n"
                                     "   99 | \n"
                                     "      | ^\n");
    check_rendering(place(0, 0, 0), "dir/a.yaml: error[HX1108]: wrong\n");
    check_rendering((struct place){0}, "error[HX1108]: wrong\n");
}
END_TEST

START_TEST(a_long_line_is_shown_around_the_caret)
{
    char bytes[3000];
    memset(bytes, 'x', sizeof bytes);
    bytes[2000] = '!';
    const struct source wide = {"w", bytes, sizeof bytes};
    hx_diag *diag = new_diag();
    diag_report(diag, DIAG_YAML_KIND, (struct place){&wide, 1, 2001, 1}, NULL, "wrong");
    HX_AUTO(text_done) struct text text = rendered(diag, NULL);
    ck_assert_uint_lt(text.length, 500);
    const char *shown = strchr(text.at, '\n') + 1, *caret = strchr(shown, '\n') + 1;
    ck_assert_ptr_nonnull(strstr(shown, "| ...xxx"));
    ck_assert_ptr_nonnull(strstr(shown, "xxx...\n"));
    ck_assert_int_eq(strcspn(shown, "!"), strcspn(caret, "^"));
    ck_assert_uint_eq(strlen(hx_diag_at(diag, 0)->source_line), sizeof bytes);
    hx_diag_free(diag);
}
END_TEST

START_TEST(hints_notes_and_the_width_of_the_gutter)
{
    hx_diag *diag = new_diag();
    diag_report_noted(diag, DIAG_YAML_DUPLICATE_KEY, place(4, 1, 4), "remove one", place(1, 1, 7),
                      "it was given here first", "key '%s' is given twice", "la\x1bst\n");
    HX_AUTO(text_done) struct text text = rendered(diag, NULL);
    ck_assert_str_eq(text.at, "dir/a.yaml:4:1: error[HX1103]: key 'la?st?' is given twice\n"
                              "    4 | last\n"
                              "      | ^~~~\n"
                              "      help: remove one\n"
                              "dir/a.yaml:1: note: it was given here first\n");
    hx_diag_clear(diag);
    char lines[200001];
    memset(lines, '\n', sizeof lines);
    const struct source tall = {"t", lines, sizeof lines};
    diag_report(diag, DIAG_YAML_KIND, (struct place){&tall, 123456, 1, 1}, NULL, "wrong");
    HX_AUTO(text_done) struct text second = rendered(diag, NULL);
    ck_assert_str_eq(second.at, "t:123456:1: error[HX1108]: wrong\n"
                                "123456 | \n"
                                "       | ^\n");
    hx_diag_free(diag);
}
END_TEST

START_TEST(colours_change_nothing_but_colours)
{
    hx_diag *diag = new_diag();
    diag_report(diag, DIAG_YAML_KIND, place(2, 10, 4), "so", "wrong");
    HX_AUTO(text_done) struct text plain = rendered(diag, NULL);
    HX_AUTO(text_done) struct text colored = rendered(diag, &(hx_render_options){.color = 1});
    HX_AUTO(text_done) struct text stripped = {0};
    ck_assert_ptr_nonnull(strstr(colored.at, "\033[1;31merror[HX1108]\033[0m"));
    for (const char *at = colored.at; *at; at++)
        if (*at == '\033')
            at = strchr(at, 'm');
        else
            text_append(&stripped, at, 1);
    ck_assert_str_eq(stripped.at, plain.at);
    hx_diag_free(diag);
}
END_TEST

START_TEST(json_is_one_object_a_line)
{
    hx_diag *diag = new_diag();
    diag_report_noted(diag, DIAG_YAML_DUPLICATE_KEY, place(4, 1, 4), "say \"x\"", place(1, 1, 7), "here",
                      "a\nb");
    diag_report(diag, DIAG_YAML_KIND, (struct place){0}, NULL, "wrong");
    HX_AUTO(text_done) struct text text = rendered(diag, &(hx_render_options){.json = 1});
    ck_assert_str_eq(
        text.at,
        "{\"code\":\"HX1103\",\"severity\":\"error\",\"file\":\"dir/a.yaml\",\"line\":4,\"column\":1,"
        "\"length\":4,\"message\":\"a\\nb\",\"hint\":\"say \\\"x\\\"\",\"note\":\"here\",\"note_line\":1}\n"
        "{\"code\":\"HX1108\",\"severity\":\"error\",\"message\":\"wrong\"}\n");
    hx_diag_free(diag);
}
END_TEST

static hx_status refuse(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    return HX_IO;
}

START_TEST(what_write_returns_comes_back)
{
    hx_diag *diag = new_diag();
    diag_report(diag, DIAG_YAML_KIND, place(1, 1, 1), NULL, "wrong");
    ck_assert_int_eq(hx_diagnostic_render(hx_diag_at(diag, 0), NULL, refuse, NULL), HX_IO);
    hx_diag_free(diag);
}
END_TEST

START_TEST(strict_makes_warnings_to_come_into_errors)
{
    hx_diag *diag = new_diag();
    ck_assert_int_eq(diag_report(diag, DIAG_VERIFY_UNREACHABLE, place(1, 1, 1), NULL, "first"), HX_OK);
    hx_diag_set_strict(diag, 1);
    ck_assert_int_eq(diag_report(diag, DIAG_VERIFY_UNREACHABLE, place(1, 1, 1), NULL, "second"), HX_INVALID);
    ck_assert_int_eq(hx_diag_at(diag, 0)->severity, HX_WARNING);
    ck_assert_int_eq(hx_diag_at(diag, 1)->severity, HX_ERROR);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_WARNING), 1);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_ERROR), 1);
    hx_diag_free(diag);
}
END_TEST

START_TEST(without_a_list_only_the_status_is_left)
{
    ck_assert_int_eq(diag_report(NULL, DIAG_YAML_KIND, place(1, 1, 1), NULL, "wrong"), HX_INVALID);
    ck_assert_int_eq(diag_report(NULL, DIAG_VERIFY_UNREACHABLE, place(1, 1, 1), NULL, "so"), HX_OK);
    ck_assert_int_eq(diag_no_memory(NULL), HX_NO_MEMORY);
    ck_assert_uint_eq(hx_diag_count(NULL), 0);
    ck_assert_uint_eq(hx_diag_count_of(NULL, HX_ERROR), 0);
    ck_assert_ptr_null(hx_diag_at(NULL, 0));
    ck_assert(!diag_is_full(NULL));
    hx_diag_free(NULL);
    hx_diag_clear(NULL);
}
END_TEST

START_TEST(a_hundred_are_kept_and_the_rest_is_counted)
{
    hx_diag *diag = new_diag();
    for (int i = 0; i < 130; i++) {
        ck_assert_int_eq(diag_is_full(diag), i >= 100);
        ck_assert_int_eq(diag_report(diag, DIAG_YAML_KIND, place(1, 1, 1), NULL, "error %d", i), HX_INVALID);
    }
    diag_report(diag, DIAG_VERIFY_UNREACHABLE, place(1, 1, 1), NULL, "a warning");
    ck_assert_uint_eq(hx_diag_count(diag), 102);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_ERROR), 100);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_NOTE), 1);
    for (size_t i = 0; i < 100; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "error %zu", i);
        ck_assert_str_eq(hx_diag_at(diag, i)->message, expected);
    }
    ck_assert_str_eq(hx_diag_at(diag, 100)->message, "a warning");
    ck_assert_str_eq(hx_diag_at(diag, 101)->message, "30 more diagnostics are not shown");
    ck_assert_int_eq(hx_diag_at(diag, 101)->severity, HX_NOTE);
    ck_assert_ptr_null(hx_diag_at(diag, 102));
    hx_diag_clear(diag);
    ck_assert_uint_eq(hx_diag_count(diag), 0);
    ck_assert_uint_eq(hx_diag_count_of(diag, HX_NOTE), 0);
    ck_assert(!diag_is_full(diag));
    hx_diag_free(diag);
}
END_TEST

START_TEST(a_huge_line_is_kept_once)
{
    enum { BYTES = 1 << 20 };
    char *bytes = malloc(BYTES);
    memset(bytes, 'x', BYTES);
    bytes[BYTES / 2] = '\n';
    const struct source wide = {"w", bytes, BYTES};
    struct failing_allocator failing;
    failing_allocator_init(&failing, 0);
    hx_diag *diag = NULL;
    ck_assert_int_eq(hx_diag_new(&failing.hook, &diag), HX_OK);
    for (int i = 0; i < 100; i++)
        diag_report(diag, DIAG_YAML_KIND, (struct place){&wide, 1 + i % 2, 7, 1}, NULL, "wrong");
    ck_assert_ptr_eq(hx_diag_at(diag, 0)->source_line, hx_diag_at(diag, 98)->source_line);
    ck_assert_ptr_eq(hx_diag_at(diag, 1)->source_line, hx_diag_at(diag, 99)->source_line);
    hx_diag_free(diag);
    free(bytes);
    ck_assert_uint_eq(failing.live, 0);
}
END_TEST

START_TEST(a_message_too_long_is_cut_between_characters)
{
    char wide[4001];
    for (size_t i = 0; i + 1 < sizeof wide; i += 2)
        memcpy(wide + i, "\xc3\xbc", 2);
    wide[sizeof wide - 1] = 0;
    for (int shift = 0; shift < 2; shift++) {
        hx_diag *diag = new_diag();
        diag_report(diag, DIAG_YAML_KIND, place(1, 1, 1), NULL, "%s%s", shift ? "a" : "", wide);
        struct slice message = slice_of(hx_diag_at(diag, 0)->message);
        ck_assert_uint_gt(message.length, 1000);
        ck_assert_uint_lt(message.length, 1100);
        ck_assert_str_eq(message.at + message.length - 3, "...");
        ck_assert_uint_eq((message.length - 3 - (size_t)shift) % 2, 0);
        hx_diag_free(diag);
    }
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, fail_at);
        hx_diag *diag = NULL;
        hx_status status = hx_diag_new(&failing.hook, &diag);
        if (status == HX_OK) {
            is_done = true;
            for (int i = 0; i < 60; i++) {
                status = diag_report_noted(diag, DIAG_YAML_KIND, place(1 + i % 4, 1, 1), "hint",
                                           place(1, 1, 1), "note", "error %d", i);
                ck_assert(status == HX_INVALID || status == HX_NO_MEMORY);
                is_done &= status == HX_INVALID;
            }
            size_t count = hx_diag_count(diag);
            if (!is_done) /* the lack of memory is reported, once */
                ck_assert_int_eq(hx_diag_at(diag, count - 1)->code, DIAG_NO_MEMORY);
            for (size_t i = 0; i + 1 < count; i++)
                ck_assert_int_eq(hx_diag_at(diag, i)->code, DIAG_YAML_KIND);
        } else {
            ck_assert_int_eq(status, HX_NO_MEMORY);
            ck_assert_ptr_null(diag);
        }
        hx_diag_free(diag);
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

START_TEST(codes_are_explained_in_order)
{
    int last = 0, count = 0;
    for (int code; (code = hx_explain_code((size_t)count)) != 0; count++) {
        ck_assert_int_gt(code, last);
        ck_assert_uint_gt(strlen(hx_explain_title(code)), 3);
        ck_assert_uint_gt(strlen(hx_explain_text(code)), 20);
        last = code;
    }
    ck_assert_int_gt(count, 20);
    ck_assert_ptr_null(hx_explain_title(1));
    ck_assert_ptr_null(hx_explain_text(-1));
}
END_TEST

START_TEST(statuses_have_names)
{
    ck_assert_str_eq(hx_status_name(HX_FAULT), "HX_FAULT");
    ck_assert_str_eq(hx_status_sentence(HX_NO_MEMORY), "out of memory");
    ck_assert_int_eq(hx_status_exit_code(HX_INTERRUPTED), 4);
    ck_assert_int_eq(hx_status_exit_code(HX_OK), 0);
    ck_assert_str_eq(hx_status_name((hx_status)1000), "HX_?");
    ck_assert_str_eq(hx_status_sentence((hx_status)-1), "unknown status");
    ck_assert_int_eq(hx_status_exit_code(HX_STATUS_COUNT), 5);
}
END_TEST

UNIT_MAIN("base/diag", lines_are_found, lines_of_several_sources, the_caret_stands_right,
          places_that_are_not_in_the_file, a_long_line_is_shown_around_the_caret,
          hints_notes_and_the_width_of_the_gutter, colours_change_nothing_but_colours,
          json_is_one_object_a_line, what_write_returns_comes_back, strict_makes_warnings_to_come_into_errors,
          without_a_list_only_the_status_is_left, a_hundred_are_kept_and_the_rest_is_counted,
          a_huge_line_is_kept_once, a_message_too_long_is_cut_between_characters, every_allocation_may_fail,
          codes_are_explained_in_order, statuses_have_names)
