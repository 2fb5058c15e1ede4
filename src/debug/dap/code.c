/* Instructions and memory by address, for clients that show both. */
#include "asm/asm.h"
#include "debug/dap/dap.h"

#define INSTRUCTIONS_MOST 20000
#define BYTES_MOST        ((int64_t)1 << 20)

#define SPACE_NAME(name, text) text,
static const char *const space_names[] = {HX_SPACES(SPACE_NAME)};
#undef SPACE_NAME

/* ---- Instructions -------------------------------------------------------------------------------------- */

/* The number of the kernel is above, that of the instruction below. */
uint64_t dap_code_address(const struct dap *dap, const struct kernel *kernel, uint32_t instruction)
{
    const hx_program *program = hx_context_program(dap->context);
    return (uint64_t)(kernel - program->kernels + 1) << 32 | instruction;
}

bool dap_find_code(const struct dap *dap, uint64_t address, const struct kernel **ret_kernel,
                   uint32_t *ret_instruction)
{
    const hx_program *program = hx_context_program(dap->context);
    const uint64_t number = address >> 32;
    if (number == 0 || number > program->kernel_count)
        return false;
    *ret_kernel = &program->kernels[number - 1];
    *ret_instruction = (uint32_t)address;
    return *ret_instruction < (*ret_kernel)->code_count;
}

static void write_instruction(struct dap *dap, uint64_t address, struct json *body)
{
    const hx_program *program = hx_context_program(dap->context);
    const struct kernel *kernel;
    struct text text HX_AUTO(text_done) = {.allocator = dap->allocator};
    uint32_t instruction;
    char number[24];
    snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    json_open_object(body);
    json_member_str(body, "address", number);
    if (dap_find_code(dap, address, &kernel, &instruction)) {
        const int line = state_line(kernel, instruction);
        disassemble_instruction(program, kernel, &kernel->code[instruction], &text);
        json_member_str(body, "instruction", text.at ? text.at : "");
        for (size_t i = 0; i < kernel->label_count; i++)
            if (kernel->labels[i].target == instruction) {
                json_member_str(body, "symbol", kernel->labels[i].name);
                break;
            }
        if (line > 0) {
            dap_write_source(dap, body, state_source(kernel, instruction));
            json_member_u64(body, "line", (uint64_t)line - (dap->lines_from_1 ? 0 : 1));
        }
    } else {
        json_member_str(body, "instruction", "no instruction");
        json_member_str(body, "presentationHint", "invalid");
    }
    json_close_object(body);
}

/* As many instructions as the client wants: it counts them. */
hx_status dap_disassemble(struct dap *dap, const json_t *arguments, struct json *body)
{
    const char *reference = dap_string(arguments, "memoryReference");
    const int64_t count = dap_integer(arguments, "instructionCount", 0);
    uint64_t address;
    if (!reference || number_parse_u64(slice_of(reference), &address) != NUMBER_OK)
        return dap_wrong(dap, "frames have an instructionPointerReference", "'%s' is no address of code",
                         reference ? reference : "");
    if (count < 0 || count > INSTRUCTIONS_MOST)
        return dap_wrong(dap, NULL, "at most %d instructions are shown at once", INSTRUCTIONS_MOST);
    address += (uint64_t)dap_integer(arguments, "offset", 0) +
               (uint64_t)dap_integer(arguments, "instructionOffset", 0);
    json_member_array(body, "instructions");
    for (int64_t i = 0; i < count; i++)
        write_instruction(dap, address + (uint64_t)i, body);
    json_close_array(body);
    return HX_OK;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

void dap_print_place(int space, uint64_t address, char text[40])
{
    snprintf(text, 40, "%s:0x%llx", space_names[space], (unsigned long long)address);
}

bool dap_read_place(const char *text, int *ret_space, uint64_t *ret_address)
{
    const char *colon = text ? strchr(text, ':') : NULL;
    *ret_space = SPACE_GENERIC;
    if (colon) {
        *ret_space = SPACE_NONE;
        for (int i = SPACE_GLOBAL; i <= SPACE_GENERIC; i++)
            if (slice_equal((struct slice){text, (size_t)(colon - text)}, space_names[i]))
                *ret_space = i;
    }
    return text && *ret_space != SPACE_NONE &&
           number_parse_u64(slice_of(colon ? colon + 1 : text), ret_address) == NUMBER_OK;
}

hx_status dap_read_memory(struct dap *dap, const json_t *arguments, struct json *body)
{
    const struct engine *engine = &dap->debugger->engine;
    const struct asker asker = debug_asker(dap->debugger);
    const char *reference = dap_string(arguments, "memoryReference");
    const int64_t count = dap_integer(arguments, "count", 0);
    int64_t readable;
    int space;
    uint64_t address;
    char number[24];
    const hx_status status = dap_need_buffers(dap);
    if (status != HX_OK)
        return status;
    if (!dap_read_place(reference, &space, &address))
        return dap_wrong(dap, NULL, "'%s' is no place in memory", reference ? reference : "");
    if (count < 0 || count > BYTES_MOST)
        return dap_wrong(dap, NULL, "at most 1 MiB is read at once");
    address += (uint64_t)dap_integer(arguments, "offset", 0);
    const char *host = NULL;
    for (readable = count; readable > 0; readable /= 2) /* the end of a buffer may be in between */
        if ((host = state_memory(engine, asker.block, asker.thread, space, address, (uint64_t)readable)))
            break;
    while (host && readable < count &&
           state_memory(engine, asker.block, asker.thread, space, address, (uint64_t)readable + 1))
        readable++;
    snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    json_member_str(body, "address", number);
    if (readable < count)
        json_member_u64(body, "unreadableBytes", (uint64_t)(count - readable));
    json_key(body, "data");
    text_append(body->out, "\"", 1);
    if (host)
        text_print_base64(body->out, (const uint8_t *)host, (size_t)readable);
    text_append(body->out, "\"", 1);
    return HX_OK;
}
