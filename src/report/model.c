/* What the models say, for people and in the document.
 *
 * Takes sums of a kernel, leaves a section of text or an object: the parts of the modelled time, what limits
 * occupancy and what would raise it, and where the bytes of each buffer came from. */
#include "profile/modelled.h"

#include "profile/metrics.h"
#include "report/figures.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#define BAR_WIDTH 10

static const struct profile_modelled *modelled_of(const struct profile_kernel *kernel)
{
    return kernel->modelled && kernel->modelled->first.kernel ? kernel->modelled : NULL;
}

static void print_parts(const struct profile_modelled *modelled, struct text *out)
{
    char time[FIGURE_BYTES];
    const enum timing_part bound = modelled_bound(modelled);
    text_print(out, "  time      %s, bound by %s\n", figure_time(modelled->ns, time),
               timing_part_name(bound));
    for (int i = 0; i < TIMING_PART_COUNT; i++) {
        const double share = modelled->ns > 0 ? modelled->parts_ns[i] / modelled->ns : 0;
        text_print(out, "    %-8s%10s ", timing_part_name((enum timing_part)i),
                   figure_time(modelled->parts_ns[i], time));
        figure_bar(out, share, BAR_WIDTH);
        if (i == TIMING_UNIT)
            text_print(out, "  units for %s\n", gpu_unit_name(modelled->first.timing.unit));
        else
            text_print(out, "  %s\n", timing_part_help((enum timing_part)i));
    }
    text_print(out, "    %-8s%10s %*s  before the first warp and behind the last\n", "fill",
               figure_time(modelled->fill_ns, time), BAR_WIDTH, "");
}

static void print_advice(const struct model_launch *first, struct text *out)
{
    const struct occupancy *occupancy = &first->occupancy;
    if (occupancy->registers_for_more != OCCUPANCY_NONE)
        text_print(out, "    more with at most %llu registers a thread\n",
                   (unsigned long long)occupancy->registers_for_more);
    if (occupancy->shared_bytes_for_more != OCCUPANCY_NONE)
        text_print(out, "    more with at most %llu bytes of shared memory a block\n",
                   (unsigned long long)occupancy->shared_bytes_for_more);
    if (occupancy->block_threads_for_more != OCCUPANCY_NONE)
        text_print(out, "    more with blocks of %llu threads\n",
                   (unsigned long long)occupancy->block_threads_for_more);
}

static void print_occupancy(const struct profile_modelled *modelled, uint64_t sms, struct text *out)
{
    const struct model_launch *first = &modelled->first;
    const struct occupancy *occupancy = &first->occupancy;
    if (occupancy->blocks == 0)
        text_print(out,
                   "  occupancy the GPU cannot hold a block of %u threads with %u registers and\n"
                   "    %llu bytes of shared memory: the figures are those of one block an SM\n",
                   first->block_threads, first->registers, (unsigned long long)first->shared_bytes);
    else
        text_print(out, "  occupancy %.0f %%: %llu blocks of %u threads an SM, limited by %s\n",
                   occupancy->share * 100, (unsigned long long)occupancy->blocks, first->block_threads,
                   occupancy_limit_name(occupancy->limit));
    print_advice(first, out);
    text_print(out, "    %u registers a thread; %llu KiB of L1 and %llu KiB of shared memory an SM\n",
               first->registers, (unsigned long long)occupancy->l1_bytes / 1024,
               (unsigned long long)occupancy->shared_size / 1024);
    if (occupancy->blocks == 0)
        return;
    text_print(out, "  achieved  %.0f %%: %llu block%s for %llu places in %llu round%s",
               modelled->achieved_ns / modelled->ns * 100, (unsigned long long)first->blocks,
               first->blocks == 1 ? "" : "s", (unsigned long long)(occupancy->blocks * sms),
               (unsigned long long)first->timing.rounds, first->timing.rounds == 1 ? "" : "s");
    if (occupancy->busy_sms < sms)
        text_print(out, ", on %llu of %llu SMs", (unsigned long long)occupancy->busy_sms,
                   (unsigned long long)sms);
    text_append(out, "\n", 1);
}

static void print_buffers(const hx_profile *profile, const struct profile_kernel *kernel, struct text *out)
{
    static const char *const metrics[] = {"l1_hit_rate", "l2_hit_rate", "l2_traffic_bytes", "dram_bytes"};
    text_print(out, "  %-24s", "buffer");
    for (size_t i = 0; i < HX_COUNT_OF(metrics); i++) {
        text_append(out, " ", 1);
        figure_cell(out, hx_metric_at(hx_metric_find(metrics[i]))->title, 11, true);
    }
    text_append(out, "\n", 1);
    for (size_t b = 0; b < kernel->view.buffers; b++) {
        if (kernel->modelled->buffers[b].requests == 0 && kernel->modelled->buffers[b].written_sectors == 0)
            continue;
        text_append(out, "  ", 2);
        figure_cell(out, profile->buffer_names[b], 24, false);
        for (size_t i = 0; i < HX_COUNT_OF(metrics); i++) {
            const uint32_t metric = hx_metric_find(metrics[i]);
            const hx_metric_value value = metrics_value(metric, &kernel->buffer_measures[b]);
            char figure[FIGURE_BYTES];
            text_append(out, " ", 1);
            figure_cell(out, value.why ? "-" : figure_format(hx_metric_at(metric), value.value, 11, figure),
                        11, true);
        }
        text_append(out, "\n", 1);
    }
}

void report_model(const hx_profile *profile, const struct profile_kernel *kernel, struct text *out)
{
    const struct profile_modelled *modelled = modelled_of(kernel);
    if (!modelled)
        return;
    print_parts(modelled, out);
    print_occupancy(modelled, profile->gpu->sms, out);
    print_buffers(profile, kernel, out);
}

static void put_count(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    if (value == OCCUPANCY_NONE)
        json_none(json);
    else
        json_u64(json, value);
}

static void put_occupancy(const struct profile_modelled *modelled, struct json *json)
{
    const struct model_launch *first = &modelled->first;
    const struct occupancy *occupancy = &first->occupancy;
    json_member_object(json, "occupancy");
    json_member_f64(json, "share", occupancy->share);
    json_member_f64(json, "achieved", modelled->achieved_ns / modelled->ns);
    put_count(json, "busy_sms", occupancy->busy_sms);
    put_count(json, "blocks", occupancy->blocks);
    put_count(json, "warps", occupancy->warps);
    json_member_str(json, "limit", occupancy_limit_name(occupancy->limit));
    json_member_object(json, "limits");
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        put_count(json, occupancy_limit_name((enum occupancy_limit)i), occupancy->limits[i]);
    json_close_object(json);
    put_count(json, "registers", first->registers);
    put_count(json, "shared_bytes", first->shared_bytes);
    put_count(json, "l1_bytes", occupancy->l1_bytes);
    put_count(json, "registers_for_more", occupancy->registers_for_more);
    put_count(json, "shared_bytes_for_more", occupancy->shared_bytes_for_more);
    put_count(json, "block_threads_for_more", occupancy->block_threads_for_more);
    json_close_object(json);
}

void report_put_model(const hx_profile *profile, const struct profile_kernel *kernel, struct json *json)
{
    const struct profile_modelled *modelled = modelled_of(kernel);
    json_key(json, "model");
    if (!modelled) {
        json_none(json);
        return;
    }
    json_open_object(json);
    json_member_str(json, "gpu", profile->gpu->key);
    json_member_f64(json, "ns", modelled->ns);
    json_member_f64(json, "fill_ns", modelled->fill_ns);
    json_member_str(json, "bound", timing_part_name(modelled_bound(modelled)));
    json_member_str(json, "unit", gpu_unit_name(modelled->first.timing.unit));
    json_member_array(json, "parts");
    for (int i = 0; i < TIMING_PART_COUNT; i++) {
        json_open_object(json);
        json_member_str(json, "name", timing_part_name((enum timing_part)i));
        json_member_f64(json, "ns", modelled->parts_ns[i]);
        json_close_object(json);
    }
    json_close_array(json);
    json_member_f64(json, "peak_gflops", timing_peak_gflops(profile->gpu));
    json_member_f64(json, "peak_dram_gbps", profile->gpu->dram.gbps);
    put_occupancy(modelled, json);
    json_close_object(json);
}
