//! The bootable image: a kernel, and a first file system whose init runs the programs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{BEGIN, Bochs, EXIT, Guest};
use crate::process;

/// `mitigations=off` and the others save emulated instructions. None of them changes a program's
/// results.
const KERNEL_LINE: &str = "initrd=/initrd.gz console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 nokaslr \
                           mitigations=off random.trust_cpu=on cryptomgr.notests lsm= loglevel=3";

/// Writes `boot.iso` into `work`.
pub(super) fn build(bochs: &Bochs, work: &Path, guests: &[Guest], environment: &[(&str, &str)]) -> Result<()> {
    let xorriso = process::tool("xorriso", "xorriso")?;
    let strip = process::tool("strip", "binutils")?;
    let content = work.join("iso");
    std::fs::create_dir_all(&content).context("cannot create a folder for the image")?;

    let root = work.join("root");
    for folder in ["dev", "proc", "tmp", "guest"] {
        std::fs::create_dir_all(root.join(folder)).context("cannot create a folder for the first file system")?;
    }
    copy(&bochs.busybox, &root.join("busybox"))?;
    write_program(&root.join("init"), &init_script(guests, environment)?)?;
    for (number, guest) in guests.iter().enumerate() {
        // Copying symbols would only cost the emulated machine time.
        let program = root.join(format!("guest/{number}"));
        process::run(Command::new(&strip).arg("-o").arg(program).arg(&guest.program))?;
    }
    // The kernel creates the device files, because creating them here would need root. The level of
    // compression is moderate, because the emulated machine has to read and unpack the image.
    let pack = "find . | \"$0\" cpio -o -H newc | gzip -6 > \"$1\"";
    let initrd = content.join("initrd.gz");
    process::run(Command::new("sh").args(["-c", pack]).arg(&bochs.busybox).arg(initrd).current_dir(&root))?;

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

/// The machine's configuration. `info` is ignored: Bochs writes such messages from a signal handler
/// each second, and deadlocks if the signal arrives while it writes another one.
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

/// Init runs each program with its arguments, and prints marks at the start of its output and at
/// its end, with the exit status.
fn init_script(guests: &[Guest], environment: &[(&str, &str)]) -> Result<String> {
    let mut script = String::from(
        "#!/busybox sh\n/busybox mount -t proc proc /proc\n/busybox mount -t devtmpfs dev /dev\nexport RUST_BACKTRACE=1 TMPDIR=/tmp\n",
    );
    for (name, value) in environment {
        writeln!(script, "export {name}={}", quote(value)?)?;
    }
    for (number, guest) in guests.iter().enumerate() {
        write!(script, "echo {}\n/guest/{number}", quote(&format!("{BEGIN}{}", guest.name))?)?;
        for argument in &guest.arguments {
            write!(script, " {}", quote(argument.to_str().context("an argument is not UTF-8")?)?)?;
        }
        // The mark goes to the console only, because standard error is the console too. The blank
        // line ends a line that a crash left unfinished.
        writeln!(script, "\nstatus=$?; echo; echo \"{EXIT}$status\"")?;
    }
    // Power-off loses bytes that the serial line has not sent yet.
    script.push_str("/busybox sleep 3\n/busybox poweroff -f\n");
    Ok(script)
}

fn quote(word: &str) -> Result<String> {
    if word.contains('\'') {
        bail!("no apostrophe may be in an argument for the emulated machine: {word}");
    }
    Ok(format!("'{word}'"))
}

fn write_program(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let written = std::fs::write(path, text);
    let executable = std::fs::Permissions::from_mode(0o755);
    written.and_then(|()| std::fs::set_permissions(path, executable)).context("cannot write the init")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
