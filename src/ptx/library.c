/* The library: functions in PTX that are read with a module that declares them.
 *
 * Takes the name of a function, leaves a text that has it. Names of its own begin with hexec_, so that they
 * are no module's. */
#include "ptx/library.h"

#include "base/memory.h"

/* The heap: malloc and free of threads, as CUDA's, with the size that CUDA's has by default. A block has 2^k
 * bytes, of which the first 16 hold k. What is free is in lists, one for each k; a list's head is the offset
 * of its first block and a number that each change counts up, so that a block that has come back meanwhile is
 * noticed (Treiber, Systems Programming: Coping with Parallelism, 1986). Blocks are never joined. No lock: a
 * thread that waits for another one of its warp might wait for ever. */
static const char heap[] =
    ".global .align 8 .b64 hexec_heap_lists[32];\n"
    ".global .align 8 .b64 hexec_heap_end;\n"
    ".global .align 16 .b8 hexec_heap[8388608];\n"
    ".func (.param .b64 address) malloc(.param .b64 bytes)\n"
    "{\n"
    ".reg .pred %p<6>; .reg .b32 %r<8>; .reg .b64 %rd<20>;\n"
    "ld.param.u64 %rd1, [bytes];\n"
    "mov.u64 %rd12, 0;\n"
    "setp.gt.u64 %p1, %rd1, 8388592;\n" /* with 16 more it does not fit */
    "@%p1 bra DONE;\n"
    "add.u64 %rd2, %rd1, 15;\n" /* log2 of 16 + bytes, rounded up: of what is one less, the bits */
    "max.u64 %rd2, %rd2, 31;\n"
    "clz.b64 %r1, %rd2;\n"
    "sub.u32 %r2, 64, %r1;\n"
    "mov.u64 %rd3, 1;\n"
    "shl.b64 %rd3, %rd3, %r2;\n"
    "mov.u64 %rd4, hexec_heap;\n"
    "mov.u64 %rd5, hexec_heap_lists;\n"
    "mul.wide.u32 %rd6, %r2, 8;\n"
    "add.u64 %rd5, %rd5, %rd6;\n"
    "ld.volatile.global.u64 %rd7, [%rd5];\n"
    "REUSE:\n"
    "and.b64 %rd8, %rd7, 4294967295;\n"
    "setp.eq.u64 %p2, %rd8, 0;\n"
    "@%p2 bra EXTEND;\n"
    "add.u64 %rd12, %rd4, %rd8;\n"
    "ld.volatile.global.u32 %rd9, [%rd12];\n"
    "shr.u64 %rd10, %rd7, 32;\n"
    "add.u64 %rd10, %rd10, 1;\n"
    "shl.b64 %rd10, %rd10, 32;\n"
    "or.b64 %rd10, %rd10, %rd9;\n"
    "atom.global.cas.b64 %rd11, [%rd5], %rd7, %rd10;\n"
    "setp.eq.u64 %p3, %rd11, %rd7;\n"
    "@%p3 bra DONE;\n"
    "mov.u64 %rd7, %rd11;\n"
    "bra REUSE;\n"
    "EXTEND:\n"
    "mov.u64 %rd12, 0;\n"
    "mov.u64 %rd13, hexec_heap_end;\n"
    "ld.volatile.global.u64 %rd14, [%rd13];\n"
    "MORE:\n"
    "add.u64 %rd15, %rd14, %rd3;\n"
    "setp.gt.u64 %p4, %rd15, 8388608;\n"
    "@%p4 bra DONE;\n"
    "atom.global.cas.b64 %rd16, [%rd13], %rd14, %rd15;\n"
    "setp.eq.u64 %p5, %rd16, %rd14;\n"
    "@%p5 bra TAKEN;\n"
    "mov.u64 %rd14, %rd16;\n"
    "bra MORE;\n"
    "TAKEN:\n"
    "add.u64 %rd12, %rd4, %rd14;\n"
    "st.global.u32 [%rd12], %r2;\n"
    "add.u64 %rd12, %rd12, 16;\n"
    "DONE:\n"
    "st.param.b64 [address], %rd12;\n"
    "ret;\n"
    "}\n"
    ".func free(.param .b64 address)\n"
    "{\n"
    ".reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd1, [address];\n"
    "setp.eq.u64 %p1, %rd1, 0;\n"
    "@%p1 ret;\n"
    "mov.u64 %rd2, hexec_heap;\n"
    "sub.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r1, [%rd1+-16];\n"
    "mov.u64 %rd4, hexec_heap_lists;\n"
    "mul.wide.u32 %rd5, %r1, 8;\n"
    "add.u64 %rd4, %rd4, %rd5;\n"
    "ld.volatile.global.u64 %rd6, [%rd4];\n"
    "AGAIN:\n"
    "st.volatile.global.u32 [%rd1], %rd6;\n"
    "membar.gl;\n"
    "shr.u64 %rd7, %rd6, 32;\n"
    "add.u64 %rd7, %rd7, 1;\n"
    "shl.b64 %rd7, %rd7, 32;\n"
    "or.b64 %rd7, %rd7, %rd3;\n"
    "atom.global.cas.b64 %rd8, [%rd4], %rd6, %rd7;\n"
    "setp.eq.u64 %p2, %rd8, %rd6;\n"
    "@%p2 ret;\n"
    "mov.u64 %rd6, %rd8;\n"
    "bra AGAIN;\n"
    "}\n";

struct entry {
    const char *function, *text;
};
static const struct entry entries[] = {{"malloc", heap}, {"free", heap}};

const char *ptx_library_text(struct slice function)
{
    for (size_t i = 0; i < HX_COUNT_OF(entries); i++)
        if (slice_equal(function, entries[i].function))
            return entries[i].text;
    return NULL;
}
