"""What the house tests share: where things are, and how a test ends."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def modules() -> list:
    """The modules from left to right, as src/CMakeLists.txt has them."""
    text = (ROOT / "src/CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^hx_module\((\w+)\)", text, re.MULTILINE)


def sources(*folders: str, endings=(".c", ".h", ".def", ".inc")) -> list:
    """Files below these folders of the repository, in order of name."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*")
                  if path.suffix in endings and path.is_file())


def is_for_kernels(path) -> bool:
    """Is the file compiled for GPUs, by clang when hexec runs, and no part of a module?"""
    return path.is_relative_to(ROOT / "src" / "compiler" / "cuda")


def finish(what: str, problems: list) -> None:
    """Prints what is wrong and ends: 0 when nothing is."""
    for problem in problems:
        print(problem)
    print(f"{what}: {'ok' if not problems else f'{len(problems)} wrong'}")
    sys.exit(1 if problems else 0)


def place(path: pathlib.Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"
