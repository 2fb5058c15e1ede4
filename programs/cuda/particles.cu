// Structures by value, with members of different sizes, and templates: particles move in a box until they leave it.
struct Box {
    double low[3], high[3];
};
struct Rules {
    Box box;
    float step;
    char axis;
    short passes;
    float3 gravity;
};
struct Particle {
    float3 place, speed;
    int bounces;
    unsigned char alive, unused[3];
};

template <typename T> struct Span {
    T *at;
    unsigned count;
    __device__ T &operator[](unsigned i) const { return at[i]; }
};

__device__ float3 operator*(float a, float3 b) { return make_float3(a * b.x, a * b.y, a * b.z); }
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }

// Copied, changed and given back, as values are.
__device__ __noinline__ Particle moved(Particle p, const Rules &rules)
{
    p.speed = p.speed + rules.step * rules.gravity;
    p.place = p.place + rules.step * p.speed;
    if (p.place.z < rules.box.low[2]) {
        p.place.z = 2 * (float)rules.box.low[2] - p.place.z;
        p.speed.z = -p.speed.z;
        p.bounces++;
    }
    const float along = rules.axis == 'x' ? p.place.x : p.place.y;
    const int i = rules.axis == 'x' ? 0 : 1;
    p.alive = along >= rules.box.low[i] && along <= rules.box.high[i];
    return p;
}

__global__ void simulate(Rules rules, Span<Particle> particles)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles.count)
        return;
    Particle p = particles[i];
    p.alive = 1;
    for (int pass = 0; pass < rules.passes && p.alive; pass++)
        p = moved(p, rules);
    particles[i] = p;
}
