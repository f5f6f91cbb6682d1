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

// Links of a chain that no compiler can shorten.
fn link(state: u32) -> u32 {
    var next = state ^ (state << 13u);
    next ^= next >> 17u;
    return next ^ (next << 5u);
}

fn links(state: u32) -> u32 {
    return link(link(link(link(link(link(link(link(state))))))));
}

@compute @workgroup_size(1)
fn main() {
    var state = word[1] | 1u;
    for (var step = 0u; step < given.sizes[0]; step++) {
        state = links(links(links(links(state))));
    }
    word[1] = state;
}
