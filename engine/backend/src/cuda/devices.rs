//! The devices that the driver finds, and what each can do.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ffi::CStr;
use std::fmt::Write as _;
use std::sync::OnceLock;

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::code::DriverErrorCode;
use super::cupti::activity;
use super::driver::{Driver, driver, in_words, is_installed};
use super::faults::LOSSES;
use super::nvrtc::nvrtc;
use crate::{BackendError, Caps, DeviceLimits, ProbedDevice, pick};
use record::CompileTime;

/// Operations that a device runs at the same time, at most: kernels that are resident.
const WIDTH: usize = 128;
/// The oldest architecture that the carried code runs on.
const OLDEST: (i32, i32) = (5, 2);

/// A device that was chosen.
pub struct ChosenDevice {
    /// The driver.
    pub driver: &'static Driver,
    /// Its position.
    pub ordinal: usize,
    /// What it is.
    pub found: ProbedDevice,
    /// What code is compiled for.
    pub architecture: String,
}

/// Asks a process of its own for the devices of the backend with this name.
type DeviceProbe = fn(&str) -> Result<Vec<ProbedDevice>, BackendError>;

static LOOK: OnceLock<DeviceProbe> = OnceLock::new();

/// From now on, another process is asked for devices: the driver is never initialised in this one. The first call counts.
pub fn look_apart(look: DeviceProbe) {
    let _ = LOOK.set(look);
}

/// Every device, by whoever is to look.
///
/// # Errors
/// Why there is none, in words for the user.
pub fn look() -> Result<Vec<ProbedDevice>, BackendError> {
    match LOOK.get() {
        Some(look) => {
            // Where nothing is installed, that is known without a process.
            is_installed().map_err(BackendError::Absent)?;
            look("cuda")
        }
        None => found(),
    }
}

/// Every device.
///
/// # Errors
/// Why there is none, in words for the user.
pub fn found() -> Result<Vec<ProbedDevice>, BackendError> {
    let driver = driver().map_err(BackendError::Absent)?;
    let count = count(driver).map_err(|code| BackendError::Absent(code.to_string()))?;
    let all = (0..count).map(|ordinal| describe(driver, ordinal as i32));
    let all: Result<Vec<ProbedDevice>, DriverErrorCode> = all.collect();
    let all =
        all.map_err(|code| BackendError::Absent(format!("a device does not answer: {code}")))?;
    if all.is_empty() {
        return Err(BackendError::Absent(
            "the driver finds no device".to_owned(),
        ));
    }
    Ok(all)
}

/// The device that `selector` names.
///
/// # Errors
/// There is none, or it is too old.
pub fn choose(selector: &str) -> Result<ChosenDevice, BackendError> {
    let all = found()?;
    let ordinal = pick(&all, selector)?;
    let driver = driver().map_err(BackendError::Absent)?;
    let found = all.into_iter().nth(ordinal);
    let found =
        found.ok_or_else(|| BackendError::Absent("the driver finds no device".to_owned()))?;
    let version = capability(driver, ordinal as i32);
    let (major, minor) = version.map_err(|code| BackendError::Refused(code.to_string()))?;
    if (major, minor) < OLDEST {
        return Err(BackendError::Refused(format!(
            "{} is of compute capability {major}.{minor}, and kernels are made for 5.2 and newer",
            found.name
        )));
    }
    Ok(ChosenDevice {
        driver,
        ordinal,
        found,
        architecture: format!("compute_{major}{minor}"),
    })
}

fn count(driver: &Driver) -> Result<usize, DriverErrorCode> {
    let mut count = 0;
    // SAFETY: the driver is initialised, and writes one number.
    driver.check(unsafe { (driver.functions.device_count)(&raw mut count) })?;
    Ok(count.max(0) as usize)
}

fn attribute(driver: &Driver, device: i32, attribute: Attribute) -> Result<i32, DriverErrorCode> {
    let mut value = 0;
    // SAFETY: the driver is initialised, and writes one number.
    let read =
        unsafe { (driver.functions.device_attribute)(&raw mut value, attribute as i32, device) };
    driver.check(read).map(|()| value)
}

fn capability(driver: &Driver, device: i32) -> Result<(i32, i32), DriverErrorCode> {
    let of = |it| attribute(driver, device, it);
    Ok((
        of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

fn name(driver: &Driver, device: i32) -> Result<String, DriverErrorCode> {
    let mut bytes = [0_u8; 256];
    // SAFETY: the driver writes at most as many bytes, the last of them a zero.
    let read = unsafe {
        let len = bytes.len() as i32 - 1;
        (driver.functions.device_name)(bytes.as_mut_ptr().cast(), len, device)
    };
    driver.check(read)?;
    let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}

/// What times come from, and what that costs or why it is not the other.
fn clock() -> String {
    match activity() {
        Ok(activity) if activity.names_nodes() => activity.about(),
        Ok(activity) => format!(
            "{}, and timing events around graphs and in them, since this version does not say which node is which",
            activity.about()
        ),
        Err(reason) => format!(
            "timing events around every operation, which cost it two records of an event each, since CUPTI cannot be had: \
             {reason}"
        ),
    }
}

fn describe(driver: &Driver, ordinal: i32) -> Result<ProbedDevice, DriverErrorCode> {
    let mut device = 0;
    // SAFETY: the driver is initialised, and writes one number.
    driver.check(unsafe { (driver.functions.device)(&raw mut device, ordinal) })?;
    let mut memory = 0;
    // SAFETY: the same.
    driver.check(unsafe { (driver.functions.device_memory)(&raw mut memory, device) })?;
    let of = |it| attribute(driver, device, it);
    let (major, minor) = capability(driver, device)?;
    let processors = of(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let engines = of(Attribute::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)?;
    let side = |it| of(it).map(|value| value.max(0) as u32);
    let limits = DeviceLimits {
        buffer_bytes: memory as u64,
        workgroup_invocations: side(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        workgroup_size: [
            side(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            side(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            side(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
    };
    let mut detail = format!(
        "compute capability {major}.{minor}, {processors} multiprocessors, {engines} copy engines, driver for CUDA {}; ",
        in_words(driver.version)
    );
    let compiler = match nvrtc() {
        Ok(nvrtc) => {
            let (major, minor) = nvrtc.version;
            format!("NVRTC {major}.{minor} compiles kernels")
        }
        Err(reason) => reason,
    };
    let clock = clock();
    let _ = write!(detail, "{compiler}; times from {clock}");
    if driver.is_stand_in {
        detail.insert_str(0, "the tests' stand-in for the driver, no GPU: ");
    }
    Ok(ProbedDevice {
        name: name(driver, device)?,
        caps: Caps {
            paced: None,
            overlap: true,
            queue: false,
            priorities: true,
            deterministic: false,
            software: driver.is_stand_in,
            width: WIDTH,
            clock: clock.into(),
            pipelines: if nvrtc().is_ok() {
                CompileTime::Creation
            } else {
                CompileTime::Never
            },
            losses: LOSSES.into(),
            graphs: true,
            limits,
            detail,
        },
    })
}
