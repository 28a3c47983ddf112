//! The native library of Sealane's provider for Java.
//!
//! The class `sealane.jca.Native` has two versions: `ffm` is the interface of the one for the
//! Foreign Function and Memory API, `jni` of the one for the Java Native Interface. Both call the
//! same functions: `message` has whole messages without any state, `context` has messages in
//! pieces. `memory` has the only code that follows pointers to the memory of the virtual machine.
//!
//! `age` is the interface of `sealane.age.Native`, for files in the age v1 format.
//!
//! Every function of the interfaces catches panics, so none crosses the boundary.

mod age;
mod context;
mod ffm;
mod jni;
mod memory;
mod message;
mod status;
