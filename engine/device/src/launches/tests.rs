//! Recorded launches, rule by rule.

use super::*;

fn handle(buffer: u32) -> BufferHandle {
    BufferHandle::new(BufferIndex(buffer), 1)
}

fn saxpy() -> RecordedLaunch {
    RecordedLaunch::new("saxpy", &[handle(0)], &[handle(1)], &[]).unwrap()
}

fn packed(launch: &RecordedLaunch) -> Result<workload::KernelArguments, LaunchError> {
    launch.packed(&|_| Some(1), &|_| 64)
}

#[test]
fn numbers_are_captured_by_value_and_have_the_kernels_own_where_none_is_given() {
    let mut launch = saxpy();
    let first = packed(&launch).unwrap();
    launch.set("a", LaunchArgument::Number(5.0)).unwrap();
    assert_eq!(first.parameters, [1.0], "D2: packed before");
    assert_eq!(packed(&launch).unwrap().parameters, [5.0]);
}

#[test]
fn arguments_are_set_by_name_and_by_place_and_only_the_first_all_at_once() {
    let mut launch = saxpy();
    launch.set_at(2, LaunchArgument::Number(4.0)).unwrap();
    launch.set("x", LaunchArgument::Buffer(handle(7))).unwrap();
    let values = [
        LaunchArgument::Buffer(handle(3)),
        LaunchArgument::Buffer(handle(4)),
    ];
    launch.set_all(&values).unwrap();
    let packed = packed(&launch).unwrap();
    assert_eq!(packed.reads, [BufferIndex(3)]);
    assert_eq!(packed.writes, [BufferIndex(4)]);
    assert_eq!(packed.parameters, [4.0], "D3: the others stay");
    assert_eq!(launch.revision(), 4);
}

#[test]
fn wrong_arguments_are_refused_at_once_and_change_nothing() {
    let mut launch = saxpy();
    let before = launch.clone();
    let number = LaunchArgument::Number(1.0);
    let wrong = [
        launch.set("aa", number),
        launch.set("x", number),
        launch.set("a", LaunchArgument::Buffer(handle(0))),
        launch.set("a", LaunchArgument::Number(f64::NAN)),
        launch.set_at(3, number),
        launch.set_all(&[LaunchArgument::Buffer(handle(5)), number]),
        launch.set_all(&[
            LaunchArgument::Buffer(handle(0)),
            LaunchArgument::Buffer(handle(1)),
            number,
            number,
        ]),
    ];
    for (place, result) in wrong.iter().enumerate() {
        assert!(result.is_err(), "{place}");
    }
    let text = wrong[0].as_ref().unwrap_err().to_string();
    assert!(text.contains("x, y, a"), "D3: what it takes: {text}");
    assert_eq!(launch, before);
    assert!(RecordedLaunch::new("saxpy", &[], &[], &[]).is_err());
    assert!(RecordedLaunch::new("saxpi", &[], &[], &[]).is_err());
}

#[test]
fn limits_show_when_it_is_launched_and_not_before() {
    let mut launch = saxpy();
    launch.set_elements(65).unwrap();
    let beyond = packed(&launch).unwrap_err();
    assert!(
        matches!(
            beyond,
            LaunchError::Beyond {
                elements: 65,
                len: 64,
                ..
            }
        ),
        "D6"
    );
    launch.set_elements(64).unwrap();
    assert!(packed(&launch).is_ok());
    let mut reduce = RecordedLaunch::new("reduce", &[handle(0)], &[handle(1)], &[]).unwrap();
    assert_eq!(
        reduce.set_elements(2),
        Err(LaunchError::NoElements("reduce"))
    );
}

#[test]
fn one_that_was_made_and_not_recorded_does_nothing() {
    let mut launch = RecordedLaunch::empty("saxpy").unwrap();
    let nothing = packed(&launch).unwrap();
    assert!(nothing.reads.is_empty() && nothing.writes.is_empty(), "D5");
    assert_eq!(launch.numbers(), [0.0], "D5");
    launch.set_elements(4).unwrap();
    assert!(matches!(
        packed(&launch),
        Err(LaunchError::Missing { name: "x", .. })
    ));
}

#[test]
fn a_buffer_that_was_made_again_is_another_one() {
    let launch = saxpy();
    let generation = |buffer: BufferIndex| if buffer.0 == 1 { Some(2) } else { Some(1) };
    let stale = launch.packed(&generation, &|_| 64).unwrap_err();
    assert!(
        matches!(
            stale,
            LaunchError::Stale {
                name: "y",
                recorded: 1,
                ..
            }
        ),
        "D10"
    );
    assert!(stale.to_string().contains("its making 2 now"));
    let freed = launch.packed(&|_| None, &|_| 64).unwrap_err();
    assert!(matches!(freed, LaunchError::Stale { name: "x", .. }));
}
