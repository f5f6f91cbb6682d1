// c = a · b, or c + a · b where accumulate is 1: row-major matrices, in tiles of 16 × 16.

struct Given {
    // Elements that are written; three sizes of the kernel's own.
    len: u32,
    sizes: vec3u,
    // The parameters.
    numbers: vec4f,
}
@group(0) @binding(0) var<uniform> given: Given;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> lefts: array<array<f32, 16>, 16>;
var<workgroup> rights: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
    let rows = given.sizes[0];
    let columns = given.sizes[1];
    let inner = given.sizes[2];
    let row = group.y * 16u + local.y;
    let column = group.x * 16u + local.x;
    let is_inside = row < rows && column < columns;
    var sum = 0.0;
    for (var first = 0u; first < inner; first += 16u) {
        var left = 0.0;
        if row < rows && first + local.x < inner {
            left = a[row * inner + first + local.x];
        }
        lefts[local.y][local.x] = left;
        var right = 0.0;
        if column < columns && first + local.y < inner {
            right = b[(first + local.y) * columns + column];
        }
        rights[local.y][local.x] = right;
        workgroupBarrier();
        for (var step = 0u; step < 16u; step++) {
            sum += lefts[local.y][step] * rights[step][local.x];
        }
        workgroupBarrier();
    }
    if is_inside {
        let k = row * columns + column;
        c[k] = select(sum, c[k] + sum, given.numbers[3] != 0.0);
    }
}
