//! The text of workloads: what it means, and that editing loses nothing.

use engine::workload::{
    Bounds, Call, DataCall, Document, EventCall, ExpectationKind, PlacedCall, Plan, WorkloadError,
    bundled,
};
use proptest::prelude::*;

/// The example of the language, as its description gives it.
const EXAMPLE: &str = r#"about "Two buffers let the next copy run under the current kernel; the events keep them honest."
param "n" 1048576
stream "copy" role="host-to-device"
stream "compute"
buffer "x" f32="n" count=2          // arrays of resources are indexed modulo their count
buffer "y" f32="n"
event "ready" count=2
event "free" count=2
host "main" {
    repeat 8 index="i" {
        wait "free" i on="copy"     // the first time round never recorded: it passes at once
        upload "x" i on="copy"
        record "ready" i on="copy"
        wait "ready" i on="compute"
        launch "saxpy" on="compute" { read "x" i; write "y"; set "a" 2.0 }
        record "free" i on="compute"
    }
    synchronize-device
}
expect { overlap "copy" "compute" at-least=0.3 }
"#;

/// Resources and calls that a faulty line is put among.
fn around(resource: &str, call: &str, expectation: &str) -> String {
    format!(
        "param \"n\" 16 min=1 max=64\nstream \"copy\"\nstream \"lanes\" count=2\nevent \"ready\"\n\
         buffer \"x\" f32=\"n\" count=3\nbuffer \"y\" f32=\"n\"\nbuffer \"z\" f32=7\nsignal \"go\"\n\
         {resource}\nhost \"main\" {{\n    signal \"go\"\n    {call}\n    work micros=1 label=\"job\"\n}}\n\
         expect {{\n    {expectation}\n}}\n"
    )
}

fn planned(source: &str) -> Result<Plan, Vec<WorkloadError>> {
    Document::parse("a.kdl", source)?.plan(&[])
}

#[test]
fn overrides_are_checked() {
    let document = Document::parse(
        "a.kdl",
        &around("", "synchronize-device", "problem \"x\" at-most=0"),
    )
    .unwrap();
    let plan = document.plan(&[("n".into(), 32.0)]).unwrap();
    assert_eq!(plan.parameters, [("n".to_owned(), 32.0)]);
    assert_eq!(plan.buffers[0].len, 32);
    let unknown = document.plan(&[("nn".into(), 1.0)]).unwrap_err();
    assert_eq!(
        unknown[0].to_string(),
        "a.kdl: there is no parameter “nn”\n  help: parameters: n"
    );
    for value in [0.0, 65.0, f64::NAN, f64::INFINITY] {
        let error = document.plan(&[("n".into(), value)]).unwrap_err();
        assert_eq!((error.len(), error[0].line), (1, 1));
        assert!(error[0].message.contains("may be 1 to 64"), "{}", error[0]);
    }
}

#[test]
fn memory_is_checked_before_anything_is_made() {
    let document = Document::parse(
        "a.kdl",
        &around("", "synchronize-device", "problem \"x\" at-most=0"),
    )
    .unwrap();
    let plan = document.plan(&[]).unwrap();
    assert_eq!(plan.bytes(), (16 * 4 + 7) * 4);
    assert!(document.plan_within(&[], plan.bytes()).is_ok());
    let errors = document.plan_within(&[], plan.bytes() - 1).unwrap_err();
    assert!(
        errors[0].line == 7 && errors[0].message.contains("283"),
        "{errors:?}"
    );
}

#[test]
fn the_example_means_what_it_says() {
    let plan = planned(EXAMPLE).unwrap();
    assert_eq!(
        plan.streams
            .iter()
            .map(|s| s.name.as_str())
            .collect::<Vec<_>>(),
        ["copy", "compute"]
    );
    assert_eq!(
        plan.events
            .iter()
            .map(|e| e.name.as_str())
            .collect::<Vec<_>>(),
        ["ready[0]", "ready[1]", "free[0]", "free[1]"]
    );
    assert_eq!(
        plan.buffers
            .iter()
            .map(|b| (b.name.as_str(), b.len))
            .collect::<Vec<_>>(),
        [("x[0]", 1 << 20), ("x[1]", 1 << 20), ("y", 1 << 20)]
    );
    let calls: Vec<_> = plan.calls(0).collect();
    assert_eq!(calls.len() as u64, plan.call_count);
    assert_eq!(calls.len(), 8 * 6 + 1);
    // The third round is the first's again: two is taken modulo two.
    let made = |calls: &[PlacedCall]| -> Vec<_> {
        let calls = calls.iter().map(|it| (it.call.clone(), it.place));
        calls.collect()
    };
    assert_eq!(made(&calls[..6]), made(&calls[12..18]));
    assert_eq!(
        (calls[0].round, calls[12].round, calls[48].round),
        (1, 3, 0)
    );
    let Call::Data(DataCall::Launch { kernel: launch, .. }) = &calls[4 + 6].call else {
        panic!("{:?}", calls[10])
    };
    assert_eq!(
        (launch.kernel.name, launch.reads[0].0, launch.writes[0].0),
        ("saxpy", 1, 2)
    );
    assert_eq!(launch.parameters, [2.0]);
    assert_eq!(
        (
            calls[0].place.line,
            calls[48].place.line,
            calls[48].place.call
        ),
        (11, 18, 6)
    );
    assert_eq!(plan.sites[6].verb, "synchronize-device");
    let ExpectationKind::Overlap { bounds, .. } = &plan.expectations[0].kind else {
        panic!("{plan:?}")
    };
    assert_eq!(
        *bounds,
        Bounds {
            at_least: 0.3,
            at_most: f64::INFINITY
        }
    );
    assert_eq!(
        plan.expectations[0].text,
        "overlap \"copy\" \"compute\" at-least=0.3"
    );
}

#[test]
fn loops_nest_and_their_bounds_may_vary() {
    let source = around(
        "",
        "repeat 4 index=\"i\" { repeat \"i % 3\" index=\"j\" { upload \"x[i * 10 - j]\" on=\"lanes[i + j]\" }; work micros=\"i\" }",
        "problem \"x\" at-most=0",
    );
    let plan = planned(&source).unwrap();
    let found: Vec<(u32, u32)> = plan
        .calls(0)
        .filter_map(|placed| match placed.call {
            Call::Data(DataCall::Upload { buffer, stream }) => Some((buffer.0, stream.0)),
            _ => None,
        })
        .collect();
    let mut wanted = Vec::new();
    for i in 0..4_i32 {
        for j in 0..i % 3 {
            wanted.push((
                (i * 10 - j).rem_euclid(3) as u32,
                1 + (i + j).rem_euclid(2) as u32,
            ));
        }
    }
    assert_eq!(found, wanted);
    assert_eq!(plan.calls(0).count() as u64, plan.call_count);
    assert_eq!(plan.calls(1).count(), 0);
}

#[test]
fn loops_of_millions_are_planned_at_once_and_never_held() {
    let source = around(
        "",
        "repeat 30000000 { query \"ready\" }",
        "problem \"x\" at-most=0",
    );
    let plan = planned(&source).unwrap();
    assert_eq!(plan.call_count, 30_000_002);
    assert_eq!(
        plan.calls(0)
            .skip(1)
            .take(1000)
            .filter(|placed| matches!(placed.call, Call::Event(EventCall::Query { .. })))
            .count(),
        1000
    );
}

#[test]
fn setting_a_parameter_changes_its_digits_alone() {
    let source = "// first\nparam \"n\"   1_024 /* floats */ min=1 max=5000 // last\nhost m { work micros=n }\n";
    let mut document = Document::parse("a.kdl", source).unwrap();
    document.set_parameter("n", 2048.0).unwrap();
    assert_eq!(document.to_string(), source.replace("1_024", "2048"));
    document.set_parameter("n", 2.5).unwrap();
    assert_eq!(document.to_string(), source.replace("1_024", "2.5"));
    assert_eq!(document.parameters()[0].default, 2.5);
    let before = document.clone();
    assert!(document.set_parameter("n", 0.0).is_err() && document.set_parameter("m", 1.0).is_err());
    assert_eq!(document, before);
}

/// A text that is a workload, laid out in an unusual way.
fn workloads() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec![
        "\n",
        "\n\n",
        " // c\n",
        ";\n",
        "\n/* a\n b */\n",
        "\n/-stream \"gone\"\n",
    ]);
    let lines = Just(vec![
        "stream \"s\" role=\"device-to-host\" priority=-2",
        "event   \"e\"  count = 3  timing=#false",
        "buffer b f32=\"4 * n\" init=\"k + n\"",
        "signal #\"g\"#",
        "param \"n\"\t1.5e1 min=0",
    ])
    .prop_shuffle();
    let call = prop::sample::select(vec![
        "wait \"e\" 2 on=\"s\"",
        "record \"e[i]\" on=s",
        "launch spin on=s { set micros i; }",
        "launch \"scale\" on=\"s\" { \\\n read b; write \"b\"\n }",
        "repeat 2 { query e i ; signal g }",
        "upload /- 5 b on = \"s\"",
    ]);
    (
        lines,
        prop::collection::vec((call, space.clone()), 1..8),
        space,
    )
        .prop_map(|(lines, calls, space)| {
            let calls: String = calls
                .into_iter()
                .map(|(call, space)| call.to_owned() + space)
                .collect();
            format!(
                "{}{space}host m {{ repeat 3 index=i {{\n{calls}}} }}\n",
                lines.join(space)
            )
        })
}

proptest! {
    #[test]
    fn printed_text_is_the_text_and_plans_the_same(source in workloads()) {
        let document = Document::parse("a.kdl", &source).map_err(|errors| TestCaseError::fail(format!("{source}\n{errors:?}")))?;
        prop_assert_eq!(&document.to_string(), &source);
        let again = Document::parse("a.kdl", &document.to_string()).unwrap();
        prop_assert_eq!(document.plan(&[]).unwrap(), again.plan(&[]).unwrap());
        prop_assert_eq!(document, again);
    }

    #[test]
    fn set_parameters_come_back(source in workloads(), value in prop_oneof![0.0..1e6, (0..4000_i32).prop_map(f64::from)]) {
        let mut document = Document::parse("a.kdl", &source).unwrap();
        document.set_parameter("n", value).unwrap();
        prop_assert_eq!(document.parameters()[0].default, value);
        let once = document.to_string();
        document.set_parameter("n", value).unwrap();
        prop_assert_eq!(&document.to_string(), &once);
        document.set_parameter("n", 15.0).unwrap();
        prop_assert_eq!(document.to_string(), source.replace("1.5e1", "15"));
    }

    #[test]
    fn any_text_is_answered(source in "[ -~\n]{0,80}") {
        let _ = planned(&source);
    }

    #[test]
    fn any_damage_is_answered(which in 0..bundled().len(), cut in 0.0..1.0_f64, byte in any::<char>(), replace: bool) {
        let mut source = bundled()[which].source.to_owned();
        let mut at = (source.len() as f64 * cut) as usize;
        while !source.is_char_boundary(at) { at -= 1 }
        if replace { source.insert(at, byte) } else { source.truncate(at) }
        for error in Document::check("a.kdl", &source) {
            prop_assert!(!error.message.is_empty() && error.to_string().contains("a.kdl:"));
        }
    }
}
