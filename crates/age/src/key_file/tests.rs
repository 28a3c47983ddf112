use alloc::format;
use alloc::string::{String, ToString as _};
use core::iter;

use secrecy::ExposeSecret as _;

use super::*;
use crate::{mlkem768x25519, plugin, x25519};

fn secret_lines() -> [String; 3] {
    [
        x25519::Identity::generate().unwrap().to_text().expose_secret().into(),
        mlkem768x25519::Identity::generate().unwrap().to_text().expose_secret().into(),
        plugin::Identity::without_data("yubikey").unwrap().expose_secret().into(),
    ]
}

#[test]
fn a_file_of_identities() {
    let [x25519, post_quantum, plugin] = secret_lines();
    for (start, end) in [("", "\n"), ("\u{feff}", "\r\n"), ("# created: today\n\n", "  \n#\n\n")] {
        let file = format!("{start}{x25519}{end}{post_quantum}{end}{plugin}{end}");
        let identities = parse_identities(file.as_bytes()).unwrap();
        let [AnyIdentity::X25519(a), AnyIdentity::PostQuantum(b), AnyIdentity::Plugin(c)] = &identities[..] else {
            panic!("{} identities", identities.len())
        };
        assert_eq!(a.to_text().expose_secret(), x25519);
        assert_eq!(b.to_text().expose_secret(), post_quantum);
        assert_eq!(c.expose_secret(), plugin);
    }
}

/// age reads such files too.
#[test]
fn comments_may_have_any_encoding() {
    let [x25519, ..] = secret_lines();
    let public = x25519::Identity::generate().unwrap().to_public().to_string();
    let with_comment = |key: &str| [b"# J\xfcrgen\n", key.as_bytes(), b"\n#\xff"].concat();
    assert_eq!(parse_identities(&with_comment(&x25519)).unwrap().len(), 1);
    assert_eq!(parse_recipients(&with_comment(&public)).unwrap().recipients.len(), 1);
    let in_line = [with_comment(&public), b"\n\xfc".to_vec()].concat();
    assert_eq!(parse_recipients(&in_line).err(), Some(KeyFileError::NotText { line: 4 }));
}

/// Bech32 is in one case, but in either one.
#[test]
fn identities_in_lower_case() {
    let [x25519, post_quantum, plugin] = secret_lines().map(|line| line.to_ascii_lowercase());
    let identities = parse_identities(format!("{x25519}\n{post_quantum}\n{plugin}\n").as_bytes()).unwrap();
    assert!(matches!(identities[..], [AnyIdentity::X25519(_), AnyIdentity::PostQuantum(_), AnyIdentity::Plugin(_)]));
    for line in [&x25519, &post_quantum] {
        for bad in [line[..line.len() - 1].to_owned(), line.replace("key", "KEY")] {
            assert_eq!(bad.parse::<AnyIdentity>().err(), Some(IdentityFault::MalformedKey));
        }
    }
    assert_eq!(plugin[..plugin.len() - 1].parse::<AnyIdentity>().err(), Some(IdentityFault::MalformedPlugin));
    assert_eq!("AGE1ABC".parse::<AnyIdentity>().err(), Some(IdentityFault::Recipient));
}

#[test]
fn lines_that_are_no_identities() {
    let [x25519, post_quantum, plugin] = secret_lines();
    let cut = |text: &str| text[..text.len() - 1].to_owned();
    let path = crate::text::encode(bech32::Hrp::parse("age-plugin-a/b-").unwrap(), &[]).to_ascii_uppercase();
    for (line, fault) in [
        (cut(&x25519), IdentityFault::MalformedKey),
        (cut(&post_quantum), IdentityFault::MalformedKey),
        (cut(&plugin), IdentityFault::MalformedPlugin),
        (path, IdentityFault::PluginName),
        ("age1abc".into(), IdentityFault::Recipient),
        ("ssh-ed25519 AAAA".into(), IdentityFault::Recipient),
        ("hunter2".into(), IdentityFault::Unknown),
    ] {
        let error = parse_identities(format!("# a comment\n{x25519}\n{line}\n").as_bytes()).err().unwrap();
        assert_eq!(error, KeyFileError::Line { line: 3, fault });
        assert!(!error.to_string().contains(&line), "the line may be secret");
    }
    assert_eq!(parse_identities(b"# nothing\n").err(), Some(KeyFileError::NoKeys));
    assert_eq!(parse_identities(b"#\n\xff").err(), Some(KeyFileError::NotText { line: 2 }));
    let long: Vec<u8> = iter::repeat_n(b'\n', MAX_FILE_BYTES + 1).collect();
    assert_eq!(parse_identities(&long).err(), Some(KeyFileError::TooLong));
}

#[test]
fn kinds_of_identity_files() {
    for (start, kind) in [
        ("AGE-SECRET-KEY-1", IdentityFile::Lines),
        ("", IdentityFile::Lines),
        ("age-encryption.org/v1\n", IdentityFile::Encrypted),
        ("\n-----BEGIN AGE ENCRYPTED FILE-----", IdentityFile::Encrypted),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", IdentityFile::Pem),
        ("\u{feff}-----BEGIN RSA PRIVATE KEY-----", IdentityFile::Pem),
    ] {
        let (found, contents) = IdentityFile::of(start.as_bytes());
        assert_eq!(found, kind, "{start}");
        assert_eq!(contents, start.trim_start_matches('\u{feff}').as_bytes());
    }
}

#[test]
fn a_file_of_recipients() {
    let x25519 = x25519::Identity::generate().unwrap().to_public().to_string();
    let post_quantum = mlkem768x25519::Identity::generate().unwrap().to_public().to_string();
    let plugin = crate::text::encode(bech32::Hrp::parse("age1yubikey").unwrap(), &[7; 33]);
    let upper = x25519.to_ascii_uppercase();
    let file = format!("\u{feff}# team\r\n{x25519}\r\n{post_quantum}\n\n{plugin}\n{upper}");
    let Recipients { recipients, skipped } = parse_recipients(file.as_bytes()).unwrap();
    assert!(skipped.is_empty());
    let shown: Vec<_> = recipients.iter().map(AnyRecipient::to_string).collect();
    assert!(shown.iter().eq([&x25519, &post_quantum, &plugin, &x25519]), "{shown:?}");
    assert!(matches!(
        recipients[..],
        [AnyRecipient::X25519(_), AnyRecipient::PostQuantum(_), AnyRecipient::Plugin(_), AnyRecipient::X25519(_)]
    ));
}

#[test]
fn lines_that_are_no_recipients() {
    let [x25519, ..] = secret_lines();
    let public = x25519::Identity::generate().unwrap().to_public().to_string();
    let path = crate::text::encode(bech32::Hrp::parse("age1a/b").unwrap(), &[]);
    for (line, fault) in [
        (public[..public.len() - 1].to_owned(), RecipientFault::Malformed),
        (public.replace("age1", "age1pq1"), RecipientFault::Malformed),
        (path, RecipientFault::PluginName),
        (x25519.clone(), RecipientFault::Identity),
        (x25519.to_ascii_lowercase(), RecipientFault::Identity),
        ("-----BEGIN OPENSSH PRIVATE KEY-----".into(), RecipientFault::Identity),
        ("github:user".into(), RecipientFault::Address),
        ("https://example.com/keys".into(), RecipientFault::Address),
        ("hunter2".into(), RecipientFault::Unknown),
        ("é".into(), RecipientFault::Unknown),
        ("age1".to_owned() + &"q".repeat(MAX_RECIPIENT_BYTES), RecipientFault::TooLong),
    ] {
        let error = parse_recipients(format!("{public}\n\n{line}\n").as_bytes()).err().unwrap();
        assert_eq!(error, KeyFileError::Line { line: 3, fault });
        assert!(!error.to_string().contains(&line));
    }
    assert_eq!(parse_recipients(b"\n").err(), Some(KeyFileError::NoKeys));
}

#[cfg(feature = "ssh")]
#[test]
fn ssh_keys_of_other_types_are_skipped() {
    let ed25519 = include_str!("../../tests/data/ssh_ed25519.pub");
    let other = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA= somebody";
    let Recipients { recipients, skipped } = parse_recipients(format!("{other}\n{ed25519}").as_bytes()).unwrap();
    assert!(matches!(recipients[..], [AnyRecipient::Ssh(_)]));
    let [(1, RecipientFault::UnsupportedSsh { kind, .. })] = &skipped[..] else { panic!("{skipped:?}") };
    assert_eq!(kind, "ecdsa-sha2-nistp256");
    let file = format!("{ed25519}\nssh-ed25519 AAAA");
    let error = parse_recipients(file.as_bytes()).err().unwrap();
    assert_eq!(error, KeyFileError::Line { line: file.lines().count(), fault: RecipientFault::MalformedSsh });
    let Recipients { recipients, skipped } = parse_recipients(other.as_bytes()).unwrap();
    assert!(recipients.is_empty() && skipped.len() == 1);
    let all = |file: String| parse_recipients(file.as_bytes()).unwrap().all();
    let refused = all(format!("{ed25519}\n{other}"));
    assert!(matches!(refused, Err(KeyFileError::Line { line: 2.., fault: RecipientFault::UnsupportedSsh { .. } })));
    assert_eq!(all(ed25519.to_owned()).unwrap().len(), 1);
}

#[cfg(feature = "ssh")]
#[test]
fn ssh_private_keys_open_files() {
    let public = [include_str!("../../tests/data/ssh_ed25519.pub"), include_str!("../../tests/data/ssh_rsa.pub")];
    let ed25519 = include_bytes!("../../tests/data/ssh_ed25519");
    let encrypted = include_bytes!("../../tests/data/ssh_ed25519_encrypted");
    let rsa = include_bytes!("../../tests/data/ssh_rsa");
    let passphrase = |text: &str| Some(secrecy::SecretString::from(text));
    for (public, file, passphrase) in [
        (public[0], &ed25519[..], None),
        (public[0], &ed25519[..], passphrase("not used")),
        (public[0], &encrypted[..], passphrase("correct horse")),
        (public[1], &rsa[..], None),
    ] {
        let recipient = parse_recipients(public.as_bytes()).unwrap().recipients.remove(0).into_recipient().unwrap();
        let sealed = crate::oneshot::encrypt([&*recipient as &dyn crate::recipient::Recipient], b"text").unwrap();
        let identity = parse_ssh_identity(&[BYTE_ORDER_MARK, file].concat(), passphrase).unwrap();
        assert_eq!(crate::oneshot::decrypt([&identity as &dyn crate::identity::Identity], &sealed).unwrap(), b"text");
    }
    for (file, passphrase, fault) in [
        (&encrypted[..], None, SshIdentityFault::PassphraseNeeded),
        (&encrypted[..], passphrase("wrong"), SshIdentityFault::WrongPassphrase),
        (&encrypted[..100], None, SshIdentityFault::Malformed),
        (public[0].as_bytes(), None, SshIdentityFault::Malformed),
        (b"", None, SshIdentityFault::Malformed),
    ] {
        assert_eq!(parse_ssh_identity(file, passphrase).err(), Some(fault));
    }
}

#[test]
fn keys_of_files_open_and_seal() {
    let [x25519, post_quantum, plugin] = secret_lines();
    for line in [&x25519, &post_quantum] {
        let identity = parse_identities(line.as_bytes()).unwrap().remove(0);
        let public = match &identity {
            AnyIdentity::X25519(identity) => identity.to_public().to_string(),
            AnyIdentity::PostQuantum(identity) => identity.to_public().to_string(),
            AnyIdentity::Plugin(_) => unreachable!("it is none"),
        };
        let recipient = parse_recipients(public.as_bytes()).unwrap().recipients.remove(0).into_recipient();
        let (Ok(recipient), Ok(identity)) = (recipient, identity.into_identity()) else { panic!("{public}") };
        let file = crate::oneshot::encrypt([&*recipient as &dyn crate::recipient::Recipient], b"text").unwrap();
        assert_eq!(crate::oneshot::decrypt([&*identity as &dyn crate::identity::Identity], &file).unwrap(), b"text");
    }
    let identity = parse_identities(plugin.as_bytes()).unwrap().remove(0);
    let Err(identity) = identity.into_identity() else { panic!("a plugin is needed") };
    assert_eq!(identity.plugin(), "yubikey");
    let recipient: AnyRecipient =
        crate::text::encode(bech32::Hrp::parse("age1yubikey").unwrap(), &[7; 33]).parse().unwrap();
    let Err(recipient) = recipient.into_recipient() else { panic!("a plugin is needed") };
    assert_eq!(recipient.plugin(), "yubikey");
}

/// One key is one identity, so that nobody counts it twice.
#[test]
fn a_post_quantum_key_of_a_plugin() {
    let key = mlkem768x25519::Identity::generate().unwrap();
    let prefix = bech32::Hrp::parse_unchecked("age-plugin-pq-");
    let text = crate::text::encode(prefix, key.expose_secret());
    for text in [text.to_ascii_uppercase(), text] {
        match text.parse() {
            Ok(AnyIdentity::PostQuantum(found)) => assert_eq!(found.expose_secret(), key.expose_secret()),
            other => panic!("{other:?}"),
        }
    }
    // The plugin says what is wrong with the others.
    for other in [&[][..], &[7; 31]] {
        assert!(matches!(crate::text::encode(prefix, other).parse(), Ok(AnyIdentity::Plugin(_))));
    }
}
