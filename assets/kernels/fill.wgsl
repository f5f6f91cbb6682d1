// Every element becomes the same number: WebGPU itself clears to zero alone.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let k = (group.y * groups.x + group.x) * 256u + local;
    if k < given.len {
        y[k] = given.numbers[0];
    }
}
