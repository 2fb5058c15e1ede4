#!/usr/bin/env python3
"""What an opcode is stands in isa/hexec.yaml and its row in src/semantics: no other source knows a mnemonic, that
is, has one as a string, or a span's name."""
import re

import house

text = (house.ROOT / "isa/hexec.yaml").read_text(encoding="utf-8")
mnemonics = set(re.findall(r"^\s*(?:-\s*)?mnemonic:\s*\"?([\w.]+)", text, re.MULTILINE))
spans = set(re.findall(r"\bspan:\s*\"?(\w+)", text))
problems = [] if len(mnemonics) > 30 else [f"isa/hexec.yaml: found {len(mnemonics)} mnemonics only"]
for path in house.sources("src", "include", "tools"):
    if path.is_relative_to(house.ROOT / "src/semantics"):
        continue
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for word in re.findall(r'"([\w.]+)"', line):
            if word in mnemonics or word in spans:
                problems.append(f'{house.place(path, number)}: knows "{word}": {line.strip()}')
house.finish("mnemonics", problems)
