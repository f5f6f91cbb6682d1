//! Calls that concern recorded launches and graphs: what is made once and launched many times.

use record::StreamIndex;

use crate::fields::{
    ArgumentNameField, ArgumentValueField, ArgumentValuesField, DefaultField, KernelField,
    NumberField, ResourceField, WordField,
};
use crate::verb::FieldSlot::{At, AtOr, Block, Named, On, Property};
use crate::verb::calls;
use crate::{CaptureMode, GraphIndex, RecordedIndex};

calls! {
    /// A call that concerns a recorded launch or a graph.
    pub enum LaunchCall in Launch {
        /// Records a kernel call without running it (Warp's `record_cmd`).
        Record = "record-launch", "record-launch \"step\" \"saxpy\" { read \"x\"; write \"y\"; set \"a\" 2 }", "record-launch {launch}", block May {
            /// What it is recorded as.
            launch: ResourceField<RecordedIndex> = At(0),
            /// The kernel and what it is called with.
            kernel: KernelField = At(1),
        }
        /// Sets one argument of a recorded launch (Warp's `set_param_by_name`, `set_param_at_index`).
        Set = "set", "set \"step\" \"a\" 3.0", "set {launch} {argument}" {
            /// The launch.
            launch: ResourceField<RecordedIndex> = At(0),
            /// Which argument.
            argument: ArgumentNameField = At(1),
            /// Its value from now on.
            value: ArgumentValueField = AtOr(2, "buffer"),
        }
        /// Sets the first arguments of a recorded launch (Warp's `set_params`).
        SetAll = "set-all", "set-all \"step\" { buffer \"x\"; buffer \"y\"; number 3.0 }", "set-all {launch}", block Must {
            /// The launch.
            launch: ResourceField<RecordedIndex> = Named,
            /// Their values from now on.
            values: ArgumentValuesField = Block,
        }
        /// Sets how many elements a recorded launch treats (Warp's `set_dim`).
        SetDimensions = "set-dimensions", "set-dimensions \"step\" 512", "set-dimensions {launch}" {
            /// The launch.
            launch: ResourceField<RecordedIndex> = At(0),
            /// How many; what is no count is refused when it is set.
            elements: NumberField<f64> = At(1),
        }
        /// Launches what was recorded, in stream order (Warp's `Launch.launch`).
        Relaunch = "relaunch", "relaunch \"step\" on=\"compute\"", "relaunch {launch}" {
            /// The launch.
            launch: ResourceField<RecordedIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// From here on what a stream is given is captured and not run (`cuStreamBeginCapture`).
        BeginCapture = "begin-capture", "begin-capture \"compute\" mode=\"global\"", "begin-capture {stream}" {
            /// Whose unsafe calls are forbidden meanwhile (rule A41).
            mode: DefaultField<WordField<CaptureMode>> = Property("mode"),
            /// The stream.
            stream: ResourceField<StreamIndex> = Named,
        }
        /// Ends the capture that began on a stream, and keeps its graph (`cuStreamEndCapture`).
        EndCapture = "end-capture", "end-capture \"compute\" \"step\"", "end-capture {graph}" {
            /// The stream.
            stream: ResourceField<StreamIndex> = At(0),
            /// What the graph is kept as.
            graph: ResourceField<GraphIndex> = At(1),
        }
        /// Makes a graph ready to be replayed (`cuGraphInstantiate`).
        Instantiate = "instantiate", "instantiate \"step\"", "instantiate {graph}" {
            /// The graph.
            graph: ResourceField<GraphIndex> = Named,
        }
        /// Gives a graph that is ready the nodes that were captured since (`cuGraphExecUpdate`).
        Update = "update", "update \"step\"", "update {graph}" {
            /// The graph.
            graph: ResourceField<GraphIndex> = Named,
        }
        /// Runs a graph that is ready as one operation of a stream (`cuGraphLaunch`).
        Replay = "replay", "replay \"step\" on=\"compute\"", "replay {graph}" {
            /// The graph.
            graph: ResourceField<GraphIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
    }
}
