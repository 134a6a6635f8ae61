"""A virtual screen with a mouse: Xvfb, xdotool, and ImageMagick for pictures of it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 640, 480  # Blender's smallest: without a graphics card a large window takes longer to draw than all else


@dataclass(frozen=True)
class Display:
    """One running X server."""

    name: str

    @property
    def environment(self) -> dict[str, str]:
        """For programs that open a window on it, drawn without a graphics card."""
        # No threads of its own: what the window's thread waits for has to be seen as its own time
        drawing = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "LP_NUM_THREADS": "0"}
        return {**os.environ, "DISPLAY": self.name, **drawing}

    def _mouse(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.environment, check=True, timeout=30)

    def point(self, x: int, y: int) -> None:
        """Move the mouse, y counted upwards as Blender does."""
        self._mouse("mousemove", str(x), str(HEIGHT - y))

    def click(self) -> None:
        self._mouse("click", "1")

    def scroll(self, up: bool, clicks: int) -> None:
        self._mouse("click", "--repeat", str(clicks), "4" if up else "5")

    def press(self, key: str) -> None:
        self._mouse("key", key)

    def screenshot(self, path: Path) -> Path:
        subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=True, timeout=60)
        return path


def contrast(picture: Path, region: tuple[int, int, int, int] | None = None) -> float:
    """Standard deviation of the brightness, 0 to 1, of a picture or a region (x, y upwards, width, height) of it."""
    crop = []
    if region:
        x, y, width, height = region
        crop = ["-crop", f"{width}x{height}+{x}+{HEIGHT - y - height}", "+repage"]
    command = ["convert", str(picture), *crop, "-colorspace", "Gray", "-format", "%[fx:standard_deviation]", "info:"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


@contextmanager
def virtual_display() -> Iterator[Display]:
    """Start an X server on a free number; it ends with the block."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()
        yield Display(f":{number}")
    finally:
        server.terminate()
        server.wait(timeout=20)
