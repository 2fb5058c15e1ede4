hexec loop_fault.yaml --print left
