// c = a · b, or c + a · b where accumulate is 1: row-major matrices, in tiles of 16 × 16.

struct Given {
    // Elements that are written; sizes of the kernel's own; its parameters.
    unsigned len;
    unsigned unused[3];
    unsigned sizes[4];
    float numbers[4];
};

extern "C" __global__ void matmul(Given given, const float *a, const float *b, float *c) {
    __shared__ float lefts[16][16];
    __shared__ float rights[16][16];
    unsigned rows = given.sizes[0], columns = given.sizes[1], inner = given.sizes[2];
    unsigned row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (unsigned first = 0; first < inner; first += 16) {
        bool has_left = row < rows && first + threadIdx.x < inner;
        bool has_right = column < columns && first + threadIdx.y < inner;
        lefts[threadIdx.y][threadIdx.x] = has_left ? a[row * inner + first + threadIdx.x] : 0.0f;
        rights[threadIdx.y][threadIdx.x] = has_right ? b[(first + threadIdx.y) * columns + column] : 0.0f;
        __syncthreads();
        for (unsigned step = 0; step < 16; step++) {
            sum = fmaf(lefts[threadIdx.y][step], rights[step][threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < rows && column < columns) {
        unsigned k = row * columns + column;
        c[k] = given.numbers[3] != 0.0f ? c[k] + sum : sum;
    }
}
