//! Compares random access with a plain copy.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use proptest::prelude::*;
use sealane_age::armor::{ArmorError, ArmoredReader, ArmoredWriter};
use sealane_age::{StreamError, StreamReader};

use crate::stuck::{Stuck, assert_stuck};
use crate::support::{CHUNK, SEALED, drain, open, payload_start, plaintext, seal};

const LENGTHS: [usize; 9] = [0, 1, 65535, 65536, 65537, 131_071, 131_072, 200_000, 330_000];

#[derive(Debug, Clone)]
enum Step {
    Seek(SeekFrom),
    Read(usize),
    Position,
}

/// Generates positions near the ends of chunks, and anywhere.
fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![
        (-6i64..7, -3i64..4).prop_map(|(chunk, near)| chunk * CHUNK as i64 + near),
        -350_000i64..350_000,
        -20i64..20,
        prop_oneof![Just(i64::MIN), Just(i64::MAX)],
    ]
}

pub(crate) fn to() -> impl Strategy<Value = SeekFrom> {
    prop_oneof![
        offset().prop_map(|n| SeekFrom::Start(n.unsigned_abs())),
        offset().prop_map(SeekFrom::Current),
        offset().prop_map(SeekFrom::End),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => to().prop_map(Step::Seek),
        1 => prop_oneof![0usize..40, 65_530usize..65_545, 0usize..200_000].prop_map(Step::Read),
        1 => Just(Step::Position),
    ]
}

fn read_up_to(reader: &mut impl Read, len: usize) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(len as u64).read_to_end(&mut out)?;
    Ok(out)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seeks_and_reads_are_those_of_a_plain_copy(
        len in prop::sample::select(&LENGTHS[..]),
        before in prop::sample::select(&[0usize, 1, 5000][..]),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let text = plaintext(len);
        // The file may begin anywhere in the input.
        let mut input = Cursor::new([vec![0xaa; before], seal(&text)].concat());
        input.set_position(before as u64);
        let mut reader = open(input);
        let mut copy = Cursor::new(&text);
        for step in &steps {
            match *step {
                Step::Seek(to) => match copy.seek(to) {
                    Ok(position) => prop_assert_eq!(reader.seek(to).unwrap(), position),
                    Err(error) => prop_assert_eq!(reader.seek(to).unwrap_err().kind(), error.kind()),
                },
                Step::Read(n) => {
                    let (got, expected) = (read_up_to(&mut reader, n).unwrap(), read_up_to(&mut copy, n).unwrap());
                    prop_assert!(got == expected, "{} bytes, not {}", got.len(), expected.len());
                }
                Step::Position => prop_assert_eq!(reader.stream_position().unwrap(), copy.position()),
            }
        }
        prop_assert_eq!(reader.plaintext_len().unwrap(), len as u64);
        prop_assert_eq!(reader.stream_position().unwrap(), copy.position());
    }

    /// If the last chunk is corrupt or missing, the end is an error, and everything before it can
    /// be read.
    #[test]
    fn without_an_authentic_last_chunk_there_is_no_end(
        len in prop::sample::select(&[1usize, 65537, 131_072, 200_000, 330_000][..]),
        cut in any::<bool>(),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let text = plaintext(len);
        let last = (len - 1) / CHUNK;
        let mut file = seal(&text);
        if cut {
            file.truncate(payload_start(&file) + last * SEALED);
        } else {
            *file.last_mut().unwrap() ^= 1;
        }
        // The plaintext that can be read, and the end of the last chunk, authentic or not (chunk 0
        // always counts).
        let readable = last * CHUNK;
        let chunks_end = if cut { readable.max(CHUNK) } else { readable + CHUNK } as u64;
        let error = if cut { StreamError::Truncated } else { StreamError::CorruptEnd { number: last as u64 } };
        let mut reader = open(Cursor::new(file));
        let mut position = 0u64;
        for step in &steps {
            match *step {
                Step::Seek(SeekFrom::End(_)) => {
                    prop_assert_eq!(StreamError::of(&reader.seek(SeekFrom::End(0)).unwrap_err()), Some(error));
                }
                Step::Seek(to) => {
                    let target = match to {
                        SeekFrom::Start(n) => Some(n),
                        SeekFrom::Current(n) => position.checked_add_signed(n),
                        SeekFrom::End(_) => unreachable!(),
                    };
                    match (reader.seek(to), target) {
                        (Ok(found), Some(target)) => {
                            prop_assert!(found == target && (target < chunks_end || target == position));
                            position = target;
                        }
                        (Err(e), None) => prop_assert_eq!(e.kind(), io::ErrorKind::InvalidInput),
                        (Err(e), Some(target)) => {
                            prop_assert!(target >= chunks_end, "{} {:?}", target, e);
                            prop_assert_eq!(StreamError::of(&e), Some(error));
                        }
                        (Ok(_), None) => prop_assert!(false, "a position that is out of range"),
                    }
                }
                Step::Read(n) => {
                    let at = position as usize;
                    let mut out = Vec::new();
                    let result = (&mut reader).take(n as u64).read_to_end(&mut out);
                    let expected = &text[at.min(readable)..readable.min(at + n)];
                    prop_assert!(out == expected, "{} bytes, not {}", out.len(), expected.len());
                    match result {
                        Ok(_) => prop_assert!(n == 0 || at + n <= readable),
                        Err(e) => {
                            prop_assert!(n > 0 && at + n > readable);
                            prop_assert_eq!(StreamError::of(&e), Some(error));
                        }
                    }
                    position += out.len() as u64;
                }
                Step::Position => prop_assert_eq!(reader.stream_position().unwrap(), position),
            }
        }
    }
}

fn opened(file: &[u8]) -> StreamReader<Cursor<&[u8]>> {
    open(Cursor::new(file))
}

#[test]
fn a_corrupt_chunk_in_the_middle_does_not_hide_the_others() {
    let text = plaintext(4 * CHUNK + 9);
    let mut file = seal(&text);
    let start = payload_start(&file);
    file[start + SEALED + 77] ^= 1;
    let mut reader = opened(&file);
    let (released, error) = drain(&mut reader);
    assert!(released == text[..CHUNK]);
    assert_eq!(StreamError::of(&error.unwrap()), Some(StreamError::CorruptChunk { number: 1 }));
    assert_eq!(reader.plaintext_len().unwrap(), text.len() as u64);
    assert_eq!(reader.stream_position().unwrap(), CHUNK as u64);
    assert_eq!(StreamError::of(&drain(&mut reader).1.unwrap()), Some(StreamError::CorruptChunk { number: 1 }));
    reader.seek(SeekFrom::Start(2 * CHUNK as u64)).unwrap();
    assert!(drain(&mut reader).0 == text[2 * CHUNK..]);
}

#[test]
fn a_length_that_is_not_authenticated_is_not_believed() {
    let text = plaintext(3 * CHUNK);
    let file = seal(&text);
    let start = payload_start(&file);
    // A file that was cut after a chunk has the length of a file that ends with a full chunk.
    for chunks in 0..3 {
        let mut reader = opened(&file[..start + chunks * SEALED]);
        let error = reader.seek(SeekFrom::End(0)).unwrap_err();
        assert_eq!(StreamError::of(&error), Some(StreamError::Truncated), "{chunks}");
        assert_eq!(StreamError::of(&reader.plaintext_len().unwrap_err()), Some(StreamError::Truncated));
        assert_eq!(reader.stream_position().unwrap(), 0);
        assert!(drain(&mut reader).0 == text[..chunks * CHUNK]);
    }
    let longer = [&file[..], b"x"].concat();
    assert_eq!(
        StreamError::of(&opened(&longer).seek(SeekFrom::End(0)).unwrap_err()),
        Some(StreamError::CorruptEnd { number: 3 })
    );
}

/// Counts the bytes that are read.
struct Counting<R>(R, std::rc::Rc<std::cell::Cell<usize>>);

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(out)?;
        self.1.set(self.1.get() + n);
        Ok(n)
    }
}

impl<R: Seek> Seek for Counting<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_range_does_not_cost_the_whole_file() {
    let text = plaintext(64 * CHUNK);
    let file = seal(&text);
    let count = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut reader = open(Counting(Cursor::new(&file), count.clone()));
    reader.seek(SeekFrom::Start(40 * CHUNK as u64 + 5)).unwrap();
    let mut range = [0; 100];
    reader.read_exact(&mut range).unwrap();
    assert_eq!(range, text[40 * CHUNK + 5..][..100]);
    // The header, and one buffer of four chunks.
    assert!(count.get() < 4096 + 4 * SEALED + 100, "{}", count.get());
    let before = count.get();
    reader.seek(SeekFrom::Current(-100)).unwrap();
    reader.read_exact(&mut range).unwrap();
    assert_eq!(count.get(), before, "the chunk is still there");
}

#[test]
fn seeking_works_through_the_reader_that_recognises_armor_but_not_in_armor() {
    let text = plaintext(3 * CHUNK);
    let file = seal(&text);
    let mut reader = open(ArmoredReader::new(Cursor::new(&file)));
    reader.seek(SeekFrom::End(-10)).unwrap();
    assert!(drain(&mut reader).0 == text[3 * CHUNK - 10..]);
    reader.seek(SeekFrom::Start(CHUNK as u64 + 1)).unwrap();
    assert!(drain(&mut reader).0 == text[CHUNK + 1..]);

    let mut writer = ArmoredWriter::new(Vec::new());
    writer.write_all(&file).unwrap();
    let armored = writer.finish().unwrap();
    let mut reader = open(ArmoredReader::new(Cursor::new(&armored)));
    let error = reader.seek(SeekFrom::End(0)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&ArmorError::NotSeekable));
    // Nothing has moved, so reading goes on, also in the middle of a chunk.
    let mut first = [0; 100];
    reader.read_exact(&mut first).unwrap();
    for to in [SeekFrom::Start(2 * CHUNK as u64), SeekFrom::Start(u64::MAX), SeekFrom::End(-1)] {
        assert_eq!(reader.seek(to).unwrap_err().kind(), io::ErrorKind::Unsupported);
    }
    assert_eq!(reader.plaintext_len().unwrap_err().kind(), io::ErrorKind::Unsupported);
    assert_eq!(reader.stream_position().unwrap(), 100);
    assert!(drain(&mut reader).0 == text[100..]);
}

#[test]
fn a_failed_seek_changes_nothing_unless_the_input_has_moved() {
    let text = plaintext(3 * CHUNK);
    let file = seal(&text);
    // The fourth seek is back from the last chunk, and the fifth one to the target.
    for seeks in 0..=5 {
        let mut reader = open(Stuck::new(&file, seeks));
        reader.read_exact(&mut [0; 100]).unwrap();
        let moved = reader.seek(SeekFrom::End(-7));
        assert_eq!(moved.is_ok(), seeks == 5);
        assert_eq!(reader.stream_position().unwrap(), *moved.as_ref().unwrap_or(&100));
        let mut out = Vec::new();
        let read = reader.read_to_end(&mut out).map(drop);
        assert_stuck(seeks, moved, read, &out, &text);
    }
}
