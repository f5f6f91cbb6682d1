//! Looks at a shader as WebGPU's device timeline does before it compiles: parse, validate, find the entry point.

mod constants;
mod depth;
mod extent;
mod stack;

use std::ops::Range;
use std::time::{Duration, Instant};

use naga::front::wgsl::ParseError;
use naga::valid::{Capabilities, ValidationError, ValidationFlags, Validator};
use naga::{EntryPoint, Module, ShaderStage, Span, WithSpan};

use super::compile::{CacheUse, CompileError, CompileRequest, CompiledPipeline, ShaderMessage};
use super::{DeviceLimits, Dimensions};
use record::{PipelineKind, Severity};

pub use stack::on_large_stack;

/// Checks what can be known without a compiler.
///
/// # Errors
/// [`CompileError::Validation`] with the shader's messages.
pub fn check(request: &CompileRequest, limits: &DeviceLimits) -> Result<(), CompileError> {
    bound(&request.shader)?;
    on_large_stack(|| check_here(request, limits))
}

/// Checks that a shader is neither too long nor too deep to be read, and that its constants are not too large. Whoever hands one to a compiler asks this first.
///
/// # Errors
/// [`CompileError::Validation`] with the place.
pub fn bound(source: &str) -> Result<(), CompileError> {
    let found = depth::bound(source).and_then(|()| constants::bound(source));
    found.map_err(|(place, text)| {
        let messages = vec![message(source, Some(place), text)];
        CompileError::Validation { messages }
    })
}

fn check_here(request: &CompileRequest, limits: &DeviceLimits) -> Result<(), CompileError> {
    let source = &*request.shader;
    let invalid = |messages| Err(CompileError::Validation { messages });
    let module = match naga::front::wgsl::parse_str(source) {
        Ok(module) => module,
        Err(error) => return invalid(parse_messages(source, &error)),
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = match validator.validate(&module) {
        Ok(info) => info,
        Err(error) => return invalid(vec![validation_message(source, &error)]),
    };
    if let Err((place, text)) = extent::bound(&module, &info) {
        return invalid(vec![message(source, place.to_range(), text)]);
    }
    let found = entry(&module, request).and_then(|entry| match request.kind {
        PipelineKind::Compute => workgroup(entry, limits),
        PipelineKind::Render => Ok(()),
    });
    found.or_else(|text| invalid(vec![ShaderMessage::overall(text)]))
}

/// Compiles a pipeline where there is no compiler: looks at the shader, and lasts as long as was asked.
///
/// # Errors
/// As [`check`]; or `is_over` came true meanwhile.
pub fn look_at(
    request: &CompileRequest,
    limits: &DeviceLimits,
    is_over: &dyn Fn() -> bool,
) -> Result<CompiledPipeline, CompileError> {
    let begun = Instant::now();
    check(request, limits)?;
    linger(begun + request.slow, is_over);
    if is_over() {
        return Err(CompileError::Lost);
    }
    Ok(CompiledPipeline {
        cache: CacheUse::None,
        driver: begun.elapsed(),
    })
}

/// The shader's first entry point for fragments. The shader is [bounded](bound), and the stack [large](on_large_stack).
pub fn fragment_entry(source: &str) -> Option<String> {
    let module = naga::front::wgsl::parse_str(source).ok()?;
    let is_fragment = |entry: &&EntryPoint| entry.stage == ShaderStage::Fragment;
    let found = module.entry_points.iter().find(is_fragment);
    found.map(|entry| entry.name.clone())
}

/// Sleeps until `end`, or until `is_over`.
pub fn linger(end: Instant, is_over: &dyn Fn() -> bool) {
    const PIECE: Duration = Duration::from_millis(2);
    while !is_over() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(PIECE));
    }
}

fn entry<'a>(module: &'a Module, request: &CompileRequest) -> Result<&'a EntryPoint, String> {
    let stage = match request.kind {
        PipelineKind::Compute => ShaderStage::Compute,
        PipelineKind::Render => ShaderStage::Vertex,
    };
    let fits = |entry: &&EntryPoint| entry.stage == stage;
    let mut fitting = module.entry_points.iter().filter(fits);
    let only = || {
        fitting
            .clone()
            .next()
            .filter(|_| request.entry.is_empty() && fitting.clone().count() == 1)
    };
    let wanted = fitting.clone().find(|entry| entry.name == request.entry);
    let chosen = wanted.or_else(only);
    chosen.ok_or_else(|| {
        let names: Vec<&str> = fitting.by_ref().map(|entry| entry.name.as_str()).collect();
        let there_is = if names.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", names.join(", "))
        };
        format!(
            "the shader has no entry point “{}” for the {} stage: {there_is}",
            request.entry,
            format!("{stage:?}").to_lowercase()
        )
    })
}

fn workgroup(entry: &EntryPoint, limits: &DeviceLimits) -> Result<(), String> {
    let size = entry.workgroup_size;
    let product = size.iter().map(|side| u64::from(*side)).product::<u64>();
    let most = u64::from(limits.workgroup_invocations);
    if product > most || product == 0 {
        return Err(format!(
            "a workgroup of {} is {product} invocations, and this device takes from 1 to {most}: make it smaller",
            Dimensions(size)
        ));
    }
    let too_long = |(side, most): (&u32, &u32)| side > most;
    if size.iter().zip(&limits.workgroup_size).any(too_long) {
        return Err(format!(
            "a workgroup of {} is too long: this device takes up to {}",
            Dimensions(size),
            Dimensions(limits.workgroup_size)
        ));
    }
    Ok(())
}

fn parse_messages(source: &str, error: &ParseError) -> Vec<ShaderMessage> {
    let span = error.labels().next().map(|(span, _)| span);
    let mut text = error.message().to_owned();
    for note in error.notes() {
        text.push_str("; ");
        text.push_str(note);
    }
    vec![message(source, span.and_then(Span::to_range), text)]
}

fn validation_message(source: &str, error: &WithSpan<ValidationError>) -> ShaderMessage {
    // Of the places that it names, one inside the other, the smallest says most.
    let spans = error.spans().map(|(span, _)| *span);
    let span = spans.min_by_key(|span| span.to_range().map_or(usize::MAX, |range| range.len()));
    let mut text = error.as_inner().to_string();
    let mut cause = std::error::Error::source(error.as_inner());
    while let Some(found) = cause {
        text = format!("{text}: {found}");
        cause = found.source();
    }
    message(source, span.and_then(Span::to_range), text)
}

fn message(source: &str, place: Option<Range<usize>>, text: String) -> ShaderMessage {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let place = place.and_then(|range| {
        let before = source.get(..range.start)?;
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = units(before.get(start..)?) + 1;
        Some((line, column, source.get(range).map_or(0, units)))
    });
    let (line, column, length) = place.unwrap_or_default();
    ShaderMessage {
        line,
        column,
        length,
        text,
        severity: Severity::Error,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const GOOD: &str = "
        @compute @workgroup_size(64) fn main() {}
        @compute @workgroup_size(2048) fn wide() {}
        @vertex fn corner() -> @builtin(position) vec4f { return vec4f(); }
        @fragment fn paint() -> @location(0) vec4f { return vec4f(); }";

    fn checked(shader: &str, entry: &str, kind: PipelineKind) -> Vec<ShaderMessage> {
        let request = CompileRequest {
            shader: shader.into(),
            entry: entry.to_owned(),
            kind,
            cache: false,
            slow: Duration::ZERO,
        };
        match check(&request, &DeviceLimits::default()) {
            Ok(()) => Vec::new(),
            Err(CompileError::Validation { messages }) => messages,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_right_passes() {
        assert_eq!(checked(GOOD, "main", PipelineKind::Compute), []);
        assert_eq!(checked(GOOD, "corner", PipelineKind::Render), []);
    }

    #[test]
    fn messages_point_at_their_line_and_count_as_webgpu_does() {
        let syntax = checked("// 🦀\n/*🦀*/ fn f( {}", "f", PipelineKind::Compute);
        assert_eq!((syntax[0].line, syntax[0].column), (2, 14), "{syntax:?}");
        let types = "fn f() -> i32 {\n  return 1.5f;\n}";
        let types = checked(types, "f", PipelineKind::Compute);
        assert_eq!(types[0].line, 2, "{types:?}");
        assert!(types[0].length > 0 && types[0].text.len() > 10);
    }

    #[test]
    fn what_does_not_fit_the_pipeline_is_said() {
        let absent = checked(GOOD, "mian", PipelineKind::Compute);
        assert!(absent[0].text.contains("main, wide"), "{absent:?}");
        assert_eq!(checked(GOOD, "main", PipelineKind::Render).len(), 1);
        let wide = checked(GOOD, "wide", PipelineKind::Compute);
        assert!(wide[0].text.contains("2048 × 1 × 1"), "{wide:?}");
    }
}
