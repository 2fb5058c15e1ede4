hexec debug halves.cu --block 2 --arg f32:4 --arg '{type: f16, values: [2]}' < halves.txt 2>&1
