//! Questions to wgpu itself, asked straight.

use std::time::{Duration, Instant};

use ::wgpu::{BufferDescriptor, BufferUsages, Error, PollType};
use crossbeam_channel::{Receiver, bounded};

use super::body::Body;
use super::panic_guard::guarded;
use super::ready::ready;
use crate::backend::{ErrorFilter, MapMode, Question, Raw};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks, from `now` on.
pub fn ask(body: &Body, question: &Question, now: Instant) -> Raw {
    let asked = guarded(|| match question {
        Question::Map {
            mode, offset, size, ..
        } => map(body, *mode, *offset, *size, now),
        Question::WorkDone => work_done(body, now),
        Question::Scope { filter, made } => scope(body, *filter, *made),
    });
    asked.unwrap_or_else(|text| Raw {
        is_ok: false,
        text: format!("wgpu panics: {text}"),
    })
}

fn map(body: &Body, mode: MapMode, offset: u64, size: u64, now: Instant) -> Raw {
    let scope = body
        .gpu
        .device
        .push_error_scope(::wgpu::ErrorFilter::Validation);
    let (tell, told) = bounded(1);
    let wanted = match mode {
        MapMode::Read => ::wgpu::MapMode::Read,
        MapMode::Write => ::wgpu::MapMode::Write,
    };
    let end = offset.saturating_add(size).min(body.probe.size());
    let range = offset.min(end)..end;
    body.probe.map_async(wanted, range, move |answer| {
        let _ = tell.send(answer);
    });
    let answer = answered(body, &told, now);
    let raised = ready(scope.pop());
    let is_ok = matches!(answer, Some(Ok(())));
    if is_ok {
        body.probe.unmap();
    }
    let mut text = match answer {
        Some(Ok(())) => "Ok(())".to_owned(),
        Some(Err(_)) => "Err(BufferAsyncError)".to_owned(),
        None => "no answer".to_owned(),
    };
    if let Some(error) = raised {
        text = format!("{text}, and the scope caught {}", named(&error));
    }
    Raw { is_ok, text }
}

fn work_done(body: &Body, now: Instant) -> Raw {
    let (tell, told) = bounded(1);
    body.gpu.queue.on_submitted_work_done(move || {
        let _ = tell.send(());
    });
    let is_ok = answered(body, &told, now).is_some();
    let text = if is_ok { "called" } else { "not called" };
    Raw {
        is_ok,
        text: text.to_owned(),
    }
}

fn scope(body: &Body, filter: ErrorFilter, made: Option<ErrorFilter>) -> Raw {
    let device = &body.gpu.device;
    let scope = device.push_error_scope(match filter {
        ErrorFilter::Validation => ::wgpu::ErrorFilter::Validation,
        ErrorFilter::OutOfMemory => ::wgpu::ErrorFilter::OutOfMemory,
        ErrorFilter::Internal => ::wgpu::ErrorFilter::Internal,
    });
    let size = match made {
        // A map for reading that is one for writing as well, and more than any device has.
        Some(ErrorFilter::Validation) => {
            Some((4, BufferUsages::MAP_READ | BufferUsages::MAP_WRITE))
        }
        Some(ErrorFilter::OutOfMemory) => {
            Some((device.limits().max_buffer_size, BufferUsages::COPY_DST))
        }
        // Nothing makes one on purpose.
        Some(ErrorFilter::Internal) | None => None,
    };
    if let Some((size, usage)) = size {
        drop(device.create_buffer(&BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        }));
    }
    let caught = ready(scope.pop());
    Raw {
        is_ok: true,
        text: caught.map_or_else(|| "None".to_owned(), |error| named(&error).to_owned()),
    }
}

/// Polls until the answer is there. After a loss nobody else polls, and nobody looks at mapped memory.
fn answered<T>(body: &Body, told: &Receiver<T>, now: Instant) -> Option<T> {
    loop {
        if let Ok(answer) = told.try_recv() {
            return Some(answer);
        }
        if now.elapsed() > PATIENCE {
            return None;
        }
        let gate = body.gpu.alone();
        body.gpu.poll_inside(PollType::Poll);
        drop(gate);
        std::thread::sleep(Duration::from_micros(50));
    }
}

const fn named(error: &Error) -> &'static str {
    match error {
        Error::OutOfMemory { .. } => "OutOfMemory",
        Error::Validation { .. } => "Validation",
        Error::Internal { .. } => "Internal",
    }
}
