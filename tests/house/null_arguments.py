#!/usr/bin/env python3
"""usage: null_arguments.py CC LIBRARY TRACING

No public function crashes when a pointer is NULL. The functions are those that the headers declare, which are those that the
library exports. Each is called with each of its pointers NULL, with all of them NULL, and, if it takes a context, with one
that has no program, in a process of its own. A pointer that may not be NULL gives HX_INVALID, and a diagnostic."""
import pathlib
import re
import subprocess
import sys
import tempfile

import house

COMPILER, LIBRARY, TRACING = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3] == "1"
INVALID, STATUS_NONE, SAID_SO = 2, 30, 32  # as in null_arguments/things.h
PROTOTYPE = re.compile(r"HX_API\s+(?:HX_MUST_CHECK\s+)?([\w\s]+?[\s*]+)(hx_\w+)\(([^;]*?)\)\s*;")

# Parameters that may be NULL in every function, and in single ones: their comments in the headers say so.
ANYWHERE = {"diag", "options", "allocator", "user"}
SOMEWHERE = {"hx_stream_launch ret_result", "hx_program_load_bytes directory", "hx_program_load_source_bytes directory", "hx_object_compile directory", "hx_cuda_compile directory", "hx_isa_load path", "hx_isa_reference mnemonic",
             "hx_metric_print metric", "hx_buffer_new name", "hx_builder_add_param value", "hx_builder_add_buffer fill", "hx_builder_add guard", "hx_buffer_new_over name", "hx_buffer_new_shared name", "hx_buffer_new_beside name", "hx_context_set_buffer data", "hx_listener_close listener",
             "hx_program_set_argument kernel"}
NOWHERE = {"hx_launch options", "hx_stream_launch options", "hx_export_check options", "hx_profile_export options"}
# With these left to their defaults a call takes minutes.
SLOW = {"hx_bench_run options", "hx_bench_run diag", "hx_host_measure options", "hx_host_measure diag"}
# Contexts without a program are as good as others for these.
UNLOADED = {"hx_context_load", "hx_context_load_bytes"}

OBJECTS = {"hx_context": "context", "hx_isa": "isa", "hx_program": "program", "hx_kernel": "kernel", "hx_device": "device",
           "hx_buffer": "buffer", "hx_event": "event", "hx_diag": "diag", "hx_profile": "profile", "hx_costs": "costs",
           "hx_comparison": "comparison", "hx_bench_report": "bench_report", "hx_test_report": "test_report",
           "hx_listener": "listener", "hx_progress": "progress", "hx_perf_site": "perf_site", "hx_session": "session",
           "hx_builder": "builder"}
FUNCTIONS = {"hx_write_function": "swallow", "hx_stream_function": "be_called", "hx_trace_sink": "take_record",
             "hx_setting_function": "take_setting", "hx_may_change_function": "may_not_change",
             "hx_path_function": "visit"}
NUMBERS = {"hx_status": 0}  # where 1 is no good value


def read_functions():
    """(return type, name, [(type, parameter)]) of each."""
    for path in sorted((house.ROOT / "include/hexec").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        if not TRACING and path.name == "trace.h":
            continue
        for returned, name, parameters in PROTOTYPE.findall(text):
            parameters = re.sub(r"hx_status \(\*(\w+)\)\([^)]*\)", r"hx_path_function \1", parameters)
            split = [re.match(r"(.*?)(\w+)$", re.sub(r"\s*(\w+)\[\w*\]$", r" *\1", part.strip()), re.DOTALL).groups()
                     for part in parameters.split(",")]
            yield returned.strip(), name, [] if parameters == "void" else [(t.strip(), n) for t, n in split]


def is_pointer(kind):
    return "*" in kind or kind in FUNCTIONS


def valid(kind, name, number):
    """An expression for an argument that is as it should be."""
    base = re.sub(r"\bconst\b|\bstruct\b|[*\s]", "", kind)
    if kind in FUNCTIONS:
        return FUNCTIONS[kind]
    if kind.count("*") == 2 and not name.startswith("ret_"):
        return "things.buffers" if base == "hx_buffer" else "things.strings"
    if kind.count("*") == 1 and base == "hx_stream":
        return "stream()"
    if kind.count("*") == 1 and base in OBJECTS:
        return f"things.{OBJECTS[base]}"
    if base == "char" and "*" in kind:
        return '"/nowhere"'
    if name == "user" or base == "hx_allocator":
        return "NULL"
    return f"(void *)zeros[{number}]" if "*" in kind else f"({kind}){NUMBERS.get(kind, 1)}"


def is_wanted(function, name):
    key = f"{function} {name}"
    return key in NOWHERE or (name not in ANYWHERE and key not in SOMEWHERE and not function.endswith("_free"))


def write_calls(functions):
    """The program's text: a function for each call, and one that makes all of them."""
    calls, tries = [], []

    def add(returned, name, what, arguments):
        number = len(calls)
        call = f"{name}({', '.join(arguments)})"
        body = f"return (int){call};" if returned == "hx_status" else f"(void){call};\n    return STATUS_NONE;"
        calls.append(f"static int call_{number}(void)\n{{\n    {body}\n}}\n")
        tries.append(f'    try_call("{name}", "{what}", call_{number});')

    for returned, name, parameters in functions:
        good = [valid(kind, parameter, i) for i, (kind, parameter) in enumerate(parameters)]
        pointers = [i for i, (kind, _) in enumerate(parameters) if is_pointer(kind)]
        for i in pointers:
            if f"{name} {parameters[i][1]}" not in SLOW:
                add(returned, name, parameters[i][1], good[:i] + ["NULL"] + good[i + 1:])
        if pointers:
            add(returned, name, "(all)", ["NULL" if i in pointers else one for i, one in enumerate(good)])
        if "things.context" in good:
            add(returned, name, "(no-program)", ["things.empty_context" if one == "things.context" else one for one in good])
    return ('#include "things.h"\n\n' + "\n".join(calls) + "\nint main(void)\n{\n    make_things();\n" + "\n".join(tries) +
            "\n    return remove(things.path) != 0;\n}\n")


def judge(functions, name, what, ended):
    """What is wrong with how a call ended; "" for nothing."""
    returned, parameters = functions[name]
    if ended < 0:
        return f"{name}: signal {-ended} when {what} is NULL"
    if returned != "hx_status" or what == "diag":
        return ""
    wanted = any(is_wanted(name, n) for t, n in parameters if is_pointer(t)) if what == "(all)" else is_wanted(name, what)
    if what == "(no-program)":
        return "" if ended == INVALID or name in UNLOADED else f"{name}: returns {ended} when the context has no program"
    if wanted and ended % SAID_SO != INVALID:
        return f"{name}: returns {ended % SAID_SO} when {what} is NULL, not HX_INVALID"
    has_diag = any(n == "diag" for _, n in parameters) and what != "(all)"
    return f"{name}: says nothing when {what} is NULL" if wanted and has_diag and ended < SAID_SO else ""


functions = list(read_functions())
exported = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
declared = {name for _, name, _ in functions}
problems = [f"{name} is exported and in no header" for name in sorted(exported - declared)]
problems += [f"{name} is declared and not exported" for name in sorted(declared - exported)]
if len(functions) < 150:
    problems.append(f"only {len(functions)} functions were found")
with tempfile.TemporaryDirectory(prefix="hexec-null-") as work:
    source, program = pathlib.Path(work, "calls.c"), pathlib.Path(work, "calls")
    source.write_text(write_calls(functions), encoding="utf-8")
    build = subprocess.run([COMPILER, "-std=gnu17", "-w", "-I", house.ROOT / "include", "-I", house.ROOT / "tests/house/null_arguments",
                            f"-DHX_TRACING={int(TRACING)}", source, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-o", program],
                           capture_output=True, text=True, check=False)
    if build.returncode != 0:
        house.finish("null_arguments", [build.stderr])
    ran = subprocess.run([program], capture_output=True, text=True, check=False, cwd=work)
    if ran.returncode != 0:
        problems.append(f"the calls end with {ran.returncode}: {ran.stdout[-500:]}{ran.stderr[-500:]}")
by_name = {name: (returned, parameters) for returned, name, parameters in functions}
for line in ran.stdout.splitlines():
    parts = line.split()
    if len(parts) == 3 and parts[0] in by_name:
        problems.append(judge(by_name, parts[0], parts[1], int(parts[2])))
house.finish("null_arguments", [problem for problem in problems if problem])
