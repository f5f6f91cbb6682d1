// One step of diffusion on a grid of rows of width floats; outside the edge lies the cell itself.

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

extern "C" __global__ void stencil(Given given, const float *x, float *y) {
    unsigned k = place();
    if (k < given.len) {
        unsigned width = given.sizes[0], height = given.sizes[1];
        unsigned row = k / width, column = k % width;
        float center = x[k];
        float left = column == 0 ? center : x[k - 1];
        float right = column == width - 1 ? center : x[k + 1];
        float above = row == 0 ? center : x[k - width];
        float below = row == height - 1 ? center : x[k + width];
        y[k] = fmaf(given.numbers[1], left + right + above + below - 4.0f * center, center);
    }
}
