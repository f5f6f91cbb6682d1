//! A sheet of coloured rectangles that egui draws as one mesh: some 12 ns each instead of 400.

use eframe::egui::epaint::{Vertex, WHITE_UV};
use eframe::egui::{Color32, Mesh, Pos2, Rect, Shape, TextureId, pos2, vec2};

/// A corner of radius one as an arc of three points: enough below four points of radius.
const ARC: [[f32; 2]; 3] = [[0.0, 1.0], [0.293, 0.293], [1.0, 0.0]];

/// Rectangles with their edges on whole pixels, in the order in which they were added.
pub struct MeshBuilder {
    mesh: Mesh,
    pixels: f32,
    period: f32,
}

impl MeshBuilder {
    /// An empty sheet for a screen of `pixels` pixels a point.
    pub fn new(pixels: f32) -> Self {
        Self {
            mesh: Mesh::default(),
            pixels,
            period: 1.0,
        }
    }

    /// An empty sheet whose rectangles are filled with a texture that repeats every `period` points.
    pub fn textured(pixels: f32, texture: TextureId, period: f32) -> Self {
        Self {
            mesh: Mesh::with_texture(texture),
            pixels,
            period,
        }
    }

    /// `x` or `y` at the nearest edge between pixels.
    pub fn snap(&self, position: f32) -> f32 {
        nearest(position * self.pixels) / self.pixels
    }

    /// One pixel, in points.
    pub fn pixel(&self) -> f32 {
        1.0 / self.pixels
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, rect: Rect, color: Color32) {
        if color != Color32::TRANSPARENT {
            self.mesh.add_colored_rect(rect, color);
        }
    }

    /// Adds a rectangle filled with the sheet's texture, whose pattern stays in place on screen.
    pub fn pattern(&mut self, rect: Rect, color: Color32) {
        let uv = |at: Pos2| pos2(at.x / self.period, at.y / self.period);
        let uv = Rect::from_min_max(uv(rect.min), uv(rect.max));
        self.mesh.add_rect_with_uv(rect, uv, color);
    }

    /// Adds a rectangle with rounded corners and smooth edges; narrow ones have plain corners.
    pub fn rounded(&mut self, rect: Rect, radius: f32, color: Color32) {
        if rect.width() < radius * 3.0 {
            self.rect(rect, color);
            return;
        }
        let corners = [
            (rect.left_top(), [1.0, 1.0], false),
            (rect.right_top(), [-1.0, 1.0], true),
            (rect.right_bottom(), [-1.0, -1.0], false),
            (rect.left_bottom(), [1.0, -1.0], true),
        ];
        let half = self.pixel() / 2.0;
        let center = rect.center();
        let first = self.mesh.vertices.len() as u32;
        let mut vertex = |pos: Pos2, color: Color32| {
            self.mesh.vertices.push(Vertex {
                pos,
                uv: WHITE_UV,
                color,
            });
        };
        let mut count = 0;
        for (corner, [sx, sy], backwards) in corners {
            for step in 0..ARC.len() {
                let step = if backwards {
                    ARC.len() - 1 - step
                } else {
                    step
                };
                let [x, y] = ARC.get(step).copied().unwrap_or_default();
                let at = pos2(corner.x + x * radius * sx, corner.y + y * radius * sy);
                let out = (at - center).normalized();
                // The feather leaves an edge along its own axis, so that straight edges stay crisp.
                let out = if step == 1 {
                    out
                } else if x == 0.0 {
                    vec2(-sx, 0.0)
                } else {
                    vec2(0.0, -sy)
                };
                vertex(at - out * half, color);
                vertex(at + out * half, Color32::TRANSPARENT);
                count += 1;
            }
        }
        for step in 1..count - 1 {
            self.mesh
                .add_triangle(first, first + step * 2, first + step * 2 + 2);
        }
        for step in 0..count {
            let (a, b) = (first + step * 2, first + (step + 1) % count * 2);
            self.mesh.add_triangle(a, a + 1, b);
            self.mesh.add_triangle(b, b + 1, a + 1);
        }
    }

    /// Adds the edges of a rectangle, inside it and without its corners, as those of a rounded one are.
    pub fn outline(&mut self, rect: Rect, width: f32, color: Color32) {
        let inner = rect.shrink(width);
        if inner.is_negative() {
            self.rect(rect, color);
            return;
        }
        for edge in [
            inner.with_min_y(rect.top()).with_max_y(inner.top()),
            inner.with_min_y(inner.bottom()).with_max_y(rect.bottom()),
            inner.with_min_x(rect.left()).with_max_x(inner.left()),
            inner.with_min_x(inner.right()).with_max_x(rect.right()),
        ] {
            self.rect(edge, color);
        }
    }

    /// Adds a triangle.
    pub fn triangle(&mut self, corners: [Pos2; 3], color: Color32) {
        let first = self.mesh.vertices.len() as u32;
        for corner in corners {
            self.mesh.colored_vertex(corner, color);
        }
        self.mesh.add_triangle(first, first + 1, first + 2);
    }

    /// Adds a rectangle that fades out to the right.
    pub fn fade(&mut self, rect: Rect, color: Color32) {
        let first = self.mesh.vertices.len() as u32;
        self.mesh.colored_vertex(rect.left_top(), color);
        self.mesh.colored_vertex(rect.left_bottom(), color);
        self.mesh
            .colored_vertex(rect.right_top(), Color32::TRANSPARENT);
        self.mesh
            .colored_vertex(rect.right_bottom(), Color32::TRANSPARENT);
        self.mesh.add_triangle(first, first + 1, first + 2);
        self.mesh.add_triangle(first + 1, first + 2, first + 3);
    }

    /// Adds a cross of two lines, `size` points from its centre to each end.
    pub fn cross(&mut self, at: Pos2, size: f32, color: Color32) {
        for way in [1.0, -1.0] {
            let along = vec2(size, size * way);
            let across = vec2(0.6, -0.6 * way);
            let (a, b) = (at - along, at + along);
            self.triangle([a - across, a + across, b + across], color);
            self.triangle([a - across, b + across, b - across], color);
        }
    }

    /// All that was added, as one shape.
    pub fn into_shape(self) -> Shape {
        Shape::mesh(self.mesh)
    }

    /// All that was added, to be kept and painted again.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.mesh.is_empty()
    }
}

/// `position` without its fraction: as `round`, whose call would cost more than all else that is done to a bar's edge.
pub fn nearest(position: f32) -> f32 {
    (position + 0.5_f32.copysign(position)) as i32 as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_corners_stay_inside_and_the_middle_is_filled() {
        let mut sheet = MeshBuilder::new(1.0);
        let rect = Rect::from_min_max(pos2(10.0, 10.0), pos2(60.0, 30.0));
        sheet.rounded(rect, 3.0, Color32::WHITE);
        assert!(sheet.mesh.is_valid());
        let bounds = sheet.mesh.calc_bounds();
        assert!(rect.expand(0.5).contains_rect(bounds), "{bounds:?}");
        let area: f32 = sheet
            .mesh
            .triangles()
            .map(|[a, b, c]| {
                let at = |index: u32| &sheet.mesh.vertices[index as usize];
                let (p, q, r) = (at(a).pos, at(b).pos, at(c).pos);
                let opaque = [a, b, c].iter().all(|&index| at(index).color.a() == 255);
                let area = ((q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y)).abs() / 2.0;
                if opaque { area } else { 0.0 }
            })
            .sum();
        assert!(area > rect.area() * 0.9 && area < rect.area(), "{area}");
    }

    #[test]
    fn an_outline_leaves_the_middle_and_the_corners_out() {
        let mut sheet = MeshBuilder::new(1.0);
        let rect = Rect::from_min_max(pos2(10.0, 10.0), pos2(60.0, 30.0));
        sheet.outline(rect, 2.0, Color32::WHITE);
        let corners = sheet.mesh.vertices.chunks(4).map(|it| {
            let points = it.iter().map(|vertex| vertex.pos);
            Rect::from_points(&points.collect::<Vec<_>>())
        });
        let edges: Vec<Rect> = corners.collect();
        assert_eq!(edges.len(), 4);
        let area: f32 = edges.iter().map(Rect::area).sum();
        assert_eq!(area, 2.0 * 2.0 * (46.0 + 16.0));
        for edge in edges {
            assert!(
                rect.contains_rect(edge) && !edge.contains(rect.center()),
                "{edge:?}"
            );
            assert!(!edge.contains(rect.left_top()), "{edge:?}");
        }
    }

    #[test]
    fn a_narrow_bar_is_two_triangles() {
        let mut sheet = MeshBuilder::new(2.0);
        let rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(2.0, 20.0));
        sheet.rounded(rect, 3.0, Color32::WHITE);
        assert_eq!(sheet.mesh.indices.len(), 6);
        assert_eq!(sheet.snap(1.3), 1.5);
    }
}
