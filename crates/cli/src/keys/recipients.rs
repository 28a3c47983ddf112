//! Recipients of encrypted files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use age::{plugin, ssh, tag, tagpq};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sealane_age::{Recipient, mlkem768x25519, x25519};
use zeroize::Zeroizing;

use crate::error::{Error, Result, warn};
use crate::io::stdin::StdinUse;
use crate::keys::identities::{Identities, ParsedIdentity, describe_recipient_fault};
use crate::keys::plugin::PluginRecipient;

/// age's limit for a recipients file.
const FILE_LIMIT: u64 = 16 << 20;
/// age's limit for a line of it, which is also sshd(8)'s.
const LINE_LIMIT: usize = 8 << 10;

/// A recipient that any number of threads may use.
pub(crate) type SharedRecipient = Box<dyn Recipient + Send + Sync>;

/// Recipients while they are collected. All recipients of a plugin are wrapped in one run of it.
#[derive(Default)]
pub(crate) struct Recipients {
    all: Vec<SharedRecipient>,
    plugins: BTreeMap<String, (Vec<plugin::Recipient>, Vec<plugin::Identity>)>,
    /// A text for each recipient in `all`. It is the same for two forms of one key.
    names: Vec<String>,
}

impl Recipients {
    /// Adds `-r RECIPIENT`.
    pub(crate) fn add_argument(&mut self, argument: &str) -> Result<()> {
        self.add(argument).map_err(|fault| {
            let shown = if fault.show { format!(": {argument:?}") } else { String::new() };
            let error = Error::new(format!("{}{shown}", fault.message));
            if let Some(hint) = fault.hint {
                error.hint(hint)
            } else if Path::new(argument).exists() {
                error.hint(format!("for the recipients in the file {argument:?}, use -R"))
            } else {
                error.hint("a recipient looks like age1…, ssh-ed25519 AAAA…, or ssh-rsa AAAA…")
            }
        })
    }

    /// Adds the recipients in the file `path` (`-R`); "-" is standard input.
    pub(crate) fn add_file(&mut self, path: &Path, stdin: &StdinUse) -> Result<()> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            stdin.claim("recipients")?;
            return self.add_lines(std::io::stdin().lock(), "standard input");
        }
        let file = File::open(path);
        self.add_lines(file.map_err(|e| Error::io(format!("cannot open recipients file {name:?}"), &e))?, &name)
    }

    /// Adds the recipients of identities (`-e -i`, `-e -j`).
    pub(crate) fn add_identities(&mut self, identities: Identities) -> Result<()> {
        identities.into_parsed().into_iter().try_for_each(|identity| self.add_identity(identity))
    }

    fn add_identity(&mut self, identity: ParsedIdentity) -> Result<()> {
        match identity {
            ParsedIdentity::X25519(identity) => self.add_public(identity.to_public()),
            ParsedIdentity::PostQuantum(identity) => self.add_public(identity.to_public()),
            ParsedIdentity::Ssh(key) => self.add_public(key.to_recipient()),
            ParsedIdentity::Plugin(identity) => {
                self.plugins.entry(identity.plugin().to_owned()).or_default().1.push(identity);
            }
            ParsedIdentity::Encrypted(file) => {
                for identity in file.decrypt()? {
                    self.add_identity(identity)?;
                }
            }
        }
        Ok(())
    }

    fn add_public(&mut self, recipient: impl Recipient + ToString + Send + Sync + 'static) {
        self.names.push(recipient.to_string());
        self.all.push(Box::new(recipient));
    }

    /// Returns a text that identifies the set of recipients in any order. It is secret if plugin
    /// identities are.
    pub(crate) fn names(&self) -> Zeroizing<String> {
        let (recipients, identities): (Vec<_>, Vec<_>) = self.plugins.values().map(|(r, i)| (r, i)).unzip();
        let recipients = recipients.into_iter().flatten().map(ToString::to_string);
        let identities = identities.into_iter().flatten().map(ToString::to_string);
        let all: BTreeSet<_> = self.names.iter().cloned().chain(recipients).chain(identities).collect();
        Zeroizing::new(all.into_iter().collect::<Vec<_>>().join("\n"))
    }

    /// Finds the plugins, and returns all recipients.
    pub(crate) fn build(mut self) -> Result<Vec<SharedRecipient>> {
        for (name, (recipients, identities)) in self.plugins {
            self.all.push(Box::new(PluginRecipient::new(&name, &recipients, &identities)?));
        }
        Ok(self.all)
    }

    /// Returns all recipients as holders. Each recipient of a plugin stays separate, so that
    /// several count as several.
    ///
    /// A duplicate is an error: one key would count as two holders.
    pub(crate) fn build_holders(mut self) -> Result<Vec<SharedRecipient>> {
        self.refuse_duplicates()?;
        for (name, (recipients, identities)) in self.plugins {
            for recipient in recipients {
                self.all.push(Box::new(PluginRecipient::new(&name, &[recipient], &[])?));
            }
            for identity in identities {
                self.all.push(Box::new(PluginRecipient::new(&name, &[], &[identity])?));
            }
        }
        Ok(self.all)
    }

    fn refuse_duplicates(&self) -> Result<()> {
        let twice = |name: String| {
            Error::new(format!("the same recipient twice: {name}"))
                .hint("with -k, each holder counts once; somebody with two keys can be named by both")
        };
        let mut seen = BTreeSet::new();
        let of_plugins = self.plugins.values().flat_map(|(recipients, _)| recipients).map(ToString::to_string);
        if let Some(name) = self.names.iter().cloned().chain(of_plugins).find(|name| !seen.insert(name.clone())) {
            return Err(twice(name));
        }
        for (plugin, (_, identities)) in &self.plugins {
            // The text may be secret.
            let texts: Vec<_> = identities.iter().map(|identity| Zeroizing::new(identity.to_string())).collect();
            if (1..texts.len()).any(|i| texts[..i].contains(&texts[i])) {
                return Err(twice(format!("an identity of age-plugin-{plugin}")));
            }
        }
        Ok(())
    }

    fn add_lines(&mut self, source: impl Read, name: &str) -> Result<()> {
        let mut contents = Vec::new();
        let read = source.take(FILE_LIMIT + 1).read_to_end(&mut contents);
        read.map_err(|error| Error::io(format!("cannot read recipients file {name:?}"), &error))?;
        if contents.len() as u64 > FILE_LIMIT {
            return Err(Error::new(format!("recipients file {name:?} is longer than 16 MiB")));
        }
        let text = String::from_utf8(contents)
            .map_err(|_| Error::new(format!("{name:?} is not a recipients file: it is not text")))?;
        // Editors on Windows add a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut found = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let at = format!("recipients file {name:?}, line {}", number + 1);
            if line.len() > LINE_LIMIT {
                return Err(Error::new(format!("{at}: longer than 8 KiB")));
            }
            match self.add(line) {
                Ok(()) => found = true,
                // authorized_keys and github.com/USER.keys have keys of any type: skip the others.
                Err(fault) => match unsupported_ssh_key(line) {
                    Some(kind) if fault.skippable => warn(format!("{at}: ssh key of type {kind} is not used")),
                    // The line may be confidential, so it is not shown.
                    _ => {
                        let error = Error::new(format!("{at}: {}", fault.message));
                        return Err(match fault.hint {
                            Some(hint) => error.hint(hint),
                            None => error.hint("a recipients file has one recipient a line, and comments after #"),
                        });
                    }
                },
            }
        }
        if !found {
            return Err(Error::new(format!("no recipients in {name:?}"))
                .hint("a recipients file has one recipient a line, and comments after #"));
        }
        Ok(())
    }

    fn add(&mut self, text: &str) -> Result<(), Fault> {
        // Bech32 (BIP 173) may be all upper case, as from a QR code; plugins expect lower case.
        if text.starts_with("AGE1") && !text.bytes().any(|b| b.is_ascii_lowercase()) {
            return self.add(&text.to_ascii_lowercase());
        }
        if text.starts_with("age1tag1") {
            self.add_public(text.parse::<tag::Recipient>().map_err(|_| Fault::checksum())?);
        } else if text.starts_with("age1tagpq1") {
            self.add_public(text.parse::<tagpq::Recipient>().map_err(|_| Fault::checksum())?);
        } else if text.starts_with("age1pq1") {
            self.add_public(text.parse::<mlkem768x25519::Recipient>().map_err(|_| Fault::checksum())?);
        } else if text.starts_with("age1") && text.bytes().filter(|&b| b == b'1').count() > 1 {
            let recipient = text.parse::<plugin::Recipient>().map_err(|what| match what {
                "invalid plugin name" => Fault::new("not a plugin's name in the recipient")
                    .hint("a name has only letters, digits, and + - . _ (no path)"),
                _ => Fault::checksum(),
            })?;
            self.plugins.entry(recipient.plugin().to_owned()).or_default().0.push(recipient);
        } else if text.starts_with("age1") {
            self.add_public(text.parse::<x25519::Recipient>().map_err(|_| Fault::checksum())?);
        } else if text.to_ascii_uppercase().starts_with("AGE-") || text.starts_with("-----BEGIN") {
            return Err(Fault::new("a private key (identity), where a recipient (public key) is expected")
                .secret()
                .hint("sealane keygen -y prints the recipient of an identity file; -e -i encrypts to it"));
        } else if text.starts_with("github:") || text.starts_with("https:") || text.starts_with("http:") {
            return Err(Fault::new("recipients are not fetched from the network")
                .hint("fetch them and use the file: curl -O https://github.com/USER.keys, then -R USER.keys"));
        } else {
            let recipient = text.parse::<ssh::Recipient>().map_err(|error| match error {
                ssh::ParseRecipientKeyError::Invalid(_) if !text.starts_with("ssh-") => {
                    Fault { skippable: true, ..Fault::new("unknown type of recipient") }
                }
                error => Fault {
                    skippable: !matches!(error, ssh::ParseRecipientKeyError::Invalid(_)),
                    ..Fault::new(describe_recipient_fault(&error))
                },
            })?;
            self.add_public(recipient);
        }
        Ok(())
    }
}

/// The reason why a text is not a recipient.
struct Fault {
    message: String,
    hint: Option<&'static str>,
    /// Whether the text may be shown.
    show: bool,
    /// Whether a file may go on after it, if it is an ssh key.
    skippable: bool,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, show: true, skippable: false }
    }

    fn checksum() -> Self {
        Self::new("malformed recipient").hint("was it copied whole? its checksum is wrong")
    }

    fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    fn secret(self) -> Self {
        Self { show: false, ..self }
    }
}

/// Returns the type of a well-formed ssh public key, which stands before the key and in it (RFC
/// 4253, section 6.6).
fn unsupported_ssh_key(line: &str) -> Option<&str> {
    let mut fields = line.split(' ');
    let (kind, key) = (fields.next()?, BASE64_STANDARD.decode(fields.next()?).ok()?);
    let (len, rest) = key.split_first_chunk::<4>()?;
    let inner = rest.get(..usize::try_from(u32::from_be_bytes(*len)).ok()?)?;
    (inner == kind.as_bytes()).then_some(kind)
}
