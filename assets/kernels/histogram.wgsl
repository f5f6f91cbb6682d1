// bins[j] = how many x fall into the j-th of the equal parts of low … high: a workgroup counts up to 1024 of the bins.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> bins: array<f32>;

var<workgroup> counts: array<atomic<u32>, 1024>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
    let low = given.numbers[0];
    let high = given.numbers[1];
    let len = given.sizes[0];
    let first = group.x * 1024u;
    let last = given.len - 1u;
    let scale = f32(given.len) / (high - low);
    for (var k = local; k < len; k += 256u) {
        let spot = (x[k] - low) * scale;
        // What lies below, and what is no number, goes to the first bin.
        var bin = 0u;
        if spot > 0.0 {
            bin = u32(min(spot, f32(last)));
        }
        if bin >= first && bin < first + 1024u {
            atomicAdd(&counts[bin - first], 1u);
        }
    }
    workgroupBarrier();
    for (var k = local; k < 1024u; k += 256u) {
        if first + k < given.len {
            bins[first + k] = f32(atomicLoad(&counts[k]));
        }
    }
}
