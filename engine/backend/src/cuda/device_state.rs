//! What is open on a device for one run: a context, and everything in it. Opened anew after a loss, it is another one.

use record::BufferIndex;
use std::sync::{Arc, Mutex};

use super::clock::CudaClock;
use super::code::DriverErrorCode;
use super::context::{self, CudaContext};
use super::cupti::{CuptiSubscription, activity};
use super::driver::Driver;
use super::event::CudaEventPool;
use super::graph::InstantiatedGraphs;
use super::host::{HostPages, PinnedPages};
use super::kernels::LoadedKernels;
use super::memory::{self, CudaBuffer};
use super::stream::CudaStream;
use super::stream_slot::CudaStreamSlot;
use crate::{BackendError, DeviceLayout, EventLayout};
use device::lock;
use workload::StreamTraits;

/// What is open on a device for one run.
pub struct CudaDeviceState {
    /// The streams.
    pub lanes: Vec<CudaStreamSlot>,
    /// The buffers.
    pub buffers: Vec<CudaBuffer>,
    /// The kernels.
    pub kernels: LoadedKernels,
    /// Graphs that were made ready.
    pub graphs: InstantiatedGraphs,
    /// The device's clock.
    pub clock: CudaClock,
    /// Events that keep times, to use again.
    pub events: Arc<CudaEventPool>,
    /// Events that keep none, to use again.
    pub ends: Arc<CudaEventPool>,
    /// What tells when operations ran; nothing where timing events do.
    pub activity: Option<&'static CuptiSubscription>,
    /// A stream for what belongs to no stream of the run.
    pub aside: Mutex<CudaStream>,
    /// The context.
    pub context: Arc<CudaContext>,
}

/// What is asked of a device when it is opened.
pub struct CudaOpenRequest<'a> {
    /// The device's position.
    pub ordinal: usize,
    /// What code is compiled for.
    pub architecture: &'a str,
    /// The resources.
    pub layout: &'a DeviceLayout,
    /// The copies on the host.
    pub hosts: &'a [Arc<HostPages>],
}

impl CudaDeviceState {
    /// Opens it. Buffers on the device begin as their copies on the host are.
    ///
    /// # Errors
    /// What the driver says, or that this process had a fault before.
    pub fn open(
        driver: &'static Driver,
        wanted: &CudaOpenRequest<'_>,
    ) -> Result<Self, BackendError> {
        if let Some(fault) = context::broken() {
            return Err(BackendError::Poisoned(format!(
                "after {fault} the driver runs nothing more in this process, and only a new one can open the device"
            )));
        }
        let said = |code: DriverErrorCode| BackendError::Refused(code.to_string());
        let context = Arc::new(CudaContext::new(driver, wanted.ordinal).map_err(said)?);
        let buffers = memory::buffers(&context, wanted.hosts)?;
        let body = Self::fill(&context, buffers, wanted).map_err(said)?;
        body.restore().map_err(said)?;
        Ok(body)
    }

    fn fill(
        context: &Arc<CudaContext>,
        buffers: Vec<CudaBuffer>,
        wanted: &CudaOpenRequest<'_>,
    ) -> Result<Self, DriverErrorCode> {
        let events = CudaEventPool::new(context, EventLayout::default());
        let untimed = EventLayout {
            timing: false,
            ..EventLayout::default()
        };
        let own = || CudaStream::new(context, StreamTraits::default(), 0);
        let lanes = wanted.layout.streams.iter();
        let lanes = lanes.map(|layout| CudaStreamSlot::new(context, layout));
        let kernels = LoadedKernels::new(context, wanted.architecture.to_owned());
        kernels.warm()?;
        Ok(Self {
            lanes: lanes.collect::<Result<_, _>>()?,
            buffers,
            kernels,
            graphs: InstantiatedGraphs::default(),
            clock: CudaClock::new(own()?, &events)?,
            events,
            ends: CudaEventPool::new(context, untimed),
            activity: activity().ok(),
            aside: Mutex::new(own()?),
            context: Arc::clone(context),
        })
    }

    /// Gives every buffer on the device the numbers of its copy on the host.
    fn restore(&self) -> Result<(), DriverErrorCode> {
        let stream = lock(&self.aside);
        for buffer in &self.buffers {
            stream.upload(buffer.pointer(), &buffer.host, buffer.len())?;
        }
        stream.synchronize()
    }

    /// The numbers of a buffer on the device, where it still answers.
    pub fn read(&self, index: BufferIndex) -> Option<Vec<f32>> {
        let buffer = self.buffers.get(index.index())?;
        let pages = Arc::new(HostPages::zeros(buffer.len())?);
        let landing = PinnedPages::new(&self.context, &pages).ok()?;
        let stream = lock(&self.aside);
        let copied = stream.download(&landing, buffer.pointer(), buffer.len());
        copied.and_then(|()| stream.synchronize()).ok()?;
        Some(pages.to_vec())
    }
}
