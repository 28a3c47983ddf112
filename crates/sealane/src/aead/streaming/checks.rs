//! Checks at the end of the longest message, which no test could reach byte by byte.

use super::{Opener, Sealer, StreamState};
use crate::chacha20::BLOCK_BYTES;
use crate::{ChaCha20Poly1305, CounterOverflow, MAX_MESSAGE_BYTES, OpenError};

/// Returns a message that may have `left` more bytes.
fn almost_full(left: u64) -> StreamState {
    let Sealer(mut message) = ChaCha20Poly1305::new(&[1; 32]).sealer(&[2; 12], b"");
    message.authenticate(b"");
    message.bytes = MAX_MESSAGE_BYTES - left;
    message.seek(message.bytes + BLOCK_BYTES as u64);
    message
}

/// Checks that the position in the key stream matches the length of the message. Block 0 comes
/// before the message.
fn assert_consistent(message: &StreamState) {
    let mut message = message.clone();
    message.return_to_window(message.bytes);
    assert_eq!(message.window.position(), message.bytes + BLOCK_BYTES as u64);
}

impl Sealer {
    /// Checks each number of bytes that are left, up to 130, with each length of the next piece, up
    /// to 140.
    #[doc(hidden)]
    pub fn check_the_longest_message() {
        for left in 0..=130_u64 {
            for length in 0..=140_usize {
                let fits = length as u64 <= left;

                let mut sealer = Sealer(almost_full(left));
                let mut piece = [7; 140];
                let result = sealer.seal(&mut piece[..length]);
                assert_eq!(result, if fits { Ok(()) } else { Err(CounterOverflow) }, "{length} bytes with {left} left");
                assert!(fits || piece == [7; 140], "something was written");
                assert_consistent(&sealer.0);
                // A shorter piece is still accepted.
                let rest = MAX_MESSAGE_BYTES - sealer.0.bytes;
                assert_eq!(sealer.seal(&mut piece[..usize::try_from(rest).unwrap()]), Ok(()));
                assert_eq!(sealer.seal(&mut piece[..1]), Err(CounterOverflow));

                let mut sealer = Sealer(almost_full(left));
                let result = sealer.add_ciphertext(&[7; 140][..length]);
                assert_eq!(result, if fits { Ok(()) } else { Err(CounterOverflow) }, "{length} bytes with {left} left");
                assert_consistent(&sealer.0);

                for decrypts in [false, true] {
                    let mut opener = Opener { message: almost_full(left), too_long: false };
                    let mut piece = [7; 140];
                    let result = if decrypts {
                        opener.decrypt_unauthenticated(&mut piece[..length])
                    } else {
                        opener.update(&piece[..length])
                    };
                    assert_eq!(result, if fits { Ok(()) } else { Err(OpenError) }, "{length} bytes with {left} left");
                    assert!(fits && decrypts || piece == [7; 140], "something was written");
                    assert_consistent(&opener.message);
                    // The tag of the accepted pieces is right, but it is not the tag of the whole
                    // message.
                    let mut same = almost_full(left);
                    if fits {
                        same.authenticate(&[7; 140][..length]);
                    }
                    let tag = same.tag();
                    assert_eq!(opener.verify(&tag).is_ok(), fits, "{length} bytes with {left} left");
                }
            }
        }
    }
}
