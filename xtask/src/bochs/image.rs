//! The bootable image: a kernel, and a first file system whose init runs the programs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::cpio::Archive;
use super::{BEGIN, Bochs, EXIT, Guest};
use crate::process;

/// `mitigations=off` and the rest save emulated instructions; none changes what a program computes.
const KERNEL_LINE: &str = "initrd=/initrd.gz console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 nokaslr \
                           mitigations=off random.trust_cpu=on cryptomgr.notests lsm= loglevel=3";

/// Writes `boot.iso` into `work`.
pub(super) fn build(bochs: &Bochs, work: &Path, guests: &[Guest], environment: &[(&str, &str)]) -> Result<()> {
    let xorriso = process::tool("xorriso", "xorriso")?;
    let strip = process::tool("strip", "binutils")?;
    let content = work.join("iso");
    std::fs::create_dir_all(&content).context("cannot create a folder for the image")?;

    let mut archive = Archive::default();
    for folder in ["dev", "proc", "tmp", "guest"] {
        archive.folder(folder);
    }
    archive.character_device("dev/console", 5, 1);
    archive.character_device("dev/null", 1, 3);
    archive.character_device("dev/random", 1, 8);
    archive.character_device("dev/urandom", 1, 9);
    archive.program("busybox", &read(&bochs.busybox)?);
    archive.program("init", init_script(guests, environment)?.as_bytes());
    for (number, guest) in guests.iter().enumerate() {
        // Symbols would only take the emulated machine's time.
        let stripped = work.join("stripped");
        process::run(Command::new(&strip).arg("-o").arg(&stripped).arg(&guest.program))?;
        archive.program(&format!("guest/{number}"), &read(&stripped)?);
    }
    write_compressed(&archive.finish(), &content.join("initrd.gz"))?;

    copy(&bochs.kernel, &content.join("vmlinuz"))?;
    copy(&bochs.isolinux, &content.join("isolinux.bin"))?;
    copy(&bochs.ldlinux, &content.join("ldlinux.c32"))?;
    let menu = format!("DEFAULT linux\nPROMPT 0\nTIMEOUT 0\nLABEL linux\n  KERNEL /vmlinuz\n  APPEND {KERNEL_LINE}\n");
    std::fs::write(content.join("isolinux.cfg"), menu).context("cannot write the boot menu")?;
    process::output(
        Command::new(xorriso)
            .args(["-as", "mkisofs", "-quiet", "-o", "boot.iso", "-b", "isolinux.bin", "-c", "boot.cat"])
            .args(["-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "iso"])
            .current_dir(work),
    )?;
    Ok(())
}

/// The machine's configuration. `info` is ignored because Bochs writes some from a signal handler, each second, and waits for itself
/// for ever if the signal comes while it writes something else.
pub(super) fn configuration(bochs: &Bochs, cpu: &str) -> String {
    format!(
        "cpu: model={cpu}, count=1, ips=20000000, reset_on_triple_fault=0\n\
         memory: guest=512, host=512\n\
         display_library: nogui\n\
         romimage: file={bios}\n\
         vgaromimage: file={vga_bios}\n\
         ata0-master: type=cdrom, path=boot.iso, status=inserted\n\
         boot: cdrom\n\
         com1: enabled=true, mode=file, dev=serial.txt\n\
         clock: sync=none, time0=local\n\
         panic: action=fatal\n\
         info: action=ignore\n\
         log: bochs.log\n",
        bios = bochs.bios.display(),
        vga_bios = bochs.vga_bios.display(),
    )
}

/// Init: runs each program with its arguments, and says where its output begins and how it ended.
fn init_script(guests: &[Guest], environment: &[(&str, &str)]) -> Result<String> {
    let mut script =
        String::from("#!/busybox sh\n/busybox mount -t proc proc /proc\nexport RUST_BACKTRACE=1 TMPDIR=/tmp\n");
    for (name, value) in environment {
        writeln!(script, "export {name}={}", quote(value)?)?;
    }
    for (number, guest) in guests.iter().enumerate() {
        write!(script, "echo {}\n/guest/{number}", quote(&format!("{BEGIN}{}", guest.name))?)?;
        for argument in &guest.arguments {
            write!(script, " {}", quote(argument.to_str().context("an argument is not UTF-8")?)?)?;
        }
        // On the console only: standard error is the console too. The blank line ends a line that a crash left open.
        writeln!(script, "\nstatus=$?; echo; echo \"{EXIT}$status\"")?;
    }
    // Power-off cuts what the serial line has not yet sent.
    script.push_str("/busybox sleep 3\n/busybox poweroff -f\n");
    Ok(script)
}

fn quote(word: &str) -> Result<String> {
    if word.contains('\'') {
        bail!("no apostrophe may be in an argument for the emulated machine: {word}");
    }
    Ok(format!("'{word}'"))
}

/// The fastest level: the emulated machine has to unpack it, and bytes cost it more than clever compression saves.
fn write_compressed(bytes: &[u8], to: &Path) -> Result<()> {
    let gzip = process::tool("gzip", "gzip")?;
    let file = std::fs::File::create(to).with_context(|| format!("cannot create {}", to.display()))?;
    let mut child =
        Command::new(gzip).arg("-6").stdin(Stdio::piped()).stdout(file).spawn().context("cannot start gzip")?;
    child.stdin.take().expect("the standard input is a pipe").write_all(bytes).context("cannot write to gzip")?;
    if !child.wait().context("cannot wait for gzip")?.success() {
        bail!("gzip failed");
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
