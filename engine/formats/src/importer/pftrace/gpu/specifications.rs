//! What a writer says once of its queues, stages, kernels and contexts, and calls by number afterwards.

use std::collections::HashMap;

use crate::perfetto::proto::InternedData;
use crate::perfetto::proto::gpu::{
    API, ComputeArg, ComputeKernel, ComputeValue, GpuSpecification, GraphicsContext,
};
use record::Value;

/// The queues, stages, kernels and contexts of one writer.
#[derive(Default)]
pub(in super::super) struct InternedGpuNames {
    contexts: HashMap<u64, GraphicsContext>,
    specifications: HashMap<u64, GpuSpecification>,
    kernels: HashMap<u64, ComputeKernel>,
    arguments: HashMap<u64, String>,
}

impl InternedGpuNames {
    /// Takes what a packet says for those after it.
    pub fn take(&mut self, data: &mut InternedData) {
        for it in std::mem::take(&mut data.graphics_contexts) {
            self.contexts.insert(it.iid.unwrap_or(0), it);
        }
        for it in std::mem::take(&mut data.gpu_specifications) {
            self.specifications.insert(it.iid.unwrap_or(0), it);
        }
        for it in std::mem::take(&mut data.compute_kernels) {
            self.kernels.insert(it.iid.unwrap_or(0), it);
        }
        for it in std::mem::take(&mut data.compute_arg_names) {
            let name = it.name.unwrap_or_default();
            self.arguments.insert(it.iid.unwrap_or(0), name);
        }
    }

    /// A queue or a stage.
    pub fn specification(&self, iid: Option<u64>) -> Option<&GpuSpecification> {
        self.specifications.get(&iid?)
    }

    /// A kernel.
    pub fn kernel(&self, iid: Option<u64>) -> Option<&ComputeKernel> {
        self.kernels.get(&iid?)
    }

    /// The API of a context, where it is known.
    pub fn api(&self, context: Option<u64>) -> Option<&'static str> {
        let number = self.contexts.get(&context?)?.api?;
        let name = API.get(usize::try_from(number).ok()?)?;
        Some(*name).filter(|name| !name.is_empty())
    }

    /// The name and the value of what is known of a kernel or a launch. `text` gives an interned text.
    pub fn argument(
        &self,
        argument: &ComputeArg,
        text: impl Fn(u64) -> Option<String>,
    ) -> (String, Value) {
        let interned = argument.name_iid.and_then(|iid| self.arguments.get(&iid));
        let name = argument.name.clone().or(interned.cloned());
        let value = match &argument.value {
            Some(ComputeValue::Int(value)) => Value::Integer(*value),
            Some(ComputeValue::Uint(value)) => i64::try_from(*value)
                .map_or_else(|_| Value::Text(value.to_string().into()), Value::Integer),
            Some(ComputeValue::Double(value)) => Value::Number(*value),
            Some(ComputeValue::Text(value)) => Value::Text(value.as_str().into()),
            Some(ComputeValue::TextIid(iid)) => {
                Value::Text(text(*iid).unwrap_or_else(|| "?".to_owned()).into())
            }
            None => Value::Text("".into()),
        };
        (name.unwrap_or_else(|| "?".to_owned()), value)
    }
}
