//! Tests of sealing, verifying and opening folders.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::{
    Attributes, Entry, FileFault, MANIFEST, Manifest, Name, OpenError, SealError, VerifyError, open, read_manifest,
    seal, verify,
};
use crate::encryptor::Encryptor;
use crate::error::DecryptError;
use crate::identity::Identity;
use crate::parallel::Threads;
use crate::preamble::{Preamble, Prefix};
use crate::recipient::Recipient;
use crate::stream::{PayloadKey, StreamError, StreamWriter};
use crate::x25519;

/// A temporary folder, and a key.
struct Place {
    folder: tempfile::TempDir,
    key: x25519::Identity,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), key: x25519::Identity::generate().unwrap() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Seals `source` to `sealed`.
    fn seal(&self) -> Result<Manifest, SealError> {
        let recipient = self.key.to_public();
        let recipients = [&recipient as &(dyn Recipient + Sync)];
        seal(&self.path("source"), &self.path("sealed"), &recipients, Threads::available())
    }

    fn verify(&self) -> Result<Vec<(Name, FileFault)>, VerifyError> {
        verify(&self.path("sealed"), &[&self.key as &(dyn Identity + Sync)], Threads::available())
    }

    /// Opens `sealed` to `opened`.
    fn open(&self) -> Result<Vec<(Name, FileFault)>, OpenError> {
        let identities = [&self.key as &(dyn Identity + Sync)];
        open(&self.path("sealed"), &self.path("opened"), &identities, Threads::available())
    }

    fn encryptor(&self) -> Encryptor {
        Encryptor::with_recipients([&self.key.to_public() as &dyn Recipient]).unwrap()
    }

    fn write(&self, name: &str, contents: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
}

fn name(text: &str) -> Name {
    Name::new(Path::new(text)).unwrap()
}

/// Returns the names of entries with faults.
fn names(faults: &[(Name, FileFault)]) -> Vec<&str> {
    faults.iter().map(|(name, _)| name.as_path().to_str().unwrap()).collect()
}

#[test]
fn folders_come_back() {
    let place = Place::new();
    place.write("source/note", b"attack at dawn");
    place.write("source/a/b/empty", b"");
    place.write("source/a/large", &vec![7; 300_000]);
    fs::create_dir(place.path("source/nothing")).unwrap();
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for within in ["source/note", "source/a"] {
        fs::File::open(place.path(within)).unwrap().set_modified(long_ago).unwrap();
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::os::unix::fs::symlink("../note", place.path("source/a/link")).unwrap();
        fs::set_permissions(place.path("source/note"), fs::Permissions::from_mode(0o640)).unwrap();
        fs::set_permissions(place.path("source/nothing"), fs::Permissions::from_mode(0o500)).unwrap();
    }
    let manifest = place.seal().unwrap();
    assert_eq!(manifest.files.len(), 3);
    assert_eq!(read_manifest(&place.path("sealed"), [&place.key as &dyn Identity]).unwrap(), manifest);
    assert!(place.verify().unwrap().is_empty());
    let stored = fs::read(place.path("sealed/note.age")).unwrap();
    assert!(!stored.windows(6).any(|part| part == b"attack"));

    assert!(place.open().unwrap().is_empty());
    assert_eq!(fs::read(place.path("opened/note")).unwrap(), b"attack at dawn");
    assert_eq!(fs::read(place.path("opened/a/b/empty")).unwrap(), b"");
    assert_eq!(fs::read(place.path("opened/a/large")).unwrap(), vec![7; 300_000]);
    for within in ["note", "a", "nothing"] {
        let of = |root: &str| Attributes::of(&fs::metadata(place.path(root).join(within)).unwrap());
        assert_eq!(of("opened"), of("source"), "{within}");
    }
    #[cfg(unix)]
    assert_eq!(fs::read_link(place.path("opened/a/link")).unwrap(), Path::new("../note"));
}

#[test]
fn every_fault_is_found() {
    let place = Place::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        place.write(&format!("source/{name}"), b"text");
    }
    assert!(matches!(place.verify(), Err(VerifyError::Open(DecryptError::Io(_)))));
    let manifest = place.seal().unwrap();
    assert!(place.verify().unwrap().is_empty());
    let stranger = x25519::Identity::generate().unwrap();
    let refused = verify(&place.path("sealed"), &[&stranger as &(dyn Identity + Sync)], Threads::ONE);
    assert!(matches!(refused, Err(VerifyError::Open(DecryptError::NoMatch))));

    fs::remove_file(place.path("sealed/a.age")).unwrap();
    fs::copy(place.path("sealed/d.age"), place.path("sealed/b.age")).unwrap();
    let mut damaged = fs::read(place.path("sealed/c.age")).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(place.path("sealed/c.age"), damaged).unwrap();
    fs::write(place.path("sealed/f.age"), b"text").unwrap();
    // Somebody who can open the file says that `e` has another length, and adds a link that leads
    // out.
    let entries = manifest.entries().map(|entry| match entry {
        Entry::File { name, id, attributes, .. } if name == self::name("e") => {
            Entry::File { name, size: 5, id, attributes }
        }
        entry => entry,
    });
    let mut text = Vec::new();
    let link = Entry::Link { name: name("link"), target: "../elsewhere".into() };
    Manifest::write(&mut text, entries.chain([link])).unwrap();
    fs::write(place.path("sealed").join(MANIFEST), place.encryptor().encrypt_to_armor(&text).unwrap()).unwrap();

    let check = |faults: &[(Name, FileFault)]| {
        assert_eq!(names(faults)[..5], ["a", "b", "c", "e", "f"]);
        let [(_, a), (_, b), (_, c), (_, e), (_, f), ..] = faults else { panic!("{faults:?}") };
        assert!(matches!(a, FileFault::Read(error) if error.kind() == io::ErrorKind::NotFound), "{a:?}");
        assert!(matches!(b, FileFault::Exchanged), "{b:?}");
        assert!(matches!(c, FileFault::Read(error) if StreamError::of(error).is_some()), "{c:?}");
        assert!(matches!(e, FileFault::OtherSize { found: 4, known: 5 }), "{e:?}");
        assert!(matches!(f, FileFault::Open(DecryptError::Header(_))), "{f:?}");
    };
    let faults = place.verify().unwrap();
    assert_eq!(faults.len(), 5);
    check(&faults);
    let faults = place.open().unwrap();
    check(&faults);
    assert!(matches!(&faults[5], (_, FileFault::ExternalLink { target }) if target == Path::new("../elsewhere")));
    let left: Vec<_> = fs::read_dir(place.path("opened")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["d"], "nothing of the others is left");
}

/// Without a writer, opening a FIFO would never return.
#[cfg(unix)]
#[test]
fn fifos_are_faults() {
    let place = Place::new();
    place.write("source/a", b"text");
    place.write("source/b", b"text");
    place.seal().unwrap();
    let make_fifo = |name: &str| {
        let path = place.path("sealed").join(name);
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    make_fifo("a.age");
    fs::remove_file(place.path("sealed/b.age")).unwrap();
    fs::create_dir(place.path("sealed/b.age")).unwrap();
    for faults in [place.verify().unwrap(), place.open().unwrap()] {
        assert_eq!(names(&faults), ["a", "b"]);
        for (_, fault) in faults {
            assert!(matches!(&fault, FileFault::Read(error) if error.to_string() == "it is not a regular file"));
        }
    }
    make_fifo(MANIFEST);
    assert!(matches!(place.verify(), Err(VerifyError::Open(DecryptError::Io(_)))));
    assert!(matches!(place.open(), Err(OpenError::Manifest(VerifyError::Open(DecryptError::Io(_))))));
}

/// No system can create a link with a target this long.
#[test]
fn a_link_that_cannot_be_made_is_a_fault() {
    let place = Place::new();
    place.write("source/a/note", b"text");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::open(place.path("source/a")).unwrap().set_modified(long_ago).unwrap();
    let manifest = place.seal().unwrap();
    fs::write(place.path("sealed/a/note.age"), b"damaged").unwrap();
    let long = "x".repeat(5000);
    let link = Entry::Link { name: name("a/link"), target: long.clone().into() };
    let mut text = Vec::new();
    Manifest::write(&mut text, manifest.entries().chain([link])).unwrap();
    fs::write(place.path("sealed").join(MANIFEST), place.encryptor().encrypt_to_vec(&text).unwrap()).unwrap();

    let faults = place.open().unwrap();
    assert_eq!(names(&faults), ["a/link", "a/note"]);
    assert!(matches!(&faults[0].1, FileFault::LinkFailed { target, .. } if target == Path::new(&long)), "{faults:?}");
    // The work goes on after the link.
    #[cfg(unix)]
    assert_eq!(fs::metadata(place.path("opened/a")).unwrap().modified().unwrap(), long_ago);
}

/// No file system has a name this long. Some have other limits, and some do not distinguish all
/// names.
#[test]
fn an_entry_with_an_impossible_name_does_not_keep_others_from_being_opened() {
    let place = Place::new();
    for name in ["a", "b", "c", "in/d"] {
        place.write(&format!("source/{name}"), b"text");
    }
    let manifest = place.seal().unwrap();
    let long = "x".repeat(300);
    let below = |end: &str| name(&format!("{long}/{end}"));
    let entries = manifest.entries().map(|entry| match entry {
        Entry::File { size, id, attributes, .. } if id == manifest.files[&name("c")].id => {
            Entry::File { name: below("c"), size, id, attributes }
        }
        entry => entry,
    });
    let directory = |name| Entry::Directory { name, attributes: Attributes::private() };
    let link = Entry::Link { name: below("link"), target: "c".into() };
    let mut text = Vec::new();
    Manifest::write(&mut text, entries.chain([directory(below("")), directory(below("e/f")), link])).unwrap();
    fs::write(place.path("sealed").join(MANIFEST), place.encryptor().encrypt_to_vec(&text).unwrap()).unwrap();

    /// Creates a file when `opened` exists, as the entry of another manifest's name would.
    struct Creates<'a>(&'a Place);
    impl Identity for Creates<'_> {
        fn unwrap_file_key(
            &self,
            stanzas: &[crate::stanza::Stanza],
        ) -> Result<Option<crate::file_key::FileKey>, crate::identity::UnwrapError> {
            if self.0.path("opened").exists() {
                fs::write(self.0.path("opened/b"), b"other").unwrap();
            }
            self.0.key.unwrap_file_key(stanzas)
        }
    }
    let creates = Creates(&place);
    let identities = [&creates as &(dyn Identity + Sync)];
    let faults = open(&place.path("sealed"), &place.path("opened"), &identities, Threads::ONE).unwrap();
    let expected = ["b".to_owned()].into_iter().chain(["", "/c", "/e/f", "/link"].map(|end| format!("{long}{end}")));
    assert_eq!(names(&faults), expected.collect::<Vec<_>>());
    assert!(faults.iter().all(|(_, fault)| matches!(fault, FileFault::NotCreated(_))), "{faults:?}");
    assert_eq!(fs::read(place.path("opened/b")).unwrap(), b"other");
    for restored in ["a", "in/d"] {
        assert_eq!(fs::read(place.path("opened").join(restored)).unwrap(), b"text");
    }
}

#[test]
fn keeps_existing_files() {
    let place = Place::new();
    place.write("source/a", b"text");
    place.write("sealed/kept", b"old");
    assert!(matches!(place.seal(), Err(SealError::Io { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists));
    assert_eq!(fs::read(place.path("sealed/kept")).unwrap(), b"old");
    fs::remove_dir_all(place.path("sealed")).unwrap();
    place.seal().unwrap();
    place.write("opened/kept", b"old");
    assert!(matches!(place.open(), Err(OpenError::Io { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists));
    assert_eq!(fs::read(place.path("opened/kept")).unwrap(), b"old");
}

#[test]
fn what_cannot_be_sealed_leaves_nothing() {
    let place = Place::new();
    place.write("source/sealane-manifest", b"text");
    assert!(matches!(place.seal(), Err(SealError::Reserved(path)) if path == place.path("source/sealane-manifest")));
    fs::remove_file(place.path("source/sealane-manifest")).unwrap();
    // Both would become `a.age`. This is noticed before anything is created.
    place.write("source/in/a", b"text");
    place.write("source/in/a.age/b", b"text");
    place.write("sealed", b"a file in the place of the result");
    let [in_file, in_folder] = ["source/in/a", "source/in/a.age"].map(|name| place.path(name));
    assert!(
        matches!(place.seal(), Err(SealError::Collision { file, folder }) if (&file, &folder) == (&in_file, &in_folder))
    );
    fs::remove_file(place.path("sealed")).unwrap();
    fs::remove_dir_all(place.path("source/in")).unwrap();
    let deep = ["source"].into_iter().chain([["d"; 16].join("/").as_str(); 17]).collect::<std::path::PathBuf>();
    fs::create_dir_all(place.folder.path().join(deep)).unwrap();
    assert!(matches!(place.seal(), Err(SealError::Long(path)) if path.ends_with(["d"; 257].join("/"))));
    fs::remove_dir_all(place.path("source/d")).unwrap();
    let nobody = seal(&place.path("source"), &place.path("sealed"), &[], Threads::ONE);
    assert!(matches!(nobody, Err(SealError::Encrypt(crate::error::EncryptError::NoRecipients))));
    #[cfg(unix)]
    {
        let _socket = std::os::unix::net::UnixListener::bind(place.path("source/socket")).unwrap();
        assert!(matches!(place.seal(), Err(SealError::Kind(path)) if path == place.path("source/socket")));
    }
    assert!(!place.path("sealed").exists());
}

#[test]
fn names_in_messages_do_not_act_on_a_terminal() {
    let text = "a\u{1b}[2J\nb";
    let quoted = format!("{text:?}");
    let io = || io::Error::other("why");
    for message in [
        SealError::Io { path: text.into(), error: io() }.to_string(),
        SealError::Kind(text.into()).to_string(),
        SealError::Reserved(text.into()).to_string(),
        SealError::Unusable(text.into()).to_string(),
        SealError::Long(text.into()).to_string(),
        SealError::Collision { file: text.into(), folder: "b".into() }.to_string(),
        OpenError::Io { path: text.into(), error: io() }.to_string(),
        FileFault::UnusableName { name: text.into() }.to_string(),
        FileFault::ExternalLink { target: text.into() }.to_string(),
        FileFault::LinkFailed { target: text.into(), error: io() }.to_string(),
    ] {
        assert!(message.contains(&quoted) && !message.contains(char::is_control), "{message:?}");
    }
}

/// Whatever a manifest says, nothing is written outside the new folder.
#[cfg(unix)]
#[test]
fn hostile_manifests() {
    use super::{Id, ManifestError};

    let place = Place::new();
    place.write("source/a", b"text");
    place.write("elsewhere/kept", b"old");
    place.seal().unwrap();
    fs::create_dir(place.path("sealed/link")).unwrap();
    let file = |name: &str| {
        let encryptor = place.encryptor();
        let (name, id) = (self::name(name), Id(encryptor.file_id()));
        fs::write(place.path("sealed").join(name.sealed()), encryptor.encrypt_to_vec(b"text").unwrap()).unwrap();
        Entry::File { name, size: 4, id, attributes: Attributes::default() }
    };
    let link = |name: &str, target: &Path| Entry::Link { name: self::name(name), target: target.to_owned() };
    let elsewhere = place.path("elsewhere");
    let cases: [&dyn Fn() -> Vec<Entry>; 3] = [
        // A file through a link, and a file below a file.
        &|| vec![link("link", &elsewhere), file("link/kept")],
        &|| vec![link("link", Path::new("..")), file("link/kept")],
        &|| vec![file("link"), file("link/kept")],
    ];
    for entries in cases {
        // Such entries are not written together, so their lines are joined.
        let mut text = "{\"sealane-manifest\":1}\n".to_owned();
        for entry in entries() {
            let mut one = Vec::new();
            Manifest::write(&mut one, [entry]).unwrap();
            text += String::from_utf8(one).unwrap().split_once('\n').unwrap().1;
        }
        fs::write(place.path("sealed").join(MANIFEST), place.encryptor().encrypt_to_vec(text.as_bytes()).unwrap())
            .unwrap();
        assert!(matches!(place.verify(), Err(VerifyError::Manifest(ManifestError::Malformed(_)))));
        let opened = place.open();
        assert!(matches!(opened, Err(OpenError::Manifest(VerifyError::Manifest(ManifestError::Malformed(_))))));
        assert_eq!(fs::read(elsewhere.join("kept")).unwrap(), b"old");
        assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 3, "nothing is created");
    }
}

/// Somebody who can open a file knows its key, and therefore can encrypt another content under its
/// id. Only the length is compared.
#[test]
fn a_recipient_gives_a_file_another_content_under_its_id() {
    let place = Place::new();
    place.write("source/a", b"text");
    place.seal().unwrap();
    let path = place.path("sealed/a.age");
    let Prefix::Complete(preamble) = Preamble::parse(&fs::read(&path).unwrap()).unwrap() else { panic!() };
    let file_key = preamble.file_key([&place.key as &dyn Identity]).unwrap();
    let write = |content: &[u8]| {
        let nonce = crate::keys::new_payload_nonce().unwrap();
        let start = [&preamble.header().encode()[..], &nonce].concat();
        let mut writer = StreamWriter::new(start, PayloadKey::new(&file_key, &nonce, sealane::Backend::detect()));
        writer.write_all(content).unwrap();
        fs::write(&path, writer.finish().unwrap()).unwrap();
    };
    write(b"lies");
    assert!(place.verify().unwrap().is_empty() && place.open().unwrap().is_empty());
    assert_eq!(fs::read(place.path("opened/a")).unwrap(), b"lies");
    write(b"longer");
    assert!(matches!(place.verify().unwrap()[..], [(_, FileFault::OtherSize { found: 6, known: 4 })]));
}
