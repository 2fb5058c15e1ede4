hexec asm good.yaml -o good.hxb
printf '\377' | dd of=good.hxb bs=1 seek=8 conv=notrunc status=none
hexec run good.hxb
