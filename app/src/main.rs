//! The program: everything it does is in the library.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(app::cli::main())
}
