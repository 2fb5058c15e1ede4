hexec asm good.yaml && ls -l good.hxb >/dev/null
hexec disasm good.hxb -o again.yaml
hexec asm again.yaml -o again.hxb
cmp good.hxb again.hxb && echo same bytes
hexec disasm good.hxb
