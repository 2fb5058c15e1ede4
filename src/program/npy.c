/* Files of elements: NumPy's .npy (versions 1 to 3, little-endian, C order) and raw little-endian bytes.
 *
 * The header is a Python literal of three keys, which are expected as np.save writes them
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). bf16, which NumPy lacks, is kept
 * as u16. Nothing in a file is believed: its header is checked against its size. */
#include "base/file.h"
#include "program/parts.h"

#include <stdio.h>
#include <string.h>

#define NPY_LIMIT_BYTES ((size_t)1 << 36)

static const char *const descriptions[] = {
    [HX_TYPE_I8] = "|i1",  [HX_TYPE_U8] = "|u1",   [HX_TYPE_I16] = "<i2", [HX_TYPE_U16] = "<u2",
    [HX_TYPE_F16] = "<f2", [HX_TYPE_BF16] = "<u2", [HX_TYPE_I32] = "<i4", [HX_TYPE_U32] = "<u4",
    [HX_TYPE_F32] = "<f4", [HX_TYPE_I64] = "<i8",  [HX_TYPE_U64] = "<u8", [HX_TYPE_F64] = "<f8",
};

struct elements {
    char *file; /* the whole file */
    const char *bytes;
    uint64_t count;
};

static hx_status bad(hx_diag *diag, struct place place, const char *path, const char *why)
{
    return diag_report(diag, DIAG_NPY_FORMAT, place, NULL, "'%s' cannot be used: %s", path, why);
}

/* What stands behind 'key': in the header; NULL when it is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
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
    return true;
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
           description[1 + length] == quote;
}

static hx_status parse_header(const char *path, const char *header, enum hx_type type, struct place place,
                              hx_diag *diag, uint64_t *ret_count)
{
    const char *description = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
               *shape = value_of(header, "'shape'");
    unsigned dimensions = 0;
    if (!description || !order || !shape)
        return bad(diag, place, path, "its header has no descr, fortran_order and shape");
    if (!same_type(description, type))
        return diag_report(
            diag, DIAG_NPY_FORMAT, place, NULL, "'%s' holds elements %.*s, %s is wanted ('%s')", path,
            (int)strcspn(description, ","), description, hx_type_name(type), descriptions[type]);
    if (!parse_shape(shape, ret_count, &dimensions))
        return bad(diag, place, path, "its shape is no shape");
    if (strncmp(order, "False", 5) != 0 && dimensions > 1)
        return bad(diag, place, path, "it is in Fortran order; save a C-ordered array");
    return HX_OK;
}

static hx_status parse_npy(const char *path, enum hx_type type, size_t size, struct place place,
                           hx_diag *diag, struct elements *elements)
{
    const unsigned char *head = (const unsigned char *)elements->file;
    if (size < 12 || memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3)
        return bad(diag, place, path, "it does not begin as a .npy file of version 1 to 3");
    size_t start = head[6] == 1 ? 10 : 12, length = (size_t)head[8] | (size_t)head[9] << 8;
    if (head[6] > 1)
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    if (length > size - start)
        return bad(diag, place, path, "its header is cut off");
    char *header = elements->file + start;
    const char saved = header[length]; /* file_read leaves a NUL behind the end, so there is a byte */
    header[length] = 0;
    hx_status status = parse_header(path, header, type, place, diag, &elements->count);
    header[length] = saved;
    elements->bytes = header + length;
    const size_t left = size - start - length, element = hx_type_bytes(type);
    if (status == HX_OK && (left % element != 0 || elements->count != left / element))
        return bad(diag, place, path, "it holds another number of elements than its header says");
    return status;
}

static hx_status read_elements(const hx_program *program, const struct fill *from, enum hx_type type,
                               const hx_allocator *allocator, hx_diag *diag, struct elements *elements)
{
    HX_AUTO(text_done) struct text full = {.allocator = allocator};
    const char *path = from->path;
    struct place place = from->place;
    bool as_it_is = path[0] == '/' || from->from_working_directory;
    text_print(&full, "%s%s%s", as_it_is ? "" : program->directory, as_it_is ? "" : "/", path);
    if (full.failed)
        return diag_no_memory(diag);
    size_t size, length = strlen(path);
    hx_status status = file_read(full.at, NPY_LIMIT_BYTES, allocator, diag, place, &elements->file, &size);
    if (status != HX_OK)
        return status;
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0) {
        status = parse_npy(path, type, size, place, diag, elements);
    } else {
        elements->bytes = elements->file;
        elements->count = size / hx_type_bytes(type);
        if (size % hx_type_bytes(type))
            status = diag_report(diag, DIAG_FILE_SIZE, place, NULL,
                                 "'%s' has %zu bytes, which is no whole number of %s elements", path, size,
                                 hx_type_name(type));
    }
    if (status != HX_OK)
        memory_free(allocator, elements->file);
    return status;
}

hx_status npy_read(const hx_program *program, const struct fill *file, enum hx_type type, void *bytes,
                   uint64_t count, const hx_allocator *allocator, hx_diag *diag)
{
    struct elements elements = {0};
    hx_status status = read_elements(program, file, type, allocator, diag, &elements);
    if (status != HX_OK)
        return status;
    if (elements.count != count)
        status =
            diag_report(diag, DIAG_FILE_SIZE, file->place, NULL, "'%s' has %llu elements, %llu are wanted",
                        file->path, (unsigned long long)elements.count, (unsigned long long)count);
    else
        memcpy(bytes, elements.bytes, count * hx_type_bytes(type));
    memory_free(allocator, elements.file);
    return status;
}

hx_status npy_count(const hx_program *program, const struct fill *file, enum hx_type type,
                    const hx_allocator *allocator, hx_diag *diag, uint64_t *ret_count)
{
    struct elements elements = {0};
    hx_status status = read_elements(program, file, type, allocator, diag, &elements);
    if (status != HX_OK)
        return status;
    *ret_count = elements.count;
    memory_free(allocator, elements.file);
    return HX_OK;
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
