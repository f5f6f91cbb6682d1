// Says that it failed: WebGPU keeps every access inside its buffer, so no shader can fault, and this one raises a word
// that is read back after every launch of it.

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
    word[0] = 1u + given.sizes[0];
}
