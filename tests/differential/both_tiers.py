"""A program interpreted and compiled: what tests of the compiled tier compare."""
import json
import os
import pathlib
import subprocess
import sys
import typing

sys.dont_write_bytecode = True
TIMEOUT = 300
FAULT = 3 # exit code


class Outcome(typing.NamedTuple):
    code: int
    message: str
    buffers: tuple
    counts: tuple


def command(hexec, folder, options):
    return subprocess.run([hexec, "run", "program.yaml", "--workers", "1", *options], cwd=folder, env=dict(os.environ, HEXEC_CACHE="off"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)


def launch(hexec, folder, buffers, *options):
    """Of the folder's program.yaml: the buffers named, and what was counted; of a launch that ends well."""
    outputs = [pathlib.Path(folder) / f"{name}.bin" for name in buffers]
    for output in outputs:
        output.unlink(missing_ok=True)
    to_files = [word for name, output in zip(buffers, outputs) for word in ("--out", f"{name}={output}")]
    done = command(hexec, folder, ["--json", *options, *to_files])
    document = json.loads(done.stdout) if done.returncode == 0 else {}
    return Outcome(done.returncode, done.stderr, tuple(output.read_bytes() for output in outputs if done.returncode == 0),
                   tuple(document.get(name) for name in ("issues", "thread_instructions")))


def launches(hexec, folder, text, buffers, *options, plain=True):
    """The program `text` in gangs of 64 lanes, interpreted and compiled."""
    (pathlib.Path(folder) / "program.yaml").write_text(text)
    return (launch(hexec, folder, buffers, *options, "--gang", "64", *(["--plain"] if plain else [])),
            launch(hexec, folder, buffers, *options, "--tier", "compiled"))


def compare(hexec, folder, seeds, text_of, **how):
    """Of each program text_of(seed), which has the buffer y: whether it had a fault, and whether it ran otherwise compiled."""
    for seed in seeds:
        interpreted, compiled = launches(hexec, folder, text_of(seed), ["y"], **how)
        differs = interpreted != compiled or interpreted.code not in (0, FAULT)
        if differs:
            print(f"seed {seed}: {both(interpreted, compiled)}")
        yield interpreted.code != 0, differs


def said(hexec, folder, *options):
    """What --verbose says of the folder's program, compiled."""
    return command(hexec, folder, ["--tier", "compiled", "--verbose", *options]).stdout


def code_of(hexec, folder):
    """LLVM's code of the folder's program."""
    return subprocess.run([hexec, "disasm", "program.yaml", "--compiled=ir"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=TIMEOUT).stdout


def both(interpreted, compiled):
    differ = [i for i, (a, b) in enumerate(zip(interpreted.buffers, compiled.buffers)) if a != b]
    return (f"interpreted {interpreted.code} {interpreted.message} {interpreted.counts}, compiled {compiled.code} "
            f"{compiled.message} {compiled.counts}; buffers that differ: {differ}")
