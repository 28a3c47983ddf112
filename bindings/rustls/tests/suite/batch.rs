//! Many packets at once are identical to packets protected one by one through rustls's traits.

use rustls_sealane::quic::{Packet, PacketError, PacketKeys};

use crate::common::{array, pairs, quic, test_bytes};

const KEY: u64 = 1;
const IV: u64 = 2;
const HEADER_KEY: u64 = 3;

fn keys() -> PacketKeys {
    PacketKeys::new(&array(KEY), &array(IV), &array(HEADER_KEY))
}

/// A packet: its number, its path, the length of its header, and its bytes with room for the tag.
#[derive(Clone)]
struct Case {
    number: u64,
    path: Option<u32>,
    header_bytes: usize,
    bytes: Vec<u8>,
}

/// Returns packets of many shapes: long and short headers, each length of packet numbers.
fn cases(count: usize) -> Vec<Case> {
    let case = |i: usize| {
        let header_bytes = 5 + i * 7 % 40;
        let mut bytes = test_bytes(i as u64, header_bytes + 4 + i * 97 % 1500 + 16);
        bytes[0] = [0x40, 0xe1, 0x42, 0xf3][i % 4];
        Case { number: (i as u64) << 33 | 9, path: i.is_multiple_of(5).then_some(i as u32), header_bytes, bytes }
    };
    (0..count).map(case).collect()
}

/// Protects a packet as a QUIC stack does with rustls's traits.
fn protected(provider: &rustls::crypto::CryptoProvider, case: &Case) -> Vec<u8> {
    let algorithm = quic(provider);
    let key = algorithm.packet_key(array::<32>(KEY).into(), array::<12>(IV).into());
    let header_key = algorithm.header_protection_key(array::<32>(HEADER_KEY).into());
    let (header, sealed) = case.bytes.split_at(case.header_bytes);
    let (mut header, mut sealed) = (header.to_vec(), sealed[..sealed.len() - 16].to_vec());
    let tag = match case.path {
        Some(path) => key.encrypt_in_place_for_path(path, case.number, &header, &mut sealed),
        None => key.encrypt_in_place(case.number, &header, &mut sealed),
    };
    sealed.extend_from_slice(tag.unwrap().as_ref());
    let number_bytes = usize::from(header[0] & 3) + 1;
    let (rest, number) = header.split_at_mut(case.header_bytes - number_bytes);
    header_key.encrypt_in_place(&sealed[4 - number_bytes..][..16], &mut rest[0], number).unwrap();
    [header, sealed].concat()
}

fn packets(cases: &mut [Case]) -> Vec<Packet<'_>> {
    fn packet(case: &mut Case) -> Packet<'_> {
        let packet = Packet::new(case.number, case.header_bytes, &mut case.bytes);
        if let Some(path) = case.path { packet.on_path(path) } else { packet }
    }
    cases.iter_mut().map(packet).collect()
}

#[test]
fn batches_of_every_size() {
    let pair = &pairs()[0];
    let expected: Vec<_> = cases(70).iter().map(|case| protected(&pair.wrapped, case)).collect();
    for count in 0..=70 {
        let mut cases = cases(count);
        keys().seal_packets(&mut packets(&mut cases)).unwrap();
        for (i, (case, expected)) in cases.iter().zip(&expected).enumerate() {
            assert!(case.bytes == *expected, "packet {i} of {count}");
        }
    }
}

/// The shortest packet has 20 bytes from the start of its packet number: 4, and a sample of 16.
#[test]
fn packets_that_are_too_short_are_refused() {
    for (first, header_bytes, length, fits) in [
        (0x43, 5, 21, true),
        (0x43, 5, 20, false),
        (0x40, 2, 21, true),
        (0x40, 2, 20, false),
        (0x40, 1, 40, false), // no room for the first byte
        (0x40, 0, 40, false),
        (0x43, 4, 40, false),
        (0x43, 40, 56, true),
        (0x43, 40, 55, false), // no room for the tag
        (0x43, 0, 0, false),
        (0x43, usize::MAX, 40, false),
    ] {
        let mut good = test_bytes(1, 100);
        let mut bytes = test_bytes(2, length);
        if let Some(byte) = bytes.first_mut() {
            *byte = first;
        }
        let before = (good.clone(), bytes.clone());
        let mut batch = [Packet::new(1, 9, &mut good), Packet::new(2, header_bytes, &mut bytes)];
        let result = keys().seal_packets(&mut batch);
        if fits {
            assert_eq!(result, Ok(()), "{first:#x}, {header_bytes}, {length}");
            assert_ne!((good, bytes), before);
        } else {
            assert_eq!(result, Err(PacketError::TooShort { index: 1 }), "{first:#x}, {header_bytes}, {length}");
            assert_eq!((good, bytes), before, "nothing is written");
        }
    }
}

/// A second call would decrypt the payloads, because it adds the same key stream.
#[test]
fn a_packet_is_encrypted_once() {
    let (mut first, mut second) = (test_bytes(1, 100), test_bytes(2, 100));
    let mut batch = [Packet::new(1, 9, &mut first)];
    keys().seal_packets(&mut batch).unwrap();
    let [sealed] = batch;
    let mut batch = [Packet::new(2, 9, &mut second), sealed.on_path(3)];
    let result = keys().seal_packets(&mut batch);
    assert_eq!(result, Err(PacketError::Sealed { index: 1 }));
    assert_eq!(result.unwrap_err().to_string(), "packet 1 is encrypted already");
    let mut expected = test_bytes(1, 100);
    keys().seal_packets(&mut [Packet::new(1, 9, &mut expected)]).unwrap();
    assert_eq!((first, second), (expected, test_bytes(2, 100)), "nothing is written");
}

#[test]
fn keys_and_plaintext_are_not_shown() {
    assert_eq!(format!("{:?}", keys()), "PacketKeys { .. }");
    let mut bytes = test_bytes(1, 100);
    assert_eq!(format!("{:?}", Packet::new(1, 9, &mut bytes)), "Packet { len: 100, .. }");
}
