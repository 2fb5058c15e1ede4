hexec dynamic_shared.yaml --verify --print where && hexec asm dynamic_shared.yaml -o dynamic.hxb && hexec dynamic.hxb --verify --quiet && hexec disasm dynamic.hxb | grep words,
