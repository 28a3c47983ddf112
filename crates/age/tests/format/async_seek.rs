//! Compares the random access of the async reader with that of the blocking one.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::pin::{Pin, pin};

use proptest::prelude::*;
use sealane_age::StreamError;
use tokio::io::{AsyncReadExt as _, AsyncSeek as _, AsyncSeekExt as _};

use crate::async_read::open_async;
use crate::flaky::{Flaky, block_on, once};
use crate::seek::to;
use crate::stuck::{Stuck, assert_stuck};
use crate::support::{CHUNK, SEALED, open, payload_start, plaintext, seal};

#[derive(Debug, Clone, Copy)]
enum Step {
    Seek(SeekFrom),
    /// A seek whose future is dropped after one poll.
    GiveUp(SeekFrom),
    Read(usize),
    /// A read whose future is dropped after one poll.
    Glance(usize),
    Length,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => to().prop_map(Step::Seek),
        2 => to().prop_map(Step::GiveUp),
        4 => prop_oneof![0usize..40, 65_530usize..65_545, 0usize..200_000].prop_map(Step::Read),
        2 => (1usize..100_000).prop_map(Step::Glance),
        1 => Just(Step::Length),
    ]
}

/// Returns the part of a result on which two readers must agree.
fn outcome<T>(result: io::Result<T>) -> Result<T, (io::ErrorKind, Option<StreamError>)> {
    result.map_err(|error| (error.kind(), StreamError::of(&error)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seeks_and_reads_are_those_of_the_reader_that_blocks(
        len in prop::sample::select(&[0usize, 1, 65535, 65536, 65537, 131_072, 200_000, 330_000][..]),
        before in prop::sample::select(&[0usize, 1, 5000][..]),
        damage in 0..4,
        steps in prop::collection::vec(step(), 1..25),
        seed in any::<u64>(),
    ) {
        let mut file = seal(&plaintext(len));
        let payload = payload_start(&file);
        match damage {
            // The last chunk is corrupt or missing, or the first one is corrupt.
            1 => *file.last_mut().unwrap() ^= 1,
            2 => file.truncate(payload + len.saturating_sub(1) / CHUNK * SEALED),
            3 => file[payload] ^= 1,
            _ => {}
        }
        // The file may begin anywhere in the input.
        let mut input = Cursor::new([vec![0xaa; before], file].concat());
        input.set_position(before as u64);
        let mut expected = open(input.clone());
        let mut reader = open_async(Flaky::new(input, seed));
        for step in steps {
            // The next operation returns the error of a cancelled seek.
            match step {
                Step::Seek(to) => {
                    let found = outcome(block_on(reader.seek(to)));
                    prop_assert_eq!(found, outcome(expected.seek(to)), "{:?}", step);
                }
                Step::GiveUp(to) => {
                    let found = once(pin!(reader.seek(to))).map(outcome);
                    let expected = outcome(expected.seek(to));
                    let found = match found {
                        Some(found) => found,
                        // The next operation completes the seek.
                        None => outcome(block_on(async {
                            let mut nothing = [0; 1];
                            if seed % 2 == 0 && expected.is_err() {
                                return reader.read(&mut nothing).await.map(|_| 0);
                            }
                            reader.stream_position().await
                        })),
                    };
                    prop_assert_eq!(found, expected, "{:?}", step);
                }
                Step::Read(n) => {
                    let (mut found, mut wanted) = (Vec::new(), Vec::new());
                    let result = block_on((&mut reader).take(n as u64).read_to_end(&mut found));
                    let wanted_result = (&mut expected).take(n as u64).read_to_end(&mut wanted);
                    prop_assert_eq!(outcome(result), outcome(wanted_result), "{:?}", step);
                    prop_assert!(found == wanted, "{:?}: {} bytes, not {}", step, found.len(), wanted.len());
                }
                Step::Glance(n) => {
                    let (mut found, mut wanted) = (vec![0; n], vec![0; n]);
                    match once(pin!(reader.read(&mut found))) {
                        None => {}
                        Some(result) => {
                            prop_assert_eq!(outcome(result), outcome(expected.read(&mut wanted)));
                            prop_assert!(found == wanted, "{:?}", step);
                        }
                    }
                }
                Step::Length => {
                    prop_assert_eq!(outcome(block_on(reader.plaintext_len())), outcome(expected.plaintext_len()));
                }
            }
        }
    }
}

#[test]
fn a_read_completes_a_seek_that_was_given_up() {
    let text = plaintext(3 * CHUNK + 5);
    let file = seal(&text);
    for seed in 0..50 {
        let mut reader = open_async(Flaky::new(Cursor::new(&file), seed));
        let given_up = once(pin!(reader.seek(SeekFrom::End(-100)))).is_none();
        if given_up {
            let again = Pin::new(&mut reader).start_seek(SeekFrom::Start(0));
            assert_eq!(again.unwrap_err().kind(), io::ErrorKind::Other, "one after the other");
        }
        let mut end = Vec::new();
        block_on(reader.read_to_end(&mut end)).unwrap();
        assert!(end == text[text.len() - 100..], "{given_up}");
    }
}

#[test]
fn a_reader_that_cannot_be_moved_back_gives_nothing_unless_nothing_has_moved() {
    let text = plaintext(3 * CHUNK);
    let file = seal(&text);
    // The fourth seek is to the target.
    for seeks in 0..=4 {
        let mut reader = open_async(Stuck::new(&file, seeks));
        block_on(reader.read_exact(&mut [0; 100])).unwrap();
        let moved = block_on(reader.seek(SeekFrom::End(-7)));
        assert_eq!(moved.is_ok(), seeks == 4);
        let mut out = Vec::new();
        let read = block_on(reader.read_to_end(&mut out)).map(drop);
        assert_stuck(seeks, moved, read, &out, &text);
    }
}
