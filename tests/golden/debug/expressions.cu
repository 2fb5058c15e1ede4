enum class Mode : unsigned char { Off, On = 3 };
namespace ns {
enum Kind { K0, K1 = 7 };
template <typename T, int N> struct Vec {
  T e[N];
  __device__ T dot(const Vec &o) const {
    T s = 0;
    for (int i = 0; i < N; i++)
      s += e[i] * o.e[i];
    return s;
  }
};
}
struct node { int val; node *next; float w; };
template <typename T> __device__ T add(T a, T b) {
  T c = a + b;
  return c;
}
__global__ void k(int *out, void *raw) {
  __shared__ int tile[4];
  const int i = threadIdx.x;
  Mode m = i & 1 ? Mode::On : Mode::Off;
  ns::Kind kind = ns::K1;
  ns::Vec<float, 3> v = {{1.0f, 2.0f, 3.0f}};
  node last = {7, 0, 1.5f}, first = {i, &last, 0.25f};
  void *pb = &last;
  int mat[2][3] = {{1, 2, 3}, {4, 5, 6}};
  const char *text = "it\n";
  char name[8] = {'h', 'e', 'x', 'e', 'c'};
  tile[i] = i + 1;
  out[i] = add<int>(i, 2) + (int)add<double>(1.5, 2.5) + (int)v.dot(v) + mat[1][i & 1] + (int)m + (int)kind;
  out[i] += text[0] + name[i] + first.next->val + (pb != 0);
}
