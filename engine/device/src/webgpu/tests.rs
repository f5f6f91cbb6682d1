//! The model by itself: races with a loss, both editions beside each other, and random programs.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::strategy::Just;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;
use record::SpanId;
use workload::PipelinePurpose;

const HOST: ModelTimeline = ModelTimeline::Content(0);
const SPAN: SpanId = SpanId(7);

fn run(model: &mut WebGpuModel) {
    while model.step_device(SPAN).is_some() {}
    for host in [HOST, ModelTimeline::Content(1)] {
        while model.step_content(host, SPAN).is_some() {}
    }
}

fn outcome(model: &WebGpuModel, promise: Option<ModelPromiseId>) -> String {
    let settled = promise.and_then(|promise| model.settlement(promise));
    settled.map_or_else(|| "pending".to_owned(), |it| it.outcome.to_string())
}

fn shape(defect: Option<PipelineDefect>) -> PipelineShape {
    PipelineShape {
        kind: PipelinePurpose::Compute,
        defect,
    }
}

#[test]
fn what_the_compile_gives_counts_until_the_loss_and_not_after() {
    for (loses_first, expected) in [
        (true, "resolve(pipeline)"),
        (false, "reject(GPUPipelineError reason=internal)"),
    ] {
        let mut model = WebGpuModel::new(1);
        let (pipeline, made) = model.create_pipeline_async(HOST, SPAN, shape(None));
        run(&mut model);
        assert_eq!(outcome(&model, made.promise), "pending");
        if loses_first {
            model.lose(SPAN);
            model.compiled(pipeline, SPAN, Some(PipelineDefect::Internal));
        } else {
            model.compiled(pipeline, SPAN, Some(PipelineDefect::Internal));
            model.step_device(SPAN);
            model.lose(SPAN);
        }
        run(&mut model);
        assert_eq!(outcome(&model, made.promise), expected);
        assert_eq!(model.uncaptured(), 0);
    }
}

#[test]
fn a_device_that_is_said_to_be_lost_again_and_again_is_lost_in_one_step() {
    let mut model = WebGpuModel::new(1);
    for _ in 0..7 {
        model.lose(SPAN);
    }
    assert!(model.step_device(SPAN).is_some());
    assert_eq!(model.loss(), Some(LossReason::Unknown));
    model.lose(SPAN);
    assert!(model.step_device(SPAN).is_none());
}

#[test]
fn the_editions_differ_where_the_loss_meets_a_compile() {
    let mut model = WebGpuModel::with_editions(&[SpecAuthority::Present, SpecAuthority::Former]);
    let hosts = [HOST, ModelTimeline::Content(1)];
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
    model.compiled(made[1].0, SPAN, Some(PipelineDefect::Internal));
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
    let mut model = WebGpuModel::new(1);
    model.push_error_scope(HOST, SPAN, GpuErrorKind::Internal);
    let (pipeline, _) = model.create_pipeline(HOST, SPAN, shape(None));
    let popped = model.pop_error_scope(HOST, SPAN);
    run(&mut model);
    assert_eq!(
        outcome(&model, popped.promise),
        "pending",
        "the compile holds the timeline"
    );
    model.compiled(pipeline, SPAN, Some(PipelineDefect::Internal));
    run(&mut model);
    assert_eq!(outcome(&model, popped.promise), "resolve(internal)");
    let failed = PipelineProgress::Failed(PipelineDefect::Internal);
    assert_eq!(model.pipeline_state(pipeline), Some(failed));
}

#[test]
fn a_loss_by_the_driver_does_not_wait_for_the_device_timeline() {
    let mut model = WebGpuModel::new(1);
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
    assert_eq!(model.pipeline_state(pipeline), Some(PipelineProgress::Lost));
    assert_eq!(
        model.loss(),
        Some(LossReason::Unknown),
        "the first reason stays"
    );
}

#[test]
fn a_step_names_what_issued_it() {
    let mut model = WebGpuModel::new(1);
    let (pipeline, _) = model.create_pipeline_async(HOST, SpanId(1), shape(None));
    let first = model.step_device(SpanId(2)).unwrap();
    assert_eq!((first.name, first.cause), (StepName::Initial, SpanId(1)));
    assert_eq!(first.pipeline, Some(pipeline));
    model.compiled(pipeline, SpanId(3), None);
    let second = model.step_device(SpanId(4)).unwrap();
    assert_eq!((second.name, second.cause), (StepName::Decided, SpanId(3)));
    let last = model.step_content(HOST, SpanId(5)).unwrap();
    assert_eq!((last.name, last.cause), (StepName::Settle, SpanId(4)));
    assert!(matches!(last.effects.as_slice(), [StepEffect::Settled(_)]));
}

/// A call or a step of a random program.
#[derive(Clone, Copy, Debug)]
enum ProgramMove {
    Async(Option<PipelineDefect>),
    Sync(Option<PipelineDefect>),
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
    Compiled(u8, Option<PipelineDefect>),
    ModuleMade,
}

fn moves() -> impl Strategy<Value = ProgramMove> {
    let defect = || {
        prop_oneof![
            Just(None),
            Just(Some(PipelineDefect::Validation)),
            Just(Some(PipelineDefect::Internal)),
        ]
    };
    prop_oneof![
        2 => defect().prop_map(ProgramMove::Async),
        2 => defect().prop_map(ProgramMove::Sync),
        2 => any::<bool>().prop_map(ProgramMove::Map),
        2 => Just(ProgramMove::Unmap),
        2 => Just(ProgramMove::EndBuffer),
        2 => Just(ProgramMove::Push),
        2 => Just(ProgramMove::Pop),
        2 => any::<bool>().prop_map(ProgramMove::Module),
        2 => Just(ProgramMove::Messages),
        2 => Just(ProgramMove::WorkDone),
        2 => Just(ProgramMove::Submit),
        2 => Just(ProgramMove::Work),
        2 => Just(ProgramMove::Lost),
        1 => Just(ProgramMove::Destroy),
        1 => Just(ProgramMove::Lose),
        6 => Just(ProgramMove::Device),
        4 => Just(ProgramMove::Content),
        3 => (any::<u8>(), defect()).prop_map(|(which, defect)| ProgramMove::Compiled(which, defect)),
        2 => Just(ProgramMove::ModuleMade),
    ]
}

/// What a program has made so far.
#[derive(Default)]
struct RandomProgram {
    promises: Vec<ModelPromiseId>,
    compiles: Vec<ModelPipelineId>,
    buffer: Option<BufferId>,
    module: Option<ModuleId>,
    losses: usize,
}

impl RandomProgram {
    fn note(&mut self, effects: &[StepEffect]) {
        for effect in effects {
            match effect {
                StepEffect::Compile(id)
                | StepEffect::CompileInline(id)
                | StepEffect::Refused(id) => {
                    self.compiles.push(*id);
                }
                StepEffect::Lost(_) => self.losses += 1,
                _ => {}
            }
        }
    }

    fn play(&mut self, model: &mut WebGpuModel, host: ModelTimeline, turn: ProgramMove) {
        let made = match turn {
            ProgramMove::Async(defect) => model.create_pipeline_async(host, SPAN, shape(defect)).1,
            ProgramMove::Sync(defect) => model.create_pipeline(host, SPAN, shape(defect)).1,
            ProgramMove::Map(is_wrong) => {
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
            ProgramMove::Unmap => self
                .buffer
                .map(|it| model.unmap(host, SPAN, it))
                .unwrap_or_default(),
            ProgramMove::EndBuffer => {
                let ended = self.buffer.take();
                ended
                    .map(|it| model.destroy_buffer(host, SPAN, it))
                    .unwrap_or_default()
            }
            ProgramMove::Push => model.push_error_scope(host, SPAN, GpuErrorKind::Validation),
            ProgramMove::Pop => model.pop_error_scope(host, SPAN),
            ProgramMove::Module(is_wrong) => {
                let (module, made) = model.create_shader_module(host, SPAN, is_wrong);
                self.module = Some(module);
                made
            }
            ProgramMove::Messages => {
                let asked = self
                    .module
                    .map(|it| model.get_compilation_info(host, SPAN, it));
                asked.unwrap_or_default()
            }
            ProgramMove::WorkDone => model.on_submitted_work_done(host, SPAN),
            ProgramMove::Submit => model.submit(host, SPAN, Api::Submit, None),
            ProgramMove::Lost => model.lost(host, SPAN),
            ProgramMove::Destroy => model.destroy_device(host, SPAN),
            _ => return self.step(model, host, turn),
        };
        self.promises.extend(made.promise);
        self.note(&made.effects);
    }

    fn step(&mut self, model: &mut WebGpuModel, host: ModelTimeline, turn: ProgramMove) {
        let effects = match turn {
            ProgramMove::Lose => {
                model.lose(SPAN);
                Vec::new()
            }
            ProgramMove::Device => model
                .step_device(SPAN)
                .map(|it| it.effects)
                .unwrap_or_default(),
            ProgramMove::Content => model
                .step_content(host, SPAN)
                .map(|it| it.effects)
                .unwrap_or_default(),
            ProgramMove::Compiled(which, defect) if !self.compiles.is_empty() => {
                let id = self
                    .compiles
                    .swap_remove(which as usize % self.compiles.len());
                model.compiled(id, SPAN, defect)
            }
            ProgramMove::Work => model.work_completed(model.submitted(), SPAN),
            ProgramMove::ModuleMade => {
                let made = self.module.map(|it| model.module_completed(it, SPAN));
                made.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        self.note(&effects);
    }

    /// Everything that is under way comes to its end.
    fn finish(&mut self, model: &mut WebGpuModel) {
        for _ in 0..1000 {
            self.step(model, HOST, ProgramMove::Compiled(0, None));
            self.step(model, HOST, ProgramMove::Work);
            for module in 0..200 {
                let effects = model.module_completed(ModuleId(module), SPAN);
                self.note(&effects);
            }
            let mut moved = false;
            while let Some(step) = model.step_device(SPAN) {
                self.note(&step.effects);
                moved = true;
            }
            for host in [HOST, ModelTimeline::Content(1)] {
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
        let mut model = WebGpuModel::with_editions(&[SpecAuthority::Present, SpecAuthority::Former]);
        let mut made = RandomProgram::default();
        for (second, turn) in program {
            made.play(&mut model, ModelTimeline::Content(u32::from(second)), turn);
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
