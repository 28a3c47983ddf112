//! QUIC's header protection with ChaCha20 (RFC 9001, section 5.4.4).
//!
//! QUIC seals the payload of a packet with [`crate::ChaCha20Poly1305`]. The packet number and some
//! bits of the first byte are then combined with a mask, which depends on a sample of the
//! ciphertext. [`HeaderProtectionKey::header_protection_masks`] computes the masks of packets that
//! [`crate::ChaChaPoly1305::seal_batch`] has sealed together.
//!
//! ```
//! use sealane::quic::{HeaderProtectionKey, MASK_BYTES, Mask, Sample};
//!
//! # let hp_key = [0x25; 32];
//! # let packets = [[0x5e; 40]; 3];
//! let key = HeaderProtectionKey::new(&hp_key);
//!
//! // The sample begins four bytes after the start of the packet number, here at byte 1.
//! let samples: [Sample; 3] = packets.map(|packet| *packet[1 + 4..].first_chunk().expect("a long packet"));
//! let mut masks: [Mask; 3] = [[0; MASK_BYTES]; 3];
//! key.header_protection_masks(&samples, &mut masks);
//! assert_eq!(masks[0], key.header_protection_mask(&samples[0]));
//! ```

use core::fmt;

use sealane_simd::{Level, Simd, Words, dispatch};

use crate::backend::{Backend, BatchFamily, SelfTestOf};
use crate::chacha20::many::{self, Keys, Row};
use crate::chacha20::{CONSTANTS, KEY_BYTES, State, apply_chacha20};
use crate::wipe::wipe;

/// Length of a sample of ciphertext in bytes (RFC 9001, section 5.4.2).
pub const SAMPLE_BYTES: usize = 16;
/// Length of a mask in bytes (RFC 9001, section 5.4.1).
pub const MASK_BYTES: usize = 5;

/// A sample of ciphertext.
pub type Sample = [u8; SAMPLE_BYTES];
/// A mask for the first byte of a packet, and for up to four bytes of its packet number.
pub type Mask = [u8; MASK_BYTES];

/// The header protection key of one packet protection level, called `hp_key` in RFC 9001. It is
/// wiped when it is dropped.
#[derive(Clone)]
pub struct HeaderProtectionKey {
    /// ChaCha20's initial state. Its last row, the block counter and nonce, is zero; a sample
    /// replaces it.
    state: State,
    level: Level,
}

impl HeaderProtectionKey {
    /// Returns the key, on the backend of [`Backend::detect`].
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Does the same as [`HeaderProtectionKey::new`], on the given backend.
    #[must_use]
    pub fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
        let mut this = Self { state: [0; 16], level: backend.level() };
        this.state[..4].copy_from_slice(&CONSTANTS);
        for (word, bytes) in this.state[4..].iter_mut().zip(key.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        this
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Returns the mask for a packet with this sample.
    #[must_use]
    pub fn header_protection_mask(&self, sample: &Sample) -> Mask {
        let mut state = self.state;
        let last_row = many::row(sample);
        state[12..].copy_from_slice(&last_row);
        let mut mask = [0; MASK_BYTES];
        // The RFC encrypts zeros. The first word of the sample is the block counter.
        apply_chacha20(self.level, &state, last_row[0], &mut mask);
        wipe(&mut state);
        mask
    }

    /// Writes the masks for packets with these samples to `masks`. The results are the same as
    /// those of [`HeaderProtectionKey::header_protection_mask`], but many packets take less time,
    /// because they share vectors.
    ///
    /// # Panics
    /// If the numbers of samples and masks differ; nothing is written then.
    pub fn header_protection_masks(&self, samples: &[Sample], masks: &mut [Mask]) {
        assert_eq!(samples.len(), masks.len(), "the numbers of samples and masks differ");
        if SelfTestOf::<BatchFamily>::of(self.level).passed() {
            self.header_protection_masks_untested(samples, masks);
        } else {
            self.one_by_one(samples, masks);
        }
        crate::fault::flip("batch", self.level, masks.as_flattened_mut());
    }

    /// Does the same as [`HeaderProtectionKey::header_protection_masks`], without a self-test of
    /// the kernels. The self-test itself calls it.
    pub(crate) fn header_protection_masks_untested(&self, samples: &[Sample], masks: &mut [Mask]) {
        let together = samples.len() - dispatch!(self.level, token => left_over(token, samples.len()));
        let (samples, last_samples) = samples.split_at(together);
        let (masks, last_masks) = masks.split_at_mut(together);
        if !samples.is_empty() {
            dispatch!(self.level, token => blocks(token, &self.state, samples, masks));
        }
        self.one_by_one(last_samples, last_masks);
    }

    fn one_by_one(&self, samples: &[Sample], masks: &mut [Mask]) {
        for (sample, mask) in samples.iter().zip(masks) {
            *mask = self.header_protection_mask(sample);
        }
    }
}

/// Returns how many of the last packets are computed one by one: all if the backend has no vectors,
/// otherwise those that would fill only a small part of a vector.
#[inline(always)]
fn left_over<S: Simd>(_: S, packets: usize) -> usize {
    if !S::VECTORS {
        return packets;
    }
    let rest = packets % S::Words::LANES;
    if rest <= S::Words::LANES / 4 { rest } else { 0 }
}

/// Computes the masks on vectors, with one packet in each lane.
#[inline(always)]
fn blocks<S: Simd>(token: S, state: &State, samples: &[Sample], masks: &mut [Mask]) {
    if S::VECTORS {
        let rows: &[Row] = state.as_chunks().0;
        many::block_starts(token, Keys::Shared([&rows[1], &rows[2]]), samples.iter().map(many::row), masks);
    }
}

impl Drop for HeaderProtectionKey {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl zeroize::ZeroizeOnDrop for HeaderProtectionKey {}

impl fmt::Debug for HeaderProtectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeaderProtectionKey").field("backend", &self.level).finish_non_exhaustive()
    }
}
