hexec asm good.yaml -o good.yaml
