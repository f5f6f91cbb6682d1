//! The backends and adapters that may be chosen, and what can be done to the device of a run.

use engine::analysis::is_any_lost;
use engine::backend::Caps;
use engine::record::CompileTime;
use engine::record::LossKind;
use engine::runner::Phase;

use super::{AppStatus, Scene};
use crate::state::Settings;

/// The embedded backend, which always works.
const CPU: &str = "cpu";

/// The same that takes its time, which shows overlap on any machine.
const PACED: &str = "paced";

/// The backend of graphics cards whose streams are streams.
const CUDA: &str = "cuda";

/// Why nothing can be lost.
pub const NOTHING_RUNS: &str = "Nothing runs, so there is no device to lose: run a workload, or choose a later moment in the button's menu";

/// Why nothing can be recovered where the run has ended.
const RUN_IS_OVER: &str = "This run went on without its device and has ended, so there is no call left to go on with. Shift+U runs it again \
     from the first call";

/// A backend that may be chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendChoice {
    /// Its name.
    pub name: String,
    /// What its best adapter is called, or why there is none.
    pub detail: String,
    /// Whether it can be used here.
    pub opens: bool,
    /// Its adapters, the best first.
    pub adapters: Vec<AdapterChoice>,
}

/// A device that a backend can open.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterChoice {
    /// What people call it.
    pub name: String,
    /// What it can and cannot do.
    pub caps: Caps,
}

impl AdapterChoice {
    /// What is to be known of it, in a few words.
    pub fn about(&self) -> String {
        let late = self.caps.pipelines == CompileTime::FirstUse;
        let late = late.then_some(CompileTime::FirstUse.about());
        let words = [Some(self.caps.detail.as_str()), late];
        words.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

/// Whether workloads run on a paced device, whose law can be set.
pub fn is_paced(backends: &[BackendChoice], settings: &Settings) -> bool {
    backend(backends, settings) == PACED
}

/// The backend that workloads run on: the chosen one where it is here, and else the best.
pub fn backend<'a>(backends: &'a [BackendChoice], settings: &'a Settings) -> &'a str {
    if backends.is_empty() && !settings.backend.is_empty() {
        return &settings.backend;
    }
    let is_chosen = |it: &&BackendChoice| it.opens && it.name == settings.backend;
    let chosen = backends.iter().find(is_chosen);
    chosen.map_or_else(|| best(backends), |it| it.name.as_str())
}

/// The backend that a first start shows: one whose streams overlap, on any machine. That is CUDA where it is, and else the
/// paced one; wgpu's one queue takes turns.
fn best(backends: &[BackendChoice]) -> &str {
    let mut wanted = [CUDA, PACED].into_iter();
    let opens = |name: &&str| backends.iter().any(|it| it.opens && it.name == **name);
    wanted.find(opens).unwrap_or(CPU)
}

/// The adapter that workloads run on; nothing while the backends are asked.
pub fn adapter<'a>(
    backends: &'a [BackendChoice],
    settings: &Settings,
) -> Option<&'a AdapterChoice> {
    let name = backend(backends, settings);
    let choice = backends.iter().find(|it| it.name == name)?;
    let mut adapters = choice.adapters.iter();
    let chosen = adapters.find(|it| it.name == settings.adapter);
    chosen.or_else(|| choice.adapters.first())
}

impl AppStatus {
    /// The backend that workloads run on: the chosen one where it is here, and else the best.
    pub fn backend<'a>(&'a self, settings: &'a Settings) -> &'a str {
        backend(&self.backends, settings)
    }

    /// The adapter that workloads run on; nothing while the backends are asked.
    pub fn adapter(&self, settings: &Settings) -> Option<&AdapterChoice> {
        adapter(&self.backends, settings)
    }

    /// Why workloads run on the CPU, where that is so because no other device is here.
    pub fn why_cpu(&self, settings: &Settings) -> Option<&str> {
        let others = || {
            let all = self.backends.iter();
            all.filter(|it| it.name != CPU && it.name != PACED)
        };
        let none = self.backend(settings) == CPU && !others().any(|it| it.opens);
        let first = none.then(|| others().next()).flatten();
        first.map(|it| it.detail.as_str())
    }
}

impl Scene<'_> {
    /// Why the device cannot be lost now.
    pub fn why_not_lose(&self) -> Option<&'static str> {
        let runs = matches!(self.status.phase, Phase::Running | Phase::Paused);
        (!runs).then_some(NOTHING_RUNS)
    }

    /// Whether the device of the run on screen is lost and was not opened anew.
    pub fn is_lost(&self) -> bool {
        self.status.is_live && is_any_lost(self.capture)
    }

    /// Why the device cannot be recovered now.
    pub fn why_not_recover(&self) -> Option<&'static str> {
        if !self.is_lost() {
            return Some("No device is lost: there is nothing to recover");
        }
        let runs = matches!(self.status.phase, Phase::Running | Phase::Paused);
        // What died with its process is begun again in another one.
        let mut losses = self.capture.losses().iter();
        let is_gone = losses.any(|loss| loss.kind == LossKind::Process);
        (!runs && !is_gone).then_some(RUN_IS_OVER)
    }
}

#[cfg(test)]
mod tests {
    use engine::backend::BACKENDS;

    use super::*;

    fn choice(name: &str, software: Option<bool>) -> BackendChoice {
        let found = BACKENDS
            .iter()
            .find_map(|backend| backend.probe().ok()?.pop());
        let caps = found.unwrap().caps;
        let adapters = software.map(|software| AdapterChoice {
            name: format!("{name} adapter"),
            caps: Caps { software, ..caps },
        });
        BackendChoice {
            name: name.to_owned(),
            detail: "no driver".to_owned(),
            opens: adapters.is_some(),
            adapters: adapters.into_iter().collect(),
        }
    }

    #[test]
    fn what_overlaps_comes_first_and_one_queue_has_to_be_chosen() {
        let mut status = AppStatus::default();
        let mut settings = Settings::default();
        assert_eq!(status.backend(&settings), "cpu");
        let all = ["cpu", "paced", "wgpu"].map(|name| choice(name, Some(false)));
        status.backends = all.to_vec();
        assert_eq!(status.backend(&settings), "paced");
        assert_eq!(status.adapter(&settings).unwrap().name, "paced adapter");
        status.backends.push(choice("cuda", None));
        assert_eq!(status.backend(&settings), "paced");
        status.backends.push(choice("cuda", Some(false)));
        assert_eq!(status.backend(&settings), "cuda");
        status.backends = vec![choice("cpu", Some(false)), choice("wgpu", Some(true))];
        assert_eq!(status.backend(&settings), "cpu");
        assert_eq!(status.why_cpu(&settings), None);
        settings.backend = "wgpu".to_owned();
        assert_eq!(status.backend(&settings), "wgpu");
    }

    #[test]
    fn without_an_adapter_the_cpu_is_used_and_it_is_known_why() {
        let mut status = AppStatus::default();
        let settings = Settings {
            backend: "wgpu".to_owned(),
            ..Settings::default()
        };
        status.backends = vec![choice("cpu", Some(false)), choice("wgpu", None)];
        assert_eq!(status.backend(&settings), "cpu");
        assert_eq!(status.why_cpu(&settings), Some("no driver"));
    }
}
