// Fails: really, or by raising a word where its stream is to go on after a failure, which no fault lets it.

struct Given {
    // Elements that are written; sizes of the kernel's own; its parameters.
    unsigned len;
    unsigned unused[3];
    unsigned sizes[4];
    float numbers[4];
};

extern "C" __global__ void trap(Given given, volatile unsigned *words) {
    if (given.sizes[0] == 1) {
        words[1] = 1;
    } else {
        __trap();
    }
}
