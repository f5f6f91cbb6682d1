//! The engines for SQL that may answer, and which of them are installed.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::client;
use super::error::FleetError;

/// What answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetEngine {
    /// SQLite in this process. It reads the columns that a question needs into memory.
    Sqlite,
    /// DuckDB, on the cores of this computer.
    DuckDb,
    /// DataFusion, on the cores of this computer.
    DataFusion,
    /// Spark, with the address of its master; without one, on the cores of this computer.
    Spark(Option<String>),
    /// A running cluster of Spark, by the address of its Connect server.
    Connect(String),
}

/// Where a Connect server is, for those who do not say it.
const CONNECT: &str = "sc://localhost";

impl FleetEngine {
    /// Its name as people write it.
    pub const fn title(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::DuckDb => "DuckDB",
            Self::DataFusion => "DataFusion",
            Self::Spark(_) => "Spark",
            Self::Connect(_) => "Spark Connect",
        }
    }

    /// Its name on a command line, without the address.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::DuckDb => "duckdb",
            Self::DataFusion => "datafusion",
            Self::Spark(_) => "spark",
            Self::Connect(_) => "connect",
        }
    }

    /// The address that was given.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Spark(at) => at.as_deref(),
            Self::Connect(at) => Some(at),
            _ => None,
        }
    }

    /// How an engine with an address is written; nothing for one without.
    pub const fn address_help(&self) -> Option<&'static str> {
        match self {
            Self::Spark(_) => Some("spark=spark://HOST:7077"),
            Self::Connect(_) => Some("connect=sc://HOST"),
            _ => None,
        }
    }

    /// How to get it.
    pub const fn install(&self) -> &'static str {
        match self {
            Self::Sqlite => "it is part of Syncline",
            Self::DuckDb => "pip install duckdb",
            Self::DataFusion => "pip install datafusion",
            Self::Spark(_) => "pip install pyspark, with Java 17 or newer",
            Self::Connect(_) => "pip install \"pyspark[connect]\", of the version of the cluster",
        }
    }
}

impl FleetEngine {
    /// Whether it can read a dataset in this folder: some engines take signs of a path for a pattern.
    pub fn can_read(&self, folder: &Path) -> bool {
        self.sign_in(&folder.to_string_lossy()).is_none()
    }

    /// A letter of a path that the engine takes for part of a pattern or of an escape.
    pub(crate) fn sign_in(&self, path: &str) -> Option<char> {
        let signs = match self {
            Self::Sqlite => "",
            Self::DuckDb => "*?[\\",
            Self::DataFusion => "*?[\n",
            Self::Spark(_) | Self::Connect(_) => "*?[]{}\\",
        };
        path.chars().find(|it| signs.contains(*it))
    }
}

impl fmt::Display for FleetEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())?;
        self.address().map_or(Ok(()), |at| write!(f, "={at}"))
    }
}

impl FromStr for FleetEngine {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<Self, FleetError> {
        let (name, at) = match text.split_once('=') {
            Some((name, at)) => (name, Some(at.to_owned()).filter(|it| !it.is_empty())),
            None => (text, None),
        };
        let wrong = || Err(FleetError::Engine(text.to_owned()));
        match (name, at) {
            ("sqlite", None) => Ok(Self::Sqlite),
            ("duckdb", None) => Ok(Self::DuckDb),
            ("datafusion", None) => Ok(Self::DataFusion),
            ("spark", None) => Ok(Self::Spark(None)),
            ("spark", Some(at)) if is_master(&at) => Ok(Self::Spark(Some(at))),
            ("spark", Some(at)) => Err(FleetError::Master(at)),
            ("connect", Some(at)) if at.starts_with("sc://") => Ok(Self::Connect(at)),
            _ => wrong(),
        }
    }
}

/// Whether Spark knows an address of this form; of another one its Java ends without saying why.
fn is_master(at: &str) -> bool {
    const BEGINNINGS: [&str; 4] = ["local[", "local-cluster[", "spark://", "k8s://"];
    at == "local" || at == "yarn" || BEGINNINGS.iter().any(|it| at.starts_with(it))
}

/// An engine, and whether it is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEngine {
    /// The engine.
    pub engine: FleetEngine,
    /// Its version; nothing where it is not installed.
    pub version: Option<String>,
    /// What it needs besides and is not there.
    pub lacks: Option<String>,
}

impl FoundEngine {
    /// Whether it can answer.
    pub const fn is_ready(&self) -> bool {
        self.version.is_some() && self.lacks.is_none()
    }

    /// What it needs, and how to get it; nothing where it can answer.
    pub fn needs(&self) -> Option<String> {
        let install = self.engine.install();
        match &self.lacks {
            Some(lacks) => Some(format!("{lacks} is not there: {install}")),
            None => self.version.is_none().then(|| install.to_owned()),
        }
    }
}

/// Looks which engines are installed, by starting Python once. SQLite always is.
pub fn found_engines() -> Vec<FoundEngine> {
    let listed = client::list();
    // Without a Python engines are not installed; one that was named and is none is a mistake that is told.
    let no_python = client::named_python().filter(|_| listed.is_none());
    let no_python =
        no_python.map(|it| format!("a Python at {}, which SYNCLINE_PYTHON names,", it.display()));
    let listed = listed.unwrap_or_default();
    let of = |engine: FleetEngine| {
        let known = listed.iter().find(|it| it.name == engine.label());
        FoundEngine {
            version: known.and_then(|it| it.version.clone()),
            lacks: known
                .and_then(|it| it.lacks.clone())
                .or_else(|| no_python.clone()),
            engine,
        }
    };
    let own = FoundEngine {
        engine: FleetEngine::Sqlite,
        version: Some(query::sqlite_version().to_owned()),
        lacks: None,
    };
    let connect = FleetEngine::Connect(CONNECT.to_owned());
    vec![
        own,
        of(FleetEngine::DuckDb),
        of(FleetEngine::DataFusion),
        of(FleetEngine::Spark(None)),
        of(connect),
    ]
}

/// The engine to take where nobody says which: the quickest that is installed and starts by itself.
pub fn choose_engine(found: &[FoundEngine]) -> FleetEngine {
    let is_quick = |it: &&FoundEngine| {
        let quick = [FleetEngine::DuckDb, FleetEngine::DataFusion];
        it.is_ready() && quick.contains(&it.engine)
    };
    let best = found.iter().find(is_quick);
    best.map_or(FleetEngine::Sqlite, |it| it.engine.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_engines_are_read_and_written() {
        for text in [
            "sqlite",
            "duckdb",
            "datafusion",
            "spark",
            "spark=local-cluster[2,1,1024]",
            "connect=sc://host:15002",
        ] {
            assert_eq!(text.parse::<FleetEngine>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "Duck",
            "duckdb=x",
            "connect",
            "connect=host",
            "ballista",
        ] {
            assert!(wrong.parse::<FleetEngine>().is_err(), "{wrong}");
        }
    }
}
