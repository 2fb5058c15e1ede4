/* Descriptions of GPUs.
 *
 * Takes a YAML file, leaves a struct gpu whose sizes fit together. Every number of the file is a row of one
 * table: its path, its kind, its bounds and its member. The bounds keep what the models multiply within 64
 * bits, so that they need no checks of their own. */
#include "gpu/gpu.h"

#include "base/file.h"
#include "gpu/embedded.h"

#include <stdio.h>
#include <string.h>

const char gpu_default[] = "a100";

struct words {
    char **items;
    uint32_t count;
};
struct yaml_sm {
    char *schedulers, *warps, *threads, *blocks, *block_threads, *registers, *thread_registers,
        *register_unit;
};
struct yaml_shared {
    struct words sizes;
    char *block_bytes, *unit_bytes, *reserved_bytes, *latency, *bytes_per_clock;
};
struct yaml_cache {
    char *bytes, *sets, *ways, *latency, *bytes_per_clock;
};
struct yaml_dram {
    char *gbps, *latency;
};
struct yaml_unit {
    char *rate, *latency;
};
struct yaml_units {
    struct yaml_unit items[GPU_UNIT_COUNT];
};
struct yaml_gpu {
    char *key, *name, *capability, *clock_mhz, *sms, *line_bytes, *sector_bytes;
    struct yaml_sm sm;
    struct yaml_shared shared;
    struct yaml_cache l1, l2;
    struct yaml_dram dram;
    struct yaml_units units;
};

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

#define TEXT(key, type, member)                                                                              \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 0, CYAML_UNLIMITED)
#define MAPPING(key, member, fields)                                                                         \
    CYAML_FIELD_MAPPING(key, CYAML_FLAG_DEFAULT, struct yaml_gpu, member, fields)

#define SM_FIELD(name) TEXT(#name, struct yaml_sm, name)
static const cyaml_schema_field_t sm_fields[] = {
    SM_FIELD(schedulers),       SM_FIELD(warps),         SM_FIELD(threads),
    SM_FIELD(blocks),           SM_FIELD(block_threads), SM_FIELD(registers),
    SM_FIELD(thread_registers), SM_FIELD(register_unit), CYAML_FIELD_END};
static const cyaml_schema_field_t shared_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("sizes", CYAML_FLAG_POINTER, struct yaml_shared, sizes.items, sizes.count,
                               &word_schema, 1, 64),
    TEXT("block_bytes", struct yaml_shared, block_bytes),
    TEXT("unit_bytes", struct yaml_shared, unit_bytes),
    TEXT("reserved_bytes", struct yaml_shared, reserved_bytes),
    TEXT("latency", struct yaml_shared, latency),
    CYAML_FIELD_STRING_PTR("bytes_per_clock", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_shared,
                           bytes_per_clock, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
#define CACHE_FIELDS(shape)                                                                                  \
    {                                                                                                        \
        TEXT("bytes", struct yaml_cache, bytes), TEXT(#shape, struct yaml_cache, shape),                     \
            TEXT("latency", struct yaml_cache, latency),                                                     \
            TEXT("bytes_per_clock", struct yaml_cache, bytes_per_clock), CYAML_FIELD_END                     \
    }
static const cyaml_schema_field_t l1_fields[] = CACHE_FIELDS(sets), l2_fields[] = CACHE_FIELDS(ways);
static const cyaml_schema_field_t dram_fields[] = {
    TEXT("gbps", struct yaml_dram, gbps), TEXT("latency", struct yaml_dram, latency), CYAML_FIELD_END};
static const cyaml_schema_field_t unit_fields[] = {
    TEXT("rate", struct yaml_unit, rate),
    CYAML_FIELD_STRING_PTR("latency", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct yaml_unit, latency, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_field_t units_fields[] = {
#define UNIT_FIELD(NAME, name)                                                                               \
    CYAML_FIELD_MAPPING(#name, CYAML_FLAG_DEFAULT, struct yaml_units, items[GPU_##NAME], unit_fields),
    GPU_UNITS(UNIT_FIELD)
#undef UNIT_FIELD
        CYAML_FIELD_END};
static const cyaml_schema_field_t gpu_fields[] = {TEXT("gpu", struct yaml_gpu, key),
                                                  TEXT("name", struct yaml_gpu, name),
                                                  TEXT("capability", struct yaml_gpu, capability),
                                                  TEXT("clock_mhz", struct yaml_gpu, clock_mhz),
                                                  TEXT("sms", struct yaml_gpu, sms),
                                                  MAPPING("sm", sm, sm_fields),
                                                  MAPPING("shared", shared, shared_fields),
                                                  TEXT("line_bytes", struct yaml_gpu, line_bytes),
                                                  TEXT("sector_bytes", struct yaml_gpu, sector_bytes),
                                                  MAPPING("l1", l1, l1_fields),
                                                  MAPPING("l2", l2, l2_fields),
                                                  MAPPING("dram", dram, dram_fields),
                                                  MAPPING("units", units, units_fields),
                                                  CYAML_FIELD_END};
static const cyaml_schema_value_t gpu_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_gpu, gpu_fields)};

const cyaml_schema_value_t *gpu_document_schema(void)
{
    return &gpu_schema;
}

#define BYTES_MAX                                                                                            \
    ((uint64_t)1 << 30) /* of a cache: well above any, and its lines can be counted in 32 bits */
#define LATENCY_MAX 1e6
/* Without another figure: a word of 4 bytes of each of 32 banks (CUDA C++ Programming Guide, Shared Memory).
 */
#define SHARED_BYTES_PER_CLOCK 128.0

enum number_kind { WHOLE, POWER_OF_TWO, REAL };
static const struct number_row {
    const char *path;
    enum number_kind kind;
    double minimum, maximum;
    size_t offset;
} numbers[] = {
#define ROW(path, kind, minimum, maximum, member)                                                            \
    {path, kind, minimum, maximum, offsetof(struct gpu, member)},
    /* clang-format off */
    ROW("/clock_mhz",             REAL,         1, 1e6,         clock_mhz)
    ROW("/sms",                   WHOLE,        1, 4096,        sms)
    ROW("/sm/schedulers",         WHOLE,        1, 64,          sm.schedulers)
    ROW("/sm/warps",              WHOLE,        1, 4096,        sm.warps)
    ROW("/sm/threads",            WHOLE,        1, 65536,       sm.threads)
    ROW("/sm/blocks",             WHOLE,        1, 4096,        sm.blocks)
    ROW("/sm/block_threads",      WHOLE,        1, 65536,       sm.block_threads)
    ROW("/sm/registers",          WHOLE,        1, 1 << 30,     sm.registers)
    ROW("/sm/thread_registers",   WHOLE,        1, 65536,       sm.thread_registers)
    ROW("/sm/register_unit",      WHOLE,        1, 65536,       sm.register_unit)
    ROW("/shared/block_bytes",    WHOLE,        0, BYTES_MAX,   shared.block_bytes)
    ROW("/shared/unit_bytes",     WHOLE,        1, BYTES_MAX,   shared.unit_bytes)
    ROW("/shared/reserved_bytes", WHOLE,        0, BYTES_MAX,   shared.reserved_bytes)
    ROW("/shared/latency",        REAL,         0, LATENCY_MAX, shared.latency)
    ROW("/shared/bytes_per_clock", REAL, 0.001, 1e9,        shared.bytes_per_clock)
    ROW("/line_bytes",            POWER_OF_TWO, 16, 4096,       line_bytes)
    ROW("/sector_bytes",          POWER_OF_TWO, 1, 4096,        sector_bytes)
    ROW("/l1/bytes",              WHOLE,        1, BYTES_MAX,   l1.bytes)
    ROW("/l1/sets",               WHOLE,        1, BYTES_MAX,   l1.sets)
    ROW("/l1/latency",            REAL,         0, LATENCY_MAX, l1.latency)
    ROW("/l1/bytes_per_clock",    REAL,     0.001, 1e9,         l1.bytes_per_clock)
    ROW("/l2/bytes",              WHOLE,        1, BYTES_MAX,   l2.bytes)
    ROW("/l2/ways",               WHOLE,        1, BYTES_MAX,   l2.ways)
    ROW("/l2/latency",            REAL,         0, LATENCY_MAX, l2.latency)
    ROW("/l2/bytes_per_clock",    REAL,     0.001, 1e9,         l2.bytes_per_clock)
    ROW("/dram/gbps",             REAL,     0.001, 1e9,         dram.gbps)
    ROW("/dram/latency",          REAL,         0, LATENCY_MAX, dram.latency)
#define UNIT_ROWS(NAME, name)                                       \
    ROW("/units/" #name "/rate",    REAL, 0.001, 1e6,         units[GPU_##NAME].rate) \
    ROW("/units/" #name "/latency", REAL, 0,     LATENCY_MAX, units[GPU_##NAME].latency)
    GPU_UNITS(UNIT_ROWS)
/* clang-format on */
#undef UNIT_ROWS
#undef ROW
};

struct reading {
    struct gpu *gpu;
    hx_diag *diag;
    hx_status status; /* of the first problem; HX_NO_MEMORY comes first */
};

static void note(struct reading *reading, hx_status status)
{
    if (reading->status == HX_OK || status == HX_NO_MEMORY)
        reading->status = status;
}

static void read_real(struct reading *reading, const struct number_row *row, const struct yaml_node *node)
{
    double value = 0;
    const hx_status status = yaml_number_f64(node, reading->diag, &value);
    note(reading, status);
    if (status != HX_OK)
        return;
    if (value >= row->minimum && value <= row->maximum) { /* NaN is not */
        *(double *)((char *)reading->gpu + row->offset) = value;
        return;
    }
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a number from %g to %g", row->minimum, row->maximum);
    note(reading, yaml_number_problem(reading->diag, node->place, node->text, NUMBER_OUT_OF_RANGE, wanted));
}

static void read_number(struct reading *reading, const struct number_row *row, const struct yaml_node *node)
{
    if (row->kind == REAL) {
        read_real(reading, row, node);
        return;
    }
    uint64_t value = 0;
    const hx_status status =
        yaml_number_u64(node, reading->diag, (uint64_t)row->minimum, (uint64_t)row->maximum, &value);
    note(reading, status);
    if (status != HX_OK)
        return;
    if (row->kind == POWER_OF_TWO && (value & (value - 1)) != 0) {
        uint64_t below = 1;
        while (below * 2 < value)
            below *= 2;
        char hint[64];
        snprintf(hint, sizeof hint, "%llu or %llu", (unsigned long long)below, (unsigned long long)below * 2);
        note(reading, diag_report(reading->diag, DIAG_GPU_SIZE, node->place, hint,
                                  "%llu is not a power of two", (unsigned long long)value));
    }
    *(uint64_t *)((char *)reading->gpu + row->offset) = value;
}

static void read_sizes(struct reading *reading, const struct yaml_node *list)
{
    struct gpu *gpu = reading->gpu;
    gpu->shared.sizes = ARENA_ARRAY(&gpu->arena, uint64_t, list->count);
    if (!gpu->shared.sizes) {
        note(reading, diag_no_memory(reading->diag));
        return;
    }
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        uint64_t value = 0;
        note(reading, yaml_number_u64(node, reading->diag, 0, BYTES_MAX, &value));
        if (reading->status == HX_OK && gpu->shared.size_count > 0 && value <= gpu_shared_most(gpu))
            note(reading, diag_report(reading->diag, DIAG_GPU_SIZE, node->place, "sort the sizes, each once",
                                      "%llu stands behind %llu, and sizes ascend", (unsigned long long)value,
                                      (unsigned long long)gpu_shared_most(gpu)));
        gpu->shared.sizes[gpu->shared.size_count++] = value;
    }
}

static void HX_PRINTF(3, 4)
    refuse(struct reading *reading, const struct yaml_node *node, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    text_format(message, sizeof message, format, arguments);
    va_end(arguments);
    note(reading, diag_report(reading->diag, DIAG_GPU_SIZE, yaml_place(node), NULL, "%s", message));
}

static void check_caches(struct reading *reading, const struct yaml_document *document)
{
    const struct gpu *gpu = reading->gpu;
    const unsigned long long line = gpu->line_bytes, most = gpu_shared_most(gpu);
    if (gpu->sector_bytes > line || line / gpu->sector_bytes > GPU_SECTORS_MAX)
        refuse(reading, yaml_find(document, "/sector_bytes"),
               "a line of %llu bytes has 1 to %u sectors, of %llu to %llu bytes", line, GPU_SECTORS_MAX,
               line / GPU_SECTORS_MAX ? line / GPU_SECTORS_MAX : 1, line);
    if (gpu->l1.bytes % line != 0)
        refuse(reading, yaml_find(document, "/l1/bytes"), "the L1 cache is no multiple of %llu bytes, a line",
               line);
    if (most > gpu->l1.bytes || gpu->l1.bytes - most < gpu->l1.sets * line)
        refuse(
            reading, yaml_find(document, "/l1/bytes"),
            "shared memory takes up to %llu of these bytes, and %llu sets of lines of %llu bytes do not fit "
            "what is left",
            most, (unsigned long long)gpu->l1.sets, line);
    if (gpu->l2.ways * line > gpu->l2.bytes || gpu->l2.bytes % (gpu->l2.ways * line) != 0)
        refuse(reading, yaml_find(document, "/l2/bytes"),
               "the L2 cache is no multiple of %llu bytes: %llu ways of lines of %llu",
               (unsigned long long)gpu->l2.ways * line, (unsigned long long)gpu->l2.ways, line);
}

static void check_sizes(struct reading *reading, const struct yaml_document *document)
{
    const struct gpu *gpu = reading->gpu;
    if (gpu->shared.block_bytes > gpu_shared_most(gpu))
        refuse(reading, yaml_find(document, "/shared/block_bytes"),
               "a block cannot have more shared memory than an SM, %llu bytes",
               (unsigned long long)gpu_shared_most(gpu));
    if (gpu->sm.block_threads > gpu->sm.threads)
        refuse(reading, yaml_find(document, "/sm/block_threads"),
               "a block cannot have more threads than an SM, %llu", (unsigned long long)gpu->sm.threads);
    if (gpu->sm.register_unit > gpu->sm.registers / gpu->sm.schedulers)
        refuse(reading, yaml_find(document, "/sm/register_unit"),
               "a scheduler of the SM has %llu registers, less than this",
               (unsigned long long)(gpu->sm.registers / gpu->sm.schedulers));
    check_caches(reading, document);
}

static hx_status read_gpu(struct gpu *gpu, const struct yaml_document *document, const struct yaml_gpu *from,
                          hx_diag *diag)
{
    struct reading reading = {gpu, diag, HX_OK};
    gpu->key = from->key;
    gpu->name = from->name;
    gpu->capability = from->capability;
    gpu->shared.bytes_per_clock = SHARED_BYTES_PER_CLOCK;
    for (size_t i = 0; i < HX_COUNT_OF(numbers); i++) {
        const struct yaml_node *node = yaml_find(document, "%s", numbers[i].path);
        if (node) /* else it is optional: the schema requires the others */
            read_number(&reading, &numbers[i], node);
    }
    read_sizes(&reading, yaml_find(document, "/shared/sizes"));
    if (reading.status == HX_OK)
        check_sizes(&reading, document);
    return reading.status;
}

hx_status gpu_load_text(const char *name, const char *yaml, size_t bytes, const hx_allocator *allocator,
                        hx_diag *diag, struct gpu **ret_gpu)
{
    struct gpu *gpu = memory_allocate(allocator, 1, sizeof *gpu);
    if (!gpu)
        return diag_no_memory(diag);
    arena_init(&gpu->arena, allocator);
    struct source *source = ARENA_NEW(&gpu->arena, struct source);
    struct yaml_document *document = NULL;
    void *data = NULL;
    hx_status status;
    if (source && (source->text = arena_copy(&gpu->arena, yaml, bytes)) &&
        (source->name = arena_copy(&gpu->arena, name, strlen(name)))) {
        source->bytes = bytes;
        status = yaml_document_read(&gpu->arena, diag, source, NULL, &document);
    } else {
        status = diag_no_memory(diag);
    }
    if (status == HX_OK)
        status = yaml_load(document, &gpu_schema, &gpu->arena, diag, &data);
    if (status == HX_OK)
        status = read_gpu(gpu, document, data, diag);
    if (status != HX_OK) {
        gpu_free(gpu);
        return status;
    }
    *ret_gpu = gpu;
    return HX_OK;
}

static bool is_file_name(struct slice name)
{
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] == '/')
            return true;
    return (name.length > 5 && slice_equal((struct slice){name.at + name.length - 5, 5}, ".yaml")) ||
           (name.length > 4 && slice_equal((struct slice){name.at + name.length - 4, 4}, ".yml"));
}

static const char *next_name(void *user, size_t index)
{
    (void)user;
    return gpu_name_at(index);
}

static hx_status report_unknown(const char *name, const hx_allocator *allocator, hx_diag *diag)
{
    const char *near = text_suggest(slice_of(name), next_name, NULL);
    HX_AUTO(text_done) struct text hint = {.allocator = allocator};
    text_print(&hint, near ? "did you mean '%s'? GPUs are" : "GPUs are", near);
    for (size_t i = 0; gpu_name_at(i); i++)
        text_print(&hint, "%s %s", i ? "," : "", gpu_name_at(i));
    text_print(&hint, "; or name a file");
    if (hint.failed)
        return diag_no_memory(diag);
    return diag_report(diag, DIAG_GPU_UNKNOWN, (struct place){0}, hint.at, "there is no GPU '%s'", name);
}

hx_status gpu_load(const char *name, const hx_allocator *allocator, hx_diag *diag, struct gpu **ret_gpu)
{
    name = name ? name : gpu_default;
    for (const struct embedded_file *file = gpu_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return gpu_load_text(file->name, file->text, *file->bytes, allocator, diag, ret_gpu);
    if (!is_file_name(slice_of(name)))
        return report_unknown(name, allocator, diag);
    char *bytes;
    size_t size;
    hx_status status =
        file_read(name, FILE_TEXT_LIMIT_BYTES, allocator, diag, (struct place){0}, &bytes, &size);
    if (status != HX_OK)
        return status;
    status = gpu_load_text(name, bytes, size, allocator, diag, ret_gpu);
    memory_free(allocator, bytes);
    return status;
}

void gpu_free(struct gpu *gpu)
{
    if (!gpu)
        return;
    const hx_allocator *allocator = gpu->arena.allocator;
    arena_done(&gpu->arena);
    memory_free(allocator, gpu);
}

const char *gpu_name_at(size_t index)
{
    size_t i = 0;
    while (i < index && gpu_files[i].name)
        i++;
    return gpu_files[i].name;
}

const char *gpu_unit_name(enum gpu_unit_kind unit)
{
    static const char *const names[] = {
#define UNIT_NAME(NAME, name) #name,
        GPU_UNITS(UNIT_NAME)
#undef UNIT_NAME
    };
    return names[unit];
}
