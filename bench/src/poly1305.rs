//! Poly1305 (RFC 8439, section 2.5), a new key for each message.

use sealane_measure::Work;

use crate::buffers::Tag;
use crate::harness::Suite;
use crate::peers::openssl_mac::Poly1305Context;
use crate::peers::{self, Peer, aws_lc, libsodium};
use crate::row::{self, Owner, Row};

pub fn suite() -> Suite {
    let mut rows = row::of_sealane(|owner, backend| {
        row(owner, move |key, data| sealane::Poly1305::mac_with_backend(key, data, backend))
    });
    rows.extend(peers::of_openssl(|owner| {
        let mut context = Poly1305Context::new();
        row(owner, move |key, data| context.mac(key, data))
    }));
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
        let mut manager = peers::ipsec_mb::IpsecMb::new();
        row(Owner::Peer(Peer::IpsecMb), move |key, data| manager.poly1305(key, data))
    });
    Suite::new("poly1305", Work::Poly1305, rows)
}

fn row(owner: Owner, mut mac: impl FnMut(&[u8; 32], &[u8]) -> Tag + 'static) -> Row {
    Row::new(owner, move |message, data, tag| {
        let mut key = [0x42; 32];
        key[..8].copy_from_slice(&message.to_le_bytes());
        *tag = mac(&key, data);
        true
    })
}
