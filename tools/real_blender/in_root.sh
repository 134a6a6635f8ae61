#!/usr/bin/env bash
# usage: in_root.sh ROOT [FOLDER...] -- COMMAND [ARGUMENT...]
#
# Runs COMMAND inside ROOT, where each FOLDER appears at its own path. The mounts live in a namespace of their own and are
# gone with the command, whichever way it ends. The X server's socket folder comes along, so windows open outside.
set -euo pipefail
export DOLLOP_ROOT=$1
shift
folders=()
while [ "$1" != -- ]; do
    folders+=("$(realpath "$1")")
    shift
done
shift
DOLLOP_FOLDERS=$(printf '%s\n' "${folders[@]}")
export DOLLOP_FOLDERS

exec unshare --mount bash -euc '
    bring() { mkdir -p "$DOLLOP_ROOT$1"; mount "$2" "$1" "$DOLLOP_ROOT$1"; }
    mkdir -p "$DOLLOP_ROOT/proc"; mount -t proc proc "$DOLLOP_ROOT/proc"
    bring /dev --rbind
    bring /sys --rbind
    if [ -d /tmp/.X11-unix ]; then bring /tmp/.X11-unix --bind; fi
    while IFS= read -r folder; do
        if [ -n "$folder" ]; then bring "$folder" --bind; fi
    done <<<"$DOLLOP_FOLDERS"
    exec chroot "$DOLLOP_ROOT" /usr/bin/env -u DOLLOP_ROOT -u DOLLOP_FOLDERS "$@"
' in_root "$@"
