#!/usr/bin/env bash
# Checks the promises of docs/phones.md without an NDK, for `cargo xtask phones`, which sets cargo's
# variables for the targets, and puts android-runner into PATH. FOLDER is empty.
#
#     phones.sh check             type-checks the command and all libraries for Android
#     phones.sh alignment FOLDER  links shared objects, whose segments must be aligned to 16 KiB
#     phones.sh device FOLDER     runs static AArch64 programs for $TARGET: by cargo and the runner,
#                                 and by `adb` alone. adb.sh stands in for `adb`, and qemu for the
#                                 device
set -euo pipefail
ROOT=$PWD
# The settings that docs/phones.md tells users to copy.
CARGO=(cargo --config "$ROOT/tools/android-runner/config.toml")

fail() {
    echo "$*" >&2
    exit 1
}

check() {
    # One run for all targets builds the code for this machine only once.
    "${CARGO[@]}" check --package sealane-cli --target aarch64-linux-android --target armv7-linux-androideabi \
        --target i686-linux-android --target x86_64-linux-android
}

# The crate needs no operating system, so it needs no library of the NDK. Only devices with 64 bits
# may have pages of 16 KiB.
alignment() {
    local architecture target
    cd "$1"
    cat >Cargo.toml <<END
[package]
name = 'probe'
edition = '2024'
[lib]
crate-type = ['cdylib']
path = 'lib.rs'
[profile.dev]
panic = 'abort'
[workspace]
END
    cat >lib.rs <<END
#![no_std]
static mut COUNT: u32 = 1;
#[unsafe(no_mangle)]
pub extern "C" fn count() -> *mut u32 { &raw mut COUNT }
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
END
    for architecture in aarch64 x86_64; do
        target=$architecture-linux-android
        # A compiler replaces the NDK's linker. The flags are added to those of the settings.
        "${CARGO[@]}" --config "target.$target.linker = '$architecture-linux-gnu-gcc'" \
            --config "target.$target.rustflags = ['-C', 'link-arg=-nostdlib']" \
            build --target "$target" --target-dir target --offline
        # One segment for code, and one for writable data. The alignment is the last column.
        readelf --segments --wide "target/$target/debug/libprobe.so" >segments
        awk '$1 == "LOAD" { count++; if ($NF != "0x4000") wrong = 1 } END { exit wrong || count < 2 }' segments ||
            fail "shared objects for $target are not aligned to 16 KiB: $(<segments)"
        echo "   shared objects for $target are aligned to 16 KiB"
    done
}

# Programs were pushed and run since the last check, and nothing is left of them.
was_used() {
    grep -q ': push ' "$DEVICE/log" && grep -q ': shell exec sh ' "$DEVICE/log" || fail "adb was not called as expected: $(<"$DEVICE/log")"
    rm "$DEVICE/log"
    [[ -z "$(ls -A "$DEVICE/tmp")" ]] || fail "something is left on the device: $(ls -A "$DEVICE/tmp")"
}

sealane() {
    "${CARGO[@]}" run --quiet "${BUILD[@]}" --package sealane-cli -- "$@" </dev/null
}

on_device() {
    "$ADB" shell "cd '$DEVICE' && $*"
}

device() {
    local recipient status=0
    DEVICE=$1 BUILD=(--release --target "$TARGET")
    export ADB=$ROOT/tools/android-runner/tests/adb.sh STAND_IN=$DEVICE ANDROID_RUNNER_DIR=$DEVICE/tmp
    unset ANDROID_SERIAL SEALANE_BACKEND
    mkdir "$DEVICE/tmp"
    printf 'emulator-5554\tdevice\n' >"$DEVICE/devices"
    command -v qemu-aarch64 >"$DEVICE/emulator"

    echo '== cargo test, by the runner'
    "${CARGO[@]}" test "${BUILD[@]}" --package sealane-simd --lib </dev/null >"$DEVICE/tests"
    grep -q '^test result: ok. [1-9]' "$DEVICE/tests" || fail "no test ran: $(<"$DEVICE/tests")"
    was_used

    echo '== the command, by cargo run and the runner'
    "${CARGO[@]}" build "${BUILD[@]}" --package sealane-cli
    sealane cpu --json >"$DEVICE/cpu"
    grep -q '"architecture": *"aarch64"' "$DEVICE/cpu" || fail "not on AArch64: $(<"$DEVICE/cpu")"
    was_used
    sealane bench --time-per-cell 1 --sizes 64,1KiB --filter chacha20 --html - >"$DEVICE/bench"
    grep -q '<svg' "$DEVICE/bench" && grep -q neon "$DEVICE/bench" || fail "sealane bench failed: $(<"$DEVICE/bench")"
    was_used
    sealane decrypt -i 'no such file' 2>"$DEVICE/error" || status=$?
    [[ $status == 1 ]] && grep -q 'no such file' "$DEVICE/error" || fail "the command does not fail as on this machine: $status, $(<"$DEVICE/error")"
    was_used
    echo '   cpu and bench ran, and a failure came back'

    echo '== the command, by adb alone'
    "$ADB" push "${CARGO_TARGET_DIR:-target}/$TARGET/release/sealane" "$DEVICE/sealane"
    "$ADB" push README.md "$DEVICE/plain"
    recipient=$(on_device './sealane keygen -o key >&2; cat key' | sed -n 's/^# public key: //p')
    on_device "./sealane -r $recipient -o sealed plain && ./sealane -d -i key sealed" | cmp - README.md
    [[ "$(head -n 1 "$DEVICE/sealed")" == age-encryption.org/v1 ]] || fail 'the file is not sealed'
    echo '   a file was sealed, and opened again'
}

"$@"
