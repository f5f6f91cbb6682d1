//! Names of kernels as they were written: CUPTI gives them as the linker has them.

use std::collections::HashMap;

use cpp_demangle::Symbol;

use record::NameId;

/// What kernels are called, and the numbers of those texts.
#[derive(Debug, Default)]
pub(super) struct KernelSymbols {
    known: HashMap<Box<str>, NameId>,
}

impl KernelSymbols {
    /// The number of the text of a linker's name, once it is known.
    pub fn get(&self, symbol: &str) -> Option<NameId> {
        self.known.get(symbol).copied()
    }

    /// Notes that number.
    pub fn put(&mut self, symbol: &str, name: NameId) {
        self.known.insert(symbol.into(), name);
    }
}

/// A linker's name as it was written in C++ (the Itanium ABI's section 5.1); any other is as it is.
pub fn readable(symbol: &str) -> String {
    let is_mangled = symbol.starts_with("_Z");
    let parsed = is_mangled.then(|| Symbol::new(symbol).ok()).flatten();
    let text = parsed.and_then(|parsed| parsed.demangle().ok());
    text.unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_linker_are_read_and_others_are_left() {
        let written = "void at::native::fill<float>(int, float*)";
        assert_eq!(readable("_ZN2at6native4fillIfEEviPT_"), written);
        for plain in ["saxpy", "", "_Z", "_Zzz", "ncclDevKernel_AllReduce"] {
            assert_eq!(readable(plain), plain);
        }
    }
}
