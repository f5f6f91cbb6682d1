//! This parser and the `kdl` package, which shares no line with it, read the same out of the same texts.

use kdl as package;

use super::{KdlEntry, KdlNode, KdlValue, parse};

/// Texts that are drawn.
const TEXTS: u64 = 4_000;

/// Numbers drawn by a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn space(&mut self) -> &'static str {
        let spaces = [
            " ",
            " ",
            " ",
            "  ",
            "\t",
            "\u{a0}",
            " /* a */ ",
            " \\\n ",
            " \\ // b\n ",
        ];
        self.one(&spaces)
    }

    fn string(&mut self) -> &'static str {
        let strings = [
            "a",
            "b-c",
            "ü",
            "-",
            "+x",
            "-.",
            ".a",
            "$%",
            "\"\"",
            "\"a b\"",
            r#""\n\t\s\\\"""#,
            r#""\u{e9}\u{1F600}""#,
            "\"a\\  \n  b\"",
            "#\"a\\n\"#",
            "##\"a\"#b\"##",
            "#\"{\"#",
            "\"\"\"\n  a\n\n   b\\n\"\n  \"\"\"",
            "#\"\"\"\n\\\n  \"\" {\n\"\"\"#",
            "\"\"\"\n\"\"\"",
            "\"\"\"\r\n\ta\r\n\t\"\"\"",
            "\"\"\"\n a \\\n   b\n \"\"\"",
        ];
        self.one(&strings)
    }

    fn value(&mut self) -> &'static str {
        let numbers = [
            "0", "-1", "+12", "1_000", "1.5", "-0.25", "1e6", "2.5E-3", "0xfF", "-0x1_0", "0o17",
            "0b1_01", "#true", "#false", "#null", "#inf",
        ];
        if self.below(2) == 0 {
            return self.string();
        }
        self.one(&numbers)
    }

    fn entry(&mut self) -> String {
        let (out, sort) = (self.one(&["", "", "", "", "/-", "/- "]), self.below(6));
        let typed = self.one(&["", "", "", "", "(t)", "(\"t\")"]);
        match sort {
            0..3 => format!("{out}{typed}{}", self.value()),
            _ => format!("{out}{}={typed}{}", self.string(), self.value()),
        }
    }

    fn node(&mut self, depth: usize, text: &mut String) {
        text.push_str(self.one(&["", "", "", "", "", "", "/-", "/-\n"]));
        text.push_str(self.one(&["", "", "", "", "(t)"]));
        text.push_str(self.string());
        for _ in 0..self.below(4) {
            text.push_str(self.space());
            text.push_str(&self.entry());
        }
        if depth < 3 && self.below(3) == 0 {
            text.push_str(self.one(&[" ", " ", "", " /-"]));
            text.push('{');
            self.nodes(depth + 1, text);
            text.push('}');
        }
        text.push_str(self.one(&["\n", "\n", ";", " ; ", " // c\n", "\r\n", "\u{2028}"]));
    }

    fn nodes(&mut self, depth: usize, text: &mut String) {
        for _ in 0..self.below(4) {
            text.push_str(self.one(&["", "", "", " ", "\n", "// d\n", "/* /* e */ */"]));
            self.node(depth, text);
        }
    }
}

/// What the package reads, in the words of this parser, without places.
fn theirs(nodes: &[package::KdlNode]) -> Vec<KdlNode> {
    let value = |value: &package::KdlValue| match value {
        package::KdlValue::String(text) => KdlValue::String(text.clone()),
        package::KdlValue::Integer(number) => KdlValue::Integer(*number),
        package::KdlValue::Float(number) => KdlValue::Float(*number),
        package::KdlValue::Bool(answer) => KdlValue::Bool(*answer),
        package::KdlValue::Null => KdlValue::Null,
    };
    let entry = |entry: &package::KdlEntry| KdlEntry {
        name: entry.name().map(|name| (name.value().to_owned(), 0..0)),
        value: value(entry.value()),
        value_range: 0..0,
        is_annotated: entry.ty().is_some(),
    };
    let node = |node: &package::KdlNode| KdlNode {
        name: node.name().value().to_owned(),
        name_range: 0..0,
        range: 0..0,
        is_annotated: node.ty().is_some(),
        entries: node.entries().iter().map(entry).collect(),
        children: node.children().map(|block| theirs(block.nodes())),
    };
    nodes.iter().map(node).collect()
}

fn without_places(nodes: Vec<KdlNode>) -> Vec<KdlNode> {
    let entry = |entry: KdlEntry| KdlEntry {
        name: entry.name.map(|(name, _)| (name, 0..0)),
        value_range: 0..0,
        ..entry
    };
    let node = |node: KdlNode| KdlNode {
        name_range: 0..0,
        range: 0..0,
        entries: node.entries.into_iter().map(entry).collect(),
        children: node.children.map(without_places),
        ..node
    };
    nodes.into_iter().map(node).collect()
}

/// Whether the two say the same of a text.
fn agree(text: &str) -> bool {
    // The package is of KDL 2.0.0, where a space is due before every `/-`, and knows no `;` behind what one takes out.
    let says_same = |text: &str| match (parse(text), package::KdlDocument::parse_v2(text)) {
        (Ok(ours), Ok(package)) => without_places(ours) == theirs(package.nodes()),
        (ours, package) => ours.is_err() && package.is_err(),
    };
    says_same(text) || says_same(&text.replace("/-", " /-").replace(';', "\n"))
}

/// Fails where the two differ, with a text that is as short as leaving out makes it.
fn assert_agree(mut text: String) {
    if agree(&text) {
        return;
    }
    let whole = text.clone();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let mut shorter = text.clone();
        shorter.remove(at);
        // What would be another difference is none to go for.
        if c == ' ' || agree(&shorter) {
            at += c.len_utf8();
        } else {
            (text, at) = (shorter, 0);
        }
    }
    let package = package::KdlDocument::parse_v2(&text).map(|it| theirs(it.nodes()));
    panic!(
        "{text:?} of {whole:?}\nours: {:#?}\ntheirs: {package:#?}",
        parse(&text)
    );
}

#[test]
fn drawn_texts_are_read_as_the_package_reads_them() {
    let mut read = 0;
    for seed in 1..=TEXTS {
        let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text = String::new();
        draw.nodes(0, &mut text);
        read += usize::from(!text.is_empty() && parse(&text).is_ok());
        assert_agree(text);
    }
    assert!(read > TEXTS as usize / 4, "only {read} are KDL");
}

#[test]
fn damaged_texts_are_refused_where_the_package_refuses_them() {
    let pieces = [
        "\"", "{", "}", "=", "(", ")", ";", "#", "\\", "/-", "/*", "*/", " ", "\n", "1", "true",
    ];
    for seed in 1..=TEXTS {
        let mut draw = Draw(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        let mut text = String::new();
        draw.node(2, &mut text);
        let at = text.floor_char_boundary(draw.below(text.len() + 1));
        if draw.below(2) == 0 && at < text.len() {
            text.remove(at);
        } else {
            text.insert_str(at, draw.one(&pieces));
        }
        // Of several `/-` behind each other the package takes some and refuses others.
        if text.matches("/-").count() < 2 {
            assert_agree(text);
        }
    }
}
