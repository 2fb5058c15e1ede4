/* The trace context: which trace this process is part of, and below which span.
 *
 * Takes the text of TRACEPARENT, leaves three ids as text, which is how every format writes them. */
#include "trace/traceparent.h"

#if HX_TRACING
#include "base/machine.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TRACE_DIGITS 32
#define SPAN_DIGITS  16

static const char digits[] = "0123456789abcdef";

/* Takes `count` digits, lower case as the standard wants them, not all of them 0 unless they may be. */
static bool take(struct slice *text, size_t count, bool may_be_zero, char *ret_digits)
{
    bool is_zero = true;
    if (text->length < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!text->at[i] || !strchr(digits, text->at[i]))
            return false;
        is_zero = is_zero && text->at[i] == '0';
    }
    memcpy(ret_digits, text->at, count);
    ret_digits[count] = 0;
    *text = (struct slice){text->at + count, text->length - count};
    return may_be_zero || !is_zero;
}

static bool take_dash(struct slice *text)
{
    if (text->length == 0 || *text->at != '-')
        return false;
    *text = (struct slice){text->at + 1, text->length - 1};
    return true;
}

bool traceparent_parse(struct slice header, struct trace_context *ret_context)
{
    struct trace_context context = {0};
    char version[3], flags[3];
    struct slice rest = slice_trim(header);
    if (!take(&rest, 2, true, version) || strcmp(version, "ff") == 0 || !take_dash(&rest) ||
        !take(&rest, TRACE_DIGITS, false, context.trace_id) || !take_dash(&rest) ||
        !take(&rest, SPAN_DIGITS, false, context.parent_id) || !take_dash(&rest) ||
        !take(&rest, 2, true, flags))
        return false;
    if (rest.length > 0 && (strcmp(version, "00") == 0 || *rest.at != '-'))
        return false;
    context.is_sampled = (strchr(digits, flags[1]) - digits) & 1;
    *ret_context = context;
    return true;
}

static void draw(char *to, size_t count)
{
    unsigned char bytes[TRACE_DIGITS / 2];
    if (getrandom(bytes, count / 2, GRND_NONBLOCK) != (ssize_t)(count / 2)) {
        /* early in a machine's life: clock and process are still its own */
        uint64_t mixed = machine_now_ns() ^ (uint64_t)getpid() << 40;
        for (size_t i = 0; i < count / 2; i++, mixed = mixed * UINT64_C(6364136223846793005) + 1)
            bytes[i] = (unsigned char)(mixed >> 33);
    }
    bytes[0] |= 1; /* an id of zeros is none */
    for (size_t i = 0; i < count; i++)
        to[i] = digits[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
    to[count] = 0;
}

void traceparent_draw(struct trace_context *context)
{
    if (!context->trace_id[0])
        draw(context->trace_id, TRACE_DIGITS);
    draw(context->root_id, SPAN_DIGITS);
}
#endif
