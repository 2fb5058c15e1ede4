/* Messages of the Debug Adapter Protocol on their way: "Content-Length: N", an empty line, N bytes of JSON.
 */
#include "base/text.h"
#include "debug/dap/dap.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define HEADER_MOST  4096
#define MESSAGE_MOST ((uint64_t)64 << 20)
#define PIECE        65536

/* Reads more into wire->in; false at the end. */
static bool read_more(struct wire *wire)
{
    struct pollfd files[] = {{.fd = wire->input, .events = POLLIN}, {.fd = wire->wake, .events = POLLIN}};
    if (!text_reserve(&wire->in, PIECE))
        return false;
    for (;;) {
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return false;
        if (files[1].revents)
            return false;
        if (!files[0].revents)
            continue;
        const ssize_t got = read(wire->input, wire->in.at + wire->in.length, PIECE);
        if (got > 0) {
            wire->in.length += (size_t)got;
            wire->in.at[wire->in.length] = 0;
            return true;
        }
        if (got == 0 || errno != EINTR)
            return false;
    }
}

/* The length that the header says; false: it says none. */
static bool read_length(struct slice header, uint64_t *ret_length)
{
    bool is_found = false;
    while (header.length > 0) {
        const char *end = memchr(header.at, '\n', header.length);
        const size_t length = end ? (size_t)(end - header.at) : header.length;
        const struct slice line = slice_trim((struct slice){header.at, length});
        const char *colon = line.length ? memchr(line.at, ':', line.length) : NULL;
        const struct slice name = {line.at, colon ? (size_t)(colon - line.at) : 0};
        if (slice_equal_nocase(slice_trim(name), "content-length"))
            is_found = number_parse_u64(slice_trim((struct slice){colon + 1, line.length - name.length - 1}),
                                        ret_length) == NUMBER_OK;
        header.at += end ? length + 1 : length;
        header.length -= end ? length + 1 : length;
    }
    return is_found && *ret_length <= MESSAGE_MOST;
}

/* Drops what was used. */
static void drop(struct text *text, size_t bytes)
{
    text->length -= bytes;
    memmove(text->at, text->at + bytes, text->length + 1);
}

bool wire_read(struct wire *wire, json_t **ret_message, const char **ret_wrong)
{
    uint64_t length = 0;
    const char *end;
    *ret_wrong = NULL;
    while (wire->in.length == 0 || !(end = strstr(wire->in.at, "\r\n\r\n"))) {
        if (wire->in.length > HEADER_MOST)
            *ret_wrong = "a header is longer than 4096 bytes";
        if (*ret_wrong || !read_more(wire))
            return false;
    }
    const size_t header = (size_t)(end - wire->in.at) + 4;
    if (!read_length((struct slice){wire->in.at, header}, &length)) {
        *ret_wrong = "a header says no Content-Length up to 64 MiB";
        return false;
    }
    while (wire->in.length - header < length)
        if (!read_more(wire)) {
            *ret_wrong = "the input ends within a message";
            return false;
        }
    json_error_t error;
    *ret_message = json_loadb(wire->in.at + header, (size_t)length, 0, &error);
    drop(&wire->in, header + (size_t)length);
    if (*ret_message && json_is_object(*ret_message))
        return true;
    json_decref(*ret_message);
    *ret_message = json_string("a message is not an object of JSON"); /* where the next one begins is known */
    return *ret_message != NULL;
}

static hx_status write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(file, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return HX_IO;
        bytes += done;
        length -= (size_t)done;
    }
    return HX_OK;
}

hx_status wire_write(const struct wire *wire, const struct text *message)
{
    char header[64];
    if (message->failed)
        return HX_NO_MEMORY;
    const int length = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", message->length);
    const hx_status status = write_all(wire->output, header, (size_t)length);
    return status == HX_OK ? write_all(wire->output, message->at, message->length) : status;
}

const char *dap_string(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value ? json_string_value(value) : NULL;
}

int64_t dap_integer(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

bool dap_boolean(const json_t *object, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}
