//! A program that uses CUDA by itself and knows nothing of Syncline: what the tests of recording record.

mod driver;

use std::process::{Command, ExitCode};
use std::time::Duration;

use driver::{Driver, fork, leave};

/// What it can do, by its first argument; the second is how often.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let what = arguments.get(1).map(String::as_str).unwrap_or_default();
    let rounds = arguments.get(2).and_then(|it| it.parse().ok()).unwrap_or(1);
    let done = match what {
        "nothing" => Ok(()),
        "initialise" => Driver::load().map(drop),
        "work" => work(rounds),
        "children" => children(rounds),
        "fork" => forked(rounds),
        "late-fork" => late_fork(rounds),
        "abrupt" => abrupt(rounds),
        "forever" => forever(),
        "fail" => work(rounds).and(Err(3)),
        _ => Err(2),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
    }
}

/// Rounds of a copy and a kernel on one stream, which another stream waits for with a kernel and a copy back.
fn work(rounds: u32) -> Result<(), i32> {
    let driver = Driver::load()?;
    let device = driver.prepare()?;
    for _ in 0..rounds {
        driver.round(&device)?;
    }
    driver.clear(&device)
}

/// Two processes that work; this one does not.
fn children(rounds: u32) -> Result<(), i32> {
    let own = std::env::current_exe().ok().ok_or(1)?;
    let start = || {
        Command::new(&own)
            .args(["work", &rounds.to_string()])
            .spawn()
    };
    let both = [start(), start()];
    for child in both {
        let status = child.and_then(|mut child| child.wait()).ok().ok_or(1)?;
        status.success().then_some(()).ok_or(1)?;
    }
    Ok(())
}

/// A child that is forked before CUDA is initialised works, and so does this process.
fn forked(rounds: u32) -> Result<(), i32> {
    fork(|| work(rounds))?;
    work(rounds)
}

/// A child that is forked after CUDA was initialised ends in order, with all handlers that it inherited.
fn late_fork(rounds: u32) -> Result<(), i32> {
    work(rounds)?;
    fork(|| Ok(()))
}

/// Works, long enough before the end that it is handed over, and ends without a word.
fn abrupt(rounds: u32) -> Result<(), i32> {
    work(rounds)?;
    std::thread::sleep(Duration::from_millis(900));
    leave(7)
}

/// Works until it is ended.
fn forever() -> Result<(), i32> {
    let driver = Driver::load()?;
    let device = driver.prepare()?;
    loop {
        driver.round(&device)?;
        std::thread::sleep(Duration::from_millis(2));
    }
}
