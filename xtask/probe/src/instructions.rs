//! Instruction counts: the difference of two intervals between calls of [`boundary`].
//!
//! Prints a line `OPERATION SIZE BYTES MORE AFTER` for each case: the size of a message, how many
//! bytes of messages one operation processes, and the operation that each run does first, or `-`.
//! It calls the boundary three times a case: before one operation, before [`MORE`] + 1, and after
//! them.

use std::hint::black_box;

const MORE: usize = 10;

/// Aligns the stack from there on, which else begins where the environment's variables end: how
/// many instructions `memcpy` takes depends on the alignment.
#[repr(align(4096))]
struct Page([u8; 4096]);

/// Runs every operation that is counted, on one backend.
pub(crate) fn run(backend: &str) -> Result<(), String> {
    let page = black_box(Page([0x42; _]));
    for (family, operation) in crate::operations() {
        if !family.backends().contains(&backend) {
            continue;
        }
        for &size in operation.counted {
            let mut secrets = |octets: &mut [u8]| octets.fill(page.0[0]);
            let mut run =
                (operation.prepare)(backend, size, &mut secrets).map_err(|error| format!("{backend}: {error}"))?;
            let after = operation.after.unwrap_or("-");
            println!("{} {size} {} {MORE} {after}", operation.name, size * operation.messages);
            // The dynamic linker's work, and whatever else is done once.
            run();
            repeat(&[1, 1 + MORE, 0], &mut *run);
        }
    }
    Ok(())
}

/// Runs the operation so many times after a call of [`boundary`], for each number.
///
/// A loop over what the compiler does not know, so that the same instructions surround each
/// repetition; a dynamic call, so that it can neither unroll the loop nor move work out of it.
#[inline(never)]
fn repeat(times: &[usize], operation: &mut dyn FnMut()) {
    for &times in black_box(times) {
        boundary();
        for _ in 0..times {
            operation();
        }
    }
}

/// Separates intervals: xtask names this function to callgrind.
#[inline(never)]
fn boundary() {
    black_box(());
}
