"""Frames whose numbers are known, for the tests of the store and for the processes that they kill."""

from pathlib import Path
from typing import Any

import numpy as np

from solver.cache import versions
from solver.frame import BodyFrame, Frame

BODY = "3f2a"


def manifest(last: int = 10, **more: Any) -> dict[str, Any]:
    bodies = [{"uid": BODY, "name": "Bun/☃ \\ ..", "vertices": 5}]
    return {
        "frames_per_second": 24.0,
        "frame_start": 1,
        "frame_end": last,
        "bodies": bodies,
        "versions": versions("0.1.0", "5.0.1"),
        "scene_hash": "abc",
        **more,
    }


def frame(number: int, count: int = 5, topology: int = 0) -> Frame:
    random = np.random.default_rng(abs(number))
    attributes = {
        "velocity": random.random((count, 3), np.float32),
        "plastic_strain": random.random(count, np.float32),
        "odd name/☃": random.random(count, np.float32),
    }
    positions = random.random((count, 3), np.float32)
    body = BodyFrame(BODY, np.array([1e4, 2.0, 3.0]), positions, attributes, topology)
    return Frame(number, (body,), {"seconds": 0.5, "substeps": float(np.float64(4))}, ("It flows.",))


def same(actual: BodyFrame, expected: BodyFrame) -> None:
    assert (actual.uid, actual.topology) == (expected.uid, expected.topology)
    assert actual.origin.dtype == np.float64 and (actual.origin == expected.origin).all()
    assert actual.positions.dtype == np.float32 and (actual.positions == expected.positions).all()
    assert actual.attributes.keys() == expected.attributes.keys()
    for name, values in expected.attributes.items():
        assert actual.attributes[name].dtype == np.float32 and (actual.attributes[name] == values).all()


def files(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())
