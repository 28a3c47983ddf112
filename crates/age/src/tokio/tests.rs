//! Tests of private parts: under the same key, both writers give the same bytes.

use std::io::{Read as _, Write as _};

use ::tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use sealane::Backend;

use super::writer::State;
use super::{AsyncStreamReader, AsyncStreamWriter};
use crate::input::Input;
use crate::stream::{CHUNK_BYTES, ChunkCipher, PayloadKey, Sealer, StreamReader, StreamWriter};

#[path = "../../tests/format/flaky.rs"]
#[allow(dead_code, reason = "some of it is for other tests")]
mod flaky;

use flaky::{Dice, Flaky, block_on};

fn key() -> PayloadKey {
    PayloadKey::with_cipher(ChunkCipher::new(&[9; 32], Backend::detect()))
}

fn writer<W>(inner: W, start: &[u8]) -> AsyncStreamWriter<W> {
    AsyncStreamWriter { inner, start: start.to_vec(), sealer: Sealer::new(key()), written: 0, state: State::Open }
}

#[test]
fn both_writers_write_the_same_and_both_readers_read_it() {
    let near = |n: usize| [n.saturating_sub(1), n, n + 1];
    let lengths = [0, 1, 2, 3, 4, 5, 8].map(|chunks| near(chunks * CHUNK_BYTES)).concat();
    for (seed, len) in (1..).zip(lengths) {
        let text: Vec<u8> = (0..len).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect();
        let mut sync = StreamWriter::new(b"header".to_vec(), key());
        sync.write_all(&text).unwrap();
        let file = sync.finish().unwrap();

        for (seed, finish) in [(2 * seed, false), (2 * seed + 1, true)] {
            let mut dice = Dice::new(seed);
            let mut writer = writer(Flaky::new(Vec::new(), seed), b"header");
            let written = block_on(async {
                let mut rest = &text[..];
                while !rest.is_empty() {
                    let n = rest.len().min(1 + dice.roll(100_000) as usize);
                    writer.write_all(&rest[..n]).await.unwrap();
                    rest = &rest[n..];
                    if dice.roll(4) == 0 {
                        writer.flush().await.unwrap();
                    }
                }
                if finish {
                    return writer.finish().await.unwrap().inner;
                }
                writer.shutdown().await.unwrap();
                writer.inner.inner
            });
            assert!(written == file, "{len} {seed}");

            let payload = &file[b"header".len()..];
            let mut opened = Vec::new();
            let mut reader = AsyncStreamReader::new(Input::new(Flaky::new(payload, seed)), key());
            block_on(reader.read_to_end(&mut opened)).unwrap();
            assert!(opened == text, "{len} {seed}");
            opened.clear();
            StreamReader::new(Input::new(payload), 0, key()).read_to_end(&mut opened).unwrap();
            assert!(opened == text, "{len}");
        }
    }
}
