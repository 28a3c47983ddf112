//! The list xtask/backends.toml: the places where tests run, the compiler's targets, and the
//! backends that each place must execute.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sealane_workloads::{Family, Workload};
use serde::de::{Deserialize, Deserializer, Error as _};

use crate::process;

/// The path of the list, from the root of the repository.
pub(crate) const LIST: &str = "xtask/backends.toml";

/// The contents of xtask/backends.toml.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub(crate) place: Vec<Place>,
    #[serde(default)]
    pub(crate) target: Vec<Target>,
    #[serde(rename = "family")]
    pub(crate) families: Vec<Group>,
}

/// A place where tests run: a CPU, or an emulated model of one.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) what: String,
    /// The backends that detection must choose there, by family. Empty if that is not known.
    #[serde(default)]
    detects: Vec<String>,
    /// Other backends that the tests run on there, by family.
    #[serde(default)]
    also: Vec<Vec<String>>,
    /// Backends that the tests run on if the CPU has these features.
    #[serde(default)]
    pub(crate) if_the_cpu_has: BTreeMap<String, Vec<String>>,
    /// The emulator. `None` for the CPU of the machine that runs the tests.
    pub(crate) emulated: Option<Emulated>,
}

/// An emulator, and what it runs.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Emulated {
    pub(crate) target: String,
    /// One of qemu-user, or `bochs`, or `node`.
    program: String,
    /// The CPU, as the program names it.
    #[serde(default)]
    cpu: String,
    /// Whether the operating system hides the CPU's AES instructions and PMULL.
    #[serde(default)]
    hides_aes: bool,
}

/// A target of the compiler.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) triple: String,
    /// The prefix of the name of Debian's cross compiler, and the name of its folder in `/usr`.
    gcc: Option<String>,
    #[serde(default)]
    packages: String,
    /// Flags for the Rust compiler.
    pub(crate) flags: Option<String>,
    /// The feature of `sealane-simd` that needs an unstable compiler feature.
    pub(crate) unstable: Option<String>,
    #[serde(default)]
    pub(crate) portable: bool,
    /// Whether the unit tests of the primitives run there too.
    #[serde(default)]
    pub(crate) unit_tests: bool,
    /// Whether the tests of GF(2^n) try every field.
    #[serde(default)]
    pub(crate) every_field: bool,
}

/// A family of primitives in the table of workloads. All of them have the same backends.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) title: String,
    #[serde(rename = "name", deserialize_with = "family")]
    pub(crate) family: Family,
    /// The places that must execute each backend.
    pub(crate) backends: BTreeMap<String, Vec<String>>,
}

fn family<'a, D: Deserializer<'a>>(name: D) -> Result<Family, D::Error> {
    let name = String::deserialize(name)?;
    let family = Family::ALL.into_iter().find(|family| family.name() == name);
    family.ok_or_else(|| D::Error::custom(format!("the table of workloads has no family {name}")))
}

impl List {
    /// Reads the list.
    pub(crate) fn read() -> Result<Self> {
        Self::parse(&process::read(LIST)?).with_context(|| format!("in {LIST}"))
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let list: Self = toml::from_str(text)?;
        let families = list.families.len();
        for Place { name, detects, also, .. } in &list.place {
            ensure!([0, families].contains(&detects.len()), "{name}: `detects` needs {families} names");
            ensure!(also.iter().all(|names| names.len() == families), "{name}: `also` too");
        }
        for place in &list.place {
            place
                .emulated
                .as_ref()
                .map(|on| list.target(&on.target))
                .transpose()
                .with_context(|| place.name.clone())?;
        }
        for (_, backend, places) in list.backends() {
            ensure!(!places.is_empty(), "{backend} is executed nowhere");
            for place in places {
                list.place(place).with_context(|| backend.to_owned())?;
            }
        }
        Ok(list)
    }

    /// Returns the backends of each family, with the places that must execute them.
    fn backends(&self) -> impl Iterator<Item = (Family, &str, &[String])> {
        let family_of = |group: &'_ Group| group.family;
        self.families.iter().flat_map(move |group| {
            group.backends.iter().map(move |(name, places)| (family_of(group), name.as_str(), places.as_slice()))
        })
    }

    /// Returns the target with this triple.
    pub(crate) fn target(&self, triple: &str) -> Result<&Target> {
        let target = self.target.iter().find(|target| target.triple == triple);
        target.with_context(|| format!("{LIST} has no target {triple}"))
    }

    /// Returns the places of a chore.
    pub(crate) fn places(&self, chore: &str) -> impl Iterator<Item = &Place> {
        self.place.iter().filter(move |place| place.chore() == chore)
    }

    pub(crate) fn place(&self, name: &str) -> Result<&Place> {
        let place = self.place.iter().find(|place| place.name == name);
        place.with_context(|| format!("{LIST} has no place {name}"))
    }

    /// Returns each backend that a place must execute, with each of its primitives.
    pub(crate) fn primitives_at(&self, place: &str) -> impl Iterator<Item = (&str, &'static Workload)> {
        let executed = self.backends().filter(move |(_, _, places)| places.iter().any(|name| name == place));
        executed.flat_map(|(family, backend, _)| family.workloads().map(move |workload| (backend, workload)))
    }

    /// Returns the backends of each family that a chore must execute at one of its places.
    pub(crate) fn executed_by(&self, chore: &str) -> impl Iterator<Item = (Family, &str)> {
        let is_here = move |name: &String| self.places(chore).any(|place| place.name == *name);
        let executed = self.backends().filter(move |(_, _, places)| places.iter().any(is_here));
        executed.map(|(family, backend, _)| (family, backend))
    }
}

impl Place {
    /// Returns the chore that runs the tests there.
    pub(crate) fn chore(&self) -> &'static str {
        match &self.emulated {
            None => "backends",
            Some(on) if on.program == "bochs" => "emulate",
            Some(_) => "cross",
        }
    }

    /// Returns whether the place is of this target.
    pub(crate) fn has_target(&self, triple: &str) -> bool {
        self.emulated.as_ref().is_some_and(|on| on.target == triple)
    }

    /// Returns the value of `SEALANE_TEST_DETECTS`: the backends that detection must choose.
    pub(crate) fn detects(&self) -> Option<String> {
        (!self.detects.is_empty()).then(|| self.detects.join(","))
    }

    /// Returns the backends of each run of the tests, by family: the ones that detection must
    /// choose, and others.
    pub(crate) fn forced(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.detects).chain(&self.also)
    }
}

/// Returns the value of `SEALANE_BACKEND` that forces these backends. A family that has several of
/// them uses the last one, so portable code comes first.
pub(crate) fn variable(backends: &[String]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in backends.iter().filter(|name| *name == "scalar").chain(backends) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.join(",")
}

impl Target {
    /// Returns the C compiler that links programs for the target, or `None` for the usual one.
    fn compiler(&self) -> Result<Option<PathBuf>> {
        self.gcc.as_ref().map(|gcc| process::tool(&format!("{gcc}-gcc"), &self.packages)).transpose()
    }

    /// Returns the environment variable that names the linker to cargo, and its value.
    pub(crate) fn linker(&self) -> Result<Option<(OsString, OsString)>> {
        Ok(self.compiler()?.map(|compiler| (process::cargo_variable(&self.triple, "LINKER"), compiler.into())))
    }

    /// Returns the program that runs executables of this target, and the arguments before the
    /// executable's path.
    pub(crate) fn runner(&self, on: &Emulated) -> Result<Vec<OsString>> {
        let root = process::workspace_root();
        let Emulated { program, cpu, hides_aes, .. } = on;
        if program == "node" {
            let node = process::tool("node", "nodejs")?;
            return Ok(vec![node.into(), "--no-warnings".into(), root.join("xtask/src/cross/wasi.mjs").into()]);
        }
        if program == "bochs" {
            let script = root.join("xtask/bochs.sh");
            // The first time, this takes minutes.
            process::run(Command::new("bash").arg(&script).arg("prepare"))?;
            return Ok(vec!["bash".into(), script.into(), "run".into(), cpu.into(), BOCHS_SECONDS.into()]);
        }
        let program = process::tool(program, "qemu-user")?;
        let mut command: Vec<OsString> = vec![program.into(), "-cpu".into(), cpu.into()];
        // Static executables need no folder of libraries.
        if let Some(gcc) = &self.gcc {
            command.extend(["-L".into(), format!("/usr/{gcc}").into()]);
            // Otherwise the loader in that folder takes an x86-64 machine's own 32-bit libraries,
            // whose version may not fit it.
            command.extend(["-E".into(), format!("LD_LIBRARY_PATH=/usr/{gcc}/lib").into()]);
        }
        if *hides_aes {
            let mut variable = OsString::from("LD_PRELOAD=");
            variable.push(without_aes(&self.compiler()?.context("it needs a C compiler")?)?);
            command.extend(["-E".into(), variable]);
        }
        Ok(command)
    }
}

/// The time limit of a program in Bochs, which emulates about 20 million instructions a second.
const BOCHS_SECONDS: &str = "1800";

/// Builds a library that hides AES and PMULL from a program that loads it first.
fn without_aes(compiler: &Path) -> Result<PathBuf> {
    let library = process::folder("cross-preload")?.join("without_aes.so");
    let source = process::workspace_root().join("xtask/src/cross/without_aes.c");
    process::run(Command::new(compiler).args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source))?;
    Ok(library)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const SMALL: &str = r#"
        [[place]]
        name = "here"
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

    #[test]
    fn a_list_with_a_gap_is_refused() {
        for (old, new) in [
            ("avx2 = [\"here\"]", "avx2 = []"),
            ("[\"here\"]", "[\"there\"]"),
            ("\"avx2\", \"scalar\"", "\"avx2\""),
            ("\"aes\"", "\"des\""),
        ] {
            assert!(SMALL.contains(old) && List::parse(&SMALL.replace(old, new)).is_err(), "{new}");
        }
    }

    /// A place of `cross`, and its target.
    pub(crate) const CROSS: &str = r#"
        [[place]]
        name = "arm"
        what = "another CPU"
        emulated = { target = "aarch64", program = "qemu-aarch64", cpu = "max" }
        [[target]]
        triple = "aarch64"
    "#;

    #[test]
    fn a_place_without_a_known_target_is_refused() {
        let list = format!("{SMALL}{CROSS}");
        List::parse(&list).unwrap();
        for (new, expected) in [
            ("target = \"aarch46\"", "arm: xtask/backends.toml has no target aarch46"),
            ("tarket = \"aarch64\"", "unknown field `tarket`"),
        ] {
            let error = List::parse(&list.replace("target = \"aarch64\"", new)).err().expect(new);
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
    }

    #[test]
    fn portable_code_is_forced_where_nothing_else_is() {
        let list = List::parse(SMALL).unwrap();
        let forced: Vec<_> = list.place("here").unwrap().forced().map(|names| variable(names)).collect();
        assert_eq!(forced, ["scalar,avx2"]);
    }
}
