#!/usr/bin/env bash
# usage: make_root.sh SUITE FOLDER
#
# Makes FOLDER a small Debian of its own that holds Debian's build of Blender: SUITE sid has 5.2 LTS on Python 3.14.
# Needs root and debootstrap; takes about 150 s and 1.2 GB. Does nothing when the folder is complete, goes on when it is not.
set -euo pipefail
suite=$1 folder=$2

if [ -x "$folder/usr/bin/blender" ] && chroot "$folder" python3 -c "import numpy, cattr" 2>/dev/null; then
    exit 0
fi

# The same mirror as this machine's own packages come from, in either notation of apt's sources.
mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
    awk '$1 == "URIs:" { print $2; exit } $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }')
[ -n "$mirror" ] || { echo "No package mirror in this machine's apt sources." >&2; exit 1; }

if [ ! -e "$folder/usr/bin/apt-get" ]; then
    mkdir -p "$folder"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$folder" "$mirror"
fi

# Services must not start inside; documentation and translations are not needed; a root that is made anew needs no syncs.
printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
chmod 755 "$folder/usr/sbin/policy-rc.d"
printf 'path-exclude /usr/share/%s/*\n' doc man locale >"$folder/etc/dpkg/dpkg.cfg.d/lean"
echo 'force-unsafe-io' >"$folder/etc/dpkg/dpkg.cfg.d/fast"
# A mirror may serve an index that is past its date; its signature still has to hold.
echo 'Acquire::Check-Valid-Until "false";' >"$folder/etc/apt/apt.conf.d/90dated-index"

chroot "$folder" apt-get update
# Debian only recommends numpy and cattr, yet Blender's extensions do not start without them; libgl1 is for the window.
DEBIAN_FRONTEND=noninteractive chroot "$folder" apt-get install -y --no-install-recommends \
    blender python3-numpy python3-cattr python3-requests python3-zstandard libgl1 libegl1 libgl1-mesa-dri
chroot "$folder" apt-get clean
