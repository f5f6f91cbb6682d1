//! CUPTI's functions, each found by name: results are read as numbers, since a newer library has newer ones.
#![expect(
    unsafe_code,
    reason = "CUPTI is a C library: its functions are looked up by name"
)]

use std::ffi::{c_char, c_void};

use libloading::Library;

/// Who listens, as CUPTI names it (`CUpti_SubscriberHandle`).
pub type SubscriberHandle = *mut c_void;
/// Told of what happens in the driver (`CUpti_CallbackFunc`): of which domain, which call or fact, and more of it.
pub type CallbackFunction =
    extern "C" fn(own: *mut c_void, domain: u32, fact: u32, more: *const c_void);
/// Asked for an empty buffer: where it is, how many bytes it has, and how many records it takes at most, 0 for any
/// (`CUpti_BuffersCallbackRequestFunc`).
pub type BufferRequestFunction =
    extern "C" fn(buffer: *mut *mut u8, bytes: *mut usize, records: *mut usize);
/// Given a buffer back: its context, its stream, where it is, its bytes, and how many of them are records
/// (`CUpti_BuffersCallbackCompleteFunc`).
pub type BufferCompleteFunction =
    extern "C" fn(context: *mut c_void, stream: u32, buffer: *mut u8, bytes: usize, valid: usize);
/// Asked for the time, in nanoseconds (`CUpti_TimestampCallbackFunc`).
pub type TimestampFunction = extern "C" fn() -> u64;

macro_rules! functions {
    (
        needed { $($field:ident = $symbol:literal ($($argument:ty),*);)* }
        newer { $($other:ident = $name:literal ($($parameter:ty),*);)* }
    ) => {
        /// The functions that are used.
        pub struct CuptiFunctions {
            $(#[doc = concat!("`", $symbol, "`")] pub $field: unsafe extern "C" fn($($argument),*) -> i32,)*
            $(#[doc = concat!("`", $name, "`, where this version has it")]
              pub $other: Option<unsafe extern "C" fn($($parameter),*) -> i32>,)*
        }

        impl CuptiFunctions {
            /// Finds all of them in `library`.
            ///
            /// # Errors
            /// The names of those that every version has and it has not.
            pub fn find(library: &Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the type is the one that CUPTI's documentation gives for this name.
                    let $field = unsafe { library.get(concat!($symbol, "\0").as_bytes()) }.ok();
                    if $field.is_none() {
                        missing.push($symbol);
                    }
                )*
                $(
                    // SAFETY: the same.
                    let $other = unsafe { library.get(concat!($name, "\0").as_bytes()) }.ok().map(|it| *it);
                )*
                let found = (|| Some(Self { $($field: *$field?,)* $($other,)* }))();
                found.ok_or(missing)
            }
        }
    };
}

functions! {
    needed {
        version = "cuptiGetVersion" (*mut u32);
        next_record = "cuptiActivityGetNextRecord" (*mut u8, usize, *mut *mut u8);
        subscribe = "cuptiSubscribe" (*mut SubscriberHandle, CallbackFunction, *mut c_void);
        unsubscribe = "cuptiUnsubscribe" (SubscriberHandle);
        enable_notice = "cuptiEnableCallback" (u32, SubscriberHandle, u32, u32);
        clock = "cuptiActivityRegisterTimestampCallback" (TimestampFunction);
        buffers = "cuptiActivityRegisterCallbacks" (BufferRequestFunction, BufferCompleteFunction);
        enable = "cuptiActivityEnable" (u32);
        flush = "cuptiActivityFlushAll" (u32);
        dropped = "cuptiActivityGetNumDroppedRecords" (*mut c_void, u32, *mut usize);
        set_attribute = "cuptiActivitySetAttribute" (u32, *mut usize, *mut c_void);
        push = "cuptiActivityPushExternalCorrelationId" (u32, u64);
        pop = "cuptiActivityPopExternalCorrelationId" (u32, *mut u64);
    }
    newer {
        result_name = "cuptiGetResultString" (i32, *mut *const c_char);
        function_name = "cuptiGetCallbackName" (u32, u32, *mut *const c_char);
        thread_ids = "cuptiSetThreadIdType" (u32);
        driver_call = "cuptiActivityEnableDriverApi" (u32, u8);
        runtime_call = "cuptiActivityEnableRuntimeApi" (u32, u8);
        all_syncs = "cuptiActivityEnableAllSyncRecords" (u8);
        event_times = "cuptiActivityEnableCudaEventDeviceTimestamps" (u8);
        stream_number = "cuptiGetStreamId" (*mut c_void, *mut c_void, *mut u32);
        node_number = "cuptiGetGraphNodeId" (*mut c_void, *mut u64);
    }
}
