//! The timeline: one picture of everything that ran, in four steps: gather, lay out, paint, take input.

mod answers;
mod arrow_bundles;
mod arrow_index;
pub mod arrow_route;
mod arrows;
pub mod bar_geometry;
mod bars;
mod bookmarks;
mod card;
pub mod drawing;
mod empty;
mod faults;
pub mod field_colours;
mod filter;
pub mod fold;
mod frame;
mod frame_inputs;
mod hatch;
mod input;
mod label;
mod lane_cache;
pub mod lane_match;
pub mod layout;
mod legend;
mod markers;
mod matches;
mod menu;
mod mesh_builder;
mod minimap;
mod missing_order;
mod motion;
mod never_ran;
mod overlay;
mod paced_bars;
mod pan_anchor;
mod path;
mod pending_promises;
mod pixel_row;
mod playhead;
pub mod plot;
mod projected;
mod races;
mod raster;
mod rows;
pub mod ruler;
mod running_spans;
pub mod scale;
mod screen_reader;
mod signs;
mod thread_states;
mod utilization;

use std::collections::BTreeMap;

use eframe::egui::{CursorIcon, FontId, Painter, Popup, Pos2, Rect, Response, Sense, Ui, pos2};
use engine::record::{CounterId, SpanId};

pub use arrow_bundles::ArrowTally;
pub use bar_geometry::role as role_of_span;
pub use card::role;
pub use frame::{Areas, PendingContent, Picture, theme_of};
pub use markers::{NewLoss, bolt};

use self::arrow_bundles::ArrowBundles;
use self::arrows::DependencyArrow;
use self::bars::Bars;
use self::frame::PaintFrame;
use self::input::{Drag, HitTarget};
use self::layout::{LayoutEntry, LayoutRow, RowContent};
use self::mesh_builder::MeshBuilder;
use crate::action::Action;
use crate::state::{GroupKey, Switch, Topic};
use crate::theme::{MINIMAP, RULER, SMALL};

/// The least height of a timeline below which colours are not told, in points.
const LEAST_WITH_LEGEND: f32 = 220.0;

/// So much of the body may be taken by lanes that stay at the top; of more, all are scrolled.
const MOST_PINNED: f32 = 0.7;

/// The timeline's caches, and what is being dragged. Where the user is, is in the state.
#[derive(Default)]
pub struct Timeline {
    stage: frame_inputs::FrameInputs,
    motion: motion::ViewAnimation,
    pin: pan_anchor::PanAnchor,
    folds: fold::Folds,
    labels: label::NameLabels,
    hatch: hatch::Hatch,
    inks: bars::TextColors,
    fields: field_colours::FieldColours,
    legend: legend::Legend,
    raster: raster::Raster,
    pinned_raster: raster::Raster,
    filter: filter::LaneFilter,
    menu: menu::TimelineMenu,
    /// Whether every bar is a shape, for a drawing without pixels.
    is_drawing: bool,
    /// Whether it lies below another one, which has the field that filters lanes.
    is_below: bool,
    minimap: minimap::Minimap,
    groups: BTreeMap<GroupKey, utilization::BusyTimeChart>,
    pyramids: BTreeMap<CounterId, plot::Pyramid>,
    states: thread_states::LaneStateSums,
    drag: Drag,
    hold: minimap::MinimapGrip,
    width: rows::NameColumnWidth,
    seen: Option<SpanId>,
    /// Where the labels on the ruler lie, and what each stands for.
    labelled: Vec<(Topic, Rect)>,
    areas: Option<Areas>,
    /// Every dependency, while all arrows are drawn.
    index: arrow_index::ArrowIndex,
    /// What is drawn of all arrows, where they are.
    arrows: Option<ArrowTally>,
}

/// The parts that take input.
struct InputResponses {
    minimap: Response,
    ruler: Response,
    names: Response,
    body: Response,
    edge: Response,
}

impl Timeline {
    /// A timeline that paints every bar as a shape of its own, for what is to be drawn without pixels.
    pub fn of_shapes() -> Self {
        Self {
            is_drawing: true,
            folds: fold::Folds::at_once(),
            minimap: minimap::Minimap::at_once(),
            ..Self::default()
        }
    }

    /// Puts the cursor into the field that filters lanes at the next frame.
    pub fn take_filter_focus(&mut self) {
        self.filter.take_focus();
    }

    /// Where its parts lay in the last frame.
    pub fn areas(&self) -> Areas {
        self.areas.unwrap_or(Areas::new(Rect::ZERO, (0.0, 0.0)))
    }

    /// What was drawn of all arrows in the last frame; nothing where they are not shown.
    pub fn arrows(&self) -> Option<ArrowTally> {
        self.arrows
    }

    /// Has it lie below another timeline, whose column of names is so many points wide and who has the field that filters lanes.
    pub fn lie_below(&mut self, names: f32) {
        self.width.keep(names);
        self.is_below = true;
    }

    /// How high it is with all of its rows, in points.
    pub fn height(&self) -> f32 {
        MINIMAP + RULER + self.stage.layout.height()
    }

    /// Shows the timeline in all of `ui`; what the user wants comes back in `actions`.
    pub fn ui(&mut self, ui: &mut Ui, picture: &Picture<'_>, actions: &mut Vec<Action>) {
        let whole = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(whole);
        let painter = ui.painter_at(whole);
        if picture.capture.lanes().is_empty() && picture.capture.extent().is_none() {
            empty::paint(&painter, whole, picture);
            return;
        }
        self.stage.update(picture.capture, picture.state);
        let field = &picture.state.view.colour_field;
        self.fields.update(picture.capture, field);
        let stage = std::mem::take(&mut self.stage);
        let frame = self.frame(ui, picture, &stage, whole);
        screen_reader::ui(ui, &frame, actions);
        let responses = respond(ui, &frame);
        self.folds.begin(stage.stamp);
        let (links, more) = self.paint(&painter, &frame, &responses);
        self.input(ui, &frame, &responses, &links, actions);
        if !self.is_drawing && !self.is_below {
            self.filter.ui(ui, &frame, &stage, actions);
        }
        self.follow_selection(&frame, actions);
        show_streams(&frame, actions);
        if more {
            ui.ctx().request_repaint();
        }
        self.stage = stage;
    }

    /// How high the line is that says what colours say: none where there would be no room for lanes.
    fn legend_height(&self, picture: &Picture<'_>, whole: Rect) -> f32 {
        let is_on = picture.state.settings.is_on(Switch::Legend);
        let has_room = whole.height() >= LEAST_WITH_LEGEND;
        if is_on && has_room && !self.is_drawing && !self.is_below {
            legend::LEGEND
        } else {
            0.0
        }
    }

    /// Gathers what stays the same for this frame.
    fn frame<'a>(
        &mut self,
        ui: &Ui,
        picture: &Picture<'a>,
        ground: &'a frame_inputs::FrameInputs,
        whole: Rect,
    ) -> PaintFrame<'a> {
        let state = picture.state;
        let rows = (&ground.layout, whole);
        let width = self.width.fit(ui.painter(), picture, rows);
        let areas = Areas::new(whole, (width, self.legend_height(picture, whole)));
        self.areas = Some(areas);
        let target = state.view.shown(picture.capture.extent());
        let direct = self.drag != Drag::Nothing
            || self.hold.is_held()
            || state.follow
            || state.settings.is_on(Switch::ReduceMotion);
        let now = ui.input(|input| input.time);
        let (shown, moving) = self.motion.step(target, now, direct);
        if moving {
            ui.ctx().request_repaint();
        }
        let scale = shown.scale(areas.body.left(), areas.body.width());
        let (scale, pin) = self.pin.snap(scale, ui.ctx().pixels_per_point());
        let most = (ground.layout.height() - areas.body.height()).max(0.0);
        let scroll = state.view.scroll.clamp(0.0, most).round();
        let pinned = ground.layout.pinned;
        let sticky = if pinned <= areas.body.height() * MOST_PINNED {
            pinned
        } else {
            0.0
        };
        PaintFrame {
            picture: *picture,
            areas,
            layout: &ground.layout,
            opens: &ground.opens,
            faults: &ground.faults,
            never_ran: &ground.never_ran,
            races: &ground.races,
            pending: &ground.pending,
            scale,
            pin,
            column: scale.column(fold::COLUMN),
            scroll,
            sticky,
            rows: ground
                .layout
                .visible(scroll + sticky, scroll + areas.body.height()),
            pixel: 1.0 / ui.ctx().pixels_per_point(),
            stamp: ground.stamp,
        }
    }

    /// Paints everything, from the ground up; returns the arrows, and whether more is to come.
    fn paint(
        &mut self,
        painter: &Painter,
        frame: &PaintFrame<'_>,
        responses: &InputResponses,
    ) -> (Vec<DependencyArrow>, bool) {
        let state = frame.picture.state;
        let body = painter.with_clip_rect(frame.areas.body);
        let ruler = ruler::ruler(&frame.scale);
        let all = state.settings.is_on(Switch::AllArrows);
        let mut bundles = None;
        let mut index = std::mem::take(&mut self.index);
        let unread = all && index.read_on(frame.picture.capture);
        let mut more = self.paint_lanes(&body, frame, &ruler, |names| {
            bundles = all.then(|| ArrowBundles::new(frame, &index));
            if let Some(bundles) = &bundles {
                bundles.paint(&body, frame, names);
            }
        });
        self.index = index;
        more |= unread;
        self.arrows = bundles.map(|it| it.tally());
        if let Some(pinned) = frame.pinned() {
            let inside = body.with_clip_rect(frame.pinned_rect().intersect(body.clip_rect()));
            std::mem::swap(&mut self.raster, &mut self.pinned_raster);
            more |= self.paint_lanes(&inside, &pinned, &ruler, |_| ());
            std::mem::swap(&mut self.raster, &mut self.pinned_raster);
        }
        // Where labels of losses lie is known of the frame before.
        let labels = self.labelled.iter().map(|(_, rect)| rect.x_range());
        let labels: Vec<_> = labels.chain(markers::covered(frame)).collect();
        rows::ruler(painter, frame, &ruler, &labels);
        bookmarks::paint(painter, frame);
        if let Some(range) = state.selection.range {
            overlay::range(painter, frame, range);
        }
        pending_promises::paint(&body, frame);
        never_ran::paint(&body, frame);
        self.labelled = faults::paint(painter, frame);
        markers::paint(painter, frame);
        matches::paint(painter, frame);
        playhead::paint(painter, frame);
        path::paint(&body, frame);
        races::paint(&body, frame);
        missing_order::paint(&body, frame);
        overlay::outlines(&body, frame);
        let links = arrows::links(frame);
        arrows::paint(&body, frame, &links);
        if let Some(time) = state.hover.time {
            overlay::pointer(painter, frame, time);
        }
        overlay::scrollbar(&body, frame);
        let pointed = pointed(frame, responses);
        rows::names(painter, frame, pointed);
        if let Some(pinned) = frame.pinned() {
            let inside = painter.with_clip_rect(frame.pinned_rect());
            rows::names(&inside, &pinned, pointed);
            rows::pinned_edge(painter, frame);
        }
        more |= minimap::paint(painter, frame, &mut self.minimap);
        if frame.areas.legend.is_positive() {
            more |= self.legend.update(frame, (&self.folds, &mut self.fields));
            self.legend.paint(painter, frame);
        }
        (links, more)
    }

    /// Paints the rows of a frame, and what lies on them; `between` is called once the spans are there and where their names
    /// are is known.
    fn paint_lanes(
        &mut self,
        body: &Painter,
        frame: &PaintFrame<'_>,
        ruler: &ruler::Ruler,
        between: impl FnOnce(&[Rect]),
    ) -> bool {
        rows::ground(body, frame, ruler);
        answers::paint(body, frame);
        projected::paint(body, frame);
        faults::ground(body, frame);
        if let Some(range) = frame.picture.state.selection.range {
            overlay::range_ground(body, frame, range);
        }
        bookmarks::ground(body, frame);
        let (mut more, marks) = self.paint_rows(body, frame);
        more |= self.paint_names_of_spans(body, frame, marks) || self.folds.is_behind();
        between(self.labels.places());
        signs::brackets(body, frame);
        signs::paint(body, frame, &self.folds);
        more
    }

    /// Paints the spans and counters of the rows in view, and how busy collapsed groups were.
    fn paint_rows(&mut self, body: &Painter, frame: &PaintFrame<'_>) -> (bool, MeshBuilder) {
        let capture = frame.picture.capture;
        let hatch = self.hatch.texture(body.ctx());
        let mut more = false;
        for row in frame.visible() {
            match &row.content {
                RowContent::Entry(LayoutEntry::Counter(id)) => {
                    let pyramid = self.pyramids.entry(*id).or_default();
                    rows::counter(body, frame, (row, *id), pyramid);
                }
                RowContent::Entry(LayoutEntry::States(lane)) => {
                    thread_states::paint(body, frame, (row, *lane), &mut self.states);
                }
                RowContent::Group {
                    collapsed: true,
                    members,
                } => more |= self.paint_collapsed(body, frame, row, members.clone()),
                _ => {}
            }
        }
        let side = body.ctx().input(|input| input.max_texture_side);
        let side = if self.is_drawing { 0 } else { side };
        let pixels = body.pixels_per_point();
        self.raster.begin(frame.areas.body, pixels, side);
        let colours = (&mut self.inks, &mut self.fields);
        let mut bars = Bars::new(frame, hatch, (&mut self.raster, colours));
        for row in frame.visible() {
            if let RowContent::Entry(entry) = row.content
                && let Some(lane) = entry.lane().and_then(|lane| capture.lane(lane))
            {
                bars.lane(frame, (row, lane), &mut self.folds, &mut self.labels);
            }
        }
        (more, bars.paint(body, frame))
    }

    /// Writes the names of spans, and above them what strikes lost ones through.
    fn paint_names_of_spans(
        &mut self,
        body: &Painter,
        frame: &PaintFrame<'_>,
        marks: MeshBuilder,
    ) -> bool {
        let is_dense = frame.layout.metrics.bar < 16.0;
        let size = if is_dense { SMALL - 2.0 } else { SMALL };
        let font = FontId::proportional(size);
        let more = self.labels.paint(body, frame.picture.capture, &font);
        if !marks.is_empty() {
            body.add(marks.into_shape());
        }
        more
    }

    fn paint_collapsed(
        &mut self,
        body: &Painter,
        frame: &PaintFrame<'_>,
        row: &LayoutRow,
        members: std::ops::Range<usize>,
    ) -> bool {
        let entries = frame.layout.entries.get(members).unwrap_or(&[]);
        let lanes: Vec<_> = entries
            .iter()
            .filter_map(|entry| Some((entry.lane()?, 0)))
            .collect();
        let span = utilization::BusyTimeRange {
            interval: frame.scale.interval(),
            columns: (frame.scale.width() / 3.0).ceil() as usize,
        };
        let profile = self.groups.entry(row.key).or_default();
        let how = (1, utilization::BUDGET);
        let known = (frame.picture.capture, frame.stamp);
        let (columns, more) = profile.update(known, &lanes, how, span);
        let color = rows::hue(frame.picture.theme, row.key.group);
        rows::collapsed(body, frame, row, columns, color);
        more
    }

    fn input(
        &mut self,
        ui: &Ui,
        frame: &PaintFrame<'_>,
        responses: &InputResponses,
        links: &[DependencyArrow],
        actions: &mut Vec<Action>,
    ) {
        let marked = markers::input(ui, frame, actions)
            | playhead::input(ui, frame, actions)
            | bookmarks::input(frame, &responses.ruler, actions);
        minimap::input(frame, &responses.minimap, &mut self.hold, actions);
        self.width.input(&responses.edge, frame);
        let hover = responses.body.hover_pos();
        let pointed = hover
            .or(responses.names.hover_pos())
            .or(responses.ruler.hover_pos());
        if let Some(at) = pointed {
            input::wheel(ui, frame, at, actions);
        }
        if self.thumb(ui, frame, &responses.body, actions) {
            return;
        }
        let target = hover.and_then(|at: Pos2| input::target(frame, &self.folds, links, at));
        input::body(
            ui,
            frame,
            (&responses.body, &self.folds),
            target.as_ref(),
            (&mut self.drag, actions),
        );
        if !marked && !self.pick_label(&responses.ruler, actions) {
            input::ruler(ui, frame, &responses.ruler, (&mut self.drag, actions));
        }
        answers::input(ui, frame, &responses.body, actions);
        projected::input(ui, frame, &responses.body, actions);
        thread_states::input(frame, &responses.body);
        if frame.areas.legend.is_positive() {
            let area = ui.scope_id().with("legend");
            let response = ui.interact(frame.areas.legend, area, Sense::hover());
            self.legend.hover(frame, response);
        }
        input::names(frame, &responses.names, &mut self.drag, actions);
        self.menu.ui(frame, responses, target.as_ref(), actions);
        if let (Drag::Lane(_, key), Some(at)) = (self.drag, responses.names.interact_pointer_pos())
        {
            let y = frame.row_y(at.y);
            overlay::insertion(ui.painter(), frame, frame.layout.gap_at(key, y));
        }
        let subject = target.as_ref().and_then(HitTarget::subject);
        let nothing = hover.filter(|_| target.is_none());
        let subject = subject.or_else(|| input::idle(frame, nothing?));
        // A menu or a dialog that is open is not covered.
        let is_covered = Popup::is_any_open(ui.ctx()) || frame.picture.state.window.is_some();
        let subject = subject.filter(|_| !is_covered);
        if let Some(subject) = subject {
            card::ui(ui, frame, subject);
        }
    }

    /// Chooses what a label on the ruler stands for when it is clicked; says whether the pointer is on one.
    fn pick_label(&self, ruler: &Response, actions: &mut Vec<Action>) -> bool {
        let at = ruler.hover_pos().filter(|_| self.drag == Drag::Nothing);
        let mut labels = self.labelled.iter();
        let Some((topic, _)) = at.and_then(|at| labels.find(|(_, rect)| rect.contains(at))) else {
            return false;
        };
        ruler.ctx.set_cursor_icon(CursorIcon::PointingHand);
        if ruler.clicked() {
            actions.push(Action::SelectTopic(*topic));
        }
        true
    }

    /// Scrolls by the scrollbar's thumb; says whether it is held.
    fn thumb(
        &mut self,
        ui: &Ui,
        frame: &PaintFrame<'_>,
        body: &Response,
        actions: &mut Vec<Action>,
    ) -> bool {
        let Some(thumb) = overlay::thumb(frame) else {
            return false;
        };
        let origin = ui.input(|input| input.pointer.press_origin());
        if body.drag_started() && origin.is_some_and(|at| thumb.expand(3.0).contains(at)) {
            self.drag = Drag::Thumb;
        }
        if self.drag != Drag::Thumb {
            return false;
        }
        let rows = frame.layout.height() - frame.areas.body.height();
        let way = (frame.areas.body.height() - thumb.height()).max(1.0);
        input::scroll(
            frame,
            frame.scroll + body.drag_delta().y / way * rows,
            actions,
        );
        if body.drag_stopped() {
            self.drag = Drag::Nothing;
        }
        true
    }

    /// Scrolls to the selected span when something else than the pointer has just chosen it.
    fn follow_selection(&mut self, frame: &PaintFrame<'_>, actions: &mut Vec<Action>) {
        let selected = frame.picture.state.selection.span;
        if selected == self.seen {
            return;
        }
        let Some(span) = selected else {
            self.seen = None;
            return;
        };
        // A span that has not arrived yet is gone to when it does.
        let Some(place) = frame.locate(span) else {
            return;
        };
        self.seen = selected;
        let body = frame.areas.body;
        let is_pinned =
            place.rect.bottom() <= frame.scrolled().top() && frame.is_pinned(place.lane);
        let top = frame.scrolled().top();
        if !is_pinned && (place.rect.top() < top || place.rect.bottom() > body.bottom()) {
            let to = frame.scroll + place.rect.center().y - body.center().y;
            input::scroll(frame, to, actions);
        }
    }
}

/// Keeps the first streams in sight until someone scrolls.
fn show_streams(frame: &PaintFrame<'_>, actions: &mut Vec<Action>) {
    let view = &frame.picture.state.view;
    let home = frame.layout.home(frame.areas.body.height());
    if !view.is_scrolled && view.scroll != home {
        actions.push(Action::Home(home));
    }
}

/// The row whose name is pointed at.
fn pointed(frame: &PaintFrame<'_>, responses: &InputResponses) -> Option<usize> {
    let names = &responses.names;
    let at = names.hover_pos().or(names.interact_pointer_pos())?;
    frame.layout.row_at(frame.row_y(at.y))
}

fn respond(ui: &Ui, frame: &PaintFrame<'_>) -> InputResponses {
    let areas = frame.areas;
    let drag = Sense::click_and_drag();
    let part = |name: &str, rect| ui.interact(rect, ui.scope_id().with(name), drag);
    let names = part("names", areas.names);
    let body = part("body", areas.body);
    let x = areas.names.right();
    let line = Rect::from_min_max(
        pos2(x - 3.0, areas.ruler.top()),
        pos2(x + 3.0, areas.body.bottom()),
    );
    let edge = part("edge", line).on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
    InputResponses {
        minimap: part("minimap", areas.minimap),
        ruler: part("ruler", areas.ruler),
        names,
        body,
        edge,
    }
}
