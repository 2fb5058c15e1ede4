/* Running tests.
 *
 * Takes a vector file or a program, leaves points. The vectors of a case that can share a program are a batch
 * (those with one immediate, and one constant memory); each batch is run in each mode, and each slot
 * compared. Vectors that end in a fault are run alone. */
#include "base/machine.h"
#include "vectors/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX 4 /* failures of a point that are spelled out */

struct case_run {
    struct file_run *run;
    hx_context *context;
    const struct vector_case *test;
    const struct vector **batch; /* room for all vectors of the case */
    bool *failed;                /* a flag for each vector */
    struct text message;
    size_t reported;
};

bool vectors_wants(const struct file_run *run, const char *name)
{
    return !run->options->filter || strstr(name, run->options->filter);
}

hx_context *vectors_new_context(struct file_run *run, const hx_isa *isa)
{
    const hx_context_options options = {.size = sizeof options,
                                        .isa = isa,
                                        .device = {.size = sizeof options.device,
                                                   .allocator = run->options->allocator,
                                                   .workers = 1,
                                                   .cpu_level = run->options->cpu_level}};
    hx_context *context = NULL;
    run->status = hx_context_new(&options, run->diag, &context);
    return run->status == HX_OK ? context : NULL;
}

void vectors_add_point(struct file_run *run, hx_test_point point)
{
    const char *message = point.message;
    point.file = run->path;
    point.name = arena_copy(&run->arena, point.name, strlen(point.name));
    point.message = message && *message ? arena_copy(&run->arena, message, strlen(message)) : "";
    const bool has_findings = point.findings != NULL;
    if (has_findings)
        point.findings = arena_copy(&run->arena, point.findings, strlen(point.findings));
    if ((has_findings && !point.findings) || !point.name || !point.message ||
        !LIST_PUSH(run->options->allocator, &run->points, point))
        run->status = diag_no_memory(run->diag);
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

/* A narrow result as its register holds it: extended to 32 bits. */
static uint64_t extended(uint64_t bits, enum hx_type type)
{
    if (type == HX_TYPE_I8)
        return (uint32_t)(int32_t)(int8_t)bits;
    return type == HX_TYPE_I16 ? (uint32_t)(int32_t)(int16_t)bits : bits;
}

/* Bits of floats in the order of their values, -0 just below +0. */
static int64_t ordered(uint64_t bits, enum hx_type type)
{
    const unsigned width = type_bits(type);
    const uint64_t sign = UINT64_C(1) << (width - 1), magnitude = bits & (sign - 1);
    return bits & sign ? -(int64_t)magnitude - 1 : (int64_t)magnitude;
}

static bool is_nan(uint64_t bits, enum hx_type type)
{
    static const uint64_t infinities[HX_TYPE_COUNT] = {[HX_TYPE_F16] = 0x7c00,
                                                       [HX_TYPE_BF16] = 0x7f80,
                                                       [HX_TYPE_F32] = 0x7f800000,
                                                       [HX_TYPE_F64] = UINT64_C(0x7ff0000000000000)};
    return (bits & ~(UINT64_C(1) << (type_bits(type) - 1))) > infinities[type];
}

static bool agrees(uint64_t have, uint64_t want, enum hx_type type, double ulp)
{
    if (type_is_packed(type) && ulp > 0)
        return agrees(have & UINT16_MAX, want & UINT16_MAX, type_half(type), ulp) &&
               agrees(have >> 16, want >> 16, type_half(type), ulp);
    if (have == want || !type_is_float(type) || ulp == 0)
        return have == want;
    if (is_nan(have, type) || is_nan(want, type))
        return is_nan(have, type) && is_nan(want, type);
    const int64_t x = ordered(have, type), y = ordered(want, type);
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) <= ulp;
}

/* ---- Telling ------------------------------------------------------------------------------------------- */

static void print_bits(struct text *text, uint64_t bits, enum hx_type type)
{
    if (type == HX_TYPE_PRED) {
        text_print(text, bits ? "true" : "false");
        return;
    }
    text_print(text, "0x%0*llx",
               (int)(type_bits(type) < 64 && bits >> type_bits(type) ? 8 : type_bits(type) / 4),
               (unsigned long long)bits);
    if (bits >> (type_bits(type) - 1) >> 1)
        return; /* a wrong extension has no value of the type */
    text_print(text, " (");
    values_print(text, &bits, type_half(type));
    if (type_is_packed(type)) {
        const uint64_t high = bits >> 16;
        text_print(text, ", ");
        values_print(text, &high, type_half(type));
    }
    text_print(text, ")");
}

static void print_inputs(const struct case_run *run, const struct vector *vector, struct text *text)
{
    const struct vector_case *test = run->test;
    text_print(text, "%s", test->op);
    for (unsigned i = 0; i < test->in_count; i++) {
        text_print(text, i ? ", " : " ");
        print_bits(text, vector->in[i], test->in[i].type);
    }
    if (test->has_address)
        text_print(text, "%s[%lld]", test->in_count ? ", " : " ", (long long)vector->at);
}

/* Begins a message about a vector, once for each; false when there are enough. */
static bool fail(struct case_run *run, const struct vector *vector, enum vector_mode mode)
{
    const size_t index = (size_t)(vector - run->test->vectors);
    const bool is_first = !run->failed[index];
    run->failed[index] = true;
    if (!is_first || run->reported++ >= MESSAGES_MAX)
        return false;
    text_print(&run->message, "%s%s:%d: ", run->message.length ? "\n" : "", run->run->path,
               vector->place.line);
    print_inputs(run, vector, &run->message);
    text_print(&run->message, " in %s: ", vector_mode_names[mode]);
    return true;
}

/* ---- Batches ------------------------------------------------------------------------------------------- */

static void compare_slot(struct case_run *run, const struct vector_batch *batch, enum vector_mode mode,
                         uint32_t slot, const uint64_t *out, const uint8_t *memory)
{
    const struct vector_case *test = run->test;
    const struct vector *vector = batch->vectors[batch_vector(batch, mode, slot)];
    for (unsigned i = 0; i < test->out_count; i++) {
        const enum hx_type type = test->out[i].type;
        const uint64_t have = out[slot * test->out_count + i], want = extended(vector->out[i], type);
        if (agrees(have, want, type, test->ulp) || !fail(run, vector, mode))
            continue;
        text_print(&run->message, "result %u is ", i + 1);
        print_bits(&run->message, have, type);
        text_print(&run->message, ", expected ");
        print_bits(&run->message, want, type);
    }
    if (!memory || !vector->after)
        return;
    const uint8_t *own = memory + (size_t)slot * batch->copy_bytes;
    size_t at = 0;
    while (at < vector->memory_bytes && own[at] == vector->after[at])
        at++;
    if (at < vector->memory_bytes && fail(run, vector, mode))
        text_print(&run->message, "byte %zu of memory is 0x%02x, expected 0x%02x", at, own[at],
                   vector->after[at]);
}

static const void *buffer_data(hx_context *context, const char *name)
{
    hx_array_view view = {0};
    return hx_context_buffer(context, name, NULL, &view) == HX_OK ? view.data : NULL;
}

/* What a program of ours says when it fails. */
static void tell_failure(struct case_run *run, const struct vector *vector, enum vector_mode mode,
                         const hx_diag *diag, hx_status status)
{
    if (!fail(run, vector, mode))
        return;
    const hx_diagnostic *first = hx_diag_at(diag, 0);
    for (size_t i = 0; i < hx_diag_count(diag) && first->severity != HX_ERROR; i++)
        first = hx_diag_at(diag, i);
    text_print(&run->message, "%s", first ? first->message : hx_status_sentence(status));
}

/* The programs of vectors are right, but for those that should fault, so that a warning about a slip in one
 * is a mistake of the verifier's. */
static void tell_false_warnings(struct case_run *run, const struct vector *vector, enum vector_mode mode,
                                const hx_diag *diag)
{
    for (size_t i = 0; i < hx_diag_count(diag); i++) {
        const hx_diagnostic *warning = hx_diag_at(diag, i);
        if (warning->code >= DIAG_VERIFY_ENDLESS && warning->code <= DIAG_VERIFY_TYPE &&
            fail(run, vector, mode))
            text_print(&run->message, "a false warning, HX%d: %s", warning->code, warning->message);
    }
}

/* The set that is built in, and the one that is tested, meet here: in the place of each run of nops goes what
 * the tested one made of the instruction. What comes after reads instructions, and never their
 * instruction set. */
static void put_instruction(hx_program *program, const hx_program *tested)
{
    struct kernel *kernel = &program->kernels[0];
    const struct kernel *from = &tested->kernels[0];
    for (uint32_t i = 0; i + from->code_count <= kernel->code_count; i++) {
        if (instruction_semantic(&kernel->code[i]) != SEM_nop)
            continue;
        memcpy(&kernel->code[i], from->code, from->code_count * sizeof *from->code);
        i += from->code_count - 1;
    }
}

/* The instruction as the tested set assembles it. */
static hx_status assemble(struct case_run *run, struct vector_batch *batch, hx_diag *diag,
                          hx_program **ret_tested)
{
    HX_AUTO(text_done) struct text text = {.allocator = run->run->options->allocator};
    batch_instruction(batch, &text);
    if (text.failed)
        return diag_no_memory(diag);
    hx_status status = hx_program_load_bytes(run->run->path, NULL, text.at, text.length, run->run->isa,
                                             run->run->options->allocator, diag, ret_tested);
    if (status == HX_OK)
        batch->instructions = (*ret_tested)->kernels[0].code_count;
    return status;
}

hx_status vectors_run_context(const struct file_run *run, hx_context *context, hx_checks *checks,
                              hx_diag *diag, hx_run_result *result)
{
    const hx_run_options options = {
        .size = sizeof options,
        .checks = checks,
        .launch = {.size = sizeof options.launch, .progress = run->options->launches}};
    return hx_context_run(context, &options, diag, result);
}

static hx_status run_text(struct case_run *run, struct vector_batch *batch, enum vector_mode mode,
                          const hx_program *tested, hx_diag *diag, hx_run_result *result)
{
    HX_AUTO(text_done) struct text text = {.allocator = run->run->options->allocator};
    batch_text(batch, mode, &text);
    if (text.failed)
        return diag_no_memory(diag);
    hx_status status = hx_context_load_bytes(run->context, "vectors", text.at, text.length, diag);
    if (status != HX_OK)
        return status;
    put_instruction(hx_context_program(run->context), tested);
    return vectors_run_context(run->run, run->context, NULL, diag, result);
}

static void run_batch(struct case_run *run, struct vector_batch *batch, enum vector_mode mode)
{
    hx_diag *diag = NULL;
    hx_program *tested = NULL;
    hx_run_result result = {.size = sizeof result};
    if (hx_diag_new(run->run->options->allocator, &diag) != HX_OK) {
        run->run->status = HX_NO_MEMORY;
        return;
    }
    hx_status status = assemble(run, batch, diag, &tested);
    if (status == HX_OK)
        status = run_text(run, batch, mode, tested, diag, &result);
    const struct vector *first = batch->vectors[0];
    if (mode != MODE_FAULT)
        tell_false_warnings(run, first, mode, diag);
    if (status == HX_NO_MEMORY) {
        run->run->status = status;
    } else if (mode == MODE_FAULT) {
        const bool right = status == HX_FAULT && result.fault.kind == first->fault;
        if (!right && fail(run, first, mode))
            text_print(&run->message, "%s, expected '%s'",
                       status == HX_FAULT ? hx_fault_text(result.fault.kind) : "it ran to its end",
                       hx_fault_text(first->fault));
    } else if (status != HX_OK) {
        for (uint32_t i = 0; i < batch->count; i++)
            tell_failure(run, batch->vectors[i], mode, diag, status);
    } else {
        const uint64_t *out = buffer_data(run->context, "out");
        const uint8_t *memory = run->test->has_address ? buffer_data(run->context, "mem") : NULL;
        for (uint32_t slot = 0; slot < batch_slots(batch, mode); slot++)
            compare_slot(run, batch, mode, slot, out, memory);
    }
    hx_program_free(tested);
    hx_diag_free(diag);
}

static bool share_program(const struct vector_case *test, const struct vector *a, const struct vector *b)
{
    for (unsigned i = 0; i < test->in_count; i++)
        if (test->in[i].is_immediate && a->in[i] != b->in[i])
            return false;
    if (test->has_address && test->instruction.opcode->space == SPACE_CONSTANT)
        return a->memory_bytes == b->memory_bytes && memcmp(a->memory, b->memory, a->memory_bytes) == 0;
    return true;
}

static void run_batches(struct case_run *run)
{
    const struct vector_case *test = run->test;
    bool *taken = memory_allocate(run->run->options->allocator, test->vector_count + 1, sizeof *taken);
    if (!taken) {
        run->run->status = HX_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < test->vector_count && run->run->status != HX_NO_MEMORY; i++) {
        struct vector_batch batch = {.test = test, .vectors = run->batch};
        if (taken[i])
            continue;
        for (size_t k = i; k < test->vector_count; k++) {
            const struct vector *vector = &test->vectors[k];
            if (taken[k] || (vector->fault != HX_FAULT_NONE) != (test->vectors[i].fault != HX_FAULT_NONE) ||
                !share_program(test, &test->vectors[i], vector) || (batch.count > 0 && vector->fault))
                continue;
            taken[k] = true;
            run->batch[batch.count++] = vector;
            const uint32_t bytes = (uint32_t)((vector->memory_bytes + 63) & ~(size_t)63);
            batch.copy_bytes = bytes > batch.copy_bytes ? bytes : batch.copy_bytes;
        }
        if (test->vectors[i].fault != HX_FAULT_NONE)
            run_batch(run, &batch, MODE_FAULT);
        else
            for (int mode = MODE_FULL; mode <= MODE_DIVERGED; mode++)
                run_batch(run, &batch, (enum vector_mode)mode);
    }
    memory_free(run->run->options->allocator, taken);
}

static void run_case(struct file_run *file, hx_context *context, const struct vector_case *test)
{
    const hx_allocator *allocator = file->options->allocator;
    const uint64_t start = machine_now_ns();
    struct case_run run = {
        .run = file, .context = context, .test = test, .message = {.allocator = allocator}};
    run.batch = memory_allocate(allocator, test->vector_count + 1, sizeof *run.batch);
    run.failed = memory_allocate(allocator, test->vector_count + 1, sizeof *run.failed);
    size_t failures = 0;
    if (run.batch && run.failed)
        run_batches(&run);
    else
        file->status = HX_NO_MEMORY;
    for (size_t i = 0; run.failed && i < test->vector_count; i++)
        failures += run.failed[i];
    if (failures == 0)
        coverage_add(&file->coverage, &test->instruction);
    file->vectors += test->vector_count;
    if (run.message.failed)
        file->status = HX_NO_MEMORY;
    vectors_add_point(file, (hx_test_point){.name = test->op,
                                            .line = test->place.line,
                                            .vectors = test->vector_count,
                                            .failures = failures,
                                            .message = run.message.length ? run.message.at : "",
                                            .duration_ns = machine_now_ns() - start});
    text_done(&run.message);
    memory_free(allocator, run.batch);
    memory_free(allocator, run.failed);
}

void run_vectors(struct file_run *run, const struct vector_file *file)
{
    hx_context *context = vectors_new_context(run, run->built_in);
    for (size_t i = 0; context && i < file->case_count && run->status == HX_OK; i++)
        if (vectors_wants(run, file->cases[i].op))
            run_case(run, context, &file->cases[i]);
    hx_context_free(context);
}
