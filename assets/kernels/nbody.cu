// One step of gravity between all pairs of bodies, one body a thread.

struct Given {
    // Elements that are written; sizes of the kernel's own; its parameters.
    unsigned len;
    unsigned unused[3];
    unsigned sizes[4];
    float numbers[4];
};

// Elements in order, however many blocks there are to a side.
__device__ unsigned place() {
    return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
}

extern "C" __global__ void nbody(Given given, const float4 *position, float4 *next, float4 *velocity) {
    unsigned k = place();
    if (k < given.len) {
        float dt = given.numbers[0], softening = given.numbers[1];
        float4 own = position[k], speed = velocity[k];
        float x = 0.0f, y = 0.0f, z = 0.0f;
        for (unsigned other = 0; other < given.len; other++) {
            float4 body = position[other];
            float dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
            float square = dx * dx + dy * dy + dz * dz + softening * softening;
            float pull = body.w / (square * sqrtf(square));
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        speed.x = fmaf(dt, x, speed.x);
        speed.y = fmaf(dt, y, speed.y);
        speed.z = fmaf(dt, z, speed.z);
        velocity[k] = speed;
        next[k] = make_float4(
            fmaf(dt, speed.x, own.x), fmaf(dt, speed.y, own.y), fmaf(dt, speed.z, own.z), own.w);
    }
}
