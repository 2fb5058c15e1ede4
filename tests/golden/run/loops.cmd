hexec loops.yaml --print left && hexec asm loops.yaml -o loops.hxb && hexec loops.hxb --print left
