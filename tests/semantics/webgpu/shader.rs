//! Shaders that the cases name, and what a compiler really says about them.

use engine::backend::{
    BACKENDS, BackendDevice, CompileError, CompileRequest, DeviceLayout, ReportSink, ShaderMessage,
};
use engine::record::{PipelineKind, Record};

/// A shader of the conformance suite's kind, written anew: where its error is, counted from 1; 0 where it has none.
pub struct Source {
    pub text: &'static str,
    pub line: u32,
}

/// The shader that a case calls by this name.
pub fn named(name: &str) -> Option<Source> {
    let source = |text, line| Some(Source { text, line });
    match name {
        "valid.ascii" => source("@compute @workgroup_size(1)\nfn main() {}\n", 0),
        "valid.unicode" => source(
            "// 頂点シェーダー 👩‍💻\n@compute @workgroup_size(1)\nfn main() {}\n",
            0,
        ),
        "invalid.ascii" => source(
            "@compute @workgroup_size(1)\nfn main() {\n  // unknown name:\n  let a = unknown;\n}\n",
            4,
        ),
        "invalid.carriage-return" => source(
            "@compute @workgroup_size(1)\r\nfn main() {\r\n  let b = 1;\r\n\r\n  let a = unknown;\r\n}\r\n",
            5,
        ),
        "invalid.unicode-multi-byte" => source("/*🍣🍣🍣🍣*/ fn f() { let a = unknown; }\n", 1),
        "bad" => source("fn f() { let a = unknown; }\n", 1),
        _ => None,
    }
}

struct Nowhere;

impl ReportSink for Nowhere {
    fn report(&mut self, _: Record) {}
}

/// What the compiler says about a shader as a whole.
pub fn messages(text: &str) -> Vec<ShaderMessage> {
    let mock = BACKENDS.iter().find(|it| it.name() == "mock").unwrap();
    let device: Box<dyn BackendDevice> = mock
        .open(&DeviceLayout::default(), &|| Box::new(Nowhere))
        .unwrap();
    let request = CompileRequest {
        shader: text.into(),
        entry: "main".to_owned(),
        kind: PipelineKind::Compute,
        cache: false,
        slow: std::time::Duration::ZERO,
    };
    match device.validate(&request) {
        Err(CompileError::Validation { messages }) => messages,
        _ => Vec::new(),
    }
}

/// Whether what is said about a shader is where its error is, and inside of it.
pub fn is_placed(source: &Source, messages: &[ShaderMessage]) -> Result<(), String> {
    let Some(first) = messages.first() else {
        return Err("no message".to_owned());
    };
    if first.line == 0 {
        return Ok(());
    }
    if first.line != source.line {
        return Err(format!("line {}, and not {}", first.line, source.line));
    }
    let units = source.text.encode_utf16().count() as u32;
    if first.column == 0 || first.column + first.length > units + 1 {
        return Err(format!("column {} of {units} units", first.column));
    }
    Ok(())
}
