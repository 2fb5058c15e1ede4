# a function that calls itself without end
hexec run ptx_recursion.ptx
