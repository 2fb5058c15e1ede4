/* The reader of DWARF: what is damaged is refused, and what leads in circles ends. */
#include "unit.h"

#include "debug/source/variables.h"
#include "program/program.h"

#include <string.h>

/* Sections as they are built up; the first unit has a tag of each abbreviation. */
static char info[256], abbreviations[256];
static size_t info_length, abbreviations_length;

static void put(char *section, size_t *length, const char *bytes, size_t count)
{
    ck_assert_uint_lt(*length + count, sizeof info);
    memcpy(section + *length, bytes, count);
    *length += count;
}
#define INFO(bytes)   put(info, &info_length, bytes, sizeof bytes - 1)
#define ABBREV(bytes) put(abbreviations, &abbreviations_length, bytes, sizeof bytes - 1)

/* Offsets in .debug_info of what comes behind the header of the unit. */
enum { HEADER = 11 };

static void begin(void)
{
    info_length = abbreviations_length = 0;
    INFO("\0\0\0\0\4\0\0\0\0\0\10"); /* length, version 4, abbreviations at 0, addresses of 8 bytes */
}

static hx_status read_sections(struct dwarf *ret_dwarf)
{
    const uint32_t length = (uint32_t)info_length - 4;
    const struct program_debug debug = {
        .sections = {{info, info_length}, {abbreviations, abbreviations_length}, {"name", 4}}};
    memcpy(info, &length, sizeof length);
    return dwarf_read(&debug, NULL, ret_dwarf);
}

static void must_refuse(void)
{
    struct dwarf dwarf;
    ck_assert_int_eq(read_sections(&dwarf), HX_INVALID);
}

START_TEST(test_headers)
{
    static const struct {
        size_t at;
        char byte;
    } wrong[] = {{0, 100}, {3, 127}, {4, 5}, {4, 1}, {6, 100}, {9, 127}, {10, 9}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct dwarf dwarf;
        begin();
        ABBREV("\1\x24\0\x0b\x0b\0\0\0"); /* 1: a base type with a size in one byte */
        INFO("\1\4");
        ck_assert_int_eq(read_sections(&dwarf), HX_OK);
        ck_assert_uint_eq(dwarf.entries.count, 1);
        ck_assert_uint_eq(dwarf_type_size(&dwarf, 0), 4);
        dwarf_done(&dwarf);
        info[wrong[i].at] = wrong[i].byte;
        const struct program_debug debug = {
            .sections = {{info, info_length}, {abbreviations, abbreviations_length}, {"", 0}}};
        ck_assert_int_eq(dwarf_read(&debug, NULL, &dwarf), HX_INVALID);
    }
}
END_TEST

START_TEST(test_attributes_behind_the_end)
{
    static const char forms[] = {0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
                                 0x0b, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x13, 0x15, 0x20};
    for (size_t i = 0; i < sizeof forms; i++) { /* nothing stands where the form wants something */
        begin();
        ABBREV("\1\x24\0\x0b");
        put(abbreviations, &abbreviations_length, &forms[i], 1);
        ABBREV("\0\0\0");
        INFO("\1");
        must_refuse();
    }
    begin(); /* a block of 2^63 bytes and more */
    ABBREV("\1\x24\0\2\x18\0\0\0");
    INFO("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1");
    must_refuse();
    begin(); /* a form that is not known; a form that stands in the entry and says that it stands in the entry
              */
    ABBREV("\1\x24\0\x0b\x7f\0\0\0");
    INFO("\1\1");
    must_refuse();
    begin();
    ABBREV("\1\x24\0\x0b\x16\0\0\0");
    INFO("\1\x16\x16\x16");
    must_refuse();
}
END_TEST

START_TEST(test_abbreviations_without_end)
{
    begin(); /* no abbreviation of this number; one that ends too early */
    ABBREV("\1\x24\0\0\0\0");
    INFO("\2");
    must_refuse();
    begin();
    ABBREV("\1\x24\0\x0b\x0b");
    INFO("\1\4");
    must_refuse();
}
END_TEST

START_TEST(test_names_behind_the_end)
{
    struct dwarf dwarf;
    begin();
    ABBREV("\1\x24\0\3\x0e\0\0\0"); /* a name in .debug_str, which has no 0 at its end */
    INFO("\1\1\0\0\0\1\0\1\0\0");
    ck_assert_int_eq(read_sections(&dwarf), HX_OK);
    ck_assert_uint_eq(dwarf.entries.count, 2);
    ck_assert_uint_eq(dwarf.entries.items[0].name.length, 3);
    ck_assert_uint_eq(dwarf.entries.items[1].name.length, 0);
    dwarf_done(&dwarf);
}
END_TEST

START_TEST(test_types_in_circles)
{
    struct dwarf dwarf;
    struct text text = {0};
    struct dwarf_type_member member;
    begin();
    ABBREV("\1\x16\0\x49\x13\0\0"                       /* 1: typedef: type */
           "\2\x13\1\x0b\x0b\0\0\3\x0d\0\x49\x13\0\0"   /* 2: struct: size; 3: member: type */
           "\4\x01\1\x49\x13\0\0\5\x21\0\x2f\7\0\0\0"); /* 4: array: type; 5: subrange: bound in 8 bytes */
    INFO("\1\x0b\0\0\0"                                 /* 0 at 11: a typedef of itself */
         "\2\4\3\x10\0\0\0\3\x10\0\0\0\0"   /* 1 at 16: two members without a name that are the structure */
         "\4\x1d\0\0\0\5\1\0\0\0\0\0\0\0\0" /* 4 at 29: an array of itself */
         "\1\xff\xff\xff\xff");             /* 6: a typedef of what is not there */
    ck_assert_int_eq(read_sections(&dwarf), HX_OK);
    ck_assert_uint_eq(dwarf.entries.count, 7);
    ck_assert_uint_eq(dwarf_type_strip(&dwarf, 0), DWARF_NONE);
    ck_assert_uint_eq(dwarf_type_size(&dwarf, 1), 4);
    ck_assert(!dwarf_type_find_member(&dwarf, 1, slice_of("x"), &member));
    ck_assert_uint_eq(dwarf_type_size(&dwarf, 4), 0);
    ck_assert_uint_eq(dwarf_type_strip(&dwarf, 6), DWARF_NONE);
    for (uint32_t i = 0; i < 7; i++) {
        dwarf_type_print(&dwarf, i, &text);
        value_print_typed(&dwarf, i, 0, "four", 4, 0, &text);
    }
    ck_assert_uint_lt(text.length, 2000000);
    text_done(&text);
    dwarf_done(&dwarf);
}
END_TEST

START_TEST(test_sizes_that_wrap)
{
    struct dwarf dwarf;
    struct text text = {0};
    struct dwarf_type_elements elements;
    begin();
    ABBREV("\1\x24\0\x0b\x0b\x3e\x0b\0\0"               /* 1: base type: size, encoding */
           "\2\x01\1\x49\x13\0\0\3\x21\0\x37\7\0\0\0"); /* 2: array: type; 3: subrange: count in 8 bytes */
    INFO("\1\4\7"                                       /* 0 at 11: unsigned int */
         "\2\x0b\0\0\0\3\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\x10\0" /* 1 at 14: 2 rows of 2^60 elements */
         "\2\x0b\0\0\0\3\xff\xff\xff\xff\xff\xff\xff\xff\0");   /* 4: 2^64 - 1 elements */
    ck_assert_int_eq(read_sections(&dwarf), HX_OK);
    ck_assert_uint_eq(dwarf.entries.count, 6);
    ck_assert(dwarf_type_elements(&dwarf, 1, 0, &elements));
    ck_assert_uint_eq(elements.count, 2);
    ck_assert_uint_eq(elements.bytes, UINT64_C(1) << 62);
    ck_assert_uint_eq(dwarf_type_size(&dwarf, 4), 0);
    value_print_typed(&dwarf, 1, 0, "\1\0\0", 4, 0, &text);
    ck_assert_str_eq(text.at, "{... 2 elements}");
    text.length = 0;
    value_print_typed(&dwarf, 4, 0, "\1\0\0", 4, 0, &text);
    ck_assert_str_eq(text.at, "{1, ... 18446744073709551615 elements}");
    text_done(&text);
    dwarf_done(&dwarf);
}
END_TEST

START_TEST(test_work_is_bounded)
{
    /* Many entries that cost one byte each, of an abbreviation with many attributes of no byte. */
    enum { PAIRS = 40000, ENTRIES = 40000 };
    char *pairs = malloc(4 + 2 * PAIRS + 3), *entries = malloc(HEADER + ENTRIES);
    const uint32_t length = HEADER + ENTRIES - 4;
    struct dwarf dwarf;
    ck_assert(pairs && entries);
    memcpy(pairs, "\1\x24\0", 3);
    for (size_t i = 0; i < PAIRS; i++)
        memcpy(pairs + 3 + 2 * i, "\x34\x19", 2);
    memset(pairs + 3 + 2 * PAIRS, 0, 4);
    memcpy(entries, "\0\0\0\0\4\0\0\0\0\0\10", HEADER);
    memcpy(entries, &length, sizeof length);
    memset(entries + HEADER, 1, ENTRIES);
    const struct program_debug debug = {
        .sections = {{entries, HEADER + ENTRIES}, {pairs, 3 + 2 * PAIRS + 3}, {"", 0}}};
    ck_assert_int_eq(dwarf_read(&debug, NULL, &dwarf), HX_INVALID);
    free(pairs);
    free(entries);
}
END_TEST

/* What the PTX adds to a variable's address moves it, also backwards, and does not make it another one. */
START_TEST(test_addresses_of_the_ptx)
{
    static const hx_source_options options = {.size = sizeof options, .for_debugging = 1};
    static const char path[] = HX_SOURCE_DIR "/tests/fuzz/corpus/dwarf/text";
    static const struct {
        uint32_t entry;
        const char *name, *symbol;
        int32_t offset;
    } wanted[] = {{1, "y", "table", 4}, {2, "xy", "__local_depot0", -8}};
    struct dwarf dwarf;
    hx_isa *isa;
    hx_diag *diag;
    hx_program *program = NULL;
    ck_assert_int_eq(hx_diag_new(NULL, &diag), HX_OK);
    ck_assert_int_eq(hx_isa_load(NULL, NULL, diag, &isa), HX_OK);
    ck_assert_int_eq(hx_program_load_source(path, &options, isa, NULL, diag, &program), HX_OK);
    ck_assert_int_eq(dwarf_read(program->debug, NULL, &dwarf), HX_OK);
    ck_assert_uint_eq(dwarf.entries.count, 4);
    ck_assert_uint_lt(dwarf.entries.items[0].low, dwarf.entries.items[0].high);
    ck_assert_uint_eq(dwarf.entries.items[1].type, 3);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const struct dwarf_entry *entry = &dwarf.entries.items[wanted[i].entry];
        uint64_t address;
        ck_assert(slice_equal(entry->name, wanted[i].name));
        ck_assert_uint_eq(entry->location.length, 9);
        memcpy(&address, entry->location.at + 1, sizeof address);
        ck_assert_uint_lt(DEBUG_SYMBOL_INDEX(address), program->debug->symbol_count);
        ck_assert(slice_equal(program->debug->symbols[DEBUG_SYMBOL_INDEX(address)], wanted[i].symbol));
        ck_assert_int_eq(DEBUG_SYMBOL_OFFSET(address), wanted[i].offset);
    }
    dwarf_done(&dwarf);
    hx_program_free(program);
    hx_isa_free(isa);
    hx_diag_free(diag);
}
END_TEST

UNIT_MAIN("debug_dwarf", test_headers, test_attributes_behind_the_end, test_abbreviations_without_end,
          test_names_behind_the_end, test_types_in_circles, test_sizes_that_wrap, test_work_is_bounded,
          test_addresses_of_the_ptx)
