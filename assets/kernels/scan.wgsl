// y[j] = x[0] + … + x[j]: one workgroup, a run of elements an invocation; the sums carry what rounding took.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

var<workgroup> totals: array<vec2f, 256>;

// Adds a value to a sum and what rounding took from it.
fn plus(sum: vec2f, value: f32) -> vec2f {
    let added = value + sum.y;
    let total = sum.x + added;
    return vec2f(total, added - (total - sum.x));
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32) {
    let run = given.sizes[0];
    let first = min(local * run, given.len);
    let end = min(first + run, given.len);
    var sum = vec2f();
    for (var k = first; k < end; k++) {
        sum = plus(sum, x[k]);
    }
    totals[local] = sum;
    workgroupBarrier();
    var before = vec2f();
    for (var other = 0u; other < local; other++) {
        before = plus(before, totals[other].x);
        before = plus(before, totals[other].y);
    }
    for (var k = first; k < end; k++) {
        before = plus(before, x[k]);
        y[k] = before.x;
    }
}
