//! The peers of Poly1305 (RFC 8439, section 2.5), with a new key for each message.

use sealane_measure::Tag;
use sealane_workloads::benchmarks::messages::one_time_key;

use crate::peers::openssl::Poly1305Context;
use crate::peers::{Peer, aws_lc, libsodium};
use crate::row::{self, Owner, Row};

/// Returns the rows of all peers.
pub fn peers() -> Vec<Row> {
    let mut rows = row::of_openssl(|owner| {
        let mut context = Poly1305Context::new();
        row(owner, move |key, data| context.mac(key, data))
    });
    rows.push(row(Owner::Peer(Peer::OpenSslFresh), |key, data| Poly1305Context::new().mac(key, data)));
    rows.push(row(Owner::Peer(Peer::AwsLc), aws_lc::poly1305));
    rows.push(row(Owner::Peer(Peer::Libsodium), libsodium::poly1305));
    rows.push(row(Owner::Peer(Peer::RsCrypto), |key, data| {
        let key = rscrypto::Poly1305OneTimeKey::from_bytes(*key);
        rscrypto::Poly1305::authenticate_once(key, data).to_bytes()
    }));
    rows.push(row(Owner::Peer(Peer::RustCrypto), |key, data| {
        use poly1305::universal_hash::KeyInit;
        poly1305::Poly1305::new(&(*key).into()).compute_unpadded(data).into()
    }));
    rows.push(row(Owner::Peer(Peer::RustCryptoSoft), |key, data| {
        use poly1305_soft::universal_hash::NewUniversalHash;
        poly1305_soft::Poly1305::new(&(*key).into()).compute_unpadded(data).into_bytes().into()
    }));
    #[cfg(feature = "ipsec-mb")]
    rows.push({
        let mut manager = crate::peers::ipsec_mb::IpsecMb::new();
        row(Owner::Peer(Peer::IpsecMb), move |key, data| manager.poly1305(key, data))
    });
    rows
}

fn row(owner: Owner, mut mac: impl FnMut(&[u8; 32], &[u8]) -> Tag + 'static) -> Row {
    Row::new(owner, move |message, data, tag| {
        *tag = mac(&one_time_key(message), data);
        true
    })
}
