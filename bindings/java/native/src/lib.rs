//! The native library of Sealane's Java packages.
//!
//! The class `sealane.jca.Native` has two versions: one calls `ffm` through the Foreign Function
//! and Memory API, the other `jni` through the Java Native Interface. Both modules call the same
//! functions: `message` processes whole messages without any state, `context` messages in pieces.
//! Only `memory` dereferences pointers to the virtual machine's memory.
//!
//! `age` is the interface of `sealane.age.Native`, for files in the age v1 format.
//!
//! Every function of the interfaces catches panics, so none crosses the boundary.

// The name in `buffers`, which other bindings compile too.
extern crate sealane as primitives;

mod age;
#[path = "../../../buffers.rs"]
mod buffers;
mod context;
mod ffm;
mod jni;
mod memory;
mod message;
mod status;
#[path = "../../../wiped.rs"]
mod wiped;
