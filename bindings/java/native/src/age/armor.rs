//! The text form of files, decoded from pieces that Java passes.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use jni_sys::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong};
use sealane_age::armor::ArmoredReader;

use super::machine::{bytes, free, give, object_mut, run};

/// The text that has not been decoded yet.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    at: usize,
    ended: bool,
}

/// The text as a reader. `WouldBlock` means that more text must be passed first.
#[derive(Clone, Default)]
struct Pieces(Arc<Mutex<Text>>);

impl Pieces {
    fn add(&self, piece: &[u8], ended: bool) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = text.at;
        text.bytes.drain(..at);
        text.at = 0;
        text.bytes.extend_from_slice(piece);
        text.ended |= ended;
    }
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = &text.bytes[text.at..];
        if rest.is_empty() && !text.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        text.at += n;
        Ok(n)
    }
}

struct Decoder {
    pieces: Pieces,
    reader: ArmoredReader<Pieces>,
    decoded: Vec<u8>,
}

/// Returns a new decoder.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_armorNew(env: *mut JNIEnv, _class: jclass) -> jlong {
    let body = |_: &_| {
        let pieces = Pieces::default();
        Ok(give(Decoder { reader: ArmoredReader::armored(pieces.clone()), pieces, decoded: Vec::new() }))
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, 0, body) }
}

/// Takes a piece of text, and writes as many decoded bytes as there is room for. Returns their
/// number. If the output is full, more decoded bytes may be waiting.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_armorDecode(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    piece: jbyteArray,
    ended: jboolean,
    output: jbyteArray,
    output_len: jint,
) -> jint {
    let body = |env: &crate::jni::arrays::Environment| {
        // SAFETY: the rules in `mod.rs`.
        let decoder: &mut Decoder = unsafe { object_mut(number) };
        decoder.pieces.add(&bytes(env, piece)?, ended);
        decoder.decoded.resize(output_len as usize, 0);
        let mut filled = 0;
        while filled < decoder.decoded.len() {
            match decoder.reader.read(&mut decoder.decoded[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // First returns the bytes before the fault. The next call finds the fault again.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error.into()),
            }
        }
        env.set(output, 0, filled, decoder.decoded.as_ptr());
        Ok(filled as jint)
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, -1, body) }
}

/// Frees a decoder.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_armorFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules in `mod.rs`.
    unsafe { free::<Decoder>(number) }
}
