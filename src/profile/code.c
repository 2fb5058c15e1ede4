/* What a profile tells of a kernel's code: its instructions with their places, and which function each is in.
 *
 * Takes a kernel, leaves copies of all that a profile shows, so that the profile outlives the program.
 * Functions are what flow graphs of calls are drawn of: the kernel, and each target of a call. An instruction
 * belongs to the first function from whose entry it is reached without following a call. */
#include "profile/build.h"

#include "asm/asm.h"
#include "exec/kernel.h"
#include "verify/flow.h"

#include <string.h>

static const char *copy_string(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text)) : arena_copy(arena, "", 0);
}

static const char *copy_form(struct arena *arena, const struct instruction *instruction)
{
    HX_AUTO(text_done) struct text text = {.allocator = arena->allocator};
    disassemble_form(instruction, &text);
    return text.failed ? NULL : arena_copy(arena, text.at, text.length);
}

static const char *fidelity_text(struct arena *arena, const struct instruction *instruction)
{
    const hx_fidelity_rule *const rule = instruction_fidelity(instruction);
    const char *const name = hx_fidelity_name(rule->result);
    return rule->result == HX_FIDELITY_WITHIN ? arena_format(arena, "%s %s", name, rule->error)
           : rule->result == HX_FIDELITY_OPEN ? arena_format(arena, "%s: %s", name, rule->why)
                                              : copy_string(arena, name);
}

static bool is_jump(const struct instruction *instruction)
{
    switch (verify_flow_semantic(instruction)) {
    case SEM_branch:
    case SEM_jump_table:
    case SEM_loop:
        return true;
    default:
        return false;
    }
}

/* It may or may not go elsewhere. */
bool profile_is_conditional(const struct instruction *instruction)
{
    return verify_flow_semantic(instruction) != SEMANTIC_NONE &&
           (instruction->guard >= 0 || verify_flow_semantic(instruction) == SEM_loop);
}

static bool fill_instruction(struct profile_kernel *kernel, uint32_t pc, const char *file,
                             struct arena *arena)
{
    const struct instruction *code = &kernel->code->code[pc];
    const struct isa_opcode *opcode = code->opcode;
    const struct code_line *line = &kernel->code->lines[pc];
    const uint32_t bytes = kernel_access_bytes(code);
    hx_profile_instruction *one = &kernel->instructions[pc];
    one->pc = pc;
    one->opcode = copy_string(arena, opcode->mnemonic);
    one->form = copy_form(arena, code);
    one->class_name = copy_string(arena, opcode->class_name);
    one->span = copy_string(arena, opcode->span);
    one->text = copy_string(arena, line->text);
    one->file = file;
    one->line = line->place.line > 0 ? (uint32_t)line->place.line : 0;
    one->column = line->place.column > 0 ? (uint32_t)line->place.column : 0;
    one->callee = HX_PROFILE_NONE;
    one->is_call = verify_flow_calls(code);
    one->is_branch = is_jump(code);
    one->is_conditional = one->is_branch && profile_is_conditional(code);
    one->lane_loaded_bytes = opcode->shape == SHAPE_STORE ? 0 : bytes;
    one->lane_stored_bytes = opcode->shape == SHAPE_LOAD ? 0 : bytes;
    one->space = (int)opcode->space;
    one->lane_flops = instruction_flops(code);
    one->flop_type = instruction_flop_type(code);
    one->fidelity = fidelity_text(arena, code);
    return one->fidelity && one->opcode && one->form && one->class_name && one->span && one->text;
}

static uint32_t count_registers(const struct kernel *code)
{
    struct flow_set named = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < code->code_count; i++) {
        struct operand_access accesses[ACCESS_COUNT_MAX];
        const size_t access_count = instruction_accesses(&code->code[i], accesses);
        for (size_t a = 0; a < access_count; a++)
            for (unsigned r = 0; r < accesses[a].registers && !accesses[a].predicate; r++) {
                const uint32_t member = flow_member(&accesses[a], r);
                count += !flow_set_has(&named, member);
                flow_set_add(&named, member);
            }
    }
    return count;
}

struct functions {
    const struct kernel *code;
    struct flow flow;
    uint32_t *of; /* of each node 1 + its function; 0: not reached yet */
    uint32_t *pending;
    struct arena *scratch;
};

static const char *function_name(const struct kernel *code, uint32_t entry, struct arena *arena)
{
    for (size_t i = 0; i < code->label_count; i++)
        if (code->labels[i].target == entry)
            return copy_string(arena, code->labels[i].name);
    return arena_format(arena, "call_%u", entry);
}

/* Gives function `number` all that is reached from `entry` within it. */
static void claim(struct functions *functions, uint32_t entry, uint32_t number)
{
    const struct flow *flow = &functions->flow;
    uint32_t pending = 0;
    functions->of[entry] = number + 1;
    functions->pending[pending++] = entry;
    while (pending > 0) {
        const struct flow_node *node = &flow->nodes[functions->pending[--pending]];
        for (uint32_t e = node->out; e < node->out + node->out_count; e++) {
            const struct flow_edge *edge = &flow->edges[e];
            const bool within =
                edge->kind == EDGE_NEXT || edge->kind == EDGE_TAKEN || edge->kind == EDGE_BYPASS;
            if (!within || functions->of[edge->to])
                continue;
            functions->of[edge->to] = number + 1;
            functions->pending[pending++] = edge->to;
        }
    }
}

/* The functions' entries are marked first, so that no function runs on into the next one. */
static size_t find_entries(struct functions *functions, uint32_t *entries)
{
    const struct flow *flow = &functions->flow;
    size_t count = 0;
    entries[count++] = 0;
    functions->of[0] = 1;
    for (uint32_t n = 0; n < flow->block_count; n++)
        for (uint32_t e = flow->nodes[n].in; e < flow->nodes[n].in + flow->nodes[n].in_count; e++)
            if (flow->edges_in[e]->kind == EDGE_CALL && !functions->of[n]) {
                functions->of[n] = (uint32_t)++count;
                entries[count - 1] = n;
            }
    return count;
}

static bool name_functions(struct profile_kernel *kernel, const struct functions *functions,
                           const uint32_t *entries, struct arena *arena)
{
    const struct kernel *code = kernel->code;
    kernel->functions = ARENA_ARRAY(arena, hx_profile_function, kernel->view.functions);
    for (size_t f = 0; kernel->functions && f < kernel->view.functions; f++) {
        hx_profile_function *function = &kernel->functions[f];
        function->entry = functions->flow.nodes[entries[f]].first;
        function->line = kernel->instructions[function->entry].line;
        function->name = f == 0 ? kernel->view.name : function_name(code, function->entry, arena);
        if (!function->name)
            return false;
    }
    for (uint32_t pc = 0; pc < code->code_count; pc++) {
        hx_profile_instruction *one = &kernel->instructions[pc];
        const uint32_t function = functions->of[functions->flow.node_of[pc]];
        one->function = function ? function - 1 : 0;
        if (!one->is_call || verify_flow_table(&code->code[pc]))
            continue;
        const uint32_t target = verify_flow_target(code, &code->code[pc]);
        one->callee =
            target == FLOW_NONE ? HX_PROFILE_NONE : functions->of[functions->flow.node_of[target]] - 1;
    }
    return kernel->functions != NULL;
}

static hx_status find_functions(struct profile_kernel *kernel, struct arena *arena, hx_diag *diag)
{
    HX_AUTO(arena_done) struct arena scratch = {.allocator = arena->allocator};
    struct functions functions = {.code = kernel->code, .scratch = &scratch};
    hx_status status = verify_flow_make(kernel->code, &scratch, diag, &functions.flow);
    if (status != HX_OK)
        return status;
    const size_t nodes = functions.flow.node_count;
    uint32_t *entries = ARENA_ARRAY(&scratch, uint32_t, nodes + 1);
    functions.of = ARENA_ARRAY(&scratch, uint32_t, nodes + 1);
    functions.pending = ARENA_ARRAY(&scratch, uint32_t, nodes + 1);
    if (!entries || !functions.of || !functions.pending)
        return diag_no_memory(diag);
    kernel->view.functions = find_entries(&functions, entries);
    for (size_t f = 0; f < kernel->view.functions; f++)
        claim(&functions, entries[f], (uint32_t)f);
    return name_functions(kernel, &functions, entries, arena) ? HX_OK : diag_no_memory(diag);
}

hx_status profile_take_code(const struct kernel *code, const char *name, struct arena *arena, hx_diag *diag,
                            struct profile_kernel *kernel)
{
    const size_t count = code->code_count;
    const struct source *source = code->place.source;
    kernel->code = code;
    kernel->view.name = copy_string(arena, code->name);
    kernel->view.file = name ? name : copy_string(arena, source ? source->name : "");
    kernel->view.line = code->place.line > 0 ? (uint32_t)code->place.line : 0;
    kernel->view.instructions = count;
    kernel->view.registers = count_registers(code);
    kernel->instructions = ARENA_ARRAY(arena, hx_profile_instruction, count);
    kernel->timed = ARENA_ARRAY(arena, hx_instruction_profile, count);
    kernel->counted = ARENA_ARRAY(arena, hx_instruction_profile, count);
    kernel->timing = ARENA_ARRAY(arena, hx_instruction_profile, count);
    kernel->counting = ARENA_ARRAY(arena, hx_instruction_profile, count);
    kernel->batches = ARENA_ARRAY(arena, struct batch_times, count);
    kernel->dispatches = ARENA_ARRAY(arena, uint64_t, count);
    kernel->patterns = ARENA_ARRAY(arena, struct profile_pattern, count);
    if (!kernel->view.name || !kernel->view.file || !kernel->instructions || !kernel->timed ||
        !kernel->counted || !kernel->timing || !kernel->counting || !kernel->batches || !kernel->dispatches ||
        !kernel->patterns)
        return diag_no_memory(diag);
    const char *file = kernel->view.file;
    const struct source *lines = count > 0 ? code->lines[0].place.source : NULL;
    if (!name && lines && lines->name && strcmp(lines->name, file) != 0)
        file = copy_string(arena, lines->name);
    for (uint32_t pc = 0; pc < count; pc++)
        if (!file || !fill_instruction(kernel, pc, file, arena))
            return diag_no_memory(diag);
    patterns_find(code, kernel->patterns);
    return find_functions(kernel, arena, diag);
}
