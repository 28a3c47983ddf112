//! Compares the backends that the tests have exercised with the list xtask/backends.toml, and makes
//! the table of `cargo xtask coverage` from that list.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use sealane_workloads::{Family, Workload};
use serde::Deserialize;

use crate::cross::Target;
use crate::process;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write docs/backends.md
    #[arg(long)]
    write: bool,
}

/// The path of the list, from the root of the repository.
const LIST: &str = "xtask/backends.toml";
/// The path of the table.
const DOCUMENT: &str = "docs/backends.md";

/// The contents of xtask/backends.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    place: Vec<Place>,
    #[serde(default)]
    target: Vec<Target>,
    family: Vec<Group>,
}

/// A place where tests run: a CPU, or an emulated model of one.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// The chore that runs the tests there.
    chore: String,
    what: String,
    /// The backends that detection must choose there, by family. Empty if that is not known.
    #[serde(default)]
    detects: Vec<String>,
    /// Other backends that the tests run on there, by family.
    #[serde(default)]
    also: Vec<Vec<String>>,
    pub(crate) target: Option<String>,
    /// The emulator of qemu-user.
    pub(crate) qemu: Option<String>,
    cpu: Option<String>,
    /// Whether the operating system hides the CPU's AES instructions and PMULL.
    #[serde(default)]
    pub(crate) hides_aes: bool,
    /// The CPU of a machine in Bochs, as its configuration names it.
    pub(crate) bochs: Option<String>,
}

/// A family of the table of workloads, whose primitives have the same backends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    title: String,
    name: String,
    /// The places that must execute each backend.
    backends: BTreeMap<String, Vec<String>>,
}

impl Group {
    /// Returns the rows of the table of workloads.
    fn primitives(&self) -> impl Iterator<Item = &'static Workload> {
        let is_this = |family: &Family| family.name() == self.name;
        Family::ALL.into_iter().find(is_this).into_iter().flat_map(|family| family.workloads())
    }
}

impl List {
    /// Reads the list.
    pub(crate) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(process::workspace_root().join(LIST))
            .with_context(|| format!("cannot read {LIST}"))?;
        Self::parse(&text).with_context(|| format!("in {LIST}"))
    }

    fn parse(text: &str) -> Result<Self> {
        let list: Self = toml::from_str(text)?;
        for family in &list.family {
            ensure!(family.primitives().next().is_some(), "{}: the table of workloads has no primitive", family.name);
        }
        for place in &list.place {
            let families = list.family.len();
            ensure!([0, families].contains(&place.detects.len()), "{}: `detects` needs {families} names", place.name);
            ensure!(place.also.iter().all(|names| names.len() == families), "{}: `also` too", place.name);
        }
        for (backend, places) in list.family.iter().flat_map(|family| &family.backends) {
            ensure!(!places.is_empty(), "{backend} is executed nowhere");
            for name in places {
                ensure!(list.place.iter().any(|place| place.name == *name), "{backend}: there is no place {name}");
            }
        }
        Ok(list)
    }

    /// Returns the targets of `cross`.
    pub(crate) fn targets(&self) -> &[Target] {
        &self.target
    }

    /// Returns the target of that name.
    pub(crate) fn target(&self, triple: &str) -> Result<&Target> {
        let target = self.target.iter().find(|target| target.triple == triple);
        target.with_context(|| format!("{LIST} has no target {triple}"))
    }

    /// Returns the places of a chore.
    pub(crate) fn places(&self, chore: &str) -> impl Iterator<Item = &Place> {
        self.place.iter().filter(move |place| place.chore == chore)
    }

    pub(crate) fn place(&self, name: &str) -> Result<&Place> {
        let place = self.place.iter().find(|place| place.name == name);
        place.with_context(|| format!("{LIST} has no place {name}"))
    }

    /// Returns the backends that a place must exercise, with the primitives of each.
    fn required(&self, place: &str) -> Exercised {
        let pairs = self.primitives_at(place).into_iter();
        Exercised { pairs: pairs.map(|(backend, row)| (backend, row.name.to_owned())).collect(), ..Default::default() }
    }

    /// Returns each backend that a place must exercise, with each of its primitives.
    pub(crate) fn primitives_at(&self, place: &str) -> Vec<(String, &'static Workload)> {
        let mut found = Vec::new();
        for family in &self.family {
            for (backend, _) in family.backends.iter().filter(|(_, places)| places.iter().any(|name| name == place)) {
                found.extend(family.primitives().map(|workload| (backend.clone(), workload)));
            }
        }
        found
    }

    /// Returns each family's backends that a chore exercises at one of its places.
    pub(crate) fn exercised_by(&self, chore: &str) -> Vec<(Family, &str)> {
        let here: Vec<_> = self.place.iter().filter(|place| place.chore == chore).map(|place| &place.name).collect();
        let backends = Family::ALL.into_iter().flat_map(|family| {
            let groups = self.family.iter().filter(move |group| group.name == family.name());
            groups.flat_map(|group| &group.backends).map(move |backend| (family, backend))
        });
        let is_here = |places: &[String]| places.iter().any(|place| here.contains(&place));
        backends.filter(|(_, (_, places))| is_here(places)).map(|(family, (name, _))| (family, name.as_str())).collect()
    }

    /// Returns whether any place must exercise the backend for the primitive.
    fn knows(&self, backend: &str, primitive: &str) -> bool {
        let has = |family: &&Group| family.primitives().any(|workload| workload.name == primitive);
        self.family.iter().find(has).is_some_and(|family| family.backends.contains_key(backend))
    }
}

impl Place {
    /// Returns the value of `SEALANE_TEST_DETECTS`: the backends that detection must choose.
    pub(crate) fn detects(&self) -> Option<String> {
        (!self.detects.is_empty()).then(|| self.detects.join(","))
    }

    /// Returns the backends of each run of the tests, by family: the ones that detection must
    /// choose, and others.
    pub(crate) fn forced(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.detects).chain(&self.also)
    }

    /// Returns the model of the CPU.
    pub(crate) fn cpu(&self) -> Result<&str> {
        self.cpu.as_deref().with_context(|| format!("{LIST}: {} names no CPU", self.name))
    }
}

/// Returns the value of `SEALANE_BACKEND` that forces these backends. If a family has several of
/// the names, it takes the last: portable code comes first.
pub(crate) fn variable(backends: &[String]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in backends.iter().filter(|name| *name == "scalar").chain(backends) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.join(",")
}

/// Backends, each with a primitive that ran on it.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Exercised {
    pairs: BTreeSet<(String, String)>,
    /// The backends that were compiled for the architecture.
    compiled: BTreeSet<(String, String)>,
}

impl Exercised {
    /// Parses the output of tests, which has lines such as `exercised: haraka on aesni of scalar,
    /// aesni, vaes`.
    pub(crate) fn read(output: &str) -> Self {
        let mut exercised = Self::default();
        for line in output.lines() {
            let Some((_, line)) = line.split_once("exercised: ") else { continue };
            let Some((primitive, names)) = line.trim().split_once(" on ") else { continue };
            let Some((used, compiled)) = names.split_once(" of ") else { continue };
            let pairs =
                |names: &str| names.split(", ").map(|name| (name.to_owned(), primitive.to_owned())).collect::<Vec<_>>();
            exercised.pairs.extend(pairs(used));
            exercised.compiled.extend(pairs(compiled));
        }
        exercised
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.pairs.extend(other.pairs);
        self.compiled.extend(other.compiled);
    }
}

impl fmt::Display for Exercised {
    /// By backend: `avx2: aead, chacha20; scalar: gf2n`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut by_backend = BTreeMap::<_, Vec<_>>::new();
        for (backend, primitive) in &self.pairs {
            by_backend.entry(backend).or_default().push(primitive.as_str());
        }
        let lists = by_backend.iter().map(|(backend, primitives)| format!("{backend}: {}", primitives.join(", ")));
        f.write_str(&lists.collect::<Vec<_>>().join("; "))
    }
}

/// The backends that a chore's runs have exercised, by place.
pub(crate) struct Ledger {
    list: List,
    chore: &'static str,
    places: BTreeMap<String, Exercised>,
}

impl Ledger {
    /// Starts with no runs of the chore.
    pub(crate) fn new(chore: &'static str) -> Result<Self> {
        Ok(Self { list: List::read()?, chore, places: BTreeMap::new() })
    }

    /// Notes the backends that a run at a place has exercised.
    pub(crate) fn add(&mut self, place: &str, exercised: Exercised) {
        self.places.entry(place.to_owned()).or_default().add(exercised);
    }

    /// Compares the exercised backends with the list, at all places of the chore, or only at the
    /// requested ones.
    ///
    /// # Errors
    /// If a required backend was not exercised, or no place has to exercise a compiled backend.
    pub(crate) fn close(&self, all: bool) -> Result<()> {
        let mut wrong = Vec::new();
        let places = self.list.place.iter().filter(|place| place.chore == self.chore).map(|place| &place.name);
        for place in places.filter(|place| all || self.places.contains_key(*place)) {
            let Some(exercised) = self.places.get(place) else {
                wrong.push(format!("{place}: no test ran"));
                continue;
            };
            for (backend, primitive) in self.list.required(place).pairs.difference(&exercised.pairs) {
                wrong.push(format!("{place}: {primitive} on {backend} was not exercised"));
            }
            for (backend, primitive) in &exercised.compiled {
                if !self.list.knows(backend, primitive) {
                    wrong.push(format!("{place}: {LIST} has no place for {primitive} on {backend}"));
                }
            }
            println!("   exercised: {place}: {exercised}");
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}

/// Runs the chore: prints the table, writes it, or reports that the written table is out of date.
pub(crate) fn run(options: &Options) -> Result<()> {
    let document = table::markdown(&List::read()?);
    let path = process::workspace_root().join(DOCUMENT);
    if options.write {
        return std::fs::write(path, document).with_context(|| format!("cannot write {DOCUMENT}"));
    }
    print!("{document}");
    if std::fs::read_to_string(path).with_context(|| format!("cannot read {DOCUMENT}"))? != document {
        bail!("{DOCUMENT} is not up to date: cargo xtask coverage --write");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        [[place]]
        name = "here"
        chore = "test"
        what = "a CPU"
        detects = ["avx2", "scalar"]
        [[family]]
        title = "ChaCha"
        name = "chacha"
        [family.backends]
        avx2 = ["here"]
        [[family]]
        title = "Haraka"
        name = "aes"
        [family.backends]
        scalar = ["here"]
    "#;

    fn ledger(output: &str) -> Ledger {
        let mut ledger = Ledger { list: List::parse(SMALL).unwrap(), chore: "test", places: BTreeMap::new() };
        ledger.add("here", Exercised::read(output));
        ledger
    }

    const CHACHA: &str = "exercised: chacha20 on avx2 of avx2\nexercised: poly1305 on avx2 of avx2\n\
                          exercised: aead on avx2 of avx2\nexercised: batch on avx2 of avx2\n";

    #[test]
    fn everything_that_must_be_exercised_is_enough() {
        ledger(&format!("{CHACHA}test haraka::a ... exercised: haraka on scalar of scalar\r\nok")).close(true).unwrap();
    }

    #[test]
    fn what_was_not_exercised_is_named() {
        let error = ledger(CHACHA).close(true).unwrap_err();
        assert_eq!(error.to_string(), "here: haraka on scalar was not exercised");
        let none = Ledger { places: BTreeMap::new(), ..ledger("") };
        assert!(none.close(true).unwrap_err().to_string().contains("here: no test ran"));
        none.close(false).unwrap();
    }

    #[test]
    fn a_backend_without_a_place_is_named() {
        let error = ledger(&format!("{CHACHA}exercised: haraka on scalar of scalar, vaes")).close(true).unwrap_err();
        assert!(error.to_string().ends_with("has no place for haraka on vaes"), "{error}");
    }

    #[test]
    fn a_list_with_a_gap_is_refused() {
        for (old, new) in
            [("avx2 = [\"here\"]", "avx2 = []"), ("[\"here\"]", "[\"there\"]"), ("\"avx2\", \"scalar\"", "\"avx2\"")]
        {
            assert!(SMALL.contains(old) && List::parse(&SMALL.replace(old, new)).is_err(), "{new}");
        }
    }

    #[test]
    fn portable_code_is_forced_where_nothing_else_is() {
        let list = List::parse(SMALL).unwrap();
        let forced: Vec<_> = list.place("here").unwrap().forced().map(|names| variable(names)).collect();
        assert_eq!(forced, ["scalar,avx2"]);
    }

    #[test]
    fn the_table_is_up_to_date() {
        let written = std::fs::read_to_string(process::workspace_root().join(DOCUMENT)).unwrap();
        assert!(written == table::markdown(&List::read().unwrap()), "cargo xtask coverage --write");
    }
}
