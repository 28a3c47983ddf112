//! RFC 9001, section A.5: a packet with a short header.

use crate::common::{pairs, quic};

const KEY: &str = "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8";
const IV: &str = "e0459b3474bdd0e44a41c144";
const HP: &str = "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4";
const PACKET_NUMBER: u64 = 654_360_564;
const UNPROTECTED_HEADER: &str = "4200bff4";
const PAYLOAD: &str = "01";
const SAMPLE: &str = "5e5cd55c41f69080575d7999c25a5bfb";
const PACKET: &str = "4cfe4189655e5cd55c41f69080575d7999c25a5bfb";

fn hex(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn array<const N: usize>(digits: &str) -> [u8; N] {
    hex(digits).try_into().expect("as many bytes")
}

#[test]
fn a_packet_is_protected() {
    for pair in pairs() {
        let packet_key = quic(&pair.ours).packet_key(array::<32>(KEY).into(), array::<12>(IV).into());
        let (mut header, mut payload) = (hex(UNPROTECTED_HEADER), hex(PAYLOAD));
        let tag = packet_key.encrypt_in_place(PACKET_NUMBER, &header, &mut payload).unwrap();
        payload.extend_from_slice(tag.as_ref());

        let header_key = quic(&pair.ours).header_protection_key(array::<32>(HP).into());
        let (first, packet_number) = header.split_first_mut().unwrap();
        // The packet number has three bytes, so the sample starts a byte after it.
        let sample = &payload[1..][..header_key.sample_len()];
        assert_eq!(sample, hex(SAMPLE));
        header_key.encrypt_in_place(sample, first, packet_number).unwrap();
        assert_eq!([header, payload].concat(), hex(PACKET), "{}", pair.name);
    }
}

#[test]
fn a_packet_is_opened() {
    for pair in pairs() {
        let mut packet = hex(PACKET);
        let (header, payload) = packet.split_at_mut(4);
        let header_key = quic(&pair.ours).header_protection_key(array::<32>(HP).into());
        let (first, packet_number) = header.split_first_mut().unwrap();
        header_key.decrypt_in_place(&payload[1..17], first, packet_number).unwrap();
        assert_eq!(header, hex(UNPROTECTED_HEADER), "{}", pair.name);

        let packet_key = quic(&pair.ours).packet_key(array::<32>(KEY).into(), array::<12>(IV).into());
        assert_eq!(packet_key.decrypt_in_place(PACKET_NUMBER, header, payload), Ok(&hex(PAYLOAD)[..]), "{}", pair.name);
    }
}

#[cfg(feature = "rustls-024")]
#[test]
fn packets_of_rustls_024() {
    for (name, wrapped) in crate::rustls_024::wrapped() {
        let provider = rustls_sealane::rustls_024::with_sealane(wrapped);
        let quic = crate::rustls_024::tls13(&provider).quic.expect("the suite works with QUIC");
        let packet_key = quic.packet_key(array::<32>(KEY).into(), array::<12>(IV).into());
        let header_key = quic.header_protection_key(array::<32>(HP).into());

        let (mut header, mut payload) = (hex(UNPROTECTED_HEADER), hex(PAYLOAD));
        let tag = packet_key.encrypt_in_place(PACKET_NUMBER, &header, &mut payload, None).unwrap();
        payload.extend_from_slice(tag.as_ref());
        let (first, packet_number) = header.split_first_mut().unwrap();
        header_key.encrypt_in_place(&payload[1..17], first, packet_number).unwrap();
        assert_eq!([&header[..], &payload].concat(), hex(PACKET), "{name}");

        let (first, packet_number) = header.split_first_mut().unwrap();
        header_key.decrypt_in_place(&payload[1..17], first, packet_number).unwrap();
        assert_eq!(header, hex(UNPROTECTED_HEADER), "{name}");
        let opened = packet_key.decrypt_in_place(PACKET_NUMBER, &header, &mut payload, None);
        assert_eq!(opened, Ok(&hex(PAYLOAD)[..]), "{name}");
    }
}
