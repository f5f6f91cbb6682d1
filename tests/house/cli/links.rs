//! Links on the command line: what is wrong with one is said before any window opens, and the desktop learns of them.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::house::program::syncline;

fn answered(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_link_that_is_wrong_is_refused_without_a_window() {
    for (link, said) in [
        ("syncline://open?file=relative.json", "without the folder"),
        ("syncline://run?file=/a.kdl", "something else"),
        ("syncline://open?file=/no/such/capture.json", "no file here"),
        ("syncline://open?file=/dev/zero", "no file here"),
    ] {
        let (code, _, error) = answered(Command::new(syncline()).arg(link));
        assert_eq!(code, Some(2), "{link}: {error}");
        assert!(error.contains(said), "{link}: {error}");
    }
}

#[test]
fn the_desktop_is_told_of_links_and_who_could_not_be_told_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // In place of the one of the system, which would change what opens links here.
    let tools = folder.path().join("bin");
    std::fs::create_dir(&tools).unwrap();
    let tool = tools.join("xdg-mime");
    let script = "#!/bin/sh\necho \"$@\" > \"$XDG_DATA_HOME/asked\"\n";
    std::fs::write(&tool, script).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let register = |path: &std::path::Path| {
        let mut command = Command::new(syncline());
        command
            .arg("--register")
            .env("XDG_DATA_HOME", folder.path())
            .env("PATH", path);
        answered(&mut command)
    };
    let (code, out, error) = register(&tools);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("open in this program from now on"), "{out}");
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(
        asked,
        "default syncline.desktop x-scheme-handler/syncline\n"
    );
    let entry = folder.path().join("applications/syncline.desktop");
    let text = std::fs::read_to_string(&entry).unwrap();
    let program = std::fs::canonicalize(syncline()).unwrap();
    let line = format!("Exec=\"{}\" %U\n", program.display());
    assert!(text.contains(&line), "{text}");

    let (code, out, _) = register(&folder.path().join("nothing"));
    assert_eq!(code, Some(0));
    assert!(out.contains("install xdg-utils"), "{out}");
    let mut command = Command::new(syncline());
    command
        .arg("--register")
        .env_remove("XDG_DATA_HOME")
        .env_remove("HOME");
    let (code, _, error) = answered(&mut command);
    assert_eq!(code, Some(2));
    assert!(error.contains("neither XDG_DATA_HOME nor HOME"), "{error}");
}
