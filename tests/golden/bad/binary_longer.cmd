hexec asm good.yaml -o good.hxb
{ cat good.hxb; echo more; } > long.hxb
hexec run long.hxb
