/* Costs and peaks against what was measured, for people and in the document.
 *
 * Takes a finished profile with its prediction, leaves sections of text and members of the document. The
 * roofline is that of Williams, Waterman and Patterson (CACM 52(4), 2009): at most the arithmetic's peak, and
 * at most as much as each level of memory brings operands for. */
#include "costs/costs.h"
#include "profile/hosted.h"
#include "profile/predict.h"
#include "report/figures.h"
#include "report/report.h"

#include <math.h>

/* The wall time of all workers in a plain run; NaN when there was none. */
static double measured_ns(const hx_profile *profile)
{
    const uint32_t workers = profile->result.workers ? profile->result.workers : 1;
    return profile->wall.value * workers;
}

struct roofline {
    double flops, bytes; /* a second */
    double intensity;    /* flops for each byte that lanes accessed; infinite without bytes */
    double peak;         /* of the arithmetic, flops a second */
    double roof;         /* the lowest of the levels of memory and the peak */
    hx_host_level level; /* whose that is; HX_HOST_LEVELS: of the arithmetic */
};

/* False where there is nothing to tell: no peaks, no arithmetic, no time. */
static bool roofline_of(const hx_profile *profile, const struct profile_kernel *kernel,
                        struct roofline *roofline)
{
    const struct sums *sums = &kernel->whole.sums;
    const hx_host_peaks *peaks = &profile->peaks;
    if (!peaks->size || !(sums->flop_count > 0) || !(sums->wall_ns > 0))
        return false;
    const struct hosted_roof memory = hosted_roof(profile, kernel);
    const double peak = profile->result.workers <= 1 ? peaks->f32_flops.one : peaks->f32_flops.all;
    *roofline = (struct roofline){.flops = sums->flop_count / sums->wall_ns * 1e9,
                                  .bytes = sums->global_bytes / sums->wall_ns * 1e9,
                                  .intensity = sums->flop_count / sums->global_bytes,
                                  .peak = peak,
                                  .roof = fmin(memory.flops, peak),
                                  .level = memory.flops < peak ? memory.level : HX_HOST_LEVELS};
    return true;
}

void report_prediction(const hx_profile *profile, struct text *out)
{
    const hx_cost_prediction *sum = &profile->predicted;
    char predicted[FIGURE_BYTES], measured[FIGURE_BYTES];
    const double wall = measured_ns(profile);
    if (!profile->has_prediction)
        return;
    text_print(out, "costs    predicted %s", figure_time(sum->ns, predicted));
    if (wall > 0)
        text_print(out, ", measured %s, unexplained %.0f %%", figure_time(wall, measured),
                   (wall - sum->ns) / wall * 100);
    text_append(out, "\n", 1);
    if (sum->left_out > 0)
        text_print(out, "         without %llu issues of forms that the file lacks, %s the first\n",
                   (unsigned long long)sum->left_out, sum->first_left_out);
}

void report_roofline(const hx_profile *profile, size_t kernel, struct text *out)
{
    const struct profile_kernel *one = &profile->kernels[kernel];
    struct roofline roofline;
    if (!roofline_of(profile, one, &roofline))
        return;
    text_print(out, "  roofline: %.3g GFLOP/s are %.1f %% of %.3g, which ", roofline.flops / 1e9,
               roofline.flops / roofline.roof * 100, roofline.roof / 1e9);
    if (roofline.level == HX_HOST_LEVELS)
        text_print(out, "is the arithmetic's peak\n");
    else
        text_print(out, "%s allows at this intensity\n", hx_host_level_name(roofline.level));
    const hx_metric *metric = hx_metric_at(hx_metric_find("bytes"));
    const char *before = "    bytes from";
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        char bytes[FIGURE_BYTES];
        if (profile->peaks.memory[level].bytes == 0)
            continue;
        text_print(out, "%s %s %s", before, hx_host_level_name((hx_host_level)level),
                   figure_format(metric, one->host_bytes[level], 15, bytes));
        before = ",";
    }
    text_append(out, "\n", 1);
}

static void put_prediction(struct json *json, const hx_cost_prediction *prediction)
{
    json_member_f64(json, "ns", prediction->ns);
    json_member_u64(json, "issues", prediction->issues);
    json_member_u64(json, "left_out", prediction->left_out);
}

static void put_predictions(const hx_profile *profile, struct json *json)
{
    const double wall = measured_ns(profile);
    json_open_object(json);
    put_prediction(json, &profile->predicted);
    json_member_f64(json, "measured_ns", wall);
    json_member_f64(json, "unexplained_share", (wall - profile->predicted.ns) / wall);
    json_member_array(json, "kernels");
    for (size_t k = 0; k < profile->kernel_count; k++) {
        json_open_object(json);
        json_member_str(json, "name", profile->kernels[k].view.name);
        put_prediction(json, &profile->kernels[k].predicted);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

static void put_rate(struct json *json, const char *key, const hx_host_rate *rate)
{
    json_member_object(json, key);
    json_member_f64(json, "one", rate->one);
    json_member_f64(json, "all", rate->all);
    json_close_object(json);
}

static void put_memory(struct json *json, const hx_host_peaks *peaks)
{
    json_member_object(json, "memory");
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        if (peaks->memory[level].bytes == 0)
            continue;
        json_member_object(json, hx_host_level_name((hx_host_level)level));
        for (int way = 0; way < HX_HOST_WAYS; way++)
            put_rate(json, hx_host_way_name((hx_host_way)way), &peaks->memory[level].rates[way]);
        json_close_object(json);
    }
    json_close_object(json);
}

/* The roofs of the levels that gave any bytes. */
static void put_levels(const hx_profile *profile, const struct profile_kernel *kernel, struct json *json)
{
    json_member_array(json, "levels");
    for (int level = 0; level < HX_HOST_LEVELS; level++) {
        const double bytes = kernel->host_bytes[level];
        if (!(bytes > 0))
            continue;
        json_open_object(json);
        json_member_str(json, "name", hx_host_level_name((hx_host_level)level));
        json_member_f64(json, "bytes", bytes);
        json_member_f64(json, "arithmetic_intensity", kernel->whole.sums.flop_count / bytes);
        json_member_f64(json, "roof_flops_per_second",
                        hosted_level_roof(profile, kernel, (hx_host_level)level));
        json_close_object(json);
    }
    json_close_array(json);
}

static void put_host(const hx_profile *profile, struct json *json)
{
    json_open_object(json);
    put_rate(json, "f32_flops", &profile->peaks.f32_flops);
    put_rate(json, "f64_flops", &profile->peaks.f64_flops);
    put_memory(json, &profile->peaks);
    json_member_array(json, "kernels");
    for (size_t k = 0; k < profile->kernel_count; k++) {
        struct roofline roofline;
        if (!roofline_of(profile, &profile->kernels[k], &roofline))
            continue;
        json_open_object(json);
        json_member_str(json, "name", profile->kernels[k].view.name);
        json_member_f64(json, "flops_per_second", roofline.flops);
        json_member_f64(json, "bytes_per_second", roofline.bytes);
        json_member_f64(json, "arithmetic_intensity", roofline.intensity);
        json_member_f64(json, "roof_flops_per_second", roofline.roof);
        json_member_f64(json, "share_of_roof", roofline.flops / roofline.roof);
        json_member_str(json, "bound",
                        roofline.level == HX_HOST_LEVELS ? "arithmetic" : hx_host_level_name(roofline.level));
        put_levels(profile, &profile->kernels[k], json);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

void report_put_prediction(const hx_profile *profile, struct json *json)
{
    json_key(json, "prediction");
    if (profile->has_prediction)
        put_predictions(profile, json);
    else
        json_none(json);
    json_key(json, "host");
    if (profile->peaks.size)
        put_host(profile, json);
    else
        json_none(json);
}
