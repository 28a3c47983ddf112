use alloc::boxed::Box;

use secrecy::ExposeSecret as _;

use super::*;
use crate::file_key::FILE_KEY_BYTES;
use crate::identity::Identity as _;
use crate::recipient::{Recipient as _, WrapError};

fn key() -> FileKey {
    FileKey::new(Box::new([7; FILE_KEY_BYTES]))
}

/// A key pair from `age-keygen`.
#[test]
fn the_texts_of_age() {
    let identity: Identity =
        "AGE-SECRET-KEY-1GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33".parse().unwrap();
    let public = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa";
    assert_eq!(identity.to_public().to_string(), public);
    assert!(public.parse() == Ok(identity.to_public()));
    let again: Identity = identity.to_text().expose_secret().parse().unwrap();
    assert_eq!(again.expose_secret(), identity.expose_secret());
}

#[test]
fn what_is_not_one() {
    let identity = Identity::generate().unwrap();
    let (secret, public) = (identity.to_text(), identity.to_public().to_string());
    for text in ["", "age1", &public[..public.len() - 1], &public.replace("age1", "agf1"), secret.expose_secret()] {
        assert_eq!(text.parse::<Recipient>(), Err(ParseError("recipient")), "{text}");
    }
    let post_quantum = crate::mlkem768x25519::Identity::generate().unwrap().to_text();
    for text in ["", "AGE-SECRET-KEY-1HUNTER2", &public, post_quantum.expose_secret()] {
        assert!(text.parse::<Identity>().is_err(), "{text}");
    }
}

#[test]
fn a_stanza_is_opened_by_its_identity_alone() {
    let (identity, other) = (Identity::generate().unwrap(), Identity::generate().unwrap());
    let wrapped = identity.to_public().wrap_file_key(&key()).unwrap();
    assert!(wrapped.labels.is_empty());
    let [stanza] = wrapped.stanzas.as_slice() else { panic!("one stanza") };
    let unwrap = |identity: &Identity, stanza: &Stanza| identity.unwrap_file_key(core::slice::from_ref(stanza));
    assert_eq!(unwrap(&identity, stanza).unwrap().unwrap().expose_secret(), key().expose_secret());
    assert!(unwrap(&other, stanza).unwrap().is_none());

    let with = |args: &[&str], body: &[u8]| Stanza {
        tag: TYPE.to_owned(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        body: body.to_vec(),
    };
    let share = stanza.args[0].as_str();
    let low_order = BASE64_STANDARD_NO_PAD.encode([0; KEY_BYTES]);
    for malformed in [
        with(&[], &stanza.body),
        with(&[share, share], &stanza.body),
        with(&[&share[1..]], &stanza.body),
        with(&[&low_order], &stanza.body),
        with(&[share], &stanza.body[1..]),
    ] {
        assert!(matches!(unwrap(&identity, &malformed), Err(UnwrapError::InvalidStanza)));
    }
    let of_another_type = Stanza { tag: "x25519".to_owned(), ..stanza.clone() };
    assert!(unwrap(&identity, &of_another_type).unwrap().is_none());
    // A body does not open with the share of another stanza.
    let [another] = identity.to_public().wrap_file_key(&key()).unwrap().stanzas.try_into().unwrap();
    assert_ne!(another.args, stanza.args);
    assert!(unwrap(&identity, &with(&[share], &another.body)).unwrap().is_none());
}

#[test]
fn nothing_is_wrapped_for_a_key_of_low_order() {
    for first in [0, 1] {
        let mut public = [0; KEY_BYTES];
        public[0] = first;
        assert!(matches!(Recipient::from_bytes(public).wrap_file_key(&key()), Err(WrapError::WeakKey)));
    }
}
