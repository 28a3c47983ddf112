//! Instruction counts: the difference of two intervals between calls of [`boundary`].
//!
//! Prints a line `OPERATION SIZE MORE AFTER` for each case: the operation, the size of a message,
//! the number of further repetitions, and the operation that each run does first, or `-`. Calls the
//! boundary three times for each case: before one operation, before [`MORE`] + 1 operations, and
//! after these.

use std::hint::black_box;

const MORE: usize = 10;

/// Aligns the stack of the function that has it as a local variable, and of those that it calls.
/// Without this, the environment variables would determine the alignment of the stack, and the
/// instruction count of `memcpy` depends on the alignment.
#[repr(align(4096))]
struct Page([u8; 4096]);

/// Runs every counted operation on one backend.
pub(crate) fn run(backend: &str) -> Result<(), String> {
    let page = black_box(Page([0x42; _]));
    for (family, operation) in crate::operations() {
        if !family.backends().contains(&backend) {
            continue;
        }
        for &size in operation.counted {
            let mut secrets = |bytes: &mut [u8]| bytes.fill(page.0[0]);
            let mut run =
                (operation.prepare)(backend, size, &mut secrets).map_err(|error| format!("{backend}: {error}"))?;
            let after = operation.after.unwrap_or("-");
            println!("{} {size} {MORE} {after}", operation.name);
            // The first run includes the dynamic linker's work, and everything else that happens
            // once.
            run();
            repeat(&[1, 1 + MORE, 0], &mut *run);
        }
    }
    Ok(())
}

/// For each of the numbers, calls [`boundary`] and then runs the operation that many times.
///
/// The compiler does not know the numbers of this loop, so the same instructions surround each
/// repetition. The call is dynamic, so the compiler cannot unroll the loop or move work out of it.
#[inline(never)]
fn repeat(times: &[usize], operation: &mut dyn FnMut()) {
    for &times in black_box(times) {
        boundary();
        for _ in 0..times {
            operation();
        }
    }
}

/// Separates intervals. xtask passes the name of this function to callgrind.
#[inline(never)]
fn boundary() {
    black_box(());
}
