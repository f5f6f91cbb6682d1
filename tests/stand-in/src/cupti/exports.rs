//! CUPTI's functions, as they are called by name.

use std::ffi::{c_char, c_void};

use super::strides::stride;
use super::{Complete, Notice, OWN, Request, kinds, lock, mode, write};
use crate::exports::answer;

const OK: i32 = 0;
const INVALID_PARAMETER: i32 = 1;
const NO_MORE: i32 = 12;
const NOT_INITIALIZED: i32 = 15;
const QUEUE_EMPTY: i32 = 18;
const INVALID_KIND: i32 = 21;
const BUSY: i32 = 39;

/// As CUPTI 13.0.85 counts.
const VERSION: u32 = 130_001;

/// Names of functions of the driver, by CUPTI's numbers for them.
const FUNCTIONS: &[(u32, &str)] = &[
    (17, "cuCtxSynchronize\0"),
    (19, "cuModuleLoadData\0"),
    (22, "cuModuleUnload\0"),
    (23, "cuModuleGetFunction\0"),
    (118, "cuEventCreate\0"),
    (119, "cuEventRecord\0"),
    (120, "cuEventQuery\0"),
    (121, "cuEventSynchronize\0"),
    (123, "cuEventElapsedTime\0"),
    (125, "cuStreamQuery\0"),
    (126, "cuStreamSynchronize\0"),
    (220, "cuMemsetD32Async\0"),
    (235, "cuCtxCreate_v2\0"),
    (243, "cuMemAlloc_v2\0"),
    (245, "cuMemFree_v2\0"),
    (277, "cuMemcpyHtoDAsync_v2\0"),
    (279, "cuMemcpyDtoHAsync_v2\0"),
    (281, "cuMemcpyDtoDAsync_v2\0"),
    (295, "cuStreamWaitEvent\0"),
    (302, "cuMemHostUnregister\0"),
    (303, "cuCtxSetCurrent\0"),
    (307, "cuLaunchKernel\0"),
    (322, "cuCtxDestroy_v2\0"),
    (325, "cuEventDestroy_v2\0"),
    (326, "cuStreamDestroy_v2\0"),
    (367, "cuStreamCreateWithPriority\0"),
    (379, "cuMemHostRegister_v2\0"),
    (497, "cuStreamEndCapture\0"),
    (514, "cuGraphLaunch\0"),
    (527, "cuLaunchHostFunc\0"),
    (539, "cuStreamBeginCapture_v2\0"),
    (587, "cuEventRecordWithFlags\0"),
    (598, "cuMemAllocAsync\0"),
    (600, "cuMemFreeAsync\0"),
    (643, "cuGraphInstantiateWithFlags\0"),
    (696, "cuGraphExecUpdate_v2\0"),
];

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetVersion(version: *mut u32) -> i32 {
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(version, VERSION) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityGetNextRecord(
    buffer: *mut u8,
    bytes: usize,
    record: *mut *mut u8,
) -> i32 {
    // SAFETY: the caller gives a buffer of so many bytes, and a place that holds nothing or an address in it.
    unsafe {
        let before = record.read();
        let at = if before.is_null() {
            0
        } else {
            let length = stride(before.cast::<u32>().read_unaligned()).unwrap_or(bytes);
            before.addr() - buffer.addr() + length
        };
        if at + 8 > bytes {
            return NO_MORE;
        }
        let next = buffer.add(at);
        match stride(next.cast::<u32>().read_unaligned()) {
            None => INVALID_KIND,
            Some(length) if at + length > bytes => NO_MORE,
            Some(_) => {
                record.write(next);
                OK
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiSubscribe(
    own: *mut *mut c_void,
    notice: Notice,
    data: *mut c_void,
) -> i32 {
    if mode::is_unfit() {
        return NOT_INITIALIZED;
    }
    let mut cupti = lock();
    if mode::is_busy() || cupti.listener.is_some() {
        return BUSY;
    }
    cupti.listener = Some((notice, data.expose_provenance()));
    cupti.set_zero();
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(own, std::ptr::without_provenance_mut(0x20)) };
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiUnsubscribe(_own: *mut c_void) -> i32 {
    let mut cupti = lock();
    cupti.listener = None;
    cupti.kinds.clear();
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiEnableCallback(enable: u32, _own: *mut c_void, domain: u32, fact: u32) -> i32 {
    let mut cupti = lock();
    if enable == 0 {
        cupti.notices.remove(&(domain, fact));
    } else {
        cupti.notices.insert((domain, fact));
    }
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterTimestampCallback(clock: extern "C" fn() -> u64) -> i32 {
    let mut cupti = lock();
    cupti.clock = Some(clock);
    cupti.set_zero();
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterCallbacks(request: Request, complete: Complete) -> i32 {
    lock().buffers = Some((request, complete));
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnable(kind: u32) -> i32 {
    let mut cupti = lock();
    // What runs on the processor is no kind of the driver's, and markers are not told of here.
    if stride(kind).is_none() || (33..=35).contains(&kind) {
        return INVALID_KIND;
    }
    cupti.kinds.insert(kind);
    if kind == kinds::DEVICE {
        let name = cupti.text("stand-in for tests (no GPU)");
        cupti.push(write::device(name));
    }
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityDisable(kind: u32) -> i32 {
    lock().kinds.remove(&kind);
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityFlushAll(_is_forced: u32) -> i32 {
    crate::state::look();
    let mut cupti = lock();
    let Some((request, complete)) = cupti.buffers else {
        return 7;
    };
    let taken = cupti.take();
    drop(cupti);
    let mut left = taken.iter().peekable();
    while left.peek().is_some() {
        let (mut buffer, mut bytes, mut most) = (std::ptr::null_mut::<u8>(), 0, 0);
        request(&raw mut buffer, &raw mut bytes, &raw mut most);
        let mut used = 0;
        while let Some(next) =
            left.next_if(|next| !buffer.is_null() && used + next.bytes().len() <= bytes)
        {
            // SAFETY: the listener gave so many bytes, and so many of them are left.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    next.bytes().as_ptr(),
                    buffer.add(used),
                    next.bytes().len(),
                );
            }
            used += next.bytes().len();
        }
        if used == 0 {
            lock().dropped += left.count();
            return OK;
        }
        complete(std::ptr::null_mut(), 0, buffer, bytes, used);
    }
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityGetNumDroppedRecords(
    _context: *mut c_void,
    _stream: u32,
    dropped: *mut usize,
) -> i32 {
    let count = std::mem::take(&mut lock().dropped);
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(dropped, count) };
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivitySetAttribute(
    attribute: u32,
    _bytes: *mut usize,
    _value: *mut c_void,
) -> i32 {
    if attribute > 10 {
        INVALID_PARAMETER
    } else {
        OK
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityPushExternalCorrelationId(kind: u32, own: u64) -> i32 {
    OWN.with_borrow_mut(|all| all.push((kind, own)));
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityPopExternalCorrelationId(kind: u32, last: *mut u64) -> i32 {
    let popped = OWN.with_borrow_mut(|all| {
        let place = all.iter().rposition(|(known, _)| *known == kind)?;
        Some(all.remove(place).1)
    });
    let Some(popped) = popped else {
        return QUEUE_EMPTY;
    };
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(last, popped) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetCallbackName(
    domain: u32,
    function: u32,
    name: *mut *const c_char,
) -> i32 {
    let found = FUNCTIONS
        .iter()
        .find(|(known, _)| domain == 1 && *known == function);
    let Some((_, found)) = found else {
        return INVALID_PARAMETER;
    };
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(name, found.as_ptr().cast()) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetGraphNodeId(node: *mut c_void, own: *mut u64) -> i32 {
    if node.is_null() || mode::is_nameless() {
        return INVALID_PARAMETER;
    }
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(own, super::node_id(node.addr())) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiGetStreamId(
    _context: *mut c_void,
    stream: *mut c_void,
    own: *mut u32,
) -> i32 {
    if stream.is_null() {
        return INVALID_PARAMETER;
    }
    // SAFETY: as CUPTI's documentation has it.
    unsafe { answer(own, super::id(stream.addr())) };
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiSetThreadIdType(sort: u32) -> i32 {
    if sort > 1 { INVALID_PARAMETER } else { OK }
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnableDriverApi(function: u32, enable: u8) -> i32 {
    let mut cupti = lock();
    if enable == 0 {
        cupti.silent.insert(function);
    } else {
        cupti.silent.remove(&function);
    }
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnableRuntimeApi(_function: u32, _enable: u8) -> i32 {
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnableAllSyncRecords(_enable: u8) -> i32 {
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnableCudaEventDeviceTimestamps(enable: u8) -> i32 {
    lock().event_times = enable != 0;
    OK
}
