// One step of gravity between all pairs of bodies, one body an invocation.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> position: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> next: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> velocity: array<vec4f>;

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
        let dt = given.numbers[0];
        let softening = given.numbers[1];
        let own = position[k];
        var pull = vec3f();
        for (var other = 0u; other < given.len; other++) {
            let body = position[other];
            let away = body.xyz - own.xyz;
            let square = dot(away, away) + softening * softening;
            pull += body.w / (square * sqrt(square)) * away;
        }
        let speed = fma(vec3f(dt), pull, velocity[k].xyz);
        velocity[k] = vec4f(speed, velocity[k].w);
        next[k] = vec4f(fma(vec3f(dt), speed, own.xyz), own.w);
    }
}
