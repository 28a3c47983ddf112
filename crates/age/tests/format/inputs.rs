//! Inputs and outputs for random access: owned and shared ones, and one that claims too much.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sealane_age::{AsyncReadAt, Identity, LockedFile, RangeReader, ReadAt, Threads, WriteAt};

use crate::flaky::block_on;
use crate::support::{identity, open, plaintext, seal};

fn reader<I: ReadAt>(input: I) -> RangeReader<I> {
    LockedFile::read(input).unwrap().unlock([identity() as &dyn Identity]).unwrap()
}

/// Returns a file that contains `bytes`.
fn on_disk(bytes: &[u8]) -> File {
    let file = tempfile::tempfile().unwrap();
    WriteAt::write_all_at(&file, bytes, 0).unwrap();
    file
}

#[test]
fn a_range_reader_owns_or_shares_its_input() {
    fn check(reader: RangeReader<impl ReadAt + Send + 'static>, text: &[u8]) {
        let text = text[60_000..70_000].to_vec();
        std::thread::spawn(move || assert!(reader.read(60_000..70_000).unwrap() == text)).join().unwrap();
    }
    let text = plaintext(100_000);
    let file = seal(&text);
    let shared = Arc::new(on_disk(&file));
    check(reader(Arc::clone(&shared)), &text);
    check(reader(file.clone()), &text);
    check(reader(Arc::new(file.clone())), &text);
    check(reader(Box::new(file.clone()) as Box<dyn ReadAt + Send>), &text);
    check(reader(shared as Arc<dyn ReadAt + Send>), &text);
}

#[test]
fn outputs_behind_pointers() {
    let text = plaintext(100_000);
    let file = seal(&text);
    let check = |output: &dyn WriteAt, written: &File| {
        WriteAt::set_len(written, 200_000).unwrap();
        assert_eq!(open(&file[..]).copy_at(&file, &output, Threads::ONE).unwrap(), 100_000);
        let mut copy = vec![0; 100_001];
        assert_eq!(ReadAt::read_at(written, &mut copy, 0).unwrap(), 100_000);
        assert!(copy[..100_000] == text);
    };
    let disk = Arc::new(on_disk(b""));
    check(&disk, &disk);
    check(&Box::new(disk.try_clone().unwrap()), &disk);
}

/// A file in memory whose every second read claims to have read far more than was asked for. The
/// reads before return one byte.
struct Boasting(Vec<u8>, AtomicU64);

impl ReadAt for Boasting {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = self.0.read_at(out, offset)?;
        Ok(if self.1.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { n.min(1) } else { usize::MAX })
    }

    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }
}

impl AsyncReadAt for Boasting {
    async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        ReadAt::read_at(self, out, offset)
    }

    async fn size(&self) -> io::Result<u64> {
        ReadAt::size(self)
    }
}

#[test]
fn an_input_that_claims_to_have_read_too_much() {
    let text = plaintext(100);
    let file = seal(&text);
    assert!(reader(Boasting(file.clone(), AtomicU64::new(0))).read(0..1000).unwrap() == text);
    // The same without blocking, behind pointers.
    let locked = block_on(LockedFile::read_async(Box::new(Arc::new(Boasting(file, AtomicU64::new(0)))))).unwrap();
    let reader = locked.unlock([identity() as &dyn Identity]).unwrap();
    assert!(block_on(reader.read_async(0..100_000)).unwrap() == text);
}
