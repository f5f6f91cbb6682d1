//! The heatmap: a row for each rank, a column for each step, drawn as one texture that is made again when what it shows changes.

use std::sync::Arc;

use eframe::egui::emath::GuiRounding as _;
use eframe::egui::{
    Color32, ColorImage, Id, Rect, Role as WidgetRole, Sense, Stroke, StrokeKind, TextureHandle,
    TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use engine::fleet::{FleetMeasure, FleetPicture, MeasureGrid};

use super::cell_card;
use super::colour_scale::{ColourScale, NO_VALUE};
use super::fleet_words::{cell_at, heatmap_words, places};
use super::grid_axis::{GridAxis, in_view};
use super::heatmap_axes::{self, HEADER};
use super::heatmap_input::HeatmapInput;
use super::level_grid::{LevelGrid, greatest_of, least_reach};
use crate::action::{Action, FleetAction};
use crate::panel::Scene;
use crate::state::{FleetCell, GridRange};
use crate::theme::Theme;

/// No cell is larger, in points.
pub const LARGEST: Vec2 = vec2(320.0, 28.0);
/// From this size on cells have gaps between them, in points.
const PARTED: f32 = 9.0;
/// From stripe to stripe where there is no value, in points.
const STRIPES: f32 = 7.0;

/// What a heatmap shows.
#[derive(Clone, Copy)]
pub struct HeatmapScene<'a> {
    /// The window.
    pub scene: &'a Scene<'a>,
    /// The run.
    pub picture: &'a Arc<FleetPicture>,
    /// What is measured of it.
    pub grid: &'a MeasureGrid,
    /// Its colours.
    pub scale: ColourScale,
}

impl HeatmapScene<'_> {
    /// The value of the cell at these places.
    pub fn value(&self, (row, column): (usize, usize)) -> Option<i64> {
        let at = row * self.picture.steps.len() + column;
        self.grid.values.get(at).copied().flatten()
    }
}

/// Where the cells in view lie.
#[derive(Clone, Copy)]
pub struct HeatmapPlace {
    /// Ranks.
    pub rows: GridAxis,
    /// Steps.
    pub columns: GridAxis,
    /// All of them.
    pub rect: Rect,
}

impl HeatmapPlace {
    fn new(shown: &HeatmapScene<'_>, room: Rect, pixels_per_point: f32) -> Self {
        let view = &shown.scene.state.fleet;
        let rows = in_view(view.rows, shown.picture.ranks.len());
        let columns = in_view(view.columns, shown.picture.steps.len());
        let most = vec2(columns.count as f32, rows.count as f32) * LARGEST;
        let rect = Rect::from_min_size(room.min, room.size().min(most).max(Vec2::splat(1.0)));
        let rect = rect.round_to_pixels(pixels_per_point);
        let axis = |range: GridRange, start: f32, length: f32| GridAxis {
            range,
            pixels: (length * pixels_per_point).round().max(1.0) as usize,
            start,
            length,
        };
        Self {
            rows: axis(rows, rect.top(), rect.height()),
            columns: axis(columns, rect.left(), rect.width()),
            rect,
        }
    }

    /// How many ranks and steps share a pixel, at most.
    pub fn shared(&self) -> (usize, usize) {
        let most = |axis: &GridAxis| axis.range.count.div_ceil(axis.texels());
        (most(&self.rows), most(&self.columns))
    }

    /// Where a cell lies, at least as large as can be seen.
    fn cell(&self, (row, column): (usize, usize)) -> Option<Rect> {
        let ((top, bottom), (left, right)) = (self.rows.span(row)?, self.columns.span(column)?);
        let rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        Some(Rect::from_center_size(
            rect.center(),
            rect.size().max(Vec2::splat(5.0)),
        ))
    }

    /// The places of the cell at a point: of several that share a pixel the one with the greatest value.
    fn under(&self, shown: &HeatmapScene<'_>, at: eframe::egui::Pos2) -> Option<(usize, usize)> {
        let rows = self.rows.places(self.rows.texel_at(at.y)?);
        let columns = self.columns.places(self.columns.texel_at(at.x)?);
        Some(greatest_of(
            &shown.grid.values,
            (rows, columns),
            shown.picture.steps.len(),
        ))
    }
}

/// The levels of a measure.
struct MeasureLevels {
    picture: Arc<FleetPicture>,
    measure: FleetMeasure,
    scale: Option<ColourScale>,
    levels: LevelGrid,
}

/// What a texture was made of.
#[derive(Clone, Copy, PartialEq)]
struct TextureKey {
    rows: (GridRange, usize),
    columns: (GridRange, usize),
    is_dark: bool,
}

/// The cells in view, drawn.
struct CellTexture {
    key: Option<TextureKey>,
    handle: TextureHandle,
    has_gaps: bool,
}

/// The heatmap of the dataset on screen.
#[derive(Default)]
pub struct FleetHeatmap {
    levels: Option<MeasureLevels>,
    texture: Option<CellTexture>,
    input: HeatmapInput,
}

impl FleetHeatmap {
    /// The colours of a measure, made once.
    pub fn scale(
        &mut self,
        picture: &Arc<FleetPicture>,
        grid: &MeasureGrid,
    ) -> Option<ColourScale> {
        let is_of =
            |it: &&MeasureLevels| Arc::ptr_eq(&it.picture, picture) && it.measure == grid.measure;
        if let Some(known) = self.levels.as_ref().filter(is_of) {
            return known.scale;
        }
        let scale = ColourScale::of(&grid.values, least_reach(picture));
        self.levels = Some(MeasureLevels {
            picture: Arc::clone(picture),
            measure: grid.measure.clone(),
            scale,
            levels: LevelGrid::new(&grid.values, picture.steps.len(), scale.unwrap_or_default()),
        });
        if let Some(texture) = &mut self.texture {
            texture.key = None;
        }
        scale
    }

    /// Shows it in `room` with its labels; says where its cells lie.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        shown: &HeatmapScene<'_>,
        room: Rect,
        actions: &mut Vec<Action>,
    ) -> HeatmapPlace {
        let names = heatmap_axes::width(ui, shown.picture);
        let inner = Rect::from_min_max(room.min + vec2(names, HEADER), room.max);
        let place = HeatmapPlace::new(shown, inner, ui.pixels_per_point());
        let id = Id::unique("fleet heatmap");
        let response = ui.interact(place.rect, id, Sense::click_and_drag());
        response.widget_info(|| {
            let words = heatmap_words(shown.picture, &shown.grid.measure, shown.scale);
            WidgetInfo::labeled(WidgetRole::Image, true, words)
        });
        self.paint(ui, shown, &place);
        let chosen = shown.scene.state.fleet.cell;
        let chosen = chosen.and_then(|it| places(shown.picture, it));
        let pointed = response.hover_pos().and_then(|at| place.under(shown, at));
        heatmap_axes::paint(ui, shown, &place, chosen);
        outline(ui, shown.scene.theme, &place, [pointed, chosen]);
        self.input
            .hear(ui, shown, (&place, &response, pointed), actions);
        if let Some(cell) = pointed.filter(|_| !response.dragged()) {
            cell_card::show(ui, shown, cell, &place);
        }
        if response.has_focus() {
            let around = Stroke::new(1.0, shown.scene.theme.accent);
            ui.painter()
                .rect_stroke(place.rect.expand(2.0), 2, around, StrokeKind::Outside);
        }
        place
    }

    fn paint(&mut self, ui: &Ui, shown: &HeatmapScene<'_>, place: &HeatmapPlace) {
        let theme = shown.scene.theme;
        let painter = ui
            .painter()
            .with_clip_rect(place.rect.intersect(ui.clip_rect()));
        let key = TextureKey {
            rows: (place.rows.range, place.rows.texels()),
            columns: (place.columns.range, place.columns.texels()),
            is_dark: theme.dark,
        };
        if self.texture.as_ref().is_none_or(|it| it.key != Some(key)) {
            self.make(ui, theme, (place, key));
        }
        let Some(texture) = &self.texture else { return };
        if texture.has_gaps {
            stripes(&painter, place.rect, theme);
        }
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture.handle.id(), place.rect, whole, Color32::WHITE);
        part(&painter, place, theme);
    }

    fn make(&mut self, ui: &Ui, theme: &Theme, (place, key): (&HeatmapPlace, TextureKey)) {
        let Some(of) = &self.levels else { return };
        let levels = of.levels.in_view(&place.rows, &place.columns);
        let colours = palette(theme);
        let colour = |level: &u8| {
            colours
                .get(usize::from(*level))
                .copied()
                .unwrap_or_default()
        };
        let pixels: Vec<Color32> = levels.iter().map(colour).collect();
        let size = [place.columns.texels(), place.rows.texels()];
        let image = ColorImage::new(size, pixels);
        let has_gaps = levels.contains(&NO_VALUE);
        if let Some(texture) = &mut self.texture {
            texture.handle.set(image, TextureOptions::NEAREST);
            (texture.key, texture.has_gaps) = (Some(key), has_gaps);
        } else {
            let handle = ui
                .ctx()
                .load_texture("fleet", image, TextureOptions::NEAREST);
            self.texture = Some(CellTexture {
                key: Some(key),
                handle,
                has_gaps,
            });
        }
    }
}

/// The colours of all levels; what has no value lets the stripes through.
fn palette(theme: &Theme) -> Vec<Color32> {
    let of = |level: u8| match level {
        NO_VALUE => Color32::TRANSPARENT,
        level => theme.heat(ColourScale::share_of_level(level)),
    };
    (0..=u8::MAX).map(of).collect()
}

/// The ground of cells without a value.
pub fn stripes(painter: &eframe::egui::Painter, rect: Rect, theme: &Theme) {
    painter.rect_filled(rect, 0, theme.row);
    let stroke = Stroke::new(1.0, theme.arrow.gamma_multiply(0.6));
    let count = ((rect.width() + rect.height()) / STRIPES) as usize;
    for at in 0..=count {
        let x = rect.left() - rect.height() + at as f32 * STRIPES;
        let ends = [pos2(x, rect.bottom()), pos2(x + rect.height(), rect.top())];
        painter.line_segment(ends, stroke);
    }
}

/// Gaps between cells that are large enough for them.
fn part(painter: &eframe::egui::Painter, place: &HeatmapPlace, theme: &Theme) {
    let stroke = Stroke::new(1.0, theme.canvas);
    let places = |axis: &GridAxis| {
        let is_parted = axis.thickness() >= PARTED;
        let range = if is_parted { 1..axis.range.count } else { 0..0 };
        let axis = *axis;
        range.map(move |at| axis.start + at as f32 * axis.thickness())
    };
    for y in places(&place.rows) {
        painter.hline(place.rect.x_range(), y, stroke);
    }
    for x in places(&place.columns) {
        painter.vline(x, place.rect.y_range(), stroke);
    }
}

/// Around the cell under the pointer, and the one that is chosen.
fn outline(
    ui: &Ui,
    theme: &Theme,
    place: &HeatmapPlace,
    [pointed, chosen]: [Option<(usize, usize)>; 2],
) {
    let painter = ui.painter();
    let around = |cell, width, colour| {
        if let Some(rect) = place.cell(cell) {
            painter.rect_stroke(rect, 1, Stroke::new(width, colour), StrokeKind::Outside);
        }
    };
    if let Some(cell) = pointed {
        around(cell, 1.0, theme.weak);
    }
    if let Some(cell) = chosen {
        around(cell, 4.0, theme.canvas);
        around(cell, 2.5, theme.selected);
        // Between the frame and a cell of its colour.
        around(cell, 1.0, theme.canvas);
    }
}

/// The actions that choose a cell and bring it into view.
pub fn choose(scene: &Scene<'_>, picture: &FleetPicture, cell: FleetCell) -> Vec<Action> {
    let view = &scene.state.fleet;
    let mut wanted = vec![Action::Fleet(FleetAction::Select(Some(cell)))];
    if let Some((row, column)) = places(picture, cell) {
        let revealed =
            |range: Option<GridRange>, at| range.map(|it| super::grid_axis::revealing(it, at));
        let (rows, columns) = (revealed(view.rows, row), revealed(view.columns, column));
        if (rows, columns) != (view.rows, view.columns) {
            wanted.push(Action::Fleet(FleetAction::Show(rows, columns)));
        }
    }
    wanted
}

/// The same for the cell at these places.
pub fn choose_at(shown: &HeatmapScene<'_>, at: (usize, usize)) -> Vec<Action> {
    let cell = cell_at(shown.picture, at);
    cell.map(|it| choose(shown.scene, shown.picture, it))
        .unwrap_or_default()
}
