hexec asm good.yaml -o good.hxb
head -c 10 good.hxb > cut.hxb
hexec run cut.hxb
