//! Calls that move numbers, compute or allocate memory, in the order of a stream.

use record::{BufferIndex, StreamIndex};

use crate::fields::{KernelField, NumberField, OptionalField, ResourceField};
use crate::verb::FieldSlot::{At, Chosen, Named, On, Property};
use crate::verb::calls;
use crate::{PipelineIndex, StreamRole};

calls! {
    /// A call that moves numbers, computes or allocates memory, in the order of a stream.
    pub enum DataCall in Data {
        /// Copies a buffer's host copy to the device.
        Upload = "upload", "upload \"x\" on=\"copy\"", "upload {buffer}" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = Chosen(StreamRole::HostToDevice, "upload copies from the host to the device"),
        }
        /// Copies a buffer from the device to its host copy.
        Download = "download", "download \"y\" on=\"copy\"", "download {buffer}" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = Chosen(StreamRole::DeviceToHost, "download copies from the device to the host"),
        }
        /// Copies one device buffer to another of the same length.
        Copy = "copy", "copy \"x[i]\" \"y\" on=\"copy\"", "copy {from} to {to}" {
            /// The buffer that is read.
            from: ResourceField<BufferIndex> = At(0),
            /// The buffer that is written.
            to: ResourceField<BufferIndex> = At(1),
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = Chosen(StreamRole::DeviceToDevice, "copy moves within the device"),
        }
        /// Fills a device buffer with one value.
        Fill = "fill", "fill \"y\" value=0 on=\"compute\"", "fill {buffer}" {
            /// The value of every element.
            value: NumberField<f32> = Property("value"),
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = Chosen(StreamRole::Compute, "fill computes"),
        }
        /// Runs a kernel of the library.
        Launch = "launch", "launch \"saxpy\" on=\"compute\" { read \"x\"; write \"y\"; set \"a\" 2 }", "launch {kernel}", block May {
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = Chosen(StreamRole::Compute, "launch runs a kernel"),
            /// The pipeline that it waits for; without one, the device has its kernels ready.
            pipeline: OptionalField<ResourceField<PipelineIndex>> = Property("pipeline"),
            /// The kernel and what it is called with.
            kernel: KernelField = At(0),
        }
        /// Allocates the memory of a buffer with `memory="stream-ordered"` (rule A33). In a capture it becomes a node.
        Allocate = "allocate", "allocate \"x\" on=\"compute\"", "allocate {buffer}" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Frees the memory of such a buffer (rule A34). In a capture it becomes a node, after all who may use the memory.
        Free = "free", "free \"x\" on=\"compute\"", "free {buffer}" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
    }
}
