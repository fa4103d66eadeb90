#!/bin/sh
# Start a Python script of this module for a host, and say in one status what it said.
#
#   pyrun.sh [--strict | observe | warn | block | closed] SCRIPT.py [WORDS ...]
#
# The first word is the clamp: what may come back to the host. Both hosts take status 2 for
# "block", and an interpreter that finds no script leaves with 2 as well, so nothing but what
# the clamp allows is passed on. Nothing that lies in the project is ever used to run the
# script: no interpreter, no virtual environment, no compiled code.
set -u

clamp=observe
case ${1-} in
    --strict | observe | warn | block | closed)
        clamp=$1
        shift
        ;;
esac

cannot() {
    case $clamp in
        closed)
            printf '%s\n' "pyrun: $1; this guard cannot judge and so blocks. To go on without it, switch its plugin off in the host (Claude Code: /plugin; a copy: take its hooks out of the host's settings)." >&2
            exit 2
            ;;
        --strict)
            printf '%s\n' "pyrun: $1" >&2
            exit 3
            ;;
        *)
            printf '%s\n' "pyrun: $1; not run" >&2
            exit 0
            ;;
    esac
}

# The real name of a folder, without a link in it.
real_folder() {
    (CDPATH='' cd -P -- "$1" 2>/dev/null && pwd -P)
}

# Is this real folder the other one, or below it? Files are compared, not names, so that
# letter case and the two ways of writing a path on Windows do not matter.
is_below() {
    walked=$1
    while [ -n "$walked" ]; do
        [ "$walked" -ef "$2" ] && return 0
        case $walked in
            */*) walked=${walked%/*} ;;
            *) return 1 ;;
        esac
    done
    return 1
}

[ $# -gt 0 ] || cannot 'no script was named'
script=$1
[ -f "$script" ] || cannot "the script is missing: $script"

# A project that is the whole disk holds every interpreter, and says nothing about them.
project=${CLAUDE_PROJECT_DIR:-$PWD}
[ -d "$project" ] || project=$PWD
[ "$project" -ef / ] && project=''

system=$(uname -s 2>/dev/null)
case $system in
    MINGW* | MSYS* | CYGWIN*) names='python python3' is_windows=yes ;;
    *) names='python3 python' is_windows='' ;;
esac

# Is this file an interpreter to use? Where it lies and where its links lead must both be
# outside of the project.
is_usable() {
    candidate=$1
    hops=0
    while :; do
        case $candidate in
            *DesktopAppInstaller* | */WindowsApps/*) return 1 ;;
        esac
        place=$(real_folder "${candidate%/*}/") || return 1
        case $place in
            *DesktopAppInstaller* | */WindowsApps) return 1 ;;
        esac
        [ -n "$project" ] && is_below "$place" "$project" && return 1
        [ -L "$candidate" ] || return 0
        hops=$((hops + 1))
        [ "$hops" -le 40 ] || return 1
        target=$(readlink "$candidate") || return 1
        case $target in
            /*) candidate=$target ;;
            *) candidate=$place/$target ;;
        esac
    done
}

python=''
find_python() {
    for name in $names; do
        rest=$PATH:
        while [ -n "$rest" ]; do
            folder=${rest%%:*}
            rest=${rest#*:}
            # A relative entry would be looked up wherever the agent happens to stand.
            case $folder in
                /*) ;;
                *) continue ;;
            esac
            for found in "$folder/$name" "$folder/$name.exe"; do
                if [ -f "$found" ] && [ -x "$found" ] && is_usable "$found"; then
                    python=$found
                    return 0
                fi
            done
        done
    done
    return 1
}
find_python || cannot 'no Python was found on PATH outside of the project'

# Compiled code has a folder of the user's own, or none at all.
cache=''
if [ -n "$is_windows" ]; then
    cache=${LOCALAPPDATA:-}
    [ -n "$cache" ] && cache=$cache/hpp/pycache
elif [ "$system" = Darwin ]; then
    cache=${HOME:-}
    [ -n "$cache" ] && cache=$cache/Library/Caches/hpp/pycache
else
    cache=${XDG_CACHE_HOME:-}
    case $cache in
        /*) ;;
        *) cache=${HOME:+$HOME/.cache} ;;
    esac
    [ -n "$cache" ] && cache=$cache/hpp/pycache
fi
is_private() {
    [ -n "$cache" ] || return 1
    if [ ! -d "$cache" ]; then
        # Nothing is made inside of a project, not even an empty folder.
        above=$cache
        while [ ! -d "$above" ]; do
            case $above in
                */*) above=${above%/*} ;;
                *) return 1 ;;
            esac
        done
        [ -n "$above" ] || return 1
        is_outside "$above" || return 1
        (umask 077 && mkdir -p -- "$cache") 2>/dev/null || return 1
    fi
    is_outside "$cache" || return 1
    [ -w "$cache" ] && { [ -n "$is_windows" ] || [ -O "$cache" ]; }
}
is_outside() {
    real=$(real_folder "$1") || return 1
    [ -n "$project" ] && is_below "$real" "$project" && return 1
    [ -n "$module" ] && is_below "$real" "$module" && return 1
    return 0
}
case $script in
    */*) module=$(real_folder "${script%/*}/..") ;;
    *) module=$(real_folder "./..") ;;
esac
if is_private; then
    "$python" -E -s -X "pycache_prefix=$cache" "$@"
else
    # Without this setting -B would still read what lies beside the sources.
    nowhere=/dev/null/none
    [ -z "$is_windows" ] || nowhere='NUL\none'
    "$python" -E -s -B -X "pycache_prefix=$nowhere" "$@"
fi
code=$?

case $clamp:$code in
    --strict:* | *:0 | warn:1 | block:2 | closed:2) exit "$code" ;;
    closed:*) given=2 ;;
    *) given=0 ;;
esac
printf '%s\n' "pyrun: $script left with $code; passed on as $given" >&2
exit "$given"
