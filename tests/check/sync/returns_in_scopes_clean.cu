// Returns where objects of inner scopes are destroyed, also by a macro: the code of that is also that of threads that go on.
// run --grid 1 --block 64 --arg i32:64 --arg 60
#define CHECK(c) do { if (!(c)) return; } while (0)
struct guard { int *p; __device__ guard(int *q) : p(q) {} __device__ ~guard() { if (p) *p += 1; } };
__global__ void returns_in_scopes_clean(int *y, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    CHECK(t < n);
    {
        guard g(&s[t]);
        CHECK(t != 3);
        if (t == 4) return;
        s[t] = t;
        __syncthreads();
        s[t] += 1;
        if (t == 5) return;
        __syncthreads();
    }
    [=] { if (t == 6) return; y[t] = 3; }();
    __syncthreads();
    y[t] = s[t];
}
