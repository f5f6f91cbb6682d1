//! A file never decides where to connect: what is run is what whoever runs it allowed, and nothing that a shell reads.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::house::program::syncline;

/// A folder with a program called `ssh` that notes how it is called, and leads to a worker on this machine.
struct Ssh(tempfile::TempDir);

impl Ssh {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (program, log) = (folder.path().join("ssh"), folder.path().join("log"));
        // As sshd does: what comes behind the machine is a text for a shell.
        let script = format!(
            "#!/bin/sh\necho \"$*\" >> '{}'\nwhile [ \"$1\" = -o ]; do shift 2; done\nshift\nPATH='{}':\"$PATH\" exec sh -c \"$*\"\n",
            log.display(),
            syncline().parent().unwrap().display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    /// A workload whose machine is at this address.
    fn workload(&self, at: &str) -> String {
        let path = self.0.path().join("opened.kdl");
        let text = format!(
            "placement {{ machine \"left\" devices=\"0 1\" at=\"{at}\"; }}\nstream \"s\"\nhost \"main\" {{ synchronize-device; }}\n"
        );
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// The exit code, and all that is printed.
    fn syncline(&self, arguments: &[&str]) -> (i32, String) {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new(syncline())
            .args(arguments)
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", self.0.path().display()))
            .output()
            .unwrap();
        let all = [output.stdout, output.stderr].concat();
        let all = String::from_utf8_lossy(&all).into_owned();
        (output.status.code().unwrap_or(-1), all)
    }

    /// How it was called: the machine and what is run there.
    fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.0.path().join("log")).unwrap_or_default();
        let ends = |line: &str| {
            let words = line.split(' ').rev().take(3);
            let words: Vec<&str> = words.collect::<Vec<_>>().into_iter().rev().collect();
            words.join(" ")
        };
        log.lines().map(ends).collect()
    }
}

#[test]
fn a_file_connects_to_nothing_that_was_not_allowed() {
    let ssh = Ssh::new();
    let file = ssh.workload("someserver");
    for place in [
        &["--backend", "cpu"][..],
        &["--backend", "cpu", "--on", "."],
    ] {
        let (code, said) = ssh.syncline(&[&["run", &file], place].concat());
        assert_eq!(code, 2, "{said}");
        let says = [
            "opened.kdl:1:",
            "someserver",
            "--allow-remote",
            "--machine left=",
        ];
        assert!(says.iter().all(|it| said.contains(it)), "{said}");
    }
    let (code, said) = ssh.syncline(&["run", &file, "--backend", "cpu", "--machine", "left=."]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = ssh.syncline(&["check", &file]);
    assert_eq!(code, 0, "{said}");
    let says = [
        "nothing is wrong",
        "opened.kdl:1:",
        "ssh someserver syncline worker",
    ];
    assert!(says.iter().all(|it| said.contains(it)), "{said}");
    assert!(ssh.calls().is_empty(), "{:?}", ssh.calls());
}

#[test]
fn what_was_allowed_is_what_is_called() {
    for allowed in [&["--allow-remote"][..], &["--machine", "left=someserver"]] {
        let ssh = Ssh::new();
        let file = ssh.workload("someserver");
        let run = ["run", &file, "--backend", "cpu"];
        let (code, said) = ssh.syncline(&[&run, allowed].concat());
        assert_eq!(code, 0, "{said}");
        assert_eq!(ssh.calls(), ["someserver syncline worker"; 2]);
    }
}

#[test]
fn a_program_elsewhere_is_a_path_and_no_command() {
    let ssh = Ssh::new();
    for at in [
        "someserver:touch PWNED; syncline",
        "someserver:$(touch PWNED)",
        "someserver:-oProxyCommand=touch${IFS}PWNED",
        "-oProxyCommand=touch PWNED",
        "me@-oProxyCommand=touch",
    ] {
        let file = ssh.workload(at);
        let machine = format!("left={at}");
        for arguments in [
            &["check", &file][..],
            &["run", &file, "--allow-remote"],
            &["run", &file, "--machine", &machine],
            &["backends", &format!("--on={at}")],
        ] {
            let (code, said) = ssh.syncline(arguments);
            assert_eq!(code, 2, "{arguments:?}: {said}");
        }
    }
    assert!(ssh.calls().is_empty(), "{:?}", ssh.calls());
    let made = |folder: &Path| folder.join("PWNED").exists();
    assert!(!made(ssh.0.path()));
}
