//! A thread with a stack that the compilers of shaders cannot fill.

use crate::CompileError;

/// Bytes of the stack. The system gives memory only for what is used of it. The deepest shader that is let through takes
/// some 10 MB in a build without optimisation.
const STACK: usize = 256 << 20;

/// Does `work` on a thread of its own, and waits for it.
///
/// # Errors
/// The system gives no thread, or the compiler failed in itself.
pub fn on_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, CompileError> + Send,
) -> Result<T, CompileError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("shader".to_owned())
            .stack_size(STACK);
        let started = thread.spawn_scoped(scope, work).map_err(|error| {
            CompileError::Internal(format!("no thread could be started for it: {error}"))
        })?;
        started.join().unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            let text = text.unwrap_or_default();
            Err(CompileError::Internal(format!(
                "the compiler failed: {text}"
            )))
        })
    })
}
