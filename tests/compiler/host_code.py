#!/usr/bin/env python3
"""Host code that does not compile, in programs in CUDA C: host_code.py HEXEC [NAME...]. What kernels may run is never left out: each program
either runs, with the values that it must give, or is refused with what the compiler said of it at first."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEXEC = pathlib.Path(sys.argv[1]).resolve()
WANTED = sys.argv[2:]
K = "__global__ void k(int *x) { x[threadIdx.x] += 2; }\n"
HEADERS = {
    "host.h": '#pragma once\n#include <cublas_v2.h>\n__device__ int two() { return 2; }\nstatic cublasHandle_t handle;\n'
              'inline void begin(cublasHandle_t h, int n)\n{\n    cublasCreate(&h);\n}\n#define BEGIN() begin(handle, 1)\n',
    "real.h": "#define REAL real\n",
    "kernels.h": "#define KERNEL __global__ void\n#define HD __host__ __device__\n",
}
# name: the program, the kernel, what two threads make of 0 and 1
RIGHT = {
    "library": ("#include <cublas_v2.h>\n#include <nvtx3/nvToolsExt.h>\ncublasHandle_t handle, other;\n" + K +
                "void check(cublasStatus_t s) { if (s) throw s; }\n#define CHECK(x) check(x)\n"
                "int main() { int *x; cudaMalloc(&x, 4); CHECK(cublasCreate(&handle)); k<<<1, 1>>>(x); return cublasDestroy(other); }\n", "k", "2 3"),
    "types_of_library": ("#include <cublas_v2.h>\n__global__ void k(int *x) { __half h = __float2half(3.0f); x[threadIdx.x] = (int)(float)h; }\n"
                         "int main() { cublasHandle_t h; return 0; }\n", "k", "3 3"),
    "no_header": ("#include <torch/api.h> /* whose */\n" + K + "int main(int n, char **a) { nothere::init(n, a); k<<<1, 1>>>(nullptr); }\n", "k", "2 3"),
    "header_in_quotes": ('#include "host.h"\n__global__ void k(int *x) { x[threadIdx.x] = two(); }\nint main() { BEGIN(); return 0; }\n', "k", "2 2"),
    "class": ("class Range { public: Range(const char *s) { rangePush(s); } ~Range() { rangePop(); } };\n#define RANGE() Range range(__func__)\n" + K +
              "void run() { RANGE(); k<<<1, 1>>>(nullptr); }\n", "k", "2 3"),
    "modules": (K + "TORCH_LIBRARY(ops, m) {\n  m.def(\"k\", &k);\n}\nPYBIND11_MODULE(NAME, m) { m.def(\"f\", [](int x) { return x; }); }\n"
                "at::Tensor run(at::Tensor a, int n)\n{\n  k<<<1, n>>>(a.data_ptr<int>());\n  return a;\n}\n", "k", "2 3"),
    "template_launched": ("template <typename T> __global__ void t(T *x) { x[threadIdx.x] += 3; }\n"
                          "int main() { int *x; nothere(&x); for (int i = 0; i < missing(); i++) { t<<<1, 4>>>(x); } }\n", "t(int *)", "3 4"),
    "template_in_wrong_launch": ("template <typename T> __global__ void t(T *x) { x[threadIdx.x] += 4; }\n"
                                 "void run() { t<int>\n  <<<1, 4, 0, getCurrentStream()>>>(nullptr); }\n", "t<int>", "4 5"),
    "value_of_known_type": ("template <int N> __global__ void t(int *x, int n) { x[threadIdx.x] += N; }\n"
                            "void run() { int n = missing(), m; const dim3 grid = missing(); int k = missing(); t<5><<<grid, 4>>>(nullptr, k); }\n", "t", "5 6"),
    "conditions": ("template <int N> __global__ void t(int *x) { x[threadIdx.x] += N; }\nint main(int n, char **)\n{\n"
                   "  if (missing(n)) { t<1><<<1, 4>>>(nullptr); } else if (n) missing(); else t<6><<<1, 4>>>(nullptr);\n"
                   "  while (missing(1) && n) t<2><<<1, 1>>>(nullptr);\n  switch (n) { case 1: missing(); break; default: t<3><<<1, 1>>>(nullptr); }\n"
                   "  do { missing(); } while (missing());\n  try { missing(); } catch (const nothere::error &e) { return 1; }\n}\n", "t<6>", "6 7"),
    "branches_of_if": (K + "int main()\n{\n#ifdef USE_IT\n  if (missing()) {\n#else\n  if (true) {\n#endif\n    missing();\n  }\n#if 0\n  } } }\n#endif\n}\n", "k", "2 3"),
    "strings": ('const char *text = R"x(}} " /* )x" missing;\n' + K + "int main() { const char *s = \"}//\"; char c = '}'; missing(s, c); /* } */ }\n", "k", "2 3"),
    "same_line": ("void f() { missing(); } __global__ void k(int *x) { x[threadIdx.x] += 2; } int n = missing();\n", "k", "2 3"),
    "names_in_functions": ("void f() { nothere::T x, n = 1; auto [a, b] = missing(); use(x, n, a, b); }\n"
                           "__global__ void k(int *x) { int n = 1, a = 1; x[threadIdx.x] += n + a; }\n", "k", "2 3"),
    "variables": ("nothere::T x;\nstatic nothere::Map<int, nothere::T> n{1}, *p = nullptr;\n__global__ void k(int *x) { int n = 2; x[threadIdx.x] += n; }\n"
                  "void f() { n.clear(); }\n", "k", "2 3"),
    "namespaces": ("namespace a { namespace { struct A { nothere::T t; }; int f(A *a) { return missing(a); } }\n" + K + "}\n"
                   "extern \"C\" { int g(nothere::T t) { return 1; } }\nusing nothere::T;\nusing namespace nothere;\ntypedef nothere::T *type;\n"
                   "using other = nothere::T;\n", "k", "2 3"),
    "members": ("struct A { int n; int f(); A(); };\nint A::f() { return missing(n); }\nA::A() : n{1} { missing(n); }\nnothere::T A::g() { return 1; }\n" + K, "k", "2 3"),
    "deduced": ("template <typename T> __global__ void t(T *x) { x[threadIdx.x] += (T)2.5; }\nauto f() { return missing(); }\n"
                "template <typename T> void launch(T *x) { missing(x); t<<<1, 1>>>(x); }\n"
                "int main() { decltype(f()) *y = nullptr; t<<<1, 1>>>(y); launch((int *)nullptr); }\n", "t", "2 3"),
    "template_of_host": ("template <typename T> void host(T x) { x.missing(); typename T::type y; }\nint main() { host(1); }\n" + K, "k", "2 3"),
    "lambda": ("int main() { auto f = [&](int x) { missing(x); return x; }; nothere::each(1, [] { return 2; }); f(1); }\n" + K, "k", "2 3"),
    "in_error_of_header": ("#include <vector>\n#include <memory>\nstruct A;\nint main() { std::unique_ptr<A> a(missing()); std::vector<A> v(1); }\n" + K, "k", "2 3"),
    "words": ('const char *s = "a\\\r\n}} \\"";\n#if 0 // old\n}}}\n#endif\n#if 0 /* old\n*/\n{{{\n#endif\n#define PR "x"\nconst char *p = PR"(";\n'
              '#define TEXT R"x(\n}} " )" {{\n)x"\n' + K + "int main() { missing(s, p, TEXT); }\n", "k", "2 3"),
    "extension": ("#include <torch/extension.h>\nnamespace py = pybind11;\nnamespace F = torch::nn::functional;\nusing namespace torch::indexing;\n"
                  "#define CHECK(x) TORCH_CHECK(x.is_cuda(), #x)\ntemplate <typename T> __global__ void t(const T *x) { }\n" + K +
                  "std::vector<torch::Tensor> f(torch::Tensor a)\n{\n  CHECK(a);\n  auto b = torch::zeros_like(a);\n"
                  "  AT_DISPATCH_FLOATING_TYPES(a.type(), \"f\", ([&] {\n    t<scalar_t><<<1, 2>>>(a.data<scalar_t>());\n  }));\n  k<<<1, 2>>>(b.data_ptr<int>());\n"
                  "  return {b};\n}\nPYBIND11_MODULE(NAME, m) { m.def(\"f\", &f, py::arg(\"a\")); }\n", "k", "2 3"),
    "errors_in_order": (K + "".join(f"void f{i}() {{ missing{i}(); }}\n" for i in range(40)), "k", "2 3"),
}
# name: the program, what is said
REFUSED = {
    "kernel": ("#include <cublas_v2.h>\n#include <torch/api.h>\n__global__ void k(int *x) { missing(x); }\nint main() { cublasCreate(0); }\n", "3:29.*missing"),
    "kernel_behind_many": ("".join(f"void f{i}() {{ missing(); }}\n" for i in range(25)) + "__global__ void k(int *x) { missing(x); }\n", "26:29.*missing"),
    "kernel_needs_library": ("#include <cublas_v2.h>\ncublasHandle_t h;\n__global__ void k(int *x) { x[0] = h; }\n", "2:1.*cublasHandle_t"),
    "device_function": ("int main() { missing(); }\n__device__ int f() { return missing(); }\n" + K, "2:29.*missing"),
    "digraphs": ("void f() <% missing(); %>\n" + K, "1:13.*missing"),
    "alias": ("namespace a { __device__ int f() { return 1; } }\nnamespace n { namespace a = torch::a;\n__global__ void k(int *x) { *x = a::f(); } }\n", "2:29.*torch"),
    "both": ("__host__ __device__ int f() { return missing(); }\n" + K, "1:38.*missing"),
    "macro_of_kernel": ('#include "kernels.h"\nKERNEL k(nothere_t *x) { x[0] = 1; }\nKERNEL other(int *x) { x[0] = 1; }\n', "2:10.*nothere_t"),
    "body_of_macro": ('#include "kernels.h"\nHD int f() { return missing(); }\n__global__ void k(int *x) { x[0] = f(); }\n', "2:21.*missing"),
    "constant": ("const int N = missing();\n__global__ void k(int *x) { x[threadIdx.x] = N; }\n", "1:15.*missing"),
    "constant_before": ("namespace a { const int N = 1; }\nusing namespace a;\nnamespace b { const int N = missing(); using namespace a;\n"
                        "__global__ void k(int *x) { x[threadIdx.x] = N; } }\n", "3:29.*missing"),
    "overload": ("__device__ int f(long x) { return 1; }\nint f(nothere::T x) { return 2; }\n__global__ void k(int *x) { x[0] = f(1); }\n", "2:7.*nothere"),
    "overload_in_macro": ("#define CALL(x) f(x)\n__device__ int f(long x) { return 1; }\nint f(int x, nothere::T y = 1) { return 2; }\n"
                          "__global__ void k(int *x) { x[0] = CALL(1); }\n", "3:14.*nothere"),
    "operator": ("struct A { int n; };\nnothere::Out &operator<<(nothere::Out &out, A a) { return out; }\n" + K, "2:1.*nothere"),
    "type": ("typedef float real;\nnamespace n { typedef nothere::T real;\n__global__ void k(real *x) { x[0] = 1; } }\n", "2:23.*nothere"),
    "class_of_kernel": ("struct A { int n; void f() { missing(); } };\n__global__ void k(A *x) { x->n = 1; }\n", "1:30.*missing"),
    "class_of_device": ("struct A { int n; void f() { missing(); } __device__ int g() { return n; } };\n__global__ void k(int *x) { x[0] = 1; }\n", "1:30.*missing"),
    "specialization": ("template <typename T> struct S { static const int n = 1; };\ntemplate <> struct S<nothere::T> { static const int n = 2; };\n" + K, "2:22.*nothere"),
    "instantiation": ("template <typename T> __global__ void t(T *x) { *x = 1; }\ntemplate __global__ void t<nothere::T>(nothere::T *);\n" + K, "2:28.*nothere"),
    "static_assert": ("static_assert(missing == 1, \"\");\n" + K, "1:15.*missing"),
    "enum": ("enum { A = missing() };\n" + K, "1:12.*missing"),
    "constexpr": ("constexpr int f() { return missing(); }\n" + K, "1:28.*missing"),
    "constexpr_variable": ("constexpr int n = missing;\n" + K, "1:19.*missing"),
    "error": ("#error no\n" + K, "1:2.*no"),
    "include_in_quotes": ('#include "gone.h"\n' + K, "'gone.h' file not found"),
    "lambda_of_device": ("template <typename F> __global__ void t(F f) { f(); }\nint main() { t<<<1, 1>>>([] __device__ () { missing(); }); }\n" + K, "2:45.*missing"),
    "captured": ("const int n = 3;\ntemplate <typename F> __global__ void t(F f, int *x) { *x = f(); }\n"
                 "int main() { nothere::T n = 4; t<<<1, 1>>>([=] __device__ () { return n; }, nullptr); }\n" + K, "3:14.*nothere"),
    "captured_of_loop": ("const int n = 3;\ntemplate <typename F> __global__ void t(F f, int *x) { *x = f(); }\n"
                         "int main() { for (nothere::T n : missing()) t<<<1, 1>>>([=] __device__ () { return n; }, nullptr); }\n" + K, "3:19.*nothere"),
    "captured_pointer": ("__device__ int (*n)[3];\ntemplate <typename F> __global__ void t(F f, int *x) { *x = f(); }\n"
                         "int main() { nothere (*n)[3] = 0; t<<<1, 1>>>([=] __device__ () { return (*n)[0]; }, nullptr); }\n" + K, "3:14.*nothere"),
    "captured_in_macro": ("const int n = 3;\n#define DECLARE(name) nothere::T name\ntemplate <typename F> __global__ void t(F f, int *x) { *x = f(); }\n"
                          "int main() { DECLARE(n); t<<<1, 1>>>([=] __device__ () { return n; }, nullptr); }\n" + K, "4:14.*nothere"),
    "declared_in_macro": ("namespace a { const int n = 3; }\nnamespace b { using namespace a;\n#define DECLARE(name) nothere::T name\nDECLARE(n);\n#undef DECLARE\n"
                          "__global__ void k(int *x) { *x = n; } }\n", "4:1.*nothere"),
    "brackets_of_kernel": ("__global__ void k(int *x)\n{\n#ifdef A\n  x[0] = 1; }\n#endif\n#ifndef A\n  x[0] = 1; x[1] = missing(); missing(x); }\n#endif\n" + K.replace("k(", "other("),
                           "7:20.*missing"),
    "include_in_kernel": ("__global__ void k(int *x)\n{\n#include <nothere.inc>\n  x[0] = 1;\n}\n", "'nothere.inc' file not found"),
    "catch": ("const int n = 3;\ntemplate <typename F> __global__ void t(F f, int *x) { *x = f(); }\n"
              "int main() { try { throw 1; } catch (nothere::T n) { t<<<1, 1>>>([=] __device__ () { return n; }, nullptr); } }\n" + K, "3:38.*nothere"),
    "base": ("__device__ int size() { return 7; }\nstruct Base { int size() { return nothere(); } };\nstruct D : Base { __device__ int f() { return size(); } };\n"
             "__global__ void k(int *x) { D d; *x = d.f(); }\n", "2:35.*nothere"),
    "friend": ("struct P { friend int operator+(P a, nothere::T b) { return 1; } };\n__device__ int operator+(P a, int b) { return 2; }\n"
               "__global__ void k(int *x) { *x = P() + 1; }\n", "1:38.*nothere"),
    "local_class": ("const int n = 3;\nint main() { const int n = missing(); struct F { __device__ int f() { return n; } }; }\n" + K, "2:28.*missing"),
    "no_kernel": ("#include <torch/api.h>\nvoid f() { missing(); }\n", "'torch/api.h' file not found"),
    "called_by_kernel": ("int f() { return missing(); }\n__global__ void k(int *x) { x[0] = f(); }\n", "1:18.*missing"),
    "poisoned_condition": ("int f(nothere::T t);\n#define f(x) 1\n#ifdef f\n__global__ void k(int *x) { x[0] = 1; }\n#endif\n", "1:7.*nothere"),
}


# What a host's function declares, so that the lambda behind it, which a thread calls, means this name: the declaration, what is said
LOCALS = {
    "bindings": ("const auto [n, m] = missing();", "3:.*missing"),
    "bindings_of_loop": ("for (const auto &[n, m] : missing())", "3:.*missing"),
    "attribute": ("[[maybe_unused]] const int n = missing();", "3:.*missing"),
    "attribute_behind": ("const int n __attribute__((unused)) = missing();", "3:.*missing"),
    "brackets": ("const int (n) = missing();", "3:.*missing"),
    "brackets_alone": ("nothere::T (n);", "3:.*nothere"),
    "type_of": ("__typeof__(missing()) n = 4;", "3:.*missing"),
    "enumeration": ("enum { n = missing() } e = n;", "3:.*missing"),
    "enumeration_with_name": ("static enum E { n = missing() } e;", "3:.*missing"),
    "class_with_value": ("struct { nothere::T a; } n = {1};", "3:.*nothere"),
    "second": ("bool a = missing() < 1, n = missing() > (2);", "3:.*missing"),
    "macro": ("\n#define OPEN() int n = missing()\nOPEN();", "5:.*missing"),
    "macro_of_type": ("\n#define DECLARE(T, n) T n\nDECLARE(nothere::T, n) = 4;", "5:.*nothere"),
    "macro_behind_call": ("\n#define DECLARE() missing(); int n = 1\n#define OPEN() DECLARE()\nOPEN();", "6:.*missing"),
}
for local, (text, said) in LOCALS.items():
    REFUSED["local_" + local] = ("const int n = 3;\ntemplate <typename F> __global__ void t(int *x, F f) { *x = f(); }\n"
                                 "int main() { " + text + " t<<<1, 1>>>(nullptr, [=] __device__ () { return (int)sizeof(n); }); }\n" + K, said)
REFUSED |= {
    "lambda_of_host": ("const int n = 3;\ntemplate <typename F> __global__ void t(int *x, F f) { *x = f(); }\ntemplate <typename F> void run(F f) { t<<<1, 1>>>(nullptr, f); }\n"
                       "int main() { for (const auto &[n, m] : missing()) run([=] { return n; }); }\n", "4:.*missing"),
    "specialized_in_macro": ("template <int N> struct size { enum { v = 1 }; };\n#define REG(T, id) template <> struct size<id> { enum { v = sizeof(T) }; }\n"
                             "REG(nothere::half, 2);\n__global__ void k(int *x) { *x = size<2>::v; }\n", "3:.*nothere"),
    "branches": ("__device__ int g(long) { return 1; }\n#ifdef NO_CUDA\nvoid f() {\n#else\n__device__ int g(int) { return 5; }\nvoid f(nothere::T t) {\n#endif\n}\n"
                 "__global__ void k(int *x) { *x = g(1); }\n", "6:.*nothere"),
    "name_in_macro_of_header": ('#include "real.h"\ntypedef float real;\nnamespace n {\ntypedef nothere::T real;\n__global__ void k(int *x) { *x = sizeof(REAL); }\n}\n',
                                "4:.*nothere"),
    "name_in_macro_of_macro": ("typedef float real;\n#define REAL real\n#define SIZE sizeof(REAL)\nnamespace n {\ntypedef nothere::T real;\n"
                               "__global__ void k(int *x) { *x = SIZE; }\n}\n", "5:.*nothere"),
    "chain_of_macros": ("#define AK BK\n#define BK CG\n#define CG __global__ void\nAK bad(nothere_t *x) { x[0] = 1; }\n" + K, "4:8.*nothere_t"),
    "macro_without_end": ("#define KERNEL __global__ void\nKERNEL bad(nothere_t *x) { x[0] = 1; }\n#undef KERNEL\n" + K, "2:12.*nothere_t"),
    "device_by_declaration": ("__device__ int f(int);\n__global__ void k(int *x) { *x = f(1); }\nint f(int x) { enum { B = missing() }; return 5; }\n", "3:27.*missing"),
    "type_of_variable": ("nothere::T n;\ntemplate <class A, class B> struct same { enum { v = 0 }; }; template <class A> struct same<A, A> { enum { v = 1 }; };\n"
                         "__global__ void k(int *x) { *x = same<decltype(n), int>::v; }\n", "1:1.*nothere"),
    "header_of_program": ("#include <project/config.h>\n#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
                          "__global__ void k(int *x) { *x = sizeof(real); }\n", "'project/config.h' file not found"),
    "name_of_macro": ("#define check(x) (x)\nnothere::T f(nothere::T check) { }\nint check(nothere::T t);\n" + K, "3:11.*nothere"),
}
# What else is said: errors behind the first, and what would be left out if there were none
VOID = "2:61.*assigning to 'int' from incompatible type 'void'"
MORE = {
    "constant": ("2:46.*__host__ variable 'N'",), "constant_before": ("4:46.*__host__ variable 'N'",), "operator": ("2:26.*nothere",),
    "instantiation": ("2:40.*nothere",), "static_assert": ("1:15.*expected",), "constexpr_variable": ("1:19.*expected",), "captured_of_loop": ("3:43.*expected",),
    "brackets_of_kernel": ("7:31.*missing",), "catch": (VOID,), "base": ("3:47.*__host__ function 'size'",), "local_class": ("2:78.*local variable 'n'",),
    "called_by_kernel": ("2:36.*no matching function",), "local_bindings": (VOID,), "local_bindings_of_loop": (VOID,), "local_brackets_alone": (VOID,),
    "local_type_of": (VOID,), "local_second": ("3:42.*missing",), "lambda_of_host": (VOID,), "name_of_macro": ("3:22.*expected",),
}
NOTES = {"kernel": "lines 2, 4 of kernel.cu; torch/api.h is not there; cublas_v2.h is not there", "kernel_behind_many": "lines 1-25 of", "device_function": "lines 1 of",
         "name_of_macro": "lines 2 of", "kernel_needs_library": "note.*: cublas_v2.h is not there"}


def run(folder, words, **more):
    environment = {**os.environ, "HEXEC_CACHE": str(folder / "cache"), **more}
    done = subprocess.run([HEXEC, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_right(folder, name):
    _, kernel, values = RIGHT[name]
    code, said = run(folder, [f"{name}.cu", "--kernel", kernel, "--block", "2", "--arg", "i32:2:iota", *(["--arg", "0"] if name == "value_of_known_type" else []),
                              "--print", "0", "--quiet"])
    return [] if code == 0 and re.search(rf"^0 = {values}$", said, re.MULTILINE) else [f"{name}: exit {code}, not 0 with {values}:\n{said}"]


def check_refused(folder, name):
    code, said = run(folder, ["check", f"{name}.cu"])
    wanted = (REFUSED[name][1], *MORE.get(name, ()))
    errors, notes = ([line for line in said.splitlines() if f": {kind}[" in line] for kind in ("error", "note"))
    is_right = len(errors) == len(wanted) and all(map(re.search, wanted, errors)) and len(notes) == (name in NOTES)
    is_right &= all(re.search(NOTES[name], note) for note in notes)
    return [] if code == 2 and is_right else [f"{name}: exit {code}, not 2 with {wanted!r}, {NOTES.get(name)!r}:\n{said}"]


def check_lines(folder):
    """Lines and columns are those of the file, and --verbose says what is out."""
    text = ("#include <cublas_v2.h>\nnothere::T f(nothere::T t)\n{\n  return t;\n}\nnothere::T n; __global__ void k(int *x) { x[threadIdx.x + 2000000] = 1; }\n"
            "int main()\n{\n    missing();\n    return 0;\n}\n")
    (folder / "lines.cu").write_text(text, encoding="utf-8")
    failures = []
    for cache in ("", "off"):
        more = {"HEXEC_CACHE": cache} if cache else {}
        code, said = run(folder, ["lines.cu", "--block", "1", "--arg", "i32:1"], **more)
        if code != 3 or not re.search(r"^lines\.cu:6:\d+: error", said, re.MULTILINE) or "left" in said:
            failures.append(f"lines: exit {code}, not 3 at line 6:\n{said}")
        for _ in range(2):
            code, said = run(folder, ["check", "--verbose", "lines.cu"], **more)
            if code != 0 or "lines 2-6, 9 of lines.cu; cublas_v2.h" not in said:
                failures.append(f"lines: {said}")
    return failures


def check_launches(folder):
    """A template whose launches are all left out has no kernel, which is said: another one would seem to be the only one."""
    text = ("template <typename T> __global__ void t(T *x) { *x = 5; }\n__global__ void k(int *x) { *x = 1; }\n"
            "void f() { k<<<1, missing()>>>(nullptr); }\nint main() { auto x = missing(); t<<<1, 1>>>(x); MORE }\n")
    failures = []
    for name, more, said_too in (("none", "", True), ("one", "t<<<1, 1>>>((int *)nullptr);", False)):
        (folder / f"launch_{name}.cu").write_text(text.replace("MORE", more), encoding="utf-8")
        code, said = run(folder, [f"launch_{name}.cu", "--kernel", "k", "--arg", "i32:1"])
        if code != 0 or ("4:34: warning" in said) != said_too or said.count("warning") != said_too:
            failures.append(f"launch_{name}: exit {code}:\n{said}")
    return failures


def check_instances(folder):
    """Instances of a template that only code which is out would make; one that is made elsewhere, too, is there, and names that begin alike are others."""
    head = ("template <typename T, int N> __global__ void t(T *x) { *x = N; }\n__global__ void t_2(int *x) { *x = 1; }\n"
            "int main(int n, char **)\n{\n    t<int, 1><<<1, 1>>>(nullptr);\n")
    rows = {"switch": ("switch (missing()) { case 0: t<double, 2><<<1, 1>>>(nullptr); }", "t<double,2>"), "call": ("other(missing(), (const void *)t<float, 3>);", "t<float,3>"),
            "value": ("auto e = cudaLaunchKernel((const void *)t<long long, 4>, missing());", "t<long long,4>"), "same": ("switch (missing()) { case 0: t<int, 1><<<1, 1>>>(nullptr); }", None),
            "less": ("auto e = missing() && t < n;", None)}
    failures = []
    for name, (line, instance) in rows.items():
        (folder / f"instance_{name}.cu").write_text(f"{head}    {line}\n}}\n", encoding="utf-8")
        code, said = run(folder, ["check", f"instance_{name}.cu"])
        wanted = [f"no launch of '{instance}' compiles"] if instance else []
        if code != 0 or re.findall(r"^instance_\w+\.cu:6:\d+: warning\S* (no launch of '.*?' compiles)", said, re.MULTILINE) != wanted or said.count(": warning[") != len(wanted):
            failures.append(f"instance_{name}: exit {code}, not {wanted}:\n{said}")
    return failures


def check_kept(folder):
    """What was made of a program without some headers is taken from the cache until one of its files changes, or a header is there."""
    (folder / "kept.h").write_text("#include <torch/later.h>\ninline void f() { missing(); }\n__device__ int two() { return 2; }\n", encoding="utf-8")
    (folder / "kept.cu").write_text('#include "kept.h"\n__global__ void k(int *x) { x[threadIdx.x] = two() + EXTRA; }\n', encoding="utf-8")
    words = ["kept.cu", "--options", "-DEXTRA=0", "--block", "1", "--arg", "i32:1", "--print", "0", "--quiet"]
    failures = []
    for change, value in ((None, 2), (None, 2), (("kept.h", "return 2", "return 3"), 3), (None, 3), (("torch/later.h", "", "#undef EXTRA\n#define EXTRA 5\n"), 8)):
        if change:
            path = folder / change[0]
            path.parent.mkdir(exist_ok=True)
            path.write_text(path.read_text(encoding="utf-8").replace(*change[1:]) if path.exists() else change[2], encoding="utf-8")
        entries = sorted((folder / "cache").glob("*-*"))
        code, said = run(folder, words)
        if code != 0 or f"0 = {value}" not in said:
            failures.append(f"kept: exit {code}, not 0 with {value}:\n{said}")
        if not change and value == 3 and entries != sorted((folder / "cache").glob("*-*")):
            failures.append("kept: it is compiled anew")
    return failures


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        for file, text in {**HEADERS, **{f"{key}.cu": row[0] for key, row in {**RIGHT, **REFUSED}.items()}}.items():
            (folder / file).write_text(text, encoding="utf-8")
        for check in (check_lines, check_launches, check_instances, check_kept) if not WANTED else ():
            failures += check(folder)
        checks = [(check, key) for check, rows in ((check_right, RIGHT), (check_refused, REFUSED)) for key in rows if not WANTED or key in WANTED]
        for found in pool.map(lambda check: check[0](folder, check[1]), checks):
            failures += found
    print("\n".join(failures) or f"host code: {len(RIGHT)} programs run, {len(REFUSED)} are refused")
    sys.exit(bool(failures))


main()
