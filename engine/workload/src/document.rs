//! A workload as a text that people edit: read, planned, and changed without losing a comment.

use std::fmt;
use std::sync::Arc;

use record::PaceSetting;

use super::error::{WorkloadError, WorkloadSource};
use super::template::Template;
use super::{Parameter, Plan, planner, reader};

/// Bytes that a plan's buffers may take in all where no other limit is given: 64 GiB.
const MEMORY: u64 = 64 << 30;

/// A workload file that was read without errors. Shown, it is the text, byte for byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    source: WorkloadSource,
    template: Arc<Template>,
    parameters: Vec<Parameter>,
}

impl Document {
    /// Reads a workload. `name` is what errors call the file.
    ///
    /// # Errors
    /// Everything that is wrong with the text, in the order of the lines.
    pub fn parse(name: &str, source: &str) -> Result<Self, Vec<WorkloadError>> {
        let source = WorkloadSource::new(name, source);
        let template = reader::read(&source)?;
        let parameters = template
            .parameters
            .iter()
            .filter(|found| !found.is_hidden)
            .map(|found| found.parameter.clone())
            .collect();
        Ok(Self {
            source,
            template: Arc::new(template),
            parameters,
        })
    }

    /// Everything that is wrong with a text, as far as its parameters' own values show it; for editors.
    pub fn check(name: &str, source: &str) -> Vec<WorkloadError> {
        Self::parse(name, source)
            .and_then(|document| document.plan(&[]))
            .err()
            .unwrap_or_default()
    }

    /// What errors call the file.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source.text
    }

    /// One or two sentences that say what the workload shows; empty where it says nothing.
    pub fn about(&self) -> &str {
        &self.template.about
    }

    /// The id of the lesson that it is handed in for; empty where it names none.
    pub fn lesson(&self) -> &str {
        &self.template.lesson
    }

    /// The numbers that it can be run with other values of, in the order of the file.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How it sets a paced device; nothing is set where it does not say.
    pub fn pace(&self) -> PaceSetting {
        self.template.pace.unwrap_or_default()
    }

    /// The workload with its parameters filled in: each has its own value, or that of the last override of its name.
    ///
    /// # Errors
    /// An override of an unknown parameter or out of its range; sizes, counts, times or shapes that cannot be; buffers
    /// of more than 64 GiB in all.
    pub fn plan(&self, overrides: &[(String, f64)]) -> Result<Plan, Vec<WorkloadError>> {
        self.plan_within(overrides, MEMORY)
    }

    /// As [`Document::plan`], on a device with `memory` bytes for buffers.
    ///
    /// # Errors
    /// As [`Document::plan`], with `memory` in place of 64 GiB.
    pub fn plan_within(
        &self,
        overrides: &[(String, f64)],
        memory: u64,
    ) -> Result<Plan, Vec<WorkloadError>> {
        planner::plan(&self.source, &self.template, overrides, memory)
    }

    /// Writes another value for a parameter into the text; everything else stays as it is, comments included.
    ///
    /// # Errors
    /// There is no such parameter, or the value is out of its range; the text is unchanged then.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Vec<WorkloadError>> {
        planner::values(&self.source, &self.template, &[(name.to_owned(), value)])?;
        let Some(found) = self
            .template
            .parameters
            .iter()
            .find(|found| !found.is_hidden && found.parameter.name == name)
        else {
            return Ok(());
        };
        let mut text = self.source.text.to_string();
        text.replace_range(found.value.clone(), &written(value));
        *self = Self::parse(&self.source.name, &text)?;
        Ok(())
    }
}

/// A number as KDL writes it: whole ones without a point.
fn written(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source.text)
    }
}
