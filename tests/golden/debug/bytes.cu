struct pair { int a; float b[2]; unsigned flag : 3; };
__constant__ char hello[] = "hello world";
__global__ void k(int *out) {
  pair p = {1, {2, 3}, 5};
  const char *t = hello;
  __shared__ char flags[8];
  flags[threadIdx.x] = threadIdx.x;
  *(int *)(flags + 4) = 0x00110000;
  out[threadIdx.x] = p.a + t[0] + p.b[1] + flags[3];
}
