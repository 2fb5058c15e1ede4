typedef struct { int n; float k; } opts;
typedef struct { int a[8]; } eight;
typedef union { int i; float f; } either;
int first(opts z) {
  return z.n;
}
kernel void k(global int *x, opts o, const eight b, either u, int4 v) {
  int i = get_global_id(0);
  x[i] = o.n + b.a[i] + u.i + v.y + first(o);
}
