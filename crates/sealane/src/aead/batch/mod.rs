//! Many messages under one key at once.

mod in_turn;
mod interleaved;
mod request;
mod shared_vectors;
mod trio;

use core::fmt;

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;

use super::cipher::{AeadLayout, ChaChaPoly1305, check_length};
use crate::backend::{BatchFamily, SelfTestOf};
use crate::error::OpenError;
use crate::poly1305::Tag;
use crate::wipe::wipe;
use request::{Operation, Request};
use shared_vectors::Batch;
use trio::Trio;

/// A message for [`ChaChaPoly1305::seal_batch`]. It is encrypted in place, and its tag is written
/// where the caller wants it, such as after the ciphertext in a packet. A request that was sealed
/// is left as it is if it is passed again, because encrypting twice would decrypt it.
///
/// `N` is the type of the nonce: `[u8; 12]`, or `[u8; 24]` for XChaCha20-Poly1305.
///
/// ```
/// use sealane::{ChaCha20Poly1305, OpenRequest, SealRequest};
///
/// let cipher = ChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
/// let (mut packets, mut tags) = ([*b"one", *b"two"], [[0; 16]; 2]);
/// let mut requests = Vec::new();
/// for (number, (packet, tag)) in packets.iter_mut().zip(&mut tags).enumerate() {
///     requests.push(SealRequest::new([number as u8; 12], b"", packet, tag));
/// }
/// cipher.seal_batch(&mut requests);
///
/// let mut requests = Vec::new();
/// for (number, (packet, tag)) in packets.iter_mut().zip(&tags).enumerate() {
///     requests.push(OpenRequest::new([number as u8; 12], b"", packet, tag));
/// }
/// cipher.open_batch(&mut requests);
/// assert_eq!(requests[1].plaintext()?, b"two");
/// # Ok::<(), sealane::OpenError>(())
/// ```
pub struct SealRequest<'a, N = [u8; 12]> {
    nonce: N,
    aad: &'a [u8],
    buffer: &'a mut [u8],
    tag: &'a mut Tag,
    sealed: bool,
}

impl<'a, N> SealRequest<'a, N> {
    /// Returns a request to encrypt `buffer` in place, to authenticate it together with the
    /// associated data `aad`, and to write the tag to `tag`.
    #[inline]
    #[must_use]
    pub fn new(nonce: N, aad: &'a [u8], buffer: &'a mut [u8], tag: &'a mut Tag) -> Self {
        Self { nonce, aad, buffer, tag, sealed: false }
    }

    fn message(&mut self) -> (&N, Request<'_>) {
        self.sealed = true;
        (&self.nonce, Request { aad: self.aad, data: self.buffer, operation: Operation::Seal(self.tag) })
    }
}

/// A message for [`ChaChaPoly1305::open_batch`]. It is decrypted in place. A request that was
/// opened is left as it is if it is passed again.
///
/// `N` is the type of the nonce: `[u8; 12]`, or `[u8; 24]` for XChaCha20-Poly1305.
pub struct OpenRequest<'a, N = [u8; 12]> {
    nonce: N,
    aad: &'a [u8],
    buffer: &'a mut [u8],
    tag: &'a Tag,
    authentic: bool,
}

impl<'a, N> OpenRequest<'a, N> {
    /// Returns a request to decrypt `buffer` in place, if it, the associated data `aad`, `nonce`
    /// and `tag` are authentic together.
    #[inline]
    #[must_use]
    pub fn new(nonce: N, aad: &'a [u8], buffer: &'a mut [u8], tag: &'a Tag) -> Self {
        Self { nonce, aad, buffer, tag, authentic: false }
    }

    fn message(&mut self) -> (&N, Request<'_>) {
        let operation = Operation::Open(self.tag, &mut self.authentic);
        (&self.nonce, Request { aad: self.aad, data: self.buffer, operation })
    }

    /// Returns the plaintext, after [`ChaChaPoly1305::open_batch`].
    ///
    /// # Errors
    /// [`OpenError`] if the message is not authentic, or has not been opened yet.
    #[inline]
    pub fn plaintext(&mut self) -> Result<&mut [u8], OpenError> {
        if self.authentic { Ok(self.buffer) } else { Err(OpenError) }
    }

    /// Returns the plaintext, for as long as the buffer lives. See [`OpenRequest::plaintext`].
    ///
    /// # Errors
    /// The errors of [`OpenRequest::plaintext`].
    #[inline]
    pub fn into_plaintext(self) -> Result<&'a mut [u8], OpenError> {
        if self.authentic { Ok(self.buffer) } else { Err(OpenError) }
    }
}

impl<N> fmt::Debug for SealRequest<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealRequest").field("bytes", &self.buffer.len()).finish_non_exhaustive()
    }
}

impl<N> fmt::Debug for OpenRequest<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, authentic) = (&self.buffer.len(), &self.authentic);
        f.debug_struct("OpenRequest").field("bytes", bytes).field("authentic", authentic).finish_non_exhaustive()
    }
}

/// # Many messages at once
///
/// Independent messages share vectors, which one short message does not fill. For network packets
/// and database records, a batch is faster than the same messages one by one. The lengths of the
/// messages may differ, but messages of similar length share more work. Nothing is allocated.
///
/// Ciphertexts and tags are the same as one by one, byte for byte. These messages are processed one
/// by one, at the cost of [`ChaChaPoly1305::seal_in_place`]:
/// - long messages, and on some backends those with long associated data;
/// - the messages of a small batch, unless they are very short;
/// - all messages of a call to which a request is passed again;
/// - all messages on the portable backend.
///
/// ```
/// use sealane::{ChaCha20Poly1305, OpenRequest, SealRequest, TAG_BYTES};
///
/// let cipher = ChaCha20Poly1305::new(&[0x42; 32]);
/// let nonce = |number: u64| {
///     let mut nonce = [0; 12]; // never used twice with one key: here the packet's number
///     nonce[4..].copy_from_slice(&number.to_be_bytes());
///     nonce
/// };
///
/// // Packets: a header of 4 bytes, the payload, room for the tag.
/// let mut packets = [[7; 4 + 64 + TAG_BYTES]; 32];
/// let mut requests: Vec<_> = (0..).zip(&mut packets).map(|(number, packet)| {
///     let (header, rest) = packet.split_at_mut(4);
///     let (payload, tag) = rest.split_last_chunk_mut().expect("longer than a tag");
///     SealRequest::new(nonce(number), header, payload, tag)
/// }).collect();
/// cipher.seal_batch(&mut requests);
///
/// packets[5][10] ^= 1; // damaged in transit
///
/// let mut requests: Vec<_> = (0..).zip(&mut packets).map(|(number, packet)| {
///     let (header, rest) = packet.split_at_mut(4);
///     let (payload, tag) = rest.split_last_chunk_mut().expect("longer than a tag");
///     OpenRequest::new(nonce(number), header, payload, tag)
/// }).collect();
/// assert!(cipher.open_batch(&mut requests).is_err(), "not all of them are authentic");
/// for (number, request) in requests.into_iter().enumerate() {
///     match request.into_plaintext() {
///         Ok(payload) => assert_eq!(payload, [7; 64]),
///         Err(_) => assert_eq!(number, 5),
///     }
/// }
/// ```
impl<L: AeadLayout> ChaChaPoly1305<L> {
    /// Encrypts the buffer of each request in place and writes its tag.
    ///
    /// # Panics
    /// If a buffer is longer than [`crate::MAX_MESSAGE_BYTES`]; nothing is written then.
    pub fn seal_batch(&self, requests: &mut [SealRequest<'_, L::Nonce>]) {
        requests.iter().for_each(|request| check_length(request.buffer.len()));
        self.once(requests, |request| request.sealed, SealRequest::message);
        if let Some(request) = requests.first_mut() {
            crate::fault::flip("batch", self.level, request.tag);
        }
    }

    /// Decrypts the buffer of each request in place if it, its associated data, nonce and tag are
    /// authentic together. [`OpenRequest::plaintext`] then returns it.
    ///
    /// One message that is not authentic does not affect the others. **Its buffer is wiped**,
    /// unlike in [`ChaChaPoly1305::open_in_place`], which restores the ciphertext.
    ///
    /// # Errors
    /// [`OpenError`] if any message is not authentic; the others have been opened nevertheless.
    pub fn open_batch(&self, requests: &mut [OpenRequest<'_, L::Nonce>]) -> Result<(), OpenError> {
        self.once(requests, |request| request.authentic, OpenRequest::message);
        if requests.iter().all(|request| request.authentic) { Ok(()) } else { Err(OpenError) }
    }

    /// Does the same as [`ChaChaPoly1305::seal_batch`] for the self-test, whose result it does not
    /// wait for. Does not check the lengths.
    pub(crate) fn seal_batch_untested(&self, requests: &mut [SealRequest<'_, L::Nonce>]) {
        self.together(requests.iter_mut().map(SealRequest::message));
    }

    /// Does the same as [`ChaChaPoly1305::open_batch`] for the self-test, whose result it does not
    /// wait for. Returns no error: the requests have the results.
    pub(crate) fn open_batch_untested(&self, requests: &mut [OpenRequest<'_, L::Nonce>]) {
        self.together(requests.iter_mut().map(OpenRequest::message));
    }

    /// Processes the messages of the requests that are not done.
    fn once<'a, R>(
        &self,
        requests: &'a mut [R],
        is_done: impl Fn(&R) -> bool,
        message: impl Fn(&'a mut R) -> (&'a L::Nonce, Request<'a>),
    ) where
        L::Nonce: 'a,
    {
        if requests.iter().any(&is_done) {
            let left = requests.iter_mut().filter(|request| !is_done(request));
            left.map(message).for_each(|(nonce, message)| self.alone(nonce, message));
        } else {
            self.batch(requests.iter_mut().map(message));
        }
    }

    fn batch<'a>(&self, messages: impl ExactSizeIterator<Item = (&'a L::Nonce, Request<'a>)>)
    where
        L::Nonce: 'a,
    {
        if SelfTestOf::<BatchFamily>::of(self.level).passed() {
            self.together(messages);
        } else {
            messages.for_each(|(nonce, message)| self.alone(nonce, message));
        }
    }

    fn together<'a>(&self, mut messages: impl ExactSizeIterator<Item = (&'a L::Nonce, Request<'a>)>)
    where
        L::Nonce: 'a,
    {
        let tuning = self.level.tuning();
        let mut trio = Trio::new(self.level);
        // Created for the first message that needs it, because it is large.
        let mut batch: Option<Batch<'_>> = None;
        while let Some((nonce, message)) = messages.next() {
            let left = if batch.as_ref().is_none_or(Batch::is_empty) { messages.len() + 1 } else { usize::MAX };
            let are_few = tuning.batch_min_short_messages.is_none_or(|min| left < min);
            if are_few && trio.takes(&message) {
                trio.push(
                    message,
                    #[inline(always)]
                    |state| self.fill_state(nonce, state),
                );
                continue;
            }
            let bytes = message.data.len().saturating_add(message.aad.len());
            let is_long = tuning.batch_max_bytes.is_none_or(|max| bytes > max);
            // A backend that interleaves short messages authenticates a batch on integers. If a
            // message is processed alone, its long associated data is authenticated on vectors.
            let has_long_aad = tuning.interleaves_short_messages() && message.aad.len() > SHORT_MAX_AAD_BYTES;
            if left < tuning.batch_min_messages || is_long || has_long_aad {
                self.alone(nonce, message);
                continue;
            }
            let batch = batch.get_or_insert_with(|| Batch::new(&self.key));
            batch.push(nonce.as_ref(), message);
            if batch.is_full() {
                batch.run(self.level);
                batch.clear();
            }
        }
        trio.run();
        if let Some(batch) = &mut batch
            && !batch.is_empty()
        {
            batch.run(self.level);
        }
    }

    fn alone(&self, nonce: &L::Nonce, Request { aad, data, operation }: Request<'_>) {
        match operation {
            Operation::Nothing => {}
            Operation::Seal(tag) => *tag = self.seal_in_place(nonce, aad, data),
            Operation::Open(tag, authentic) => {
                *authentic = self.open_in_place(nonce, aad, data, tag).is_ok();
                if !*authentic {
                    wipe(data);
                }
            }
        }
    }
}
