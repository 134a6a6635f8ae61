"""The real Blender's window, driven from outside: the mouse by the X server, the eyes by state.json and screenshots."""

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from display import HEIGHT, WIDTH, Display
from installation import Installation

STEP = 15  # pixels between two places that are asked for their button; a button is about 20 high


@dataclass
class WindowSession:
    """One run of Blender with a window."""

    installation: Installation
    display: Display
    blend: Path
    number: int = 0
    last_offset: int = 0
    process: subprocess.Popen[str] | None = field(default=None)

    @property
    def folder(self) -> Path:
        return self.installation.folder / "window"

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        for leftover in self.folder.glob("*.json"):
            leftover.unlink()
        script = self.installation.folder / "steps" / "session.py"
        arguments = ["--window-geometry", "0", "0", str(WIDTH), str(HEIGHT), str(self.blend)]
        arguments += ["--python", str(script), "--", str(self.folder)]
        self.process = subprocess.Popen(
            self.installation.blender.start(arguments, self.installation.folder),
            env={**self.installation.environment, **self.display.environment},
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "log.txt").open("w"),
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.wait_for(lambda state: state["ready"], "the sidebar tab to be open", 120.0)

    def state(self) -> dict[str, Any]:
        """What the window said last."""
        path = self.folder / "state.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"ready": False, "answered": -1}

    def wait_for(self, arrived: Callable[[dict[str, Any]], bool], what: str, seconds: float) -> dict[str, Any]:
        """Wait until the state is as wished; fail with the last state and Blender's own words."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.state()
            if arrived(state):
                return state
            if self.process is not None and self.process.poll() is not None:
                break
            time.sleep(0.05)
        log = (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        self.display.screenshot(self.folder / "failed.png")
        raise AssertionError(
            f"Waited {seconds:.0f} s in vain for {what}.\nLast state: {self.state()}\nBlender said: {log[-2000:]}"
        )

    def ask(self, what: str) -> str:
        """Ask the session for something; return its answer."""
        self.number += 1
        unfinished = self.folder / "wanted.part"
        unfinished.write_text(json.dumps({"number": self.number, "what": what}), encoding="utf-8")
        unfinished.replace(self.folder / "wanted.json")
        if what == "quit":
            return ""
        return self.wait_for(lambda state: state["answered"] == self.number, f"an answer to '{what}'", 30.0)["answer"]

    def find_button(self, command: str, across: float = 0.33) -> None:
        """Put the mouse on the sidebar's button that runs the command: near the last one first, then scrolling down to it.

        across : part of the sidebar's width at which the button stands
        """
        if self._find_in_sight(command, across):
            return
        x, y, width, height = self.state()["sidebar"]
        for page in range(6):
            self.display.point(x + width // 3, y + height // 2)
            self.display.scroll(up=page == 0, clicks=20 if page == 0 else 6)
            time.sleep(0.3)
            if self._find_in_sight(command, across):
                return
        self.display.screenshot(self.folder / "failed.png")
        raise AssertionError(f"No button of the sidebar runs {command} (picture: {self.folder / 'failed.png'})")

    def _find_in_sight(self, command: str, across: float) -> bool:
        x, y, width, height = self.state()["sidebar"]
        for offset in sorted(range(STEP, height - STEP, STEP), key=lambda offset: abs(offset - self.last_offset)):
            self.display.point(x + int(across * width), y + height - offset)
            time.sleep(0.1)
            if self.ask("button").startswith(command):
                time.sleep(0.5)  # on a busy machine the sidebar may still be scrolling
                if self.ask("button").startswith(command):
                    self.last_offset = offset
                    return True
        return False

    def click_button(self, command: str, across: float = 0.33) -> None:
        self.find_button(command, across)
        self.display.click()

    def click_in_dialog(self, command: str, seconds: float = 30.0) -> None:
        """Click the button of the open file dialog that runs the command; Blender takes a while to draw it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            x, y, width, height = self.state()["dialog"]
            for along in range(width - STEP, 0, -STEP):
                self.display.point(x + along, y + height // 2)
                time.sleep(0.1)
                if self.ask("button").startswith(command):
                    self.display.click()
                    return
        self.display.screenshot(self.folder / "failed.png")
        raise AssertionError(f"No button of the file dialog runs {command} (picture: {self.folder / 'failed.png'})")

    def close(self) -> None:
        """End Blender, in good order when it still listens."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.ask("quit")
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=20)
        self.process = None
