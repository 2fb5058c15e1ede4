hexec debug forms.cl --block 8 --arg i32:8 < forms.txt 2>&1
