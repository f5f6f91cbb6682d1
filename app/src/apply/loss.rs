//! Actions that lose devices, arm losses for the next runs, and recover.

use engine::time::Nanos;
use engine::workload::{Injection, LossMoment};

use crate::action::{Action, AppRequest};
use crate::state::AppState;

/// Losses that can be armed at once.
const MOST: usize = 32;

/// Applies the actions that are about losses.
///
/// # Errors
/// Gives back an action that is about something else.
pub fn apply(state: &mut AppState, action: Action) -> Result<Option<AppRequest>, Action> {
    match action {
        Action::Lose(moment) => return Ok(lose(state, moment)),
        Action::LoseBy(by) => state.loss.by = by,
        Action::Hurt(fault) => return Ok(Some(AppRequest::Hurt(fault))),
        Action::SetRecovery(recovery) => state.loss.recovery = recovery,
        Action::Recover(recovery) => return Ok(Some(AppRequest::Recover(recovery))),
        Action::MoveLoss(at, time) => {
            if let Some(injection) = armed(state).get_mut(at) {
                injection.at = LossMoment::Time(time.max(Nanos::ZERO));
            }
        }
        Action::Disarm(at) => {
            let armed = armed(state);
            if at < armed.len() {
                armed.remove(at);
            }
        }
        other => return Err(other),
    }
    Ok(None)
}

/// The losses that wait for the chosen workload's next run.
fn armed(state: &mut AppState) -> &mut Vec<Injection> {
    let chosen = state.documents.text();
    let name = chosen.map_or_else(String::new, |text| text.name.clone());
    state.loss.armed.entry(name).or_default()
}

/// Loses the device now, or arms the loss; one that waits for something else than a time is sent to the run under way
/// too.
pub fn lose(state: &mut AppState, moment: LossMoment) -> Option<AppRequest> {
    let injection = Injection {
        by: state.loss.by,
        at: moment,
    };
    if injection.at == LossMoment::Now {
        return Some(AppRequest::Lose(injection));
    }
    let armed = armed(state);
    if !armed.contains(&injection) && armed.len() < MOST {
        armed.push(injection.clone());
    }
    let is_time = matches!(injection.at, LossMoment::Time(_));
    (!is_time).then_some(AppRequest::Lose(injection))
}
