//! Tests of results that a run that continues must not replace.

use std::fs;
use std::io::Write as _;

use super::*;
use crate::folder::{Id, ManifestUse};

const DIRECTIONS: [Direction; 2] = [Direction::Seal(ManifestUse::Ignore), Direction::Open];

/// Two files with the same time, whose names differ only in upper and lower case.
fn plan(folder: &Path) -> Plan {
    let source = |name: &str| {
        let path = folder.join(name);
        fs::write(&path, name).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        Source::in_folder(folder, Name::new(Path::new(name)).unwrap()).unwrap()
    };
    Plan { files: ["README", "readme"].map(source).into(), ..Plan::default() }
}

fn prepare(root: &Path, mode: Mode, plan: &Plan, direction: Direction) -> Destination {
    let prepared = Destination::prepare(root, Purpose::new(&[]), mode, plan, direction, |_, _| Ok(false));
    prepared.unwrap().unwrap()
}

/// Writes the result of a file.
fn write(destination: &Destination, source: &Source) -> Result<Record, Failure> {
    let attributes = Attributes::of(&source.open().unwrap().metadata().unwrap());
    write_with(destination, source, attributes)
}

/// Writes the result of a file, which gets `attributes`.
fn write_with(destination: &Destination, source: &Source, attributes: Attributes) -> Result<Record, Failure> {
    let metadata = source.open().unwrap().metadata().unwrap();
    destination.write(
        &source.name,
        attributes,
        |output| output.write_all(source.name.as_path().as_os_str().as_encoded_bytes()).map_err(Failure::of_write),
        |check, ()| Record {
            name: source.name.clone(),
            source: Stamp::of(&metadata),
            id: Id([0; 32]),
            size: metadata.len(),
            check,
        },
    )
}

/// Changes the journal so that its run was in an earlier boot of the machine.
fn restart(root: &Path) {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let journal = Journal::path(root);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.contains(boot.trim_end()));
    fs::write(journal, text.replace(boot.trim_end(), "earlier")).unwrap();
}

/// After a restart, the time of a file does not show which of the two names it is the result of.
#[test]
fn a_result_does_not_replace_another_where_names_ignore_case() {
    for direction in DIRECTIONS {
        let [sources, root] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (plan, root) = (plan(sources.path()), root.path());
        let [upper, lower] = &plan.files[..] else { panic!() };
        assert!(write(&prepare(root, Mode::Fresh, &plan, direction), upper).is_ok());
        restart(root);
        let destination = prepare(root, Mode::Resume, &plan, direction);
        let stamp = Stamp::of(&upper.open().unwrap().metadata().unwrap());
        assert!(destination.done(&upper.name, stamp).is_some());
        // On such a file system, the other name leads to the file too, as here after a renaming.
        let [written, other] = [upper, lower].map(|source| root.join(direction.target(&source.name)));
        fs::rename(written, &other).unwrap();
        match write(&destination, lower) {
            Err(Failure::This(error)) => assert!(error.to_string().contains("exists with another content"), "{error}"),
            _ => panic!("{direction:?}"),
        }
        assert_eq!(fs::read(&other).unwrap(), b"README");
        // The folder lists this name when the next run begins, so the file is its result.
        drop(destination);
        assert!(write(&prepare(root, Mode::Resume, &plan, direction), lower).is_ok());
        assert_eq!(fs::read(&other).unwrap(), b"readme");
    }
}

/// A manifest may contain a time that the system cannot represent. No file has this time.
#[test]
fn an_edited_file_stays_whose_time_the_system_cannot_represent() {
    let [sources, root] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (plan, root) = (plan(sources.path()), root.path());
    let source = &plan.files[0];
    let time = format!(r#"{{"modified":[{},{}]}}"#, i64::MAX, u32::MAX);
    let attributes: Attributes = serde_json::from_str(&time).unwrap();
    let fresh = prepare(root, Mode::Fresh, &plan, Direction::Open);
    assert!(write_with(&fresh, source, attributes).is_ok());
    drop(fresh);
    restart(root);
    let edited = root.join(Direction::Open.target(&source.name));
    fs::write(&edited, "edited").unwrap();
    let resumed = prepare(root, Mode::Resume, &plan, Direction::Open);
    assert!(matches!(write_with(&resumed, source, attributes), Err(Failure::This(_))));
    assert_eq!(fs::read(&edited).unwrap(), b"edited");
}
