//! Messages in several slices give the same results as in one slice, and leave no plaintext behind
//! if they are forged.

use std::mem::MaybeUninit;

use sealane::{ChaCha20Poly1305, OpenError, XChaCha20Poly1305};

use crate::common::{array, backends, test_bytes};

/// Lengths for each plan for a message, and around the ends of each plan's units of work.
const LENGTHS: [usize; 17] =
    [0, 1, 63, 64, 65, 192, 193, 448, 449, 512, 1000, 1473, 4096, 5000, 16_384, 16_391, 40_000];

/// The initial content of an output. No byte of it is zero.
const BEFORE: u8 = 0xa5;

/// Returns the message in slices, whose lengths repeat `lengths`.
fn slices<'m>(message: &'m [u8], lengths: &[usize]) -> Vec<&'m [u8]> {
    let mut rest = message;
    let mut slices = Vec::new();
    for length in lengths.iter().cycle() {
        let (slice, later) = rest.split_at(rest.len().min(*length));
        slices.push(slice);
        rest = later;
        if rest.is_empty() {
            return slices;
        }
    }
    slices
}

macro_rules! check {
    ($name:ident, $cipher:ty, $nonce_bytes:literal) => {
        #[test]
        fn $name() {
            let (key, nonce, aad) = (array(1), array::<$nonce_bytes>(2), test_bytes(3, 21));
            for backend in backends() {
                let cipher = <$cipher>::with_backend(&key, backend);
                for length in LENGTHS {
                    let plaintext = test_bytes(4, length);
                    let mut ciphertext = plaintext.clone();
                    let tag = cipher.seal_in_place(&nonce, &aad, &mut ciphertext);
                    for lengths in [&[usize::MAX][..], &[1, 0, 7], &[64], &[0, 0, 100, 1], &[1350], &[4096], &[9999, 3]]
                    {
                        let what = format!("{length} bytes in slices of {lengths:?} on {backend}");
                        let mut memory = vec![MaybeUninit::uninit(); length];
                        let (sealed, sealed_tag) =
                            cipher.seal_slices_into(&nonce, &aad, &slices(&plaintext, lengths), &mut memory[..]);
                        assert!(sealed == ciphertext && sealed_tag == tag, "{what}");

                        let input = slices(&ciphertext, lengths);
                        let mut output = vec![BEFORE; length];
                        let opened = cipher.open_slices_into(&nonce, &aad, &input, &tag, &mut output[..]);
                        assert!(opened.is_ok_and(|opened| opened == plaintext), "{what}");

                        output.fill(BEFORE);
                        let forged = array::<16>(5);
                        let result = cipher.open_slices_into(&nonce, &aad, &input, &forged, &mut output[..]);
                        assert_eq!(result, Err(OpenError), "{what}");
                        let wiped = output.iter().take_while(|byte| **byte == 0).count();
                        assert!(output[wiped..].iter().all(|byte| *byte == BEFORE), "not wiped: {what}");
                    }
                }
            }
        }
    };
}

check! { chacha20_poly1305, ChaCha20Poly1305, 12 }
check! { xchacha20_poly1305, XChaCha20Poly1305, 24 }

#[test]
#[should_panic = "the same length"]
fn sealing_into_a_buffer_of_another_length_panics() {
    let cipher = ChaCha20Poly1305::new(&[0; 32]);
    let _ = cipher.seal_slices_into(&[0; 12], b"", &[b"he", b"llo"], &mut [0; 4]);
}

#[test]
#[should_panic = "the same length"]
fn opening_into_a_buffer_of_another_length_panics() {
    let cipher = ChaCha20Poly1305::new(&[0; 32]);
    let _ = cipher.open_slices_into(&[0; 12], b"", &[b"he", b"llo"], &[0; 16], &mut [0; 6]);
}
