//! One device of wgpu's, from its opening to its loss, with everything that wgpu must be kept from.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ::wgpu::{
    Adapter, CommandBuffer, Device, DeviceDescriptor, Features, PollType, Queue, SubmissionIndex,
};

#[cfg(not(target_vendor = "apple"))]
use super::loss_hook::{self, LossHook};
use super::panic_guard::guarded;
use super::ready_future::ready;
use crate::BackendError;
use crate::threads::{ExecutionError, LossOutcome};
use device::lock;
use record::LossKind;

/// How long a poll may keep what others need.
const POLL: Duration = Duration::from_micros(100);

/// One device of wgpu's.
///
/// Only one thread at a time submits, polls, looks at mapped memory or loses the device. wgpu frees mapped memory in
/// the first poll after a loss, whoever looks at it; and a poll that waits takes it for a fault of wgpu's own, and
/// panics, where another thread's poll or submission empties the queue meanwhile.
pub struct WgpuDevice {
    /// The device.
    pub device: Device,
    /// Its queue.
    pub queue: Queue,
    gate: Mutex<()>,
    /// How many wait at the gate for something other than a poll, which gives way.
    wanting: AtomicUsize,
    is_closed: AtomicBool,
    lost: Arc<Mutex<Option<String>>>,
    /// What wgpu told its lost callback.
    told: Arc<Mutex<Option<LossKind>>>,
    #[cfg(not(target_vendor = "apple"))]
    hook: Option<LossHook>,
}

thread_local! {
    /// The last error of wgpu's on this thread that no scope caught.
    static RAISED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes the last error that wgpu raised on this thread.
pub fn raised() -> Option<String> {
    RAISED.with(|raised| raised.borrow_mut().take())
}

impl WgpuDevice {
    /// Opens a device with all that the adapter has of what is of use here.
    ///
    /// # Errors
    /// The request is refused.
    pub fn open(adapter: &Adapter) -> Result<Self, BackendError> {
        let useful = Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let wanted = DeviceDescriptor {
            label: None,
            required_features: adapter.features() & useful,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        #[cfg(not(target_vendor = "apple"))]
        if let Some((device, queue, hook)) = loss_hook::open(adapter, &wanted) {
            return Ok(Self {
                hook: Some(hook),
                ..Self::around(device, queue)
            });
        }
        let opened = ready(adapter.request_device(&wanted));
        let (device, queue) = opened.map_err(|error| BackendError::Refused(error.to_string()))?;
        Ok(Self::around(device, queue))
    }

    fn around(device: Device, queue: Queue) -> Self {
        let lost = Arc::new(Mutex::new(None));
        let told: Arc<Mutex<Option<LossKind>>> = Arc::default();
        let (text, kind) = (Arc::clone(&lost), Arc::clone(&told));
        // Called with wgpu's locks held: it may leave a message and nothing more.
        device.set_device_lost_callback(move |reason, message| {
            lock(&text).get_or_insert(message);
            lock(&kind).get_or_insert(match reason {
                ::wgpu::DeviceLostReason::Destroyed => LossKind::Destroyed,
                ::wgpu::DeviceLostReason::Unknown => LossKind::Unknown,
            });
        });
        device.on_uncaptured_error(Arc::new(|error: ::wgpu::Error| {
            RAISED.with(|raised| *raised.borrow_mut() = Some(error.to_string()));
        }));
        Self {
            device,
            queue,
            gate: Mutex::new(()),
            wanting: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            lost,
            told,
            #[cfg(not(target_vendor = "apple"))]
            hook: None,
        }
    }

    /// Whether the device was lost on purpose, and takes nothing more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(SeqCst)
    }

    /// Why the device was lost, where it was lost by itself.
    pub fn lost(&self) -> Option<String> {
        if self.is_closed() {
            return None;
        }
        let message = lock(&self.lost).clone()?;
        Some(if message.is_empty() {
            "the driver gave no reason".to_owned()
        } else {
            message
        })
    }

    /// Does what finds a device lost in many ways: as an error of wgpu's, as memory that is not mapped, or as a panic.
    /// Whatever it is, where the device was lost by itself it is that loss.
    ///
    /// # Errors
    /// The loss, or what else went wrong.
    pub fn guard<T>(
        &self,
        act: impl FnOnce() -> Result<T, ExecutionError>,
    ) -> Result<T, ExecutionError> {
        let done = guarded(act).unwrap_or_else(|text| Err(ExecutionError::Failed(text)));
        done.map_err(|fault| self.lost().map_or(fault, ExecutionError::Lost))
    }

    /// Submits work; nothing where the device is closed or lost.
    pub fn submit(&self, commands: CommandBuffer) -> Option<SubmissionIndex> {
        let _gate = self.alone();
        let takes_work = !self.is_closed() && lock(&self.lost).is_none();
        takes_work.then(|| self.queue.submit([commands]))
    }

    /// Lets wgpu answer what is answered, for at most a moment that is waited for `until`.
    pub fn poll(&self, until: Option<SubmissionIndex>) {
        if self.wanting.load(SeqCst) > 0 {
            return std::thread::yield_now();
        }
        let _gate = lock(&self.gate);
        if self.wanting.load(SeqCst) > 0 || self.is_closed() || lock(&self.lost).is_some() {
            return;
        }
        self.poll_inside(until.map_or(PollType::Poll, |index| PollType::Wait {
            submission_index: Some(index),
            timeout: Some(POLL),
        }));
    }

    /// Polls while the gate is held. A loss that the driver reports meanwhile makes wgpu panic.
    pub fn poll_inside(&self, kind: PollType) {
        if let Err(text) = guarded(|| self.device.poll(kind)) {
            lock(&self.lost).get_or_insert(text);
        }
    }

    /// As [`Gpu::poll`], once, also on a device that was lost on purpose: there nothing makes wgpu panic.
    pub fn look(&self) {
        let _gate = self.alone();
        if self.is_closed() || lock(&self.lost).is_none() {
            self.poll_inside(PollType::Poll);
        }
    }

    /// What wgpu told its lost callback, where it has called it.
    pub fn reported_loss(&self) -> Option<LossKind> {
        *lock(&self.told)
    }

    /// The gate for looking at mapped memory; nothing where the device is closed or lost.
    pub fn views(&self) -> Option<MutexGuard<'_, ()>> {
        let gate = self.alone();
        (!self.is_closed() && lock(&self.lost).is_none()).then_some(gate)
    }

    /// The gate for what nobody else may do meanwhile.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        self.wanting.fetch_add(1, SeqCst);
        let gate = lock(&self.gate);
        self.wanting.fetch_sub(1, SeqCst);
        gate
    }

    /// Takes nothing more.
    pub fn close(&self) {
        let _gate = self.alone();
        self.is_closed.store(true, SeqCst);
    }

    /// Loses the device.
    pub fn lose(&self, kind: LossKind) -> LossOutcome {
        let _gate = self.alone();
        self.is_closed.store(true, SeqCst);
        if kind == LossKind::Destroyed {
            self.device.destroy();
            return LossOutcome {
                is_real: true,
                message: String::new(),
                how: "device.destroy() of wgpu; wgpu itself tells its lost callback when the queue is empty",
            };
        }
        #[cfg(not(target_vendor = "apple"))]
        if let Some(hook) = &self.hook {
            let _ = hook.while_armed(|| guarded(|| self.queue.submit([])));
            if let Some(message) = lock(&self.lost).clone() {
                return LossOutcome {
                    is_real: true,
                    message,
                    how: "vkQueueSubmit answered VK_ERROR_DEVICE_LOST, and wgpu took it as from the driver",
                };
            }
        }
        self.device.destroy();
        LossOutcome {
            is_real: false,
            message: String::new(),
            how: "this driver cannot be made to report a loss: the device was destroyed below, and what Syncline shows \
                  is what a driver's loss would come to",
        }
    }
}
