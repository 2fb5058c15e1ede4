/* Instruction sets that load, and every way in which one does not: each mistake is found at its place, and
 * the mistakes of a file all at once. The encoding is that of the embedded set; the entries are the test's
 * own. */
#include "isa/isa.h"
#include "marked_unit.h"

#include <stdio.h>

/* The embedded set's file up to its entries. */
static char *read_head(void)
{
    FILE *file = fopen(HX_SOURCE_DIR "/isa/hexec.yaml", "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 20);
    ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    char *end = strstr(text, "\nopcodes:\n");
    ck_assert_ptr_nonnull(end);
    strcpy(end, "\n");
    return text;
}

/* The head, in which `from` becomes `to`, and the entries. The caller frees it. */
static char *document_of(const char *from, const char *to, const char *entries)
{
    char *head = read_head(), *result = NULL;
    const char *at = strstr(head, from);
    ck_assert_msg(at != NULL, "the head has no '%s'", from);
    ck_assert_int_gt(
        asprintf(&result, "%.*s%s%s\n%s", (int)(at - head), head, to, at + strlen(from), entries), 0);
    free(head);
    return result;
}

#define NOP                                                                                                  \
    "opcodes:\n"                                                                                             \
    "  - {mnemonic: nop, code: 9, class: control, semantics: nop, operands: [], summary: nothing}\n"
#define M           "mnemonic: m, code: 1, "
#define SUM         M "semantics: add, operands: [d, a, b], "
#define ADD         "semantics: add, operands: [d, a, b], types: [u32]"
#define ENTRY(rest) "opcodes:\n  - {" rest ", class: integer, summary: s}\n"

static hx_status load(const char *text, hx_diag *diag, hx_isa **ret_isa)
{
    return hx_isa_load_text("t.yaml", text, strlen(text), NULL, diag, ret_isa);
}

/* The diagnostics of a text that does not load; the caller frees them. */
static hx_diag *refused(const char *text)
{
    hx_diag *diag;
    hx_isa *isa = NULL;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(load(text, diag, &isa), HX_INVALID);
    ck_assert_ptr_null(isa);
    return diag;
}

static void check_refused(const char *marked, int code, const char *part)
{
    struct marked_text text = marked_text_new(marked);
    hx_diag *diag = refused(text.text);
    ck_assert_str_eq(hx_diag_at(diag, 0)->file, "t.yaml");
    marked_text_check(&text, diag, code, part);
    hx_diag_free(diag);
    free(text.text);
}

static const struct mistake {
    const char *entries; /* the place of the mistake between << and >> */
    int code;
    const char *part;
} mistakes[] = {
    {ENTRY(M "semantics: <<ad>>, operands: [d, a, b], types: [u32]"), DIAG_ISA_SEMANTICS,
     "no semantics 'ad'"},
    {ENTRY(M "semantics: <<\"\">>, operands: [d, a, b], types: [u32]"), DIAG_ISA_SEMANTICS, "no semantics"},
    {ENTRY("mnemonic: m, code: <<256>>, " ADD), DIAG_YAML_RANGE, "256"},
    {ENTRY("mnemonic: m, code: <<-1>>, " ADD), DIAG_YAML_RANGE, "-1"},
    {ENTRY("mnemonic: m, code: <<one>>, " ADD), DIAG_YAML_NUMBER, "one"},
    {ENTRY("mnemonic: <<m>>, " ADD), DIAG_ISA_CODE, "has no code"},
    {ENTRY(M "semantics: add, operands: [d, a, <<q>>], types: [u32]"), DIAG_ISA_FORM, "'q'"},
    {ENTRY(M "semantics: add, operands: [d, a, b, <<c>>], types: [u32]"), DIAG_ISA_FORM, "'c'"},
    {ENTRY(M "semantics: add, operands: [d, a, <<label>>], types: [u32]"), DIAG_ISA_FORM, "'label'"},
    {ENTRY(M "semantics: add, operands: [d, a, <<imm8>>], types: [u32]"), DIAG_ISA_FORM, "'imm8'"},
    {ENTRY(M "semantics: add, operands: [<<d2>>, a, b], types: [u32]"), DIAG_ISA_FORM, "'d2'"},
    {ENTRY(M "semantics: add, operands: [d, a, b, <<\"[a]\">>], types: [u32]"), DIAG_ISA_FORM, "'[a]'"},
    {ENTRY(M "semantics: setp, operands: [d, <<pe>>, a, b], types: [u32],"
             " source_types: [u32], modifiers: [eq]"),
     DIAG_ISA_FORM, "'pe'"},
    {ENTRY(M "semantics: setp, operands: [pd, <<e>>, a, b], types: [u32], modifiers: [eq]"), DIAG_ISA_FORM,
     "'e'"},
    {ENTRY(M "semantics: add, operands: [d, a, b, <<ra>>], types: [u32]"), DIAG_ISA_FORM,
     "has the letter of one before it"},
    {ENTRY(M "semantics: add, operands: <<[>>d, a], types: [u32]"), DIAG_ISA_FORM, "needs an operand 'b'"},
    {ENTRY(M "semantics: load_global, operands: <<[>>d], types: [u32]"), DIAG_ISA_FORM,
     "needs an operand 'a'"},
    {ENTRY(M "semantics: store_global, operands: <<[>>\"[a]\"], types: [u32]"), DIAG_ISA_FORM,
     "needs an operand 'c'"},
    {ENTRY(M "semantics: load_global, operands: [d, <<b>>], types: [u32]"), DIAG_ISA_FORM, "'b'"},
    {ENTRY(SUM "types: [u32, <<u33>>]"), DIAG_ISA_TYPE, "no type 'u33'"},
    {ENTRY(SUM "types: [u32, <<u32>>]"), DIAG_ISA_TYPE, "twice"},
    {ENTRY(SUM "types: [u32, <<b32>>]"), DIAG_ISA_TYPE, "twice"},
    {ENTRY(SUM "types: <<[>>f32]"), DIAG_ISA_TYPE, "not written over type f32"},
    {ENTRY(M "semantics: fadd, operands: [d, a, b], types: <<[>>u64]"), DIAG_ISA_TYPE,
     "not written over type u64"},
    {ENTRY(M "semantics: testp, operands: [pd, a], types: <<[>>f16x2], modifiers: "
             "[normal]"),
     DIAG_ISA_TYPE, "not written over type f16x2"},
    {ENTRY(M "semantics: load_global, operands: [d, \"[a]\"], types: <<[>>u32, bf16x2]"), DIAG_ISA_TYPE,
     "not written over type bf16x2"},
    {ENTRY(M "semantics: cvt, operands: [d, a], types: [u32], source_types: [u8, "
             "<<pred>>]"),
     DIAG_ISA_TYPE, "no type 'pred'"},
    {ENTRY(SUM "types: [u32], modifiers: [<<fast>>]"), DIAG_ISA_MODIFIER, "no modifier 'fast'"},
    {ENTRY(SUM "types: [u32], modifiers: <<[>>ftz]"), DIAG_ISA_MODIFIER,
     "can do nothing with modifier 'ftz'"},
    {ENTRY(M "semantics: fadd, operands: [d, a, b], types: [f32], modifiers: <<[>>v2]"), DIAG_ISA_MODIFIER,
     "can do nothing with modifier 'v2'"},
    {ENTRY(M "semantics: fadd, operands: [d, a, b], types: [f32], modifiers: <<[>>eq]"), DIAG_ISA_MODIFIER,
     "can do nothing with modifier 'eq'"},
    {ENTRY(SUM "types: [u32], metrics: [<<joules>>]"), DIAG_ISA_METRIC, "no metric 'joules'"},
    {ENTRY("mnemonic: <<2add>>, code: 1, " ADD), DIAG_ISA_NAME, "2add"},
    {ENTRY("mnemonic: <<\"a d\">>, code: 1, " ADD), DIAG_ISA_NAME, "a d"},
    {ENTRY("mnemonic: <<add..x>>, code: 1, " ADD), DIAG_ISA_NAME, "add..x"},
    {ENTRY("mnemonic: m, aliases: [<<\"+\">>], code: 1, " ADD), DIAG_ISA_NAME, "'+'"},
    {ENTRY(SUM "types: [u32], <<colour>>: red"), DIAG_YAML_UNKNOWN_KEY, "colour"},
    {ENTRY(M "semantics: add, operands: <<d>>, types: [u32]"), DIAG_YAML_KIND, "a list is wanted"},
    {ENTRY("mnemonic: <<[>>m], code: 1, " ADD), DIAG_YAML_KIND, "single value is wanted"},
    {ENTRY(SUM "types: [u32], <<code>>: 2"), DIAG_YAML_DUPLICATE_KEY, "code"},
    {"opcodes:\n  - <<{>>code: 1, class: integer, semantics: nop, operands: [], summary: s}\n",
     DIAG_YAML_MISSING_KEY, "mnemonic"},
    {"opcodes:\n  - {mnemonic: m, code: 1, class: <<magic>>, semantics: nop, operands: [], summary: s}\n",
     DIAG_ISA_CLASS, "no class 'magic'"},
    {NOP "  - {mnemonic: <<nap>>, code: 9, class: control, semantics: nop, operands: [], summary: s}\n",
     DIAG_ISA_CODE, "code 9 of 'nap' is taken by 'nop'"},
    {NOP "  - {mnemonic: <<nop>>, code: 8, class: control, semantics: nop, operands: [], summary: s}\n",
     DIAG_ISA_CLASH, "given twice"},
    {NOP "  - {mnemonic: <<nap>>, aliases: [NOP], code: 8, class: control, semantics: nop, operands: [], "
         "summary: s}\n",
     DIAG_ISA_CLASH, "given twice"},
    {NOP "  - {mnemonic: <<twice>>, class: control, operands: [], summary: s, expand: [nop, nip]}\n",
     DIAG_ISA_MACRO, "no opcode begins line 2"},
    {NOP "  - {mnemonic: <<twice>>, class: control, operands: [], summary: s, expand: [nop, twice]}\n",
     DIAG_ISA_MACRO, "expands to itself"},
    {NOP "  - {mnemonic: <<twice>>, code: 3, class: control, operands: [], summary: s, expand: [nop]}\n",
     DIAG_ISA_MACRO, "neither code nor semantics"},
    {"opcodes: <<[>>]\n", DIAG_YAML_COUNT, "at least 1"},
    {"opcodes: <<7>>\n", DIAG_YAML_KIND, "a list is wanted"},
};

START_TEST(test_mistakes_in_entries)
{
    for (size_t i = 0; i < HX_COUNT_OF(mistakes); i++) {
        char *text = document_of("", "", mistakes[i].entries);
        check_refused(text, mistakes[i].code, mistakes[i].part);
        free(text);
    }
}
END_TEST

static const struct head_mistake {
    const char *from, *to;
    int code;
    const char *part;
} head_mistakes[] = {
    {"{name: opcode,", "{name: <<opcod>>,", DIAG_ISA_ENCODING, "no field 'opcod'"},
    {"at: 120, bits: 8", "at: 120, bits: <<9>>", DIAG_YAML_RANGE, "9"},
    {"at: 120, bits: 8", "at: <<128>>, bits: 8", DIAG_YAML_RANGE, "128"},
    {"at: 120, bits: 8", "at: 120, bits: <<0>>", DIAG_YAML_RANGE, "0"},
    {"{name: rounding,", "{name: <<rnd>>,", DIAG_ISA_ENCODING, "no modifier group 'rnd'"},
    {"values: [sat]", "values: [<<saturated>>]", DIAG_ISA_ENCODING, "not 'saturated'"},
    {"bits: 4, values: [rn, rz, rm, rp, rni, rzi, rmi, rpi]",
     "bits: 3, values: <<[rn, rz, rm, rp, rni, rzi, rmi, rpi]>>", DIAG_ISA_ENCODING, "do not fit 3 bits"},
    {"isa: hexec", "<<iso>>: hexec\nisa: hexec", DIAG_YAML_UNKNOWN_KEY, "iso"},
};

static void check_head_refused(const struct head_mistake *mistake)
{
    char *text = document_of(mistake->from, mistake->to, NOP);
    struct marked_text marked = marked_text_new(text);
    hx_diag *diag = refused(marked.text);
    bool found = false; /* a wrong place may bring about others behind it */
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *at = hx_diag_at(diag, i);
        found |= at->code == mistake->code && at->line == marked.line && at->column == marked.column &&
                 strstr(at->message, mistake->part);
    }
    ck_assert_msg(found, "first: %s", hx_diag_at(diag, 0)->message);
    hx_diag_free(diag);
    free(marked.text);
    free(text);
}

START_TEST(test_mistakes_in_the_encoding)
{
    for (size_t i = 0; i < HX_COUNT_OF(head_mistakes); i++)
        check_head_refused(&head_mistakes[i]);
}
END_TEST

/* Fields of one entry that lie on each other. */
START_TEST(test_fields_that_share_bits)
{
    char *text =
        document_of("{name: b, at: 48,", "{name: b, at: 44,",
                    ENTRY("mnemonic: <<m>>, code: 1, semantics: add, operands: [d, a, b], types: [u32]"));
    check_refused(text, DIAG_ISA_ENCODING, "share bits");
    free(text);
}
END_TEST

START_TEST(test_all_mistakes_at_once)
{
    char *text =
        document_of("", "",
                    "opcodes:\n"
                    "  - {mnemonic: m, code: 1, class: integer, semantics: add, operands: [d, a, q], types: "
                    "[u33], summary: s}\n"
                    "  - {mnemonic: n, code: 1, class: integer, semantics: ad, operands: [], summary: s}\n");
    hx_diag *diag = refused(text);
    static const int codes[] = {DIAG_ISA_FORM, DIAG_ISA_TYPE, DIAG_ISA_SEMANTICS};
    for (size_t i = 0; i < HX_COUNT_OF(codes); i++) {
        bool found = false;
        for (size_t k = 0; k < hx_diag_count(diag); k++)
            found |= hx_diag_at(diag, k)->code == codes[i];
        ck_assert_msg(found, "HX%d was not found", codes[i]);
    }
    hx_diag_free(diag);
    free(text);
}
END_TEST

START_TEST(test_what_is_no_document)
{
    static const char *const texts[] = {"",           "\n",       "- a\n",    "isa: [",
                                        "\tisa: x\n", "isa: x\n", "\xff\xfe", "{}\n"};
    for (size_t i = 0; i < HX_COUNT_OF(texts); i++) {
        hx_diag *diag = refused(texts[i]);
        ck_assert_uint_ge(hx_diag_count_of(diag, HX_ERROR), 1);
        ck_assert_int_ge(hx_diag_at(diag, 0)->line, 1);
        hx_diag_free(diag);
    }
    hx_diag *diag;
    hx_isa *isa = NULL;
    ck_assert_ok(hx_diag_new(NULL, &diag));
    ck_assert_int_eq(hx_isa_load("/", NULL, diag, &isa), HX_IO);
    ck_assert_int_eq(hx_isa_load("/nowhere/isa.yaml", NULL, diag, &isa), HX_IO);
    ck_assert_uint_eq(hx_diag_count(diag), 2);
    hx_diag_free(diag);
}
END_TEST

START_TEST(test_a_set_of_ones_own)
{
    char *text =
        document_of("", "",
                    NOP "  - {mnemonic: plus, aliases: [sum], code: 200, class: integer, semantics: add, "
                        "operands: [d, a, b], types: [u32, s64], span: my_plus, summary: s}\n"
                        "  - {mnemonic: double, class: integer, operands: [d, a], types: [u32], summary: s, "
                        "expand: [\"plus.{type} {d}, {a}, {a}\"]}\n");
    hx_isa *isa = NULL;
    const struct isa_opcode *any = NULL;
    ck_assert_ok(load(text, NULL, &isa));
    ck_assert_str_eq(hx_isa_name(isa), "hexec");
    ck_assert_uint_eq(hx_isa_opcode_count(isa), 3);
    const struct isa_opcode *plus = isa_find(isa, slice_of("PLUS"), HX_TYPE_I64, HX_TYPE_NONE, &any);
    ck_assert_ptr_nonnull(plus);
    ck_assert_int_eq(plus->code, 200);
    ck_assert_str_eq(plus->span, "my_plus");
    ck_assert_ptr_eq(isa_find(isa, slice_of("sum"), HX_TYPE_U32, HX_TYPE_NONE, &any), plus);
    ck_assert_ptr_null(isa_find(isa, slice_of("sum"), HX_TYPE_F32, HX_TYPE_NONE, &any));
    ck_assert_ptr_null(isa_find(isa, slice_of("add"), HX_TYPE_U32, HX_TYPE_NONE, &any));
    hx_isa_free(isa);
    free(text);
}
END_TEST

START_TEST(test_memory_that_runs_out)
{
    char *text =
        document_of("", "",
                    NOP "  - {mnemonic: plus, aliases: [sum], code: 200, class: integer, semantics: add, "
                        "operands: [d, a, b], types: [u32], modifiers: [sat], summary: s}\n");
    bool loaded = false;
    for (size_t at = 1; !loaded; at++) {
        struct failing_allocator failing;
        hx_isa *isa = NULL;
        failing_allocator_init(&failing, at);
        const hx_status status = hx_isa_load_text("t.yaml", text, strlen(text), &failing.hook, NULL, &isa);
        loaded = status == HX_OK;
        ck_assert(loaded || status == HX_NO_MEMORY);
        hx_isa_free(isa);
        ck_assert_uint_eq(failing.live, 0);
    }
    free(text);
}
END_TEST

UNIT_MAIN("isa_load", test_mistakes_in_entries, test_mistakes_in_the_encoding, test_fields_that_share_bits,
          test_all_mistakes_at_once, test_what_is_no_document, test_a_set_of_ones_own,
          test_memory_that_runs_out)
