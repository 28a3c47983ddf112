//! Damaged files give a typed error, and exactly the authenticated prefix.

use std::io::Write;

use sealane_age::header::HeaderError;
use sealane_age::{DecryptError, Decryptor, Identity, StreamError};

use crate::support::{
    CHUNK, SEALED, drain, encryptor, identity, one_line, open, open_damaged, payload_start, plaintext, seal,
};

/// Returns how many bytes a payload of `whole` bytes must release after it was cut to `len` bytes,
/// and the error that it must report.
fn truncated(len: usize, whole: usize) -> (usize, StreamError) {
    assert!(len < whole);
    let chunks = len / SEALED;
    let error = match len % SEALED {
        0 => StreamError::Truncated,
        _ => StreamError::CorruptEnd { number: chunks as u64 },
    };
    (chunks * CHUNK, error)
}

#[test]
fn a_small_file_cut_at_every_byte() {
    let file = seal(b"small");
    let start = payload_start(&file);
    for len in 0..start {
        let error = Decryptor::new(&file[..len]).err().unwrap();
        one_line(&error);
        let expected = if len == 0 { HeaderError::Empty } else { HeaderError::Truncated };
        assert!(matches!(&error, DecryptError::Header(e) if *e == expected), "{len} {error:?}");
    }
    for len in start..file.len() {
        let (released, error) = open_damaged(&file[..len]);
        assert_eq!((released.len(), error), truncated(len - start, file.len() - start), "{len}");
    }
}

#[test]
fn a_file_of_three_chunks_cut_around_every_chunk() {
    // The last chunk is short, full, or one byte long.
    for text_len in [2 * CHUNK + 1000, 3 * CHUNK, 2 * CHUNK + 1] {
        let text = plaintext(text_len);
        let file = seal(&text);
        let start = payload_start(&file);
        let whole = file.len() - start;
        let around = |n: usize| n.saturating_sub(20)..=n + 20;
        let cuts = [0, SEALED, 2 * SEALED, whole].into_iter().flat_map(around).filter(|&n| n < whole);
        let inside = (0..whole).step_by(9973);
        for cut in cuts.chain(inside) {
            let (released, error) = open_damaged(&file[..start + cut]);
            let (released_len, expected) = truncated(cut, whole);
            assert_eq!(error, expected, "{cut}");
            assert!(released == text[..released_len], "{cut}");
        }
    }
}

#[test]
fn every_changed_byte_of_the_header_and_nonce_is_noticed() {
    let file = seal(b"header");
    let start = payload_start(&file);
    let (mut malformed, mut mac, mut no_match) = (0, 0, 0);
    for at in 0..start - 16 {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            let opened = Decryptor::new(&damaged[..]).and_then(|d| d.decrypt([identity() as &dyn Identity]));
            let error = opened.err().unwrap_or_else(|| panic!("byte {at} changed by {flip:#x}"));
            one_line(&error);
            match error {
                DecryptError::Header(_) => malformed += 1,
                DecryptError::HeaderMac => mac += 1,
                DecryptError::NoMatch => no_match += 1,
                other => panic!("{at} {flip:#x} {other:?}"),
            }
        }
    }
    assert!(malformed > 0 && mac > 0 && no_match > 0, "{malformed} {mac} {no_match}");
    for at in start - 16..start {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        assert_eq!(open_damaged(&damaged), (vec![], StreamError::CorruptEnd { number: 0 }));
    }
}

#[test]
fn every_inserted_or_lost_byte_of_the_header_is_noticed() {
    let file = seal(b"header");
    for at in 0..payload_start(&file) - 16 {
        let mut longer = file.clone();
        longer.insert(at, b'A');
        let mut shorter = file.clone();
        shorter.remove(at);
        for damaged in [longer, shorter] {
            let opened = Decryptor::new(&damaged[..]).and_then(|d| d.decrypt([identity() as &dyn Identity]));
            one_line(&opened.err().unwrap_or_else(|| panic!("byte {at}")));
        }
    }
}

#[test]
fn changed_bytes_of_the_payload() {
    let text = plaintext(6 * CHUNK + 100);
    let file = seal(&text);
    let start = payload_start(&file);
    for number in 0..7 {
        let (first, end) = (start + number * SEALED, file.len().min(start + (number + 1) * SEALED));
        for at in [first, first + 50, (first + end) / 2, end - 17, end - 16, end - 1] {
            let mut damaged = file.clone();
            damaged[at] ^= 0x04;
            let (released, error) = open_damaged(&damaged);
            let number = number as u64;
            let expected =
                if number < 6 { StreamError::CorruptChunk { number } } else { StreamError::CorruptEnd { number } };
            assert_eq!(error, expected);
            assert!(released == text[..number as usize * CHUNK]);
        }
    }
}

/// Rebuilds `file` from its chunks, in the given order.
fn rearranged(file: &[u8], order: &[usize]) -> Vec<u8> {
    let (header, payload) = file.split_at(payload_start(file));
    let chunks: Vec<&[u8]> = payload.chunks(SEALED).collect();
    let order = order.iter().flat_map(|&i| chunks[i]);
    header.iter().chain(order).copied().collect()
}

#[test]
fn swapped_repeated_and_dropped_chunks() {
    let corrupt = |number| StreamError::CorruptChunk { number };
    let end = |number| StreamError::CorruptEnd { number };
    // Chunk 3 is the last one. It is full here, and short below.
    for (order, prefix, error) in [
        (&[1, 0, 2, 3][..], 0, corrupt(0)),
        (&[0, 2, 1, 3], 1, corrupt(1)),
        (&[0, 1, 3, 2], 2, corrupt(2)),
        (&[0, 0, 1, 2, 3], 1, corrupt(1)),
        (&[0, 1, 2, 2, 3], 3, corrupt(3)),
        (&[0, 1, 2, 3, 3], 4, StreamError::TrailingData),
        (&[0, 1, 2, 3, 2], 4, StreamError::TrailingData),
        (&[1, 2, 3], 0, corrupt(0)),
        (&[0, 2, 3], 1, corrupt(1)),
        (&[0, 1, 3], 2, end(2)),
        (&[0, 1, 2], 3, StreamError::Truncated),
        (&[0], 1, StreamError::Truncated),
        (&[3], 0, end(0)),
        (&[], 0, StreamError::Truncated),
    ] {
        let text = plaintext(4 * CHUNK);
        let (released, found) = open_damaged(&rearranged(&seal(&text), order));
        assert_eq!(found, error, "{order:?}");
        assert!(released == text[..prefix * CHUNK], "{order:?}");
    }
    for (order, prefix, error) in [
        (&[0, 1, 3, 2][..], 2, corrupt(2)),
        (&[0, 1, 2, 3, 3], 3, end(3)),
        (&[0, 1, 3], 2, end(2)),
        (&[0, 1, 2], 3, StreamError::Truncated),
        (&[3], 0, end(0)),
    ] {
        let text = plaintext(3 * CHUNK + 10);
        let (released, found) = open_damaged(&rearranged(&seal(&text), order));
        assert_eq!(found, error, "{order:?}");
        assert!(released == text[..prefix * CHUNK], "{order:?}");
    }
}

#[test]
fn chunks_of_another_file_do_not_pass() {
    let (text, other) = (plaintext(3 * CHUNK), seal(&plaintext(3 * CHUNK)));
    let mut file = seal(&text);
    let (start, other_start) = (payload_start(&file), payload_start(&other));
    file[start + SEALED..start + 2 * SEALED].copy_from_slice(&other[other_start + SEALED..other_start + 2 * SEALED]);
    let (released, error) = open_damaged(&file);
    assert_eq!(error, StreamError::CorruptChunk { number: 1 });
    assert!(released == text[..CHUNK]);
}

#[test]
fn bytes_after_the_end() {
    for (text_len, extra) in [
        (0, 1),
        (0, 70_000),
        (10, 1),
        (10, 16),
        (10, 200_000),
        (CHUNK, 1),
        (CHUNK, 16),
        (CHUNK, SEALED),
        (4 * CHUNK, 1),
    ] {
        let text = plaintext(text_len);
        let mut file = seal(&text);
        file.extend(std::iter::repeat_n(0x55, extra));
        let (released, error) = open_damaged(&file);
        if text_len > 0 && text_len % CHUNK == 0 {
            // The last chunk is full and authentic, so its end is known.
            assert_eq!(error, StreamError::TrailingData, "{text_len} {extra}");
            assert!(released == text);
        } else {
            let past_chunk = text_len + 16 + extra > SEALED;
            let expected = if past_chunk {
                StreamError::CorruptChunk { number: 0 }
            } else {
                StreamError::CorruptEnd { number: 0 }
            };
            assert_eq!((released.len(), error), (0, expected), "{text_len} {extra}");
        }
    }
    let text = plaintext(CHUNK);
    let mut twice = seal(&text);
    twice.extend_from_slice(&twice.clone());
    assert_eq!(open_damaged(&twice).1, StreamError::TrailingData);
}

#[test]
fn a_file_that_was_not_finished_cannot_be_read_to_the_end() {
    for len in [0, 1, CHUNK, 4 * CHUNK, 4 * CHUNK + 1, 9 * CHUNK] {
        let text = plaintext(len);
        let mut file = Vec::new();
        let mut writer = encryptor().wrap_output(&mut file).unwrap();
        writer.write_all(&text).unwrap();
        drop(writer);
        let mut reader = open(&file[..]);
        let (released, error) = drain(&mut reader);
        assert_eq!(StreamError::of(&error.unwrap()), Some(StreamError::Truncated), "{len}");
        assert!(text.starts_with(&released));
    }
}

#[test]
fn files_are_verified_without_their_plaintext() {
    for len in [0, 1, 65536, 200_000] {
        let file = seal(&plaintext(len));
        assert_eq!(open(&file[..]).verify().unwrap(), len as u64);
        let mut damaged = file.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let error = open(&damaged[..]).verify().unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::CorruptEnd { .. })), "{error:?}");
        let error = open(&file[..file.len() - 1]).verify().unwrap_err();
        assert!(StreamError::of(&error).is_some(), "{error:?}");
    }
}
