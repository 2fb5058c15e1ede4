hexec asm good.yaml -o good.hxb
head -c 100 good.hxb > cut.hxb
hexec run cut.hxb
