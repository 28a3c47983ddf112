//! Damage at the boundaries of the batches of sixteen chunks that one thread processes.

use std::fs;

use crate::support::{Dir, bytes};

const CHUNK: usize = 65_536;
const SEALED: usize = CHUNK + 16;
const BATCH: usize = 16;

/// Decrypts `file` from a file and from a pipe, to a file and to a pipe, with one thread and with
/// several. An output file must get nothing, and a pipe must get `whole` chunks of `data`.
#[track_caller]
fn refused(dir: &Dir, file: &[u8], data: &[u8], whole: usize, what: &str) {
    dir.write("bad", file);
    dir.write("out", "old");
    let names = dir.names();
    let messages: Vec<_> = ["1", "3"]
        .into_iter()
        .flat_map(|threads| {
            let open = ["-d", "-i", "key.txt", "-t", threads];
            let piped = dir.run_with(file, open).failed_somehow();
            assert!(piped.stdout == data[..whole * CHUNK], "{what}: {} bytes", piped.stdout.len());
            let to_pipe = dir.run(open.iter().chain(&["bad"])).failed_somehow();
            assert!(to_pipe.stdout == data[..whole * CHUNK], "{what}: {} bytes", to_pipe.stdout.len());
            let to_file = dir.run(open.iter().chain(&["-o", "out", "bad"])).failed_somehow();
            assert!(dir.read("out") == b"old" && dir.names() == names, "{what}: the target was touched");
            [piped, to_pipe, to_file]
                .map(|run| String::from_utf8(run.stderr).unwrap().replace("standard input", "\"bad\""))
        })
        .collect();
    assert!(messages.iter().all(|one| *one == messages[0]), "{what}: not the same error every time: {messages:#?}");
}

/// Encrypts `len` bytes. Returns the bytes, the encrypted file, and the length of its header and
/// nonce together.
fn sealed(dir: &Dir, len: usize) -> (Vec<u8>, Vec<u8>, usize) {
    let data = bytes(len);
    dir.encrypt(&data, "good");
    let file = fs::read(dir.path("good")).unwrap();
    let start = file.len() - len - 16 * len.div_ceil(CHUNK).max(1);
    (data, file, start)
}

#[test]
fn chunks_that_are_missing_moved_repeated_or_changed() {
    let dir = Dir::with_key();
    // One batch for each of three threads, and the beginning of another.
    let (data, file, start) = sealed(&dir, 3 * BATCH * CHUNK + 2 * CHUNK + 100);
    let at = |chunk: usize| start + chunk * SEALED;
    for chunk in [1, 2, 3].into_iter().flat_map(|batch| [batch * BATCH - 1, batch * BATCH]) {
        let (before, current, next) = (&file[..at(chunk)], &file[at(chunk)..at(chunk + 1)], &file[at(chunk + 1)..]);
        let case = |what: &str| format!("{what} {chunk}");
        refused(&dir, before, &data, chunk, &case("cut before"));
        refused(&dir, &before[..before.len() - 1], &data, chunk - 1, &case("cut one byte before"));
        refused(&dir, &file[..at(chunk) + 1], &data, chunk, &case("cut one byte after the beginning of"));
        refused(&dir, &[before, next].concat(), &data, chunk, &case("without"));
        refused(&dir, &[before, current, current, next].concat(), &data, chunk + 1, &case("twice"));
        let swapped = [&file[..at(chunk - 1)], current, &file[at(chunk - 1)..at(chunk)], next].concat();
        refused(&dir, &swapped, &data, chunk - 1, &case("swapped with the one before"));
        let mut changed = file.clone();
        changed[at(chunk)] ^= 1;
        refused(&dir, &changed, &data, chunk, &case("changed"));
    }
}

#[test]
fn data_after_the_last_chunk_is_an_error() {
    let dir = Dir::with_key();
    for chunks in [BATCH, BATCH + 1, 3 * BATCH] {
        let (data, file, start) = sealed(&dir, chunks * CHUNK);
        let last = &file[start + (chunks - 1) * SEALED..];
        let first = &file[start..start + SEALED];
        for (more, what) in [(&[0][..], "a byte"), (last, "the last chunk again"), (first, "the first chunk again")] {
            // The last chunk is full. Its nonce marks it as the last one, even if more bytes
            // follow.
            refused(&dir, &[&file[..], more].concat(), &data, chunks, &format!("{chunks} chunks and {what}"));
        }
        // Without its last chunk, the file has only complete chunks, and none that is marked as the
        // last.
        refused(&dir, &file[..file.len() - SEALED], &data, chunks - 1, &format!("{chunks} chunks without the last"));
    }
}
