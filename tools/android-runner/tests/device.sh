#!/usr/bin/env bash
# Runs static AArch64 programs as docs/phones.md says: by cargo and the runner, and by `adb` alone.
# adb.sh stands in for `adb`, and qemu for the device. `cargo xtask phones` sets cargo's variables for
# the target, and calls: device.sh TARGET FOLDER, with an empty folder for the device, and with
# android-runner in PATH.
set -euo pipefail
TARGET=$1 DEVICE=$2
ADB=$PWD/tools/android-runner/tests/adb.sh
CARGO=(cargo --config tools/android-runner/config.toml)
BUILD=(--release --target "$TARGET")
export ADB STAND_IN=$DEVICE ANDROID_RUNNER_DIR=$DEVICE/tmp
unset ANDROID_SERIAL SEALANE_BACKEND

fail() {
    echo "$*" >&2
    exit 1
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
status=0
sealane decrypt -i 'no such file' 2>"$DEVICE/error" || status=$?
[[ $status == 1 ]] && grep -q 'no such file' "$DEVICE/error" || fail "not as it fails here: $status, $(<"$DEVICE/error")"
was_used
echo '   cpu and bench ran, and a failure came back'

echo '== the command, by adb alone'
on_device() {
    "$ADB" shell "cd '$DEVICE' && $*"
}
"$ADB" push "${CARGO_TARGET_DIR:-target}/$TARGET/release/sealane" "$DEVICE/sealane"
"$ADB" push README.md "$DEVICE/plain"
recipient=$(on_device './sealane keygen -o key >&2; cat key' | sed -n 's/^# public key: //p')
on_device "./sealane -r $recipient -o sealed plain && ./sealane -d -i key sealed" | cmp - README.md
[[ "$(head -n 1 "$DEVICE/sealed")" == age-encryption.org/v1 ]] || fail 'the file is not sealed'
echo '   a file was sealed, and opened again'
