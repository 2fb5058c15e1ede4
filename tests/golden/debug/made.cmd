hexec debug made.cu --block 4 --arg i32:4 --batch -e 'break 6' -e run -e 'info buffers' -e 'info buffers all' -e 'info buffers some' 2>&1
