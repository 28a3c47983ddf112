//! Fetches Bochs and the files that it boots: Debian's packages, unpacked in the cache folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Bochs;
use crate::process;

/// Debian bookworm's package is 2.7, which cannot run AVX-512 programs.
const VERSION: &str = "3.0";
const SOURCE: &str = "bochs_3.0+dfsg.orig.tar.xz";
const SOURCE_SHA256: &str = "78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b";
/// The Debian release whose sources hold [`SOURCE`].
const SOURCE_RELEASE: &str = "trixie";
const MIRROR: &str = "http://deb.debian.org/debian";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Finds all files in the cache folder, or builds and downloads them there, which takes about four
/// minutes once.
pub(crate) fn prepare() -> Result<Bochs> {
    let cache = process::cache_dir()?;
    let emulator = build(&cache)?;
    let packages = cache.join("bochs-guest");
    let kernel = kernel(&packages)?;
    Ok(Bochs {
        emulator,
        kernel,
        busybox: file_of_package(&packages, "busybox-static", "bin/busybox")?,
        isolinux: file_of_package(&packages, "isolinux", "usr/lib/ISOLINUX/isolinux.bin")?,
        ldlinux: file_of_package(&packages, "syslinux-common", "usr/lib/syslinux/modules/bios/ldlinux.c32")?,
        bios: file_of_package(&packages, "bochsbios", "usr/share/bochs/BIOS-bochs-latest")?,
        vga_bios: file_of_package(&packages, "vgabios", "usr/share/vgabios/vgabios.bin")?,
    })
}

/// Returns the emulator, built from Debian's source.
fn build(cache: &Path) -> Result<PathBuf> {
    let dir = cache.join(format!("bochs-{VERSION}"));
    let built = dir.join("bochs");
    if built.is_file() {
        return Ok(built);
    }
    for (program, package) in [("g++", "g++"), ("make", "make"), ("tar", "tar"), ("xz", "xz-utils")] {
        process::tool(program, package)?;
    }
    let work = cache.join(format!("bochs-build-{}", std::process::id()));
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let source = download_source(&work)?;
    process::run(Command::new("tar").arg("-xf").arg(&source).current_dir(&work))?;
    let tree = work.join(format!("bochs-{VERSION}"));

    println!("   building Bochs {VERSION} (about four minutes, once; log in {})", work.join("build.log").display());
    let log = std::fs::File::create(work.join("build.log")).context("cannot create the build's log")?;
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let logged = |command: &mut Command| -> Result<()> {
        let (out, err) = (log.try_clone().context("log")?, log.try_clone().context("log")?);
        process::run(command.current_dir(&tree).stdin(Stdio::null()).stdout(out).stderr(err))
    };
    // Without -g the build takes half the time.
    logged(
        Command::new("./configure")
            .env("CFLAGS", "-O2")
            .env("CXXFLAGS", "-O2")
            .args(["--enable-cpu-level=6", "--enable-x86-64", "--enable-avx", "--enable-evex", "--enable-fpu"])
            .args(["--enable-pci", "--enable-handlers-chaining", "--enable-repeat-speedups"])
            .args(["--enable-fast-function-calls", "--disable-docbook", "--with-nogui", "--disable-plugins"]),
    )?;
    logged(Command::new("make").arg(format!("-j{jobs}")))?;

    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    // Renames the file last, so that an interrupted copy is not mistaken for the emulator.
    let copy = dir.join(format!("bochs.{}", std::process::id()));
    std::fs::copy(tree.join("bochs"), &copy).context("Bochs' build left no program")?;
    std::fs::rename(&copy, &built).context("cannot put Bochs in the cache")?;
    std::fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    Ok(built)
}

/// Fetches the source through apt with a separate sources list, so the system's list does not
/// change.
fn download_source(work: &Path) -> Result<PathBuf> {
    process::tool("apt-get", "apt (a Debian or Ubuntu system is needed to fetch Bochs' source)")?;
    if !Path::new(KEYRING).is_file() {
        bail!("{KEYRING} is missing. On Debian or Ubuntu: apt-get install debian-archive-keyring");
    }
    let list = work.join("bochs.sources");
    for folder in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(work.join(folder)).context("cannot create apt's folders")?;
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        command
            .args(["-qq", "-o", "Acquire::Retries=3", "-o"])
            .arg(format!("Dir::Etc::sourcelist={}", list.display()))
            .args(["-o", "Dir::Etc::sourceparts=/dev/null", "-o"])
            .arg(format!("Dir::State::lists={}", work.join("lists").display()))
            .arg("-o")
            .arg(format!("Dir::Cache={}", work.join("cache").display()))
            .current_dir(work);
        command
    };
    let fetch = |mirror: &str| {
        let content = format!(
            "Types: deb-src\nURIs: {mirror}\nSuites: {SOURCE_RELEASE}\nComponents: main\nSigned-By: {KEYRING}\n"
        );
        std::fs::write(&list, content).context("cannot write a sources list")?;
        // If apt cannot fetch a list, it only prints a warning.
        process::run(apt().args(["update", "--error-on=any"])).context("cannot read Debian's list of sources")?;
        process::run(apt().args(["source", "--tar-only", "--download-only", "bochs"])).context("cannot fetch Bochs")
    };
    let mut mirrors = mirrors();
    let last = mirrors.pop().expect("there is always one");
    if !mirrors.iter().any(|mirror| fetch(mirror).is_ok()) {
        fetch(&last)?;
    }
    let source = work.join(SOURCE);
    let sum = process::output(Command::new("sha256sum").arg(&source))
        .with_context(|| format!("{SOURCE_RELEASE} no longer has {SOURCE}"))?;
    if !sum.starts_with(SOURCE_SHA256) {
        bail!("{} is not the source that is expected: its SHA-256 differs", source.display());
    }
    Ok(source)
}

/// Debian's own server, after the servers of this system's sources list: these may be nearer, or
/// the only ones within reach.
fn mirrors() -> Vec<String> {
    let listed = process::output(Command::new("apt-get").args(["indextargets", "--format", "$(ORIGIN) $(REPO_URI)"]));
    let listed = listed.unwrap_or_default();
    let uris = listed.lines().filter_map(|line| line.strip_prefix("Debian "));
    let own = uris.map(|uri| uri.trim_end_matches('/').to_owned()).filter(|uri| uri.ends_with("/debian"));
    let mut mirrors: Vec<_> = own.chain([MIRROR.to_owned()]).collect();
    mirrors.dedup();
    mirrors
}

/// Returns the newest of Debian's kernels for virtual machines. They are small, and no modules are
/// needed.
fn kernel(packages: &Path) -> Result<PathBuf> {
    let boot = packages.join("kernel/boot");
    if let Some(kernel) = kernel_in(&boot) {
        return Ok(kernel);
    }
    let depends = process::output(Command::new("apt-cache").args(["depends", "linux-image-cloud-amd64"]))
        .context("cannot ask apt for the kernel's package: run `apt-get update` first (as root)")?;
    let package = depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|package| package.starts_with("linux-image-"))
        .context("apt knows no kernel linux-image-cloud-amd64: run `apt-get update` first (as root), on Debian")?;
    unpack(package, &packages.join("kernel"))?;
    kernel_in(&boot).with_context(|| format!("{package} holds no kernel"))
}

fn kernel_in(boot: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(boot).ok()?;
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("vmlinuz-")))
}

fn file_of_package(packages: &Path, package: &str, file: &str) -> Result<PathBuf> {
    let dir = packages.join(package);
    let path = dir.join(file);
    if !path.is_file() {
        unpack(package, &dir)?;
    }
    if !path.is_file() {
        bail!("the package {package} holds no {file}");
    }
    Ok(path)
}

/// Downloads a package and unpacks it into `dir`.
fn unpack(package: &str, dir: &Path) -> Result<()> {
    println!("   fetching {package}");
    let download = dir.join("download");
    std::fs::create_dir_all(&download).with_context(|| format!("cannot create {}", download.display()))?;
    process::output(Command::new("apt-get").args(["-qq", "download", package]).current_dir(&download))
        .with_context(|| format!("cannot download {package}: run `apt-get update` first (as root)"))?;
    for entry in std::fs::read_dir(&download).context("cannot read the download folder")? {
        let file = entry.context("cannot read the download folder")?.path();
        process::run(Command::new("dpkg").arg("-x").arg(&file).arg(dir))?;
    }
    std::fs::remove_dir_all(&download).context("cannot remove the download folder")
}
