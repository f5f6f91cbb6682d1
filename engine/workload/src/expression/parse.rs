//! Reads an expression's text, and says which characters are wrong and why.

use std::ops::Range;

use super::{BinaryOperator, DEPTH, Expression, ExpressionStep, UnaryOperator};
use crate::error::nearest;

/// Parentheses, signs and functions inside each other, at most.
const NESTING: usize = 32;
/// Characters of one expression, at most.
const LENGTH: usize = 1000;

/// What is wrong with an expression, and at which bytes of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpressionFault {
    pub range: Range<usize>,
    pub message: String,
    pub help: String,
}

/// Functions with their number of operands.
const FUNCTIONS: &[(&str, usize)] = &[
    ("abs", 1),
    ("floor", 1),
    ("max", 2),
    ("min", 2),
    ("sqrt", 1),
];

/// Reads `text`, in which variable number `v` is called `names[v]`.
pub(crate) fn parse(text: &str, names: &[&str]) -> Result<Expression, ExpressionFault> {
    let hyphenated = names.iter().filter(|it| it.contains('-'));
    let mut parser = ExpressionParser {
        text,
        place: 0,
        names,
        longest: hyphenated.map(|it| it.len()).max().unwrap_or(0),
        out: Expression::new(),
        nesting: 0,
    };
    if text.len() > LENGTH {
        return Err(parser.fault(
            0..text.len(),
            "this expression is longer than 1000 characters",
            "split it",
        ));
    }
    parser.sum()?;
    if parser.place < text.len() {
        return Err(parser.unexpected("an operator: + - * / %"));
    }
    if parser.out.depth() > DEPTH {
        return Err(parser.fault(
            0..text.len(),
            "this expression is too deep to evaluate",
            "simplify it",
        ));
    }
    Ok(parser.out)
}

struct ExpressionParser<'a> {
    text: &'a str,
    place: usize,
    names: &'a [&'a str],
    /// Bytes of the longest name that has a hyphen.
    longest: usize,
    out: Expression,
    nesting: usize,
}

impl<'a> ExpressionParser<'a> {
    #[expect(clippy::unused_self, reason = "reads as what the parser reports")]
    fn fault(&self, range: Range<usize>, message: &str, help: &str) -> ExpressionFault {
        ExpressionFault {
            range,
            message: message.into(),
            help: help.into(),
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.place..).unwrap_or_default()
    }

    fn skip(&mut self) {
        self.place += self.rest().len() - self.rest().trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.place += wanted.len_utf8();
        }
        found
    }

    fn unexpected(&mut self, expected: &str) -> ExpressionFault {
        let (range, found) = match self.peek() {
            Some(c) => (self.place..self.place + c.len_utf8(), format!("“{c}”")),
            None => (
                self.text.trim_end().len()..self.text.len().max(1),
                "the end of the expression".into(),
            ),
        };
        self.fault(
            range,
            &format!("{found} stands where {expected} is expected"),
            "",
        )
    }

    fn sum(&mut self) -> Result<(), ExpressionFault> {
        self.nesting += 1;
        if self.nesting > NESTING {
            return Err(self.fault(
                self.place..self.text.len(),
                "this expression is nested too deeply",
                "simplify it",
            ));
        }
        self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => BinaryOperator::Add,
                Some('-') => BinaryOperator::Subtract,
                _ => break,
            };
            self.place += 1;
            self.product()?;
            self.out.push(ExpressionStep::Two(operator));
        }
        self.nesting -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionFault> {
        self.factor()?;
        loop {
            let operator = match self.peek() {
                Some('*') => BinaryOperator::Multiply,
                Some('/') => BinaryOperator::Divide,
                Some('%') => BinaryOperator::Remainder,
                _ => return Ok(()),
            };
            self.place += 1;
            self.factor()?;
            self.out.push(ExpressionStep::Two(operator));
        }
    }

    fn factor(&mut self) -> Result<(), ExpressionFault> {
        let mut negative = false;
        loop {
            match self.peek() {
                Some('-') => negative = !negative,
                Some('+') => {}
                _ => break,
            }
            self.place += 1;
        }
        match self.peek() {
            Some('(') => {
                self.place += 1;
                self.sum()?;
                self.close()?;
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number()?,
            Some(c) if c.is_alphabetic() || c == '_' => self.name()?,
            _ => return Err(self.unexpected("a number, a name or “(”")),
        }
        if negative {
            self.out.push(ExpressionStep::One(UnaryOperator::Negate));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), ExpressionFault> {
        if self.eat(')') {
            Ok(())
        } else {
            Err(self.unexpected("“)”"))
        }
    }

    fn number(&mut self) -> Result<(), ExpressionFault> {
        let rest = self.rest();
        let mut previous = ' ';
        let len = rest
            .find(|c: char| {
                let exponent_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
                previous = c;
                !(c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E') || exponent_sign)
            })
            .unwrap_or(rest.len());
        let digits = rest.get(..len).unwrap_or_default();
        let range = self.place..self.place + len;
        match digits.replace('_', "").parse::<f64>() {
            Ok(value) if value.is_finite() => self.out.push(ExpressionStep::Number(value)),
            _ => {
                let message = format!("“{digits}” is not a number");
                return Err(self.fault(
                    range,
                    &message,
                    "write numbers like 12, 0.5, 1_000 or 1e6",
                ));
            }
        }
        self.place += len;
        Ok(())
    }

    fn name(&mut self) -> Result<(), ExpressionFault> {
        let rest = self.rest();
        let len = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let len = self.longest_known(len);
        let name = rest.get(..len).unwrap_or_default();
        let range = self.place..self.place + len;
        if let Some(variable) = self.names.iter().rposition(|known| *known == name) {
            self.place += len;
            self.out.push(ExpressionStep::Variable(variable));
            return Ok(());
        }
        if let Some((function, operands)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            self.place += len;
            return self.function(function, *operands);
        }
        let known = self
            .names
            .iter()
            .copied()
            .chain(FUNCTIONS.iter().map(|(known, _)| *known));
        let help = nearest(name, known).unwrap_or_else(|| match self.names {
            [] => "only numbers and functions can stand here".into(),
            names => format!("known here: {}", names.join(", ")),
        });
        Err(self.fault(range, &format!("nothing is called “{name}” here"), &help))
    }

    /// How many bytes of the rest are the longest name that is known here, of which the first part has `first`: names may
    /// have hyphens, so that `a-b` is one where there is one of that name, and else a difference.
    fn longest_known(&self, first: usize) -> usize {
        let rest = self.rest();
        let (mut longest, mut len) = (first, first);
        while len < self.longest
            && let Some(after) = rest.get(len..).and_then(|it| it.strip_prefix('-'))
        {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let part = after.find(|c| !is_part(c)).unwrap_or(after.len());
            if part == 0 {
                break;
            }
            len += 1 + part;
            let name = rest.get(..len).unwrap_or_default();
            if self.names.contains(&name) {
                longest = len;
            }
        }
        longest
    }

    fn function(&mut self, name: &str, operands: usize) -> Result<(), ExpressionFault> {
        if !self.eat('(') {
            return Err(self.unexpected("“(”"));
        }
        for operand in 0..operands {
            if operand > 0 && !self.eat(',') {
                return Err(self.unexpected("“,”"));
            }
            self.sum()?;
        }
        self.close()?;
        self.out.push(match name {
            "abs" => ExpressionStep::One(UnaryOperator::Absolute),
            "floor" => ExpressionStep::One(UnaryOperator::Floor),
            "max" => ExpressionStep::Two(BinaryOperator::Maximum),
            "min" => ExpressionStep::Two(BinaryOperator::Minimum),
            _ => ExpressionStep::One(UnaryOperator::SquareRoot),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> ExpressionFault {
        parse(text, &["count", "i"]).unwrap_err()
    }

    #[test]
    fn faults_point_at_the_characters() {
        let unknown = fault("2 * cuont");
        assert_eq!(
            (unknown.range, unknown.help.as_str()),
            (4..9, "did you mean “count”?")
        );
        assert_eq!(
            fault("1 + ").message,
            "the end of the expression stands where a number, a name or “(” is expected"
        );
        assert_eq!(
            fault("(1 + 2").message,
            "the end of the expression stands where “)” is expected"
        );
        assert_eq!(fault("1 2").range, 2..3);
        assert_eq!(fault("max(1)").message, "“)” stands where “,” is expected");
        assert_eq!(fault("1.2.3").range, 0..5);
        assert_eq!(fault("").range, 0..1);
    }

    #[test]
    fn depth_is_bounded() {
        assert!(fault(&"(".repeat(900)).message.contains("nested"));
        assert!(fault(&"1+".repeat(900)).message.contains("longer"));
        let deep = format!("{}1{}", "i+(".repeat(31), ")".repeat(31));
        assert!(parse(&deep, &["count", "i"]).is_ok());
        assert!(
            fault(&"-".repeat(999))
                .message
                .contains("end of the expression")
        );
    }
}
