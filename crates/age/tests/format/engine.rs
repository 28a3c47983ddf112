//! The engine without I/O: prefixes, payload keys, ranges.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sealane_age::header::{HeaderError, MAX_HEADER_BYTES};
use sealane_age::stream::{CHUNK_BYTES, PayloadKey, SEALED_CHUNK_BYTES, TAG_BYTES, sealed_len};
use sealane_age::{
    AsyncReadAt, DecryptError, Decryptor, EncryptError, Encryptor, Identity, LockedFile, Preamble, Prefix, ReadAt,
    Recipient, StreamError, scrypt,
};

use crate::support::{backend, identity, one_line, payload_start, plaintext, seal};

fn preamble(file: &[u8]) -> Preamble {
    match Preamble::parse(file).unwrap() {
        Prefix::Complete(preamble) => preamble.with_backend(backend()),
        incomplete => panic!("{incomplete:?}"),
    }
}

fn key(file: &[u8]) -> PayloadKey {
    preamble(file).unlock([identity() as &dyn Identity]).unwrap()
}

#[test]
fn every_prefix_asks_for_more_until_it_is_enough() {
    let file = seal(b"text");
    let len = payload_start(&file);
    for cut in 0..len {
        let Prefix::Incomplete { at_least } = Preamble::parse(&file[..cut]).unwrap() else { panic!("{cut} of {len}") };
        assert!(cut < at_least && at_least <= len, "{cut}: {at_least} of {len}");
    }
    // From the line of the MAC on, `at_least` is exact.
    let mac = file.windows(4).position(|window| window == b"\n---").unwrap();
    for cut in mac + 4..len {
        assert_eq!(Preamble::parse(&file[..cut]), Ok(Prefix::Incomplete { at_least: len }), "{cut}");
    }
    for cut in [len, len + 1, file.len()] {
        assert_eq!(preamble(&file[..cut]).len(), len);
    }
}

#[test]
fn faults_are_found_as_soon_as_they_can_be() {
    assert_eq!(Preamble::parse(b"PK"), Err(HeaderError::NotAge));
    assert_eq!(Preamble::parse(b"-----BEGIN AGE"), Err(HeaderError::Armored));
    assert_eq!(Preamble::parse(b"age-encryption.org/v2\n"), Err(HeaderError::UnknownVersion("v2".to_owned())));
    assert!(matches!(Preamble::parse(b"age-encryption.org/v2"), Ok(Prefix::Incomplete { .. })));
    assert!(matches!(Preamble::parse(b""), Ok(Prefix::Incomplete { .. })));
    assert!(matches!(
        Preamble::parse(b"age-encryption.org/v1\n->  X25519\n"),
        Err(HeaderError::Malformed { line: 2, .. })
    ));
    let endless = [b"age-encryption.org/v1\n-> ".to_vec(), vec![b'a'; MAX_HEADER_BYTES]].concat();
    assert_eq!(Preamble::parse(&endless), Err(HeaderError::TooLong));
}

#[test]
fn chunks_are_opened_in_any_order() {
    for len in [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 77] {
        let text = plaintext(len);
        let file = seal(&text);
        let key = key(&file);
        let payload = &file[payload_start(&file)..];
        assert_eq!(sealed_len(len as u64), Some(payload.len() as u64));
        let chunks: Vec<_> = payload.chunks(SEALED_CHUNK_BYTES).enumerate().collect();
        for (number, chunk) in chunks.iter().rev() {
            let is_last = number + 1 == chunks.len();
            let mut opened = vec![0; chunk.len()];
            let opened_len = key.open_chunks(*number as u64, is_last, chunk, &mut opened).unwrap();
            assert!(opened[..opened_len] == text[number * CHUNK_BYTES..][..opened_len]);
            assert_eq!(opened_len, chunk.len() - TAG_BYTES);
        }
        let mut opened = vec![0; len];
        assert_eq!(key.open_chunks(0, true, payload, &mut opened), Ok(len));
        assert!(opened == text);
    }
}

#[test]
fn a_chunk_that_is_wrong_leaves_nothing() {
    let text = plaintext(2 * CHUNK_BYTES + 10);
    let file = seal(&text);
    let key = key(&file);
    let payload = &file[payload_start(&file)..];
    let open = |first, is_last, input: &[u8]| {
        let mut output = vec![0xaa; text.len() + 100];
        let result = key.open_chunks(first, is_last, input, &mut output);
        assert!(result.is_ok() || output.iter().all(|&byte| byte == 0));
        result
    };
    let two = &payload[..2 * SEALED_CHUNK_BYTES];
    assert_eq!(open(0, false, two), Ok(2 * CHUNK_BYTES));
    assert_eq!(open(0, false, &[]), Ok(0));
    assert_eq!(open(0, true, two), Err(StreamError::Truncated));
    assert_eq!(open(0, true, &[]), Err(StreamError::Truncated));
    assert_eq!(open(1, false, two), Err(StreamError::CorruptChunk { number: 1 }));
    assert_eq!(open(0, false, &two[..100]), Err(StreamError::PartLength));
    assert_eq!(open(0, true, &payload[..payload.len() - 1]), Err(StreamError::CorruptEnd { number: 2 }));
    assert_eq!(open(0, true, &payload[..2 * SEALED_CHUNK_BYTES + 5]), Err(StreamError::CorruptEnd { number: 2 }));
    assert_eq!(open(0, true, &[payload, &[0]].concat()), Err(StreamError::CorruptEnd { number: 2 }));
    assert_eq!(open(u64::MAX, false, two), Err(StreamError::CorruptChunk { number: u64::MAX }));
    let mut damaged = payload.to_vec();
    damaged[SEALED_CHUNK_BYTES + 7] ^= 1;
    assert_eq!(open(0, true, &damaged), Err(StreamError::CorruptChunk { number: 1 }));
    // The last chunk of a file is found to be the last, although more follows.
    let one = seal(&plaintext(CHUNK_BYTES));
    let single = &one[payload_start(&one)..];
    let twice = [single, single].concat();
    let mut output = vec![0; 2 * CHUNK_BYTES];
    assert_eq!(self::key(&one).open_chunks(0, true, &twice, &mut output), Err(StreamError::TrailingData));
    assert_eq!(self::key(&one).open_chunks(0, false, single, &mut output), Err(StreamError::TrailingData));
    // A buffer that is too short.
    assert_eq!(key.open_chunks(0, true, payload, &mut output[..10]), Err(StreamError::PartLength));
}

#[test]
fn parts_are_sealed_in_any_order() {
    for len in [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 77] {
        let text = plaintext(len);
        let encryptor = Encryptor::with_recipients([&identity().to_public() as &dyn Recipient]).unwrap();
        let id = encryptor.file_id();
        let (mut file, key) = encryptor.with_backend(backend()).into_parts().unwrap();
        assert_eq!(key.file_id(), id);
        let start = file.len();
        file.resize(start + sealed_len(len as u64).unwrap() as usize, 0);
        let last = len.saturating_sub(1) / CHUNK_BYTES;
        for number in (0..=last).rev() {
            let part = &text[number * CHUNK_BYTES..len.min((number + 1) * CHUNK_BYTES)];
            let output = &mut file[start + number * SEALED_CHUNK_BYTES..];
            assert_eq!(key.seal_part(number as u64, number == last, part, output), Ok(part.len() + TAG_BYTES));
        }
        assert!(sealane_age::decrypt([identity() as &dyn Identity], &file).unwrap() == text, "{len}");
    }
    let (_, key) =
        Encryptor::with_recipients([&identity().to_public() as &dyn Recipient]).unwrap().into_parts().unwrap();
    let (text, mut output) = (plaintext(CHUNK_BYTES), vec![0; 2 * SEALED_CHUNK_BYTES]);
    for (first, is_last, len) in [(0, false, 10), (1, true, 0), (0, false, CHUNK_BYTES - 1)] {
        assert_eq!(key.seal_part(first, is_last, &text[..len], &mut output), Err(StreamError::PartLength));
    }
    assert_eq!(key.seal_part(0, true, &text, &mut output[..CHUNK_BYTES]), Err(StreamError::PartLength));
    assert_eq!(key.seal_part(0, false, &[], &mut output), Ok(0));
    let two = plaintext(2 * CHUNK_BYTES);
    assert_eq!(key.seal_part(u64::MAX, false, &two, &mut output), Err(StreamError::CounterOverflow));
    assert!(output.iter().all(|&byte| byte == 0), "nothing is sealed after an error");
}

/// Counts the bytes that are read.
struct Counted<'a>(&'a [u8], AtomicU64);

impl ReadAt for Counted<'_> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        // Some reads give less than asked for.
        let most = out.len().min(40_000);
        let n = self.0.read_at(&mut out[..most], offset)?;
        self.1.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

impl AsyncReadAt for Counted<'_> {
    async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        tokio::task::yield_now().await;
        ReadAt::read_at(self, out, offset)
    }

    async fn size(&self) -> io::Result<u64> {
        ReadAt::size(self)
    }
}

fn block_on<T>(future: impl Future<Output = T> + Send) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn a_small_range_fetches_two_chunks_at_most_and_the_header() {
    let text = plaintext(5 * CHUNK_BYTES + 77);
    let file = seal(&text);
    for start in [0, 1, CHUNK_BYTES - 1000, CHUNK_BYTES - 999, 3 * CHUNK_BYTES - 1, text.len() - 1000, text.len() - 10]
    {
        let expected = &text[start..text.len().min(start + 1000)];
        let range = start as u64..start as u64 + 1000;
        let input = Counted(&file, AtomicU64::new(0));
        let locked = LockedFile::read(&input).unwrap().with_backend(backend());
        let header = input.1.swap(0, Ordering::Relaxed);
        assert!(header <= 1024, "{header} bytes for a header of {}", payload_start(&file));
        let reader = locked.unlock([identity() as &dyn Identity]).unwrap();
        assert_eq!(reader.claimed_len(), Some(text.len() as u64));
        assert!(reader.read(range.clone()).unwrap() == expected);
        let fetched = input.1.swap(0, Ordering::Relaxed);
        assert!(fetched <= 2 * SEALED_CHUNK_BYTES as u64, "{fetched} bytes for the range at {start}");

        let reader = block_on(LockedFile::read_async(&input)).unwrap().unlock([identity() as &dyn Identity]).unwrap();
        assert_eq!(input.1.swap(0, Ordering::Relaxed), header);
        assert!(block_on(reader.read_async(range)).unwrap() == expected);
        assert_eq!(input.1.swap(0, Ordering::Relaxed), fetched);
    }
}

#[test]
fn ranges_at_the_end_prove_it() {
    for len in [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 5] {
        let text = plaintext(len);
        let file = seal(&text);
        let open = |file: &'_ [u8]| {
            let locked = LockedFile::read(file).unwrap().with_backend(backend());
            locked.unlock([identity() as &dyn Identity]).unwrap().read(0..u64::MAX)
        };
        assert!(open(&file).unwrap() == text);
        let reader = LockedFile::read(&file[..]).unwrap().unlock([identity() as &dyn Identity]).unwrap();
        assert!(reader.read(len as u64..len as u64 + 5).unwrap().is_empty());
        assert!(reader.read(u64::MAX - 1..u64::MAX).unwrap().is_empty());
        assert!(reader.read(0..0).unwrap().is_empty());
        #[allow(clippy::reversed_empty_ranges, reason = "what a caller may compute")]
        let reversed = reader.read(7..2);
        assert!(reversed.unwrap().is_empty());
        // A file that was cut.
        for cut in [payload_start(&file), file.len() - 1, payload_start(&file) + SEALED_CHUNK_BYTES] {
            if cut < file.len() {
                let error = open(&file[..cut]).unwrap_err();
                assert!(StreamError::of(&error).is_some(), "{error:?}");
            }
        }
    }
}

/// A file that claims a length, and records the lengths of the buffers for its bytes.
struct Claiming<'a> {
    file: &'a [u8],
    size: u64,
    buffers: Mutex<Vec<usize>>,
}

impl ReadAt for Claiming<'_> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.buffers.lock().unwrap().push(out.len());
        self.file.read_at(out, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

impl AsyncReadAt for Claiming<'_> {
    async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        ReadAt::read_at(self, out, offset)
    }

    async fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

/// An input whose every second read is interrupted.
struct Interrupted<'a>(&'a [u8], AtomicU64);

impl AsyncReadAt for Interrupted<'_> {
    async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.1.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.0.read_at(out, offset)
    }

    async fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

#[test]
fn interrupted_reads_of_ranges_are_repeated() {
    let file = seal(b"text");
    let input = Interrupted(&file, AtomicU64::new(0));
    let locked = block_on(LockedFile::read_async(&input)).unwrap();
    let reader = locked.unlock([identity() as &dyn Identity]).unwrap();
    assert_eq!(block_on(reader.read_async(1..3)).unwrap(), b"ex");
}

/// Memory for a range is not allocated before its bytes arrive.
#[test]
fn a_file_that_lies_about_its_length() {
    const FIRST: usize = 16 << 20;
    let text = plaintext(FIRST + 5 * CHUNK_BYTES);
    let file = seal(&text);
    let sealed_len = file.len() - payload_start(&file);
    let lie = (payload_start(&file) + (1 << 14) * SEALED_CHUNK_BYTES) as u64;
    for (size, expected) in [(file.len() as u64, vec![FIRST, sealed_len - FIRST]), (lie, vec![FIRST, FIRST])] {
        let input = Claiming { file: &file, size, buffers: Mutex::default() };
        let reader = LockedFile::read(&input).unwrap().with_backend(backend());
        let reader = reader.unlock([identity() as &dyn Identity]).unwrap();
        for is_async in [false, true] {
            input.buffers.lock().unwrap().clear();
            let found = if is_async { block_on(reader.read_async(0..u64::MAX)) } else { reader.read(0..u64::MAX) };
            let buffers = input.buffers.lock().unwrap();
            assert_eq!(buffers[..2], expected);
            match found {
                Ok(found) => assert!(found == text && buffers.len() == 2),
                Err(error) => {
                    assert!(matches!(StreamError::of(&error), Some(StreamError::Truncated)), "{error:?}");
                    assert!(size == lie && buffers.iter().all(|&len| len <= FIRST));
                }
            }
        }
    }
}

#[test]
fn a_file_that_ends_in_its_header() {
    let file = seal(b"text");
    for len in 0..payload_start(&file) {
        let ours = LockedFile::read(&file[..len]).unwrap_err();
        let Err(expected) = Decryptor::new(&file[..len]) else { panic!("{len}") };
        assert_eq!(ours.to_string(), expected.to_string(), "{len}");
    }
    assert!(matches!(LockedFile::read(&b"PKZIP"[..]).unwrap_err(), DecryptError::Header(HeaderError::NotAge)));
}

/// A long header takes several reads.
#[test]
fn long_headers() {
    let recipient = identity().to_public();
    let many = (0..500).map(|_| &recipient as &dyn Recipient);
    let file = Encryptor::with_recipients(many).unwrap().encrypt_to_vec(b"text").unwrap();
    let reader = LockedFile::read(&file[..]).unwrap().unlock([identity() as &dyn Identity]).unwrap();
    assert_eq!(reader.read(1..3).unwrap(), b"ex");
    let input = Counted(&file, AtomicU64::new(0));
    assert_eq!(block_on(LockedFile::read_async(&input)).unwrap().header().stanzas().len(), 500);
}

#[test]
fn a_header_of_a_chosen_length() {
    let encryptor = || Encryptor::with_recipients([&identity().to_public() as &dyn Recipient]).unwrap();
    let needed = encryptor().header().encoded_len();
    assert_eq!(encryptor().header().encode().len(), needed);
    for len in [needed, needed + 6, 1000, 4096, MAX_HEADER_BYTES] {
        let file = encryptor().with_header_len(len).unwrap().encrypt_to_vec(b"text").unwrap();
        assert_eq!(payload_start(&file), len + 16);
        assert_eq!(file.len() as u64, len as u64 + 16 + sealed_len(4).unwrap());
        assert_eq!(sealane_age::decrypt([identity() as &dyn Identity], &file).unwrap(), b"text");
    }
    for len in [0, needed - 1, needed + 1, needed + 5, MAX_HEADER_BYTES + 1, usize::MAX] {
        let error = encryptor().with_header_len(len).unwrap_err();
        assert!(matches!(error, EncryptError::HeaderLen { .. }), "{len}: {error:?}");
        one_line(&error);
    }
    // A passphrase must be the only recipient.
    let passphrase = scrypt::Recipient::new("passphrase".into()).with_work_factor(2).unwrap();
    let error = Encryptor::with_recipients([&passphrase as &dyn Recipient]).unwrap().with_header_len(1000);
    assert!(matches!(error, Err(EncryptError::HeaderLen { len: 1000, .. })));
}

#[test]
fn the_work_for_a_passphrase_has_a_limit() {
    let passphrase = scrypt::Recipient::new("passphrase".into()).with_work_factor(2).unwrap();
    let file = Encryptor::with_recipients([&passphrase as &dyn Recipient]).unwrap().encrypt_to_vec(b"text").unwrap();
    let identity = scrypt::Identity::new("passphrase".into());
    let unlock = |limit| {
        let locked = LockedFile::read(&file[..]).unwrap().with_max_work_factor(limit);
        locked.unlock([&identity as &dyn Identity])
    };
    assert!(matches!(unlock(1).unwrap_err(), DecryptError::ExcessiveWork { required: 2 }));
    assert_eq!(unlock(2).unwrap().read(0..4).unwrap(), b"text");
}
