//! Constant time: marks secrets as uninitialised for valgrind's memcheck and runs operations on
//! them. Memcheck reports every branch and every memory address that depends on secrets, except
//! through values that the library has declassified: verdicts, and syndromes of shares.
//!
//! The primitives `leaky-branch` and `leaky-index` are positive controls: a run that does not
//! report them proves nothing.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealane_workloads::{Operation, Public, WORKLOADS};

use crate::memcheck;

/// The number of bytes that the library has declassified. A verdict is one byte.
static DECLASSIFIED: AtomicUsize = AtomicUsize::new(0);

/// Runs every operation of a primitive, or a control.
pub(crate) fn run(backend: &str, primitive: &str) -> Result<(), String> {
    if !memcheck::is_running() {
        return Err("not under valgrind: nothing would be checked".to_owned());
    }
    sealane::on_declassify(|verdict| {
        DECLASSIFIED.fetch_add(verdict.len(), Ordering::Relaxed);
        memcheck::make_defined(verdict);
    });
    match primitive {
        "leaky-branch" => leaky_branch(),
        "leaky-index" => leaky_index(),
        _ => operations(backend, primitive)?,
    }
    println!("{primitive} on {backend}: done");
    Ok(())
}

fn operations(backend: &str, primitive: &str) -> Result<(), String> {
    let workload = WORKLOADS.iter().find(|workload| workload.name == primitive);
    let operations = workload.ok_or("there is no such primitive")?.operations;
    // The first call of a primitive runs its self-test, which also declassifies verdicts.
    if let Some((operation, size)) = operations.first().and_then(|first| Some((first, *first.sizes.first()?))) {
        (operation.prepare)(backend, size, &mut secret).map_err(|error| error.to_string())?();
    }
    for operation in operations {
        for &size in operation.sizes {
            let mut run = (operation.prepare)(backend, size, &mut secret).map_err(|error| error.to_string())?;
            let before = DECLASSIFIED.load(Ordering::Relaxed);
            run();
            let bytes = DECLASSIFIED.load(Ordering::Relaxed) - before;
            let fits = match operation.public {
                Public::Verdicts(verdicts) => bytes == verdicts,
                Public::Syndromes => bytes > 0,
            };
            if !fits {
                let Operation { name, public, .. } = operation;
                return Err(format!("{name} of {size}: {bytes} bytes were declassified, {public:?} in the table"));
            }
        }
        println!("   {}", operation.name);
    }
    Ok(())
}

/// Fills bytes, and marks them as secret for memcheck.
fn secret(bytes: &mut [u8]) {
    bytes.iter_mut().zip(1_u8..=u8::MAX).for_each(|(byte, number)| *byte = number.wrapping_mul(37));
    memcheck::make_undefined(bytes);
}

/// Compares a secret as `==` does: stops at the first difference.
fn leaky_branch() {
    let mut key = [0x42; 32];
    secret(&mut key);
    black_box(key.iter().position(|&byte| black_box(byte) != 0x42));
}

/// Reads a table at a secret index.
fn leaky_index() {
    let table: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut index = [7];
    secret(&mut index);
    black_box(black_box(&table)[usize::from(index[0])]);
}
