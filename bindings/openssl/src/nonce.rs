//! The nonce of an AEAD context, which encrypts one message, and nonces that programs see.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::direction::Direction;
use crate::reason::Reason;

/// A nonce, and which messages it may still encrypt.
#[derive(Clone)]
pub(crate) struct Nonce<N> {
    bytes: Option<N>,
    /// The least record number that may still be encrypted; `None` if no message may be. The nonce
    /// of a TLS 1.2 record depends on the record's sequence number. Other messages have the nonce
    /// of number 0.
    unused: Option<u64>,
}

impl<N: Copy + AsMut<[u8]> + for<'a> TryFrom<&'a [u8]>> Nonce<N> {
    /// Returns an unset nonce.
    pub(crate) fn none() -> Self {
        Self { bytes: None, unused: None }
    }

    /// Sets a nonce, which may encrypt a message.
    pub(crate) fn set(&mut self, nonce: &[u8]) -> Result<(), Reason> {
        self.bytes = Some(nonce.try_into().map_err(|_| Reason::NonceLength)?);
        self.unused = Some(0);
        Ok(())
    }

    /// Allows the nonce to encrypt again, because it has a new key.
    pub(crate) fn renew(&mut self) {
        self.unused = Some(0);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.bytes.is_some()
    }

    /// Returns the nonce that was set, to show it or to continue its message.
    pub(crate) fn get(&mut self) -> Result<&mut N, Reason> {
        self.bytes.as_mut().ok_or(Reason::NoNonce)
    }

    /// Returns the nonce for a message that is not a TLS 1.2 record.
    pub(crate) fn take(&mut self, direction: Direction) -> Result<N, Reason> {
        self.take_for_record(direction, [0; 8])
    }

    /// Returns the nonce for the record with a sequence number. When encrypting, numbers must
    /// increase, so each nonce can be taken only once. When decrypting, somebody else has encrypted
    /// with the nonce, so it encrypts nothing afterwards.
    pub(crate) fn take_for_record(&mut self, direction: Direction, sequence: [u8; 8]) -> Result<N, Reason> {
        let mut nonce = *self.get()?;
        let number = u64::from_be_bytes(sequence);
        self.unused = match (direction, self.unused) {
            (Direction::Decrypt, _) => None,
            (Direction::Encrypt, Some(least)) if number >= least => number.checked_add(1),
            (Direction::Encrypt, _) => return Err(Reason::NoNonce),
        };
        // RFC 7905, section 2.
        nonce.as_mut()[4..].iter_mut().zip(sequence).for_each(|(nonce, byte)| *nonce ^= byte);
        Ok(nonce)
    }
}

/// A copy of a nonce, for `EVP_CIPHER_CTX_iv`. Programs may pass the pointer to other functions, as
/// a nonce or as associated data. These functions hold an exclusive reference to the context, so
/// the pointer must not point into it.
pub(crate) struct ShownNonce(Option<Box<[AtomicU8; 24]>>);

impl ShownNonce {
    /// Returns a copy of no nonce, which needs no memory.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Copies a nonce of at most 24 bytes. Returns the pointer, which is valid as long as the
    /// context is.
    pub(crate) fn show(&mut self, nonce: &[u8]) -> *const u8 {
        // Atomic, because pointers to the bytes stay valid when they are written again.
        let copy = self.0.get_or_insert_with(|| Box::new([const { AtomicU8::new(0) }; 24]));
        copy.iter().zip(nonce).for_each(|(place, byte)| place.store(*byte, Ordering::Relaxed));
        copy.as_ptr().cast()
    }
}

impl Clone for ShownNonce {
    /// The copy of a context has its own pointers.
    fn clone(&self) -> Self {
        Self::none()
    }
}
