//! What is open on a device for one run: a context, and everything in it. Opened anew after a loss, it is another one.

use record::BufferIndex;
use std::sync::{Arc, Mutex};

use super::clock::Clock;
use super::code::Code;
use super::context::{self, Context};
use super::cupti::{Activity, activity};
use super::driver::Driver;
use super::event::Events;
use super::graph::Graphs;
use super::host::{Pages, Pinned};
use super::kernels::Kernels;
use super::lane::Lane;
use super::memory::{self, Buffer};
use super::stream::Stream;
use crate::{Error, EventLayout, Layout};
use device::lock;
use workload::StreamTraits;

/// What is open on a device for one run.
pub struct Body {
    /// The streams.
    pub lanes: Vec<Lane>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The kernels.
    pub kernels: Kernels,
    /// Graphs that were made ready.
    pub graphs: Graphs,
    /// The device's clock.
    pub clock: Clock,
    /// Events that keep times, to use again.
    pub events: Arc<Events>,
    /// Events that keep none, to use again.
    pub ends: Arc<Events>,
    /// What tells when operations ran; nothing where timing events do.
    pub activity: Option<&'static Activity>,
    /// A stream for what belongs to no stream of the run.
    pub aside: Mutex<Stream>,
    /// The context.
    pub context: Arc<Context>,
}

/// What is asked of a device when it is opened.
pub struct Wanted<'a> {
    /// The device's position.
    pub ordinal: usize,
    /// What code is compiled for.
    pub architecture: &'a str,
    /// The resources.
    pub layout: &'a Layout,
    /// The copies on the host.
    pub hosts: &'a [Arc<Pages>],
}

impl Body {
    /// Opens it. Buffers on the device begin as their copies on the host are.
    ///
    /// # Errors
    /// What the driver says, or that this process had a fault before.
    pub fn open(driver: &'static Driver, wanted: &Wanted<'_>) -> Result<Self, Error> {
        if let Some(fault) = context::broken() {
            return Err(Error::Refused(format!(
                "the driver runs nothing more in this process, because of {fault}: only a new process does"
            )));
        }
        let said = |code: Code| Error::Refused(code.to_string());
        let context = Arc::new(Context::new(driver, wanted.ordinal).map_err(said)?);
        let buffers = memory::buffers(&context, wanted.hosts)?;
        let body = Self::fill(&context, buffers, wanted).map_err(said)?;
        body.restore().map_err(said)?;
        Ok(body)
    }

    fn fill(
        context: &Arc<Context>,
        buffers: Vec<Buffer>,
        wanted: &Wanted<'_>,
    ) -> Result<Self, Code> {
        let events = Events::new(context, EventLayout::default());
        let untimed = EventLayout {
            timing: false,
            ..EventLayout::default()
        };
        let own = || Stream::new(context, StreamTraits::default(), 0);
        let lanes = wanted.layout.streams.iter();
        let lanes = lanes.map(|layout| Lane::new(context, layout));
        let kernels = Kernels::new(context, wanted.architecture.to_owned());
        kernels.warm()?;
        Ok(Self {
            lanes: lanes.collect::<Result<_, _>>()?,
            buffers,
            kernels,
            graphs: Graphs::default(),
            clock: Clock::new(own()?, &events)?,
            events,
            ends: Events::new(context, untimed),
            activity: activity().ok(),
            aside: Mutex::new(own()?),
            context: Arc::clone(context),
        })
    }

    /// Gives every buffer on the device the numbers of its copy on the host.
    fn restore(&self) -> Result<(), Code> {
        let stream = lock(&self.aside);
        for buffer in &self.buffers {
            stream.upload(buffer.pointer(), &buffer.host, buffer.len())?;
        }
        stream.synchronize()
    }

    /// The numbers of a buffer on the device, where it still answers.
    pub fn read(&self, index: BufferIndex) -> Option<Vec<f32>> {
        let buffer = self.buffers.get(index.index())?;
        let pages = Arc::new(Pages::zeros(buffer.len())?);
        let landing = Pinned::new(&self.context, &pages).ok()?;
        let stream = lock(&self.aside);
        let copied = stream.download(&landing, buffer.pointer(), buffer.len());
        copied.and_then(|()| stream.synchronize()).ok()?;
        Some(pages.to_vec())
    }
}
