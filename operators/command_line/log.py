"""What a bake says on standard output: a sentence or a JSON object a line, and OpenJD's progress when asked.

Routine lines never hold the words by which farm managers tell a failed job ("Error:", "Exception:", "Warning").
"""

import json
from collections.abc import Callable
from typing import Any

from ..bridge.bake_status import duration

Event = dict[str, Any]
_ALARMS = {"Error:": "error -", "Exception:": "exception -", "Warning": "note", "WARNING": "NOTE"}


def logger(style: str, openjd: bool) -> Callable[[Event], None]:
    """Return what prints an event of the solver in the style "text", "json" or "quiet"."""
    write = {"text": _write_text, "json": _write_json, "quiet": _write_nothing}[style]

    def log(event: Event) -> None:
        write(event)
        if openjd:
            _write_openjd(event)

    return log


def calm(text: str) -> str:
    """Return a routine line without the words that end a job on a farm."""
    for alarm, word in _ALARMS.items():
        text = text.replace(alarm, word)
    return text


def _write_text(event: Event) -> None:
    kind = event["event"]
    if kind == "stage":
        _print(f"{event['stage']} {event.get('body', '')}".rstrip())
    elif kind == "meshed":
        _print(f"{event['body']}: {event['tets']} tets, smallest angle {event['minimum_dihedral']:.1f} degrees")
    elif kind == "frame":
        left = "" if event["eta"] is None else f", {duration(event['eta'])} left"
        _print(f"frame {event['frame']} of {event['first']} to {event['last']}, {event['seconds']:.2f} s{left}")
    elif kind == "warning":
        _print(f"note: {event['message']}")
    elif kind == "done":
        _print(f"done, {event['frames']} frames written")


def _write_json(event: Event) -> None:
    if event["event"] != "error":
        print(calm(json.dumps({**event, "event": "note" if event["event"] == "warning" else event["event"]})), flush=True)


def _write_nothing(event: Event) -> None:
    """Errors alone are printed, by the command itself."""


def _write_openjd(event: Event) -> None:
    if event["event"] == "frame":
        part = (event["frame"] - event["first"] + 1) / (event["last"] - event["first"] + 1)
        print(f"openjd_progress: {100 * part:.1f}", flush=True)
    elif event["event"] == "stage":
        print(calm(f"openjd_status: {event['stage']} {event.get('body', '')}".rstrip()), flush=True)


def _print(line: str) -> None:
    print(calm(f"dollop: {line}"), flush=True)
