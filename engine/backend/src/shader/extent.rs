//! How much a valid shader comes to once it is written out as compilers do: values as numbers, and every function where it is
//! called. A short text may come to any number of instructions.

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Block, Function, Handle, Module, Span, Statement, TypeInner};

/// Operations that a shader may come to. A text as long as may be comes to less, where it calls nothing twice and has no
/// large values.
const OPERATIONS: u64 = 1 << 18;
/// Bytes that an operation handles: larger values are several.
const BYTES: u64 = 16;
/// By how much the square of the numbers in a variable of a function is divided. Compilers put such variables into registers,
/// and Mesa's takes a second for an array of 4,000 numbers and minutes for one of 16,000.
const SQUARE: u64 = 64;

/// Calls of functions inside each other, at most. Mesa's compiler keeps each function for all that call it: 500 of a line take
/// 250 MB, and 5,000 its stack.
const CALLS: usize = 255;

/// What is too much in a shader, where, and what to do.
///
/// # Errors
/// That, and the place.
pub fn bound(module: &Module, info: &ModuleInfo) -> Result<(), (Span, String)> {
    let sizes = ShaderSizes { module, info };
    let own = sizes.of_globals();
    if own > OPERATIONS {
        return Err((Span::UNDEFINED, too_much("the memory of its variables")));
    }
    // Each comes behind those that it calls.
    let (mut known, mut depths): (Vec<u64>, Vec<usize>) = Default::default();
    for (handle, function) in module.functions.iter() {
        let sum = sizes.of(function, &info[handle], &known);
        if sum > OPERATIONS {
            let name = function.name.as_deref().unwrap_or_default();
            let place = module.functions.get_span(handle);
            return Err((place, too_much(&format!("the function {name}"))));
        }
        known.push(sum);
        let mut depth = 1;
        each_call(&function.body, &mut |called| {
            depth = depth.max(1 + depths.get(called).copied().unwrap_or(0));
        });
        if depth > CALLS {
            let name = function.name.as_deref().unwrap_or_default();
            let text = format!(
                "the function {name} makes calls that are more than {CALLS} deep, and compilers need memory by the square of \
                 that: use a loop, or join some of the functions"
            );
            return Err((module.functions.get_span(handle), text));
        }
        depths.push(depth);
    }
    for (place, entry) in module.entry_points.iter().enumerate() {
        let sum = sizes.of(&entry.function, info.get_entry_point(place), &known);
        if own.saturating_add(sum) > OPERATIONS {
            let text = too_much(&format!("the entry point {}", entry.name));
            return Err((Span::UNDEFINED, text));
        }
    }
    Ok(())
}

fn too_much(what: &str) -> String {
    format!(
        "{what} comes to more than {OPERATIONS} operations once every call is written out and every value and variable counts \
         by its size: use loops in place of calls, and buffers in place of large arrays"
    )
}

/// Sizes of what a shader is made of, in operations.
struct ShaderSizes<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
}

impl ShaderSizes<'_> {
    /// What a value of a type counts; a pointer to one is small.
    fn of_type(&self, inner: &TypeInner) -> u64 {
        let bytes = inner.try_size(self.module.to_ctx());
        // What has no size in 32 bits is too much.
        bytes.map_or(u64::MAX, |bytes| 1 + u64::from(bytes) / BYTES)
    }

    fn of_handle(&self, handle: Handle<naga::Type>) -> u64 {
        let found = self.module.types.get_handle(handle);
        found.map_or(0, |it| self.of_type(&it.inner))
    }

    /// What a variable of a function counts, or of an invocation.
    fn of_variable(&self, handle: Handle<naga::Type>) -> u64 {
        let found = self.module.types.get_handle(handle);
        let bytes = found.map_or(Some(0), |it| it.inner.try_size(self.module.to_ctx()));
        bytes.map_or(u64::MAX, |bytes| (u64::from(bytes) / 4).pow(2) / SQUARE)
    }

    /// Constants, and variables that are zeroed before a shader begins; buffers are nobody's text.
    fn of_globals(&self) -> u64 {
        let variables = self.module.global_variables.iter();
        let zeroed = variables.map(|(_, it)| match it.space {
            AddressSpace::Private => self.of_variable(it.ty),
            AddressSpace::WorkGroup => self.of_handle(it.ty),
            _ => 0,
        });
        let constants = self.module.global_expressions.iter();
        let constants =
            constants.map(|(it, _)| self.of_type(self.info[it].inner_with(&self.module.types)));
        sum(zeroed.chain(constants))
    }

    /// A function with all that it calls; `known` are those before it.
    fn of(&self, function: &Function, info: &FunctionInfo, known: &[u64]) -> u64 {
        let values = function.expressions.iter();
        let values = values.map(|(it, _)| self.of_type(info[it].ty.inner_with(&self.module.types)));
        let variables = function.local_variables.iter();
        let variables = variables.map(|(_, it)| self.of_variable(it.ty));
        let own = sum(values.chain(variables));
        own.saturating_add(called(&function.body, known))
    }
}

fn sum(all: impl Iterator<Item = u64>) -> u64 {
    all.fold(0, u64::saturating_add)
}

/// What the calls in a block come to.
fn called(block: &Block, known: &[u64]) -> u64 {
    let mut all = 0_u64;
    each_call(block, &mut |called| {
        all = all.saturating_add(known.get(called).copied().unwrap_or(0));
    });
    all
}

/// Tells `take` of every call in a block, by the place of the function. Blocks are no deeper than the text, whose depth is
/// bounded.
fn each_call(block: &Block, take: &mut dyn FnMut(usize)) {
    for statement in block {
        match statement {
            Statement::Call { function, .. } => take(function.index()),
            Statement::Block(block) => each_call(block, take),
            Statement::If { accept, reject, .. } => {
                each_call(accept, take);
                each_call(reject, take);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    each_call(&case.body, take);
                }
            }
            Statement::Loop {
                body, continuing, ..
            } => {
                each_call(body, take);
                each_call(continuing, take);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    /// What is said of a shader whose entry point has this body, behind these declarations.
    fn judge(declared: &str, body: &str) -> Result<(), String> {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> y: array<f32>;
            {declared}
            @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = validator.validate(&module).unwrap();
        bound(&module, &info).map_err(|it| it.1)
    }

    /// Functions of which each calls the one before twice.
    fn doubling(count: usize) -> String {
        let next = |it: usize| {
            let before = it - 1;
            format!("fn f{it}() -> f32 {{ return f{before}() + f{before}(); }}\n")
        };
        let rest: String = (1..=count).map(next).collect();
        format!("fn f0() -> f32 {{ return y[0]; }}\n{rest}")
    }

    #[test]
    fn calls_count_as_often_as_they_are_made() {
        assert_eq!(judge(&doubling(10), "y[0] = f10();"), Ok(()));
        let said = judge(&doubling(25), "y[0] = f25();").unwrap_err();
        assert!(said.contains("the function f"), "{said}");
        let nested =
            "if (y[1] > 0.0) { loop { switch (1) { default: { y[0] = f14(); } } break; } }";
        let many = nested.repeat(3);
        let said = judge(&doubling(14), &many).unwrap_err();
        assert!(said.contains("the entry point main"), "{said}");
    }

    #[test]
    fn calls_are_no_deeper_than_compilers_bear() {
        let line = |count: usize| {
            let next =
                |it: usize| format!("fn g{it}(a: f32) -> f32 {{ return g{}(a); }}\n", it - 1);
            let rest: String = (1..count).map(next).collect();
            format!("fn g0(a: f32) -> f32 {{ return a; }}\n{rest}")
        };
        assert_eq!(judge(&line(255), "y[0] = g254(y[1]);"), Ok(()));
        let said = judge(&line(256), "y[0] = g255(y[1]);").unwrap_err();
        assert!(said.contains("the function g255"), "{said}");
    }

    #[test]
    fn values_count_by_their_bytes_and_buffers_do_not() {
        let large = "array<f32, 20000000>";
        for (declared, body) in [
            (
                format!("var<private> w: {large};"),
                "y[0] = w[0];".to_owned(),
            ),
            (
                format!("var<workgroup> w: {large};"),
                "y[0] = w[0];".to_owned(),
            ),
            (String::new(), format!("var a: {large}; y[0] = a[0];")),
            (String::new(), format!("let a = {large}(); y[0] = a[0];")),
        ] {
            assert!(judge(&declared, &body).is_err(), "{declared} {body}");
        }
        let buffer = format!("@group(0) @binding(1) var<storage, read_write> z: {large};");
        assert_eq!(judge(&buffer, "y[0] = z[0];"), Ok(()));
        assert!(judge(&buffer, "let a = z; y[0] = a[0];").is_err());
        let local = |count: u32| {
            judge(
                "",
                &format!("var a: array<f32, {count}>; y[0] = a[u32(y[1])];"),
            )
        };
        assert_eq!(local(4000), Ok(()));
        assert!(local(16_000).is_err());
        let small = "var<workgroup> w: array<f32, 4096>; var<private> p: array<vec4f, 512>;";
        assert_eq!(judge(small, "w[0] = 1.0; y[0] = w[1] + p[0].x;"), Ok(()));
    }
}
