#!/usr/bin/env python3
"""What an opcode is stands in isa/hexec.yaml and its row in src/semantics: no other source knows a mnemonic, that
is, has one as a string, or a span's name."""
import re

import house

# Words that mean something else too: modifiers of setp; a feature of CPUs; keys of a fill; a sink; the end of a span;
# a special register; options; a command of the debugger.
ALSO = {"and", "or", "xor", "fma", "min", "max", "log", "exit", "clock", "print", "assert", "set"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

text = (house.ROOT / "isa/hexec.yaml").read_text(encoding="utf-8")
mnemonics = set(re.findall(r"^\s*(?:-\s*)?mnemonic:\s*\"?([\w.]+)", text, re.MULTILINE))
spans = set(re.findall(r"\bspan:\s*\"?(\w+)", text))
problems = [] if len(mnemonics) > 30 else [f"isa/hexec.yaml: found {len(mnemonics)} mnemonics only"]
for path in house.sources("src", "include", "tools/hexec"):
    # the rows name what they mean; titles of diagnostics are prose; a log and the exit of a span are no opcodes
    if path.is_relative_to(house.ROOT / "src/semantics") or path.is_relative_to(house.ROOT / "src/trace") or path.parent.name == "codes" or \
            path.is_relative_to(house.ROOT / "src/ptx") or path == house.ROOT / "src/vectors/text.c":  # write kernels
        continue
    code = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), 1):
        for word in re.findall(r'"([\w.]+)"', line):
            if word in (mnemonics | spans) - ALSO:
                problems.append(f'{house.place(path, number)}: knows "{word}": {line.strip()}')
house.finish("mnemonics", problems)
