// z = x + y, element by element.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> z: array<f32>;

// Elements in order, however many workgroups there are to a side.
fn place(group: vec3u, groups: vec3u, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * 256u + local;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let k = place(group, groups, local);
    if k < given.len {
        z[k] = x[k] + y[k];
    }
}
