//! A library in the place of NVIDIA's driver, for Syncline's tests alone: no GPU is anywhere near it. Streams, events and
//! graphs have the semantics that the driver's documentation gives them, kernels are computed on the host by their names,
//! and how long everything takes is a formula. It proves what Syncline asks of a driver, and nothing about a device.
#![expect(
    unsafe_code,
    reason = "it is called by C's conventions, with addresses of its caller"
)]

mod capture;
mod codes;
mod cupti;
mod exports;
mod injection;
mod kernels;
mod memory;
mod operation;
mod ptx;
mod schedule;
mod state;
