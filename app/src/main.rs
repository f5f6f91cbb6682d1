//! The program: everything it does is in the library.

fn main() -> std::process::ExitCode {
    #[cfg(carries_recorder)]
    engine::runner::carry_recorder(include_bytes!(env!("SYNCLINE_RECORDER")));
    std::process::ExitCode::from(app::cli::main())
}
