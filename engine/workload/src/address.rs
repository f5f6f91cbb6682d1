//! Where an engine is to be reached: a machine as `ssh` knows it, and the program there.

use std::fmt;
use std::str::FromStr;

/// The program where an address names none.
const PROGRAM: &str = "syncline";

/// A machine as `ssh` knows it, and the path of Syncline there. Written `user@host`, `user@host:/path/to/syncline`, or
/// with an address of IPv6 `user@[::1]:/path/to/syncline`.
///
/// What an address is made of is bounded, because it comes from files too and `ssh` hands the program to a shell: neither
/// part is an option, and nothing in it means anything to a shell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteAddress {
    host: String,
    program: String,
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnclearAddress {
    /// There is no machine in it.
    #[error(
        "“{0}” names no machine: write user@host, user@host:/path/to/syncline where it is not found by its name alone, \
         or . for a process on this machine"
    )]
    Machine(String),
    /// The program is a command, or no path that can be handed to a shell as it is.
    #[error(
        "“{0}” is no path of a program: it is started by a shell on the other machine, and so may have letters, digits \
         and / . _ - + ~ alone, no space, and no - at its beginning; put a link with such a name beside it"
    )]
    Program(String),
}

impl RemoteAddress {
    /// What `ssh` is to call the machine.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The program there, as a shell takes it for one word. `~/` at its beginning stays the home of the user there.
    pub fn program(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
        let (home, path) = match self.program.strip_prefix("~/") {
            Some(path) => ("~/", path),
            None => ("", self.program.as_str()),
        };
        if path.chars().all(is_plain) {
            self.program.clone()
        } else {
            // Letters of other alphabets. There is no quotation mark in it.
            format!("{home}'{path}'")
        }
    }
}

impl FromStr for RemoteAddress {
    type Err = UnclearAddress;

    fn from_str(text: &str) -> Result<Self, UnclearAddress> {
        let unclear = || UnclearAddress::Machine(text.to_owned());
        let (host, program) = parted(text).ok_or_else(unclear)?;
        // What begins with a dash would be an option of ssh's, also behind the name of a user.
        let parts = host.split('@');
        let is_known = |c: char| c.is_alphanumeric() || "._-@:%+".contains(c);
        let is_named = parts.clone().all(|part| !part.is_empty()) && host.chars().all(is_known);
        // A sign that ssh replaces in its configuration. It stands for nothing else but the zone of an address of IPv6.
        let has_sign = |part: &str| part.contains('%') && !part.contains(':');
        if !is_named
            || parts.clone().any(has_sign)
            || parts.clone().any(|part| part.starts_with('-'))
            || program.is_empty()
        {
            return Err(unclear());
        }
        let is_part = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
        let path = program.strip_prefix("~/").unwrap_or(program);
        if path.starts_with('-') || path.is_empty() || !path.chars().all(is_part) {
            return Err(UnclearAddress::Program(program.to_owned()));
        }
        let program = program.to_owned();
        Ok(Self { host, program })
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, host) = match self.host.rsplit_once('@') {
            Some((user, host)) => (format!("{user}@"), host),
            None => (String::new(), self.host.as_str()),
        };
        if host.contains(':') {
            write!(f, "{user}[{host}]")?;
        } else {
            write!(f, "{user}{host}")?;
        }
        if self.program == PROGRAM {
            Ok(())
        } else {
            write!(f, ":{}", self.program)
        }
    }
}

/// A machine and the program there. An address of IPv6, which has colons itself, stands in brackets; `ssh` wants it
/// without.
fn parted(text: &str) -> Option<(String, &str)> {
    let Some((user, rest)) = text.split_once('[') else {
        let (host, program) = text.split_once(':').unwrap_or((text, PROGRAM));
        return Some((host.to_owned(), program));
    };
    let (address, rest) = rest.split_once(']')?;
    let program = if rest.is_empty() {
        PROGRAM
    } else {
        rest.strip_prefix(':')?
    };
    let is_address = address.contains(':') && (user.is_empty() || user.ends_with('@'));
    is_address.then(|| (format!("{user}{address}"), program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_they_are_read() {
        for text in [
            "server",
            "me@server",
            "me@server:/opt/syncline",
            "me@[fe80::1%eth0]",
            "[::1]:prog",
            "me@server:~/bin/syncline",
        ] {
            let address: RemoteAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        let same: RemoteAddress = "me@server:syncline".parse().unwrap();
        assert_eq!(same.to_string(), "me@server");
        let far: RemoteAddress = "server:/öl/syncline".parse().unwrap();
        assert_eq!(far.program(), "'/öl/syncline'");
    }

    #[test]
    fn nothing_in_an_address_means_anything_to_a_shell_or_to_ssh() {
        for wrong in [
            "",
            "-oProxyCommand=x",
            "me@-oProxyCommand=x",
            "a b",
            "a`id`",
            "$HOME",
            "a;b",
            "@host",
            "%h",
            "%u@host",
            "host:",
            "[::1]prog",
            "[::1]:",
            "[]:prog",
            "-[::1]:prog",
        ] {
            let error = wrong.parse::<RemoteAddress>().unwrap_err();
            assert!(matches!(error, UnclearAddress::Machine(_)), "{wrong}");
        }
        for wrong in [
            "host:touch PWNED; syncline",
            "host:-oProxyCommand=touch",
            "host:$(id)",
            "host:a`id`",
            "host:a'b",
            "host:a\nb",
            "host:~root/x",
            "host:a|b",
            "host:a\\b",
            "host:~/",
        ] {
            let error = wrong.parse::<RemoteAddress>().unwrap_err();
            assert!(matches!(error, UnclearAddress::Program(_)), "{wrong}");
        }
    }
}
