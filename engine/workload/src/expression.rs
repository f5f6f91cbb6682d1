//! Arithmetic over parameters, loop indices and element numbers: compiled once, evaluated a million times.

mod parse;

pub(super) use parse::parse;

/// The most operands that wait for an operator at once; the parser refuses what needs more.
pub(super) const DEPTH: usize = 32;

/// How many elements are computed together, so that the cost of an operator is shared.
const BLOCK: usize = 32;

/// An arithmetic expression. A bound one, as plans hold it, has at most one variable: the element number `k`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Postfix; constant parts are folded, so a constant is exactly one number.
    steps: Vec<ExpressionStep>,
}

/// One step of the postfix form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExpressionStep {
    Number(f64),
    Variable(usize),
    One(UnaryOperator),
    Two(BinaryOperator),
}

/// Operators and functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOperator {
    Negate,
    Floor,
    Absolute,
    SquareRoot,
}

/// Operators and functions of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Minimum,
    Maximum,
}

impl UnaryOperator {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Floor => x.floor(),
            Self::Absolute => x.abs(),
            Self::SquareRoot => x.sqrt(),
        }
    }
}

impl BinaryOperator {
    fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Add => x + y,
            Self::Subtract => x - y,
            Self::Multiply => x * y,
            Self::Divide => x / y,
            // The sign of the divisor, so that `(i - 1) % 4` is an index for every `i`.
            Self::Remainder => x - y * (x / y).floor(),
            Self::Minimum => x.min(y),
            Self::Maximum => x.max(y),
        }
    }
}

impl Default for Expression {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl Expression {
    /// The expression that is always `value`.
    pub fn constant(value: f64) -> Self {
        Self {
            steps: vec![ExpressionStep::Number(value)],
        }
    }

    pub(super) fn new() -> Self {
        Self { steps: Vec::new() }
    }

    /// Appends one step and folds it with the numbers before it.
    pub(super) fn push(&mut self, step: ExpressionStep) {
        let folded = match (step, self.steps.as_slice()) {
            (ExpressionStep::One(one), [.., ExpressionStep::Number(x)]) => Some((1, one.of(*x))),
            (
                ExpressionStep::Two(two),
                [.., ExpressionStep::Number(x), ExpressionStep::Number(y)],
            ) => Some((2, two.of(*x, *y))),
            _ => None,
        };
        match folded {
            Some((operands, value)) => {
                self.steps.truncate(self.steps.len() - operands);
                self.steps.push(ExpressionStep::Number(value));
            }
            None => self.steps.push(step),
        }
    }

    /// How many steps it has.
    pub(super) const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Its value where it depends on nothing.
    pub fn as_constant(&self) -> Option<f64> {
        match self.steps.as_slice() {
            [ExpressionStep::Number(value)] => Some(*value),
            _ => None,
        }
    }

    /// Its value at element number `k`.
    pub fn at(&self, k: usize) -> f64 {
        self.evaluate(&[k as f64])
    }

    /// Its values at the element numbers `first`, `first + 1`, …, one for each place of `values`.
    pub fn fill(&self, first: usize, values: &mut [f64]) {
        let mut stack = [[0.0; BLOCK]; DEPTH];
        for (block, chunk) in values.chunks_mut(BLOCK).enumerate() {
            let start = first + block * BLOCK;
            let top = self.block(start, &mut stack);
            for (value, x) in chunk.iter_mut().zip(top) {
                *value = *x;
            }
        }
    }

    fn block<'a>(&self, start: usize, stack: &'a mut [[f64; BLOCK]; DEPTH]) -> &'a [f64; BLOCK] {
        let mut len = 0;
        for step in &self.steps {
            let (below, above) = stack.split_at_mut(len);
            match *step {
                ExpressionStep::Number(value) => {
                    if let Some(top) = above.first_mut() {
                        *top = [value; BLOCK];
                    }
                    len += 1;
                }
                ExpressionStep::Variable(_) => {
                    if let Some(top) = above.first_mut() {
                        for (offset, x) in top.iter_mut().enumerate() {
                            *x = (start + offset) as f64;
                        }
                    }
                    len += 1;
                }
                ExpressionStep::One(one) => {
                    if let Some(top) = below.last_mut() {
                        for x in top {
                            *x = one.of(*x);
                        }
                    }
                }
                ExpressionStep::Two(two) => {
                    if let [.., left, right] = below {
                        for (x, y) in left.iter_mut().zip(right) {
                            *x = two.of(*x, *y);
                        }
                    }
                    len -= 1;
                }
            }
        }
        let [bottom, ..] = stack;
        bottom
    }

    /// Its value where variable number `v` is `variables[v]`; a variable that is not given is 0.
    pub(super) fn evaluate(&self, variables: &[f64]) -> f64 {
        if let [ExpressionStep::Number(value)] = self.steps.as_slice() {
            return *value;
        }
        let mut stack = [0.0; DEPTH];
        let mut len: usize = 0;
        for step in &self.steps {
            let (below, above) = stack.split_at_mut(len);
            match *step {
                ExpressionStep::Number(value) => {
                    if let Some(top) = above.first_mut() {
                        *top = value;
                    }
                    len += 1;
                }
                ExpressionStep::Variable(v) => {
                    if let Some(top) = above.first_mut() {
                        *top = variables.get(v).copied().unwrap_or_default();
                    }
                    len += 1;
                }
                ExpressionStep::One(one) => {
                    if let Some(top) = below.last_mut() {
                        *top = one.of(*top);
                    }
                }
                ExpressionStep::Two(two) => {
                    if let [.., left, right] = below {
                        *left = two.of(*left, *right);
                    }
                    len -= 1;
                }
            }
        }
        let [bottom, ..] = stack;
        bottom
    }

    /// The same with the first variables replaced by `values`; the variables after them are numbered from 0.
    pub(super) fn bind(&self, values: &[f64]) -> Self {
        let mut bound = Self::new();
        for step in &self.steps {
            bound.push(match *step {
                ExpressionStep::Variable(v) => match values.get(v) {
                    Some(value) => ExpressionStep::Number(*value),
                    None => ExpressionStep::Variable(v - values.len()),
                },
                other => other,
            });
        }
        bound
    }

    /// Whether it depends on variable number `v`.
    pub(super) fn mentions(&self, v: usize) -> bool {
        self.steps.contains(&ExpressionStep::Variable(v))
    }

    /// The most operands that wait at once while it is evaluated.
    pub(super) fn depth(&self) -> usize {
        let (mut len, mut most) = (0_usize, 0);
        for step in &self.steps {
            match step {
                ExpressionStep::Number(_) | ExpressionStep::Variable(_) => len += 1,
                ExpressionStep::One(_) => {}
                ExpressionStep::Two(_) => len = len.saturating_sub(1),
            }
            most = most.max(len);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(text: &str) -> Expression {
        parse(text, &["n", "k"]).unwrap()
    }

    #[test]
    fn precedence_and_folding() {
        for (text, value) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 * -3", 6.0),
            ("7 % 4 + 10 / 4", 5.5),
            ("-1 % 4", 3.0),
            ("min(3, 2) + max(1, 5)", 7.0),
            ("floor(7/2) + abs(-1) + sqrt(16)", 8.0),
            ("1e3 - 2.5", 997.5),
            ("8 - 3 - 2", 3.0),
            ("1_000", 1000.0),
        ] {
            assert_eq!(compiled(text).as_constant(), Some(value), "{text}");
        }
    }

    #[test]
    fn blocks_agree_with_single_elements() {
        let whole = compiled("(k * 3 + n) % 17 - max(k, 5) / 2");
        let bound = whole.bind(&[4.0]);
        let mut values = vec![0.0; 300];
        bound.fill(7, &mut values);
        for (offset, value) in values.iter().enumerate() {
            let k = 7 + offset;
            assert_eq!(*value, bound.at(k));
            assert_eq!(*value, whole.evaluate(&[4.0, k as f64]));
        }
    }

    #[test]
    fn binding_all_leaves_a_number() {
        assert_eq!(
            compiled("n * 2 + k").bind(&[3.0, 1.0]).as_constant(),
            Some(7.0)
        );
    }
}
