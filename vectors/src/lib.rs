//! The test vectors of this repository: JSON files compiled in, and their loader.
//!
//! Every file names its source and its licence. `README.md` in this crate lists the files. The
//! Python programs in `generate/` check the published values against big integers and write the
//! files, except those of `slip39`, `haraka` and `erasure`, which come from other programs.
//!
//! A malformed file is a defect of this repository, so the loader panics and names the file.

#![forbid(unsafe_code)]

mod hex;

pub use hex::Hex;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One file of vectors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File<V> {
    /// The document, with its sections, or the program that generated the vectors.
    pub source: String,
    /// The licence.
    pub licence: String,
    /// The vectors, in the order of the source.
    pub vectors: Vec<V>,
}

/// Which words of the ChaCha state are the block counter and which are the nonce.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// RFC 8439: 32-bit counter, 96-bit nonce.
    Ietf,
    /// Bernstein's: 64-bit counter, 64-bit nonce.
    Original,
    /// draft-irtf-cfrg-xchacha: HChaCha of the first 128 bits of the nonce, then RFC 8439 with the
    /// last 64 bits.
    XChaCha,
}

/// A quarter round on some words of a state (RFC 8439, sections 2.1 and 2.2).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuarterRound {
    /// The section.
    pub id: String,
    /// The indices of the words.
    pub indices: [usize; 4],
    /// The words before (4 or 16), in hexadecimal.
    pub input: Vec<String>,
    /// The words after.
    pub output: Vec<String>,
}

/// An encryption with a ChaCha stream cipher.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// The section or test case.
    pub id: String,
    /// The layout of the state.
    pub layout: Layout,
    /// 8, 12 or 20.
    pub rounds: usize,
    /// 32 bytes.
    pub key: Hex,
    /// 12, 8 or 24 bytes.
    pub nonce: Hex,
    /// The initial block counter.
    pub counter: u64,
    /// Any length.
    pub plaintext: Hex,
    /// As long as the plaintext.
    pub ciphertext: Hex,
}

/// HChaCha (draft-irtf-cfrg-xchacha-03, section 2.2).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HChaCha {
    /// The section.
    pub id: String,
    /// 8, 12 or 20.
    pub rounds: usize,
    /// 32 bytes.
    pub key: Hex,
    /// 16 bytes.
    pub nonce: Hex,
    /// 32 bytes.
    pub output: Hex,
}

/// Poly1305 (RFC 8439, section 2.5).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mac {
    /// The section, or a description.
    pub id: String,
    /// 32 bytes: r, not yet clamped, and s.
    pub key: Hex,
    /// Any length.
    pub message: Hex,
    /// 16 bytes.
    pub tag: Hex,
}

/// The one-time key of the AEAD (RFC 8439, section 2.6).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyGen {
    /// The section.
    pub id: String,
    /// 32 bytes.
    pub key: Hex,
    /// 12 bytes.
    pub nonce: Hex,
    /// 32 bytes.
    pub one_time_key: Hex,
}

/// QUIC's header protection (RFC 9001, section 5.4.4).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderProtection {
    /// The section.
    pub id: String,
    /// 32 bytes.
    pub key: Hex,
    /// 16 bytes.
    pub sample: Hex,
    /// 5 bytes.
    pub mask: Hex,
}

/// A sealed message (RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03, section 2).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aead {
    /// The section.
    pub id: String,
    /// 32 bytes.
    pub key: Hex,
    /// 12 bytes, or 24 for XChaCha20-Poly1305.
    pub nonce: Hex,
    /// The associated data.
    pub aad: Hex,
    /// Any length.
    pub plaintext: Hex,
    /// As long as the plaintext.
    pub ciphertext: Hex,
    /// 16 bytes.
    pub tag: Hex,
}

/// A sealed message whose tag commits to the key (Chan and Rogaway, "On Committing
/// Authenticated-Encryption", figure 2).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittingAead {
    /// The lengths.
    pub id: String,
    /// 32 bytes.
    pub key: Hex,
    /// 12 bytes, or 24 for XChaCha20-Poly1305.
    pub nonce: Hex,
    /// The associated data.
    pub aad: Hex,
    /// Any length.
    pub plaintext: Hex,
    /// As long as the plaintext.
    pub ciphertext: Hex,
    /// 32 bytes.
    pub tag: Hex,
}

/// A hash of 32 or 64 bytes, by the length of the digest (BLAKE2b, RFC 7693).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hash {
    /// The source, or the length.
    pub id: String,
    /// Any length.
    pub message: Hex,
    /// 32 or 64 bytes.
    pub digest: Hex,
}

/// Mnemonics of SLIP-39.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mnemonics {
    /// The number and description.
    pub id: String,
    /// The mnemonics.
    pub mnemonics: Vec<String>,
    /// The master secret; empty if the mnemonics are invalid.
    pub secret: Hex,
}

/// Haraka-256 or Haraka-512 v2 (ePrint 2016/098), by the length of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Haraka {
    /// The source.
    pub id: String,
    /// 5 or 6.
    pub rounds: usize,
    /// The number of iterations. Each output is the next input; for Haraka-512, it replaces the
    /// second half and the first half in turn.
    pub iterations: usize,
    /// The seed of the round constants (SPHINCS+). Without it, the constants are the paper's.
    pub seed: Option<Hex>,
    /// 32 or 64 bytes.
    pub input: Hex,
    /// 32 bytes.
    pub output: Hex,
}

/// HarakaS (SPHINCS+, round 3, section 7.2.3).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarakaS {
    /// The lengths.
    pub id: String,
    /// The seed of the round constants.
    pub seed: Hex,
    /// Any length.
    pub message: Hex,
    /// Any length.
    pub output: Hex,
}

/// The parity of a Reed–Solomon code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parity {
    /// The program.
    pub id: String,
    /// The matrix.
    pub matrix: ParityMatrix,
    /// The number of shards of data.
    pub data_shards: usize,
    /// The bytes of each shard.
    pub length: usize,
    /// The shards of parity.
    pub parity: Vec<Hex>,
}

/// The rows of a matrix that give the parity.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum ParityMatrix {
    /// Row i has the powers of 2^i.
    PowersOfTwo,
    /// 1 / (i + j), where i is the number of the shard of parity among all shards.
    Cauchy,
    /// Rows of a Vandermonde matrix, times the inverse of its first rows.
    SystematicVandermonde,
}

impl Parity {
    /// Returns the shards of data: byte i of shard j is 31 j + i² + i j modulo 256.
    #[must_use]
    pub fn data(&self) -> Vec<Vec<u8>> {
        let byte = |i: usize, j: usize| (31 * j + i * i + i * j) as u8;
        (0..self.data_shards).map(|j| (0..self.length).map(|i| byte(i, j)).collect()).collect()
    }
}

fn load<V: DeserializeOwned>(name: &str, json: &str) -> File<V> {
    let file: File<V> = serde_json::from_str(json).unwrap_or_else(|error| panic!("vectors/{name}: {error}"));
    assert!(!file.vectors.is_empty(), "vectors/{name} has no vectors");
    file
}

macro_rules! files {
    ($($(#[$doc:meta])* $function:ident: $vector:ty = $path:literal;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $function() -> File<$vector> {
                load($path, include_str!(concat!("../", $path)))
            }
        )*
    };
}

files! {
    /// RFC 8439, sections 2.1.1 and 2.2.1.
    rfc8439_quarter_round: QuarterRound = "rfc8439/quarter_round.json";
    /// RFC 8439, sections 2.3.2, 2.4.2, A.1 and A.2.
    rfc8439_chacha20: Stream = "rfc8439/chacha20.json";
    /// RFC 8439, sections 2.5.2 and A.3.
    rfc8439_poly1305: Mac = "rfc8439/poly1305.json";
    /// RFC 8439, sections 2.6.2 and A.4.
    rfc8439_poly1305_key_gen: KeyGen = "rfc8439/poly1305_key_gen.json";
    /// RFC 8439, sections 2.8.2 and A.5.
    rfc8439_chacha20_poly1305: Aead = "rfc8439/chacha20_poly1305.json";
    /// RFC 9001, section A.5.
    rfc9001_header_protection: HeaderProtection = "rfc9001/header_protection.json";
    /// draft-irtf-cfrg-xchacha-03, section 2.2.1.
    hchacha20: HChaCha = "xchacha/hchacha20.json";
    /// draft-irtf-cfrg-xchacha-03, section A.3.2.
    xchacha20: Stream = "xchacha/xchacha20.json";
    /// draft-irtf-cfrg-xchacha-03, section A.3.1.
    xchacha20_poly1305: Aead = "xchacha/xchacha20_poly1305.json";
    /// draft-strombergson-chacha-test-vectors-01: 8, 12 and 20 rounds in the original layout.
    original_chacha: Stream = "original/chacha.json";
    /// Key streams across the carries and up to the ends of the block counters, for every layout
    /// and number of rounds.
    chacha_counter: Stream = "generated/chacha_counter.json";
    /// SLIP-39, from its reference implementation.
    slip39: Mnemonics = "slip39/vectors.json";
    /// Poly1305 with accumulators near p and near limb boundaries.
    poly1305_edge: Mac = "generated/poly1305_edge.json";
    /// ChaCha20-Poly1305 and XChaCha20-Poly1305 with tags that commit to the key.
    committing_aead: CommittingAead = "generated/committing_aead.json";
    /// BLAKE2b.
    blake2b: Hash = "generated/blake2b.json";
    /// Haraka v2 with 5 and 6 rounds, with the paper's constants and with seeded ones.
    haraka: Haraka = "haraka/haraka.json";
    /// The sponge, with constants from seeds of 16, 24 and 32 bytes.
    haraka_s: HarakaS = "haraka/haraka_s.json";
    /// Reed–Solomon codes of ISA-L and klauspost/reedsolomon.
    parity: Parity = "erasure/parity.json";
}

/// Returns every stream cipher vector of every file.
#[must_use]
pub fn streams() -> Vec<Stream> {
    [rfc8439_chacha20(), xchacha20(), original_chacha(), chacha_counter()].into_iter().flat_map(|f| f.vectors).collect()
}

/// Returns every Poly1305 vector of every file.
#[must_use]
pub fn macs() -> Vec<Mac> {
    [rfc8439_poly1305(), poly1305_edge()].into_iter().flat_map(|f| f.vectors).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_loads_and_names_its_source() {
        fn check<V>(file: &File<V>, vectors: usize) {
            assert!(!file.source.is_empty() && !file.licence.is_empty());
            assert_eq!(file.vectors.len(), vectors, "{}", file.source);
        }
        check(&rfc8439_quarter_round(), 2);
        check(&rfc8439_chacha20(), 10);
        check(&rfc8439_poly1305(), 12);
        check(&rfc8439_poly1305_key_gen(), 4);
        check(&rfc8439_chacha20_poly1305(), 2);
        check(&rfc9001_header_protection(), 1);
        check(&hchacha20(), 1);
        check(&xchacha20(), 2);
        check(&xchacha20_poly1305(), 1);
        check(&original_chacha(), 6);
        check(&chacha_counter(), 42);
        check(&slip39(), 45);
        check(&poly1305_edge(), 486);
        check(&committing_aead(), 42);
        check(&blake2b(), 9);
        check(&haraka(), 14);
        check(&haraka_s(), 21);
        check(&parity(), 4);
    }
}
