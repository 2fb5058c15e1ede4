kernel void k(global int *o) {
  int i = get_global_id(0);
  printf("i is %d\n", i);
  o[i] = i;
}
