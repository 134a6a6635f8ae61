"""How a bake is getting on, as plain values: what the panels and the command line show."""

import re
from dataclasses import dataclass, field
from typing import Any

from .bad_places import BadPlace, can_be_shown

_STAGES = {
    "reading": "Reading the scene",
    "tetrahedralizing": "Filling {body} with tets",
    "compiling": "Compiling (once, up to a minute)",
    "solving": "Simulating",
}

_FRAME = re.compile(r"\b[Ff]rame \d+\b")


@dataclass
class BakeStatus:
    """progress in [0, 1], frame numbers inclusive, eta in seconds or None while unknown.

    cache_note : where the frames are, while the artist would look for them elsewhere (folders.cache_folder)
    """

    running: bool = False
    stopping: bool = False
    stage: str = ""
    message: str = ""
    progress: float = 0.0
    frame: int = 0
    first: int = 0
    last: int = 0
    eta: float | None = None
    exit_code: int = 0
    warnings: list[str] = field(default_factory=list)
    cache_note: str = ""
    places: list[BadPlace] = field(default_factory=list)
    meshes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def remaining(self) -> str:
        """The estimated time left in words, or nothing."""
        return f"about {duration(self.eta)} left" if self.running and self.eta is not None else ""

    @property
    def notes(self) -> list[str]:
        """All that may surprise, a sentence each; what was said of several frames is said once."""
        return [*_said_once(self.warnings), *([self.cache_note] if self.cache_note else [])]

    @property
    def warning_text(self) -> str:
        """The notes, a line each."""
        return "\n".join(self.notes)

    @property
    def place_text(self) -> str:
        """The places that were named, a line each."""
        return "\n".join(str(place) for place in self.places)

    def take(self, event: dict[str, Any]) -> None:
        """Follow one event of the child process (docs/worker.md)."""
        kind = event["event"]
        if kind == "stage":
            self.stage = _STAGES.get(event["stage"], event["stage"]).format(body=event.get("body", "the body"))
        elif kind == "meshed":
            self.meshes[event["uid"]] = event
        elif kind == "frame":
            self.frame, self.first, self.last, self.eta = event["frame"], event["first"], event["last"], event["eta"]
            self.progress = (self.frame - self.first + 1) / max(1, self.last - self.first + 1)
            self.stage = f"Frame {self.frame} of {self.last}"
        elif kind == "warning":
            self.warnings.append(event["message"])
            place = BadPlace(event.get("body", ""), event.get("place", ""))
            if can_be_shown(place) and place not in self.places:
                self.places.append(place)
        elif kind == "error":
            self.message, self.exit_code = event["message"], event["exit_code"]
            place = BadPlace(event.get("body", ""), event.get("place", ""))
            if can_be_shown(place):
                self.places.insert(0, place)
        if self.stopping:
            self.stage = "Stopping"


_IDLE = BakeStatus()
_by_scene: dict[str, BakeStatus] = {}


def status_of(scene_uid: str) -> BakeStatus:
    """Return how the last bake of a scene is getting on, or has ended."""
    return _by_scene.get(scene_uid, _IDLE)


def keep_status(scene_uid: str, status: BakeStatus) -> None:
    """Remember a scene's status until its next bake or the end of the session; it is never saved, and undo never sees it.

    A scene without an identifier has nothing to do with Dollop, and all such scenes look alike.
    """
    if scene_uid:
        _by_scene[scene_uid] = status


def _said_once(sentences: list[str]) -> list[str]:
    """Return the sentences; of those that differ in the number of a frame alone the first, with the number of the others."""
    alike: dict[str, list[str]] = {}
    for sentence in sentences:
        alike.setdefault(_FRAME.sub("frame", sentence), []).append(sentence)
    return [_of_others(said[0], len(said) - 1) for said in alike.values()]


def _of_others(sentence: str, others: int) -> str:
    """Return the sentence as it is said of its frame and so many others."""
    return _FRAME.sub(rf"\g<0> and {others} more", sentence, count=1) if others else sentence


def duration(seconds: float) -> str:
    """Return a duration as an artist says it: 40 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
