printf 'break 12\nrun\nprint tile\nprint tile[1]\nprint tile[1][2]\nprint tile[5]\nprint tile[0]@2\nx/4fw &tile[1]\nprint (float*) tile\nprint *((float*) tile + 5)\nprint &tile\nprint sizeof tile\nwhatis tile\nwhatis tile[0]\nprint (int*) first\nprint *tile\nset tile[1][2] = 7\nlanes tile[threadIdx.x][2]\nwatch tile[1][0]\ninfo buffers\n' > session.txt; hexec debug dynamic.cu --kernel rows --block 2 --arg f32:2:iota --dynamic-shared 48 < session.txt 2>&1
printf 'break 21\nrun\nprint items\nprint items[1].value\nprint &items[1]\nptype items[0]\nprint items[3]\n' > session.txt; hexec debug dynamic.cu --kernel structs --block 2 --arg f32:2:iota --dynamic-shared 28 < session.txt 2>&1
printf 'break 28 if raw[0] == 0\nrun\nprint typed\nprint (float*) raw\nprint *(float*) raw@2\nprint ((float*) raw)[1]\nwhatis raw\nprint sizeof(raw)\n' > session.txt; hexec debug dynamic.cu --kernel generic --block 2 --arg f32:2:iota --dynamic-shared 8 < session.txt 2>&1
sed -n '/./p' > rest.yaml <<'Y'
program: rest
launch: {grid: [1], block: [2], dynamic_shared: 8}
shared:
  - {name: rest, type: u32, count: dynamic}
code: |
  mov.u32 r0, %tid.x
  sts.u32 [rest + r0*4], r0
  exit
Y
hexec debug rest.yaml --batch -e 'break 8' -e run -e 'print rest' -e 'print rest[1]' -e 'watch rest' -e 'print rest[2]' 2>&1
