// Computes for as many steps as it is given: how many take a microsecond is measured when the device is opened.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read_write> word: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var state = word[1] | 1u;
    for (var step = 0u; step < given.sizes[0]; step++) {
        // Sixteen links of a chain that no compiler can shorten.
        for (var link = 0u; link < 16u; link++) {
            state ^= state << 13u;
            state ^= state >> 17u;
            state ^= state << 5u;
        }
    }
    word[1] = state;
}
