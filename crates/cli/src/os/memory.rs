//! Keeps secrets in memory from reaching a disk.

/// Protects the memory as far as the system allows. On Unix, a crash writes no memory image. On
/// Linux and Android, other processes of the user cannot read the memory. On Linux, it is also
/// locked ([`lock`]). On Windows, nothing is protected.
pub(crate) fn protect() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    set_dumpable(false);
    lock();
}

/// Locks memory on Linux, so that it is not swapped out. Called again when secrets have been read,
/// which may be in memory that the allocator got in the meantime.
///
/// If `ulimit -l` is `unlimited`, all memory is locked, now and later. With any other limit, a
/// later allocation could then fail and end the command, so only the present data is locked: the
/// heap, the stack of the first thread, and other memory without a file, up to the limit. Small
/// mappings come first, because musl's allocator keeps keys in them. Failure to lock is not an
/// error, because encrypted swap space, or no swap space, protects better.
pub(crate) fn lock() {
    #[cfg(target_os = "linux")]
    linux::lock();
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
mod linux {
    use std::ops::Range;

    use rustix::mm::{MlockAllFlags, mlockall};
    use rustix::process::{Resource, getrlimit};

    pub(super) fn lock() {
        let Some(limit) = getrlimit(Resource::Memlock).current else {
            // Lock pages at their first use, because buffers are larger than most files need.
            let _ = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT);
            return;
        };
        let maps = crate::os::process_info::read("maps").unwrap_or_default();
        let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
        for memory in data(&maps, region::page::size()) {
            // The system lets a privileged process exceed the limit.
            let Some(rest) = left.checked_sub(memory.len()) else { return };
            let Ok(locked) = region::lock(std::ptr::without_provenance::<u8>(memory.start), memory.len()) else {
                return;
            };
            // The system unlocks the memory when the process ends.
            std::mem::forget(locked);
            left = rest;
        }
    }

    /// Returns the addresses of the data from the text of proc_pid_maps(5), the smallest mapping
    /// first.
    fn data(maps: &str, page: usize) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (mut memory, name) in maps.lines().filter_map(parse) {
            if name == "[stack]" {
                // If the lowest page were locked, the stack would grow only up to the limit, and
                // the system would end the process there. The part of the stack that an earlier
                // call did not lock is a mapping of its own, without a name.
                if let Some(lower) = found.pop_if(|lower| lower.end == memory.start) {
                    memory.start = lower.start;
                }
                memory.start += page;
            }
            if !memory.is_empty() {
                found.push(memory);
            }
        }
        found.sort_by_key(Range::len);
        found
    }

    /// Returns the addresses and the name of private writable memory without a file, from a line of
    /// proc_pid_maps(5).
    fn parse(line: &str) -> Option<(Range<usize>, &str)> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let (access, inode, name) = (fields.next()?, fields.nth(2)?, fields.next().unwrap_or_default());
        let is_data = name.is_empty() || ["[heap]", "[stack]", "[anon"].iter().any(|start| name.starts_with(start));
        let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).ok());
        (access == "rw-p" && inode == "0" && is_data).then_some((start?..end?, name))
    }

    #[cfg(test)]
    mod tests {
        use super::data;

        const MAPS: &str = "\
5600000a0000-5600000b0000 r-xp 00001000 08:01 42                         /usr/bin/sealane
5600000b0000-5600000b1000 rw-p 00011000 08:01 42                         /usr/bin/sealane
5600000b1000-5600000b5000 rw-p 00000000 00:00 0
564cdbf8d000-564cdbfae000 rw-p 00000000 00:00 0                          [heap]
7fa9cdb52000-7fa9cdb53000 ---p 00000000 00:00 0
7fa9cdb53000-7fa9cdb54000 rw-p 00000000 00:00 0
7fa9cdb54000-7fa9cdb56000 rw-p 00000000 00:00 0                          [anon: glibc: malloc]
7fa9cdb56000-7fa9cdb57000 rw-s 00000000 00:01 7                          /dev/zero (deleted)
7ffe74363000-7ffe74384000 rw-p 00000000 00:00 0                          [stack]
7ffe743a0000-7ffe743a4000 r--p 00000000 00:00 0                          [vvar]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
";

        #[test]
        fn memory_without_a_file_is_found_the_smallest_first() {
            let found = [
                0x7fa9_cdb5_3000..0x7fa9_cdb5_4000,
                0x7fa9_cdb5_4000..0x7fa9_cdb5_6000,
                0x5600_000b_1000..0x5600_000b_5000,
                0x7ffe_7436_4000..0x7ffe_7438_4000,
                0x564c_dbf8_d000..0x564c_dbfa_e000,
            ];
            assert_eq!(data(MAPS, 0x1000), found);
        }

        #[test]
        fn the_lowest_page_of_the_stack_is_never_locked() {
            let stack = |lower: &str| format!("{lower}7ffe74364000-7ffe74384000 rw-p 00000000 00:00 0 [stack]\n");
            let grown = stack("1000-2000 rw-p 0 00:00 0 [heap]\n7ffe74350000-7ffe74364000 rw-p 00000000 00:00 0\n");
            assert_eq!(data(&grown, 0x1000), [0x1000..0x2000, 0x7ffe_7435_1000..0x7ffe_7438_4000]);
            let apart = stack("7ffe74350000-7ffe74351000 rw-p 00000000 00:00 0\n");
            assert_eq!(data(&apart, 0x1000), [0x7ffe_7435_0000..0x7ffe_7435_1000, 0x7ffe_7436_5000..0x7ffe_7438_4000]);
            assert_eq!(data("1000-2000 rw-p 00000000 00:00 0 [stack]\n", 0x1000), []);
            for odd in ["", "x-y rw-p 0 00:00 0 [heap]", "2000-1000 rw-p 0 00:00 0 [heap]", "1000-2000 rw-p"] {
                assert_eq!(data(odd, 0x1000), [], "{odd}");
            }
        }
    }
}
