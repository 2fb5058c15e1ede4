/* HTTP by libcurl.
 *
 * Takes bytes and an address, leaves an answer or the reason why there is none. libcurl is loaded at the
 * first use: it and what it links to take longer to load than hexec takes for a small program, and hardly any
 * run wants it. */
#include "base/http.h"

#if HX_CURL
#include "base/machine.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#define TRIES_MAX     3
#define FIRST_WAIT_MS 100 /* doubled after each try */

/* What is used of libcurl: X(name). */
#define CURL_FUNCTIONS(X)                                                                                    \
    X(curl_easy_init)                                                                                        \
    X(curl_easy_setopt)                                                                                      \
    X(curl_easy_perform)                                                                                     \
    X(curl_easy_getinfo)                                                                                     \
    X(curl_easy_cleanup)                                                                                     \
    X(curl_easy_strerror)                                                                                    \
    X(curl_easy_unescape)                                                                                    \
    X(curl_slist_append)                                                                                     \
    X(curl_slist_free_all)                                                                                   \
    X(curl_free)

/* Its header checks arguments with macros of the same names, which cannot go through a pointer. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
struct library {
    void *handle;
#define LIBRARY_MEMBER(name) __typeof__(&name) name;
    CURL_FUNCTIONS(LIBRARY_MEMBER)
#undef LIBRARY_MEMBER
};

/* The handle is not closed: the dynamic loader counts, and libcurl may not be unloaded once it was used. */
static bool load(struct library *curl)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
    bool complete = false;
    for (size_t i = 0; i < HX_COUNT_OF(names) && !complete; i++) {
        curl->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        complete = curl->handle != NULL;
#define LIBRARY_LOAD(name)                                                                                   \
    complete = complete && (*(void **)&curl->name = dlsym(curl->handle, #name)) != NULL;
        CURL_FUNCTIONS(LIBRARY_LOAD)
#undef LIBRARY_LOAD
    }
    return complete;
}

static size_t keep_answer(char *bytes, size_t size, size_t count, void *user)
{
    struct text *answer = user;
    const size_t given = size * count;
    if (answer && answer->length < HTTP_ANSWER_BYTES) {
        const size_t room = HTTP_ANSWER_BYTES - answer->length;
        text_append(answer, bytes, given < room ? given : room);
    }
    return given;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* "key: value" of key=value, with the value's %-encoding undone. False: no memory. */
static bool add_header(const struct library *curl, CURL *handle, struct slice pair, struct curl_slist **list)
{
    const char *equals = memchr(pair.at, '=', pair.length);
    if (!equals)
        return true;
    const struct slice key = slice_trim((struct slice){pair.at, (size_t)(equals - pair.at)});
    const struct slice value =
        slice_trim((struct slice){equals + 1, pair.length - (size_t)(equals + 1 - pair.at)});
    char *decoded = value.length > 0 && value.length < 65536
                        ? curl->curl_easy_unescape(handle, value.at, (int)value.length, NULL)
                        : NULL;
    struct text line HX_AUTO(text_done) = {0};
    text_print(&line, SLICE_FORMAT ": %s", SLICE_ARGS(key), decoded ? decoded : "");
    curl->curl_free(decoded);
    struct curl_slist *longer = line.failed ? NULL : curl->curl_slist_append(*list, line.at);
    *list = longer ? longer : *list;
    return longer != NULL;
}

static bool make_headers(const struct library *curl, CURL *handle, const struct http_post *post,
                         struct curl_slist **ret_list)
{
    struct text type HX_AUTO(text_done) = {0};
    text_print(&type, "Content-Type: %s", post->content_type);
    bool fine = !type.failed && (*ret_list = curl->curl_slist_append(NULL, type.at)) != NULL;
    const char *rest = post->headers ? post->headers : "";
    while (fine && *rest) {
        const size_t length = strcspn(rest, ",");
        fine = add_header(curl, handle, (struct slice){rest, length}, ret_list);
        rest += length + (rest[length] == ',');
    }
    return fine;
}

static bool is_busy(long code)
{
    return code == 429 || code == 502 || code == 503 || code == 504;
}

/* One try. True: it is worth another one, after *ret_wait_ms unless that is 0. */
static bool try_once(const struct library *curl, CURL *handle, unsigned timeout_ms, bool *ret_done,
                     uint64_t *ret_wait_ms, struct text *ret_reason)
{
    long code = 0;
    curl_off_t retry_after = 0;
    curl->curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    const CURLcode result = curl->curl_easy_perform(handle);
    ret_reason->length = 0;
    if (result != CURLE_OK) {
        text_print(ret_reason, "%s", curl->curl_easy_strerror(result));
        return result == CURLE_COULDNT_CONNECT || result == CURLE_GOT_NOTHING || result == CURLE_RECV_ERROR;
    }
    curl->curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    curl->curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &retry_after);
    *ret_done = code >= 200 && code < 300;
    *ret_wait_ms = retry_after > 0 && retry_after < 3600 ? (uint64_t)retry_after * 1000 : 0;
    if (!*ret_done)
        text_print(ret_reason, "it answered %ld", code);
    return !*ret_done && is_busy(code);
}

static hx_status post_with(const struct library *curl, CURL *handle, const struct http_post *post,
                           struct text *ret_reason, struct text *ret_answer)
{
    const uint64_t end = now_ms() + post->timeout_ms;
    uint64_t pause = FIRST_WAIT_MS;
    curl->curl_easy_setopt(handle, CURLOPT_URL, post->url);
    curl->curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->size);
    curl->curl_easy_setopt(handle, CURLOPT_POSTFIELDS, post->body);
    curl->curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L); /* the host's signals are its own */
    curl->curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, keep_answer);
    curl->curl_easy_setopt(handle, CURLOPT_WRITEDATA, ret_answer);
    curl->curl_easy_setopt(handle, CURLOPT_USERAGENT, "hexec/" HX_VERSION);
    curl->curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    for (int i = 0; i < TRIES_MAX; i++, pause *= 2) {
        const uint64_t now = now_ms();
        bool done = false;
        uint64_t asked = 0;
        if (ret_answer)
            ret_answer->length = 0; /* of the try before */
        const bool again =
            try_once(curl, handle, now < end ? (unsigned)(end - now) : 1, &done, &asked, ret_reason);
        if (done)
            return HX_OK;
        const uint64_t wait = asked > pause ? asked : pause;
        if (!again || i + 1 == TRIES_MAX || now_ms() + wait >= end)
            return HX_IO;
        const struct timespec rest = {(time_t)(wait / 1000), (long)(wait % 1000) * 1000000};
        nanosleep(&rest, NULL);
    }
    return HX_IO;
}

hx_status http_post(const struct http_post *post, struct text *ret_reason, struct text *ret_answer)
{
    struct library curl = {0};
    if (!load(&curl)) {
        text_print(ret_reason, "libcurl is not installed");
        return HX_IO;
    }
    struct curl_slist *headers = NULL;
    CURL *handle = curl.curl_easy_init();
    hx_status status = HX_IO;
    if (handle && make_headers(&curl, handle, post, &headers)) {
        curl.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        status = post_with(&curl, handle, post, ret_reason, ret_answer);
    } else
        text_print(ret_reason, "out of memory");
    curl.curl_slist_free_all(headers);
    curl.curl_easy_cleanup(handle);
    return status;
}
#else
hx_status http_post(const struct http_post *post, struct text *ret_reason, struct text *ret_answer)
{
    (void)post;
    (void)ret_answer;
    text_print(ret_reason, "this hexec was built without libcurl");
    return HX_IO;
}
#endif
