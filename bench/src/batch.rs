//! ChaCha20-Poly1305 for 32 packets, each with its own nonce, associated data and buffer: our
//! batches beside peers that are called 32 times. The figure includes the description of the
//! packets for our call.

use std::array;

use sealane::{ChaCha20Poly1305, OpenRequest, SealRequest};
use sealane_measure::Work;

use crate::aead::{self, AAD, Direction, KEY};
use crate::chacha20::nonce;
use crate::harness::Suite;
use crate::row::{self, Row};

const PACKETS: usize = 32;
const SIZES: &[usize] = &[64, 256, 1350];

pub fn seal_suite() -> Suite {
    let rows = row::of_sealane(|owner, backend| {
        let cipher = ChaCha20Poly1305::with_backend(&KEY, backend);
        Row::batch(owner, move |first, packets| {
            let mut packets = (first..).zip(packets.into_messages());
            let mut requests: [_; PACKETS] = array::from_fn(|_| {
                let (number, (data, tag)) = packets.next().expect("32 packets");
                SealRequest::new(nonce(number), &AAD, data, tag)
            });
            cipher.seal_batch(&mut requests);
            true
        })
    });
    suite("seal_batch", rows, Direction::Seal)
}

pub fn open_suite() -> Suite {
    let rows = row::of_sealane(|owner, backend| {
        let cipher = ChaCha20Poly1305::with_backend(&KEY, backend);
        Row::batch(owner, move |first, packets| {
            let mut packets = (first..).zip(packets.into_messages());
            let mut requests: [_; PACKETS] = array::from_fn(|_| {
                let (number, (data, tag)) = packets.next().expect("32 packets");
                OpenRequest::new(nonce(number), &AAD, data, tag)
            });
            cipher.open_batch(&mut requests).is_ok()
        })
    });
    Suite { prepare: Some(aead::prepare()), ..suite("open_batch", rows, Direction::Open) }
}

fn suite(name: &'static str, mut rows: Vec<Row>, direction: Direction) -> Suite {
    rows.extend(aead::peers(direction));
    // Messages of a batch share vectors, so the bound for one message does not hold for them.
    Suite { batch: PACKETS, own_sizes: Some(SIZES), ..Suite::new(name, Work::Copy, rows) }
}
