//! ChaCha20-Poly1305 (RFC 8439, section 2.8) of each peer. Messages are processed in place, with 13
//! bytes of associated data and a new nonce for each.

use openssl::cipher::{Cipher, CipherRef};
use openssl::cipher_ctx::CipherCtx;
use sealane_measure::Tag;
#[cfg(feature = "ipsec-mb")]
use sealane_workloads::benchmarks::messages::BATCH;
use sealane_workloads::benchmarks::messages::{AAD, KEY, nonce};

#[cfg(feature = "ipsec-mb")]
use crate::peers::ipsec_mb::IpsecMb;
use crate::peers::{Peer, libsodium};
use crate::row::{self, Owner, Row};

type Nonce = [u8; 12];

#[derive(Clone, Copy)]
pub enum Direction {
    Seal,
    Open,
}

/// An implementation of the AEAD, with the key [`KEY`].
trait Aead: 'static {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag;
    /// Decrypts in place. Returns false if the tag is wrong.
    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool;
}

/// Returns the rows of all peers.
pub fn peers(direction: Direction) -> Vec<Row> {
    let mut rows = row::of_openssl(|owner| row(direction, owner, OpenSsl::new(Cipher::chacha20_poly1305())));
    rows.push(row(direction, Owner::Peer(Peer::OpenSslFresh), OpenSslFresh));
    rows.push(row(direction, Owner::Peer(Peer::Ring), ring_key()));
    rows.push(row(direction, Owner::Peer(Peer::AwsLc), aws_lc_key()));
    rows.push(row(direction, Owner::Peer(Peer::Libsodium), Libsodium));
    if graviola::util::is_cpu_supported() {
        let cipher = graviola::aead::ChaCha20Poly1305::new(KEY);
        rows.push(row(direction, Owner::Peer(Peer::Graviola), cipher));
    }
    let key = rscrypto::ChaCha20Poly1305Key::from_bytes(KEY);
    rows.push(row(direction, Owner::Peer(Peer::RsCrypto), rscrypto::ChaCha20Poly1305::new(&key)));
    rows.push(row(direction, Owner::Peer(Peer::RustCrypto), {
        use chacha20poly1305::KeyInit;
        chacha20poly1305::ChaCha20Poly1305::new(&KEY.into())
    }));
    rows.push(row(direction, Owner::Peer(Peer::RustCryptoSoft), {
        use chacha20poly1305_soft::aead::NewAead;
        chacha20poly1305_soft::ChaCha20Poly1305::new(&KEY.into())
    }));
    #[cfg(feature = "ipsec-mb")]
    {
        rows.push(row(direction, Owner::Peer(Peer::IpsecMb), IpsecMb::new()));
        rows.push(row(direction, Owner::Peer(Peer::IpsecMbDirect), IpsecMbDirect(IpsecMb::new())));
    }
    rows
}

/// Returns the rows of all peers for batches. Most of them take one message a call.
pub fn batch_peers(direction: Direction) -> Vec<Row> {
    #[allow(unused_mut, reason = "without ipsec-mb")]
    let mut rows = peers(direction);
    #[cfg(feature = "ipsec-mb")]
    rows.push(ipsec_mb_burst(direction));
    rows
}

/// Returns the row of AES-256-GCM, which is shown for information.
pub fn gcm() -> Row {
    row(Direction::Seal, Owner::Peer(Peer::OpenSslGcm), OpenSsl::new(Cipher::aes_256_gcm()))
}

fn row(direction: Direction, owner: Owner, mut aead: impl Aead) -> Row {
    match direction {
        Direction::Seal => Row::new(owner, move |message, data, tag| {
            *tag = aead.seal(&nonce(message), data);
            true
        }),
        Direction::Open => Row::new(owner, move |message, data, tag| aead.open(&nonce(message), data, tag)),
    }
}

/// One context for sealing and one for opening. Each keeps its key, and gets a new nonce for each
/// message.
pub struct OpenSsl {
    sealing: CipherCtx,
    opening: CipherCtx,
}

impl OpenSsl {
    pub fn new(cipher: &CipherRef) -> Self {
        Self { sealing: sealing_context(cipher), opening: opening_context(cipher) }
    }

    pub fn seal_pieces<'a>(&mut self, nonce: &Nonce, pieces: impl IntoIterator<Item = &'a mut [u8]>) -> Tag {
        openssl_seal(&mut self.sealing, nonce, pieces)
    }

    /// Decrypts in place. Returns false if the tag is wrong.
    pub fn open_pieces<'a>(
        &mut self,
        nonce: &Nonce,
        pieces: impl IntoIterator<Item = &'a mut [u8]>,
        tag: &Tag,
    ) -> bool {
        openssl_open(&mut self.opening, nonce, pieces, tag)
    }
}

fn sealing_context(cipher: &CipherRef) -> CipherCtx {
    let mut context = CipherCtx::new().expect("OpenSSL context");
    context.encrypt_init(Some(cipher), Some(&KEY), None).expect("OpenSSL cipher");
    context
}

fn opening_context(cipher: &CipherRef) -> CipherCtx {
    let mut context = CipherCtx::new().expect("OpenSSL context");
    context.decrypt_init(Some(cipher), Some(&KEY), None).expect("OpenSSL cipher");
    context
}

fn openssl_seal<'a>(context: &mut CipherCtx, nonce: &Nonce, pieces: impl IntoIterator<Item = &'a mut [u8]>) -> Tag {
    context.encrypt_init(None, None, Some(nonce)).expect("OpenSSL nonce");
    openssl_update(context, pieces);
    context.cipher_final(&mut []).expect("OpenSSL final");
    let mut tag = [0; 16];
    context.tag(&mut tag).expect("OpenSSL tag");
    tag
}

fn openssl_open<'a>(
    context: &mut CipherCtx,
    nonce: &Nonce,
    pieces: impl IntoIterator<Item = &'a mut [u8]>,
    tag: &Tag,
) -> bool {
    context.decrypt_init(None, None, Some(nonce)).expect("OpenSSL nonce");
    context.set_tag(tag).expect("OpenSSL tag");
    openssl_update(context, pieces);
    context.cipher_final(&mut []).is_ok()
}

fn openssl_update<'a>(context: &mut CipherCtx, pieces: impl IntoIterator<Item = &'a mut [u8]>) {
    context.cipher_update(&AAD, None).expect("OpenSSL associated data");
    for piece in pieces {
        let length = piece.len();
        context.cipher_update_inplace(piece, length).expect("OpenSSL update");
    }
}

impl Aead for OpenSsl {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        self.seal_pieces(nonce, [data])
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.open_pieces(nonce, [data], tag)
    }
}

/// Creates a context for each message.
struct OpenSslFresh;

impl Aead for OpenSslFresh {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        openssl_seal(&mut sealing_context(Cipher::chacha20_poly1305()), nonce, [data])
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        openssl_open(&mut opening_context(Cipher::chacha20_poly1305()), nonce, [data], tag)
    }
}

fn ring_key() -> ring::aead::LessSafeKey {
    let key = ring::aead::UnboundKey::new(&ring::aead::CHACHA20_POLY1305, &KEY).expect("32 bytes");
    ring::aead::LessSafeKey::new(key)
}

impl Aead for ring::aead::LessSafeKey {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        let nonce = ring::aead::Nonce::assume_unique_for_key(*nonce);
        let tag = self.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(AAD), data).expect("ring seal");
        tag.as_ref().try_into().expect("16 bytes")
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let nonce = ring::aead::Nonce::assume_unique_for_key(*nonce);
        self.open_in_place_separate_tag(nonce, ring::aead::Aad::from(AAD), (*tag).into(), data, 0..).is_ok()
    }
}

fn aws_lc_key() -> aws_lc_rs::aead::LessSafeKey {
    let key = aws_lc_rs::aead::UnboundKey::new(&aws_lc_rs::aead::CHACHA20_POLY1305, &KEY).expect("32 bytes");
    aws_lc_rs::aead::LessSafeKey::new(key)
}

impl Aead for aws_lc_rs::aead::LessSafeKey {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key(*nonce);
        let tag = self.seal_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(AAD), data);
        tag.expect("aws-lc-rs seal").as_ref().try_into().expect("16 bytes")
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key(*nonce);
        self.open_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(AAD), tag, data).is_ok()
    }
}

/// libsodium keeps no state between messages.
struct Libsodium;

impl Aead for Libsodium {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        libsodium::seal(&KEY, nonce, &AAD, data)
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        libsodium::open(&KEY, nonce, &AAD, data, tag)
    }
}

impl Aead for graviola::aead::ChaCha20Poly1305 {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        let mut tag = [0; 16];
        self.encrypt(nonce, &AAD, data, &mut tag);
        tag
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.decrypt(nonce, &AAD, data, tag).is_ok()
    }
}

impl Aead for rscrypto::ChaCha20Poly1305 {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        use rscrypto::aead::expert::AeadWithNonce;
        let nonce = rscrypto::aead::Nonce96::from_bytes(*nonce);
        self.encrypt_in_place(&nonce, &AAD, data).expect("rscrypto seal").to_bytes()
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let nonce = rscrypto::aead::Nonce96::from_bytes(*nonce);
        let tag = rscrypto::aead::ChaCha20Poly1305Tag::from_bytes(*tag);
        self.decrypt_in_place(&nonce, &AAD, data, &tag).is_ok()
    }
}

impl Aead for chacha20poly1305::ChaCha20Poly1305 {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        use chacha20poly1305::AeadInOut;
        self.encrypt_inout_detached(&(*nonce).into(), &AAD, data.into()).expect("RustCrypto seal").into()
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        use chacha20poly1305::AeadInOut;
        self.decrypt_inout_detached(&(*nonce).into(), &AAD, data.into(), &(*tag).into()).is_ok()
    }
}

impl Aead for chacha20poly1305_soft::ChaCha20Poly1305 {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        use chacha20poly1305_soft::aead::AeadInPlace;
        self.encrypt_in_place_detached(&(*nonce).into(), &AAD, data).expect("RustCrypto seal").into()
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        use chacha20poly1305_soft::aead::AeadInPlace;
        self.decrypt_in_place_detached(&(*nonce).into(), &AAD, data, &(*tag).into()).is_ok()
    }
}

#[cfg(feature = "ipsec-mb")]
impl Aead for IpsecMb {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        self.aead(true, &KEY, nonce, &AAD, data)
    }

    // The library returns the computed tag, and does not compare it.
    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.aead(false, &KEY, nonce, &AAD, data) == *tag
    }
}

/// ipsec-mb, called through its direct functions.
#[cfg(feature = "ipsec-mb")]
struct IpsecMbDirect(IpsecMb);

#[cfg(feature = "ipsec-mb")]
impl Aead for IpsecMbDirect {
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        self.0.aead_direct(true, &KEY, nonce, &AAD, data)
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.0.aead_direct(false, &KEY, nonce, &AAD, data) == *tag
    }
}

/// Returns the row of ipsec-mb that submits all messages of a batch at once.
#[cfg(feature = "ipsec-mb")]
fn ipsec_mb_burst(direction: Direction) -> Row {
    let mut manager = IpsecMb::new();
    Row::of_batches(Owner::Peer(Peer::IpsecMbBurst), move |first, batch| {
        let mut numbered = (first..).zip(batch.into_messages());
        let mut given: [Option<&mut Tag>; BATCH] = [const { None }; BATCH];
        let messages: [_; BATCH] = std::array::from_fn(|i| {
            let (number, (data, tag)) = numbered.next().expect("a whole batch");
            given[i] = Some(tag);
            (nonce(number), data)
        });
        let tags = manager.aead_burst(matches!(direction, Direction::Seal), &KEY, &AAD, messages);
        let mut is_authentic = true;
        for (given, tag) in given.into_iter().flatten().zip(&tags) {
            match direction {
                Direction::Seal => *given = *tag,
                Direction::Open => is_authentic &= given == tag,
            }
        }
        is_authentic
    })
}
