/* Programs that are compiled and linked apart: headers, objects, libraries, their binaries, and errors. */
#include "opencl_unit.h"

#include <unistd.h>

static const char main_text[] = "#include \"lib/scale.h\"\n"
                                "kernel void run(global uint *out)\n"
                                "{ size_t i = get_global_id(0);\n"
                                "  out[i] = scale(i) + own(i) + SHIFT; }\n"
                                "static uint other(uint x) { return x; }\n"
                                "kernel void sum(global uint *out, global const uint *in)\n"
                                "{ out[get_global_id(0)] = in[get_global_id(0)] + other(1); }\n";
static const char scale_text[] = "static uint other(uint x) { return x * 3; }\n" /* another than main's */
                                 "constant uint table[] = {5, 6, 7, 8};\n"
                                 "uint scale(uint x) { return other(x) + table[x % 4]; }\n";
static const char own_text[] = "uint own(uint x) { return (uint)sqrt((float)(x * x)) * 100; }\n";
static const char header_text[] = "#include \"own.h\"\nuint scale(uint x);\n";
static const char own_header[] = "#ifndef SHIFT\n#define SHIFT 0\n#endif\nuint own(uint x);\n";

static int made; /* programs of sources */

static cl_program source(const struct unit *unit, const char *text)
{
    made++;
    cl_int error;
    cl_program program = clCreateProgramWithSource(unit->context, 1, &text, NULL, &error);
    OK(error);
    return program;
}

static cl_program_binary_type type_of(const struct unit *unit, cl_program program)
{
    cl_program_binary_type type = 99;
    OK(clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static void compile_main(const struct unit *unit, cl_program program)
{
    cl_program headers[] = {source(unit, header_text), source(unit, own_header)};
    const char *names[] = {"lib/scale.h", "own.h"};
    OK(clCompileProgram(program, 0, NULL, "-DSHIFT=1000", 2, headers, names, NULL, NULL));
    OK(clReleaseProgram(headers[0]));
    OK(clReleaseProgram(headers[1]));
    CHECK(type_of(unit, program) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
}

/* Of a program a copy by its binary. */
static cl_program again(const struct unit *unit, cl_program program, cl_program_binary_type want)
{
    size_t bytes = 0;
    cl_int status = 99, error;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    CHECK(bytes > 0 && binary);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program copy = clCreateProgramWithBinary(unit->context, 1, &unit->device, &bytes,
                                                (const unsigned char **)&binary, &status, &error);
    OK(error);
    CHECK(status == CL_SUCCESS && type_of(unit, copy) == want);
    for (size_t cut = 30; cut < bytes && want != CL_PROGRAM_BINARY_TYPE_NONE; cut += bytes / 7 + 1) {
        CHECK(!clCreateProgramWithBinary(unit->context, 1, &unit->device, &cut,
                                         (const unsigned char **)&binary, &status, &error));
        CHECK(error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    }
    free(binary);
    return copy;
}

static void check_run(const struct unit *unit, cl_program program)
{
    static const cl_uint table[] = {5, 6, 7, 8};
    cl_uint results[48] = {0};
    cl_mem out = unit_buffer(unit, sizeof results);
    const size_t global = 32, offset = 16;
    cl_kernel kernel = unit_kernel(program, "run");
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, &offset, &global, NULL, 0, NULL, NULL));
    const size_t half = 16;
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &half, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(unit->queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (cl_uint i = 0; i < 48; i++)
        CHECK(results[i] == i * 3 + table[i % 4] + i * 100 + 1000);
    OK(clReleaseKernel(kernel));
    kernel = unit_kernel(program, "sum");
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
}

static cl_program check_links(const struct unit *unit, cl_program main_program, cl_program library)
{
    cl_int error;
    const cl_program inputs[] = {main_program, library};
    cl_program program = clLinkProgram(unit->context, 1, &unit->device, "-cl-fast-relaxed-math", 2, inputs,
                                       NULL, NULL, &error);
    OK(error);
    CHECK(type_of(unit, program) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    char options[64] = "";
    OK(clGetProgramBuildInfo(program, unit->device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    CHECK(strcmp(options, "-cl-fast-relaxed-math") == 0);
    check_run(unit, program);
    return program;
}

static void check_errors(const struct unit *unit, cl_program main_program, cl_program library)
{
    char log[2000] = "";
    cl_int error;
    const char *name = "a.h";
    cl_program wrong = source(unit, "kernel void k(global int *p) { *p = nothing; }");
    const cl_program alone[] = {main_program}, twice[] = {library, library}, none[] = {wrong};
    RETURNS(CL_INVALID_VALUE, clCompileProgram(wrong, 0, NULL, "", 1, NULL, &name, NULL, NULL));
    RETURNS(CL_INVALID_VALUE, clCompileProgram(wrong, 0, NULL, "", 0, none, NULL, NULL, NULL));
    RETURNS(CL_INVALID_PROGRAM, clCompileProgram(NULL, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    RETURNS(CL_INVALID_OPERATION, clCompileProgram(library, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    RETURNS(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(wrong, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(wrong, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, ".cl:1:37: error") && strstr(log, "nothing"));
    RETURNS(CL_INVALID_COMPILER_OPTIONS,
            clCompileProgram(wrong, 0, NULL, "-o file", 0, NULL, NULL, NULL, NULL));
    GIVES(CL_INVALID_OPERATION, clLinkProgram(unit->context, 0, NULL, "", 1, none, NULL, NULL, &given));
    GIVES(CL_INVALID_VALUE, clLinkProgram(unit->context, 0, NULL, "", 0, NULL, NULL, NULL, &given));
    GIVES(CL_INVALID_LINKER_OPTIONS,
          clLinkProgram(unit->context, 0, NULL, "-wrong", 1, alone, NULL, NULL, &given));
    GIVES(CL_INVALID_LINKER_OPTIONS,
          clLinkProgram(unit->context, 0, NULL, "-enable-link-options", 1, alone, NULL, NULL, &given));
    cl_program failed = clLinkProgram(unit->context, 0, NULL, "", 2, twice, NULL, NULL, &error);
    CHECK(failed && error == CL_LINK_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(failed, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "symbol multiply defined"));
    OK(clReleaseProgram(failed));
    failed = clLinkProgram(unit->context, 0, NULL, "", 1, alone, NULL, NULL, &error);
    CHECK(failed && error == CL_LINK_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(failed, unit->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "scale") && strstr(log, "own"));
    OK(clReleaseProgram(failed));
    OK(clReleaseProgram(wrong));
}

/* A fault in a function of another program than the kernel's has its line there. */
static void check_fault(const struct unit *unit)
{
    static const size_t global = 1;
    char text[2000] = "", wanted[64];
    int ends[2];
    cl_int error;
    cl_program parts[] = {
        source(unit, "void put(global uint *p);\nkernel void run(global uint *p) { put(p); }\n"),
        source(unit, "\n\nvoid put(global uint *p)\n{ p[123456] = 1; }\n")};
    OK(clCompileProgram(parts[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(parts[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program program = clLinkProgram(unit->context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    OK(error);
    cl_kernel kernel = unit_kernel(program, "run");
    cl_mem out = unit_buffer(unit, 64);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    const int kept = dup(STDERR_FILENO);
    CHECK(kept >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    OK(clEnqueueNDRangeKernel(unit->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    (void)clFinish(unit->queue);
    CHECK(dup2(kept, STDERR_FILENO) >= 0 && read(ends[0], text, sizeof text - 1) > 0);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    snprintf(wanted, sizeof wanted, "program%d.cl:4:", made);
    if (!strstr(text, wanted))
        fprintf(stderr, "%s, not %s", text, wanted);
    CHECK(strstr(text, wanted));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
}

static void check_many_headers(const struct unit *unit)
{
    enum { MANY = 120 };
    static char text[MANY * 32], names[MANY][16];
    const char *list[MANY];
    cl_program headers[MANY];
    size_t at = 0;
    for (int i = 0; i < MANY; i++) {
        char header[64];
        snprintf(names[i], sizeof names[i], "h%d.h", i);
        snprintf(header, sizeof header, "constant int c%d = %d;\n", i, i);
        list[i] = names[i];
        headers[i] = source(unit, header);
        at += (size_t)snprintf(text + at, sizeof text - at, "#include \"h%d.h\"\n", i);
    }
    snprintf(text + at, sizeof text - at, "kernel void k(global int *p) { *p = c%d; }\n", MANY - 1);
    cl_program program = source(unit, text);
    OK(clCompileProgram(program, 0, NULL, NULL, MANY, headers, list, NULL, NULL));
    OK(clReleaseProgram(program));
    for (int i = 0; i < MANY; i++)
        OK(clReleaseProgram(headers[i]));
}

static void CL_CALLBACK note(cl_program program, void *user)
{
    *(cl_program *)user = program;
}

int main(void)
{
    struct unit unit = unit_new(0);
    cl_int error;
    cl_program noted = NULL;
    check_fault(&unit); /* before others are made that are not counted */
    check_many_headers(&unit);
    cl_program main_program = source(&unit, main_text);
    cl_program parts[] = {source(&unit, scale_text), source(&unit, own_text)};
    compile_main(&unit, main_program);
    OK(clCompileProgram(parts[0], 1, &unit.device, NULL, 0, NULL, NULL, note, &noted));
    CHECK(noted == parts[0]);
    OK(clCompileProgram(parts[1], 0, NULL, "-cl-std=CL1.2", 0, NULL, NULL, NULL, NULL));
    cl_program library = clLinkProgram(unit.context, 0, NULL, "-create-library -enable-link-options", 2,
                                       parts, note, &noted, &error);
    OK(error);
    CHECK(noted == library && type_of(&unit, library) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program program = check_links(&unit, main_program, library);
    cl_program copies[] = {again(&unit, main_program, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
                           again(&unit, library, CL_PROGRAM_BINARY_TYPE_LIBRARY),
                           again(&unit, program, CL_PROGRAM_BINARY_TYPE_EXECUTABLE)};
    OK(clBuildProgram(copies[2], 0, NULL, NULL, NULL, NULL));
    check_run(&unit, copies[2]);
    OK(clReleaseProgram(check_links(&unit, copies[0], copies[1])));
    check_errors(&unit, main_program, library);
    cl_program both = source(&unit, "kernel void k(global int *p) { *p = 1; }");
    OK(clCompileProgram(both, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    OK(clBuildProgram(both, 0, NULL, NULL, NULL, NULL)); /* its source is still there */
    CHECK(type_of(&unit, both) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    OK(clReleaseProgram(both));
    for (size_t i = 0; i < 3; i++)
        OK(clReleaseProgram(copies[i]));
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
    OK(clReleaseProgram(library));
    OK(clReleaseProgram(main_program));
    OK(clReleaseProgram(program));
    unit_done(&unit);
    printf("all as it should be\n");
    return 0;
}
