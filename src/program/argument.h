/* An argument of an imported kernel, which text of the command line or a node of a document gives. */
#pragma once

#include "program/program.h"
#include "yaml/places.h"

/* Of what an argument has in shared memory: the largest type of OpenCL C, long16, has as many bytes. */
#define ARGUMENT_SHARED_ALIGN 128u

struct argument {
    hx_program *program;
    struct kernel *kernel;
    size_t index; /* of the kernel's formal parameter, from 0 */
    struct slice text;
    struct place place; /* of the text; may be empty */
    hx_diag *diag;
};

/* Reports what is wrong with the argument. Returns HX_INVALID. */
hx_status argument_complain(const struct argument *argument, const char *hint, const char *what);
/* HX_INVALID, with those that are missing, where a parameter of the kernel has no value; HX_NO_MEMORY. */
HX_MUST_CHECK hx_status argument_check_all(const hx_program *program, const struct kernel *kernel,
                                           hx_diag *diag);
/* The parameter that it is the value of; NULL: bytes in constant memory. */
struct program_param *argument_scalar(const struct argument *argument);
/* May it be a pointer? And the address of a buffer as such a parameter takes it. */
bool argument_is_pointer(const struct kernel_param *formal, const struct program_param *param);
struct address_target argument_buffer_target(const struct program_param *param, size_t buffer);
/* Adds a buffer to the program; its number. Gives the parameter the address of one. HX_INVALID, HX_NO_MEMORY.
 */
HX_MUST_CHECK hx_status argument_add_buffer(const struct argument *argument, const struct array *array,
                                            uint32_t *ret_index);
HX_MUST_CHECK hx_status argument_point_to(const struct argument *argument, uint32_t buffer);
/* From its text, which begins with "image:". */
HX_MUST_CHECK hx_status argument_set_image(const struct argument *argument);
/* From its text, as --arg has it. */
HX_MUST_CHECK hx_status argument_set_text(const struct argument *argument);
/* From a node: a scalar (a name of a parameter or buffer, or a text), or a mapping: shared; type and values;
 * struct; file. */
HX_MUST_CHECK hx_status argument_set_node(struct argument *argument, const struct yaml_node *node);
/* The bytes of a mapping as FILL_VALUES of the array that holds the parameter. */
HX_MUST_CHECK hx_status argument_set_bytes(const struct argument *argument, const struct yaml_node *node);
/* Gives each parameter of a kernel that a document gives no arguments for the document's parameter or buffer
 * of the same name, or else the next one: of the buffers to pointers, of the parameters to others. */
void argument_bind(hx_program *program, struct kernel *kernel, size_t params, size_t buffers);
