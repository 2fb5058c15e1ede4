#!/usr/bin/env python3
"""Programs in OpenCL C and CUDA C: run.py HEXEC. Each row is a command in a folder with the files below, and what it must
print. The compiler's cache is a folder of the test's own."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEXEC = pathlib.Path(sys.argv[1]).resolve()
TOOLKIT = re.findall(r"^TOOLKIT\(([\w.]+)\)", (pathlib.Path(__file__).resolve().parents[2] / "src/compiler/cuda_toolkit.def").read_text(encoding="utf-8"), re.M)
FILES = {
    "saxpy.cl": """#include "width.h"
kernel void saxpy(int n, float a, global const float *x, global float *y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i] + WIDTH;
}
typedef struct { char tag; double d; int n[3]; } thing;
kernel void things(global double *out, thing t, float4 v, int n)
{
    out[0] = t.tag; out[1] = t.d; out[2] = t.n[2]; out[3] = v.y + v.w; out[4] = n;
}
kernel void reverse(global float *x, local float *tmp)
{
    int i = get_local_id(0), n = get_local_size(0);
    tmp[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = tmp[n - 1 - i] * SCALE;
}
kernel void wide(global long *o, constant float *c, long n) { o[get_global_id(0)] = n + (long)c[get_local_id(0)]; }
""",
    # what clang's back end has no instruction for: half as parts of float
    "parts.cl": """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant int bits[8] = {0x40003c00, 0x44004200, 0x45804500, 0x3c004600, 0x3800b800, 0x34003400, 0x41004100, 0x42004200};
kernel void parts(global const int *zero, global const half *h, global float *o)
{
    float v[8];
    for (int i = 0; i < 8; i++)
        v[i] = as_float(bits[i] + zero[i]) * 2.f;
    half2 one = as_half2(v[0]) + (half)1;
    half4 two = as_half4((float2)(v[0], v[1])) + (half)1;
    half8 four = as_half8((float4)(v[0], v[1], v[2], v[3])) + (half)1;
    half16 eight = as_half16((float8)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])) + (half)1;
    half4 back = (half4)(h[0], h[3], h[2], h[1]) * (half)2 + (half)1;
    float2 f = as_float2(back) * 2.f;
    o[0] = as_float(back.lo * (half)2) * 2.f; o[1] = f.x; o[2] = f.y;
    vstore2(convert_float2(one), 0, o + 3);
    vstore4(convert_float4(two), 0, o + 5);
    vstore8(convert_float8(four), 0, o + 9);
    vstore16(convert_float16(eight), 0, o + 17);
}
""",
    "parts.cu": """typedef _Float16 pair __attribute__((ext_vector_type(2)));
__global__ void parts(const int *bits, float *o)
{
    float v = __int_as_float(bits[1] + 0x40003bff) * 2.f;
    pair h = *reinterpret_cast<pair *>(&v), g = {h.y, h.x};
    float f = *reinterpret_cast<float *>(&g) * 3.f, w = 0.1f;
    o[0] = (float)h.x + 1;
    o[1] = (float)h.y + 1;
    o[2] = f * w - 0.0023483634f; /* one rounding */
}
""",
    "complex.cu": """#include <cuComplex.h>
__global__ void k(double *out, float *single)
{
    cuDoubleComplex a = make_cuDoubleComplex(3, 4), b = make_cuDoubleComplex(1, -2), q = cuCdiv(a, b), p = cuCmul(a, b), f = cuCfma(a, b, a);
    out[0] = cuCabs(a); out[1] = cuCreal(q); out[2] = cuCimag(q); out[3] = p.x; out[4] = p.y; out[5] = f.x; out[6] = f.y; out[7] = cuConj(a).y;
    cuComplex c = cuComplexDoubleToFloat(cuCadd(a, b)), d = cuCdivf(c, make_cuComplex(1e30f, 1e30f));
    single[0] = cuCabsf(c); single[1] = cuCsubf(c, make_cuFloatComplex(1, 1)).x; single[2] = d.x * 1e30f; single[3] = d.y * 1e30f;
}
int main() { return cuCabs(make_cuDoubleComplex(1, 2)) > 2; }
""",
    "pairs.cu": """#include <cuda_fp8.h>
#define ONE 1 /* a name that headers must leave alone */
__host__ __device__ float halved(__half h) { return (float)(h * __half(0.5f) + __half(1.0f)); } /* host code has the operators, too */
__global__ void k(unsigned *out)
{
    __nv_bfloat162 b(__nv_bfloat16(1.0f), __nv_bfloat16(2.0f));
    out[0] = __nv_fp8x4_e4m3(__half2(1.0f, 2.0f), __half2(3.0f, 4.0f)).__x * ONE; /* 0x48444038 */
    out[1] = __nv_fp8x4_e4m3(make_float4(1, 2, 3, 4)).__x;
    out[2] = ((unsigned)__nv_bfloat162_raw(b).y << 16 | __nv_bfloat162_raw(b).x) == 0x40003f80u ? 0x40404040 : 0;
    out[3] = (unsigned)halved(__half(2.0f));
    out[4] = cudaGetLastError();
}
int main() { return (int)halved(__half(1.0f)); }
""",
    "width.h": "#define WIDTH 0\n#ifndef SCALE\n#define SCALE 1\n#endif\n",
    "order.cl": """kernel void order(global uint *next, global uint *out)
{
    local uint number;
    if (get_local_id(0) == 0)
        number = atomic_inc(next);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = number;
}
""",
    "one.cl": "kernel void saxpy(int n, float a, global const float *x, global float *y)\n"
              "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n",
    "inlined.cl": """inline __attribute__((noinline)) void step(uint *words, uint length, uint *digest)
{
    for (uint i = 0; i < length; i++)
        digest[i % 2] += words[0] << i;
}
kernel void digests(global uint *out)
{
    uint words[1] = {(uint)get_global_id(0)}, digest[2] = {0, 0};
    step(words, 3, digest);
    step(digest, 2, digest);
    out[get_global_id(0)] = digest[0] + digest[1];
}
""",
    "sets.yaml": """program: sets
source: one.cl
params: [{name: n, type: i32, value: 4}, {name: a, type: f32, value: 2}, {name: m, type: i32, value: 0}, {name: pass, type: i32, value: 0}]
buffers: [{name: x, type: f32, count: n, fill: iota}, {name: y, type: f32, count: n, fill: 1}]
run: [{repeat: 2, counter: pass, run: [{kernel: saxpy, block: [32], params: {m: pass + 1}, args: [m, a, x, y]}]}]
expect: [{buffer: y, values: [1, 3, 1, 1]}]
""",
    "scale.cu": "#include <cuda_runtime.h>\n__global__ void scale(float *x, float a) { x[blockIdx.x * blockDim.x + threadIdx.x] *= a; }\n"
                "int main() { float *x; cudaMalloc(&x, 4); scale<<<1, 1>>>(x, 2.0f); return 0; }\n",
    "says.cu": """#include <stdio.h>
__device__ int counter;
__global__ void says(int *x)
{
    printf("says %d\\n", threadIdx.x);
    x[threadIdx.x] = 1;
    atomicAdd(&counter, 1);
}
""",
    "spread.cl": """kernel void spread(int n, global float4 *x)
{
    float4 sum[4] = {0};
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 4; r++)
            sum[r] += x[r] * k;
    for (int r = 0; r < 4; r++)
        x[r] = sum[r];
}
""",
    "heap.cu": """__global__ void heap(int *x, int n)
{
    int *p = (int *)malloc(4 * n);
    for (int i = 0; i < n; i++)
        p[i] = threadIdx.x + i;
    x[threadIdx.x] = p[n / 2];
    free(p);
}
""",
    "old.cu": "__global__ void old(int *x) { register int i = threadIdx.x; x[i] = i; }\n",
    "long.cu": f"""struct {'Of' * 150}Name {{ int x; }};
__device__ void takes({'Of' * 150}Name value);
__global__ void calls() {{ takes(1); }}
""",
    "none.cl": "int helper(int x) { return x; }\n",
    "text.txt": "# nothing\n",
    "named.yaml": """program: named
source: saxpy.cl
kernel: saxpy
params: [{name: n, type: i32, value: 4}, {name: a, type: f32, value: 2}]
buffers: [{name: x, type: f32, count: n, fill: iota}, {name: y, type: f32, count: n, fill: 1}]
launch: {block: [32]}
expect: [{buffer: y, values: [1, 3, 5, 7]}]
""",
    "steps.yaml": """program: steps
source: saxpy.cl
options: -DSCALE=2
params: [{name: n, type: i32, value: 4}, {name: a, type: f32, value: 2}, {name: pass, type: u32, value: 0}]
buffers: [{name: x, type: f32, count: n, fill: iota}, {name: y, type: f32, count: n, fill: 1}, {name: d, type: f64, count: 5}]
run:
  - {kernel: saxpy, block: [32], args: [n, a, x, y], repeat: 2}
  - {kernel: saxpy, block: [32], args: [2, 1.0, y, x]}
  - {repeat: 2, counter: pass, run: [{kernel: saxpy, block: [4], args: [pass, 1, x, y]}]}
expect: [{buffer: y, values: [2, 5, 9, 13]}, {buffer: x, values: [1, 6, 2, 3]}]
""",
    "struct.yaml": """program: struct
source: saxpy.cl
kernel: things
params: [{name: n, type: i32, value: -3}]
buffers: [{name: out, type: f64, count: 5}]
args: [out, {struct: [{i8: -7}, {f64: 2.5}, {i32: [1, 2, 9]}]}, {type: f32, values: [1, 2, 3, 4]}, n]
launch: {block: [1]}
expect: [{buffer: out, values: [-7, 2.5, 9, 6, -3]}]
""",
    "local.yaml": """program: local
source: saxpy.cl
kernel: reverse
options: "-DSCALE=\\"(1 + 1)\\" -O1"
buffers: [{name: x, type: f32, count: 8, fill: iota}]
args: [x, {shared: 32}]
launch: {block: [8]}
expect: [{buffer: x, values: [14, 12, 10, 8, 6, 4, 2, 0]}]
""",
    "wide.yaml": """program: wide
source: saxpy.cl
kernel: wide
params: [{name: n, type: i64, value: 5000000000}]
buffers: [{name: o, type: i64, count: 4}, {name: c, type: f32, values: [1, 2, 3, 4]}]
launch: {block: [4]}
expect: [{buffer: o, values: [5000000001, 5000000002, 5000000003, 5000000004]}]
""",
    "inline.yaml": """program: inline
ptx: |
    .version 7.0
    .target sm_70
    .address_size 64
    .entry put(.param .u64 out, .param .u32 value)
    {
        .reg .b64 %a; .reg .b32 %v;
        ld.param.u64 %a, [out];
        ld.param.u32 %v, [value];
        st.global.u32 [%a], %v;
        ret;
    }
params: [{name: value, type: i32, value: -5}]
buffers: [{name: out, type: i32, count: 1}]
launch: {block: [1]}
expect: [{buffer: out, values: [-5]}]
""",
}
RUN = "--verify --quiet"
IGNORES_CHILDREN = (f"sed 's/get_local_id/get_lokal_id/' saxpy.cl > lokal.cl; {sys.executable} -c 'import os, signal, sys; "
                    "signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execlp(\"hexec\", *sys.argv[1].split())'")
# (command, exit code, a pattern in what it prints, the environment)
ROWS = [
    ("hexec saxpy.cl --kernel saxpy --block 32 --arg 4 --arg 2 --arg f32:4:iota --arg f32:4:1 --print 3 --quiet", 0, "^3 = 1 3 5 7", {}),
    ("hexec saxpy.cl --kernel saxpy --options -DSCALE=3 --block 32 --arg 4 --arg 2 --arg f32:4:iota --arg f32:4:1 --print 3 --quiet", 0, "= 1 3 5 7", {}),
    ("hexec saxpy.cl --kernel saxpy --options '' --block 32 --arg 4 --arg 2 --arg f32:4:iota --arg f32:4:1 --print 3 --quiet", 0, "^3 = 1 3 5 7", {}),
    *((f"hexec parts.cl {how} --block 1 --arg i32:8 --arg f16:4:iota --arg f32:33 --print 2 --quiet", 0,
       "^2 = 16809984 65656 64.134766 2 3.25 2 3.25 4 5.5 2 3.25 4 5.5 6 7 7 2.125 2 3.25 4 5.5 6 7 7 2.125 0.5 1.5625 1.25 1.28125 3.5 3.75 4 4.25$", {})
      for how in ("", "", "--no-cache", "--check all")),
    *((f"hexec parts.cu --options '{how}' --block 1 --arg i32:2:iota --arg f32:4 --print 1 --quiet", 0, f"^1 = 2 3.25 {left} 0$", {})
      for how, left in (("", "3.499334e-11"), ("-ffp-contract=off", "0"))),
    ("sed 's/o.2. = f/missing = f/' parts.cu > wrong.cu; hexec wrong.cu --block 1 --arg i32:2:iota --arg f32:4", 2, r"wrong\.cu:9:5: error", {}),
    ("hexec scale.cu --block 4 --arg f32:4:iota --arg 0.5 --print 0 --quiet", 0, r"^0 = 0 0\.5 1 1\.5", {}),
    ("hexec saxpy.cl --kernel things --arg f64:5 --arg '{struct: [{i8: 1}, {f64: 2}, {i32: [3, 4, 5]}]}' --arg '{type: f32, values: [1, 2, 3, 4]}' "
     "--arg 8 --print 0 --quiet", 0, "= 1 2 5 6 8", {}),
    *((f"hexec {name}.yaml {RUN}", 0, "^$", {}) for name in "named steps sets struct local wide inline".split()),
    *((f"hexec spread.cl --options {level} --block 1 --arg 3 --arg f32:16:iota --print 1:0:4 --quiet", 0, "= 0 3 6 9$", {}) for level in ("-Os", "-Oz")),
    ("hexec order.cl --block 4 --arg u32:1:7 --arg u32:4 --print 1 --quiet", 0, "^1 = 7 7 7 7$", {}),
    ("hexec inlined.cl --block 4 --arg u32:4 --print 0 --quiet", 0, "^0 = 0 32 64 96$", {}),
    ("hexec check inlined.cl --options -cl-std=CLC++", 0, "ok", {}),
    ("hexec says.cu --block 2 --arg i32:2", 0, r"^says 0\nsays 1\n.*\ncounter = 2\n0 = 1 1$", {}),
    ("hexec named.yaml --param n=2 --param a=5 --print y --quiet", 0, "= 1 6$", {}),
    *((f"hexec disasm {name}.yaml -o again.yaml && hexec again.yaml {RUN} && hexec asm again.yaml -o again.hxb && hexec again.hxb --quiet", 0, "^$", {})
      for name in "steps sets inline".split()),
    ("hexec profile saxpy.cl --kernel saxpy --block 32 --arg 4 --arg 2 --arg f32:4 --arg f32:4", 0, r"y\[i\] = a \* x\[i\]", {}),
    ("hexec saxpy.cl --kernel saxpy --block 32 --arg 9 --arg 2 --arg f32:4 --arg f32:4", 3, r"saxpy\.cl:6:\d+: error", {}),
    ("hexec saxpy.cl --kernel saxpy --source ptx --block 32 --arg 9 --arg 2 --arg f32:4 --arg f32:4", 3,
     r"saxpy\.cl\.ptx:\d+:\d+: error[^\n]*\n +\d+ \|\s+ld\.global\.f32", {}),
    ("hexec saxpy.cl --kernel saxpy --source hexec --block 32 --arg 9 --arg 2 --arg f32:4 --arg f32:4", 3,
     r"saxpy\.cl\.hexec:\d+:\d+: error.*'ldg\.f32 .*\n +\d+ \| +ldg\.f32 r\d+, \[r", {}),
    ("hexec profile named.yaml --source ptx --by line --sort source --top 100", 0, r"ld\.global\.f32", {}),
    ("hexec profile named.yaml --source hexec --by line --sort source --top 100", 0, r"\d ldg\.f32 r", {}),
    ("hexec import saxpy.cl --source ptx", 0, r"# [^\n]*ld\.global\.f32", {}),
    ("mkdir -p sub; cp *.cl *.h sub; sed 's/^kernel.*/&\\nargs: [9, a, x, y]/' named.yaml > sub/n.yaml; hexec sub/n.yaml", 3,
     r"^sub/saxpy\.cl:6:\d+: error.*\n +6 \| +y\[i\] = a", {}),
    ("mkdir -p sub; cp scale.cu sub; sed -e 's/saxpy.cl/scale.cu/; s/^kernel.*/kernel: scale\\nargs: [x, a]/' -e 's/count: 4/count: 3/' named.yaml > sub/c.yaml; hexec sub/c.yaml",
     3, r"^sub/scale\.cu:\d+:\d+: error.*\n +\d+ \| .*x\[", {}),
    ("hexec init saxpy.cl --kernel saxpy -o made.yaml && hexec made.yaml --param saxpy_param_0=4 --param saxpy_param_1=2 "
     "--buffer saxpy_param_2=iota --print saxpy_param_3:0:4 --quiet", 0, "= 0 2 4 6$", {}),
    ("hexec init saxpy.cl --kernel things -o made.yaml && hexec init saxpy.cl --kernel reverse && hexec check made.yaml", 0, r"shared: 1024.*made\.yaml: ok", {}),
    ("hexec import saxpy.cl -o made.yaml && hexec check made.yaml && grep '# 6' made.yaml", 0, r"ok.*# 6: y\[i\] = a \* x\[i\]", {}),
    ("hexec disasm named.yaml -o again.yaml && hexec again.yaml --verify --quiet", 0, "^$", {}),
    ("hexec init named.yaml", 2, "HX18.*is a program already", {}),
    ("cp saxpy.cl kernels && hexec check kernels && cp scale.cu kernels && hexec check kernels", 0, "kernels: ok.*kernels: ok", {}),
    ("(echo '# kernel void global'; cat inline.yaml) > document && hexec check document", 0, "document: ok", {}),
    ("hexec saxpy.cl --kernel reverse --block 4 --arg f32:4:iota --arg shared:16 --print 0 --quiet", 0, "^0 = 3 2 1 0$", {}),
    # mistakes
    ("hexec saxpy.cl --kernel reverse --block 4 --arg f32:4:iota --arg shared:12", 3, r"thread \(3,0,0\): store of 4 bytes", {}),
    ("hexec saxpy.cl --arg 4", 2, r"^saxpy\.cl:\d+.* has 4 parameters, and no value for: 1 \(f32\), 2 \(pointer\), 3 \(pointer\)$", {}),
    ("printf '__device__ int beside(float *);\\n__global__ void k(float *x)\\n{\\n    x[0] = beside(x);\\n}\\n' > apart.cu; hexec check apart.cu", 2,
     r"^apart\.cu:4:12: error\[HX2103\]: kernel 'k\(float\*\)' cannot run: 'beside\(float\*\)': the function is not in this module$", {}),
    ("printf 'kernel void k(int a, int b) { __asm__(\"frobnicate;\"); }' > wrong.cl; hexec check wrong.cl", 2, r"^wrong\.cl:1:\d+: .*'k'.*'frobnicate'", {}),
    ("printf '__global__ void k(float *x, int n) { x[0] = n; }' > named.cu; hexec named.cu", 2, r"^named\.cu:1:.*kernel 'k\(float\*, int\)' has 2 parameters", {}),
    ("printf 'kernel void k(global int *x)\\n{\\n    local int large[60000];\\n    large[x[0]] = 1;\\n    barrier(1);\\n    x[0] = large[x[1]];\\n}\\n' > large.cl; hexec check large.cl", 2, r"^large\.cl:\d:.*HX1311.*'large'", {}),
    ("printf 'kernel void k(local float *few, local int *more) { int i = get_local_id(0); few[i] = 1.f; more[2 + i / 2] = i; }' > given.cl; "
     "hexec given.cl --block 8 --arg shared:64 --arg shared:64 --check race --quiet", 1, r"race\.write_write: store by two threads that nothing orders, of element 2 of the local memory of argument 1 ", {}),
    ("hexec saxpy.cl --arg x", 2, r"argument 0 of kernel 'saxpy', 'x': this is not an integer", {}),
    ("hexec saxpy.cl --kernel none", 2, r"no kernel 'none'\n.*it has saxpy, things, reverse, wide$", {}),
    *((f"hexec {command}; grep -q 'kernel void' one.cl", 0, "HX1855.*take the place of the", {}) for command in
      ("disasm sets.yaml -o one.cl", "import sets.yaml -o one.cl", "asm sets.yaml -o one.cl", "init one.cl -o ./one.cl", "import one.cl -o one.cl")),
    ("sed 's/get_local_id/get_lokal_id/' saxpy.cl > bad.cl; hexec check bad.cl", 2, r"bad\.cl:15:13: error\[HX2111\]: .*get_lokal_id.*", {}),
    ("hexec check none.cl", 2, r"^none\.cl:1:1: error\[HX2100\].*no kernel", {}),
    ("sed 's/width.h/wide.h/' saxpy.cl > bad.cl; hexec check bad.cl", 2, r"bad\.cl:1:10: error\[HX2111\]: 'wide\.h' file not found", {}),
    ("hexec check saxpy.cl --options '-DN=\"1'", 2, "HX2114.*quote", {}),
    *((f"hexec check saxpy.cl --options '{options}'", 2, "HX2114.*is no option that says how", {}) for options in
      ("-o out", "-D N -S", "-fplugin=x.so", "-Xclang -load", "other.cl", "@file", "-mllvm -x")),
    ("hexec check one.cl --options '-DN=3 -Q'", 2, r"compiler options:1:7: error\[HX2114\]: '-Q' is no option", {}),
    *((f"sed 's/-DSCALE=2/{options}/' steps.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:3:%d: error\[HX2114\]: '-Q' is" % column, {})
      for options, column in (("-DN=3 -Q", 16), ("\"-DN=3 -Q\"", 17))),
    ("hexec old.cu --block 4 --arg i32:4", 0, "0 = 0 1 2 3", {}),
    ("hexec check long.cu", 2, r"help: line 2: .*(Of){150}Name", {}),
    ("hexec heap.cu --block 4 --arg i32:4 --arg 8 | grep -c hexec_; true", 0, "^0$", {}),
    ("hexec heap.cu --block 4 --arg i32:4 --arg 8", 0, "0 = 4 5 6 7", {}),
    # what headers do is in the program's lines
    ("printf '%s\\n' '__global__ void k(int *out)' '{' '    if (out[0] == 0)' '        __trap();' '}' > trap.cu; hexec trap.cu --block 1 --arg i32:1", 3, r"^trap\.cu:4:9: error\[HX1656\]", {}),
    ("echo '__global__ void k(float *x) { x[0] = sinf(x[0]) + powf(x[1], 3) + __ldg(x + 2) + std::max(x[3], x[4]); }' > lines.cu; "
     "hexec import lines.cu --options -O0 | grep '^ *# [0-9]*:' | grep -v 'k(float'", 1, "^$", {}),
    # options of nvcc
    *((f"hexec check scale.cu --options '{options}'", 0, "ok$", {}) for options in
      ("-arch=sm_80", "-arch sm_90a --gpu-code=sm_90", "-gencode arch=compute_75,code=sm_75 -gencode=arch=compute_80,code=[sm_80,sm_86]", "-arch=native", "--cuda-gpu-arch=sm_80",
       "-rdc true --fmad false -forward-unknown-to-host-compiler", "-lineinfo -G -g --use_fast_math -use_fast_math --extended-lambda --expt-relaxed-constexpr -rdc=true -dc -Xptxas -v -maxrregcount=32",
       "--ptxas-options=-v,-O3 -Xcompiler -Wall,-fopenmp --compiler-options \"-fPIC -O2\" -O3 --std=c++20 -std=c++17 -w -Xlinker -rpath --diag-suppress=177 -m64 --fmad=false -ftz=true")),
    *((f"hexec check scale.cu --options '{options}'", 2, "HX2114.*'{}' is no option".format(options.split()[0]), {}) for options in
      ("-rdc=maybe", "-lineinfo=2", "-arch", "-archer=sm_80", "-arch=sm80", "-Xclang -load", "-o out")),
    *((f"echo '__global__ void k(int *out) {{ out[0] = FIVE; }}' > pre.cu; echo '#define FIVE 5' > five.h; hexec pre.cu --options '{option}' --block 1 --arg i32:1 --print 0 --quiet", 0, "^0 = 5$", {})
      for option in ("--pre-include five.h", "-pre-include=five.h", "-include five.h")),
    ("hexec check saxpy.cl --options -lineinfo", 2, "HX2114.*'-lineinfo' is no option", {}),
    *((f"echo '__global__ void k(int *out) {{ out[0] = __CUDA_ARCH__; }}' > arch.cu; hexec arch.cu --options '{options}' --block 1 --arg i32:1 --print 0 --quiet", 0, f"^0 = {value}$", {})
      for options, value in (("-G", 700), ("-arch=sm_80", 800), ("-arch sm_50", 700), ("-gencode arch=compute_75,code=sm_75", 750), ("--gpu-architecture=compute_120", 860),
                             ("--offload-arch=sm_75", 750), ("-arch=all", 700))),
    ("echo '__global__ void k(float *out) { out[0] = 1 / out[1]; }' > fast.cu; hexec import fast.cu --options -use_fast_math", 0, "rcp.*ftz|div.*ftz", {}),
    ("hexec import fast.cu; hexec import fast.cu --options -ftz=false | grep -c ftz", 1, "^0$", {}),
    ("hexec check saxpy.cl --options '-D N=3 -Wall -I . -include width.h'", 0, "ok", {}),
    # macros are the program's: names that what stands before it uses, too
    *((f"printf '%s' '{text}' > macros{ending}; hexec macros{ending} --options \"{options}\" --block 1 --arg f32:1 --print 0 --quiet", 0, f"^0 = {value}$", cache)
      for text, ending in (("kernel void k(global float *out) { out[0] = NAME(VALUE); }", ".cl"), ("__global__ void k(float *out) { out[0] = NAME(VALUE); }", ".cu"))
      for options, value in (("-Dx=2 -DT=3 -D dimension=4 -Dsize=5 -DM=6 -Dto=7 '-DNAME(a)=a+x' -DVALUE=M", 8), ("-DVALUE=7 -DNAME -UNAME -DNAME=sqrt -UVALUE -DVALUE=16.0f", 4))
      for cache in ({}, {"HEXEC_CACHE": "off"})),
    ("echo '#define NAME(a) (2 * a)' > name.h; hexec macros.cl --options '-include name.h -D VALUE=21' --block 1 --arg f32:1 --print 0 --quiet", 0, "= 42$", {}),
    ("(for c in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do echo \"#define $c 4\"; done; "
     "printf '#include <%s>\\n' cuda_fp16.h cuda_bf16.h cuda_fp8.h cooperative_groups/reduce.h cooperative_groups/memcpy_async.h cooperative_groups/scan.h cuda/atomic cuda/barrier "
     "cuda/pipeline mma.h helper_cuda.h; echo '__global__ void k(float *out) { out[0] = T; }') > letters.cu; hexec letters.cu --block 1 --arg f32:1 --print 0 --quiet", 0, "= 4$", {}),
    ("hexec complex.cu --block 1 --arg f64:8 --arg f32:4 --print 0 --print 1 --quiet", 0, r"0 = 5 -1(\.0+2)? 2 11 -2 14 2 -4\n1 = 4\.472136 3 3 -1$", {}),
    ("hexec pairs.cu --block 1 --arg u32:5 --print 0 --quiet", 0, "0 = 1212432440 1212432440 1077952576 2 0$", {}),
    (f"(printf '#include <%s>\\n' {' '.join(TOOLKIT)}; cat scale.cu) > toolkit.cu; hexec check toolkit.cu", 0, "toolkit.cu: ok", {}),
    ("(echo '#define x 3'; echo '#include <cuComplex.h>') > header.cu; hexec check header.cu", 2, r"/hexec/include/cuComplex\.h:\d+:\d+: ", {}),
    ("hexec check macros.cl --options '-D3=4'", 2, "HX2111.*<command line>:1:9: macro name must be an identifier", {}),
    *((f"hexec check {name} --options '-Wall -Wextra -Werror'", 0, rf"^{name}: ok$", {}) for name in ("one.cl", "scale.cu")),
    *((f"hexec check one.cl --options {option}", 2, "HX2113.*wrote no PTX", {}) for option in ("-fsyntax-only", "-flto")),
    *((f"sed 's/x.i. +/b +/' one.cl > bad.cl; hexec check bad.cl --options {option}", 2, r"^bad\.cl:2:\d+: error\[HX2111\]: use of undeclared .*'b'", {})
      for option in ("-fcolor-diagnostics", "-fno-show-column", "-fno-show-source-location", "-fmessage-length=30")),
    ("(echo '#warning an error: none'; cat one.cl) > bad.cl; hexec check bad.cl", 0, r"bad\.cl:1:2: warning\[HX2112\]: an error: none", {}),
    # a parent that ignores SIGCHLD, as some that start services do: clang's exit status is not known then
    *((f"{IGNORES_CHILDREN} 'hexec check {name}'", code, pattern, {}) for name, code, pattern in
      (("one.cl", 0, "ok"), ("lokal.cl", 2, "HX2111.*get_lokal_id"))),
    ("hexec check saxpy.cl --options -fnonsense", 2, "HX2114.*-fnonsense", {}),
    ("hexec check saxpy.cl", 2, "HX2110.*no clang", {"HEXEC_CLANG": "/nonexistent"}),
    ("hexec check saxpy.cl", 2, "HX2110.*no libclc", {"HEXEC_LIBCLC": "/nonexistent"}),
    ("hexec check saxpy.cl", 2, "HX2113.*failed with status 1", {"HEXEC_CLANG": "/bin/false", "HEXEC_CACHE": "off"}),
    ("sed 's/saxpy.cl/text.txt/' named.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:2:9: error\[HX2106\].*neither", {}),
    ("sed 's/saxpy.cl/gone.cl/' named.yaml > bad.yaml; hexec check bad.yaml", 5, r"bad\.yaml:2:9: error\[HX1001\]", {}),
    ("sed '/kernel:/d' named.yaml > bad.yaml; hexec check bad.yaml", 2, "HX2106.*4 kernels", {}),
    ("sed 's/kernel: saxpy/kernel: saxpi/' named.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:3:9: .*no kernel 'saxpi'", {}),
    ("sed 's/args: .out,/args: [/' struct.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:6:7: .*has 4 parameters, and here are 3", {}),
    ("sed 's/i8: -7/i9: -7/' struct.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:6:\d+: .*no type of a member", {}),
    ("sed 's/1, 2, 9/1, 2, 9, 9, 9/' struct.yaml > bad.yaml; hexec check bad.yaml", 2, "and the parameter 32", {}),
    ("sed 's/i8: -7/i8: -700/' struct.yaml > bad.yaml; hexec check bad.yaml", 2, r"bad\.yaml:6:\d+: error\[HX1112\]", {}),
    ("(cat named.yaml; echo 'code: exit') > bad.yaml; hexec check bad.yaml", 2, "`code` does not go with `source`", {}),
    ("sed 's/st.global.u32/sto.global.u32/' inline.yaml > bad.yaml; hexec bad.yaml", 2, r"bad\.yaml:11:9: ", {}),
]


def run(command, folder, more):
    environment = {**os.environ, "HEXEC_CACHE": str(folder / "cache"), **more, "PATH": f"{HEXEC.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def check_cache(folder, failures):
    """A second run takes the PTX from the cache, and does not if a file that is included changes."""
    command = "hexec saxpy.cl --kernel saxpy --block 4 --arg 4 --arg 2 --arg f32:4:iota --arg f32:4:1 --print 3 --quiet"
    cache = folder / "cache"
    for more, entries in (("", 1), ("", 1), (" --no-cache", 1), (" --options -O3", 2)):
        run(command + more, folder, {})
        if len(list(cache.glob("ptx-*"))) != entries:
            failures.append(f"cache: {len(list(cache.glob('ptx-*')))} entries after '{more}', not {entries}")
    if cache.stat().st_mode & 0o077:
        failures.append("cache: others can read the folder")
    for entry in cache.glob("ptx-*"):  # what the cache has is what runs
        entry.write_bytes(entry.read_bytes().replace(b"fma.rn.f32", b"fms.rn.f32"))
    if run(command, folder, {})[0] == 0:
        failures.append("cache: an entry is not used")
    (folder / "width.h").write_text("#define WIDTH 10\n#define SCALE 1\n", encoding="utf-8")
    if "= 11 13 15 17" not in run(command, folder, {})[1]:
        failures.append("cache: a changed header is not seen")
    (folder / "width.h").write_text(FILES["width.h"], encoding="utf-8")
    for entry in cache.glob("ptx-*"):
        entry.write_bytes(entry.read_bytes()[:-20])
    if "= 1 3 5 7" not in run(command, folder, {})[1]:
        failures.append("cache: an entry that was cut off is used")
    for entry in cache.glob("*"):
        entry.unlink()


def check_precompiled(folder, failures):
    """Programs are the same with what is precompiled and without, and when it is broken."""
    (folder / "calls.cl").write_text("#define CALL(begin, end) begin##end\nkernel void calls(global float *x) "
                                     "{ int i = get_global_id(0); x[i] = CALL(ma, x)(exp(x[i]), x[i + 1]); }\n", encoding="utf-8")
    (folder / "calls.cu").write_text("__global__ void calls(float *x) { int i = threadIdx.x; x[i] = max(expf(x[i]), x[i + 1]); }\n", encoding="utf-8")
    for name in ("calls.cl", "calls.cu"):
        wanted = run(f"hexec import {name}", folder, {"HEXEC_CACHE": "off"})
        if wanted[0] != 0:
            failures.append(f"precompiled: {name}: {wanted}")
        for change in (None, lambda old: old, lambda old: old[:-len(old) // 3], lambda old: old.replace(b"hexec", b"hexed")):
            for entry in (folder / "cache").glob("*-*"):
                if entry.name.startswith("ptx-"):
                    entry.unlink()
                elif change:
                    head = entry.read_bytes().index(b"\n")
                    old = entry.read_bytes()
                    new = change(old[head:])
                    entry.write_bytes(old[:head].replace(str(len(old)).encode(), str(len(new)).encode()) + new.ljust(len(old) - head, b"\0"))
            found = run(f"hexec import {name}", folder, {})
            if found != wanted:
                failures.append(f"precompiled: {name} is another with the cache:\n{found}\n{wanted}")
    kinds = {entry.name.split("-")[0] for entry in (folder / "cache").glob("*-*")}
    if not {"prelude", "functions"} <= kinds:
        failures.append(f"precompiled: the cache has {kinds}")
    for entry in (folder / "cache").glob("*"):
        entry.unlink()


def check_starts(folder, failures):
    """What is precompiled is used: clang starts once for a program, and again if libclc turns out to be needed, or the program is wrong."""
    clang = folder / "clang"
    real = shutil.which(os.environ.get("HEXEC_CLANG", "clang-14")) or shutil.which("clang")
    clang.write_text(f'#!/bin/sh\necho "$@" >>{folder}/starts\nexec {real} "$@"\n', encoding="utf-8")
    clang.chmod(0o755)
    more = {"HEXEC_CLANG": str(clang)}
    head = "kernel void k(global float *x) { int i = get_global_id(0); x[i] = "
    programs = {"plain.cl": (head + "exp(x[i]); }", 1, False), "clc.cl": (head + "max(x[i], 1.0f); }", 1, True),
                "pasted.cl": ("#define M(a, b) a##b\n" + head + "M(ma, x)(x[i], 1.0f); }", 2, True), "wrong.cl": (head + "nothing(); }", 2, True),
                "plain.cu": ("__global__ void k(float *x) { x[0] = max(x[0], 1.0f); }", 1, False)}
    for name in ("calls.cl", "calls.cu"): # what is precompiled is made
        run(f"hexec check {name}", folder, more)
    for name, (text, count, has_libclc) in programs.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
        (folder / "starts").write_text("", encoding="utf-8")
        run(f"hexec check {name}", folder, more)
        starts = (folder / "starts").read_text(encoding="utf-8").splitlines()
        is_fast = bool(starts) and "-include-pch" in starts[0]
        if len(starts) != count or not is_fast or ("nvptx64--nvidiacl" in starts[-1]) != has_libclc:
            failures.append(f"precompiled: clang starts {len(starts)} times for {name}, not {count}, or otherwise:\n" + "\n".join(starts))
    clang.unlink()
    for entry in (folder / "cache").glob("*"):
        entry.unlink()


def check_kept_warnings(folder, failures):
    """What clang warned of is said again when the PTX comes from the cache, also of a file that is included."""
    said = []
    (folder / "warns.cl").write_text('#include "warns.h"\nkernel void warns(global int *x) { int unused; x[0] = 1; }\n', encoding="utf-8")
    command = "hexec check warns.cl --options -Wall"
    for word in ("one", "one", "two"):
        (folder / "warns.h").write_text(f"#warning {word}\n", encoding="utf-8")
        said.append(run(command, folder, {})[1])
    if "unused variable" not in said[0] or "one" not in said[0] or said[0] != said[1]:
        failures.append(f"cache: warnings are not said again:\n{said[0]}\n{said[1]}")
    if said[2] != said[0].replace("one", "two"):
        failures.append(f"cache: a changed warning of a header is not seen:\n{said[2]}")
    entries = list((folder / "cache").glob("ptx-*"))
    if len(entries) != 2:
        failures.append(f"cache: {len(entries)} entries of a program with warnings, not 2")
    for entry in (folder / "cache").glob("*"):
        entry.unlink()


def main():
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        check_cache(folder, failures)
        check_kept_warnings(folder, failures)
        check_precompiled(folder, failures)
        check_starts(folder, failures)
        for command, code, pattern, more in ROWS:
            got, printed = run(command, folder, more)
            if got != code or not re.search(pattern, printed, re.MULTILINE | re.DOTALL):
                failures.append(f"{command}\nexit {got}, not {code}; {pattern!r} is looked for in\n{printed[:1500]}")
    print("\n".join(failures) or f"compiler: {len(ROWS)} commands ok")
    sys.exit(bool(failures))


main()
