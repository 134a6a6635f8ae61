"""The system's own libraries and programs: found, named when absent, installed on Debian as root."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

from failure import SetUpError

# What bpy links against beyond a bare system: shared object -> Debian package.
BPY_LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXext.so.6": "libxext6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libGL.so.1": "libgl1",
}
ROOT_PROGRAMS = {"debootstrap": "debootstrap"}
WINDOW_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick"}

_index_is_fresh = False


def can_install() -> bool:
    """Debian (or a child of it), as root."""
    return Path("/etc/debian_version").exists() and os.geteuid() == 0


def apt_install(packages: list[str]) -> None:
    """Install Debian packages without a question."""
    global _index_is_fresh
    if not _index_is_fresh:
        subprocess.run(["apt-get", "update", "-q"], check=True, stdout=subprocess.DEVNULL)
        _index_is_fresh = True
    print(f"Installing {' '.join(packages)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def _library_loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def ensure_bpy_libraries() -> None:
    """Raise SetUpError naming the libraries that bpy needs and this system lacks, unless they could be installed."""
    if not sys.platform.startswith("linux"):
        return
    missing = {name: package for name, package in BPY_LIBRARIES.items() if not _library_loads(name)}
    if not missing:
        return
    packages = list(missing.values())
    if not can_install():
        raise SetUpError(
            f"Blender needs the system libraries {', '.join(missing)}: "
            f"install {' '.join(packages)} (Debian's names) and run again."
        )
    apt_install(packages)


def ensure_programs(programs: dict[str, str]) -> list[str]:
    """Return the programs that are absent and could not be installed."""
    missing = {name: package for name, package in programs.items() if shutil.which(name) is None}
    if missing and can_install():
        apt_install(list(missing.values()))
        missing = {name: package for name, package in programs.items() if shutil.which(name) is None}
    return list(missing)
