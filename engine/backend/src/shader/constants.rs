//! How large the constants of a shader become, estimated from its text: whoever evaluates them copies each wherever its name
//! stands, and every one that holds the one before twice doubles them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::depth::ShaderTokens;

/// Numbers that all uses of constants come to together, at most: some 250 bytes each in the compiler.
const NUMBERS: u64 = 1 << 20;

/// Says where constants are too large to be evaluated, and what to do.
///
/// # Errors
/// That, and the bytes that it is about.
pub fn bound(source: &str) -> Result<(), (Range<usize>, String)> {
    let mut reader = ConstantReader::default();
    let mut tokens = ShaderTokens::new(source);
    while let Some((place, word)) = tokens.word() {
        reader.take(word);
        if reader.total > NUMBERS {
            let text = format!(
                "the constants up to here come to more than {NUMBERS} numbers, counted wherever they are used: build large \
                 arrays in loops, or read them from a buffer"
            );
            return Err((place, text));
        }
    }
    Ok(())
}

/// What a bracket that is open holds so far.
#[derive(Debug, Default)]
struct OpenBracket {
    /// Whether its parts stand beside each other in a value.
    joins: bool,
    /// What the parts before the last comma come to.
    before: u64,
    /// What the part behind the last comma comes to.
    part: u64,
}

impl OpenBracket {
    fn next_part(&mut self) {
        self.before = if self.joins {
            self.before.saturating_add(self.part)
        } else {
            self.before.max(self.part)
        };
        self.part = 0;
    }
}

/// The declaration of a constant that is being read.
#[derive(Debug)]
struct OpenDeclaration<'a> {
    name: Option<&'a str>,
    /// Brackets that were open where it began.
    level: usize,
    has_value: bool,
}

/// Goes through the words of a shader and sums up what its constants come to.
#[derive(Debug, Default)]
struct ConstantReader<'a> {
    sizes: HashMap<&'a str, u64>,
    /// Types that the shader names: their values are made of several.
    types: HashSet<&'a str>,
    open: Vec<OpenBracket>,
    /// The value outside all brackets.
    outside: OpenBracket,
    declared: Option<OpenDeclaration<'a>>,
    last: &'a str,
    total: u64,
}

impl<'a> ConstantReader<'a> {
    fn top(&mut self) -> &mut OpenBracket {
        self.open.last_mut().unwrap_or(&mut self.outside)
    }

    fn take(&mut self, word: &'a str) {
        match word {
            "(" | "[" | "{" => {
                let joins = word == "(" && self.is_constructor();
                self.open.push(OpenBracket {
                    joins,
                    ..OpenBracket::default()
                });
            }
            ")" | "]" | "}" => self.close(),
            "," => self.top().next_part(),
            ";" => self.end(),
            "=" => {
                let level = self.open.len();
                let declared = self
                    .declared
                    .as_mut()
                    .filter(|it| it.level == level && !it.has_value);
                if let Some(declared) = declared {
                    declared.has_value = true;
                    *self.top() = OpenBracket::default();
                }
            }
            "const" | "override" => {
                self.declared = Some(OpenDeclaration {
                    name: None,
                    level: self.open.len(),
                    has_value: false,
                });
            }
            _ => self.name(word),
        }
        self.last = word;
    }

    /// Whether a bracket that opens now holds the parts of a value.
    fn is_constructor(&self) -> bool {
        let last = self.last;
        let is_made = ["array", "vec", "mat"]
            .iter()
            .any(|it| last.starts_with(it));
        is_made || last == ">" || self.types.contains(last)
    }

    fn name(&mut self, word: &'a str) {
        if let Some(declared) = self.declared.as_mut().filter(|it| it.name.is_none()) {
            declared.name = Some(word);
            return;
        }
        if matches!(self.last, "struct" | "alias") {
            self.types.insert(word);
        }
        let size = match self.sizes.get(word) {
            Some(size) => {
                self.total = self.total.saturating_add(*size);
                *size
            }
            None => u64::from(word.starts_with(|it: char| it.is_alphanumeric() || it == '_')),
        };
        let top = self.top();
        top.part = top.part.max(size);
    }

    fn close(&mut self) {
        let Some(mut closed) = self.open.pop() else {
            return;
        };
        closed.next_part();
        let top = self.top();
        top.part = top.part.max(closed.before);
    }

    /// A statement ends, and with it what it declares.
    fn end(&mut self) {
        let level = self.open.len();
        if let Some(declared) = self.declared.take_if(|it| it.level >= level) {
            let top = self.top();
            top.next_part();
            let size = top.before;
            if let (Some(name), true) = (declared.name, declared.has_value) {
                self.total = self.total.saturating_add(size);
                self.sizes.insert(name, size);
            }
        }
        *self.top() = OpenBracket::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubling(first: &str, count: usize, next: impl Fn(String) -> String) -> String {
        let rest =
            (1..count).map(|it| format!("const a{it} = {};\n", next(format!("a{}", it - 1))));
        let rest: String = rest.collect();
        format!("const a0 = {first};\n{rest}")
    }

    #[test]
    fn constants_that_double_are_found_before_they_are_evaluated() {
        let twice = |it: String| format!("array({it}, {it})");
        assert_eq!(bound(&doubling("array(1, 1)", 12, twice)), Ok(()));
        let (place, said) = bound(&doubling("array(1, 1)", 26, twice)).unwrap_err();
        assert!(
            place.start > 300 && said.contains("constants"),
            "{place:?} {said}"
        );
        let ten = |it: String| format!("array({})", [it.as_str(); 10].join(", "));
        assert!(bound(&doubling("vec2f(1, 2)", 9, ten)).is_err());
        let typed = |it: String| format!("array<T, 2>({it}, {it})");
        assert!(bound(&doubling("array<f32, 2>(1, 1)", 26, typed)).is_err());
        let made = |it: String| format!("S({it}, {it})");
        let source = format!("struct S {{ a: T, b: T }}\n{}", doubling("1", 30, made));
        assert!(bound(&source).is_err());
        let body = format!("fn f() {{ {} }}", doubling("array(1, 1)", 26, twice));
        assert!(bound(&body).is_err());
        let nested = |it: String| format!("(array({it}, array({it}, 1)[0]))");
        assert!(bound(&doubling("array(1, 1)", 26, nested)).is_err());
    }

    #[test]
    fn what_people_write_is_small() {
        let numbers = "1.5, ".repeat(5000);
        let table = format!("const table = array({numbers});\n");
        let uses = "y[i] = table[i % 7];\n".repeat(100);
        assert_eq!(bound(&format!("{table}fn f() {{ {uses} }}")), Ok(()));
        let sums = |it: String| format!("{it} * 2.0 + {it}");
        assert_eq!(bound(&doubling("1.0", 500, sums)), Ok(()));
        let larger = |it: String| format!("max({it}, min({it}, {it}))");
        assert_eq!(bound(&doubling("1.0", 500, larger)), Ok(()));
        let vectors = "const v = vec4f(1.0, 2.0, 3.0, 4.0);\n".repeat(1000);
        assert_eq!(bound(&vectors), Ok(()));
        for odd in [
            "",
            "const",
            "const a",
            "const a =",
            "))((",
            "const a = a;",
            "const ;;= (",
        ] {
            assert_eq!(bound(odd), Ok(()), "{odd}");
        }
    }
}
