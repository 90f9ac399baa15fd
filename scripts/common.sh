# Read by the other scripts (". scripts/common.sh"): where the project lies, messages, quiet steps.
# shellcheck shell=sh

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build

# Debian keeps sgdisk and fsck.fat where an ordinary user's PATH does not look.
PATH=$PATH:/usr/sbin:/sbin
export PATH

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The comment at the top of the script that was called is its help text.
show_help() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
}

# Runs a command; shows what it printed only if it fails.
quietly() {
    mkdir -p "$build/log"
    quiet_log=$(mktemp "$build/log/step.XXXXXX") || return 1
    quiet_status=0
    "$@" >"$quiet_log" 2>&1 </dev/null || quiet_status=$?
    if [ "$quiet_status" -ne 0 ]; then
        cat "$quiet_log"
        say "failed with status $quiet_status: $*"
    fi
    rm -f "$quiet_log"
    return "$quiet_status"
}

# The words of a closing line "N passed, N failed[, N skipped]" in the file $1, as "N N N".
read_counts() {
    sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p' "$1" |
        tail -n 1 | awk '{ print $1, $2, $3 + 0 }'
}

# Waits until no other emulated machine of this tree runs: what they measure is time. The turn ends
# with the script; programs in the background must not inherit it (9>&-).
take_turn() {
    mkdir -p "$build"
    exec 9>"$build/lab.lock"
    flock -n 9 || {
        say "waiting for another emulated machine to end"
        flock 9
    }
}
