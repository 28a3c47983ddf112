#!/bin/sh
# Stands in for `adb`: the device is this machine, with an environment of its own. As on old devices, `shell` loses the exit status.
# In $STAND_IN: `devices`, what is connected; `terminal`, if lines are to end as on a terminal; `emulator`, what runs programs;
# `log`, every call.
echo "$ANDROID_SERIAL: $*" >>"$STAND_IN/log"
case "$1" in
devices)
    echo 'List of devices attached'
    cat "$STAND_IN/devices"
    ;;
push)
    cp "$2" "$3" || exit 1
    if [ "${3##*/}" = program ] && [ -f "$STAND_IN/emulator" ]; then
        mv "$3" "$3.real"
        chmod 700 "$3.real"
        printf '#!/bin/sh\nexec %s "${0}.real" "$@"\n' "$(cat "$STAND_IN/emulator")" >"$3"
    fi
    ;;
shell)
    shift
    if [ -f "$STAND_IN/terminal" ]; then
        env -i PATH="$PATH" sh -c "$*" 2>&1 | sed 's/$/\r/'
    else
        env -i PATH="$PATH" sh -c "$*"
    fi
    exit 0
    ;;
*)
    echo "adb: unknown command $1" >&2
    exit 1
    ;;
esac
