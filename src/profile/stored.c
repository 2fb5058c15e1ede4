/* Profiles read back.
 *
 * Takes a file, leaves its tree, checked as far as every reader relies on: the format's name and version, and
 * a table of keys and their kinds. What lies deeper is checked when it is read. jansson keeps no lines and
 * columns, so a value that is wrong is reported by its path. */
#include "profile/stored.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

#define FORMAT  "hexec-profile"
#define VERSION 1

static const char rewrite[] = "write it again: hexec profile PROGRAM --json > FILE";

/* Appends the path of an object or array of the document. Each stands in the tree once, so that it is found
 * by its address. */
static bool print_path(struct text *text, const json_t *from, const json_t *to)
{
    const size_t length = text->length;
    const char *key;
    json_t *member;
    size_t i;
    if (from == to)
        return true;
    json_array_foreach (from, i, member) {
        text_print(text, "[%zu]", i);
        if (print_path(text, member, to))
            return true;
        text->length = length;
    }
    json_object_foreach ((json_t *)from, key, member) {
        text_print(text, "%s%s", length ? "." : "", key);
        if (print_path(text, member, to))
            return true;
        text->length = length;
    }
    return false;
}

/* Reports what is wrong with a member of `owner`, by its path: `name` is its key, or NULL and `index` its
 * number. */
static hx_status refuse(const struct stored_profile *profile, const json_t *owner, const char *name,
                        size_t index, const char *what, hx_diag *diag)
{
    struct text path HX_AUTO(text_done) = {.allocator = profile->arena.allocator};
    (void)print_path(&path, profile->root, owner);
    if (name)
        text_print(&path, "%s%s", path.length ? "." : "", name);
    else
        text_print(&path, "[%zu]", index);
    return path.failed ? diag_no_memory(diag)
                       : diag_report(diag, DIAG_STORED_FORMAT, (struct place){.source = &profile->source},
                                     rewrite, "%.*s %s", (int)path.length, path.at, what);
}

/* A document that was cut short has no end, which says more than what a parser makes of it. */
static void check_ends(struct json_reader *reader)
{
    const struct slice all = {reader->source.text, reader->source.bytes}, text = slice_trim(all);
    if (text.length == 0 || text.at[0] != '{') {
        json_reader_fail(reader, "this is no profile: a profile begins with {");
    } else if (text.at[text.length - 1] != '}') {
        reader->at = (size_t)(text.at + text.length - 1 - all.at);
        json_reader_fail(reader, "the profile is cut short: it ends here, without its last }");
    }
}

static hx_status parse(struct stored_profile *profile, hx_diag *diag)
{
    struct json_reader reader = {
        .source = profile->source, .diag = diag, .code = DIAG_STORED_FORMAT, .hint = rewrite};
    check_ends(&reader);
    (void)json_reader_value(&reader, &profile->root);
    (void)json_reader_take(&reader, '\n');
    if (reader.status == HX_OK && reader.at < reader.source.bytes)
        json_reader_fail(&reader, "something follows the last } of the profile");
    return reader.status;
}

static hx_status check_format(const struct stored_profile *profile, hx_diag *diag)
{
    const struct place file = {.source = &profile->source};
    const char *format = json_string_value(json_object_get(profile->root, "format"));
    const json_t *version = json_object_get(profile->root, "version");
    if (!format || strcmp(format, FORMAT) != 0)
        return diag_report(diag, DIAG_STORED_FORMAT, file, rewrite,
                           "this is no profile: its format is not " FORMAT);
    if (json_number_value(version) != VERSION)
        return diag_report(diag, DIAG_STORED_VERSION, file, "profile the program again with this hexec",
                           "a profile of version %g, where %d is wanted", json_number_value(version),
                           VERSION);
    return HX_OK;
}

static hx_status check_names(const struct stored_profile *profile, const char *key, hx_diag *diag)
{
    const json_t *list = json_object_get(profile->root, key), *one;
    size_t i;
    json_array_foreach (list, i, one)
        if (!json_is_string(json_object_get(one, "name")))
            return refuse(profile, list, NULL, i, "has no 'name'", diag);
    return HX_OK;
}

static hx_status check_keys(const struct stored_profile *profile, hx_diag *diag)
{
    static const struct {
        const char *key;
        json_type type;
        const char *wanted;
    } keys[] = {{"hexec", JSON_STRING, "is not a string"},    {"program", JSON_STRING, "is not a string"},
                {"inputs", JSON_STRING, "is not a string"},   {"isa", JSON_OBJECT, "is not an object"},
                {"build", JSON_OBJECT, "is not an object"},   {"machine", JSON_OBJECT, "is not an object"},
                {"options", JSON_OBJECT, "is not an object"}, {"metrics", JSON_ARRAY, "is not an array"},
                {"wall", JSON_OBJECT, "is not an object"},    {"kernels", JSON_ARRAY, "is not an array"}};
    for (size_t i = 0; i < HX_COUNT_OF(keys); i++) {
        const json_t *value = json_object_get(profile->root, keys[i].key);
        if (!value || json_typeof(value) != keys[i].type)
            return refuse(profile, profile->root, keys[i].key, 0, value ? keys[i].wanted : "is missing",
                          diag);
    }
    hx_status status = check_names(profile, "kernels", diag);
    return status == HX_OK ? check_names(profile, "metrics", diag) : status;
}

hx_status stored_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                      struct stored_profile *ret_profile)
{
    struct stored_profile profile = {0};
    size_t size = 0;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &profile.bytes, &size);
    if (status != HX_OK)
        return status;
    arena_init(&profile.arena, allocator);
    *ret_profile = profile;
    ret_profile->source = (struct source){.name = path, .text = profile.bytes, .bytes = size};
    status = parse(ret_profile, diag);
    if (status == HX_OK)
        status = check_format(ret_profile, diag);
    if (status == HX_OK)
        status = check_keys(ret_profile, diag);
    if (status != HX_OK)
        stored_close(ret_profile);
    return status;
}

void stored_close(struct stored_profile *profile)
{
    json_decref(profile->root);
    memory_free(profile->arena.allocator, profile->bytes);
    arena_done(&profile->arena);
    *profile = (struct stored_profile){0};
}

hx_status stored_numbers_read(const struct stored_profile *profile, const json_t *list, hx_diag *diag,
                              double *ret_numbers)
{
    const json_t *one;
    size_t i;
    json_array_foreach (list, i, one) {
        if (!json_is_number(one))
            return refuse(profile, list, NULL, i, "is not a number", diag);
        ret_numbers[i] = json_number_value(one);
    }
    return HX_OK;
}

hx_status stored_value_read(const struct stored_profile *profile, const json_t *metrics, const char *name,
                            hx_diag *diag, struct stored_value *ret_value)
{
    static const char *const keys[] = {"value", "low", "high"};
    const json_t *metric = json_object_get(metrics, name);
    double parts[HX_COUNT_OF(keys)];
    for (size_t i = 0; i < HX_COUNT_OF(keys); i++) {
        const json_t *part = json_is_object(metric) ? json_object_get(metric, keys[i]) : metric;
        const char *what = !part                                          ? "is missing"
                           : !json_is_number(part) && !json_is_null(part) ? "is neither a number nor null"
                                                                          : NULL;
        if (what)
            return json_is_object(metric) ? refuse(profile, metric, keys[i], 0, what, diag)
                                          : refuse(profile, metrics, name, 0, what, diag);
        parts[i] = json_is_null(part) ? (double)NAN : json_number_value(part);
    }
    *ret_value = (struct stored_value){parts[0], parts[1], parts[2]};
    return HX_OK;
}

hx_status stored_threshold_read(const struct stored_profile *profile, hx_diag *diag, double *ret_percent)
{
    const json_t *threshold = json_object_get(profile->root, "threshold");
    if (threshold && !(json_number_value(threshold) > 0))
        return diag_report(diag, DIAG_STORED_FORMAT, (struct place){.source = &profile->source},
                           "hexec compare --threshold PERCENT --save-baseline FILE stores another",
                           "threshold is not a number of percent above 0");
    *ret_percent = threshold ? json_number_value(threshold) : (double)NAN;
    return HX_OK;
}

hx_status stored_print_with_threshold(const struct stored_profile *profile, double percent, hx_diag *diag,
                                      struct text *text)
{
    struct json_reader reader = {.source = profile->source};
    const char *const end = profile->source.text + profile->source.bytes;
    bool first = true;
    struct slice key, old = {0};
    (void)json_reader_take(&reader, '{');
    const char *start = profile->source.text + reader.at;
    while (json_reader_key(&reader, &first, &key)) {
        const struct slice value = json_reader_value(&reader, NULL);
        if (slice_equal(key, "\"threshold\""))
            old = value;
    }
    const char *stop = old.length ? old.at : start;
    text_append(text, profile->source.text, (size_t)(stop - profile->source.text));
    text_append(text, "\"threshold\":", old.length ? 0 : strlen("\"threshold\":"));
    text_print_f64(text, percent);
    text_append(text, ",", !old.length);
    text_append(text, stop + old.length, (size_t)(end - stop) - old.length);
    return text->failed ? diag_no_memory(diag) : HX_OK;
}
