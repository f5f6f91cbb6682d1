//! From the loss of a busy device to the first result on the one that is opened anew, on every backend of real time.

use engine::analysis::LossAftermath;
use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

const ROUNDS: usize = 15;

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    for backend in BACKENDS {
        let caps = backend.probe().map(|found| found.into_iter().next());
        match caps {
            // Its time is not time.
            Ok(Some(found)) if found.caps.deterministic => {}
            Ok(Some(found)) => report(backend.name(), &found.name),
            Ok(None) => println!("{}: no device", backend.name()),
            Err(error) => println!("{}: {error}", backend.name()),
        }
    }
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn report(backend: &str, device: &str) {
    let mut times: Vec<(f64, f64)> = (0..ROUNDS).filter_map(|_| once(backend)).collect();
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some((opened, first)) = times.get(times.len() / 2) else {
        println!("{backend} ({device}): no loss came to a result");
        return;
    };
    println!(
        "{backend} ({device}), median of {}: device opened anew {opened:.2} ms after its loss, first result after \
         {first:.2} ms, {:.1} x the opening",
        times.len(),
        first / opened
    );
}

/// Milliseconds from the loss to the new device, and to the first result.
fn once(backend: &str) -> Option<(f64, f64)> {
    let workload = bundled().iter().find(|it| it.name == "loss-and-recovery")?;
    let mut capture = Capture::new();
    let request = RunRequest {
        name: workload.name.to_owned(),
        source: workload.source.to_owned(),
        backend: backend.to_owned(),
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).ok()?;
    let loss = capture.losses().first()?;
    let aftermath = LossAftermath::of(&capture, loss);
    let since = |time: engine::time::Nanos| (time - loss.time).0 as f64 / 1e6;
    let (_, end) = aftermath.first_result?;
    Some((since(aftermath.recovery?.time), since(end)))
}
