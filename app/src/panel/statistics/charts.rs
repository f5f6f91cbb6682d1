//! How long operations took and how busy streams were, as charts.

use eframe::egui::{
    Align, Color32, Label, Layout, Mesh, Rect, RichText, Sense, Ui, Vec2, pos2, vec2,
};
use egui_plot::{Bar, BarChart, GridMark, HoverPosition, Plot};
use engine::analysis::{Durations, LaneUse, Statistics};
use engine::record::{DeviceId, Group, Lane, LaneId, Role};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::widgets::{compact, hint};
use crate::text;
use crate::theme::{GRID, mixed};
use crate::timeline::role_of_span;

/// Kernels that have bars of their own.
const NAMES: usize = 4;
/// Streams and pairs that are listed.
pub(super) const LISTED: usize = 12;
/// Width from which a column has room for more than the most important, in points.
const ROOMY: f32 = 220.0;
/// How strong the colour of an operation is beside that of the one before it with the same colour.
const PALER: f32 = 0.6;
/// Bars of the histogram.
const BINS: usize = 28;

pub(super) fn title(ui: &mut Ui, scene: &Scene<'_>, words: &str) {
    ui.label(RichText::new(words).small().color(scene.theme.weak));
    ui.add_space(GRID);
}

/// How many spans of each kernel took how long, in bins of equal ratio.
pub fn durations(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics) {
    title(ui, scene, "how many took how long, by operation");
    let found = statistics.durations.iter().filter(|it| it.is_stream_work());
    let found: Vec<&Durations> = found.take(NAMES).collect();
    if found.is_empty() {
        return hint(
            ui,
            scene.theme,
            "No operation ran on a stream in this range",
        );
    }
    let Some(bins) = LogarithmicBins::around(&found) else {
        return;
    };
    let colours = colours(scene, &found);
    ui.scope(|ui| legend(ui, scene, &found, &colours));
    let mut charts: Vec<BarChart> = Vec::new();
    for (of, colour) in found.iter().zip(&colours) {
        let chart = chart(scene, of, &bins, *colour);
        let below: Vec<_> = charts.iter().collect();
        let chart = chart.stack_on(&below);
        charts.push(chart);
    }
    let grid = bins.clone();
    Plot::new("durations")
        .height((ui.available_height() - 8.0).clamp(96.0, 220.0))
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_grid([false, true])
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .include_y(0.0)
        .y_axis_min_width(44.0)
        .x_grid_spacer(move |_| grid.marks())
        .x_axis_formatter(|mark, _| text::duration(Nanos(mark.value.exp2() as i64)))
        .y_axis_formatter(|mark, _| {
            if mark.value.fract() == 0.0 {
                text::count(mark.value as u64)
            } else {
                String::new()
            }
        })
        .label_formatter(|hover| match hover {
            HoverPosition::NearDataPoint { plot_name, .. } => Some((*plot_name).to_owned()),
            HoverPosition::Elsewhere { .. } => None,
        })
        .show(ui, |plot| {
            for chart in charts {
                plot.bar_chart(chart);
            }
        });
}

/// Bins of equal ratio: their edges are equally far apart in the logarithm of the length.
#[derive(Clone, Debug)]
struct LogarithmicBins {
    from: f64,
    width: f64,
}

impl LogarithmicBins {
    /// Bins that hold every length of `found`.
    fn around(found: &[&Durations]) -> Option<Self> {
        let shortest = found
            .iter()
            .filter_map(|of| of.sorted.all().first())
            .min()?;
        let longest = found.iter().filter_map(|of| of.sorted.all().last()).max()?;
        let log = |length: &Nanos| (length.0.max(1) as f64).log2();
        // Lengths within a few percent of each other would otherwise look as if they differed a lot.
        let spread = (log(longest) - log(shortest)).max(0.5);
        let middle = f64::midpoint(log(longest), log(shortest));
        Some(Self {
            from: middle - spread / 2.0,
            width: spread / BINS as f64,
        })
    }

    fn of(&self, length: Nanos) -> usize {
        let at = ((length.0.max(1) as f64).log2() - self.from) / self.width;
        (at.max(0.0) as usize).min(BINS - 1)
    }

    fn middle(&self, bin: usize) -> f64 {
        self.from + (bin as f64 + 0.5) * self.width
    }

    /// Three labels: a short, the middle and a long length.
    fn marks(&self) -> Vec<GridMark> {
        let spread = self.width * BINS as f64;
        // One at an edge would be cut.
        [0.15, 0.5, 0.85]
            .map(|share| GridMark {
                value: self.from + spread * share,
                step_size: spread,
            })
            .into()
    }
}

fn chart(scene: &Scene<'_>, of: &Durations, bins: &LogarithmicBins, colour: Color32) -> BarChart {
    let lengths = of.sorted.all();
    let up_to = |bin: usize| lengths.partition_point(|it| bins.of(*it) <= bin);
    let ends: Vec<usize> = (0..BINS).map(up_to).collect();
    let begins = std::iter::once(&0).chain(&ends);
    let counts: Vec<usize> = begins.zip(&ends).map(|(from, to)| to - from).collect();
    let name = scene.capture.name(of.name);
    let bars = counts.iter().enumerate().map(|(bin, count)| {
        Bar::new(bins.middle(bin), *count as f64)
            .width(bins.width * 0.86)
            .fill(colour)
            .name(name)
    });
    BarChart::new(name, bars.collect()).color(colour)
}

/// The colours of operations: those that they have on their lanes, each paler than the one before it in the same role.
fn colours(scene: &Scene<'_>, found: &[&Durations]) -> Vec<Color32> {
    let mut colours: Vec<Color32> = Vec::new();
    let mut roles: Vec<Role> = Vec::new();
    for of in found {
        let lane = scene.capture.lane(of.lane);
        let role = role_of_span(lane.map_or(Role::None, |it| it.role), of.kind);
        let colour = scene.theme.span(role, of.kind, of.name);
        let before = roles.iter().filter(|it| **it == role).count();
        roles.push(role);
        let strength = PALER.powi(i32::try_from(before).unwrap_or(0));
        colours.push(mixed(colour, scene.theme.panel, strength));
    }
    colours
}

/// A colour, a name, and the figures of each operation.
fn legend(ui: &mut Ui, scene: &Scene<'_>, found: &[&Durations], colours: &[Color32]) {
    compact(ui);
    ui.spacing_mut().item_spacing.y = 2.0;
    for (of, colour) in found.iter().zip(colours) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0 * GRID;
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(8.0), Sense::hover());
            ui.painter().rect_filled(rect, 2, *colour);
            let mut figures = format!(
                "{} × {}",
                text::count(of.count() as u64),
                text::duration(of.median())
            );
            if ui.available_width() > ROOMY {
                figures = format!("{figures}, p95 {}", text::duration(of.quantile(0.95)));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(figures).small().color(scene.theme.weak));
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = scene.capture.name(of.name);
                    let short = text::function_name(name).into_owned();
                    ui.add(Label::new(short).truncate()).on_hover_text(name);
                });
            });
        });
    }
}

/// How busy each stream was, over time and in all.
pub fn busy(
    ui: &mut Ui,
    scene: &Scene<'_>,
    statistics: &Statistics,
    strips: &[(LaneId, Vec<f64>)],
) {
    title(ui, scene, "how busy each stream was, over time and in all");
    if strips.is_empty() {
        return hint(ui, scene.theme, "No stream has spans in this range");
    }
    let length = statistics.within.length().0.max(1) as f64;
    let mut device = None;
    for (lane, strip) in strips {
        let Some(used) = statistics.lane(*lane) else {
            continue;
        };
        let own = scene.capture.lane(*lane).and_then(|it| it.device);
        if own.is_some() && own != device && scene.capture.devices().len() > 1 {
            device = own;
            ui.label(RichText::new(device_title(scene, own)).small());
        }
        stream(ui, scene, used, strip, used.busy.0 as f64 / length);
    }
    let rest = streams(scene, statistics).saturating_sub(strips.len());
    if rest > 0 {
        hint(ui, scene.theme, &format!("and {rest} more"));
    }
}

/// How many streams have spans in the range.
fn streams(scene: &Scene<'_>, statistics: &Statistics) -> usize {
    let streams = statistics.lanes.iter().filter(|used| {
        let lane = scene.capture.lane(used.lane);
        lane.is_some_and(|lane| lane.group == Group::Streams)
    });
    streams.count()
}

/// A lane's name below that of its device, which may begin with the rank as well.
fn below_its_device<'a>(scene: &Scene<'a>, lane: &'a Lane) -> &'a str {
    let device = device_title(scene, lane.device);
    let parts = lane.name.split_once(" · ");
    let rest = parts.filter(|(rank, _)| device.starts_with(rank));
    rest.map_or(lane.name.as_str(), |(_, rest)| rest)
}

/// What a device is called above its streams.
fn device_title(scene: &Scene<'_>, device: Option<DeviceId>) -> String {
    let devices = scene.capture.devices();
    let found = device.and_then(|it| devices.get(it.index()));
    found.map_or_else(String::new, |it| it.short_name().to_owned())
}

/// Shares of a time as columns side by side: a plot of each stream would take a tenth of a frame.
fn columns(rect: Rect, strip: &[f64], colour: Color32) -> Mesh {
    let mut mesh = Mesh::default();
    let x = |at: usize| rect.left() + rect.width() * at as f32 / strip.len() as f32;
    for (at, share) in strip.iter().enumerate() {
        let top = rect.bottom() - rect.height() * share.clamp(0.0, 1.0) as f32;
        let column = Rect::from_min_max(pos2(x(at), top), pos2(x(at + 1), rect.bottom()));
        mesh.add_colored_rect(column, colour);
    }
    mesh
}

fn stream(ui: &mut Ui, scene: &Scene<'_>, used: &LaneUse, strip: &[f64], share: f64) {
    let Some(lane) = scene.capture.lane(used.lane) else {
        return;
    };
    let colour = scene.theme.role(lane.role);
    let height = 26.0;
    let row = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0 * GRID;
        let size = Vec2::new((ui.available_width() * 0.36).min(112.0), height);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_size(size);
            ui.add(Label::new(below_its_device(scene, lane)).truncate());
        });
        let width = (ui.available_width() - 48.0).max(24.0);
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        ui.painter().add(columns(rect, strip, colour));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(text::percent(share)).monospace());
        });
    });
    row.response.on_hover_text(format!(
        "{}: busy {}, waiting {}",
        scene.capture.lane_title(lane.id),
        text::duration(used.busy),
        text::duration(used.waiting)
    ));
}
