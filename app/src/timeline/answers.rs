//! What is drawn of answers: bars and values below the lanes, in the colour of counters, since nothing of it was measured.

use eframe::egui::{Color32, FontId, Painter, Pos2, Ui, pos2};
use engine::time::Nanos;

use super::frame::PaintFrame;
use super::label;
use super::layout::{LayoutEntry, LayoutRow, RowContent};
use super::mesh_builder::MeshBuilder;
use super::plot::{Pyramid, steps};
use super::rows::{self, CounterPlot};
use crate::action::Action;
use crate::state::{DrawnBar, DrawnBars, DrawnContent, DrawnRow, ViewChange};
use crate::text;
use crate::theme::{SMALL, mixed};

/// How near to a narrow bar the pointer may be, in points.
const REACH: f32 = 3.0;
/// The widest that what is told of a bar becomes, in points.
const CARD: f32 = 420.0;

/// The row of an answer that a row of the timeline shows.
pub fn of<'a>(frame: &PaintFrame<'a>, row: &LayoutRow) -> Option<(usize, &'a DrawnRow)> {
    let RowContent::Entry(LayoutEntry::Answer(place, _)) = row.content else {
        return None;
    };
    let drawn = frame.picture.state.drawn.rows().get(place)?;
    Some((place, drawn))
}

/// What the pointer on the name of a drawn row is told.
pub fn about(drawn: &DrawnRow) -> String {
    let what = match &drawn.content {
        DrawnContent::Bars(bars) => text::counted(bars.len() as u64, "row"),
        DrawnContent::Values(samples) => text::counted(samples.times().len() as u64, "value"),
    };
    format!(
        "{} · {what} of an answer; the right button removes it",
        drawn.name
    )
}

/// Paints the drawn rows in view.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    for row in frame.visible() {
        match of(frame, row).map(|(_, drawn)| &drawn.content) {
            Some(DrawnContent::Bars(drawn)) => {
                let theme = frame.picture.theme;
                let (fill, edge) = (mixed(theme.accent, theme.row, 0.32), theme.accent);
                bars(painter, frame, (row, drawn), |_| (fill, edge));
            }
            Some(DrawnContent::Values(samples)) => {
                let mut pyramid = Pyramid::default();
                pyramid.update(samples);
                let plot = pyramid.whole().map(|whole| CounterPlot {
                    steps: steps(&pyramid, samples, &frame.scale, frame.now(), 2.0),
                    whole,
                    unit: "",
                });
                if let Some(plot) = plot {
                    rows::plot(painter, frame, row, &plot);
                }
            }
            None => {}
        }
    }
}

/// Paints bars on a row, each in the colours of its fill and of its left edge.
pub fn bars(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    (row, bars): (&LayoutRow, &DrawnBars),
    colours: impl Fn(&DrawnBar) -> (Color32, Color32),
) {
    let theme = frame.picture.theme;
    let font = FontId::proportional(SMALL);
    let area = frame.areas.body;
    let mut mesh = MeshBuilder::new(painter.pixels_per_point());
    let mut names = Vec::new();
    for depth in frame.depths(row) {
        // Bars that end within the pixel of the one before are not seen.
        let mut seen = f32::NEG_INFINITY;
        for bar in bars.within(depth, frame.scale.interval()) {
            let right = frame.scale.x_from_time(bar.interval.end);
            if right <= seen {
                continue;
            }
            let left = mesh.snap(frame.scale.x_from_time(bar.interval.start).max(area.left()));
            let right = mesh.snap(right.min(area.right())).max(left + frame.pixel);
            seen = right;
            let rect = frame.bar_rect(row, depth, left, right);
            let (fill, edge) = colours(bar);
            mesh.rect(rect, fill);
            mesh.rect(rect.with_max_x((left + 1.5).min(right)), edge);
            if rect.width() >= label::LEAST {
                names.push((rect, bar));
            }
        }
    }
    painter.add(mesh.into_shape());
    for (rect, bar) in names {
        let at = pos2(rect.left() + 5.0, rect.center().y);
        let room = rect.width() - 8.0;
        label::write(painter, at, room, &bar.name, (&font, theme.text));
    }
}

/// The bar of a row at a place on screen.
pub fn bar_at<'a>(
    frame: &PaintFrame<'_>,
    (row, bars): (&LayoutRow, &'a DrawnBars),
    at: Pos2,
) -> Option<&'a DrawnBar> {
    let y = frame.row_y(at.y);
    let depth = frame.layout.depths(row, y, y).start;
    let reach = Nanos((frame.scale.nanos_per_point() * f64::from(REACH)) as i64);
    bars.at(depth, frame.scale.time_from_x(at.x), reach)
}

/// The bar of an answer at a place on screen.
fn answer_at<'a>(frame: &PaintFrame<'a>, at: Pos2) -> Option<(&'a DrawnRow, &'a DrawnBar)> {
    let place = frame.layout.row_at(frame.row_y(at.y))?;
    let row = frame.layout.rows.get(place)?;
    let (_, drawn) = of(frame, row)?;
    let DrawnContent::Bars(bars) = &drawn.content else {
        return None;
    };
    Some((drawn, bar_at(frame, (row, bars), at)?))
}

/// Tells what the bar under the pointer is, and follows it where it is clicked.
pub fn input(
    ui: &Ui,
    frame: &PaintFrame<'_>,
    body: &eframe::egui::Response,
    actions: &mut Vec<Action>,
) {
    let Some((drawn, bar)) = body.hover_pos().and_then(|at| answer_at(frame, at)) else {
        return;
    };
    let interval = bar.interval;
    let lines = [
        bar.name.to_string(),
        drawn.name.clone(),
        format!(
            "{} from {}",
            text::duration(interval.length()),
            text::duration(interval.start)
        ),
    ];
    body.clone().on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(CARD);
        ui.label(lines.join("\n"));
    });
    if body.double_clicked() {
        let shown = super::scale::padded(interval, 0.15);
        actions.push(Action::Show(Some(shown), ViewChange::Zoom));
    } else if body.clicked() {
        actions.push(Action::SelectRange(Some(interval)));
        actions.extend(bar.span.map(Action::Reveal));
    }
    ui.ctx()
        .set_cursor_icon(eframe::egui::CursorIcon::PointingHand);
}
