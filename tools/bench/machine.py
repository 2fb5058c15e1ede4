"""What a reader must know of the machine to make something of its times. No names of hosts or people, no paths."""
import os
import pathlib
import re
import shutil
import subprocess


def first_line(*command):
    try:
        shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        return shown.stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def field(text, pattern):
    found = re.search(pattern, text, re.MULTILINE)
    return found[1].strip() if found else None


def processor():
    info = read("/proc/cpuinfo")
    numbers = [field(info, rf"^{key}\s*: (.*)$") for key in ("cpu family", "model", "stepping")]
    name = field(info, r"^model name\s*: (.*)$") or os.uname().machine
    return f"{name}, family {numbers[0]} model {numbers[1]} stepping {numbers[2]}" if all(numbers) else name


def caches():
    """"48K data, 64K instruction, 2048K unified, ..." of the first core."""
    found = []
    for folder in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (read(folder / name) for name in ("level", "type", "size"))
        if size:
            found.append(f"L{level} {kind.lower()} {size}")
    return ", ".join(found)


def package(name):
    return first_line("dpkg-query", "-W", "-f=${Version}\n", name)


def describe(root, compiler):
    """Pairs of what and how; what is not known is left out."""
    memory = field(read("/proc/meminfo"), r"^MemTotal:\s*(\d+) kB")
    pages = field(read("/sys/kernel/mm/transparent_hugepage/enabled"), r"\[(\w+)\]")
    pocl, oclgrind = package("pocl-opencl-icd"), package("oclgrind")
    found = {
        "processor": processor(),
        "cores": f"{len(os.sched_getaffinity(0))}",
        "caches": caches(),
        "memory": f"{int(memory) / 2**20:.0f} GiB, huge pages: {pages}" if memory and pages else None,
        "system": f"{field(read('/etc/os-release'), r'^PRETTY_NAME=.(.*).$')}, Linux {os.uname().release}",
        "compiler": first_line(os.path.realpath(shutil.which(compiler) or compiler), "--version"),
        "PoCL": pocl,
        "Oclgrind": oclgrind,
        "hexec": first_line("git", "-C", str(root), "describe", "--always", "--dirty"),
    }
    return {what: how for what, how in found.items() if how}
