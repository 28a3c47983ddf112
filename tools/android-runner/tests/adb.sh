#!/bin/sh
# Replaces `adb` in tests. The device is this machine, with a separate environment. As on old
# devices, `shell` loses the exit status. Files in $STAND_IN: `devices`, the connected devices;
# `emulator`, the program that runs ELF programs; `terminal`, if lines end as on a terminal; `slow`,
# the name of the file whose push does not end; `pushing`, which is created when that push starts;
# `full`, if the device's disk is full; `gone`, if the device was disconnected; `log`, every call.
echo "$ANDROID_SERIAL: $*" >>"$STAND_IN/log"
if [ "$1" != devices ]; then
    if [ -z "$ANDROID_SERIAL" ] && [ "$(wc -l <"$STAND_IN/devices")" -gt 1 ]; then
        echo 'adb: more than one device/emulator' >&2
        exit 1
    fi
    if [ -f "$STAND_IN/gone" ]; then
        echo "adb: device '$ANDROID_SERIAL' not found" >&2
        exit 1
    fi
fi
case "$1" in
devices)
    echo 'List of devices attached'
    cat "$STAND_IN/devices"
    ;;
push)
    if [ -f "$STAND_IN/full" ]; then
        echo "adb: error: failed to copy '$2' to '$3': remote No space left on device" >&2
        exit 1
    fi
    if [ "${3##*/}" = "$(cat "$STAND_IN/slow" 2>/dev/null)" ]; then
        : >"$STAND_IN/pushing"
        exec sleep 600
    fi
    cp "$2" "$3" || exit 1
    if [ -f "$STAND_IN/emulator" ] && [ "$(head -c 4 "$2" | tail -c 3)" = ELF ]; then
        mv "$3" "$3.real"
        chmod 700 "$3.real"
        printf '#!/bin/sh\nexec %s "${0}.real" "$@"\n' "$(cat "$STAND_IN/emulator")" >"$3"
        chmod 700 "$3"
    fi
    ;;
shell)
    shift
    # As on a device, the shell is the leader of a process group.
    if [ -f "$STAND_IN/terminal" ]; then
        setsid --wait env -i PATH="$PATH" sh -c "$*" 2>&1 | sed 's/$/\r/'
    else
        setsid --wait env -i PATH="$PATH" sh -c "$*"
    fi
    exit 0
    ;;
*)
    echo "adb: unknown command $1" >&2
    exit 1
    ;;
esac
