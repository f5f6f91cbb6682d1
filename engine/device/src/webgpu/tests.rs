//! The model by itself: races with a loss, both editions beside each other, and random programs.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::strategy::Just;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;
use record::SpanId;
use workload::PipelineKind;

const HOST: Timeline = Timeline::Content(0);
const SPAN: SpanId = SpanId(7);

fn run(model: &mut Model) {
    while model.step_device(SPAN).is_some() {}
    for host in [HOST, Timeline::Content(1)] {
        while model.step_content(host, SPAN).is_some() {}
    }
}

fn outcome(model: &Model, promise: Option<PromiseId>) -> String {
    let settled = promise.and_then(|promise| model.settlement(promise));
    settled.map_or_else(|| "pending".to_owned(), |it| it.outcome.to_string())
}

fn shape(defect: Option<Defect>) -> PipelineShape {
    PipelineShape {
        kind: PipelineKind::Compute,
        defect,
    }
}

#[test]
fn what_the_compile_gives_counts_until_the_loss_and_not_after() {
    for (loses_first, expected) in [
        (true, "resolve(pipeline)"),
        (false, "reject(GPUPipelineError reason=internal)"),
    ] {
        let mut model = Model::new(1);
        let (pipeline, made) = model.create_pipeline_async(HOST, SPAN, shape(None));
        run(&mut model);
        assert_eq!(outcome(&model, made.promise), "pending");
        if loses_first {
            model.lose(SPAN);
            model.compiled(pipeline, SPAN, Some(Defect::Internal));
        } else {
            model.compiled(pipeline, SPAN, Some(Defect::Internal));
            model.step_device(SPAN);
            model.lose(SPAN);
        }
        run(&mut model);
        assert_eq!(outcome(&model, made.promise), expected);
        assert_eq!(model.uncaptured(), 0);
    }
}

#[test]
fn the_editions_differ_where_the_loss_meets_a_compile() {
    let mut model = Model::with_editions(&[Edition::Present, Edition::Former]);
    let hosts = [HOST, Timeline::Content(1)];
    let made = hosts.map(|host| model.create_pipeline_async(host, SPAN, shape(None)));
    let (buffer, _) = model.create_buffer(HOST, SPAN, BufferShape::default());
    let (other, _) = model.create_buffer(HOST, SPAN, BufferShape::default());
    model.note_work();
    let maps = [(hosts[0], buffer), (hosts[1], other)]
        .map(|(host, buffer)| model.map_async(host, SPAN, buffer, MapRange::default()));
    run(&mut model);
    model.lose(SPAN);
    run(&mut model);
    assert_eq!(outcome(&model, made[0].1.promise), "resolve(pipeline)");
    assert_eq!(
        outcome(&model, made[1].1.promise),
        "pending",
        "nothing told it of the loss"
    );
    model.compiled(made[1].0, SPAN, Some(Defect::Internal));
    run(&mut model);
    assert_eq!(
        outcome(&model, made[1].1.promise),
        "reject(GPUPipelineError reason=internal)"
    );
    assert_eq!(outcome(&model, maps[0].promise), "reject(AbortError)");
    assert_eq!(outcome(&model, maps[1].promise), "reject(OperationError)");
}

#[test]
fn a_synchronous_creation_holds_the_device_timeline_and_its_scope_hears_of_it() {
    let mut model = Model::new(1);
    model.push_error_scope(HOST, SPAN, ErrorKind::Internal);
    let (pipeline, _) = model.create_pipeline(HOST, SPAN, shape(None));
    let popped = model.pop_error_scope(HOST, SPAN);
    run(&mut model);
    assert_eq!(
        outcome(&model, popped.promise),
        "pending",
        "the compile holds the timeline"
    );
    model.compiled(pipeline, SPAN, Some(Defect::Internal));
    run(&mut model);
    assert_eq!(outcome(&model, popped.promise), "resolve(internal)");
    let failed = PipelineState::Failed(Defect::Internal);
    assert_eq!(model.pipeline_state(pipeline), Some(failed));
}

#[test]
fn a_loss_by_the_driver_does_not_wait_for_the_device_timeline() {
    let mut model = Model::new(1);
    let lost = model.lost(HOST, SPAN);
    let (pipeline, _) = model.create_pipeline(HOST, SPAN, shape(None));
    model.destroy_device(HOST, SPAN);
    model.step_device(SPAN);
    assert!(
        !model.has_device_step(),
        "destroy() waits behind the compile"
    );
    model.lose(SPAN);
    run(&mut model);
    assert_eq!(outcome(&model, lost.promise), "resolve(reason=unknown)");
    model.compiled(pipeline, SPAN, None);
    run(&mut model);
    assert_eq!(model.pipeline_state(pipeline), Some(PipelineState::Lost));
    assert_eq!(
        model.loss(),
        Some(LossKind::Unknown),
        "the first reason stays"
    );
}

#[test]
fn a_step_names_what_issued_it() {
    let mut model = Model::new(1);
    let (pipeline, _) = model.create_pipeline_async(HOST, SpanId(1), shape(None));
    let first = model.step_device(SpanId(2)).unwrap();
    assert_eq!((first.name, first.cause), (StepName::Initial, SpanId(1)));
    assert_eq!(first.pipeline, Some(pipeline));
    model.compiled(pipeline, SpanId(3), None);
    let second = model.step_device(SpanId(4)).unwrap();
    assert_eq!((second.name, second.cause), (StepName::Decided, SpanId(3)));
    let last = model.step_content(HOST, SpanId(5)).unwrap();
    assert_eq!((last.name, last.cause), (StepName::Settle, SpanId(4)));
    assert!(matches!(last.effects.as_slice(), [Effect::Settled(_)]));
}

/// A call or a step of a random program.
#[derive(Clone, Copy, Debug)]
enum Move {
    Async(Option<Defect>),
    Sync(Option<Defect>),
    Map(bool),
    Unmap,
    EndBuffer,
    Push,
    Pop,
    Module(bool),
    Messages,
    WorkDone,
    Submit,
    Work,
    Lost,
    Destroy,
    Lose,
    Device,
    Content,
    Compiled(u8, Option<Defect>),
    ModuleMade,
}

fn moves() -> impl Strategy<Value = Move> {
    let defect = || {
        prop_oneof![
            Just(None),
            Just(Some(Defect::Validation)),
            Just(Some(Defect::Internal)),
        ]
    };
    prop_oneof![
        2 => defect().prop_map(Move::Async),
        2 => defect().prop_map(Move::Sync),
        2 => any::<bool>().prop_map(Move::Map),
        2 => Just(Move::Unmap),
        2 => Just(Move::EndBuffer),
        2 => Just(Move::Push),
        2 => Just(Move::Pop),
        2 => any::<bool>().prop_map(Move::Module),
        2 => Just(Move::Messages),
        2 => Just(Move::WorkDone),
        2 => Just(Move::Submit),
        2 => Just(Move::Work),
        2 => Just(Move::Lost),
        1 => Just(Move::Destroy),
        1 => Just(Move::Lose),
        6 => Just(Move::Device),
        4 => Just(Move::Content),
        3 => (any::<u8>(), defect()).prop_map(|(which, defect)| Move::Compiled(which, defect)),
        2 => Just(Move::ModuleMade),
    ]
}

/// What a program has made so far.
#[derive(Default)]
struct Program {
    promises: Vec<PromiseId>,
    compiles: Vec<PipelineId>,
    buffer: Option<BufferId>,
    module: Option<ModuleId>,
    losses: usize,
}

impl Program {
    fn note(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Compile(id) | Effect::CompileInline(id) | Effect::Refused(id) => {
                    self.compiles.push(*id);
                }
                Effect::Lost(_) => self.losses += 1,
                _ => {}
            }
        }
    }

    fn play(&mut self, model: &mut Model, host: Timeline, turn: Move) {
        let made = match turn {
            Move::Async(defect) => model.create_pipeline_async(host, SPAN, shape(defect)).1,
            Move::Sync(defect) => model.create_pipeline(host, SPAN, shape(defect)).1,
            Move::Map(is_wrong) => {
                let shape = BufferShape::default();
                let buffer = self
                    .buffer
                    .unwrap_or_else(|| model.create_buffer(host, SPAN, shape).0);
                self.buffer = Some(buffer);
                let range = MapRange {
                    is_wrong,
                    ..MapRange::default()
                };
                model.map_async(host, SPAN, buffer, range)
            }
            Move::Unmap => self
                .buffer
                .map(|it| model.unmap(host, SPAN, it))
                .unwrap_or_default(),
            Move::EndBuffer => {
                let ended = self.buffer.take();
                ended
                    .map(|it| model.destroy_buffer(host, SPAN, it))
                    .unwrap_or_default()
            }
            Move::Push => model.push_error_scope(host, SPAN, ErrorKind::Validation),
            Move::Pop => model.pop_error_scope(host, SPAN),
            Move::Module(is_wrong) => {
                let (module, made) = model.create_shader_module(host, SPAN, is_wrong);
                self.module = Some(module);
                made
            }
            Move::Messages => {
                let asked = self
                    .module
                    .map(|it| model.get_compilation_info(host, SPAN, it));
                asked.unwrap_or_default()
            }
            Move::WorkDone => model.on_submitted_work_done(host, SPAN),
            Move::Submit => model.submit(host, SPAN, Api::Submit, None),
            Move::Lost => model.lost(host, SPAN),
            Move::Destroy => model.destroy_device(host, SPAN),
            _ => return self.step(model, host, turn),
        };
        self.promises.extend(made.promise);
        self.note(&made.effects);
    }

    fn step(&mut self, model: &mut Model, host: Timeline, turn: Move) {
        let effects = match turn {
            Move::Lose => {
                model.lose(SPAN);
                Vec::new()
            }
            Move::Device => model
                .step_device(SPAN)
                .map(|it| it.effects)
                .unwrap_or_default(),
            Move::Content => model
                .step_content(host, SPAN)
                .map(|it| it.effects)
                .unwrap_or_default(),
            Move::Compiled(which, defect) if !self.compiles.is_empty() => {
                let id = self
                    .compiles
                    .swap_remove(which as usize % self.compiles.len());
                model.compiled(id, SPAN, defect)
            }
            Move::Work => model.work_completed(model.submitted(), SPAN),
            Move::ModuleMade => {
                let made = self.module.map(|it| model.module_completed(it, SPAN));
                made.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        self.note(&effects);
    }

    /// Everything that is under way comes to its end.
    fn finish(&mut self, model: &mut Model) {
        for _ in 0..1000 {
            self.step(model, HOST, Move::Compiled(0, None));
            self.step(model, HOST, Move::Work);
            for module in 0..200 {
                let effects = model.module_completed(ModuleId(module), SPAN);
                self.note(&effects);
            }
            let mut moved = false;
            while let Some(step) = model.step_device(SPAN) {
                self.note(&step.effects);
                moved = true;
            }
            for host in [HOST, Timeline::Content(1)] {
                while let Some(step) = model.step_content(host, SPAN) {
                    self.note(&step.effects);
                    moved = true;
                }
            }
            if !moved && self.compiles.is_empty() {
                return;
            }
        }
    }
}

proptest! {
    #[test]
    fn every_promise_settles_once_whatever_happens(program in vec((any::<bool>(), moves()), 0..120)) {
        let mut model = Model::with_editions(&[Edition::Present, Edition::Former]);
        let mut made = Program::default();
        for (second, turn) in program {
            made.play(&mut model, Timeline::Content(u32::from(second)), turn);
        }
        made.finish(&mut model);
        prop_assert_eq!(model.pending().count(), 0);
        prop_assert_eq!(model.repeats(), 0);
        prop_assert!(made.losses <= 1);
        prop_assert_eq!(made.losses == 1, model.loss().is_some());
        for promise in made.promises {
            let settled = model.settlement(promise);
            let row = settled.map(|it| it.row.reason);
            prop_assert!(row != Some(table::UNWRITTEN.reason), "{:?}", settled);
        }
    }
}
