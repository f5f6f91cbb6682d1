// sum[j] = the sum, as a tree, of the j-th of equal chunks of x: a workgroup a chunk.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;

var<workgroup> parts: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = given.sizes[0];
    let place = group.y * groups.x + group.x;
    var part = 0.0;
    if place < given.len {
        for (var k = local; k < chunk; k += 256u) {
            part += x[place * chunk + k];
        }
    }
    parts[local] = part;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if local < half {
            parts[local] += parts[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u && place < given.len {
        sum[place] = parts[0];
    }
}
