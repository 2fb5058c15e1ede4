/* What is put before a program for launches in which work-items count otherwise than hexec's threads.
 *
 * A launch has an offset, or its last groups are smaller than the others and run by themselves, or the
 * program reads its dimensions and the last of them has one work-item: what PTX's registers have is not what
 * work-items must see. A variable has the numbers of the launch, and functions that read it stand in the
 * place of the language's. (nodebug: clang 14 crashes over the debug information of such functions.) */
#include "devices/opencl/opencl.h"

#include <string.h>

#define FUNCTION "__attribute__((always_inline, nodebug)) "

#define DIMENSIONS_MACRO "#define get_work_dim() ((uint)__hexec_number(5, 0, 1))\n"

/* The rows are those of struct launch_numbers. */
static const char head[] =
    "__asm__(\".visible .global .align 8 .b64 " NUMBERS_VARIABLE "[18];\");\n"
    "static inline " FUNCTION "ulong __hexec_number(uint row, uint dimension, ulong beyond)\n"
    "{ ulong at; __asm__(\"mov.u64 %0, " NUMBERS_VARIABLE ";\" : \"=l\"(at));\n"
    "  return dimension > 2 ? beyond : ((const global ulong *)at)[3 * row + dimension]; }\n"
    "static inline " FUNCTION "ulong __hexec_offset_of(uint dimension)\n"
    "{ return __hexec_number(0, dimension, 0); }\n";
static const char shifted_macros[] =
    "#define get_global_id(dimension) (get_global_id(dimension) + __hexec_offset_of(dimension))\n"
    "#define get_global_offset(dimension) __hexec_offset_of(dimension)\n" DIMENSIONS_MACRO "#line 1\n";
/* ... in objects, which call libclc's functions, by functions in the place of these. */
static const char shifted_link[] =
    "size_t __hexec_id(uint dimension) __asm__(\"_Z13get_global_idj\");\n"
    "size_t __hexec_offset(uint dimension) __asm__(\"_Z17get_global_offsetj\");\n" FUNCTION
    "size_t __hexec_id(uint dimension)\n"
    "{ return get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension) +\n"
    "      __hexec_offset_of(dimension); }\n" FUNCTION "size_t __hexec_offset(uint dimension)\n"
    "{ return __hexec_offset_of(dimension); }\n"
    "uint __hexec_dimensions(void) __asm__(\"_Z12get_work_dimv\");\n" FUNCTION
    "uint __hexec_dimensions(void)\n{ return (uint)__hexec_number(5, 0, 1); }\n";
static const char uneven_macros[] =
    "#define reqd_work_group_size(x, y, z)\n" /* of the first groups; hexec would want it of all */
    "#define __reqd_work_group_size__(x, y, z)\n"
    "#undef get_global_size\n#undef get_num_groups\n#undef get_enqueued_local_size\n"
    "static inline " FUNCTION "ulong __hexec_group(uint dimension)\n"
    "{ return get_group_id(dimension) + __hexec_number(1, dimension, 0); }\n"
    "static inline " FUNCTION "ulong __hexec_item(uint dimension)\n"
    "{ return __hexec_group(dimension) * __hexec_number(3, dimension, 1) + get_local_id(dimension); }\n"
    "static inline " FUNCTION "ulong __hexec_linear(void)\n"
    "{ return (__hexec_item(2) * __hexec_number(4, 1, 1) + __hexec_item(1)) * __hexec_number(4, 0, 1) +\n"
    "      __hexec_item(0); }\n"
    "#define get_group_id(dimension) __hexec_group(dimension)\n"
    "#define get_global_id(dimension) (__hexec_item(dimension) + __hexec_offset_of(dimension))\n"
    "#define get_global_offset(dimension) __hexec_offset_of(dimension)\n"
    "#define get_num_groups(dimension) __hexec_number(2, dimension, 1)\n"
    "#define get_enqueued_local_size(dimension) __hexec_number(3, dimension, 1)\n"
    "#define get_global_size(dimension) __hexec_number(4, dimension, 1)\n"
    "#define get_global_linear_id() __hexec_linear()\n" DIMENSIONS_MACRO
    "#define get_enqueued_num_sub_groups() \\\n"
    "    ((uint)((__hexec_number(3, 0, 1) * __hexec_number(3, 1, 1) * __hexec_number(3, 2, 1) + 31) / 32))\n"
    "#line 1\n";

hx_status variant_begin(enum variant variant, bool is_linked, struct text *text)
{
    if (variant == VARIANT_PLAIN)
        return HX_OK;
    const char *more = variant == VARIANT_UNEVEN ? uneven_macros : is_linked ? shifted_link : shifted_macros;
    const hx_status status = text_append(text, head, sizeof head - 1);
    return status == HX_OK ? text_append(text, more, strlen(more)) : status;
}

/* OpenCL C 2.0 and later have such launches, unless the program says that it wants none. Objects have been
 * compiled to call functions that this is too late for, and binaries are machine code. */
bool variant_has_uneven(cl_program program)
{
    const char *options = program->options ? program->options : "";
    const char *version = strstr(options, "-cl-std=");
    if (!program->source || !version || strstr(options, "-cl-uniform-work-group-size"))
        return false;
    version += strlen("-cl-std=");
    return strncmp(version, "CL2", 3) == 0 || strncmp(version, "CL3", 3) == 0 ||
           strncmp(version, "clc++", 5) == 0 || strncmp(version, "CLC++", 5) == 0;
}

bool variant_reads_dimensions(cl_program program)
{
    static const char name[] = "get_work_dim";
    if (program->source)
        return memmem(program->source, program->source_bytes, name, sizeof name - 1) != NULL;
    for (size_t i = 0; i < program->objects.count; i++)
        if (memmem(program->objects.parts[i].bytes, program->objects.parts[i].size, name, sizeof name - 1))
            return true;
    return false;
}
