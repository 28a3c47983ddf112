//! Client requests to valgrind's memcheck: five instructions that do nothing outside valgrind
//! (valgrind manual, section 3.1).

/// VALGRIND_RUNNING_ON_VALGRIND
const RUNNING_ON_VALGRIND: usize = 0x1001;
/// VALGRIND_MAKE_MEM_UNDEFINED
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
/// VALGRIND_MAKE_MEM_DEFINED
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

/// Returns whether valgrind runs this program.
pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Makes memcheck report branches and addresses that depend on these bytes.
pub(crate) fn make_undefined(bytes: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, bytes.as_mut_ptr().addr(), bytes.len());
}

/// Makes memcheck no longer report branches and addresses that depend on these bytes.
pub(crate) fn make_defined(bytes: &mut [u8]) {
    request(MAKE_MEM_DEFINED, bytes.as_mut_ptr().addr(), bytes.len());
}

#[cfg(target_arch = "x86_64")]
fn request(code: usize, address: usize, length: usize) -> usize {
    let arguments: [usize; 6] = [code, address, length, 0, 0, 0];
    let mut result: usize = 0;
    // SAFETY: rotates rdi by 128 bits in all, which restores it, and exchanges rbx with itself.
    // Under valgrind, rdx becomes the result and the arguments are read; the memory that they name
    // is only marked, through the caller's exclusive reference.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const arguments,
            inout("rdx") result,
            inout("rdi") 0_usize => _,
        );
    }
    result
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: usize, _: usize, _: usize) -> usize {
    0
}
