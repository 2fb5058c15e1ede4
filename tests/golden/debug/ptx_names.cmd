hexec debug ptx_names.ptx --block 8 --arg u32:8 --arg 8 < ptx_names.txt 2>&1
