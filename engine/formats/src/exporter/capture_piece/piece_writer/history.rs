//! What is known of a piece besides spans: what was compiled, promised and launched, what was lost, and what is said of it.

use super::PieceWriter;
use record::time::{Interval, Nanos};
use record::{
    Bookmark, EventStep, Finding, FindingId, Launch, LaunchId, LaunchInstance, LaunchNode,
    LaunchStep, Pipeline, PipelineId, PipelineStep, Problem, Promise, PromiseId, PromiseOutcome,
    Record, SpanId,
};

impl PieceWriter<'_> {
    /// Whether an instant lies in the stretch.
    fn is_inside(&self, time: Nanos) -> bool {
        self.request.stretch(self.capture).contains(time)
    }

    /// The pipelines that a span of the piece asked for or brought on, or that came into a state in the stretch.
    pub fn put_pipelines(&mut self) {
        let capture = self.capture;
        let mut next = 0;
        for known in capture.pipelines() {
            let mut steps = known.steps.iter();
            let is_kept = self.selection.has(known.pipeline.call)
                || steps.any(|it| self.selection.has(it.span) || self.is_inside(it.time));
            if !is_kept {
                continue;
            }
            let id = PipelineId(next);
            next += 1;
            let call = self.span(known.pipeline.call);
            self.put(Record::Pipeline(Box::new(Pipeline {
                id,
                call,
                ..known.pipeline.clone()
            })));
            for step in &known.steps {
                let span = self.span(step.span);
                self.put(Record::PipelineStep(Box::new(PipelineStep {
                    pipeline: id,
                    span,
                    ..step.clone()
                })));
            }
        }
    }

    /// The promises that a span of the piece made or settled, or that settled in the stretch.
    pub fn put_promises(&mut self) {
        let capture = self.capture;
        let mut next = 0;
        for known in capture.promises() {
            let settled = known.settlement.as_ref();
            let is_kept = self.selection.has(known.promise.call)
                || settled.is_some_and(|it| self.selection.has(it.span) || self.is_inside(it.time));
            if !is_kept {
                continue;
            }
            let id = PromiseId(next);
            next += 1;
            let call = self.span(known.promise.call);
            self.put(Record::Promise(Box::new(Promise {
                id,
                call,
                ..known.promise.clone()
            })));
            if let Some(settled) = settled {
                let span = self.span(settled.span);
                self.put(Record::Settlement(Box::new(PromiseOutcome {
                    promise: id,
                    span,
                    ..settled.clone()
                })));
            }
        }
    }

    /// What was done to events by what is in the piece.
    pub fn put_event_steps(&mut self) {
        let capture = self.capture;
        for event in capture.events() {
            for step in capture.event_steps(event.id) {
                if self.selection.has(step.span) {
                    let (event, span) = (self.event(step.event), self.span(step.span));
                    self.put(Record::EventStep(EventStep {
                        event,
                        span,
                        ..*step
                    }));
                }
            }
        }
    }

    /// What was launched in the piece, with all that was ever done to it: a launch says which revision it ran.
    pub fn put_launches(&mut self) {
        let capture = self.capture;
        let mut next = 0;
        for known in capture.launches() {
            let launched = known.launches.iter();
            let kept: Vec<LaunchInstance> = launched
                .filter(|it| self.selection.has(it.operation))
                .copied()
                .collect();
            let mut steps = known.steps.iter();
            if kept.is_empty() && !steps.any(|it| self.selection.has(it.span)) {
                continue;
            }
            let id = LaunchId(next);
            next += 1;
            self.put(Record::Launch(Box::new(Launch {
                id,
                ..known.launch.clone()
            })));
            for step in &known.steps {
                self.put_launch_step(id, step);
            }
            for launch in kept {
                let [operation, call] = [launch.operation, launch.call].map(|it| self.span(it));
                self.put(Record::Relaunch(LaunchInstance {
                    operation,
                    call,
                    launch: id,
                    ..launch
                }));
            }
        }
    }

    fn put_launch_step(&mut self, launch: LaunchId, step: &LaunchStep) {
        let nodes = step.nodes.iter().map(|node| LaunchNode {
            lane: self.lane(node.lane),
            span: self.span(node.span),
            ..node.clone()
        });
        let (nodes, span) = (nodes.collect(), self.span(step.span));
        self.put(Record::LaunchStep(Box::new(LaunchStep {
            launch,
            span,
            nodes,
            ..step.clone()
        })));
    }

    /// Losses, problems, findings, bookmarks and all else that is said of the capture.
    pub fn put_remarks(&mut self) {
        let capture = self.capture;
        let lasts = self.lasts();
        let is_inside = |time: Nanos| lasts.start <= time && time <= lasts.end;
        self.put_all(
            capture.losses().iter().filter(|it| is_inside(it.time)),
            Record::Loss,
        );
        let recoveries = capture.recoveries().iter();
        self.put_all(recoveries.filter(|it| is_inside(it.time)), Record::Recovery);
        for problem in capture.problems() {
            let (span, event) = (self.span(problem.span), self.event(problem.event));
            self.put(Record::Problem(Box::new(Problem {
                span,
                event,
                ..problem.clone()
            })));
        }
        self.put_findings();
        self.put_all(capture.searches(), Record::Search);
        self.put_all(capture.expectations(), Record::Expectation);
        self.put_all(
            capture.log().iter().filter(|it| is_inside(it.time)),
            Record::Log,
        );
        for note in capture.notes() {
            self.put(Record::Note(note.clone()));
        }
        self.put_bookmarks();
        self.put_all(capture.file_repairs(), Record::FileRepair);
        self.put_all(capture.end(), Record::End);
    }

    fn put_all<'r, T: Clone + 'r>(
        &mut self,
        rows: impl IntoIterator<Item = &'r T>,
        record: fn(Box<T>) -> Record,
    ) {
        for row in rows {
            self.put(record(Box::new(row.clone())));
        }
    }

    /// From when to when the piece lasts: the stretch, and all that is kept whole.
    fn lasts(&mut self) -> Interval {
        self.piece.apply(self.batch.drain(..));
        let kept = self.piece.extent().or(self.capture.extent());
        let kept = kept.unwrap_or_default();
        self.request.within.map_or(kept, |it| it.union(kept))
    }

    /// What was concluded while it ran, where it is about spans of the piece, or about none.
    fn put_findings(&mut self) {
        let capture = self.capture;
        let mut next = 0;
        for known in capture.findings() {
            let spans = known.spans.iter().map(|it| self.span(*it));
            let spans: Vec<SpanId> = spans.filter(|it| it.is_some()).collect();
            if spans.is_empty() && !known.spans.is_empty() {
                continue;
            }
            let id = FindingId(next);
            next += 1;
            self.put(Record::Finding(Box::new(Finding {
                id,
                spans,
                ..known.clone()
            })));
        }
    }

    /// The bookmarks that touch the stretch.
    fn put_bookmarks(&mut self) {
        let capture = self.capture;
        let stretch = self.request.stretch(capture);
        for known in self.bookmarks {
            let at = known.at;
            if self.is_inside(at.start) || at.overlaps(stretch) {
                let span = self.span(known.span);
                self.put(Record::Bookmark(Box::new(Bookmark {
                    span,
                    ..known.clone()
                })));
            }
        }
    }
}
