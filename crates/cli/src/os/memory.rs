//! Keeps secrets in memory from reaching a disk.

/// Protects the memory as far as the system allows: a crash writes no memory image, other processes
/// of the user cannot read the memory, and it is not swapped out.
///
/// If `ulimit -l` is `unlimited`, all memory is locked. With any other limit, a later allocation
/// could fail and end the command, so only the present heap and the stack of the first thread are
/// locked. Identities are read there, and the key of a single file is unwrapped there. Failure to
/// lock is not an error, because encrypted swap space, or no swap space, protects better.
pub(crate) fn protect() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    set_dumpable(false);
    #[cfg(target_os = "linux")]
    lock();
}

/// Sets whether processes of the same user may read the memory. If they may, the system may also
/// write a core dump to a pipe, regardless of the size limit for core dumps.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn set_dumpable(dumpable: bool) {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    let behavior = if dumpable { DumpableBehavior::Dumpable } else { DumpableBehavior::NotDumpable };
    let _ = set_dumpable_behavior(behavior);
}

/// Reads a file of /proc/self. Before Linux 5.14, some of these belong to root if the memory of the
/// process is protected.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn read_proc(path: &str) -> std::io::Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            set_dumpable(true);
            let read = std::fs::read_to_string(path);
            set_dumpable(false);
            read
        }
        read => read,
    }
}

#[cfg(target_os = "linux")]
fn lock() {
    use rustix::mm::{MlockAllFlags, mlockall};
    use rustix::process::{Resource, getrlimit};
    if getrlimit(Resource::Memlock).current.is_none() {
        // Lock pages at their first use, because buffers are larger than most files need.
        let _ = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT);
        return;
    }
    let maps = crate::os::process_info::read("maps").unwrap_or_default();
    for (start, len) in maps.lines().filter_map(heap_or_stack) {
        // The system unlocks the memory when the process ends.
        std::mem::forget(region::lock(std::ptr::without_provenance::<u8>(start), len));
    }
}

/// Returns the address and length of the heap or the stack from a line of proc_pid_maps(5).
#[cfg(target_os = "linux")]
fn heap_or_stack(line: &str) -> Option<(usize, usize)> {
    let range = line.strip_suffix("[heap]").or_else(|| line.strip_suffix("[stack]"))?.split(' ').next()?;
    let (start, end) = range.split_once('-')?;
    let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).ok());
    Some((start?, end?.checked_sub(start?)?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::heap_or_stack;

    #[test]
    fn heap_and_stack_are_found() {
        let line = "564cdbf8d000-564cdbfae000 rw-p 00000000 00:00 0                          [heap]";
        assert_eq!(heap_or_stack(line), Some((0x564c_dbf8_d000, 0x21000)));
        assert_eq!(
            heap_or_stack("7ffe74363000-7ffe74384000 rw-p 0 00:00 0 [stack]"),
            Some((0x7ffe_7436_3000, 0x21000))
        );
        for other in ["7fa9cdb52000-7fa9cdb5f000 rw-p 0 00:00 0 ", "x-y [heap]", "2-1 [stack]", "[heap]", ""] {
            assert_eq!(heap_or_stack(other), None, "{other}");
        }
    }
}
