"""The sides of the benchmark: programs that run one kernel on a command (see side.h for the commands)."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build/release"  # --build sets both to another folder
PROGRAMS = BUILD / "tools/bench"
ANSWER_LIMIT_S = 300
PACKAGES = {"pocl": "pocl-opencl-icd", "oclgrind": "oclgrind", "opencl": "ocl-icd-opencl-dev opencl-c-headers"}


def use_build(folder):
    global BUILD, PROGRAMS
    BUILD = pathlib.Path(folder).resolve()
    PROGRAMS = BUILD / "tools/bench"


class SideError(Exception):
    """A side cannot do what it is asked to; says why."""


class Kind:
    """A side that may take part: what it is called, the size it runs, how its program is started, how many samples a
    turn takes."""

    def __init__(self, name, size, command, environment=None, per_turn=1):
        self.name, self.size, self.command = name, size, command
        self.environment, self.per_turn = environment or {}, per_turn

    def start(self, kernel):
        return Side(self, kernel)


class Side:
    """A running side. Ends with close(), or at the latest with the benchmark."""

    def __init__(self, kind, kernel):
        self.kind = kind
        command = [str(part) for part in kind.command]
        place = command.index("KERNEL")
        command[place:place + 1] = [kernel, kind.size]
        self.said = tempfile.TemporaryFile("w+", errors="replace")  # on standard error, in case it ends
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=self.said, env=os.environ | kind.environment, cwd=ROOT)
        try:
            self.about = self.answer()
        except SideError:
            self.close()
            raise

    def answer(self):
        watch = threading.Timer(ANSWER_LIMIT_S, self.process.kill)
        watch.start()
        try:
            line = self.process.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            raise SideError(self.last_words())
        answer = json.loads(line)
        if "error" in answer:
            raise SideError(answer["error"].strip())
        return answer

    def last_words(self):
        self.said.seek(0)
        lines = [line.strip() for line in self.said if line.strip()]
        return f"ended, or gave no answer for {ANSWER_LIMIT_S} s{': ' if lines else ''}{' / '.join(lines[-3:])}"

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise SideError(self.last_words()) from error
        return self.answer()

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.close()


def plugin():
    return os.environ.get("HEXEC_LLVM") or str(BUILD / "libhexec-llvm.so")


def hexec(name, size, per_turn=1, **options):
    arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
    return Kind(name, size, [PROGRAMS / "bench_hexec", "KERNEL", "--programs", ROOT / "programs", *arguments],
                {"HEXEC_LLVM": plugin()}, per_turn)


def native(size):
    return Kind("native", size, [PROGRAMS / "bench_native", "KERNEL"])


def reference(size):
    return Kind("reference", size, [PROGRAMS / "bench_reference", "KERNEL", "--programs", ROOT / "programs"])


def opencl_command():
    return [PROGRAMS / "bench_opencl", "KERNEL", "--source", ROOT / "tools/bench/kernels.cl"]


def pocl(size):
    # PoCL 3.1 and 5.0 name the number of threads differently; its cache belongs to the build folder
    cache = PROGRAMS / "pocl-cache"
    cache.mkdir(parents=True, exist_ok=True)
    return Kind("pocl", size, opencl_command(),
                {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1", "POCL_CACHE_DIR": str(cache),
                 "OCL_ICD_VENDORS": "pocl.icd"})


def driver(size):
    """hexec as an OpenCL device: the host program and the source are PoCL's."""
    return Kind("hexec/opencl", size, opencl_command(),
                {"OCL_ICD_VENDORS": str(BUILD / "lib/hexec/hexec.icd"), "HEXEC_WORKERS": "1", "HEXEC_TIER": "compiled", "HEXEC_LLVM": plugin()})


def oclgrind(size):
    return Kind("oclgrind", size, ["oclgrind", "--num-threads", "1", *opencl_command()])


def oclgrind_checks(size):
    return Kind("oclgrind/checks", size,
                ["oclgrind", "--num-threads", "1", "--data-races", "--uninitialized", *opencl_command()])


def kernels():
    """The names of what can be measured."""
    shown = subprocess.run([PROGRAMS / "bench_native", "list"], stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(shown.stdout)["kernels"]


def why_missing(name):
    """Why a side cannot take part on this machine; None when it can."""
    if name in ("pocl", "oclgrind", "opencl") and not (PROGRAMS / "bench_opencl").exists():
        return f"built without OpenCL's headers and loader: install {PACKAGES['opencl']}"
    if name == "pocl" and not list(pathlib.Path("/etc/OpenCL/vendors").glob("pocl*.icd")):
        return f"PoCL is not installed: install {PACKAGES['pocl']}"
    if name == "opencl" and not (BUILD / "lib/hexec/hexec.icd").exists():
        return "hexec is built without its OpenCL driver"
    if name == "oclgrind" and not shutil.which("oclgrind"):
        return f"Oclgrind is not installed: install {PACKAGES['oclgrind']}"
    return None
