hexec addresses.yaml --param 'from=$a' --verify --print a --print b --print seen && hexec disasm addresses.yaml | grep -A 3 -E '^(params|buffers|constants|run):' &&
hexec asm addresses.yaml -o addresses.hxb && hexec disasm addresses.hxb > again.yaml && hexec asm again.yaml -o again.hxb && cmp addresses.hxb again.hxb &&
hexec again.hxb --param 'from=$a + 0' --verify --quiet
