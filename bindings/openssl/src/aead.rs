//! The AEADs: one message after another, through OpenSSL's interface.
//!
//! OpenSSL does not say whether a piece is the whole message. So the first piece is processed in
//! one call, which is faster, and the context keeps enough state to continue if a second piece
//! comes. If the first piece is not an authentic message, it is decrypted all the same, unless it
//! is a TLS record.

use std::mem::MaybeUninit;

use sealane::chacha20::Layout;
use sealane::{AeadLayout, Backend, ChaChaPoly1305, MAX_MESSAGE_BYTES, Output, TAG_BYTES, Tag};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::abi::OSSL_PARAM;
use crate::buffers::Buffers;
use crate::cipher::{Cipher, KEY_BYTES, number, octets};
use crate::direction::Direction;
use crate::nonce::{Nonce, ShownNonce};
use crate::param::Param;
use crate::pieces::{LongAad, Pieces};
use crate::reason::Reason;
use crate::record::Record;
use crate::short_aad::ShortAad;

/// The longest first piece that is encrypted in one call, unless it is a TLS 1.3 record. QUIC
/// packets and DTLS records are shorter. The ciphertext is kept, because it is needed if a second
/// piece comes.
const KEPT_BYTES: usize = 2048;

/// ChaCha20-Poly1305 or XChaCha20-Poly1305.
#[derive(Clone)]
pub(crate) struct Aead<L: AeadLayout> {
    backend: Backend,
    key: Option<Key<L>>,
    nonce: Nonce<L::Nonce>,
    shown_nonce: ShownNonce,
    direction: Direction,
    /// When encrypting, the resulting tag. When decrypting, the expected tag, if `has_tag`.
    tag: Tag,
    tag_bytes: usize,
    has_tag: bool,
    aad: ShortAad,
    record: Option<Record>,
    stage: Stage<L>,
    /// The ciphertext of [`Stage::Sealed`], unless it is a record.
    kept: Vec<u8>,
}

/// A key in the two forms that are needed.
#[derive(Clone)]
struct Key<L: AeadLayout> {
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    cipher: ChaChaPoly1305<L>,
}

/// The progress of a message.
#[derive(Clone)]
enum Stage<L: Layout> {
    /// A key or a nonce is missing.
    Idle,
    /// No piece has come yet, and the associated data is in [`ShortAad`].
    Started,
    /// One piece was encrypted as the whole message.
    Sealed { is_record: bool },
    /// One piece was decrypted as the whole message, which is authentic and has this tag.
    Opened(Tag),
    /// A TLS 1.2 record was encrypted, or is authentic and was decrypted. It has this tag.
    Recorded(Tag),
    /// The message is processed in pieces.
    Pieces(Box<Pieces<L>>),
    /// The tag was computed or verified.
    Finished,
    /// The message is not authentic, or its tag is missing.
    Failed,
}

impl<L: AeadLayout> Aead<L> {
    const IS_IETF: bool = size_of::<L::Nonce>() == 12;

    /// Prepares for a new message.
    fn start(&mut self) {
        let is_ready = self.key.is_some() && self.nonce.is_set();
        self.stage = if is_ready { Stage::Started } else { Stage::Idle };
        self.aad.clear();
        self.record = None;
    }

    fn key(&self) -> Result<&Key<L>, Reason> {
        self.key.as_ref().ok_or(Reason::NoKey)
    }

    /// Returns the state in the middle of the message, to which a piece can be added.
    fn pieces(&mut self) -> Result<&mut Pieces<L>, Reason> {
        let start = match &self.stage {
            Stage::Pieces(_) => None,
            Stage::Started => Some((self.nonce.take(self.direction)?, &[][..])),
            Stage::Sealed { is_record: false } => Some((*self.nonce.get()?, &self.kept[..])),
            Stage::Sealed { is_record: true } => return Err(Reason::RecordEnded),
            Stage::Idle => return Err(if self.key.is_none() { Reason::NoKey } else { Reason::NoNonce }),
            Stage::Recorded(_) | Stage::Finished => return Err(Reason::NoNonce),
            Stage::Opened(_) | Stage::Failed => {
                // The tag was verified for a shorter message.
                self.stage = Stage::Failed;
                return Err(Reason::NotAuthentic);
            }
        };
        if let Some((nonce, sealed)) = start {
            let pieces = Pieces::new(self.direction, &self.key()?.cipher, &nonce, self.aad.get(), sealed)?;
            self.stage = Stage::Pieces(Box::new(pieces));
        }
        match &mut self.stage {
            Stage::Pieces(pieces) => Ok(pieces),
            _ => Err(Reason::Internal),
        }
    }

    /// Processes the first piece, as the whole message if possible.
    fn first_piece(&mut self, mut buffers: Buffers<'_>) -> Result<(), Reason> {
        let len = buffers.len();
        let is_record = self.aad.is_header_of_record(len);
        if self.direction == Direction::Encrypt && (is_record || len <= KEPT_BYTES) {
            let nonce = self.nonce.take(self.direction)?;
            let (ciphertext, tag) = buffers.seal(&self.key()?.cipher, &nonce, self.aad.get());
            self.tag = tag;
            self.kept.clear();
            if !is_record {
                self.kept.extend_from_slice(ciphertext);
            }
            self.stage = Stage::Sealed { is_record };
            return Ok(());
        }
        if self.direction == Direction::Decrypt && self.has_tag && self.tag_bytes == TAG_BYTES {
            let nonce = self.nonce.take(self.direction)?;
            let opened = buffers.open(&self.key()?.cipher, &nonce, self.aad.get(), &self.tag);
            if opened.is_ok() {
                self.stage = Stage::Opened(self.tag);
                return Ok(());
            } else if is_record {
                self.stage = Stage::Failed;
                return Ok(opened?);
            }
            // The piece is not the whole message, or the message is not authentic. OpenSSL's
            // interface does not tell which, and expects the plaintext now.
        }
        self.pieces()?.transform(buffers)
    }

    /// Encrypts a TLS 1.2 record and writes its tag, or decrypts one. Returns the length of the
    /// output.
    fn transform_record(
        &mut self,
        record: &Record,
        buffers: Buffers<'_>,
        tag: &mut [MaybeUninit<u8>],
    ) -> Result<usize, Reason> {
        // The associated data begins with the sequence number.
        let sequence = record.aad.first_chunk().ok_or(Reason::Internal)?;
        // Without a key, the nonce stays unused.
        self.key()?;
        let nonce =
            self.nonce.take_for_record(self.direction, *sequence).inspect_err(|_| self.stage = Stage::Failed)?;
        let cipher = &self.key()?.cipher;
        if self.direction == Direction::Encrypt {
            self.tag = buffers.seal(cipher, &nonce, &record.aad).1;
            Output::new(tag).append(&self.tag);
            self.stage = Stage::Recorded(self.tag);
            return Ok(record.plaintext_bytes + TAG_BYTES);
        }
        let (mut text, tag) = buffers.split(record.plaintext_bytes);
        let tag = tag.input().try_into().map_err(|_| Reason::Internal)?;
        let opened = text.open(cipher, &nonce, &record.aad, tag);
        self.stage = if opened.is_ok() { Stage::Recorded(*tag) } else { Stage::Failed };
        opened?;
        Ok(record.plaintext_bytes)
    }

    /// Ends a message in pieces.
    fn finish_pieces(&mut self) -> Result<(), Reason> {
        self.pieces()?;
        let Stage::Pieces(mut pieces) = std::mem::replace(&mut self.stage, Stage::Failed) else {
            return Err(Reason::Internal);
        };
        if self.direction == Direction::Decrypt && !self.has_tag {
            return Err(Reason::NoTag);
        }
        if let Some(tag) = pieces.finish(&self.tag[..self.tag_bytes])? {
            self.tag = tag;
        }
        self.stage = Stage::Finished;
        Ok(())
    }

    /// Returns whether a tag begins with the expected one, which may be truncated.
    fn is_expected(&self, tag: &Tag) -> bool {
        tag[..self.tag_bytes].ct_eq(&self.tag[..self.tag_bytes]).into()
    }

    /// Sets the expected tag, or only the tag length.
    fn set_tag(&mut self, tag: Option<&[u8]>, len: usize) -> Result<(), Reason> {
        if !(1..=TAG_BYTES).contains(&len) {
            return Err(Reason::TagLength);
        }
        if let Some(tag) = tag {
            if self.direction == Direction::Encrypt {
                return Err(Reason::TagWhileEncrypting);
            }
            self.tag[..len].copy_from_slice(tag);
            self.has_tag = true;
        }
        self.tag_bytes = len;
        Ok(())
    }
}

impl<L: AeadLayout> Cipher for Aead<L> {
    const ALGORITHM: usize = if Self::IS_IETF { 0 } else { 1 };
    const NONCE_BYTES: usize = size_of::<L::Nonce>();
    const IS_AEAD: bool = true;
    const GETTABLE: &'static [OSSL_PARAM] = &[
        number(c"keylen"),
        number(c"ivlen"),
        number(c"taglen"),
        number(c"tlsaadpad"),
        octets(c"tag"),
        octets(c"iv"),
        octets(c"updated-iv"),
        OSSL_PARAM::END,
    ];
    const SETTABLE: &'static [OSSL_PARAM] = &[
        number(c"keylen"),
        number(c"ivlen"),
        octets(c"tag"),
        octets(c"tlsaad"),
        octets(c"tlsivfixed"),
        OSSL_PARAM::END,
    ];

    fn new(backend: Backend) -> Self {
        Self {
            backend,
            key: None,
            nonce: Nonce::none(),
            shown_nonce: ShownNonce::none(),
            direction: Direction::Decrypt,
            tag: [0; TAG_BYTES],
            tag_bytes: TAG_BYTES,
            has_tag: false,
            aad: ShortAad::new(),
            record: None,
            stage: Stage::Idle,
            kept: Vec::new(),
        }
    }

    fn init(
        &mut self,
        direction: Direction,
        key: Option<&[u8; KEY_BYTES]>,
        nonce: Option<&[u8]>,
    ) -> Result<(), Reason> {
        let has_new_direction = self.direction != direction;
        self.direction = direction;
        if let Some(key) = key {
            // With another key, a program may keep the nonce. A key that is set again is not new.
            if self.key.as_ref().is_some_and(|old| !bool::from(old.bytes.ct_eq(key))) {
                self.nonce.renew();
            }
            let cipher = ChaChaPoly1305::with_backend(key, self.backend);
            self.key = Some(Key { bytes: Zeroizing::new(*key), cipher });
        }
        if let Some(nonce) = nonce {
            self.nonce.set(nonce)?;
        }
        let has_ended = matches!(self.stage, Stage::Recorded(_) | Stage::Finished | Stage::Failed);
        if key.is_some() || nonce.is_some() || has_new_direction || has_ended {
            self.start();
        }
        Ok(())
    }

    fn associated_data(&mut self, data: &[u8]) -> Result<(), Reason> {
        if self.record.is_some() {
            return Err(Reason::RecordExpected);
        }
        match &mut self.stage {
            Stage::Started if self.aad.append(data) => Ok(()),
            Stage::Started => {
                let nonce = self.nonce.take(self.direction)?;
                let mut message =
                    LongAad::new(self.direction, &self.key()?.bytes, &nonce, self.aad.get(), self.backend);
                message.associated_data(data)?;
                self.stage = Stage::Pieces(Box::new(Pieces::LongAad(message)));
                Ok(())
            }
            Stage::Sealed { .. } | Stage::Opened(_) => Err(Reason::LateAssociatedData),
            _ => self.pieces()?.associated_data(data),
        }
    }

    fn only_written(&self, len: usize) -> Result<usize, Reason> {
        let Some(record) = &self.record else { return Ok(0) };
        // After a wrong length, the record is still expected: the next piece is no other message.
        if len != record.plaintext_bytes + TAG_BYTES {
            return Err(Reason::TlsRecord);
        }
        Ok(if self.direction == Direction::Encrypt { TAG_BYTES } else { 0 })
    }

    fn update(&mut self, buffers: Buffers<'_>, tag: &mut [MaybeUninit<u8>]) -> Result<usize, Reason> {
        if let Some(record) = self.record.take() {
            return self.transform_record(&record, buffers, tag);
        }
        let len = buffers.len();
        if len as u64 > MAX_MESSAGE_BYTES {
            return Err(Reason::TooLong);
        }
        if matches!(self.stage, Stage::Started) {
            self.first_piece(buffers)?;
        } else {
            self.pieces()?.transform(buffers)?;
        }
        Ok(len)
    }

    fn finish(&mut self) -> Result<(), Reason> {
        if self.record.is_some() {
            return Err(Reason::RecordExpected);
        }
        let is_right = match &self.stage {
            Stage::Sealed { .. } => Some(true),
            // The message has this tag. Another may have been set since, or before a record.
            Stage::Opened(tag) | Stage::Recorded(tag) => Some(!self.has_tag || self.is_expected(tag)),
            _ => None,
        };
        let result = match is_right {
            None => self.finish_pieces(),
            Some(true) => {
                self.stage = Stage::Finished;
                Ok(())
            }
            Some(false) => {
                self.stage = Stage::Failed;
                Err(Reason::NotAuthentic)
            }
        };
        // A tag is for one message.
        self.has_tag = false;
        result
    }

    fn get(&mut self, name: &[u8], param: &mut Param<'_>) -> Result<(), Reason> {
        match name {
            b"keylen" => param.set_number(KEY_BYTES),
            b"ivlen" => param.set_number(Self::NONCE_BYTES),
            b"taglen" => param.set_number(self.tag_bytes),
            b"tlsaadpad" => param.set_number(TAG_BYTES),
            b"tag" => {
                let tag = self.tag.get(..param.capacity()).filter(|tag| !tag.is_empty()).ok_or(Reason::TagLength)?;
                let has_ended = matches!(self.stage, Stage::Recorded(_) | Stage::Finished);
                let is_ready = has_ended && self.direction == Direction::Encrypt;
                if is_ready { param.set_bytes(tag) } else { Err(Reason::TagNotReady) }
            }
            b"iv" | b"updated-iv" => param.set_nonce(self.nonce.get()?.as_mut(), &mut self.shown_nonce),
            _ => Ok(()),
        }
    }

    fn set(&mut self, name: &[u8], param: &Param<'_>) -> Result<(), Reason> {
        match name {
            b"keylen" if param.number()? != KEY_BYTES => Err(Reason::KeyLength),
            b"ivlen" if param.number()? != Self::NONCE_BYTES => Err(Reason::NonceLength),
            b"tag" => {
                let (tag, len) = param.octets()?;
                self.set_tag(tag, len)
            }
            // TLS records have nonces of 12 bytes.
            b"tlsaad" if Self::IS_IETF => {
                self.record = Some(Record::new(self.direction, param.bytes()?)?);
                Ok(())
            }
            // A message that has begun must not continue with this nonce.
            b"tlsivfixed" if Self::IS_IETF => self.nonce.set(param.bytes()?).map(|()| self.start()),
            b"tlsaad" | b"tlsivfixed" => Err(Reason::NotForRecords),
            _ => Ok(()),
        }
    }
}
