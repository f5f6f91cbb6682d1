//! Threads of this program, as the system itself counts their times.

use super::*;

#[cfg(target_os = "linux")]
#[test]
fn clocks_are_compared_while_the_thread_had_its_core() {
    use std::cell::Cell;

    // Each reading takes 10, and before the second clock is read for the first, second and fourth time the core is lost.
    let (time, read) = (Cell::new(0), Cell::new(0));
    let tick = |lost: i64| {
        time.set(time.get() + 10 + lost);
        Nanos(time.get())
    };
    let now = || {
        read.set(read.get() + 1);
        let lost = if [1, 2, 4].contains(&read.get()) {
            7_000
        } else {
            0
        };
        tick(lost) + Nanos(500)
    };
    assert_eq!(offset(|| tick(0), now), Nanos(500));
    assert_eq!(read.get(), ATTEMPTS);
}

/// What the system counts of the calling thread: how long it ran, and how often it left its core, as it wanted to and not.
#[cfg(target_os = "linux")]
fn counted() -> (i64, [u64; 2]) {
    // It adds up what a thread ran when that leaves its core.
    std::thread::sleep(std::time::Duration::from_millis(1));
    let read = |name: &str| std::fs::read_to_string(format!("/proc/thread-self/{name}")).unwrap();
    let ran = read("schedstat").split_whitespace().next().unwrap().parse();
    let status = read("status");
    let switches = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"].map(|key| {
        let mut lines = status.lines();
        let line = lines.find_map(|it| it.strip_prefix(key)).unwrap();
        line.trim().parse().unwrap()
    });
    (ran.unwrap(), switches)
}

/// Runs and sleeps in turns. Says how far what was told of that is from what the system counts, where that is more than one part
/// of twenty; nothing where the system does not tell.
#[cfg(target_os = "linux")]
fn apart() -> Option<Result<(), String>> {
    use std::time::{Duration, Instant};

    let zero = Instant::now();
    let now = || Nanos::from_duration(zero.elapsed());
    let mut followed = match ContextSwitches::of_this_thread(now) {
        Ok(followed) => followed,
        Err(why) => {
            eprintln!("skipped: {why}");
            return None;
        }
    };
    let (ran_before, switches_before) = counted();
    let began = now();
    let mut states = Vec::new();
    for _ in 0..200 {
        let until = Instant::now() + Duration::from_millis(1);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(300));
        states.extend(followed.take());
    }
    let (ran_after, switches_after) = counted();
    let ended = now();
    let (rest, lost) = followed.finish(ended);
    states.extend(rest);
    assert_eq!(lost, 0);
    for pair in states.windows(2) {
        assert_eq!(pair[0].interval.end, pair[1].interval.start);
    }
    let within = Interval::new(began, ended);
    let ran = states.iter().filter(|it| it.state == ThreadState::Running);
    let ran = ran.filter_map(|it| it.interval.intersection(within));
    let ran = ran.map(|it| it.length().0).sum::<i64>();
    let counted = ran_after - ran_before;
    if (ran - counted).abs() * 20 > counted {
        return Some(Err(format!(
            "it ran {ran} ns, of which {counted} are counted"
        )));
    }
    let became = |state| states.iter().filter(|it| it.state == state).count() as u64;
    let told = [became(ThreadState::OffCpu), became(ThreadState::Runnable)];
    for (place, told) in told.into_iter().enumerate() {
        let counted = switches_after[place] - switches_before[place];
        if told.abs_diff(counted) * 20 > counted.max(60) {
            return Some(Err(format!(
                "it left its core {told} times, of which {counted} are counted"
            )));
        }
    }
    Some(Ok(()))
}

/// Times and switches are those that the system counts, within one part of twenty. What a virtual machine's own host takes from it
/// counts as running for the one and not for the other, so that it may take several attempts.
#[cfg(target_os = "linux")]
#[test]
fn states_add_up_to_what_the_system_counts() {
    let mut complaints = Vec::new();
    for _ in 0..20 {
        match apart() {
            Some(Err(complaint)) => complaints.push(complaint),
            Some(Ok(())) | None => return,
        }
    }
    panic!("{complaints:?}");
}

/// Threads that begin to be followed while others take their cores are in one state at a time.
#[cfg(target_os = "linux")]
#[test]
fn states_follow_each_other_where_threads_are_many() {
    use std::time::Instant;

    let zero = Instant::now();
    let now = || Nanos::from_duration(zero.elapsed());
    let follow = || -> Option<Vec<ThreadInterval>> {
        let mut followed = ContextSwitches::of_this_thread(now).ok()?;
        let mut states = Vec::new();
        for _ in 0..3 {
            std::thread::yield_now();
            states.extend(followed.take());
        }
        states.extend(followed.finish(now()).0);
        Some(states)
    };
    for _ in 0..60 {
        let all = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..32).map(|_| scope.spawn(follow)).collect();
            let all = threads.into_iter().map(|it| it.join().unwrap());
            all.flatten().collect::<Vec<_>>()
        });
        for states in all {
            for pair in states.windows(2) {
                assert_eq!(pair[0].interval.end, pair[1].interval.start, "{states:?}");
            }
        }
    }
}
