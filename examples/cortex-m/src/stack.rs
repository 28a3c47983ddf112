//! Measures stack use: fills the free stack with a pattern, and checks later how much of it was
//! overwritten.

use cortex_m_stack::{current_stack_in_use, repaint_stack, stack_painted, stack_size};
use semihosting::println;

/// Runs a step, and prints how many bytes of stack the step and its callers used.
// Not inlined, so that the step's values are below the frame of this function.
#[inline(never)]
pub(crate) fn measure<T>(name: &str, step: fn() -> T) -> T {
    repaint_stack();
    let before = current_stack_in_use();
    let result = step();
    // Read before printing, which uses stack too.
    let used = stack_size() - stack_painted();
    println!("stack: {used} bytes, {before} of them before: {name}");
    result
}

/// Prints how many bytes of RAM are left for the stack.
pub(crate) fn print_size() {
    println!("stack size: {} bytes", stack_size());
}
