printf 'print *f32 0\nprint sizeof(void *)\nprint threadIdx\nquit\n' | hexec debug set_registers.yaml
