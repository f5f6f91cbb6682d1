//! The timeline as a drawing of lines, rectangles and text, in SVG: what the window shows, made without one.

mod markup;
mod mesh;
mod shapes;

use std::time::Duration;

use eframe::egui::{Color32, Context, Pos2, RawInput, Rect, ViewportId, Visuals, vec2};
use engine::capture::Capture;

use super::{Picture, Timeline, theme_of};
use crate::state::{AppState, Hover, Settings, Switch, ThemeChoice};
use crate::theme;
use markup::Markup;

/// Width of a drawing, in points.
const WIDTH: f32 = 1440.0;
/// The least and the greatest height, in points.
const HEIGHT: (f32, f32) = (240.0, 60_000.0);
/// Frames after which a drawing is as complete as it gets: names come in portions.
const FRAMES: u32 = 400;
/// Pixels a point; edges between pixels are smoothed, so that fewer would make them blunt.
const DENSITY: f32 = 4.0;

/// What pictures start from that nobody looked at in the window: they are for print.
pub fn for_print() -> AppState {
    AppState {
        settings: Settings {
            theme: ThemeChoice::Light,
            ..Settings::default()
        },
        ..AppState::default()
    }
}

/// What `state` shows of `capture`, with every lane of it, as a text in SVG.
pub fn svg(capture: &Capture, mut state: AppState) -> String {
    state.settings.switches.insert(Switch::ReduceMotion);
    state.hover = Hover::default();
    state.view.scroll = 0.0;
    state.follow = false;
    let dark = state.settings.theme == ThemeChoice::Dark;
    let theme = theme_of(&state);
    let context = Context::default();
    theme::install(&context);
    context.set_visuals(if dark {
        Visuals::dark()
    } else {
        Visuals::light()
    });
    let mut timeline = Timeline::of_shapes();
    let picture = Picture {
        capture,
        state: &state,
        theme,
        causes: None,
        path: &[],
        can_lose: true,
        pending: None,
        matches: None,
    };
    let mut size = vec2(WIDTH, HEIGHT.0);
    let mut shapes = Vec::new();
    for frame in 0..FRAMES {
        let input = input(Rect::from_min_size(Pos2::ZERO, size), frame);
        let mut output = context.run_ui(input, |ui| timeline.ui(ui, &picture, &mut Vec::new()));
        // Nothing is rastered.
        output.textures_delta.clear();
        shapes = std::mem::take(&mut output.shapes);
        let needed = timeline.height().clamp(HEIGHT.0, HEIGHT.1);
        let grows = needed != size.y;
        size.y = needed;
        let views = output.viewport_output.values();
        let waits = views.map(|it| it.repaint_delay).min();
        if !grows && waits.is_none_or(|delay| delay > Duration::ZERO) {
            break;
        }
    }
    let mut markup = Markup::new(size, theme.canvas);
    for clipped in shapes {
        markup.clip(clipped.clip_rect);
        shapes::write(&mut markup, clipped.shape);
    }
    markup.finish()
}

fn input(screen: Rect, frame: u32) -> RawInput {
    let mut input = RawInput {
        screen_rect: Some(screen),
        // Far enough from zero that nothing counts as just begun.
        time: Some(10.0 + f64::from(frame) / 60.0),
        ..RawInput::default()
    };
    if let Some(root) = input.viewports.get_mut(&ViewportId::ROOT) {
        root.native_pixels_per_point = Some(DENSITY);
    }
    input
}

/// Whether nothing would be seen of a colour.
fn is_clear(color: Color32) -> bool {
    color.a() == 0 && color.r() == 0 && color.g() == 0 && color.b() == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::record::{
        CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
    };
    use engine::time::Nanos;

    fn capture() -> Capture {
        let mut capture = Capture::new();
        let span = |id, kind, start, end| {
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(0),
                name: NameId(id),
                call: CallId::NONE,
                kind,
                state: State::Done,
                enqueued: Nanos(start),
                start: Nanos(start),
                end: Nanos(end),
            })
        };
        capture.apply([
            Record::Name(NameId(0), "saxpy<float> & more".into()),
            Record::Name(NameId(1), "wait ready".into()),
            Record::Lane(Box::new(Lane {
                id: LaneId(0),
                group: Group::Streams,
                device: None,
                role: Role::Compute,
                name: "compute".to_owned(),
                order: 0,
                process: "".into(),
                thread: "".into(),
            })),
            span(0, SpanKind::Kernel, 0, 1_000_000),
            span(1, SpanKind::EventWait, 1_000_000, 2_000_000),
        ]);
        capture
    }

    #[test]
    fn names_are_text_and_waits_are_hatched() {
        let svg = svg(&capture(), AppState::default());
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(
            svg.contains(">saxpy&lt;float&gt; &amp; more</text>"),
            "{svg}"
        );
        assert!(svg.contains(">compute</text>"));
        assert!(svg.contains("url(#hatch0)") && svg.contains("id=\"hatch0\""));
        let bars = svg.matches("<path ").count() + svg.matches("<rect ").count();
        assert!(bars > 10, "{bars}");
    }
}
