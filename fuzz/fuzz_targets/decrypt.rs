//! Decrypts valid, damaged and forged files, and checks that Sealane releases the same plaintext as
//! the crate `age`.
#![no_main]

use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::sync::Mutex;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use sealane_age::adapter::ToAge;
use sealane_age::armor::ArmoredReader;
use sealane_age::{CopyError, DecryptError, Decryptor, Identity, Salvaging, StreamReader, Threads, WriteAt};
use sealane_fuzz::age_file::{CHUNK, Key, Plan, armored};
use sealane_fuzz::edit::Edit;
use sealane_fuzz::reached;

#[derive(Arbitrary, Debug)]
struct Case {
    plan: Plan,
    edits: Vec<Edit>,
    armor: Armor,
    /// Changes to the armored text.
    text_edits: Vec<Edit>,
    reads: Vec<u16>,
    seeks: Vec<(u32, u8)>,
}

#[derive(Arbitrary, Debug)]
enum Armor {
    Binary,
    LineFeed,
    CarriageReturn,
}

fuzz_target!(|case: Case| {
    let Some((mut file, payload)) = case.plan.file() else { return };
    case.edits.iter().take(4).for_each(|edit| edit.apply(payload, &mut file));
    match case.armor {
        Armor::Binary => {}
        Armor::LineFeed => file = armored(&file, "\n"),
        Armor::CarriageReturn => file = armored(&file, "\r\n"),
    }
    if !matches!(case.armor, Armor::Binary) {
        case.text_edits.iter().take(4).for_each(|edit| edit.apply(payload, &mut file));
    }
    let is_binary = matches!(case.armor, Armor::Binary);
    let ours = open(&file).map(|mut reader| read(&mut reader, &case.reads));
    let theirs = open_by_age(&file);
    compare(&file, is_binary, ours.as_ref(), theirs);
    let Ok((released, error)) = &ours else { return };
    let is_authentic = |(i, piece): (usize, &[u8])| case.plan.has_chunk((i * CHUNK) as u64, piece);
    assert!(released.chunks(CHUNK).enumerate().all(is_authentic), "{} bytes, not all authentic", released.len());
    if error.is_none() && !released.is_empty() {
        reached!("a whole file");
    } else if !released.is_empty() {
        reached!("the intact start of a file");
    }
    compare_threads(&file, is_binary, released, error.as_ref());
    if is_binary && case.seeks.is_empty() {
        salvage(&file, &case.plan, released, error.is_none());
    } else if is_binary {
        seek(&file, released, error.is_none(), &case.seeks);
    }
});

/// The plaintext that was released, and the error after it.
type PlaintextAndError = (Vec<u8>, Option<io::Error>);

fn open(file: &[u8]) -> Result<StreamReader<ArmoredReader<&[u8]>>, DecryptError> {
    Decryptor::new(ArmoredReader::new(file))?.decrypt([&Key as &dyn Identity])
}

fn open_by_age(file: &[u8]) -> Result<PlaintextAndError, age::DecryptError> {
    let input = age::armor::ArmoredReader::new(file);
    let mut reader = age::Decryptor::new_buffered(input)?.decrypt([&ToAge(Key) as &dyn age::Identity].into_iter())?;
    Ok(read(&mut reader, &[]))
}

/// Checks that several threads release the same plaintext, and fail in the same way.
fn compare_threads(file: &[u8], is_binary: bool, expected: &[u8], error: Option<&io::Error>) {
    let expected_error = error.map(ToString::to_string);
    let failed = |error: CopyError| match error {
        CopyError::Read(error) => error.to_string(),
        error => panic!("{error}"),
    };
    for count in 1..=3 {
        let threads = Threads::new(NonZero::new(count).expect("not zero"));
        let mut released = Vec::new();
        let reader = open(file).expect("it was opened before");
        let error = reader.copy_to(&mut released, threads).err().map(failed);
        assert!(released == expected && error == expected_error, "{error:?} {expected_error:?}");
        if is_binary {
            let output = MemoryFile::default();
            let reader = open(file).expect("it was opened before");
            match reader.copy_at(&file, &output, threads) {
                Ok(_) => assert!(expected_error.is_none() && output.0.into_inner().expect("no panic") == expected),
                Err(error) => assert_eq!(Some(failed(error)), expected_error),
            }
        }
    }
}

/// A file in memory.
#[derive(Default)]
struct MemoryFile(Mutex<Vec<u8>>);

impl WriteAt for MemoryFile {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let mut file = self.0.lock().expect("no panic");
        let (start, len) = (offset as usize, file.len());
        file.resize(len.max(start + data.len()), 0);
        file[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().expect("no panic").resize(len as usize, 0);
        Ok(())
    }
}

/// Reads to the end or to the first error. The first reads have the lengths in `pieces`.
fn read(reader: &mut impl Read, pieces: &[u16]) -> PlaintextAndError {
    let mut released = Vec::new();
    for &piece in pieces {
        let start = released.len();
        released.resize(start + usize::from(piece), 0);
        match reader.read(&mut released[start..]) {
            Ok(bytes) => released.truncate(start + bytes),
            Err(error) => {
                released.truncate(start);
                return (released, Some(error));
            }
        }
    }
    let error = reader.read_to_end(&mut released).err();
    (released, error)
}

fn compare(
    file: &[u8],
    is_binary: bool,
    ours: Result<&PlaintextAndError, &DecryptError>,
    theirs: Result<PlaintextAndError, age::DecryptError>,
) {
    match (ours, theirs) {
        (Ok((ours, our_error)), Ok((theirs, their_error))) => {
            let same = match our_error {
                None => *ours == theirs,
                // age releases a full chunk that is marked as the last one before it sees that more
                // follows. Sealane reads on first, and refuses that chunk.
                Some(_) if is_binary => {
                    *ours == theirs || theirs.starts_with(ours) && theirs.len() == ours.len() + CHUNK
                }
                // After an error in the armor, one of the two may have released a chunk that the
                // other did not check.
                Some(_) => ours.starts_with(&theirs) || theirs.starts_with(ours),
            };
            assert!(
                our_error.is_some() == their_error.is_some() && same,
                "{} bytes, {our_error:?}; age has {}, {their_error:?}",
                ours.len(),
                theirs.len()
            );
        }
        (Err(_), Err(_)) => {}
        (Ok((ours, our_error)), Err(error)) => {
            panic!("{} bytes, {our_error:?}; age does not open it: {error}", ours.len());
        }
        (Err(error), Ok((theirs, their_error))) => {
            panic!(
                "{error:?}; age has {}, {their_error:?}, {:?}",
                theirs.len(),
                String::from_utf8_lossy(&file[..400.min(file.len())])
            )
        }
    }
}

/// Checks that reads at any position give the same bytes as reads in order.
fn seek(file: &[u8], whole: &[u8], complete: bool, seeks: &[(u32, u8)]) {
    let opened = Decryptor::new(io::Cursor::new(file)).and_then(|it| it.decrypt([&Key as &dyn Identity]));
    let mut reader = opened.expect("it was opened before");
    for &(position, length) in seeks.iter().take(8) {
        let position = u64::from(position) % (whole.len() as u64 + 70_000);
        let mut piece = vec![0; length.into()];
        if let Err(error) = reader.seek(SeekFrom::Start(position)) {
            assert!(!complete, "{error}");
            return;
        }
        match reader.read(&mut piece) {
            Ok(bytes) => {
                let expected = whole.get(position as usize..).unwrap_or(&[]);
                // After the position of an error, chunks that are valid by themselves may also be
                // read.
                if complete || position + bytes as u64 <= whole.len() as u64 {
                    assert!(expected.starts_with(&piece[..bytes]), "{bytes} bytes from {position}");
                    reached!("a read after a seek");
                    assert!(bytes > 0 || expected.is_empty() || length == 0, "the end at {position}");
                }
            }
            Err(error) => {
                assert!(!complete, "{error}");
                return;
            }
        }
    }
}

/// Checks that salvaging finds at least what was released, and nothing but authentic chunks. A
/// search ends after some steps, because it tries every position in the file.
fn salvage(file: &[u8], plan: &Plan, released: &[u8], complete: bool) {
    let (mut found_first, mut steps) = (0, 0);
    let reader = open(file).expect("it was opened before");
    let result = reader.salvage(&file, file.len() as u64, |progress| {
        match progress {
            Salvaging::Found { at, plaintext } => {
                assert!(plan.has_chunk(at, plaintext), "{} bytes at {at}", plaintext.len());
                reached!("a salvaged chunk");
                if at == found_first {
                    found_first += plaintext.len() as u64;
                }
            }
            _ => steps += 1,
        }
        if steps < 3 { Ok(()) } else { Err(io::Error::other("the search takes long")) }
    });
    assert!(found_first >= released.len() as u64, "{found_first} of {} bytes", released.len());
    if complete {
        let salvaged = result.expect("nothing is searched for");
        assert!(salvaged.is_whole() && salvaged.found == released.len() as u64, "{salvaged:?}");
    }
}
