/* Which atomics have a result that their thread reads.
 *
 * A thread that checks what an atomic found knows that others have been there before. One that drops it
 * does not, and compilers make a reduction of it (red), which returns nothing. Takes the values that the
 * verifier finds in a kernel (webs). */
#include "check/race/results.h"

#include "verify/webs.h"

static bool has_atomic(const struct kernel *code)
{
    for (uint32_t i = 0; i < code->code_count; i++)
        if (shape_is_atomic(code->code[i].opcode->shape))
            return true;
    return false;
}

hx_status results_find(const hx_kernel *kernel, const hx_allocator *allocator, bool *ret_used)
{
    const struct kernel *const code = kernel_code(kernel);
    HX_AUTO(arena_done) struct arena arena = {0};
    struct web_list webs;
    arena_init(&arena, allocator);
    if (!has_atomic(code))
        return HX_OK;
    const hx_status status = web_list_make(kernel->verified, &arena, NULL, &webs);
    for (uint32_t i = 0; status == HX_OK && i < code->code_count; i++)
        for (uint32_t r = webs.first[i]; r < webs.first[i + 1]; r++)
            if (webs.references[r].writes && flow_set_has(&webs.live_after[i], webs.references[r].member))
                ret_used[i] = true;
    return status;
}
