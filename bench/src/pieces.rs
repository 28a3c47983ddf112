//! The peers of messages in pieces: our call for a whole message, which is the target, and
//! OpenSSL's calls for the same pieces.

use openssl::cipher::Cipher;
use sealane::{ChaCha20Poly1305, Poly1305};
use sealane_workloads::Size;
use sealane_workloads::benchmarks::messages::{AAD, KEY, nonce, one_time_key};
use sealane_workloads::benchmarks::pieces::Message;

use crate::aead::OpenSsl;
use crate::targets::ONE_CALL;
use crate::timed::Row;

/// Returns the peers' rows. The workloads' tests compare the results of our pieces with a reference
/// that processes the whole message.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    if benchmark == "poly1305-pieces" {
        return Ok(vec![row(ONE_CALL, |message| {
            message.tag = Poly1305::mac(&one_time_key(message.next_number()), &message.data);
        })]);
    }
    let cipher = ChaCha20Poly1305::new(&KEY);
    let seals = benchmark == "chacha20poly1305-seal-pieces";
    let mut openssl = OpenSsl::new(Cipher::chacha20_poly1305());
    Ok(vec![
        // Sealing is the target for decryption too: the benchmark of decryption has no authentic
        // tag, and a call that opens the message would refuse it and encrypt it again.
        row(ONE_CALL, move |message| {
            message.tag = cipher.seal_in_place(&nonce(message.next_number()), &AAD, &mut message.data);
        }),
        row("OpenSSL", move |message| {
            let nonce = nonce(message.next_number());
            let pieces = message.data.chunks_mut(size.length());
            if seals {
                message.tag = openssl.seal_pieces(&nonce, pieces);
            } else {
                openssl.open_pieces(&nonce, pieces, &message.tag);
            }
        }),
    ])
}

fn row(name: &str, mut call: impl FnMut(&mut Message) + 'static) -> Row {
    let mut message = Message::new();
    Row::new(name, move || call(&mut message))
}
