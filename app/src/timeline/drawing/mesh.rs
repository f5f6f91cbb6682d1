//! Meshes as what they were made of: rectangles, stripes and polygons.

use eframe::egui::epaint::Vertex;
use eframe::egui::{Color32, Mesh, Pos2, Rect, Stroke, TextureId};

use super::markup::{Markup, short};

/// Slivers thinner than this, in square points, only smooth an edge.
const SLIVER: f32 = 0.05;

/// Writes a mesh.
pub(super) fn write(markup: &mut Markup, mesh: &Mesh) {
    let is_hatched = mesh.texture_id != TextureId::default();
    let mut triangles = mesh.indices.chunks_exact(3).peekable();
    let mut polygon = Polygon::default();
    while let Some(triangle) = triangles.next() {
        if let Some((rect, color)) = triangles
            .peek()
            .and_then(|next| rectangle(mesh, triangle, next))
        {
            triangles.next();
            polygon.write(markup);
            if is_hatched {
                markup.hatched(rect, color);
            } else {
                markup.rect(rect, 0.0, color, Stroke::NONE);
            }
        } else if let Some(corners) = corners(mesh, triangle) {
            polygon.add(markup, triangle, corners);
        }
    }
    polygon.write(markup);
}

/// Triangles that fan out from one corner, in one colour.
#[derive(Default)]
struct Polygon {
    first: u32,
    last: u32,
    color: Color32,
    points: Vec<Pos2>,
}

impl Polygon {
    fn add(&mut self, markup: &mut Markup, triangle: &[u32], corners: [&Vertex; 3]) {
        let (&[a, b, c], [first, second, third]) = (triangle, corners) else {
            return;
        };
        let color = mixed(corners);
        let goes_on = a == self.first && b == self.last && color == self.color;
        if goes_on && !self.points.is_empty() {
            self.points.push(third.pos);
        } else {
            self.write(markup);
            if is_sliver(corners) {
                return;
            }
            self.points = vec![first.pos, second.pos, third.pos];
            (self.first, self.color) = (a, color);
        }
        self.last = c;
    }

    fn write(&mut self, markup: &mut Markup) {
        if !self.points.is_empty() {
            let commands = polygon(&self.points, true);
            markup.path(&commands, self.color, Stroke::NONE);
            self.points.clear();
        }
    }
}

/// The commands that draw lines through points.
pub(super) fn polygon(points: &[Pos2], closed: bool) -> String {
    let mut commands = String::new();
    for (place, point) in points.iter().enumerate() {
        commands.push(if place == 0 { 'M' } else { 'L' });
        commands.push_str(&short(point.x));
        commands.push(' ');
        commands.push_str(&short(point.y));
    }
    if closed {
        commands.push('Z');
    }
    commands
}

fn corners<'a>(mesh: &'a Mesh, triangle: &[u32]) -> Option<[&'a Vertex; 3]> {
    let &[a, b, c] = triangle else { return None };
    let at = |index: u32| mesh.vertices.get(index as usize);
    Some([at(a)?, at(b)?, at(c)?])
}

/// Two triangles that are a rectangle of one colour.
fn rectangle(mesh: &Mesh, one: &[u32], other: &[u32]) -> Option<(Rect, Color32)> {
    let (one, other) = (corners(mesh, one)?, corners(mesh, other)?);
    let all = || one.iter().chain(&other);
    let rect = Rect::from_points(&all().map(|it| it.pos).collect::<Vec<_>>());
    let color = one.first()?.color;
    let on = |at: f32, low: f32, high: f32| at == low || at == high;
    let fits = all().all(|it| {
        it.color == color
            && on(it.pos.x, rect.left(), rect.right())
            && on(it.pos.y, rect.top(), rect.bottom())
    });
    let whole = area(one) + area(other);
    (fits && (whole - rect.area()).abs() < 1e-3 * rect.area().max(1.0)).then_some((rect, color))
}

fn area([a, b, c]: [&Vertex; 3]) -> f32 {
    let (first, second) = (b.pos - a.pos, c.pos - a.pos);
    (first.x * second.y - first.y * second.x).abs() / 2.0
}

/// The colour of a triangle: the one of its corners, or what is between them.
fn mixed([a, b, c]: [&Vertex; 3]) -> Color32 {
    if a.color == b.color && b.color == c.color {
        return a.color;
    }
    let mean = |part: fn(Color32) -> u8| {
        let sum: u16 = [a, b, c].iter().map(|it| u16::from(part(it.color))).sum();
        (sum / 3) as u8
    };
    Color32::from_rgba_premultiplied(
        mean(|it| it.r()),
        mean(|it| it.g()),
        mean(|it| it.b()),
        mean(|it| it.a()),
    )
}

/// Whether a triangle is only there to smooth the edge of another.
fn is_sliver(corners: [&Vertex; 3]) -> bool {
    let clear = corners.iter().any(|it| it.color == Color32::TRANSPARENT);
    let [a, b, c] = corners.map(|it| it.pos);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    clear && area(corners) / longest.max(1e-3) < SLIVER * 4.0
}
