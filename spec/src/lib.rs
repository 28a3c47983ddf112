//! Reference implementations that the tests compare every backend with.
//!
//! Each algorithm has one short file, written from its standard with the standard's own names, on
//! plain integers. There are no vectors, tables or tricks, so a reader can compare the file with
//! the document line by line.
//!
//! **Not for production.** The code is slow (Poly1305 divides bit by bit), is not constant time,
//! and wipes nothing.
//!
//! | module | document |
//! | --- | --- |
//! | [`chacha`] | RFC 8439, sections 2.1 to 2.4; Bernstein's original layout; 20, 12 and 8 rounds |
//! | [`xchacha`] | draft-irtf-cfrg-xchacha-03, sections 2.2 and 2.3 |
//! | [`poly1305`] | RFC 8439, sections 2.5 and 2.6 |
//! | [`shamir_bytes`] | Shamir, "How to share a secret"; FIPS 197, section 4 |
//! | [`erasure`] | Reed and Solomon, "Polynomial codes over certain finite fields"; the matrices of ISA-L and klauspost/reedsolomon |
//! | [`quic`] | RFC 9001, section 5.4.4 |
//! | [`aead`] | RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03, section 2 |
//! | [`blake2b`] | RFC 7693, sections 2 and 3 |
//! | [`committing`] | Chan and Rogaway, "On Committing Authenticated-Encryption" (2022), figure 2 |
//! | [`openssh`] | OpenSSH, `PROTOCOL.chacha20poly1305` |
//! | [`gf2n`] | FIPS 197, section 4.2; NIST SP 800-38D, section 6.3; Seroussi, HPL-98-135 |
//! | [`shamir_element`] | Shamir, "How to share a secret" (1979) |
//! | [`rs1024`] | SLIP-39, section "Checksum" |
//! | [`haraka`] | ePrint 2016/098, section 2; SPHINCS+ (round 3), section 7.2.3 |

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod aead;
pub mod blake2b;
pub mod chacha;
pub mod committing;
pub mod erasure;
pub mod gf2n;
pub mod haraka;
pub mod num;
pub mod openssh;
pub mod poly1305;
pub mod quic;
pub mod rs1024;
pub mod shamir_bytes;
pub mod shamir_element;
pub mod xchacha;
