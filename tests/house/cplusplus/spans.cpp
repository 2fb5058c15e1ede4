// A host program in C++ that traces: its spans and events come to its sink, with their fields.
#include <hexec/hexec.h>

#include <cstdio>
#include <cstring>

namespace {

struct seen {
    int spans, events, perf;
    unsigned long long bytes;
};

void keep(void *user, const hx_trace_record *record)
{
    seen *counted = static_cast<seen *>(user);
    if (std::strncmp(record->target, "host", 4) != 0 && std::strcmp(record->name, "phase") != 0)
        return;
    counted->spans += record->kind == HX_RECORD_SPAN;
    counted->events += record->kind == HX_RECORD_EVENT;
    counted->perf += record->kind == HX_RECORD_PERF;
    for (size_t i = 0; i < record->field_count; i++)
        if (std::strcmp(record->fields[i].name, "bytes") == 0)
            counted->bytes += record->fields[i].value.u64;
}

int work(int turn)
{
    HX_SPAN(HX_DEBUG, "host::work", "turn", HX_I64("turn", turn), HX_STR("name", "work"), HX_U64("bytes", 16u));
    HX_PERF_SPAN("phase", HX_BOOL("is_even", turn % 2 == 0));
    HX_EVENT(HX_INFO, "host::work", "half", HX_F64("share", 0.5));
    HX_EVENT(HX_INFO, "host::work", "done");
    if (turn == 2)
        throw turn; // a span ends with its scope, however that is left
    return turn;
}

} // namespace

int main()
{
    seen counted = {0, 0, 0, 0};
    hx_trace_options options = hx_trace_options();
    options.size = sizeof options;
    options.no_log = 1;
    options.perf = 1;
    if (hx_trace_init(&options, NULL) != HX_OK || hx_trace_add_sink(keep, &counted) != HX_OK)
        return 1;
    try {
        for (int turn = 0; turn < 9; turn++)
            work(turn);
    } catch (int) {
    }
    if (hx_trace_finish(NULL) != HX_OK)
        return 1;
    std::printf("%d spans, %d events, %d perf spans, %llu bytes\n", counted.spans, counted.events, counted.perf,
                counted.bytes);
    return 0;
}
