//! Programs do the same before and after, on a Java virtual machine: cases made to show something (`cases`), and programs
//! on libraries that people use (`workloads`).

mod case;
mod cases;
#[path = "../command/mod.rs"]
mod command;
mod jars;
mod java;
mod optimize;
mod random;
mod workloads;
