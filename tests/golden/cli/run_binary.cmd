hexec asm good.yaml -o good.hxb && hexec good.hxb -q --print y:0:4
