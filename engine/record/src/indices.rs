//! What a workload declares, by its place in the list of its kind: operations name it by that.

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the plan's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! {
    /// A stream of a workload.
    StreamIndex
    /// An event of a workload.
    EventIndex
    /// A buffer of a workload.
    BufferIndex
    /// A signal of a workload.
    SignalIndex
}
