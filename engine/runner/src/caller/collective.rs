//! Calls that ranks make together.

use std::sync::Arc;

use super::{Caller, CurrentCall};
use backend::{BackendError, Communicator, Exchange, Operation};
use workload::CollectiveCall;

impl Caller {
    /// Submits this rank's part of a collective operation, and says which one it is.
    pub(super) fn collective(
        &mut self,
        current: &CurrentCall,
        what: CollectiveCall,
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(&self.shared);
        let mesh = shared.mesh.as_ref();
        let number = mesh.map_or(0, |mesh| mesh.number(what));
        let exchange = Exchange {
            what,
            number,
            through: mesh.map(|mesh| Arc::clone(mesh) as Arc<dyn Communicator>),
        };
        let span = self.submit(
            current,
            what.stream(),
            Operation::Collective(Box::new(exchange)),
        )?;
        if let Some(mesh) = mesh.filter(|_| span.is_some()) {
            let part = mesh.part(what, number);
            self.argue(span, "exchange", &part.exchange);
            self.argue(span, "part", part.share);
            self.say_number(span, "parts", i64::from(part.parts));
            self.say_number(span, "rank", i64::from(mesh.seat().rank));
        }
        Ok(())
    }
}
