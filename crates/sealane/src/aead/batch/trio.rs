//! Three short messages at a time.
//!
//! The rows of one short message fill one set of vectors, whose operations wait for each other. The
//! rows of three messages take little longer. Each message has a separate state, so the messages
//! may have different keys. [`rows`] explains sets.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{Level, Simd, Token, Words, dispatch, xor_bytes};

use super::request::{Operation, Request};
use crate::aead::construction::{begin_mac, finish_mac, lengths};
use crate::aead::plan;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel;
use crate::chacha20::rows::{self};
use crate::chacha20::state::State;
use crate::wipe::wipe;

/// Messages that are processed together.
const MESSAGES: usize = 3;

/// Up to three messages, and their states.
pub(super) struct Trio<'a> {
    messages: [Request<'a>; MESSAGES],
    states: [State; MESSAGES],
    len: usize,
    level: Level,
    /// The length of the longest message for which a set has key stream, besides block 0. `None` if
    /// a set is a single block, or the backend has no vectors.
    max_bytes: Option<usize>,
}

impl<'a> Trio<'a> {
    pub(super) fn new(level: Level) -> Self {
        Self {
            messages: [Request::default(), Request::default(), Request::default()],
            states: [[0; 16]; MESSAGES],
            len: 0,
            level,
            max_bytes: dispatch!(level, token => max_bytes(token)),
        }
    }

    /// Returns whether `message` may be pushed.
    pub(super) fn takes(&self, message: &Request<'a>) -> bool {
        self.max_bytes.is_some_and(|max| message.data.len() <= max) && message.aad.len() <= SHORT_MAX_AAD_BYTES
    }

    /// Adds a message, whose state `fill` fills. Processes the messages once there are three.
    #[inline(always)]
    pub(super) fn push(&mut self, message: Request<'a>, fill: impl FnOnce(&mut State)) {
        fill(&mut self.states[self.len]);
        self.messages[self.len] = message;
        self.len += 1;
        if self.len == MESSAGES {
            self.run();
        }
    }

    /// Seals and opens the messages that were pushed since the last call.
    #[inline(never)]
    pub(super) fn run(&mut self) {
        if self.len > 0 {
            dispatch!(self.level, token => self.run_on(token));
            self.len = 0;
        }
    }

    #[inline(always)]
    fn run_on<S: Simd>(&mut self, token: S) {
        let messages = &self.messages[..self.len];
        // With block 0, a longer message would not fit into a set of narrower vectors.
        let longest = messages.iter().map(|message| message.data.len()).max().unwrap_or(0);
        if longest <= BLOCK_BYTES && plan::is_for_narrower(token, longest) {
            return on_narrower!(token => self.run_on(token));
        }
        match self.len {
            1 => self.run_inlined::<_, 1>(token),
            2 => self.run_inlined::<_, 2>(token),
            _ => self.run_inlined::<_, MESSAGES>(token),
        }
    }

    #[inline(always)]
    fn run_inlined<S: Simd, const SETS: usize>(&mut self, token: S) {
        if max_bytes(token).is_none() {
            // No kernel is compiled for a backend on which nothing can be pushed.
            return assert!(self.len == 0, "nothing can have been pushed");
        }
        let states = self.states.first_chunk::<SETS>().expect("at most three");
        let rows = kernel::first_sets::<S, SETS>(token, states);
        let mut key_streams = [S::Words::ZERO_BLOCKS; SETS];
        for i in 0..SETS {
            key_streams[i] = rows::blocks(&rows[i]);
        }
        for (message, key_stream) in self.messages.iter_mut().zip(&mut key_streams) {
            run(message, key_stream.as_ref());
            wipe(key_stream.as_mut());
        }
    }
}

impl Drop for Trio<'_> {
    fn drop(&mut self) {
        wipe(&mut self.states);
    }
}

#[inline(always)]
fn max_bytes<S: Simd>(token: S) -> Option<usize> {
    if S::TUNING.narrower_max_bytes.is_some() {
        return max_bytes(token.for_narrower());
    }
    if S::VECTORS && S::Words::ROWS > 1 { Some(rows::set_bytes::<S>() - BLOCK_BYTES) } else { None }
}

/// Seals or opens a message with its key stream, block 0 first.
#[inline(always)]
fn run(message: &mut Request<'_>, key_stream: &[u8]) {
    let (aad, bytes) = (message.aad, message.data.len());
    let (block_0, key_stream) = key_stream.split_at(BLOCK_BYTES);
    let mac = begin_mac(block_0, aad);
    let lengths = lengths(aad.len(), bytes);
    if let Operation::Seal(_) = message.operation {
        xor_bytes(message.data, key_stream);
    }
    message.finish(&finish_mac(mac, message.data, &lengths));
    if let Operation::Open(..) = message.operation {
        // A message that is not authentic has no data left.
        xor_bytes(message.data, key_stream);
    }
}
