//! Compares `sealane::rustcrypto` with the crates `chacha20` and `poly1305`, in programs that
//! differ only in their `use` lines.

/// A program that uses `chacha20`, compiled for the crate at `$path`.
macro_rules! stream_program {
    ($name:ident, $($path:ident)::+) => {
        mod $name {
            use $($path)::+::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
            use $($path)::+::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Legacy, LegacyNonce, XChaCha8, XChaCha12, XChaCha20};

            fn with<C: KeyIvInit + StreamCipher + StreamCipherSeek>(key: &[u8], nonce: &[u8], out: &mut Vec<u8>) {
                let mut cipher = C::new_from_slices(key, nonce).unwrap();
                for length in [0, 1, 63, 64, 65, 200, 1024, 1500, 3, 61] {
                    let mut buffer = vec![length as u8; length];
                    cipher.apply_keystream(&mut buffer);
                    out.extend(&buffer);
                    out.extend(cipher.current_pos::<u64>().to_le_bytes());
                }
                for position in [0_u64, 5, 64, 70, 4096 + 1, (1 << 32) - 3, (1 << 37) + 9, (1 << 38) - 64 * 70] {
                    cipher.seek(position);
                    out.extend(cipher.current_pos::<u64>().to_le_bytes());
                    // To the end of the block, then into the next one.
                    let mut buffer = [0x33; 64];
                    let within = 64 - position as usize % 64;
                    cipher.apply_keystream(&mut buffer[..within]);
                    out.extend(&buffer[..within]);
                    let next = cipher.current_pos::<u64>() + 6;
                    cipher.seek(next);
                    let mut buffer = [0x44; 2100];
                    cipher.try_apply_keystream(&mut buffer).unwrap();
                    out.extend(buffer);
                }
                assert!(C::new_from_slices(&key[1..], nonce).is_err());
                assert!(C::new_from_slices(key, &nonce[1..]).is_err());
            }

            pub(super) fn run(key: &[u8; 32], nonce: &[u8; 24]) -> Vec<u8> {
                let mut out = Vec::new();
                with::<ChaCha8>(key, &nonce[..12], &mut out);
                with::<ChaCha12>(key, &nonce[..12], &mut out);
                with::<ChaCha20>(key, &nonce[..12], &mut out);
                with::<ChaCha20Legacy>(key, &LegacyNonce::try_from(&nonce[..8]).unwrap(), &mut out);
                with::<XChaCha8>(key, nonce, &mut out);
                with::<XChaCha12>(key, nonce, &mut out);
                with::<XChaCha20>(key, nonce, &mut out);
                out
            }
        }
    };
}

stream_program!(their_streams, chacha20_010);
stream_program!(our_streams, sealane::rustcrypto);

#[test]
fn stream_ciphers() {
    for seed in [0, 1, 0xa5, 0xff] {
        let key = core::array::from_fn(|i| seed ^ (i as u8).wrapping_mul(29));
        let nonce = core::array::from_fn(|i| seed ^ (i as u8).wrapping_mul(53));
        assert!(our_streams::run(&key, &nonce) == their_streams::run(&key, &nonce), "seed {seed}");
    }
}

/// A program that uses `poly1305`, compiled for the crate at `$path`.
macro_rules! hash_program {
    ($name:ident, $($path:ident)::+) => {
        mod $name {
            use $($path)::+::Poly1305;
            use $($path)::+::universal_hash::{KeyInit, UniversalHash};

            pub(super) fn run(key: &[u8; 32], message: &[u8]) -> [[u8; 16]; 3] {
                let new = || Poly1305::new(key.into());
                let mut padded = new();
                padded.update_padded(message);
                let mut blocks = new();
                for block in message.as_chunks::<16>().0 {
                    blocks.update(&[(*block).into()]);
                }
                blocks.update_padded(message);
                [new().compute_unpadded(message).into(), padded.finalize().into(), blocks.finalize().into()]
            }
        }
    };
}

hash_program!(their_hash, poly1305_09);
hash_program!(our_hash, sealane::rustcrypto);

#[test]
fn poly1305_as_a_universal_hash() {
    for fill in [0x00, 0x01, 0x80, 0xff] {
        let key = core::array::from_fn(|i| fill ^ (i as u8).wrapping_mul(31));
        for length in (0..600).chain([1023, 1024, 1025, 2048, 5000]) {
            let message: Vec<u8> = (0..length).map(|i| fill ^ (i * i / 7) as u8).collect();
            assert_eq!(our_hash::run(&key, &message), their_hash::run(&key, &message), "{length} bytes");
            let ones = vec![0xff; length];
            assert_eq!(our_hash::run(&[0xff; 32], &ones), their_hash::run(&[0xff; 32], &ones), "{length} bytes");
        }
    }
}

#[test]
fn generators() {
    use chacha20_010::rand_core::{Rng, SeedableRng};
    fn check<T: Rng + SeedableRng<Seed = [u8; 32]>, O: Rng + SeedableRng<Seed = [u8; 32]>>() {
        let (mut theirs, mut ours) = (T::from_seed([7; 32]), O::from_seed([7; 32]));
        for i in 0..2000 {
            match i % 4 {
                0 => assert_eq!(ours.next_u64(), theirs.next_u64(), "step {i}"),
                1 => {
                    let (mut a, mut b) = (vec![0; i % 97], vec![0; i % 97]);
                    ours.fill_bytes(&mut a);
                    theirs.fill_bytes(&mut b);
                    assert_eq!(a, b, "step {i}");
                }
                _ => assert_eq!(ours.next_u32(), theirs.next_u32(), "step {i}"),
            }
        }
    }
    check::<chacha20_010::ChaCha20Rng, sealane::chacha20::ChaCha20Rng>();
    check::<chacha20_010::ChaCha12Rng, sealane::chacha20::ChaCha12Rng>();
    check::<chacha20_010::ChaCha8Rng, sealane::chacha20::ChaCha8Rng>();
}
