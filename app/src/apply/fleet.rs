//! Actions on the dataset on screen.

use crate::action::{AppRequest, FleetAction, FleetRequest};
use crate::state::{AppState, FleetView};

/// Applies what is wanted of a dataset; what is no matter of the state comes back as a request.
pub fn apply(state: &mut AppState, action: FleetAction) -> Option<AppRequest> {
    let view = &mut state.fleet;
    let request = match action {
        FleetAction::Enter(root) => {
            *view = FleetView {
                root: Some(root),
                ..FleetView::default()
            };
            FleetRequest::Refresh
        }
        FleetAction::ChooseRun(run) => {
            *view = FleetView {
                root: view.root.take(),
                measure: view.measure.clone(),
                run,
                ..FleetView::default()
            };
            FleetRequest::Ask
        }
        FleetAction::ChooseEngine(engine) => {
            state.settings.fleet_engine = engine.to_string();
            FleetRequest::Ask
        }
        FleetAction::Measure(measure) => {
            view.measure = measure;
            return None;
        }
        FleetAction::Select(cell) => {
            view.cell = cell;
            return None;
        }
        FleetAction::Show(rows, columns) => {
            (view.rows, view.columns) = (rows, columns);
            return None;
        }
        FleetAction::Refresh => FleetRequest::Refresh,
        FleetAction::Stop => FleetRequest::Stop,
        FleetAction::OpenCapture(rank, at) => FleetRequest::OpenCapture(rank, at),
        FleetAction::ChooseCaptureFolder => FleetRequest::ChooseCaptureFolder,
        FleetAction::SearchIn(folder) => {
            state.settings.capture_folder = Some(folder);
            FleetRequest::SearchAgain
        }
    };
    state.fleet.is_shown().then_some(AppRequest::Fleet(request))
}

#[cfg(test)]
mod tests {
    use engine::fleet::{FleetEngine, FleetMeasure};

    use super::*;
    use crate::state::{FleetCell, GridRange};

    #[test]
    fn another_run_keeps_what_is_measured_and_forgets_the_cell() {
        let mut state = AppState::default();
        let mut act = |action| apply(&mut state, action);
        assert_eq!(act(FleetAction::Refresh), None);
        let asked = act(FleetAction::Enter("/data".into()));
        assert_eq!(asked, Some(AppRequest::Fleet(FleetRequest::Refresh)));
        act(FleetAction::Measure(FleetMeasure::Idle));
        act(FleetAction::Select(Some(FleetCell { rank: 1, step: 2 })));
        let range = GridRange { first: 1, count: 2 };
        act(FleetAction::Show(Some(range), None));
        let asked = act(FleetAction::ChooseRun("next".to_owned()));
        assert_eq!(asked, Some(AppRequest::Fleet(FleetRequest::Ask)));
        let view = FleetView {
            root: Some("/data".into()),
            run: "next".to_owned(),
            measure: FleetMeasure::Idle,
            ..FleetView::default()
        };
        assert_eq!(state.fleet, view);
    }

    #[test]
    fn the_engine_and_the_folder_of_captures_are_kept() {
        let mut state = AppState::default();
        // Before any dataset is on screen there is nothing to ask.
        let spark = FleetEngine::Spark(Some("local".to_owned()));
        assert_eq!(apply(&mut state, FleetAction::ChooseEngine(spark)), None);
        assert_eq!(state.settings.fleet_engine, "spark=local");
        apply(&mut state, FleetAction::SearchIn("/captures".into()));
        assert_eq!(state.settings.capture_folder, Some("/captures".into()));
    }
}
