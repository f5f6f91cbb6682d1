//! The window without a display: what clicks and keys do, and pictures of every panel.

mod after_run;
mod arrows;
mod bookmarks;
mod chosen_runs;
mod colours;
mod consent;
mod control_names;
mod events;
mod fleet;
mod foreign;
mod host_ranges;
mod interaction;
mod interface_size;
mod lanes;
mod lessons;
mod links;
mod losing;
mod matches;
mod memory;
mod opened_captures;
mod operations;
mod palette;
mod panel_tabs;
mod pictures;
mod pieces;
mod pipeline_load;
mod pipelines;
mod playback;
mod program;
mod query;
mod races;
mod readme_pictures;
mod receipts;
mod recorded_fixtures;
mod reloading;
mod reports;
mod ruler;
mod screen_reader;
mod selection;
mod source_editor;
mod streams;
mod tabs;
mod thread_states;
mod unsaved;
mod why;
mod why_rows;
mod window_sizes;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use app::app::{App, EngineLink};
use app::panel::AppStatus;
use app::state::{Settings, ThemeChoice};
use crossbeam_channel::Sender;
use eframe::egui::{Context, Event, Modifiers, PointerButton, Pos2, Rect, Shape};
use egui_kittest::{Harness, HarnessBuilder, SnapshotOptions};
use engine::record::{Record, SpanId, SpanKind};
use engine::runner::{Control, Message, Phase, RunRequest, run};
use engine::workload::bundled;

use crate::house::root;

/// A window, what it asked of its engine, and a way to answer.
pub struct Window {
    /// The window.
    pub harness: Harness<'static, App>,
    /// What it asked of its engine.
    pub asked: Arc<Mutex<Vec<Control>>>,
    /// The engine's end of the channel.
    pub engine: Sender<Message>,
}

impl Window {
    /// A window of this size in points, with nothing run.
    pub fn new(size: [f32; 2], theme: ThemeChoice) -> Self {
        Self::keeping(size, theme, None)
    }

    /// The same, with where the user was in each capture kept in a folder.
    pub fn keeping(size: [f32; 2], theme: ThemeChoice, views: Option<PathBuf>) -> Self {
        Self::prepared(size, theme, move |app| match views {
            Some(folder) => app.keeping_views_in(folder),
            None => app,
        })
    }

    /// The same as the program begins, which greets a newcomer after the first run.
    pub fn first_start(size: [f32; 2], theme: ThemeChoice) -> Self {
        Self::prepared(size, theme, App::greeting)
    }

    fn prepared(
        size: [f32; 2],
        theme: ThemeChoice,
        prepare: impl FnOnce(App) -> App + 'static,
    ) -> Self {
        let asked: Arc<Mutex<Vec<Control>>> = Arc::default();
        let (engine, messages) = crossbeam_channel::bounded(64);
        let list = Arc::clone(&asked);
        let harness = builder(size).build_eframe(move |creation| {
            let send = move |control| list.lock().unwrap().push(control);
            let settings = Settings {
                theme,
                ..Settings::default()
            };
            let link = EngineLink::new(Box::new(send), messages);
            prepare(make(&creation.egui_ctx, settings, link))
        });
        Self {
            harness,
            asked,
            engine,
        }
    }

    /// The same, with the records of a workload's run in virtual time on screen.
    pub fn with_run(size: [f32; 2], theme: ThemeChoice, workload: &str) -> Self {
        let mut window = Self::new(size, theme);
        window.answer(records(workload));
        window
    }

    /// Answers as an engine does that has just run something.
    pub fn answer(&mut self, records: Vec<Record>) {
        let messages = [
            Message::Started { run: 1 },
            Message::Phase(Phase::Running),
            Message::Batch(records),
            Message::Phase(Phase::Idle),
            Message::Finished { run: 1, lost: 0 },
        ];
        for message in messages {
            self.engine.send(message).unwrap();
        }
        // A frame takes messages for a few milliseconds, which a busy machine may spend on one.
        while !self.engine.is_empty() {
            self.harness.step();
        }
        self.harness.run();
    }

    /// The texts that are painted, each with its place.
    pub fn painted(&self) -> Vec<(String, Rect)> {
        fn texts(shape: &Shape, found: &mut Vec<(String, Rect)>) {
            match shape {
                Shape::Vec(all) => all.iter().for_each(|it| texts(it, found)),
                Shape::Text(text) => {
                    let place = text.galley.rect.translate(text.pos.to_vec2());
                    found.push((text.galley.text().to_owned(), place));
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        for clipped in &self.harness.output().shapes {
            texts(&clipped.shape, &mut found);
        }
        found
    }

    /// What it asked of its engine since the last call.
    pub fn asked(&self) -> Vec<Control> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

fn make(context: &Context, settings: Settings, link: EngineLink) -> App {
    App::new(context, settings, Some(link)).untimed()
}

/// Harnesses that draw through wgpu and compare with the pictures in `screenshots/`.
pub fn builder<State>(size: [f32; 2]) -> HarnessBuilder<State> {
    let pictures: &Path = &root().join("screenshots");
    // The edge of a letter may be rounded to the other side.
    let options = SnapshotOptions::new()
        .output_path(pictures)
        .max_failed_pixels(8);
    Harness::builder()
        .with_size(size)
        .with_options(options)
        .wgpu()
}

/// The records of a bundled workload's run in virtual time: the same on every machine.
pub fn records(workload: &str) -> Vec<Record> {
    let found = bundled()
        .iter()
        .find(|found| found.name == workload)
        .unwrap();
    let request = RunRequest {
        name: found.name.to_owned(),
        source: found.source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let mut all = Vec::new();
    run(request, |records| all.extend(records)).unwrap();
    all
}

/// What a capture of two files is called.
pub fn both(status: &AppStatus) -> String {
    let names = status.parts.iter().filter_map(|it| it.path.file_name());
    let names = names.map(|it| it.to_string_lossy().into_owned());
    names.collect::<Vec<_>>().join(" and ")
}

/// Frames after which a window of another size is at rest: what is chosen is scrolled to.
pub const SETTLED: usize = 12;

/// Moves the pointer to a place and presses a button there.
pub fn click(window: &mut Window, at: Pos2, button: PointerButton) {
    window.harness.event(Event::PointerMoved(at));
    window.harness.step();
    for pressed in [true, false] {
        window.harness.event(Event::PointerButton {
            pos: at,
            button,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.harness.step();
    }
    window.harness.run();
}

/// The longest wait of the capture on screen.
pub fn longest_wait(app: &App) -> SpanId {
    let capture = app.scene().capture;
    let waits = capture
        .spans()
        .filter(|placed| placed.span.kind == SpanKind::EventWait);
    waits
        .max_by_key(|placed| placed.interval().length())
        .unwrap()
        .span
        .id
}
