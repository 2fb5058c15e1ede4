hexec explain memory.leaves_array
