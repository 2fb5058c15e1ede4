hexec debug programs/opencl/saxpy.cl --grid 4 --block 256 --arg 1000 --arg 2.0 --arg f32:1000:iota --arg f32:1000:1 --batch -e 'break 6' -e run -e stepi -e reverse-stepi -e 'print arg2[3]' -e 'watch arg3[1]' -e continue -e delete -e continue -e 'info buffers' -e 'print arg3[1]' -e 'x arg3[998] 4' -e 'print r0'
hexec debug programs/opencl/saxpy.cl --arg 0 --arg 2.0 --arg f32:8 --arg f32:8 --batch -e run -e 'print arg3[8]'
hexec debug programs/saxpy.yaml --batch -e run -e 'print arg1[0]'
