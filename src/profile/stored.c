/* Profiles read back.
 *
 * Takes a file, leaves its tree, checked as far as every reader relies on: the format's name and version, and
 * a table of keys and their kinds. What lies deeper is checked by whoever reads it. */
#include "profile/stored.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

#define FORMAT  "hexec-profile"
#define VERSION "1"

static const char rewrite[] = "write it again: hexec profile PROGRAM --json > FILE";

static hx_status refuse(hx_diag *diag, struct place place, const char *what)
{
    return diag_report(diag, DIAG_STORED_FORMAT, place, rewrite, "%s", what);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* A document that was cut short has no end, which says more than what a parser makes of it. */
static hx_status check_end(const struct stored_profile *profile, hx_diag *diag)
{
    const struct slice text = slice_trim((struct slice){profile->source.text, profile->source.bytes});
    if (text.length == 0 || text.at[0] != '{')
        return refuse(diag, (struct place){&profile->source, 1, 1, 1},
                      "this is no profile: a profile begins with {");
    if (text.at[text.length - 1] == '}')
        return HX_OK;
    struct place place = {&profile->source, 1, 1, 1};
    const char *last = text.at + text.length - 1, *start = profile->source.text;
    for (const char *at = start; (at = memchr(at, '\n', (size_t)(last - at))) != NULL; start = ++at)
        place.line++;
    place.column = (int)(last - start) + 1;
    return refuse(diag, place, "the profile is cut short: it ends here, without its last }");
}

static hx_status check_format(const struct stored_profile *profile, hx_diag *diag)
{
    const struct yaml_node *root = profile->root, *format = yaml_get(root, "format"),
                           *version = yaml_get(root, "version");
    if (!format || !slice_equal(format->text, FORMAT))
        return refuse(diag, yaml_place(format ? format : root),
                      "this is no profile: its format is not " FORMAT);
    if (!version || !slice_equal(version->text, VERSION))
        return diag_report(diag, DIAG_STORED_VERSION, yaml_place(version ? version : root),
                           "profile the program again with this hexec",
                           "a profile of version " SLICE_FORMAT ", where " VERSION " is wanted",
                           SLICE_ARGS(version ? version->text : slice_of("?")));
    return HX_OK;
}

static hx_status check_list(const struct yaml_node *list, const char *key, hx_diag *diag)
{
    for (const struct yaml_node *one = list ? list->first : NULL; one; one = one->next) {
        const struct yaml_node *name = yaml_get(one, key);
        if (!name || name->kind != YAML_SCALAR)
            return diag_report(diag, DIAG_STORED_FORMAT, one->place, rewrite, "'%s' is missing here", key);
    }
    return HX_OK;
}

static hx_status check_keys(const struct stored_profile *profile, hx_diag *diag)
{
    static const struct {
        const char *key;
        enum yaml_kind kind;
    } keys[] = {{"hexec", YAML_SCALAR},    {"program", YAML_SCALAR},   {"inputs", YAML_SCALAR},
                {"isa", YAML_MAPPING},     {"build", YAML_MAPPING},    {"machine", YAML_MAPPING},
                {"options", YAML_MAPPING}, {"metrics", YAML_SEQUENCE}, {"wall", YAML_MAPPING},
                {"kernels", YAML_SEQUENCE}};
    static const char *const kinds[] = {
        [YAML_SCALAR] = "a single value", [YAML_SEQUENCE] = "a list", [YAML_MAPPING] = "a mapping"};
    for (size_t i = 0; i < HX_COUNT_OF(keys); i++) {
        const struct yaml_node *node = yaml_get(profile->root, keys[i].key);
        if (!node || node->kind != keys[i].kind)
            return diag_report(diag, DIAG_STORED_FORMAT, yaml_place(node ? node : profile->root), rewrite,
                               node ? "'%s' is not %s" : "'%s', %s, is missing", keys[i].key,
                               kinds[keys[i].kind]);
    }
    hx_status status = check_list(yaml_get(profile->root, "kernels"), "name", diag);
    return status == HX_OK ? check_list(yaml_get(profile->root, "metrics"), "name", diag) : status;
}

hx_status stored_open(const char *path, const hx_allocator *allocator, hx_diag *diag,
                      struct stored_profile *ret_profile)
{
    struct stored_profile profile = {0};
    struct yaml_document *document = NULL;
    size_t size = 0;
    hx_status status =
        file_read(path, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &profile.bytes, &size);
    if (status != HX_OK)
        return status;
    arena_init(&profile.arena, allocator);
    /* Its place is final from here on: nodes point to it. */
    *ret_profile = profile;
    ret_profile->source = (struct source){.name = path, .text = profile.bytes, .bytes = size};
    status = check_end(ret_profile, diag);
    if (status == HX_OK)
        status = yaml_document_read(&ret_profile->arena, diag, &ret_profile->source, NULL, &document);
    if (status == HX_OK) {
        ret_profile->root = document->root;
        status = check_format(ret_profile, diag);
    }
    if (status == HX_OK)
        status = check_keys(ret_profile, diag);
    if (status != HX_OK)
        stored_close(ret_profile);
    return status;
}

void stored_close(struct stored_profile *profile)
{
    memory_free(profile->arena.allocator, profile->bytes);
    arena_done(&profile->arena);
    *profile = (struct stored_profile){0};
}

/* ---- Values -------------------------------------------------------------------------------------------- */

hx_status stored_number_read(const struct yaml_node *node, hx_diag *diag, double *ret_number)
{
    double number = 0;
    hx_status status = yaml_number_f64(node, diag, &number);
    if (status == HX_OK && !isfinite(number))
        status = refuse(diag, node->place, "a figure of a profile is a finite number, or null");
    if (status == HX_OK)
        *ret_number = number;
    return status;
}

static bool is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->is_plain && slice_equal(node->text, "null");
}

hx_status stored_value_read(const struct yaml_node *node, hx_diag *diag, struct stored_value *ret_value)
{
    const double none = (double)NAN;
    struct stored_value value = {none, none, none};
    hx_status status = HX_OK;
    if (node->kind == YAML_MAPPING) {
        static const char *const keys[] = {"value", "low", "high"};
        double *const parts[] = {&value.value, &value.low, &value.high};
        for (size_t i = 0; i < HX_COUNT_OF(keys) && status == HX_OK; i++) {
            const struct yaml_node *part = yaml_get(node, keys[i]);
            if (!part)
                status = diag_report(diag, DIAG_STORED_FORMAT, node->place, rewrite, "'%s' is missing here",
                                     keys[i]);
            else if (!is_null(part))
                status = stored_number_read(part, diag, parts[i]);
        }
    } else if (!is_null(node)) {
        status = stored_number_read(node, diag, &value.value);
        value.low = value.high = value.value;
    }
    if (status == HX_OK)
        *ret_value = value;
    return status;
}

/* ---- Thresholds ---------------------------------------------------------------------------------------- */

hx_status stored_threshold_read(const struct stored_profile *profile, hx_diag *diag, double *ret_percent)
{
    const struct yaml_node *node = yaml_get(profile->root, "threshold");
    double percent = (double)NAN;
    if (node) {
        hx_status status = stored_number_read(node, diag, &percent);
        if (status != HX_OK)
            return status;
        if (!(percent > 0))
            return diag_report(diag, DIAG_STORED_FORMAT, node->place,
                               "hexec compare --threshold PERCENT --save-baseline FILE stores another",
                               "a threshold is a number of percent above 0");
    }
    *ret_percent = percent;
    return HX_OK;
}

static size_t offset_of(const struct source *source, struct place place)
{
    return (size_t)(source_line(source, place.line).at - source->text) + (size_t)place.column - 1;
}

hx_status stored_print_with_threshold(const struct stored_profile *profile, double percent, hx_diag *diag,
                                      struct text *text)
{
    const struct source *source = &profile->source;
    const struct yaml_node *old = yaml_get(profile->root, "threshold");
    const size_t open = offset_of(source, profile->root->place) + 1;
    const size_t at = old ? offset_of(source, old->place) : open;
    text_append(text, source->text, at);
    if (!old)
        text_print(text, "\"threshold\":");
    text_print_f64(text, percent);
    if (!old)
        text_append(text, ",", 1);
    const size_t rest = old ? at + (size_t)old->place.length : at;
    text_append(text, source->text + rest, source->bytes - rest);
    return text->failed ? diag_no_memory(diag) : HX_OK;
}
