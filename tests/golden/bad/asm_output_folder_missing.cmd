hexec asm good.yaml -o nowhere/good.hxb
