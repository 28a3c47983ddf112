# Functions that scripts share. `source` it.

# retry COMMAND…: runs a command that needs the network, at most three times. COMMAND can be a
# function. `set -e` has no effect in it, so it joins its commands with `&&`.
retry() {
    local attempt
    for attempt in 1 2 3; do
        "$@" && return
        echo "attempt $attempt failed: $*" >&2
        ((attempt == 3)) || sleep $((attempt * 5))
    done
    return 1
}
