hexec asm good.yaml -o good.hxb
printf 'Z' | dd of=good.hxb bs=1 seek=90 conv=notrunc status=none
hexec run good.hxb
