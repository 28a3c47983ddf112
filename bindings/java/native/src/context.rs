//! Messages in pieces. A context holds the state of one message between calls.

use sealane::chacha20::{Extended, Ietf};
use sealane::{ChaChaPoly1305, Opener, Poly1305, Sealer, TAG_BYTES, Tag, Verified};
use zeroize::{Zeroize as _, Zeroizing};

use crate::memory::Lent;
use crate::message::{EXTENDED, Head, IETF};
use crate::status::Failure;
use crate::wiped::take;

/// The operation number for a context that encrypts a message.
const SEAL: i32 = 0;
/// The operation number for a context that authenticates a ciphertext, then decrypts it.
const OPEN: i32 = 1;
/// The operation number for a context that computes a Poly1305 tag.
const MAC: i32 = 2;

/// One message. Secrets are wiped when it is dropped.
pub(crate) struct Context {
    state: State,
}

enum State {
    /// Receives associated data.
    Associated(Associated),
    Sealing(Sealer),
    Opening(Opener),
    Verified(Verified),
    Mac(Poly1305),
    Finished,
}

/// A message before its first piece.
struct Associated {
    aead: i32,
    seal: bool,
    key: Zeroizing<[u8; 32]>,
    ietf_nonce: [u8; 12],
    extended_nonce: [u8; 24],
    aad: Vec<u8>,
}

impl Drop for Associated {
    fn drop(&mut self) {
        self.aad.zeroize();
    }
}

impl Context {
    /// Returns a context in the state before the first piece.
    pub(crate) fn new(operation: i32, aead: i32, head: &Head<'_>) -> Result<Box<Self>, Failure> {
        if !matches!(aead, IETF | EXTENDED) {
            return Err(Failure::Internal);
        }
        // The box comes first, so that the context is not moved once more with its key. Each move
        // may leave a copy on the stack.
        let mut context = Box::new(Self { state: State::Finished });
        context.state = match operation {
            MAC => State::Mac(Poly1305::new(&head.key)),
            SEAL | OPEN => State::Associated(Associated {
                aead,
                seal: operation == SEAL,
                key: head.key.clone(),
                ietf_nonce: head.ietf_nonce(),
                extended_nonce: head.extended_nonce(),
                aad: Vec::new(),
            }),
            _ => return Err(Failure::Internal),
        };
        if !head.aad.is_empty() {
            context.associate(head.aad)?;
        }
        Ok(context)
    }

    /// Appends associated data.
    pub(crate) fn associate(&mut self, piece: &[u8]) -> Result<(), Failure> {
        let State::Associated(message) = &mut self.state else { return Err(Failure::Internal) };
        message.aad.try_reserve(piece.len()).map_err(|_| Failure::OutOfMemory)?;
        message.aad.extend_from_slice(piece);
        Ok(())
    }

    /// Authenticates the associated data. This may take long, so the call holds no Java arrays.
    pub(crate) fn start(&mut self) -> Result<(), Failure> {
        let State::Associated(message) = &self.state else { return Err(Failure::Internal) };
        self.state = if message.aead == IETF {
            let cipher = ChaChaPoly1305::<Ietf>::new(&message.key);
            let nonce = &message.ietf_nonce;
            if message.seal {
                State::Sealing(cipher.sealer(nonce, &message.aad))
            } else {
                State::Opening(cipher.opener(nonce, &message.aad))
            }
        } else {
            let cipher = ChaChaPoly1305::<Extended>::new(&message.key);
            let nonce = &message.extended_nonce;
            if message.seal {
                State::Sealing(cipher.sealer(nonce, &message.aad))
            } else {
                State::Opening(cipher.opener(nonce, &message.aad))
            }
        };
        Ok(())
    }

    /// Encrypts a piece, or decrypts a piece of a message whose tag has been verified.
    pub(crate) fn transform(&mut self, lent: &Lent, from: *const u8, len: usize, to: *mut u8) -> Result<(), Failure> {
        let buffers = lent.buffers(from, to, len)?;
        match &mut self.state {
            State::Sealing(sealer) => buffers.transform(|piece| sealer.seal(piece)),
            State::Verified(message) => buffers.transform(|piece| message.decrypt(piece)),
            _ => Err(Failure::Internal),
        }
    }

    /// Authenticates a piece of a ciphertext, or of a message that only gets a tag.
    pub(crate) fn authenticate(&mut self, piece: &[u8]) -> Result<(), Failure> {
        match &mut self.state {
            State::Opening(opener) => Ok(opener.update(piece)?),
            State::Mac(poly1305) => {
                poly1305.update(piece);
                Ok(())
            }
            _ => Err(Failure::Internal),
        }
    }

    /// Writes the tag of a message that was encrypted or authenticated.
    pub(crate) fn tag(&mut self, to: &mut [u8]) -> Result<(), Failure> {
        let tag = match take(&mut self.state, State::Finished) {
            State::Sealing(sealer) => sealer.finish(),
            State::Mac(poly1305) => poly1305.finalize(),
            _ => return Err(Failure::Internal),
        };
        const { assert!(TAG_BYTES == 16) };
        to.copy_from_slice(&tag);
        Ok(())
    }

    /// Compares the tag of the ciphertext with `tag`. If they match, the pieces can be decrypted.
    pub(crate) fn verify(&mut self, tag: &Tag) -> Result<(), Failure> {
        let State::Opening(opener) = take(&mut self.state, State::Finished) else {
            return Err(Failure::Internal);
        };
        self.state = State::Verified(opener.verify(tag)?);
        Ok(())
    }
}
