//! The whole way over a real `sshd` on loopback, with keys and configuration of its own.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::record::RunOutcome;
use engine::runner::far::{ConnectionState, WorkerTarget};

use super::view::View;
use super::{long, request};
use crate::house::program::syncline;

/// A server that lets one key in; it ends with this.
pub struct Server {
    folder: tempfile::TempDir,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where `sshd` is: it insists on being started by its whole path.
fn program() -> Option<PathBuf> {
    let places = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];
    places.map(PathBuf::from).into_iter().find(|it| it.exists())
}

fn key(path: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path)
        .status();
    assert!(made.unwrap().success());
}

impl Server {
    /// Starts one, or says why there is none.
    pub fn start() -> Option<Self> {
        let Some(sshd) = program() else {
            eprintln!(
                "skipped: there is no sshd here; install openssh-server to test the way through ssh"
            );
            assert!(
                std::env::var_os("REQUIRE_SSHD").is_none(),
                "REQUIRE_SSHD is set, and there is none"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        key(&at("host"));
        key(&at("user"));
        fs::copy(at("user.pub"), at("authorized")).unwrap();
        // Started by root, it wants a folder of its own.
        let _ = fs::create_dir_all("/run/sshd");
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let programs = syncline().parent().unwrap().display();
        let home = folder.path().display();
        fs::write(
            at("sshd_config"),
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey \"{home}/host\"\nAuthorizedKeysFile \"{home}/authorized\"\n\
                 PidFile none\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
                 SetEnv \"PATH={programs}:/usr/bin:/bin\" \"HOME={home}\"\n"
            ),
        )
        .unwrap();
        let public = fs::read_to_string(at("host.pub")).unwrap();
        fs::write(at("known"), format!("[127.0.0.1]:{port} {public}")).unwrap();
        fs::write(
            at("ssh_config"),
            format!(
                "Host loopback\n HostName 127.0.0.1\n Port {port}\n IdentityFile \"{home}/user\"\n IdentitiesOnly yes\n \
                 UserKnownHostsFile \"{home}/known\"\n StrictHostKeyChecking yes\n"
            ),
        )
        .unwrap();
        let child = Command::new(sshd)
            .args(["-D", "-e", "-f"])
            .arg(at("sshd_config"))
            .stdout(Stdio::null())
            .stderr(fs::File::create(at("log")).unwrap())
            .spawn()
            .unwrap();
        let server = Self { folder, child };
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "sshd: {}", server.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Where the configuration of `ssh` is that knows it.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("ssh_config")
    }

    /// What the user's `user@host` comes to, with this server's configuration.
    fn target(&self, place: &str) -> WorkerTarget {
        let mut target = WorkerTarget::parse(place).unwrap();
        let config = self.folder.path().join("ssh_config");
        target
            .command
            .splice(1..1, ["-F".into(), config.into_os_string()]);
        target
    }
}

#[test]
fn a_run_over_ssh_is_whole() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut view = View::of(server.target("loopback"));
    view.run(request("double-buffer", "mock"));
    view.until("the end or a refusal", |view| {
        view.finished > 0 || !view.refused.is_empty()
    });
    assert!(
        view.refused.is_empty(),
        "{:?}\n{}",
        view.refused,
        server.log()
    );
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Finished);
    assert_eq!(view.connection.name, "loopback");
    assert!(view.connection.round_trip.0 > 0);
}

#[test]
fn a_dropped_ssh_comes_back_with_all_that_happened() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut view = View::of(server.target("loopback"));
    let rounds = 8_000;
    view.run(long(rounds));
    view.until("spans", |view| view.capture.span_count() > 500);
    let ssh = view.connection.process.to_string();
    let killed = Command::new("kill").args(["-KILL", &ssh]).status();
    assert!(killed.unwrap().success());
    view.until_state(ConnectionState::Dropped);
    view.until_state(ConnectionState::Connected);
    view.until_finished();
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Finished);
    assert_eq!(view.capture.span_count(), rounds * 3);
    assert_eq!(view.capture.losses().len(), 1);
}

#[test]
fn an_ssh_that_fails_is_shown_in_its_own_words() {
    let Some(server) = Server::start() else {
        return;
    };
    fs::write(server.folder.path().join("authorized"), "").unwrap();
    let mut view = View::of(server.target("loopback"));
    view.until("a refusal", |view| !view.refused.is_empty());
    assert!(
        view.refused[0].contains("Permission denied"),
        "{:?}",
        view.refused
    );
    let mut view = View::of(server.target("loopback:/no/such/syncline"));
    view.until("a refusal", |view| !view.refused.is_empty());
    assert!(!view.refused[0].is_empty());
}
