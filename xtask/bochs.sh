#!/usr/bin/env bash
# Emulates an x86 machine with AVX-512. Uses Bochs and Debian's kernel. Debian's packages are
# unpacked, not installed, so this needs no root once the tools for the build are installed.
#
#     bash bochs.sh prepare                           builds and downloads everything, once
#     bash bochs.sh run CPU SECONDS PROGRAM ARGUMENT… boots a machine that runs a static program
#
# The program gets the variables SEALANE_…, and its output and exit status are those of `run`. It
# has to end after at most SECONDS.
set -euo pipefail
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sealane
PACKAGES=$CACHE/bochs-guest

# Debian bookworm's package is 2.7, which cannot run AVX-512 programs.
VERSION=3.0
# Without -g the build takes half the time.
BUILD="CFLAGS=-O2 CXXFLAGS=-O2 --enable-cpu-level=6 --enable-x86-64 --enable-avx --enable-evex --enable-fpu \
--enable-pci --enable-handlers-chaining --enable-repeat-speedups --enable-fast-function-calls --disable-docbook \
--with-nogui --disable-plugins"
# Other options give another emulator.
EMULATOR=$CACHE/bochs-$VERSION-$(sha256sum <<<"$BUILD" | cut -c 1-12)/bochs
SOURCE=bochs_3.0+dfsg.orig.tar.xz
SOURCE_SHA256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b
# The Debian release that has this source.
RELEASE=trixie
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# The options choose the serial console, restart after a panic, and save emulated instructions. None
# of them changes a program's results.
KERNEL_OPTIONS="console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 nokaslr mitigations=off \
random.trust_cpu=on cryptomgr.notests lsm= loglevel=3"

fail() {
    echo "$*" >&2
    exit 1
}

# needs PROGRAM PACKAGE
needs() {
    command -v "$1" >/dev/null || fail "\`$1\` is not installed. On Debian or Ubuntu: apt-get install $2"
}

# Prints the servers to try. Debian's own server comes last: the servers in this system's sources
# list may be nearer, or the only ones within reach.
mirrors() {
    { apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | sed -n 's/^Debian \(.*\/debian\)\/*$/\1/p'; } || true
    echo http://deb.debian.org/debian
}

# Fetches the source from a mirror, with a separate sources list, so that the system's list does not
# change.
fetch_source() {
    local options=(-qq -o Acquire::Retries=3 -o "Dir::Etc::sourcelist=$PWD/bochs.sources" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache")
    mkdir -p lists/partial cache/archives/partial
    printf '%s\n' 'Types: deb-src' "URIs: $1" "Suites: $RELEASE" 'Components: main' "Signed-By: $KEYRING" >bochs.sources
    # Without `--error-on=any`, apt only prints a warning if it cannot fetch a list.
    apt-get "${options[@]}" update --error-on=any && apt-get "${options[@]}" source --tar-only --download-only bochs
}

build_emulator() {
    local work=$CACHE/bochs-build-$$ mirror
    needs g++ g++
    needs make make
    needs xz xz-utils
    needs apt-get 'apt (a Debian or Ubuntu system is needed to fetch the source of Bochs)'
    [[ -f $KEYRING ]] || fail "$KEYRING is missing. On Debian or Ubuntu: apt-get install debian-archive-keyring"
    mkdir -p "$work" "${EMULATOR%/*}"
    cd "$work"
    for mirror in $(mirrors | uniq); do
        ! fetch_source "$mirror" || break
    done
    [[ -f $SOURCE ]] || fail "no mirror answers, or $RELEASE no longer has $SOURCE"
    sha256sum --check --quiet <<<"$SOURCE_SHA256  $SOURCE"
    tar -xf "$SOURCE"
    cd "bochs-$VERSION"
    echo "   building Bochs $VERSION (about four minutes, once; log in $work/build.log)"
    # The options are split into words on purpose.
    # shellcheck disable=SC2086
    ./configure $BUILD </dev/null >../build.log 2>&1
    make -j"$(nproc)" </dev/null >>../build.log 2>&1
    # Renames the file last, so that an interrupted copy is not mistaken for the emulator.
    cp bochs "$EMULATOR.$$"
    mv "$EMULATOR.$$" "$EMULATOR"
    rm -r "$work"
}

# unpack PACKAGE FOLDER
unpack() {
    echo "   fetching $1"
    rm -rf "$2"
    mkdir -p "$2/download"
    cd "$2/download"
    apt-get -qq download "$1" || fail "cannot download $1: run \`apt-get update\` first (as root)"
    for file in *.deb; do
        dpkg -x "$file" "$2"
    done
    rm -r "$2/download"
}

# Returns whether unpack has finished with this folder.
is_unpacked() {
    [[ -d $1 && ! -d $1/download ]]
}

prepare() {
    local package kernel
    [[ -f $EMULATOR ]] || build_emulator
    for package in busybox-static isolinux syslinux-common bochsbios vgabios; do
        is_unpacked "$PACKAGES/$package" || unpack "$package" "$PACKAGES/$package"
    done
    # Debian's newest kernel for virtual machines. It is small, and no modules are needed.
    if ! is_unpacked "$PACKAGES/kernel"; then
        kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
        [[ -n $kernel ]] || fail 'apt knows no kernel linux-image-cloud-amd64: run `apt-get update` first (as root), on Debian'
        unpack "$kernel" "$PACKAGES/kernel"
    fi
}

# image WORK CPU
image() {
    local busybox=$PACKAGES/busybox-static/bin/busybox
    needs xorriso xorriso
    cd "$1"
    mkdir -p iso root/dev root/proc root/tmp
    cp "$busybox" root/busybox
    chmod +x root/init
    # The kernel creates the device files, because creating them here would need root. The level of
    # compression is moderate, because the emulated machine has to read and unpack the image.
    (cd root && find . | "$busybox" cpio -o -H newc 2>/dev/null) | gzip -6 >iso/initrd.gz
    cp "$PACKAGES"/kernel/boot/vmlinuz-* iso/vmlinuz
    cp "$PACKAGES/isolinux/usr/lib/ISOLINUX/isolinux.bin" "$PACKAGES/syslinux-common/usr/lib/syslinux/modules/bios/ldlinux.c32" iso
    cat >iso/isolinux.cfg <<END
DEFAULT linux
PROMPT 0
TIMEOUT 0
LABEL linux
  KERNEL /vmlinuz
  APPEND initrd=/initrd.gz $KERNEL_OPTIONS
END
    xorriso -as mkisofs -quiet -o boot.iso -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table iso
    # `info` is ignored: Bochs writes such messages from a signal handler each second, and deadlocks
    # if the signal arrives while it writes another one.
    cat >bochsrc <<END
cpu: model=$2, count=1, ips=20000000, reset_on_triple_fault=0
memory: guest=512, host=512
display_library: nogui
romimage: file=$PACKAGES/bochsbios/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$PACKAGES/vgabios/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=boot.iso, status=inserted
boot: cdrom
com1: enabled=true, mode=file, dev=serial.txt
clock: sync=none, time0=local
panic: action=fatal
info: action=ignore
log: bochs.log
END
}

# The lines that the machine's init prints around the program's output.
BEGIN='sealane-guest: begin'
EXIT='sealane-guest: exit'

# run CPU SECONDS PROGRAM ARGUMENT…
run() {
    local cpu=$1 seconds=$2 program=$3 work name status=0
    shift 3
    needs strip binutils
    # Each run has a folder, so that runs at the same time do not collide. If the machine does not
    # come to its end, the folder is kept: the logs in it tell the reason.
    work=$(mktemp -d "$CACHE/bochs-run.XXXXXX")
    mkdir "$work/root"
    # Symbols are stripped, because copying them would only cost time in the emulated machine.
    strip -o "$work/root/program" "$program"
    {
        printf '#!/busybox sh\n/busybox mount -t proc proc /proc\n/busybox mount -t devtmpfs dev /dev\n'
        # The machine has one CPU.
        printf 'export RUST_BACKTRACE=1 RUST_TEST_THREADS=1 TMPDIR=/tmp\n'
        for name in "${!SEALANE_@}"; do
            printf 'export %s=%q\n' "$name" "${!name}"
        done
        printf 'echo "%s"\n/program' "$BEGIN"
        (($# == 0)) || printf ' %q' "$@"
        # The blank line ends a line that a crash left unfinished. Power-off loses bytes that the
        # serial line has not sent yet.
        printf '\nstatus=$?; echo; echo "%s $status"\n/busybox sleep 3\n/busybox poweroff -f\n' "$EXIT"
    } >"$work/root/init"
    (image "$work" "$cpu")
    (cd "$work" && timeout --foreground "$seconds" "$EMULATOR" -q -f bochsrc </dev/null >bochs.out 2>&1) || status=$?
    # The exit status of `timeout`. Other ones mean nothing: Bochs takes a guest's power-off for a
    # fatal error, and the marks on the serial line decide.
    ((status != 124)) || fail "Bochs did not finish in $seconds s; the logs are in $work"
    tr -d '\r' <"$work/serial.txt" | sed -n "/^$BEGIN\$/,\$p" | sed 1d >"$work/output.txt"
    status=$(sed -n "s/^$EXIT //p" "$work/output.txt")
    [[ $status ]] || fail "$program did not end; the logs are in $work"$'\n'"$(tail -n 30 "$work/serial.txt")"
    sed "/^$EXIT /,\$d" "$work/output.txt"
    rm -r "$work"
    exit "$status"
}

case ${1-} in
prepare) prepare ;;
run) run "${@:2}" ;;
*) fail "unknown command: ${1-}" ;;
esac
