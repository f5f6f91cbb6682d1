//! By what a function of a script is known among what a host thread did.

/// The field that holds the category which the file has for a span.
pub const CATEGORY: &str = "category";

/// The category that PyTorch's profiler gives functions of Python (`torch/csrc/profiler/util.cpp`).
pub const PYTHON_FUNCTION: &str = "python_function";

/// Whether a name is that of a function of a script, with its file and its line, as in `step (train.py:17)`.
pub fn is_script_function(name: &str) -> bool {
    name.ends_with(')') && name.contains(".py:")
}
