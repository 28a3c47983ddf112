use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use secrecy::SecretString;

use super::*;
use crate::key_file::{AnyRecipient, MAX_SSH_IDENTITY_BYTES, RecipientFault, parse_recipients, parse_ssh_identity};

const ED25519: &str = include_str!("../../tests/data/ssh_ed25519");
const ED25519_PUBLIC: &str = include_str!("../../tests/data/ssh_ed25519.pub");
const ENCRYPTED: &str = include_str!("../../tests/data/ssh_ed25519_encrypted");
const ENCRYPTED_RSA: &str = include_str!("../../tests/data/ssh_rsa_encrypted");
const CIPHERS: &str = include_str!("../../tests/data/ssh_ed25519_ciphers");
const RSA: &str = include_str!("../../tests/data/ssh_rsa");
const RSA_PUBLIC: &str = include_str!("../../tests/data/ssh_rsa.pub");

fn identity(pem: &str) -> SshIdentity {
    parse_ssh_identity(pem.as_bytes(), None).unwrap()
}

/// Returns the recipient in a file of recipients.
fn recipient(file: &str) -> SshRecipient {
    match parse_recipients(file.as_bytes()).unwrap().recipients.remove(0) {
        AnyRecipient::Ssh(recipient) => recipient,
        other => panic!("{other:?}"),
    }
}

/// Returns the public key in a file of recipients, in binary.
fn public_key(file: &str) -> Vec<u8> {
    let (SshRecipient::SshRsa(key, _) | SshRecipient::SshEd25519(key, _)) = recipient(file);
    key
}

fn line(kind: &str, key: &[u8]) -> String {
    format!("{kind} {}", BASE64_STANDARD.encode(key))
}

/// Returns the PEM form of a private key, after `change` has changed its bytes.
fn changed(pem: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let mut key = BASE64_STANDARD.decode(base64).unwrap();
    change(&mut key);
    let base64 = BASE64_STANDARD.encode(key);
    let lines: Vec<_> = base64.as_bytes().chunks(70).map(|line| core::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n", lines.join("\n"))
}

/// Replaces the first occurrence of `from`.
fn replace(key: &mut [u8], from: &[u8], to: &[u8]) {
    let at = key.windows(from.len()).position(|window| window == from).unwrap();
    key[at..at + from.len()].copy_from_slice(to);
}

#[test]
fn nothing_is_wrapped_for_a_weak_key() {
    // The neutral element, and the point of order two.
    for y in [[&[1][..], &[0; 31]].concat(), [&[0xec][..], &[0xff; 30], &[0x7f]].concat()] {
        let mut key = public_key(ED25519_PUBLIC);
        let at = key.len() - 32;
        key[at..].copy_from_slice(&y);
        let wrapped = recipient(&line("ssh-ed25519", &key)).wrap_file_key(&FileKey::copy_of(&[1; 16]));
        assert!(matches!(wrapped, Err(WrapError::WeakKey)), "{wrapped:?}");
    }
    // The crate `age` itself accepts a key with something behind it, which names another key.
    let key = [&public_key(RSA_PUBLIC)[..], b"x"].concat();
    let recipient: SshRecipient = line("ssh-rsa", &key).parse().unwrap();
    assert!(matches!(recipient.wrap_file_key(&FileKey::copy_of(&[1; 16])), Err(WrapError::Other(_))));
}

#[test]
fn public_keys_that_are_not_one_whole_key_are_malformed() {
    let (ed25519, rsa) = (public_key(ED25519_PUBLIC), public_key(RSA_PUBLIC));
    let field = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat();
    let zero = [field(b"ssh-rsa"), field(&[0]), field(&[0x7f; 256])].concat();
    let no_point = [field(b"ssh-ed25519"), field(&[&[2][..], &[0; 31]].concat())].concat();
    for line in [
        line("ssh-rsa", &zero),
        line("ssh-rsa", &[&rsa[..], b"abc"].concat()),
        line("ssh-rsa", &rsa[..rsa.len() - 3]),
        line("ssh-rsa", &ed25519),
        line("ssh-ed25519", &[&ed25519[..], b"abc"].concat()),
        line("ssh-ed25519", &no_point),
        line("ssh-ed25519", &ed25519) + &line("ssh-ed25519", &ed25519),
        line("ssh-ed25519", &ed25519) + "=",
    ] {
        assert_eq!(line.parse::<AnyRecipient>().err(), Some(RecipientFault::MalformedSsh), "{line}");
        // It is not left out of a list with a good key.
        assert!(parse_recipients(format!("{ED25519_PUBLIC}\n{line}\n").as_bytes()).is_err(), "{line}");
    }
    for comment in ["", " me@example", "\tme"] {
        let line = line("ssh-ed25519", &ed25519) + comment;
        assert!(line.parse::<AnyRecipient>().is_ok(), "{line}");
    }
}

/// A stanza names its key by four bytes, so the key of another recipient may have the same name.
#[test]
fn stanzas_with_the_same_name_are_all_tried() {
    for (pem, public) in [(ED25519, ED25519_PUBLIC), (RSA, RSA_PUBLIC)] {
        let [ours] = &recipient(public).wrap_file_key(&FileKey::copy_of(&[5; 16])).unwrap().stanzas[..] else {
            panic!("one stanza")
        };
        let mut other = ours.clone();
        other.body[0] ^= 1;
        let open = |stanzas: &[&Stanza]| {
            let stanzas: Vec<_> = stanzas.iter().copied().cloned().collect();
            identity(pem).unwrap_file_key(&stanzas)
        };
        for stanzas in [&[ours][..], &[&other, ours], &[&other, &other, ours, &other]] {
            assert_eq!(open(stanzas).unwrap().unwrap().expose_secret(), &[5; 16]);
        }
        assert!(matches!(open(&[&other]), Err(UnwrapError::Authentication)));
        assert!(matches!(open(&[]), Ok(None)));
    }
}

#[test]
fn the_form_of_stanzas_is_checked() {
    let wrap = |public| recipient(public).wrap_file_key(&FileKey::copy_of(&[5; 16])).unwrap().stanzas.remove(0);
    let (ed25519, rsa) = (wrap(ED25519_PUBLIC), wrap(RSA_PUBLIC));
    let with = |stanza: &Stanza, args: &[&str]| {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        Stanza { args, ..stanza.clone() }
    };
    let (key, share) = (ed25519.args[0].as_str(), ed25519.args[1].as_str());
    let low_order = BASE64_STANDARD_NO_PAD.encode([0; 32]);
    for stanza in [
        with(&ed25519, &[]),
        with(&ed25519, &[key]),
        with(&ed25519, &[key, share, share]),
        with(&ed25519, &[key, &share[1..]]),
        with(&ed25519, &[&key[1..], share]),
        with(&ed25519, &[key, &low_order]),
        with(&rsa, &[]),
        with(&rsa, &[&rsa.args[0], "x"]),
        with(&rsa, &[share]),
    ] {
        let identity = identity(if stanza.tag == "ssh-rsa" { RSA } else { ED25519 });
        let result = identity.unwrap_file_key(std::slice::from_ref(&stanza));
        assert!(matches!(result, Err(UnwrapError::InvalidStanza)), "{stanza:?}");
    }
}

#[test]
fn both_halves_of_a_private_key_belong_together() {
    let (ours, mut other) = (public_key(ED25519_PUBLIC), public_key(ED25519_PUBLIC));
    // The base point.
    let at = other.len() - 32;
    other[at..].copy_from_slice(&[&[0x58][..], &[0x66; 31]].concat());
    let pem = changed(ED25519, |key| replace(key, &ours, &other));
    assert_eq!(parse_ssh_identity(pem.as_bytes(), None).err(), Some(Fault::Mismatch));
    let pem = changed(ENCRYPTED, |key| replace(key, &ours, &other));
    let passphrase = Some(SecretString::from("correct horse"));
    assert_eq!(parse_ssh_identity(pem.as_bytes(), passphrase).err(), Some(Fault::Mismatch));
    let ours = public_key(RSA_PUBLIC);
    let mut other = ours.clone();
    *other.last_mut().unwrap() ^= 4;
    let pem = changed(RSA, |key| replace(key, &ours, &other));
    assert_eq!(parse_ssh_identity(pem.as_bytes(), None).err(), Some(Fault::Mismatch));
}

/// The public half of an RSA key, and an Ed25519 key as the private half.
#[test]
fn both_halves_of_a_private_key_have_one_type() {
    let pem = changed(ED25519, |key| {
        let (ours, other) = (public_key(ED25519_PUBLIC), public_key(RSA_PUBLIC));
        let at = key.windows(ours.len()).position(|window| *window == ours).unwrap();
        key[at - 4..at].copy_from_slice(&u32::try_from(other.len()).unwrap().to_be_bytes());
        key.splice(at..at + ours.len(), other);
    });
    assert_eq!(parse_ssh_identity(pem.as_bytes(), None).err(), Some(Fault::Mismatch));
}

#[test]
fn private_keys_that_cannot_be_used() {
    // An encrypted key of another type: no passphrase opens it.
    let other = changed(ENCRYPTED, |key| replace(key, b"ssh-ed25519", b"ssh-ed25518"));
    for passphrase in [None, Some(SecretString::from("correct horse"))] {
        assert_eq!(parse_ssh_identity(other.as_bytes(), passphrase).err(), Some(Fault::Unsupported));
    }
    let long = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{}", "A\n".repeat(MAX_SSH_IDENTITY_BYTES));
    assert_eq!(parse_ssh_identity(long.as_bytes(), None).err(), Some(Fault::Malformed));
    assert!(parse_ssh_identity(format!("\n \n{ED25519}").as_bytes(), None).is_ok());
    // The public half has the exponent 0, in three bytes.
    let zero = changed(RSA, |key| replace(key, &[0, 0, 0, 3, 1, 0, 1], &[0, 0, 0, 3, 0, 0, 0]));
    assert_eq!(parse_ssh_identity(zero.as_bytes(), None).err(), Some(Fault::Malformed));
}

/// Returns the number whose digits in base 256 are `digit`, repeated, and `last`.
fn number(digit: u8, last: u8) -> Vec<u8> {
    [vec![digit; 255], vec![last]].concat()
}

/// With 5 as the first prime, decryption would take about 2^2044 steps. The other prime is 3 d, and
/// the public exponent is 3.
#[test]
fn an_rsa_key_with_a_small_prime_is_malformed() {
    let (d, q, n) = (number(0x11, 0x0b), number(0x33, 0x21), number(0xff, 0xa5));
    let unsigned = |number: &[u8]| [&[0][..usize::from(number[0] >= 0x80)], number].concat();
    let field = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat();
    let openssh = |p: &[u8], q: &[u8]| {
        let numbers = [&unsigned(&n)[..], &[3], &d, &[1], p, q].map(field).concat();
        let mut private = [&[9; 8][..], &field(b"ssh-rsa"), &numbers, &field(b"")].concat();
        let padding = private.len().next_multiple_of(8) - private.len();
        private.extend((1..).take(padding));
        let public = [&b"ssh-rsa"[..], &[3], &unsigned(&n)].map(field).concat();
        changed(RSA, |key| {
            let start = [field(b"none"), field(b"none"), field(b"")].concat();
            let one = [0, 0, 0, 1];
            *key = [b"openssh-key-v1\0", &start[..], &one, &field(&public), &field(&private)].concat();
        })
    };
    let pkcs1 = |p: &[u8], q: &[u8]| {
        let tagged = |tag: u8, body: &[u8]| {
            let len = u16::try_from(body.len()).unwrap().to_be_bytes();
            match len {
                [0, len @ ..0x80] => [&[tag, len][..], body].concat(),
                [0, len] => [&[tag, 0x81, len][..], body].concat(),
                [..] => [&[tag, 0x82], &len[..], body].concat(),
            }
        };
        let numbers = [&[0][..], &unsigned(&n), &[3], &d, p, q, &[1], &[1], &[1]];
        let der = tagged(0x30, &numbers.map(|number| tagged(2, number)).concat());
        let base64 = BASE64_STANDARD.encode(der);
        let lines: Vec<_> = base64.as_bytes().chunks(64).map(|line| core::str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n", lines.join("\n"))
    };
    for pem in [openssh(&[5], &q), openssh(&q, &[5]), pkcs1(&[5], &q), pkcs1(&q, &[5])] {
        // The crate `age` itself accepts it.
        assert!(matches!(SshIdentity::from_buffer(pem.as_bytes(), None), Ok(SshIdentity::Unencrypted(_))), "{pem}");
        assert_eq!(parse_ssh_identity(pem.as_bytes(), None).err(), Some(Fault::Malformed), "{pem}");
    }
}

/// Parses an encrypted key with the right passphrase.
fn opened(pem: &str) -> Result<SshIdentity, Fault> {
    parse_ssh_identity(pem.as_bytes(), Some(SecretString::from("correct horse")))
}

#[test]
fn every_cipher_of_age_is_opened() {
    let keys: Vec<_> = CIPHERS.split_inclusive("-----END OPENSSH PRIVATE KEY-----\n").collect();
    assert_eq!(keys.len(), 4);
    let others = [(ENCRYPTED, ED25519_PUBLIC), (ENCRYPTED_RSA, RSA_PUBLIC)];
    for (pem, public) in keys.into_iter().map(|key| (key, ED25519_PUBLIC)).chain(others) {
        let wrapped = recipient(public).wrap_file_key(&FileKey::copy_of(&[5; 16])).unwrap();
        let file_key = opened(pem).unwrap().unwrap_file_key(&wrapped.stanzas).unwrap().unwrap();
        assert_eq!(file_key.expose_secret(), &[5; 16]);
        for passphrase in ["", "wrong"] {
            let wrong = parse_ssh_identity(pem.as_bytes(), Some(SecretString::from(passphrase)));
            assert_eq!(wrong.err(), Some(Fault::WrongPassphrase));
        }
        // The end is missing.
        let short = changed(pem, |key| key.truncate(key.len() - 8));
        assert_eq!(opened(&short).err(), Some(Fault::Malformed));
    }
}

/// The modes other than GCM authenticate nothing, so a person who can write to the file chooses
/// bits of the private half. The exponent is public.
#[test]
fn an_encrypted_key_whose_exponent_becomes_zero_is_malformed() {
    // Two checks, the type and the modulus come first, each string with its length.
    let exponent = 4 + 4 + (4 + 7) + (4 + 257) + 4;
    let change = |bits: [u8; 3]| {
        changed(ENCRYPTED_RSA, |key| {
            let public = public_key(RSA_PUBLIC);
            let at = key.windows(public.len()).position(|window| *window == public).unwrap();
            let private = at + public.len() + 4;
            for (byte, bits) in key[private + exponent..].iter_mut().zip(bits) {
                *byte ^= bits;
            }
        })
    };
    assert!(opened(&change([0, 0, 0])).is_ok());
    assert_eq!(opened(&change([1, 0, 1])).err(), Some(Fault::Malformed));
    // Another exponent.
    assert_eq!(opened(&change([0, 0, 2])).err(), Some(Fault::Mismatch));
}
