//! Functions that SQLite has as well, whose time grows there with the product of two lengths: a question cannot be ended
//! inside a function. These take time by the sum of the lengths.

use std::borrow::Cow;
use std::collections::HashSet;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ffi};

/// Puts them in the place of SQLite's own. No text that they make is longer than `longest` bytes.
pub(crate) fn register(connection: &Connection, longest: usize) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("instr", 2, flags, instr)?;
    let replace = move |context: &Context<'_>| replace(context, longest);
    connection.create_scalar_function("replace", 3, flags, replace)?;
    for (name, sides) in [
        ("trim", (true, true)),
        ("ltrim", (true, false)),
        ("rtrim", (false, true)),
    ] {
        for count in [1, 2] {
            let trim = move |context: &Context<'_>| trim(context, sides);
            connection.create_scalar_function(name, count, flags, trim)?;
        }
    }
    Ok(())
}

thread_local! {
    /// What writes numbers as texts: how many digits SQLite writes is its own matter.
    static NUMBERS: rusqlite::Result<Connection> = Connection::open_in_memory();
}

fn number_text(number: f64) -> rusqlite::Result<String> {
    NUMBERS.with(|numbers| match numbers {
        Ok(numbers) => numbers.query_row("SELECT CAST(?1 AS TEXT)", [number], |row| row.get(0)),
        Err(_) => Err(Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_NOMEM),
            None,
        )),
    })
}

/// A value as SQLite makes a text of it; nothing for NULL.
fn text<'a>(context: &'a Context<'_>, at: usize) -> rusqlite::Result<Option<Cow<'a, str>>> {
    Ok(match context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(value) => Some(value.to_string().into()),
        ValueRef::Real(value) => Some(number_text(value)?.into()),
        ValueRef::Text(value) | ValueRef::Blob(value) => Some(String::from_utf8_lossy(value)),
    })
}

/// Where a text stands in another, in characters from 1, and 0 where it does not; of two blobs in bytes.
fn instr(context: &Context<'_>) -> rusqlite::Result<Option<i64>> {
    let place = |all: &str, part: &str| {
        let before = all.find(part).and_then(|it| all.get(..it));
        before.map_or(0, |it| it.chars().count() as i64 + 1)
    };
    if let (ValueRef::Blob(all), ValueRef::Blob(part)) = (context.get_raw(0), context.get_raw(1)) {
        let letters = |bytes: &[u8]| -> String { bytes.iter().map(|it| char::from(*it)).collect() };
        return Ok(Some(place(&letters(all), &letters(part))));
    }
    let both = text(context, 0)?.zip(text(context, 1)?);
    Ok(both.map(|(all, part)| place(&all, &part)))
}

/// A text with every occurrence of another replaced by a third.
fn replace(context: &Context<'_>, longest: usize) -> rusqlite::Result<Option<String>> {
    let Some((all, from)) = text(context, 0)?.zip(text(context, 1)?) else {
        return Ok(None);
    };
    if from.is_empty() {
        return Ok(Some(all.into_owned()));
    }
    let Some(to) = text(context, 2)? else {
        return Ok(None);
    };
    let times = all.matches(from.as_ref()).count();
    let longer = times.saturating_mul(to.len().saturating_sub(from.len()));
    if all.len().saturating_add(longer) > longest {
        let words = "string or blob too big".to_owned();
        return Err(Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_TOOBIG),
            Some(words),
        ));
    }
    Ok(Some(all.replace(from.as_ref(), &to)))
}

/// A text without some characters at its ends: those of the second value, or spaces.
fn trim(
    context: &Context<'_>,
    (is_front, is_back): (bool, bool),
) -> rusqlite::Result<Option<String>> {
    let letters = if context.len() > 1 {
        text(context, 1)?
    } else {
        Some(" ".into())
    };
    let both = text(context, 0)?.zip(letters);
    Ok(both.map(|(all, letters)| {
        let letters: HashSet<char> = letters.chars().collect();
        let mut rest = all.as_ref();
        if is_front {
            rest = rest.trim_start_matches(|it| letters.contains(&it));
        }
        if is_back {
            rest = rest.trim_end_matches(|it| letters.contains(&it));
        }
        rest.to_owned()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite's own functions are the oracle, where they are quick.
    #[test]
    fn they_answer_as_those_of_sqlite() {
        let theirs = Connection::open_in_memory().unwrap();
        let ours = Connection::open_in_memory().unwrap();
        register(&ours, 1_000_000).unwrap();
        let values = [
            "NULL", "''", "'a'", "'aba'", "'äbä'", "'  a b '", "7", "-70", "0.1", "1e300", "-2.5",
            "1.0 / 3", "x'61'", "x'6162'", "x'00ff'", "'%'", "'aaaa'", "'aa'",
        ];
        let mut questions = Vec::new();
        for a in values {
            for name in ["trim", "ltrim", "rtrim"] {
                questions.push(format!("{name}({a})"));
            }
            for b in values {
                for name in ["instr", "trim", "ltrim", "rtrim"] {
                    questions.push(format!("{name}({a}, {b})"));
                }
                for c in ["NULL", "''", "'x'", "'aa'", "3", "0.5"] {
                    questions.push(format!("replace({a}, {b}, {c})"));
                }
            }
        }
        let answer = |connection: &Connection, of: &str| {
            let sql = format!("SELECT quote(CAST({of} AS TEXT)) || typeof({of})");
            connection.query_row(&sql, [], |row| row.get::<_, String>(0))
        };
        // What is no text in UTF-8 is none with either, and written otherwise.
        let is_text = |of: &&String| !of.contains("x'00ff'") || of.starts_with("instr");
        for of in questions.iter().filter(is_text) {
            assert_eq!(answer(&ours, of), answer(&theirs, of), "{of}");
        }
        let long = "replace('aaaaaaaaaa', 'a', printf('%.*c', 200000, 'x'))";
        assert!(answer(&ours, long).is_err());
    }
}
