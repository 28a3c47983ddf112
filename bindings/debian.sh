# Fetches test suites from Debian, which are not stored here. `source` it.

# shellcheck source=../xtask/shell.sh
source "$(dirname "${BASH_SOURCE[0]}")/../xtask/shell.sh"

# begin FOLDER: changes to a new folder, which `finish` names FOLDER. Ends the script if FOLDER is
# complete, and fails if FOLDER has other files.
begin() {
    folder=$(realpath --canonicalize-missing -- "$1")
    if [[ -f $folder/complete ]]; then
        exit
    fi
    if [[ -n $(ls -A -- "$folder" 2>/dev/null) ]]; then
        printf '%q has other files: name a new folder\n' "$folder" >&2
        exit 1
    fi
    mkdir -p -- "$(dirname -- "$folder")"
    part=$(mktemp -d -- "$folder.XXXXXX")
    trap 'rm -rf -- "$part"' EXIT
    cd -- "$part"
}

finish() {
    touch complete
    chmod 755 .
    mv --no-target-directory -- "$part" "$folder"
}

# debian source PACKAGE…, debian download PACKAGE:ARCHITECTURE: downloads packages to the working
# directory. apt checks them against Debian's signatures. The lists of packages of the system are
# not touched.
debian() {
    local -r command=$1 apt=$part/apt
    shift
    local kind=deb
    # The release of which the tests are known.
    local -r codename=bookworm
    local options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o Acquire::Retries=3
        -o APT::Sandbox::User=root)
    if [[ $command == source ]]; then
        kind=deb-src
        set -- --download-only "$@"
    else
        options+=(-o "APT::Architectures=${1#*:}")
    fi
    mkdir -p "$apt"/{lists/partial,cache}
    echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $codename main" >"$apt/sources.list"
    retry download "$@" || return
    rm -rf "$apt"
}

# Downloads the lists of packages and the packages, with the variables of `debian`.
download() {
    # Without `--error-on=any`, apt only prints a warning if it cannot fetch a list.
    apt-get "${options[@]}" update --error-on=any && apt-get "${options[@]}" "$command" "$@"
}
