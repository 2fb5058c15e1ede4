enum Color { Red = 1, Green, Blue };
enum class Shade : unsigned char { Light = 10, Dark = 200 };
enum class Level : long long { Low = -5, High = 5000000000 };
int __device__ total = 3;
int __device__ weight = 4;
namespace ns {
enum Color { Red = 11, Green };
namespace inner { enum class Color { Red = 21, Violet }; __device__ int depth = 22; }
enum Apart { Alone = 31 };
__device__ int total = 12;
}
namespace { __device__ int hidden = 41; enum { Nameless = 42 }; }
namespace far { enum { Both = 1 }; }
namespace away { enum { Both = 2 }; }
struct bits { unsigned a : 4, b : 31; };
struct item {
  enum Kind { Red = 51, Small };
  static const int limit = 52;
  int weight, count;
  __device__ __noinline__ int sum(int x) const {
    enum { Mine = 53 };
    return weight + x + count + limit + total + Mine + Red; // 22
  }
};
namespace ns {
struct box { int total; __device__ __noinline__ int get(int x) const; };
__device__ int box::get(int x) const {
  return total + x + Red; // 28
}
}
__global__ void k(int *out) {
  enum Color { Red = 61, Lilac };
  const int i = threadIdx.x;
  const item it = {70 + i, 71};
  const ns::box b = {72};
  bits few = {2, 3};
  Level level = Level::High;
  Shade shade = i ? Shade::Light : Shade::Dark;
  {
    enum { Red = 62 };
    out[i] = Red + it.sum(i) + b.get(i) + (int)level + (int)shade + Lilac; // 41
    out[i] += total + weight + hidden + Nameless + far::Both + away::Both + ::Red + ns::Red + ns::total;
  }
  out[i] += (int)ns::inner::Color::Red + ns::inner::depth + ns::Alone + item::Small + (int)Blue + Red + few.a + few.b; // 44
}
