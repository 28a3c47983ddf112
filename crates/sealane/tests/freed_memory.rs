//! Memory that messages in pieces have freed holds nothing: no powers of Poly1305's key, no
//! ciphertext, and in the gaps between fields nothing that the stack held before.

use std::hint::black_box;

use sealane::{Backend, ChaCha20Poly1305, Poly1305};
use sealane_simd::{Freed, FreedBlocks};

#[global_allocator]
static ALLOCATOR: Freed = Freed;

const NONCE: [u8; 12] = [0x51; 12];

/// Returns the blocks that are freed while `work` processes messages in pieces of several lengths.
fn freed(mut work: impl FnMut(&mut [u8], usize)) -> FreedBlocks {
    let mut message = vec![0xa5; 20_000];
    Freed::count(|| {
        for piece in [100, 500, 1000, 1024, 1350, 4096] {
            for _ in 0..3 {
                work(&mut message, piece);
            }
        }
    })
}

#[test]
fn messages_in_pieces() {
    let key = [0x9e; 32];
    for backend in Backend::available() {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        let authenticated = freed(|message, piece| {
            let mut poly1305 = Poly1305::with_backend(&key, backend);
            for data in message.chunks(piece) {
                poly1305.update(data);
            }
            let copy = poly1305.clone();
            assert_eq!(copy.finalize(), poly1305.finalize());
        });
        let sealed = freed(|message, piece| {
            let mut sealer = cipher.sealer(&NONCE, b"header");
            for data in message.chunks_mut(piece) {
                sealer.seal(data).unwrap();
            }
            let copy = sealer.clone();
            assert_eq!(copy.finish(), sealer.finish());
        });
        let opened = freed(|message, piece| {
            let tag = cipher.seal_in_place(&NONCE, b"", message);
            let mut opener = cipher.opener(&NONCE, b"");
            for data in message.chunks(piece) {
                opener.update(data).unwrap();
            }
            opener.verify(&tag).unwrap();
        });
        for (what, blocks) in [("Poly1305", authenticated), ("Sealer", sealed), ("Opener", opened)] {
            assert_eq!(blocks.not_wiped, 0, "{what} on {backend}: {blocks:?}");
            let has_sum = (backend.name().starts_with("avx") || backend.name() == "neon") && what != "Sealer";
            assert!(!has_sum || blocks.all > 0, "{what} on {backend}: no block was freed");
        }
    }
}

/// The allocator notices a block that was not wiped.
#[test]
fn what_is_not_wiped_is_noticed() {
    // The compiler must not remove an allocation that nothing reads.
    let mut block = black_box(vec![0_u8; Freed::MIN_BYTES]);
    let copy = block.clone();
    assert_eq!(Freed::count(|| drop(black_box(copy))), FreedBlocks { all: 1, not_wiped: 0 });
    block[Freed::MIN_BYTES - 1] = 1;
    assert_eq!(Freed::count(|| drop(black_box(block))), FreedBlocks { all: 1, not_wiped: 1 });
}
