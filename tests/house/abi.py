#!/usr/bin/env python3
"""usage: abi.py LIBHEXEC.so VERSION [--write]

The sizes and offsets of all public structs, the values of constants and the names that the library exports are those of abi.txt, as
long as the version is that of abi.txt: a program that was compiled with one library of a version runs with all of them. What is
only added (functions, constants, structs, members behind the others of a struct that begins with its size) is written to abi.txt
with --write; for any other change the version has to be a new one first. `version` in CMakeLists.txt is the place."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import house

STORED = pathlib.Path(__file__).with_name("abi.txt")
DIE = re.compile(r" <(\w+)><(\w+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)")
ATTRIBUTE = re.compile(r"    <\w+>   DW_AT_(\w+)\s*: (?:\([^)]*\):?\s*)*(.*)")


class Die:
    def __init__(self, tag):
        self.tag, self.has, self.parts = tag, {}, []

    def type_at(self):
        """The place of its type; None: it has none."""
        return int(re.match(r"<?(\w+)", self.has["type"])[1], 16) if "type" in self.has else None

    def number(self, name, usual=0):
        return int(self.has.get(name, str(usual)).split()[0], 0)


def read_dies(text):
    dies, open_dies = {}, []
    for line in text.splitlines():
        if found := DIE.match(line):
            depth, offset, tag = int(found[1], 16), int(found[2], 16), found[3]
            dies[offset] = die = Die(tag)
            del open_dies[depth:]
            if open_dies:
                open_dies[-1].parts.append(die)
            open_dies.append(die)
        elif (found := ATTRIBUTE.match(line)) and open_dies:
            open_dies[-1].has[found[1]] = found[2].strip()
    return dies


def type_of(dies, die):
    """The type of a member in words, in which public types have their names."""
    if die.type_at() is None:
        return "void"
    of = dies[die.type_at()]
    if of.tag in ("const_type", "volatile_type"):
        return type_of(dies, of)
    if of.tag == "pointer_type":
        return type_of(dies, of) + " *"
    if of.tag == "array_type":
        return type_of(dies, of) + "".join(f"[{part.number('upper_bound', -1) + 1}]" for part in of.parts)
    if of.tag == "subroutine_type":
        return f"{type_of(dies, of)} ({', '.join(type_of(dies, part) for part in of.parts)})"
    if "name" in of.has:
        return of.has["name"]
    return f"{of.tag[:6]} {{{'; '.join(member(dies, part) for part in of.parts)}}}"


def member(dies, die):
    return f"{die.has.get('name', '')} at {die.number('data_member_location')}: {type_of(dies, die)}"


def describe(dies):
    """Lines that say what there is: struct NAME BYTES, its members, constants, by name."""
    lines, names = {}, {}
    for die in dies.values():
        if die.tag == "typedef":
            names[die.type_at()] = die.has["name"]
    for offset, die in dies.items():
        name = die.has.get("name", names.get(offset, ""))
        if die.tag in ("structure_type", "union_type") and name.startswith("hx_") and "byte_size" in die.has:
            lines[f"struct {name}"] = [str(die.number("byte_size"))] + [member(dies, part) for part in die.parts]
        if die.tag == "enumerator":
            lines[f"constant {name}"] = [die.has["const_value"]]
    return lines


def compiled():
    """What a compiler makes of all headers together."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "all.c", pathlib.Path(folder) / "all.o"
        headers = sorted((house.ROOT / "include" / "hexec").glob("*.h"))
        source.write_text("".join(f'#include "hexec/{header.name}"\n' for header in headers), encoding="utf-8")
        subprocess.run(["gcc", "-std=c17", "-D_GNU_SOURCE", "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-I", house.ROOT / "include",
                        "-c", source, "-o", made], check=True)
        return subprocess.run(["readelf", "--wide", "--debug-dump=info", made], capture_output=True, text=True, check=True).stdout


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return {f"function {line.split()[-1].split('@')[0]}": [] for line in lines if len(line.split()) >= 3}


def read_stored():
    stored, version, last = {}, "", None
    for line in STORED.read_text(encoding="utf-8").splitlines() if STORED.exists() else []:
        if line.startswith("version "):
            version = line.split()[1]
        elif line.startswith("    "):
            last.append(line.strip())
        else:
            words = line.split()
            last = stored[" ".join(words[:2])] = words[2:]
    return version, stored


def write(version, found):
    text = [f"version {version}"]
    for key in sorted(found):
        text.append(" ".join([key] + found[key][:1]))
        text += [f"    {line}" for line in found[key][1:]]
    STORED.write_text("\n".join(text) + "\n", encoding="utf-8")


def is_addition(key, before, now):
    """A struct that begins with its size may grow behind its members."""
    return (key.startswith("struct ") and len(before) > 1 and before[1].startswith("size at 0: size_t")
            and now[1:len(before)] == before[1:] and int(now[0]) >= int(before[0]))


def main():
    library, version = sys.argv[1:3]
    if not all(map(shutil.which, ("gcc", "readelf", "nm"))):
        print("skipped: it needs gcc, readelf and nm")
        return 0
    found = describe(read_dies(compiled())) | exported(library)
    stored_version, stored = read_stored()
    assert sum(key.startswith("struct ") for key in found) > 50 and sum(key.startswith("function ") for key in found) > 100, "not all is found"
    breaking = [f"{key}: {' '.join(stored[key][:1])} became {' '.join(found.get(key, ['nothing'])[:1])}" for key in sorted(stored)
                if key not in found or (found[key] != stored[key] and not is_addition(key, stored[key], found[key]))]
    added = [key for key in sorted(found) if found[key] != stored.get(key) and not (key in stored and not is_addition(key, stored[key], found[key]))]
    if "--write" in sys.argv and not (breaking and version == stored_version):
        write(version, found)
        return 0
    cure = "run tests/house/abi.py --write as the test's command has it"
    if breaking and version == stored_version:
        cure = f"raise the version in CMakeLists.txt, which is {version}, then {cure}"
        print("\n".join(f"not as programs know it: {line}" for line in breaking))
    if breaking or added or version != stored_version:
        print("\n".join(f"not in abi.txt: {key}" for key in added[:20]))
        print(f"abi: {len(breaking)} changed, {len(added)} added, version {version} after {stored_version}; {cure}")
        return 1
    print(f"abi: {len(found)} structs, constants and functions are those of version {version}")
    return 0


sys.exit(main())
