//! All tests that cross modules, in one binary.
#![cfg(test)]

mod golden;
mod gpu_check;
mod graphics;
mod house;

mod captures;
mod causes;
mod chrome;
mod cli;
mod conformance;
mod cuda;
mod cupti;
mod damage;
mod databases;
mod exact;
mod exports;
mod extract;
mod far;
mod findings;
mod hazards;
mod hostile;
mod launch_mistakes;
mod layers;
mod lists;
mod losses;
mod nvidia;
mod promises;
mod ranks;
mod readme;
mod real;
mod record;
mod rocprofv3;
mod several;
mod sizes;
mod ui;
mod webgpu;
mod window;
mod words;
mod workload_events;
mod workload_gpu;
mod workload_mistakes;
mod workload_numbers;
mod workload_text;
mod workloads;
