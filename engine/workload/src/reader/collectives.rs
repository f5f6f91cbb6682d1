//! Reads calls that ranks make together.

use kdl::KdlNode;

use super::entries::property;
use super::{Reader, word_range};
use crate::Reduction;
use crate::collective_act::{CollectiveAct, What};
use crate::program::Class;

impl Reader<'_> {
    /// A call that ranks make together; nothing where the verb is another's, and a failure where it is wrong.
    #[expect(
        clippy::option_option,
        reason = "whether it is ours, and then whether it is right"
    )]
    pub(super) fn collective_act(
        &mut self,
        verb: &str,
        node: &KdlNode,
    ) -> Option<Option<CollectiveAct>> {
        let known = [
            "all-reduce",
            "all-gather",
            "reduce-scatter",
            "broadcast",
            "send",
            "receive",
            "rank-barrier",
        ];
        known.contains(&verb).then(|| self.collective(verb, node))
    }

    fn collective(&mut self, verb: &str, node: &KdlNode) -> Option<CollectiveAct> {
        if !self.names.has_ranks {
            let message = format!("{verb} is for ranks, and this workload has no placement");
            let help = "write at the top: placement ranks=4; streams are held together by barrier";
            self.report(word_range(node), message, help);
        }
        let on = self.on(node);
        let what = self.what(verb, node);
        Some(CollectiveAct {
            what: what?,
            on: on?,
        })
    }

    fn what(&mut self, verb: &str, node: &KdlNode) -> Option<What> {
        let by = match property(node, "by") {
            Some(entry) => self.one_of(entry, "reduction", Reduction::LABELS)?,
            None => Reduction::default(),
        };
        Some(match verb {
            "all-reduce" => What::AllReduce(self.named(Class::Buffer, node)?, by),
            "broadcast" => {
                let root = self.rank_of(node, "root");
                What::Broadcast(self.named(Class::Buffer, node)?, root?)
            }
            "send" => {
                let to = self.rank_of(node, "to");
                What::Send(self.named(Class::Buffer, node)?, to?)
            }
            "receive" => {
                let from = self.rank_of(node, "from");
                What::Receive(self.named(Class::Buffer, node)?, from?)
            }
            "rank-barrier" => What::Barrier,
            _ => {
                let mut buffer = |place| {
                    self.argument(node, place)
                        .and_then(|entry| self.reference(Class::Buffer, entry, None))
                };
                let (from, to) = (buffer(0), buffer(1));
                match verb {
                    "all-gather" => What::AllGather(from?, to?),
                    _ => What::ReduceScatter(from?, to?, by),
                }
            }
        })
    }
}
