//! Recipients and identities.

use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong};
use sealane_age::key_file::{self, AnyIdentity, parse_identities, parse_recipients, parse_ssh_identity};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::threshold::{Label, Part, ThresholdIdentity, ThresholdRecipient};
use sealane_age::{DEFAULT_MAX_WORK_FACTOR, Encryptor, Identity, Recipient, mlkem768x25519, scrypt, x25519};

use super::failure::{Failure, Reason};
use super::machine::{bytes, free, give, new_array, object_mut, run};

/// The recipients of files.
pub(super) struct Recipients {
    recipients: Vec<Box<dyn Recipient + Send + Sync>>,
    /// The threshold K, and the label.
    required: Option<(usize, Option<Label>)>,
}

impl Recipients {
    fn new(lines: &[u8], passphrase: Option<(&[u8], u8)>, required: usize, label: &[u8]) -> Result<Self, Failure> {
        let mut recipients: Vec<Box<dyn Recipient + Send + Sync>> = Vec::new();
        if !lines.is_empty() {
            let found = parse_recipients(lines)
                .and_then(key_file::Recipients::all)
                .map_err(|error| Failure::new(Reason::InvalidKey, error))?;
            let mut texts: Vec<String> = found.iter().map(ToString::to_string).collect();
            texts.sort();
            if required > 0 && texts.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(Failure::new(Reason::InvalidRecipients, "a recipient would hold two shares"));
            }
            for recipient in found {
                let native = recipient.into_recipient();
                recipients.push(native.map_err(|_| plugin("a recipient"))?);
            }
        }
        if let Some((passphrase, work_factor)) = passphrase {
            // Identities accept an empty passphrase, so that existing files stay readable.
            if passphrase.is_empty() {
                return Err(Failure::new(Reason::InvalidKey, scrypt::EmptyPassphrase));
            }
            let recipient = scrypt::Recipient::new(secret(passphrase)?).with_work_factor(work_factor);
            recipients.push(Box::new(recipient.map_err(|error| Failure::new(Reason::InvalidRecipients, error))?));
        }
        let label = if label.is_empty() { None } else { Some(utf8(label)?.parse()?) };
        let this = Self { recipients, required: (required > 0).then_some((required, label)) };
        // Checks the numbers now. Whether the recipients can be combined is known only when a file
        // key is wrapped.
        if let Some((required, _)) = &this.required {
            ThresholdRecipient::new(*required, this.each())?;
        }
        Ok(this)
    }

    fn each(&self) -> impl Iterator<Item = &dyn Recipient> {
        self.recipients.iter().map(|recipient| &**recipient as &dyn Recipient)
    }

    pub(super) fn encryptor(&self) -> Result<Encryptor, Failure> {
        let Some((required, label)) = &self.required else { return Ok(Encryptor::with_recipients(self.each())?) };
        let together = ThresholdRecipient::new(*required, self.each())?.with_label(label.clone());
        Ok(Encryptor::with_recipients([&together as &dyn Recipient])?)
    }
}

/// The identities that open files.
pub(super) struct Identities {
    identities: Vec<Box<dyn Identity + Send + Sync>>,
    parts: Vec<Part>,
}

impl Identities {
    fn new(lines: &[u8], passphrase: Option<(&[u8], u8)>, parts: &[u8]) -> Result<Self, Failure> {
        let mut identities: Vec<Box<dyn Identity + Send + Sync>> = Vec::new();
        if !lines.is_empty() {
            for identity in parse_identities(lines).map_err(|error| Failure::new(Reason::InvalidKey, error))? {
                identities.push(identity.into_identity().map_err(|_| plugin("an identity"))?);
            }
        }
        if let Some((passphrase, max_work_factor)) = passphrase {
            let identity = scrypt::Identity::new(secret(passphrase)?).with_max_work_factor(max_work_factor);
            identities.push(Box::new(identity));
        }
        let texts = utf8(parts)?.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parts = texts.map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { identities, parts })
    }

    fn add_ssh(&mut self, file: &[u8], passphrase: Option<&[u8]>) -> Result<(), Failure> {
        let passphrase = passphrase.map(secret).transpose()?;
        let identity = parse_ssh_identity(file, passphrase).map_err(|fault| Failure::new(Reason::InvalidKey, fault))?;
        self.identities.push(Box::new(identity));
        Ok(())
    }

    /// Returns the identities, without the parts.
    pub(super) fn each(&self) -> impl Iterator<Item = &dyn Identity> {
        self.identities.iter().map(|identity| &**identity as &dyn Identity)
    }

    /// Calls `open` with a list: the identities, and after them one that opens files for several
    /// holders with the identities and the parts together.
    pub(super) fn with<T>(&self, open: impl FnOnce(&[&dyn Identity]) -> T) -> T {
        let together = ThresholdIdentity::new(self.each(), &self.parts);
        let all: Vec<&dyn Identity> = self.each().chain([&together as &dyn Identity]).collect();
        open(&all)
    }
}

fn plugin(what: &str) -> Failure {
    Failure::new(Reason::InvalidKey, format!("{what} of a plugin, which this library does not start"))
}

fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    str::from_utf8(bytes).map_err(|_| Failure::new(Reason::InvalidKey, "the text is not UTF-8"))
}

fn secret(passphrase: &[u8]) -> Result<SecretString, Failure> {
    Ok(SecretString::from(utf8(passphrase)?))
}

/// Returns the passphrase and its work factor, if there is a passphrase.
fn with_work_factor(array: jbyteArray, passphrase: &[u8], work_factor: jint) -> Result<Option<(&[u8], u8)>, Failure> {
    if array.is_null() {
        return Ok(None);
    }
    match u8::try_from(work_factor) {
        Ok(work_factor @ 1..=DEFAULT_MAX_WORK_FACTOR) => Ok(Some((passphrase, work_factor))),
        _ => Err(Failure::new(Reason::InvalidRecipients, "the scrypt work factor must be from 1 to 22")),
    }
}

/// Returns the text of a new identity.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_keygen(
    env: *mut JNIEnv,
    _class: jclass,
    kind: jint,
) -> jbyteArray {
    let body = |env: &_| {
        let text = match kind {
            0 => x25519::Identity::generate()?.to_text(),
            1 => mlkem768x25519::Identity::generate()?.to_text(),
            _ => return Err(Failure::new(Reason::Internal, "an unknown kind of key")),
        };
        new_array(env, text.expose_secret().as_bytes())
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, core::ptr::null_mut(), body) }
}

/// Returns the text of the recipient of an identity.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_recipient(
    env: *mut JNIEnv,
    _class: jclass,
    identity: jbyteArray,
) -> jbyteArray {
    let body = |env: &_| {
        let found = parse_identities(&bytes(env, identity)?);
        let text = match &found.map_err(|error| Failure::new(Reason::InvalidKey, error))?[..] {
            [AnyIdentity::X25519(identity)] => identity.to_public().to_string(),
            [AnyIdentity::PostQuantum(identity)] => identity.to_public().to_string(),
            [_] => return Err(plugin("an identity")),
            _ => return Err(Failure::new(Reason::InvalidKey, "there is more than one identity")),
        };
        new_array(env, text.as_bytes())
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, core::ptr::null_mut(), body) }
}

/// Creates recipients from lines, a passphrase or null, and the number of recipients that must
/// cooperate, or 0. Returns the number of the new object.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_recipientsNew(
    env: *mut JNIEnv,
    _class: jclass,
    lines: jbyteArray,
    passphrase: jbyteArray,
    work_factor: jint,
    required: jint,
    label: jbyteArray,
) -> jlong {
    let body = |env: &_| {
        let (lines, secret, label) = (bytes(env, lines)?, bytes(env, passphrase)?, bytes(env, label)?);
        let passphrase = with_work_factor(passphrase, &secret, work_factor)?;
        let required = usize::try_from(required).unwrap_or(usize::MAX);
        Ok(give(Recipients::new(&lines, passphrase, required, &label)?))
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, 0, body) }
}

/// Frees recipients.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_recipientsFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules in `mod.rs`.
    unsafe { free::<Recipients>(number) }
}

/// Creates identities from lines, a passphrase or null, and lines with parts. Returns the number of
/// the new object.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_identitiesNew(
    env: *mut JNIEnv,
    _class: jclass,
    lines: jbyteArray,
    passphrase: jbyteArray,
    max_work_factor: jint,
    parts: jbyteArray,
) -> jlong {
    let body = |env: &_| {
        let (lines, secret, parts) = (bytes(env, lines)?, bytes(env, passphrase)?, bytes(env, parts)?);
        let passphrase = with_work_factor(passphrase, &secret, max_work_factor)?;
        Ok(give(Identities::new(&lines, passphrase, &parts)?))
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, 0, body) }
}

/// Adds the file of an ssh private key, with its passphrase or null, to new identities.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_identitiesAddSsh(
    env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
    file: jbyteArray,
    passphrase: jbyteArray,
) {
    let body = |env: &_| {
        let (text, secret) = (bytes(env, file)?, bytes(env, passphrase)?);
        // SAFETY: the rules in `mod.rs`. Java adds keys before it shares the number with other
        // threads.
        let identities = unsafe { object_mut::<Identities>(number) };
        identities.add_ssh(&text, (!passphrase.is_null()).then_some(&secret[..]))
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, (), body) }
}

/// Frees identities.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_identitiesFree(_env: *mut JNIEnv, _class: jclass, number: jlong) {
    // SAFETY: the rules in `mod.rs`.
    unsafe { free::<Identities>(number) }
}
