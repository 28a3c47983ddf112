//! Standard streams that another program has made non-blocking (O_NONBLOCK).

use std::io::{self, Read, Write};
#[cfg(unix)]
pub(crate) use std::os::fd::AsFd as Descriptor;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, poll};

/// Reads from or writes to a descriptor, and waits where the descriptor does not. The flag is not
/// cleared, because it is also that of the other programs which have the same open file.
pub(crate) struct Ready<F>(pub(crate) F);

#[cfg(unix)]
impl<F: Descriptor> Descriptor for Ready<F> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl<F: Read + Descriptor> Read for Ready<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        when_ready(&mut self.0, PollFlags::IN, |file| file.read(out))
    }
}

impl<F: Write + Descriptor> Write for Ready<F> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        when_ready(&mut self.0, PollFlags::OUT, |file| file.write(data))
    }

    fn flush(&mut self) -> io::Result<()> {
        when_ready(&mut self.0, PollFlags::OUT, F::flush)
    }
}

/// Repeats `work` when `file` is ready for it.
#[cfg(unix)]
fn when_ready<F: Descriptor, T>(
    file: &mut F,
    flags: PollFlags,
    mut work: impl FnMut(&mut F) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match work(file) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                match poll(&mut [PollFd::new(&*file, flags)], None) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            result => return result,
        }
    }
}

/// Other systems have no such flag.
#[cfg(not(unix))]
pub(crate) trait Descriptor {}

#[cfg(not(unix))]
impl<F> Descriptor for F {}

#[cfg(not(unix))]
enum PollFlags {
    IN,
    OUT,
}

#[cfg(not(unix))]
fn when_ready<F, T>(file: &mut F, _flags: PollFlags, mut work: impl FnMut(&mut F) -> io::Result<T>) -> io::Result<T> {
    work(file)
}
