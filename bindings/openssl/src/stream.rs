//! ChaCha20 without authentication, as OpenSSL has it.

use std::mem::MaybeUninit;

use sealane::Backend;
use sealane::chacha20::{BLOCK_BYTES, ChaCha20Original};
use zeroize::Zeroizing;

use crate::abi::OSSL_PARAM;
use crate::buffers::Buffers;
use crate::cipher::{Cipher, KEY_BYTES, number, octets};
use crate::direction::Direction;
use crate::nonce::ShownNonce;
use crate::param::Param;
use crate::pieces::CHUNK_BYTES;
use crate::reason::Reason;

/// ChaCha20. OpenSSL's nonce (IV) begins with the 32-bit block counter, whose carry goes to the
/// next 32 bits. So it is the original layout: a 64-bit counter, and a 64-bit nonce.
#[derive(Clone)]
pub(crate) struct Stream {
    backend: Backend,
    key: Option<Zeroizing<[u8; KEY_BYTES]>>,
    /// Zeros until a nonce is set, as in OpenSSL.
    nonce: [u8; 16],
    shown_nonce: ShownNonce,
    shown_next_nonce: ShownNonce,
    /// Exists if there is a key.
    cipher: Option<ChaCha20Original>,
}

impl Stream {
    /// Starts the key stream at the block of a nonce, if there is a key.
    fn start(&mut self, nonce: [u8; 16]) {
        let Some(key) = &self.key else { return };
        let (counter, nonce) = nonce.split_first_chunk().expect("8 of 16 bytes");
        let nonce = nonce.first_chunk().expect("8 bytes");
        let mut cipher = ChaCha20Original::with_backend(key, nonce, self.backend);
        let position = u128::from(u64::from_le_bytes(*counter)) * BLOCK_BYTES as u128;
        cipher.seek(position).expect("a block that exists");
        self.cipher = Some(cipher);
    }

    /// Returns the nonce for the next block of which nothing has been used.
    fn next_nonce(&self) -> [u8; 16] {
        let mut nonce = self.nonce;
        if let Some(cipher) = &self.cipher {
            // After the last block comes block 0.
            let block = cipher.position().div_ceil(BLOCK_BYTES as u128) as u64;
            nonce[..8].copy_from_slice(&block.to_le_bytes());
        }
        nonce
    }
}

impl Cipher for Stream {
    const ALGORITHM: usize = 2;
    const NONCE_BYTES: usize = 16;
    const IS_AEAD: bool = false;
    const GETTABLE: &'static [OSSL_PARAM] =
        &[number(c"keylen"), number(c"ivlen"), octets(c"iv"), octets(c"updated-iv"), OSSL_PARAM::END];
    const SETTABLE: &'static [OSSL_PARAM] = &[number(c"keylen"), number(c"ivlen"), OSSL_PARAM::END];

    fn new(backend: Backend) -> Self {
        Self {
            backend,
            key: None,
            nonce: [0; 16],
            shown_nonce: ShownNonce::none(),
            shown_next_nonce: ShownNonce::none(),
            cipher: None,
        }
    }

    fn init(&mut self, _: Direction, key: Option<&[u8; KEY_BYTES]>, nonce: Option<&[u8]>) -> Result<(), Reason> {
        // A key alone does not change the block counter, as in OpenSSL. Otherwise, a key that is
        // set again would give the same key stream again.
        let mut first = self.next_nonce();
        if let Some(nonce) = nonce {
            first = nonce.try_into().map_err(|_| Reason::NonceLength)?;
            self.nonce = first;
        }
        if let Some(key) = key {
            self.key = Some(Zeroizing::new(*key));
        }
        if key.is_some() || nonce.is_some() {
            self.start(first);
        }
        Ok(())
    }

    fn associated_data(&mut self, _: &[u8]) -> Result<(), Reason> {
        Err(Reason::NullPointer)
    }

    fn update(&mut self, buffers: Buffers<'_>, _: &mut [MaybeUninit<u8>]) -> Result<usize, Reason> {
        let cipher = self.cipher.as_mut().ok_or(Reason::NoKey)?;
        let len = buffers.len();
        buffers.chunks(CHUNK_BYTES, |chunk| {
            let mut rest = chunk.in_place();
            while !rest.is_empty() {
                // After the last block comes block 0.
                if cipher.remaining() == 0 {
                    cipher.seek(0).expect("a block that exists");
                }
                let piece = cipher.remaining().min(rest.len() as u128) as usize;
                let (piece, after) = rest.split_at_mut(piece);
                cipher.apply_keystream(piece).expect("the length was checked");
                rest = after;
            }
        });
        Ok(len)
    }

    fn finish(&mut self) -> Result<(), Reason> {
        Ok(())
    }

    fn get(&mut self, name: &[u8], param: &mut Param<'_>) -> Result<(), Reason> {
        match name {
            b"keylen" => param.set_number(KEY_BYTES),
            b"ivlen" => param.set_number(Self::NONCE_BYTES),
            b"iv" => param.set_nonce(&self.nonce, &mut self.shown_nonce),
            b"updated-iv" => param.set_nonce(&self.next_nonce(), &mut self.shown_next_nonce),
            _ => Ok(()),
        }
    }

    fn set(&mut self, name: &[u8], param: &Param<'_>) -> Result<(), Reason> {
        match name {
            b"keylen" if param.number()? != KEY_BYTES => Err(Reason::KeyLength),
            b"ivlen" if param.number()? != Self::NONCE_BYTES => Err(Reason::NonceLength),
            _ => Ok(()),
        }
    }
}
