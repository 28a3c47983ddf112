//! Checks the format of shares and parts in `docs/threshold.md` without the crate's own code.

use std::io::Write as _;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sealane::ChaCha20Poly1305;
use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::header::{Header, HeaderError};
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{PART_BYTES, Part, ThresholdError};
use sealane_age::{DecryptError, Decryptor, Identity};
use sha2::Sha256;

use crate::threshold::{fails, keys, open, seal_labelled};
use crate::threshold_hostile::{encode, inner};

/// Opens a file with only the rules of `docs/threshold.md`.
#[test]
fn the_format_to_the_byte() {
    fn derive(key: &[u8], info: &str) -> [u8; 32] {
        let mut out = [0; 32];
        Hkdf::<Sha256>::new(None, key).expand(info.as_bytes(), &mut out).unwrap();
        out
    }
    /// Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
    fn product(a: u8, b: u8) -> u8 {
        (0..8).rev().fold(0u8, |sum, bit| {
            let doubled = sum << 1 ^ if sum & 0x80 == 0 { 0 } else { 0x1b };
            doubled ^ if b >> bit & 1 == 1 { a } else { 0 }
        })
    }
    fn inverse(a: u8) -> u8 {
        (1..=255).find(|&b| product(a, b) == 1).unwrap()
    }
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], Some("budget 2027"));
    let header = Header::parse(&file).unwrap().0;
    let mut shares: Vec<(u8, [u8; 16])> = Vec::new();
    for (stanza, key) in header.stanzas().iter().zip(&keys) {
        assert_eq!((stanza.tag.as_str(), stanza.args[0].as_str()), ("sealane/threshold", "v1"));
        assert_eq!(stanza.args[5], BASE64_STANDARD_NO_PAD.encode("budget 2027"));
        let text = encode(stanza);
        let associated_data = text.lines().next().unwrap().strip_prefix("-> ").unwrap();
        let one_time_key = key.unwrap_file_key(&inner(stanza)).unwrap().unwrap();
        let (sealed, tag) = (&stanza.body[..16], stanza.body[16..32].try_into().unwrap());
        let cipher = ChaCha20Poly1305::new(&derive(one_time_key.expose_secret(), "sealane/threshold/v1/share"));
        let mut share = [0; 16];
        cipher.open_into(&[0; 12], associated_data.as_bytes(), sealed, &tag, &mut share[..]).unwrap();
        let mac_key = derive(&share, "sealane/threshold/v1/commitment");
        let mut mac = Hmac::<Sha256>::new_from_slice(&mac_key).unwrap();
        mac.update(associated_data.as_bytes());
        mac.verify_slice(&stanza.body[32..64]).unwrap();
        // The text of the part.
        let part = Part::of(&header, [key as &dyn Identity]).unwrap().remove(0).1.to_text();
        let number = |i: usize| stanza.args[i].parse::<u8>().unwrap();
        let id: Vec<_> = (0..16).map(|i| u8::from_str_radix(&stanza.args[4][2 * i..][..2], 16).unwrap()).collect();
        let expected = [&[1][..], &id, &[number(1), number(2), number(3)], &share].concat();
        assert_eq!(decode_part(part.expose_secret()), expected);
        shares.push((number(3), share));
    }
    // Lagrange interpolation at 0 with the shares at 1 and 3.
    let ((a, first), (b, second)) = (shares[0], shares[2]);
    let weight = |own: u8, other: u8| product(other, inverse(own ^ other));
    let byte = |i: usize| product(weight(a, b), first[i]) ^ product(weight(b, a), second[i]);
    let file_key: Vec<u8> = (0..16).map(byte).collect();
    let encoded = header.encode();
    let authenticated = &encoded[..encoded.len() - 45];
    assert!(authenticated.ends_with(b"\n---"));
    let mut mac = Hmac::<Sha256>::new_from_slice(&derive(&file_key, "header")).unwrap();
    mac.update(authenticated);
    mac.verify_slice(header.mac()).unwrap();
}

#[test]
fn a_part_is_of_one_set_and_one_share() {
    let keys = keys(3);
    let file = seal_labelled(2, &keys, &[], None);
    let header = Header::parse(&file).unwrap().0;
    let text = Part::of(&header, [&keys[0] as &dyn Identity]).unwrap().remove(0).1.to_text();
    let bytes = decode_part(text.expose_secret());
    assert_eq!((bytes.len(), bytes[0], &bytes[17..20]), (36, 1, &[2, 3, 1][..]));
    let changed = |place: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = value;
        encode_part(&bytes).parse::<Part>()
    };
    let opens = |part: Part| open(&file, &[&keys[1]], &[part]);
    assert_eq!(opens(changed(0, 1).unwrap()).unwrap(), b"secret");
    for (place, value) in [(0, 2), (17, 1), (17, 4), (18, 0), (19, 0), (19, 4)] {
        assert_eq!(changed(place, value).err(), Some(ThresholdError::NotAPart), "{place}");
    }
    assert_eq!(fails(opens(changed(1, bytes[1] ^ 1).unwrap())), ThresholdError::OtherFile);
    for (place, value, point) in [(17, 3, 1), (18, 4, 1), (19, 2, 2), (20, bytes[20] ^ 1, 1), (35, bytes[35] ^ 1, 1)] {
        assert_eq!(fails(opens(changed(place, value).unwrap())), ThresholdError::WrongPart { point }, "{place}");
    }
    let longer = encode_part(&[&bytes[..], &[0]].concat());
    assert_eq!(longer.parse::<Part>().err(), Some(ThresholdError::NotAPart));
}

const PART: bech32::Hrp = bech32::Hrp::parse_unchecked("sealane-part-");

fn decode_part(text: &str) -> Vec<u8> {
    let checked = bech32::primitives::decode::CheckedHrpstring::new::<LongBech32>(text).unwrap();
    assert_eq!(checked.hrp(), PART);
    checked.byte_iter().collect()
}

fn encode_part(bytes: &[u8]) -> String {
    bech32::encode_upper::<LongBech32>(PART, bytes).unwrap()
}

/// Bech32 (BIP 173) without its limit on the length.
enum LongBech32 {}

impl bech32::Checksum for LongBech32 {
    type MidstateRepr = u32;
    const CODE_LENGTH: usize = usize::MAX;
    const CHECKSUM_LENGTH: usize = bech32::Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [u32; 5] = bech32::Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = bech32::Bech32::TARGET_RESIDUE;
}

/// Parts as texts, as bytes, and in two of serde's formats: a human-readable one and a binary one.
#[test]
fn parts_come_back() {
    let keys = keys(2);
    let file = seal_labelled(2, &keys, &[], None);
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    let (_, part) = Part::of(&header, [&keys[1] as &dyn Identity]).unwrap().remove(0);
    let (text, bytes) = (part.to_string(), part.to_bytes());
    assert_eq!(text, part.to_text().expose_secret());
    let is_same = |other: Part| assert!(other.to_bytes() == bytes);
    is_same(text.parse().unwrap());
    is_same(Part::try_from(&bytes[..]).unwrap());
    assert_eq!(Part::try_from(&bytes[1..]).unwrap_err(), ThresholdError::NotAPart);

    let json = serde_json::to_string(&part).unwrap();
    assert_eq!(json, format!("{text:?}"));
    is_same(serde_json::from_str(&json).unwrap());
    // From a reader, the text is owned.
    is_same(serde_json::from_reader(json.as_bytes()).unwrap());
    let binary = postcard::to_allocvec(&part).unwrap();
    assert_eq!((binary.len(), &binary[1..]), (1 + PART_BYTES, &bytes[..]));
    is_same(postcard::from_bytes(&binary).unwrap());
    for wrong in ["\"\"", "\"text\"", "7", "[1]", "null"] {
        let error = serde_json::from_str::<Part>(wrong).unwrap_err();
        assert!(!error.to_string().contains("text\""), "{error}");
    }
    for wrong in [&[][..], &[0], &binary[..PART_BYTES]] {
        assert!(postcard::from_bytes::<Part>(wrong).is_err());
    }
    // The part that was read back opens the file.
    let again: Part = serde_json::from_str(&json).unwrap();
    assert_eq!(open(&file, &[&keys[0]], &[again]).unwrap(), b"secret");
}

/// A holder needs only the header: the file may end after it, or inside the nonce of the payload.
#[test]
fn the_header_is_enough() {
    let file = seal_labelled(2, &keys(2), &[], None);
    let header = Decryptor::new(&file[..]).unwrap().into_header();
    let len = header.encoded_len();
    for end in len..=file.len() {
        assert_eq!(Decryptor::read_header(&file[..end]).unwrap(), header, "{end}");
    }
    let error = Decryptor::read_header(&file[..len - 1]).unwrap_err();
    assert!(matches!(error, DecryptError::Header(HeaderError::Truncated)), "{error}");

    let mut armor = ArmoredWriter::new(Vec::new());
    armor.write_all(&file).unwrap();
    let armor = armor.finish().unwrap();
    // The lines with bytes of the header, after the first line.
    let lines = armor.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::len);
    let end = lines.take(1 + len.div_ceil(48)).sum();
    let read = |end| Decryptor::read_header(ArmoredReader::new(&armor[..end]));
    assert_eq!(read(end).unwrap(), header);
    assert!(read(end - 65).is_err());
}
