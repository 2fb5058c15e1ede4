/* The public side of an instruction set: names of types, looking opcodes up, the printed reference.
 *
 * What the reference must say is read from the lines of isa/hexec.yaml themselves, not from the loaded
 * table: every mnemonic with its operands, types and summary. */
#include "isa/isa.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static hx_isa *load(void)
{
    hx_isa *isa = NULL;
    ck_assert_ok(hx_isa_load(NULL, NULL, NULL, &isa));
    return isa;
}

static hx_status keep(void *user, const char *bytes, size_t count)
{
    text_append(user, bytes, count);
    return HX_OK;
}

/* The reference as one string, to be freed with text_done. */
static struct text reference(const hx_isa *isa, const char *mnemonic, hx_isa_format format)
{
    struct text text = {0};
    ck_assert_ok(hx_isa_reference(isa, mnemonic, format, NULL, keep, &text));
    ck_assert(!text.failed);
    text_append(&text, "", 1); /* its end */
    return text;
}

/* An entry's lines, as they stand in the file. */
struct entry {
    char mnemonic[32], operands[64], types[128], summary[256];
};

/* The value of "key: value" in a line, without quotes and brackets; false for another line. */
static bool line_value(const char *line, const char *key, char *ret_value, size_t size)
{
    const size_t length = strlen(key);
    line += strspn(line, " -");
    if (strncmp(line, key, length) != 0 || strncmp(line + length, ": ", 2) != 0)
        return false;
    size_t used = 0;
    const bool list = line[length + 2] == '[';
    for (const char *at = line + length + 2 + list; *at && *at != '\n'; at++)
        if (*at != '"' && !(list && *at == ']' && strchr("\n", at[1])) && used + 1 < size)
            ret_value[used++] = *at;
    ret_value[used] = 0;
    return true;
}

/* Calls `check` for every entry of isa/hexec.yaml; returns how many there are. */
static size_t for_each_entry(const hx_isa *isa, void (*check)(const hx_isa *, const struct entry *))
{
    FILE *file = fopen(HX_SOURCE_DIR "/isa/hexec.yaml", "r");
    ck_assert_ptr_nonnull(file);
    char line[1024], mnemonic[32];
    struct entry entry = {.mnemonic = ""};
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        if (line_value(line, "mnemonic", mnemonic, sizeof mnemonic)) {
            if (count++ > 0)
                check(isa, &entry);
            entry = (struct entry){.mnemonic = ""};
            strcpy(entry.mnemonic, mnemonic);
        }
        (void)(line_value(line, "operands", entry.operands, sizeof entry.operands) ||
               line_value(line, "types", entry.types, sizeof entry.types) ||
               line_value(line, "summary", entry.summary, sizeof entry.summary));
    }
    check(isa, &entry);
    fclose(file);
    return count;
}

static bool has_form(const char *text, const struct entry *entry)
{
    static const char *const types[] = {"", ".T", ".T.S"};
    char form[128];
    for (size_t i = 0; i < HX_COUNT_OF(types); i++) {
        snprintf(form, sizeof form, "%s%s%s%s", entry->mnemonic, types[i], entry->operands[0] ? " " : "",
                 entry->operands);
        if (strstr(text, form))
            return true;
    }
    return false;
}

static bool line_has_words(const char *line, const char *words)
{
    char copy[128], word[16];
    strcpy(copy, words);
    for (char *at = strtok(copy, ", "); at; at = strtok(NULL, ", ")) {
        snprintf(word, sizeof word, " %s", at);
        if (!strstr(line, word))
            return false;
    }
    return true;
}

/* Is there a line of types, one for each entry of the mnemonic, with all of these? */
static bool has_types(const char *text, const char *types)
{
    bool found = types[0] == 0;
    for (const char *at = strstr(text, "types T:"); at && !found; at = strstr(at + 1, "types T:")) {
        char line[160];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        found = line_has_words(line, types);
    }
    return found;
}

static void check_entry(const hx_isa *isa, const struct entry *entry)
{
    HX_AUTO(text_done) struct text one = reference(isa, entry->mnemonic, HX_ISA_TEXT);
    HX_AUTO(text_done) struct text markdown = reference(isa, NULL, HX_ISA_MARKDOWN);
    HX_AUTO(text_done) struct text list = reference(isa, NULL, HX_ISA_TEXT);
    ck_assert_msg(has_form(one.at, entry), "no form of %s: %s", entry->mnemonic, one.at);
    ck_assert_msg(has_form(markdown.at, entry), "no form of %s", entry->mnemonic);
    ck_assert_msg(has_form(list.at, entry), "no form of %s", entry->mnemonic);
    ck_assert_msg(strstr(one.at, entry->summary), "no summary of %s", entry->mnemonic);
    ck_assert_msg(has_types(one.at, entry->types), "%s lacks a type of %s", entry->mnemonic, entry->types);
}

START_TEST(test_reference_has_every_entry)
{
    hx_isa *isa = load();
    ck_assert_uint_eq(for_each_entry(isa, check_entry), hx_isa_opcode_count(isa));
    hx_isa_free(isa);
}
END_TEST

START_TEST(test_aliases_and_case_do_not_matter)
{
    static const char *const names[] = {"SEL", "selp", "SelP"};
    hx_isa *isa = load();
    HX_AUTO(text_done) struct text sel = reference(isa, "sel", HX_ISA_TEXT);
    HX_AUTO(text_done) struct text mov = reference(isa, "mov", HX_ISA_TEXT);
    for (size_t i = 0; i < HX_COUNT_OF(names); i++) {
        HX_AUTO(text_done) struct text again = reference(isa, names[i], HX_ISA_TEXT);
        ck_assert_str_eq(again.at, sel.at);
    }
    ck_assert_ptr_nonnull(strstr(sel.at, "selp"));
    ck_assert_str_ne(sel.at, mov.at);
    hx_isa_free(isa);
}
END_TEST

START_TEST(test_entries_that_share_a_mnemonic)
{
    hx_isa *isa = load();
    const struct isa_opcode *any = NULL;
    const struct isa_opcode *integer = isa_find(isa, slice_of("add"), HX_TYPE_U32, HX_TYPE_NONE, &any);
    const struct isa_opcode *floating = isa_find(isa, slice_of("Add"), HX_TYPE_F32, HX_TYPE_NONE, &any);
    ck_assert_ptr_nonnull(integer);
    ck_assert_ptr_nonnull(floating);
    ck_assert_str_eq(integer->class_name, "integer");
    ck_assert_str_eq(floating->class_name, "float");
    ck_assert_ptr_null(isa_find(isa, slice_of("add"), HX_TYPE_PRED, HX_TYPE_NONE, &any));
    ck_assert_str_eq(any->mnemonic, "add");
    ck_assert_ptr_null(isa_find(isa, slice_of("add"), HX_TYPE_NONE, HX_TYPE_NONE, &any));
    ck_assert_ptr_null(isa_find(isa, slice_of("ad"), HX_TYPE_U32, HX_TYPE_NONE, &any));
    ck_assert_ptr_null(any);
    ck_assert(isa_has_mnemonic(isa, slice_of("BAR.SYNC")) && isa_has_mnemonic(isa, slice_of("barsync")));
    ck_assert(!isa_has_mnemonic(isa, slice_of("bar.syn")) && !isa_has_mnemonic(isa, slice_of("")));
    HX_AUTO(text_done) struct text both = reference(isa, "add", HX_ISA_TEXT);
    ck_assert(strstr(both.at, "class integer") && strstr(both.at, "class float"));
    hx_isa_free(isa);
}
END_TEST

START_TEST(test_a_name_that_is_not_there)
{
    hx_isa *isa = load();
    hx_diag *diag;
    struct text text = {0};
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(hx_isa_reference(isa, "selpp", HX_ISA_TEXT, diag, keep, &text), HX_INVALID);
    ck_assert_int_eq(hx_isa_reference(isa, "", HX_ISA_JSON, diag, keep, &text), HX_INVALID);
    ck_assert_uint_eq(text.length, 0);
    ck_assert_uint_eq(hx_diag_count(diag), 2);
    ck_assert_int_eq(hx_diag_at(diag, 0)->code, DIAG_ISA_UNKNOWN);
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->message, "'selpp'"));
    ck_assert_ptr_nonnull(strstr(hx_diag_at(diag, 0)->hint, "'selp'"));
    hx_diag_free(diag);
    hx_isa_free(isa);
}
END_TEST

static hx_status refuse(void *user, const char *bytes, size_t count)
{
    ++*(int *)user;
    return bytes && count > 0 ? HX_IO : HX_OK;
}

START_TEST(test_what_the_writer_says_is_the_result)
{
    hx_isa *isa = load();
    for (int format = HX_ISA_TEXT; format <= HX_ISA_JSON; format++) {
        int calls = 0;
        ck_assert_int_eq(hx_isa_reference(isa, "add", (hx_isa_format)format, NULL, refuse, &calls), HX_IO);
        ck_assert_int_eq(calls, 1);
    }
    hx_isa_free(isa);
}
END_TEST

/* Printing takes its memory from where the set has its own. */
START_TEST(test_printing_without_memory)
{
    for (int format = HX_ISA_TEXT; format <= HX_ISA_JSON; format++) {
        struct failing_allocator failing;
        failing_allocator_init(&failing, 0);
        hx_isa *isa = NULL;
        ck_assert_ok(hx_isa_load(NULL, &failing.hook, NULL, &isa));
        const size_t live = failing.live;
        hx_status status = HX_NO_MEMORY;
        size_t at = 0;
        while (status == HX_NO_MEMORY) {
            HX_AUTO(text_done) struct text text = {0};
            failing.fail_at = failing.made + ++at;
            status = hx_isa_reference(isa, NULL, (hx_isa_format)format, NULL, keep, &text);
            ck_assert(status == HX_OK || text.length == 0);
            ck_assert_uint_eq(failing.live, live);
        }
        ck_assert_ok(status);
        ck_assert_uint_gt(at, 1);
        hx_isa_free(isa);
        ck_assert_uint_eq(failing.live, 0);
    }
}
END_TEST

START_TEST(test_types)
{
    static const struct {
        const char *name;
        hx_type type;
        size_t bytes;
    } types[] = {
        {"i8", HX_TYPE_I8, 1},       {"S8", HX_TYPE_I8, 1},         {"b8", HX_TYPE_U8, 1},
        {"u16", HX_TYPE_U16, 2},     {"F16", HX_TYPE_F16, 2},       {"bf16", HX_TYPE_BF16, 2},
        {"s32", HX_TYPE_I32, 4},     {"b32", HX_TYPE_U32, 4},       {"f32", HX_TYPE_F32, 4},
        {"s64", HX_TYPE_I64, 8},     {"B64", HX_TYPE_U64, 8},       {"f64", HX_TYPE_F64, 8},
        {"F16x2", HX_TYPE_F16X2, 4}, {"bf16x2", HX_TYPE_BF16X2, 4}, {"f31", HX_TYPE_NONE, 0},
        {"", HX_TYPE_NONE, 0},       {"u", HX_TYPE_NONE, 0},        {"u322", HX_TYPE_NONE, 0},
    };
    for (size_t i = 0; i < HX_COUNT_OF(types); i++) {
        ck_assert_msg(hx_type_find(types[i].name) == types[i].type, "%s", types[i].name);
        ck_assert_uint_eq(hx_type_bytes(types[i].type), types[i].bytes);
    }
    ck_assert_str_eq(hx_type_name(HX_TYPE_BF16), "bf16");
    ck_assert_str_eq(hx_type_name(HX_TYPE_NONE), "?");
    ck_assert_uint_eq(hx_type_bytes(HX_TYPE_PRED), 0);
}
END_TEST

UNIT_MAIN("isa_reference", test_reference_has_every_entry, test_aliases_and_case_do_not_matter,
          test_entries_that_share_a_mnemonic, test_a_name_that_is_not_there,
          test_what_the_writer_says_is_the_result, test_printing_without_memory, test_types)
