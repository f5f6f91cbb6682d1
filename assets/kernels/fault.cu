// Does what loses a device: traps, writes where nothing is, breaks an assertion, or never ends.

struct Given {
    // Elements that are written; sizes of the kernel's own; its parameters.
    unsigned len;
    unsigned unused[3];
    unsigned sizes[4];
    float numbers[4];
};

extern "C" __global__ void fault(Given given, volatile unsigned *words) {
    switch (given.sizes[0]) {
    case 0:
        __trap();
        break;
    case 1:
        *(volatile unsigned *)0 = 1;
        break;
    case 2:
        assert(words == 0);
        break;
    default:
        while (words[2] == 0) {
        }
    }
}
