//! Links to a place of a capture, `syncline://open?file=…&t=…&span=…`, as they are copied and parsed.

use std::path::{Path, PathBuf};

use engine::record::SpanId;
use engine::time::Interval;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::text;

/// What every link begins with.
const SCHEME: &str = "syncline:";
/// What follows that in a link that opens a capture.
const OPEN: &str = "//open?";
/// What stands as it is in a link: the unreserved characters of RFC 3986, and `/`, which a query may hold.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');
/// No link names more files.
const MOST_FILES: usize = 64;

/// A place of a capture: its files, and a stretch of time or a span of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureLink {
    /// The files, several of them as one capture.
    pub files: Vec<PathBuf>,
    /// The time to show, from the capture's zero; nothing to show what was on screen last.
    pub at: Option<Interval>,
    /// The span to select.
    pub span: Option<SpanId>,
}

impl CaptureLink {
    /// Reads a link.
    ///
    /// # Errors
    /// It is no link that opens a capture: what is wrong with it, and what it has to look like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "this link {what}; a link to a capture is syncline://open?file=/folder/capture.json, with &t=1000..2000 for a \
                 time in nanoseconds or with units, and &span=7 for a span"
            )
        };
        let query = of_scheme(text).and_then(|it| {
            // A desktop may write the name of the action as that of a folder.
            it.strip_prefix(OPEN)
                .or_else(|| it.strip_prefix("//open/?"))
        });
        let query = query.ok_or_else(|| wrong("asks for something else than to open a capture"))?;
        let mut link = Self::default();
        for field in query.split('&').filter(|it| !it.is_empty()) {
            link.take(field).map_err(wrong)?;
        }
        match link.files.len() {
            0 => Err(wrong("names no file")),
            count if count > MOST_FILES => Err(wrong("names too many files")),
            _ => Ok(link),
        }
    }

    /// Takes a field; fails with what is wrong with the link.
    fn take(&mut self, field: &str) -> Result<(), &'static str> {
        let (key, value) = field.split_once('=').unwrap_or((field, ""));
        let value = percent_decode_str(value).decode_utf8().ok();
        let value = value.ok_or("is not UTF-8")?;
        match key {
            "file" if !Path::new(&*value).is_absolute() => {
                return Err("names a file without the folder that it is in");
            }
            "file" if value.contains('\0') => return Err("names no file"),
            // To open a workload is to run it.
            "file" if is_workload(Path::new(&*value)) => {
                return Err("names a workload, and a link opens captures alone");
            }
            "file" => {
                let path = PathBuf::from(&*value);
                if !self.files.contains(&path) {
                    self.files.push(path);
                }
            }
            "t" => self.at = Some(time(&value).ok_or("names no time")?),
            "span" => {
                let number = value.parse().ok().ok_or("names no span")?;
                self.span = Some(SpanId(number)).filter(|it| it.is_some());
            }
            // What a later version writes may be left out.
            _ => {}
        }
        Ok(())
    }
}

impl std::fmt::Display for CaptureLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{SCHEME}{OPEN}")?;
        for (place, file) in self.files.iter().enumerate() {
            let parting = if place > 0 { "&" } else { "" };
            let file = file.to_string_lossy();
            let file = utf8_percent_encode(&file, ESCAPED);
            write!(f, "{parting}file={file}")?;
        }
        if let Some(at) = self.at {
            write!(f, "&t={}..{}", at.start.0, at.end.0)?;
        }
        match self.span {
            Some(span) => write!(f, "&span={}", span.0),
            None => Ok(()),
        }
    }
}

/// What follows the scheme of a link, which may be written in capitals; nothing where a text is none.
pub fn of_scheme(text: &str) -> Option<&str> {
    let scheme = text.get(..SCHEME.len())?;
    let is_link = scheme.eq_ignore_ascii_case(SCHEME);
    is_link.then(|| text.get(SCHEME.len()..))?
}

/// Whether a file is taken for a workload when it is opened.
fn is_workload(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|it| it.eq_ignore_ascii_case("kdl"))
}

/// `1000..2000`, `1us..2us`, or an instant.
fn time(text: &str) -> Option<Interval> {
    let (start, end) = text.split_once("..").unwrap_or((text, text));
    let (start, end) = (text::moment(start)?, text::moment(end)?);
    (start <= end).then(|| Interval::new(start, end))
}

#[cfg(test)]
mod tests {
    use engine::time::Nanos;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let names = ["/a/b.json", "/a b/ü&=#%?+.pftrace", "/x/…/ \"' ;rm.db"];
        for at in [None, Some(Interval::new(Nanos(-5), Nanos(2_000)))] {
            for span in [None, Some(SpanId(7))] {
                let files = names.iter().map(PathBuf::from).collect();
                let link = CaptureLink { files, at, span };
                let text = link.to_string();
                assert!(
                    text.is_ascii() && !text.contains([' ', '"', '\'', ';']),
                    "{text}"
                );
                assert_eq!(CaptureLink::parse(&text), Ok(link));
            }
        }
        let instant = CaptureLink::parse("Syncline://open/?file=/a&file=/a&t=9").unwrap();
        assert_eq!(instant.files.len(), 1);
        assert_eq!(instant.at, Some(Interval::new(Nanos(9), Nanos(9))));
        let units = CaptureLink::parse("syncline://open?file=/a&t=1.5us..2%20ms").unwrap();
        let at = Interval::new(Nanos(1_500), Nanos(2_000_000));
        assert_eq!(units.at, Some(at));
    }

    #[test]
    fn what_is_no_link_to_a_capture_is_refused_in_words() {
        for (text, said) in [
            ("syncline://run?file=/a.kdl", "something else"),
            ("syncline:open?file=/a", "something else"),
            ("syncline://open?", "no file"),
            ("syncline://open?t=1..2", "no file"),
            ("syncline://open?file=a.json", "without the folder"),
            ("syncline://open?file=-", "without the folder"),
            ("syncline://open?file=/a%00b", "no file"),
            ("syncline://open?file=/mine.KDL", "captures alone"),
            ("syncline://open?file=/mine.kdl/.", "captures alone"),
            ("syncline://open?file=/%ff", "UTF-8"),
            ("syncline://open?file=/a&t=soon", "no time"),
            ("syncline://open?file=/a&t=9..2", "no time"),
            ("syncline://open?file=/a&span=-1", "no span"),
        ] {
            let error = CaptureLink::parse(text).unwrap_err();
            assert!(
                error.contains(said) && error.contains("syncline://open?file="),
                "{text}: {error}"
            );
        }
        let many: Vec<String> = (0..=MOST_FILES).map(|it| format!("file=/{it}")).collect();
        let many = many.join("&");
        assert!(CaptureLink::parse(&format!("syncline://open?{many}")).is_err());
    }
}
