/* Nanoseconds that one issue of a micro-op over 256 lanes takes, for a dozen rows, on every CPU level of this
 * machine: full, and masked with every other lane active. To see whether a row vectorises, not to compare
 * machines: it takes the best of many runs, over rows that stay in the first-level cache.
 *
 * usage: bench_handlers [ROW...] */
#include "base/machine.h"
#include "exec/op.h"

#include <stdio.h>
#include <string.h>

#define ROW_BYTES (GANG_LANES_MAX * 8)
#define ISSUES    2000
#define RUNS      40

static const struct {
    int semantic;
    enum hx_type type, from;
    uint8_t cells[6]; /* bytes of d, e, a, b, c, f */
} rows[] = {
    {SEM_mov, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_add, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_add, HX_TYPE_I8, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_add, HX_TYPE_U64, HX_TYPE_NONE, {8, 0, 8, 8}},
    {SEM_mad, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_mulhi, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_mulw, HX_TYPE_U32, HX_TYPE_NONE, {8, 0, 4, 4}},
    {SEM_madw, HX_TYPE_I32, HX_TYPE_NONE, {8, 0, 4, 4, 8}},
    {SEM_div, HX_TYPE_I32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_rem, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_div, HX_TYPE_U64, HX_TYPE_NONE, {8, 0, 8, 8}},
    {SEM_shl, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_shr, HX_TYPE_I64, HX_TYPE_NONE, {8, 0, 8, 4}},
    {SEM_shr, HX_TYPE_U64, HX_TYPE_NONE, {8, 0, 8, 4}},
    {SEM_shr, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_mul, HX_TYPE_U64, HX_TYPE_NONE, {8, 0, 8, 8}},
    {SEM_min, HX_TYPE_I32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_shf_l_wrap, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_lop3, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_bfe, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_clz, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_popc, HX_TYPE_U64, HX_TYPE_NONE, {4, 0, 8}},
    {SEM_prmt, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_addc, HX_TYPE_U32, HX_TYPE_NONE, {4, 1, 4, 4, 1}},
    {SEM_sel, HX_TYPE_U32, HX_TYPE_NONE, {4, 0, 4, 4, 1}},
    {SEM_setp_lt, HX_TYPE_I32, HX_TYPE_NONE, {1, 0, 4, 4}},
    {SEM_setp_ltu, HX_TYPE_F32, HX_TYPE_NONE, {1, 0, 4, 4}},
    {SEM_setp_eq, HX_TYPE_F64, HX_TYPE_NONE, {1, 0, 8, 8}},
    {SEM_setp_lt, HX_TYPE_F16, HX_TYPE_NONE, {1, 0, 4, 4}},
    {SEM_pand, HX_TYPE_PRED, HX_TYPE_NONE, {1, 0, 1, 1}},
    {SEM_fadd, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_fadd, HX_TYPE_F64, HX_TYPE_NONE, {8, 0, 8, 8}},
    {SEM_fadd, HX_TYPE_F16, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_fadd, HX_TYPE_BF16, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_ffma, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_ffma, HX_TYPE_F64, HX_TYPE_NONE, {8, 0, 8, 8, 8}},
    {SEM_ffma, HX_TYPE_F16, HX_TYPE_NONE, {4, 0, 4, 4, 4}},
    {SEM_fdiv, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_fsqrt, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_frsqrt, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_fmin, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_fadd_directed, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4, 4}},
    {SEM_cvt, HX_TYPE_I32, HX_TYPE_F32, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_U32, HX_TYPE_F32, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_F32, HX_TYPE_I32, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_F32, HX_TYPE_U32, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_F64, HX_TYPE_F32, {8, 0, 4}},
    {SEM_cvt, HX_TYPE_F32, HX_TYPE_F16, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_F16, HX_TYPE_F32, {4, 0, 4}},
    {SEM_cvt, HX_TYPE_U64, HX_TYPE_U32, {8, 0, 4}},
    {SEM_cvt, HX_TYPE_I64, HX_TYPE_F64, {8, 0, 8}},
    {SEM_cvt_rni, HX_TYPE_F32, HX_TYPE_F32, {4, 0, 4}},
    {SEM_ex2, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_log, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_sin, HX_TYPE_F32, HX_TYPE_NONE, {4, 0, 4}},
    {SEM_address, HX_TYPE_U32, HX_TYPE_NONE, {8, 0, 8, 4}},
};

/* How the elements lie, and how their addresses are given. */
enum layout { RUN, ONE, GATHER };
static const char *const layouts[] = {"run", "one", "spread"};
static const char *const forms[] = {"", " indexed", " affine", " same"};
static const struct {
    int semantic;
    enum hx_type type;
    uint8_t cell, bytes;
    enum layout layout;
    enum access_form form;
} accesses[] = {
    {SEM_load_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_ADDRESSED},
    {SEM_load_global, HX_TYPE_U8, 4, 1, RUN, ACCESS_ADDRESSED},
    {SEM_load_global, HX_TYPE_U64, 8, 8, RUN, ACCESS_ADDRESSED},
    {SEM_load_shared, HX_TYPE_U32, 4, 4, ONE, ACCESS_ADDRESSED},
    {SEM_load_shared, HX_TYPE_U32, 4, 4, GATHER, ACCESS_ADDRESSED},
    {SEM_load_shared, HX_TYPE_U64, 8, 8, GATHER, ACCESS_ADDRESSED},
    {SEM_load_shared, HX_TYPE_U8, 4, 1, GATHER, ACCESS_ADDRESSED},
    {SEM_store_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_ADDRESSED},
    {SEM_store_global, HX_TYPE_U64, 8, 8, RUN, ACCESS_ADDRESSED},
    {SEM_store_shared, HX_TYPE_U32, 4, 4, GATHER, ACCESS_ADDRESSED},
    {SEM_load_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_INDEXED},
    {SEM_load_global, HX_TYPE_I8, 4, 1, RUN, ACCESS_INDEXED},
    {SEM_load_shared, HX_TYPE_U32, 4, 4, ONE, ACCESS_INDEXED},
    {SEM_load_global, HX_TYPE_U32, 4, 4, GATHER, ACCESS_INDEXED},
    {SEM_load_global, HX_TYPE_U64, 8, 8, GATHER, ACCESS_INDEXED},
    {SEM_load_global, HX_TYPE_I16, 4, 2, GATHER, ACCESS_INDEXED},
    {SEM_store_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_INDEXED},
    {SEM_store_global, HX_TYPE_U32, 4, 4, GATHER, ACCESS_INDEXED},
    {SEM_store_global, HX_TYPE_U8, 4, 1, GATHER, ACCESS_INDEXED},
    {SEM_load_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_AFFINE},
    {SEM_load_global, HX_TYPE_U64, 8, 8, RUN, ACCESS_AFFINE},
    {SEM_load_shared, HX_TYPE_I8, 4, 1, RUN, ACCESS_AFFINE},
    {SEM_load_shared, HX_TYPE_U32, 4, 4, ONE, ACCESS_AFFINE},
    {SEM_load_shared, HX_TYPE_U32, 4, 4, GATHER, ACCESS_AFFINE},
    {SEM_load_shared, HX_TYPE_U16, 4, 2, GATHER, ACCESS_AFFINE},
    {SEM_store_global, HX_TYPE_U32, 4, 4, RUN, ACCESS_AFFINE},
    {SEM_store_shared, HX_TYPE_U64, 8, 8, RUN, ACCESS_AFFINE},
    {SEM_store_shared, HX_TYPE_U32, 4, 4, GATHER, ACCESS_AFFINE},
    {SEM_load_constant, HX_TYPE_U32, 4, 4, ONE, ACCESS_SAME},
};

_Alignas(64) static char cells[6 * ROW_BYTES];
_Alignas(64) static uint8_t mask_bytes[GANG_LANES_MAX];
static uint64_t mask_bits[GANG_CHUNKS_MAX];
_Alignas(64) static char memory[1 << 14];
static struct memory_window windows = {0x1000, sizeof memory, memory};
static struct affine_part affine_part;

bool memory_resolve(const struct op *op, struct gang *gang, uint32_t chunk, const uint64_t *addresses,
                    uint64_t active, unsigned element_bytes, bool is_store, struct scattered *ret_scattered)
{
    (void)op, (void)gang, (void)chunk, (void)addresses, (void)active, (void)element_bytes, (void)is_store;
    (void)ret_scattered;
    return false; /* no address here is outside of the window */
}
uint64_t special_clock(const struct gang *gang, int semantic)
{
    (void)gang;
    return (uint64_t)semantic;
}

static double best_ns(const struct op *op, op_handler handler)
{
    struct gang gang = {.lanes = GANG_LANES_MAX,
                        .chunks = GANG_CHUNKS_MAX,
                        .mask_bits = mask_bits,
                        .mask_bytes = mask_bytes,
                        .shared = windows,
                        .constant = windows,
                        .affine_parts = &affine_part,
                        .windows = &windows};
    double best = 1e30;
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = machine_now_ns();
        for (int i = 0; i < ISSUES; i++)
            handler(op, &gang, cells);
        const double ns = (double)(machine_now_ns() - start) / ISSUES;
        best = ns < best ? ns : best;
    }
    return best;
}

static char **wanted; /* parts of names; NULL at the end */

static bool is_wanted(const char *name)
{
    for (char **part = wanted; *part; part++)
        if (strstr(name, *part))
            return true;
    return !*wanted;
}

/* One line, unless the command line names other rows. `what` goes behind the row and its types. */
static void print_levels(const struct op *op, int semantic, enum hx_type type, enum hx_type from,
                         enum access_form form, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s%s%s %s%s", semantic_at(semantic)->name, hx_type_name(type),
             from == HX_TYPE_NONE ? "" : ".", from == HX_TYPE_NONE ? "" : hx_type_name(from), what,
             forms[form]);
    if (!is_wanted(name))
        return;
    printf("%-34s", name);
    for (int level = 0; level <= (int)machine_cpu_level(); level++) {
        for (int masked = 0; masked < 2; masked++) {
            const op_handler handler = handlers_at(level)->find(semantic, type, from, form, masked);
            printf(handler ? masked ? " %7.1f" : " %10.1f" : "       -",
                   handler ? best_ns(op, handler) : 0.0);
        }
    }
    printf("\n");
}

/* Numbers between 1 and 2 of the row's type, or small integers. */
static void fill(int row, unsigned cell, enum hx_type type)
{
    for (uint32_t l = 0; l < GANG_LANES_MAX; l++) {
        const float f32 = 1.0f + (float)l / 512;
        const double f64 = f32;
        const uint64_t integer = l % 31 + 1;
        const uint32_t half = type == HX_TYPE_F16 ? 0x3c00 + l : 0x3f80 + l % 64;
        const bool is_half = type == HX_TYPE_F16 || type == HX_TYPE_BF16;
        const void *value = type == HX_TYPE_F32   ? (const void *)&f32
                            : type == HX_TYPE_F64 ? (const void *)&f64
                            : is_half             ? (const void *)&half
                                                  : (const void *)&integer;
        memcpy(cells + row * ROW_BYTES + l * cell, value, cell);
        if (cell == 1)
            cells[row * ROW_BYTES + l] = l & 1;
    }
}

static void bench_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct op op[2] = {{.immediate = 0x96, .rounding = ROUNDING_RM}};
        struct op_row *const places[] = {&op->d, &op->e, &op->a, &op->b, &op->c, &op->f};
        for (int k = 0; k < 6; k++) {
            if (rows[i].cells[k])
                fill(k, rows[i].cells[k], rows[i].from == HX_TYPE_NONE ? rows[i].type : rows[i].from);
            *places[k] = (struct op_row){(uint32_t)(k * ROW_BYTES), 64u * rows[i].cells[k]};
        }
        print_levels(op, rows[i].semantic, rows[i].type, rows[i].from, ACCESS_ADDRESSED, "");
    }
}

/* Row a has addresses, or the window's first; rows c and e indices. */
static void bench_accesses(void)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        const uint32_t cell_step = 64u * accesses[i].cell, bytes = accesses[i].bytes;
        const enum access_form form = accesses[i].form;
        const enum layout layout = accesses[i].layout;
        const bool has_addresses = form == ACCESS_ADDRESSED;
        const struct op op[2] = {{.a = {2 * ROW_BYTES, has_addresses ? 64 * 8 : 0},
                                  .b = {3 * ROW_BYTES, cell_step},
                                  .c = {4 * ROW_BYTES, 64 * 4},
                                  .e = {4 * ROW_BYTES, 64 * 4},
                                  .f = {5 * ROW_BYTES, 0},
                                  .d = {0, cell_step},
                                  .source_type = has_addresses ? HX_TYPE_NONE : HX_TYPE_U32,
                                  .affine_part = form == ACCESS_AFFINE,
                                  .scale_log2 = (uint8_t)__builtin_ctz(bytes),
                                  .align_log2 = (uint8_t)__builtin_ctz(bytes),
                                  .access_bytes = (uint8_t)bytes}};
        affine_part = (struct affine_part){.high = (int32_t)(sizeof memory / bytes) - 1,
                                           .kind = layout == RUN   ? LAYOUT_LANES_IN_RUN
                                                   : layout == ONE ? LAYOUT_GROUPS_AT_ONE
                                                                   : LAYOUT_ANY_LANES};
        memset(cells + 5 * ROW_BYTES, 0, ROW_BYTES);
        for (uint32_t l = 0; l < GANG_LANES_MAX; l++) {
            const uint32_t spread = l * 2654435761u % (uint32_t)(sizeof memory / bytes);
            const uint32_t index = layout == RUN ? l : layout == ONE ? 5 : spread;
            const uint64_t address = windows.low + (has_addresses ? index * bytes : 0);
            memcpy(cells + 2 * ROW_BYTES + l * 8, &address, 8);
            memcpy(cells + 4 * ROW_BYTES + l * 4, &index, 4);
        }
        print_levels(op, accesses[i].semantic, accesses[i].type, HX_TYPE_NONE, form, layouts[layout]);
    }
}

int main(int argc, char **argv)
{
    wanted = argv + (argc > 0);
    for (uint32_t l = 0; l < GANG_LANES_MAX; l++) {
        mask_bytes[l] = l & 1;
        mask_bits[l / 64] |= (uint64_t)(l & 1) << (l % 64);
    }
    printf("%-34s", "ns for 256 lanes");
    for (int level = 0; level <= (int)machine_cpu_level(); level++)
        printf(" %10s  masked", cpu_level_name((enum cpu_level)level));
    printf("\n");
    bench_rows();
    bench_accesses();
    return 0;
}
