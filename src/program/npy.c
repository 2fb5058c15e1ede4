/* Files of elements: NumPy's .npy (versions 1 to 3, little-endian, C order) and raw little-endian bytes.
 *
 * The header is a Python literal of three keys, which are expected as np.save writes them
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). bf16, which NumPy lacks, is kept
 * as u16. Nothing in a file is believed: its header is checked against its size. */
#include "base/file.h"
#include "program/parts.h"

#include <stdio.h>
#include <string.h>

#define HEADER_MOST ((size_t)1 << 20) /* np.save writes 128 bytes, more only for records */

static const char *const descriptions[] = {
    [HX_TYPE_I8] = "|i1",  [HX_TYPE_U8] = "|u1",   [HX_TYPE_I16] = "<i2", [HX_TYPE_U16] = "<u2",
    [HX_TYPE_F16] = "<f2", [HX_TYPE_BF16] = "<u2", [HX_TYPE_I32] = "<i4", [HX_TYPE_U32] = "<u4",
    [HX_TYPE_F32] = "<f4", [HX_TYPE_I64] = "<i8",  [HX_TYPE_U64] = "<u8", [HX_TYPE_F64] = "<f8",
};

#define COUNT_UNKNOWN UINT64_MAX

/* A file that is open in front of its elements. */
struct elements {
    struct file_reader reader;
    const char *path; /* as the program has it */
    struct place place;
    enum hx_type type;
    bool is_npy;
    uint64_t count; /* COUNT_UNKNOWN: the file, a raw one, has no size that is known */
    hx_diag *diag;
};

static hx_status bad(const struct elements *elements, const char *why)
{
    return diag_report(elements->diag, DIAG_NPY_FORMAT, elements->place, NULL, "'%s' cannot be used: %s",
                       elements->path, why);
}

/* What stands behind 'key': in the header; NULL when it is not there once. Python takes the last of two,
 * other readers the first: two are neither. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at || strstr(at + 1, key))
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
}

/* Does a value end here? */
static bool is_end(const char *at)
{
    return *at && strchr(" ,}", *at);
}

static bool is_word(const char *value, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(value, word, length) == 0 && is_end(value + length);
}

/* "(3, 4)", "(5,)", "()": the product, and how many dimensions are longer than 1. False when it is no shape.
 */
static bool parse_shape(const char *at, uint64_t *ret_count, unsigned *ret_dimensions)
{
    uint64_t count = 1, number;
    unsigned dimensions = 0;
    if (*at++ != '(')
        return false;
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
        const size_t digits = strspn(at, "0123456789");
        if (digits == 0 || number_parse_u64((struct slice){at, digits}, &number) != NUMBER_OK ||
            __builtin_mul_overflow(count, number, &count))
            return false;
        dimensions += number > 1;
        at += digits;
        at += strspn(at, " ");
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    *ret_count = count;
    *ret_dimensions = dimensions;
    return is_end(at + 1);
}

/* '<f4', "|u1"; '<u1' and '=u1' are the same as '|u1', where the order of bytes means nothing. */
static bool same_type(const char *description, enum hx_type type)
{
    const char quote = description[0];
    if (quote != '\'' && quote != '"')
        return false;
    const char *want = descriptions[type];
    const size_t length = strlen(want);
    const bool same_order = description[1] == want[0] || want[0] == '|';
    return same_order && strncmp(description + 2, want + 1, length - 1) == 0 &&
           description[1 + length] == quote && is_end(description + length + 2);
}

static hx_status parse_header(struct elements *elements, const char *header)
{
    const char *description = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
               *shape = value_of(header, "'shape'");
    unsigned dimensions = 0;
    if (!description || !order || !shape)
        return bad(elements, "its header has no descr, fortran_order and shape, each of them once");
    if (!same_type(description, elements->type))
        return diag_report(elements->diag, DIAG_NPY_FORMAT, elements->place, NULL,
                           "'%s' holds elements %.*s, %s is wanted ('%s')", elements->path,
                           (int)strcspn(description, ","), description, hx_type_name(elements->type),
                           descriptions[elements->type]);
    if (!parse_shape(shape, &elements->count, &dimensions))
        return bad(elements, "its shape is no shape");
    const bool in_fortran_order = is_word(order, "True");
    if (!in_fortran_order && !is_word(order, "False"))
        return bad(elements, "its fortran_order is neither True nor False");
    if (in_fortran_order && dimensions > 1)
        return bad(elements, "it is in Fortran order; save a C-ordered array");
    return HX_OK;
}

/* Takes the header's text, of `length` bytes, and reads it. */
static hx_status take_header(struct elements *elements, size_t length, const hx_allocator *allocator)
{
    size_t got;
    char *header = memory_allocate(allocator, length + 1, 1);
    if (!header)
        return diag_no_memory(elements->diag);
    hx_status status = file_reader_take(&elements->reader, header, length, &got);
    if (status == HX_OK)
        status = got < length ? bad(elements, "its header is cut off") : parse_header(elements, header);
    memory_free(allocator, header);
    return status;
}

static hx_status begin_npy(struct elements *elements, const hx_allocator *allocator)
{
    unsigned char head[12] = {0};
    size_t got, more = 0;
    hx_status status = file_reader_take(&elements->reader, head, 10, &got);
    if (status != HX_OK)
        return status;
    if (got < 10 || memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
        return bad(elements, "it does not begin as a .npy file of version 1 to 3");
    size_t start = head[6] == 1 ? 10 : 12, length = (size_t)head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        status = file_reader_take(&elements->reader, head + 10, 2, &more);
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (status != HX_OK)
        return status;
    const uint64_t bytes = elements->reader.bytes;
    if (got + more < start || (bytes != FILE_BYTES_UNKNOWN && length > bytes - start))
        return bad(elements, "its header is cut off");
    if (length > HEADER_MOST)
        return bad(elements, "its header has more than 1 MiB");
    status = take_header(elements, length, allocator);
    if (status != HX_OK || bytes == FILE_BYTES_UNKNOWN)
        return status;
    const uint64_t left = bytes - start - length, element = hx_type_bytes(elements->type);
    if (left % element != 0 || elements->count != left / element)
        return bad(elements, "it holds another number of elements than its header says");
    return HX_OK;
}

static hx_status no_whole_number(const struct elements *elements, uint64_t bytes)
{
    return diag_report(elements->diag, DIAG_FILE_SIZE, elements->place, NULL,
                       "'%s' has %llu bytes, which is no whole number of %s elements", elements->path,
                       (unsigned long long)bytes, hx_type_name(elements->type));
}

static hx_status begin_raw(struct elements *elements)
{
    const uint64_t bytes = elements->reader.bytes, element = hx_type_bytes(elements->type);
    elements->count = COUNT_UNKNOWN;
    if (bytes == FILE_BYTES_UNKNOWN)
        return HX_OK;
    elements->count = bytes / element;
    return bytes % element ? no_whole_number(elements, bytes) : HX_OK;
}

void npy_path(const hx_program *program, const struct fill *file, struct text *ret_path)
{
    const bool as_it_is = file->path[0] == '/' || file->from_working_directory;
    text_print(ret_path, "%s%s%s", as_it_is ? "" : program->directory, as_it_is ? "" : "/", file->path);
}

static hx_status elements_open(struct elements *elements, const hx_program *program, const struct fill *from,
                               const struct file_wait *wait, struct text *full)
{
    const char *path = from->path;
    const size_t length = strlen(path);
    elements->path = path;
    elements->place = from->place;
    elements->is_npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    elements->reader.file = -1;
    npy_path(program, from, full);
    if (full->failed)
        return diag_no_memory(elements->diag);
    return file_reader_open(&elements->reader, full->at, wait, from->place, elements->diag);
}

static hx_status elements_begin(struct elements *elements, const hx_allocator *allocator)
{
    return elements->is_npy ? begin_npy(elements, allocator) : begin_raw(elements);
}

static hx_status wrong_count(const struct elements *elements, const char *more_than, uint64_t count,
                             uint64_t wanted)
{
    return diag_report(elements->diag, DIAG_FILE_SIZE, elements->place, NULL,
                       "'%s' has %s%llu elements, %llu are wanted", elements->path, more_than,
                       (unsigned long long)count, (unsigned long long)wanted);
}

/* As many as are wanted, and no byte behind them but one, which must not be there. */
static hx_status take_elements(struct elements *elements, void *bytes, uint64_t count)
{
    const size_t element = hx_type_bytes(elements->type);
    size_t got, more = 0;
    char behind;
    if (elements->count != COUNT_UNKNOWN && elements->count != count)
        return wrong_count(elements, "", elements->count, count);
    hx_status status = file_reader_take(&elements->reader, bytes, count * element, &got);
    if (status == HX_OK && got == count * element)
        status = file_reader_take(&elements->reader, &behind, 1, &more);
    if (status != HX_OK || (got == count * element && !more))
        return status;
    if (elements->is_npy)
        return bad(elements, "it holds another number of elements than its header says");
    if (more)
        return wrong_count(elements, "more than ", count, count);
    return got % element ? no_whole_number(elements, got) : wrong_count(elements, "", got / element, count);
}

hx_status npy_read(const hx_program *program, const struct fill *file, enum hx_type type, void *bytes,
                   uint64_t count, const struct file_wait *wait, const hx_allocator *allocator, hx_diag *diag)
{
    struct elements elements = {.type = type, .diag = diag};
    HX_AUTO(text_done) struct text full = {.allocator = allocator};
    hx_status status = elements_open(&elements, program, file, wait, &full);
    if (status == HX_OK)
        status = elements_begin(&elements, allocator);
    if (status == HX_OK)
        status = take_elements(&elements, bytes, count);
    file_reader_close(&elements.reader);
    return status;
}

hx_status npy_check(const hx_program *program, const struct fill *file, enum hx_type type, uint64_t count,
                    const hx_allocator *allocator, hx_diag *diag)
{
    struct elements elements = {.type = type, .diag = diag};
    HX_AUTO(text_done) struct text full = {.allocator = allocator};
    hx_status status = elements_open(&elements, program, file, NULL, &full);
    const bool has_size = !elements.reader.is_pipe && elements.reader.bytes != FILE_BYTES_UNKNOWN;
    if (status == HX_OK && has_size) {
        status = elements_begin(&elements, allocator);
        if (status == HX_OK && elements.count != count)
            status = wrong_count(&elements, "", elements.count, count);
    }
    file_reader_close(&elements.reader);
    return status;
}

hx_status npy_count(const hx_program *program, const struct fill *file, enum hx_type type,
                    const hx_allocator *allocator, hx_diag *diag, uint64_t *ret_count)
{
    struct elements elements = {.type = type, .diag = diag};
    HX_AUTO(text_done) struct text full = {.allocator = allocator};
    hx_status status = elements_open(&elements, program, file, NULL, &full);
    if (status == HX_OK && elements.reader.is_pipe) /* what it gave here would be missing in the run */
        status = diag_report(diag, DIAG_FILE_SIZE, file->place, "give the buffer a count",
                             "'%s' is a pipe, and how many elements it has is not known before it is read",
                             file->path);
    if (status == HX_OK)
        status = elements_begin(&elements, allocator);
    if (status == HX_OK)
        *ret_count = elements.count == COUNT_UNKNOWN ? 0 : elements.count;
    file_reader_close(&elements.reader);
    return status;
}

void npy_header(struct text *text, enum hx_type type, uint64_t count)
{
    char header[128];
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }",
                 descriptions[type], (unsigned long long)count);
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10; /* data begin at a multiple of 64 */
    const char head[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)padded, (char)(padded >> 8)};
    text_append(text, head, sizeof head);
    text_append(text, header, (size_t)length);
    for (int i = length; i < padded - 1; i++)
        text_append(text, " ", 1);
    text_append(text, "\n", 1);
}
