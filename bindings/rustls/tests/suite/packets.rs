//! QUIC packets of every length are identical to those of the wrapped provider.

use rustls::Error;
use rustls::quic::{HeaderProtectionKey, PacketKey};

use crate::common::{array, lengths, pairs, quic, test_bytes};

/// Returns the ciphertext of a packet, followed by its tag.
fn sealed(key: &dyn PacketKey, path: Option<u32>, number: u64, header: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let mut payload = plaintext.to_vec();
    let tag = match path {
        Some(path) => key.encrypt_in_place_for_path(path, number, header, &mut payload),
        None => key.encrypt_in_place(number, header, &mut payload),
    };
    payload.extend_from_slice(tag.unwrap().as_ref());
    payload
}

fn opened(key: &dyn PacketKey, path: Option<u32>, number: u64, header: &[u8], packet: &[u8]) -> Result<Vec<u8>, Error> {
    let mut payload = packet.to_vec();
    let plaintext = match path {
        Some(path) => key.decrypt_in_place_for_path(path, number, header, &mut payload),
        None => key.decrypt_in_place(number, header, &mut payload),
    };
    plaintext.map(<[u8]>::to_vec)
}

#[test]
fn every_length() {
    for pair in pairs() {
        let key = |provider| quic(provider).packet_key(array::<32>(1).into(), array::<12>(2).into());
        let (ours, theirs) = (key(&pair.ours), key(&pair.wrapped));
        for length in lengths() {
            let (plaintext, header) = (test_bytes(length as u64, length), test_bytes(7, 1 + length % 40));
            let (path, number) = ((length % 3 == 0).then_some(length as u32), (length as u64) << 30 | 5);
            let case = || format!("{length} bytes, {}", pair.name);
            let packet = sealed(&*ours, path, number, &header, &plaintext);
            assert!(packet == sealed(&*theirs, path, number, &header, &plaintext), "{}", case());
            for key in [&ours, &theirs] {
                assert!(opened(&**key, path, number, &header, &packet).as_ref() == Ok(&plaintext), "{}", case());
            }
        }
    }
}

#[test]
fn changed_packets_are_refused() {
    let pair = &pairs()[0];
    let key = quic(&pair.ours).packet_key(array::<32>(1).into(), array::<12>(2).into());
    let (header, plaintext) = (test_bytes(3, 20), test_bytes(4, 100));
    let packet = sealed(&*key, None, 9, &header, &plaintext);
    for i in 0..packet.len() {
        let mut changed = packet.clone();
        changed[i] ^= 1 << (i % 8);
        assert_eq!(opened(&*key, None, 9, &header, &changed), Err(Error::DecryptError), "byte {i}");
        assert_eq!(opened(&*key, None, 9, &header, &packet[..i]), Err(Error::DecryptError), "the first {i}");
    }
    let mut changed = header.clone();
    changed[0] ^= 1;
    assert_eq!(opened(&*key, None, 9, &changed, &packet), Err(Error::DecryptError));
    assert_eq!(opened(&*key, None, 8, &header, &packet), Err(Error::DecryptError));
    assert_eq!(opened(&*key, Some(1), 9, &header, &packet), Err(Error::DecryptError));
    assert_eq!(opened(&*key, None, 9, &header, &packet), Ok(plaintext));
}

/// Masks a header, or removes the mask. Returns the first byte and the packet number.
fn masked(key: &dyn HeaderProtectionKey, sample: &[u8], first: u8, number: &[u8], on: bool) -> (u8, Vec<u8>) {
    let (mut first, mut number) = (first, number.to_vec());
    let result = if on {
        key.encrypt_in_place(sample, &mut first, &mut number)
    } else {
        key.decrypt_in_place(sample, &mut first, &mut number)
    };
    result.unwrap();
    (first, number)
}

/// Protects every first byte, with packet numbers of every length. A receiver does not know the
/// length yet, and passes the maximum number of bytes.
#[test]
fn headers_are_those_of_the_wrapped_provider() {
    for pair in pairs() {
        let key = |provider| quic(provider).header_protection_key(array::<32>(3).into());
        let (ours, theirs) = (key(&pair.ours), key(&pair.wrapped));
        assert_eq!(ours.sample_len(), theirs.sample_len());
        for first in 0..=u8::MAX {
            let sample = test_bytes(first.into(), 16);
            for length in 0..=4 {
                let number = test_bytes(90, length);
                let protected = masked(&*ours, &sample, first, &number, true);
                assert_eq!(protected, masked(&*theirs, &sample, first, &number, true), "{first:#x}, {}", pair.name);
                assert_eq!(masked(&*ours, &sample, protected.0, &protected.1, false), (first, number.clone()));
                let unmasked = masked(&*ours, &sample, first, &number, false);
                assert_eq!(unmasked, masked(&*theirs, &sample, first, &number, false), "{first:#x}, {}", pair.name);
            }
        }
    }
}

#[test]
fn samples_and_packet_numbers_of_other_lengths_are_refused() {
    let pair = &pairs()[0];
    let key = quic(&pair.ours).header_protection_key(array::<32>(3).into());
    for (sample, number) in [(15, 4), (17, 4), (0, 4), (16, 5)] {
        let (mut first, mut bytes) = (0x43, vec![7; number]);
        key.encrypt_in_place(&vec![1; sample], &mut first, &mut bytes).unwrap_err();
        key.decrypt_in_place(&vec![1; sample], &mut first, &mut bytes).unwrap_err();
        assert_eq!((first, bytes), (0x43, vec![7; number]), "nothing is changed");
    }
}
