"""How a bake's progress reads."""

import pytest

from .reading import bridge


def test_follows_the_events(extension):
    status = bridge("bake_status").BakeStatus(running=True)
    status.take({"event": "stage", "stage": "tetrahedralizing", "body": "Suzanne"})
    assert status.stage == "Filling Suzanne with tets" and status.remaining == ""
    status.take({"event": "frame", "frame": 1, "first": 1, "last": 96, "seconds": 0.1, "eta": None, "statistics": {}})
    assert status.remaining == ""
    status.take({"event": "frame", "frame": 24, "first": 1, "last": 96, "seconds": 0.8, "eta": 200.4, "statistics": {}})
    assert status.progress == 0.25 and status.stage == "Frame 24 of 96" and status.remaining == "about 3 min 20 s left"
    status.take({"event": "error", "message": "The step failed.", "exit_code": 5})
    assert status.message == "The step failed." and status.exit_code == 5


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_durations(extension, seconds, words):
    assert bridge("bake_status").duration(seconds) == words


def test_unknown_scene_is_idle(scene):
    assert not scene.dollop.is_baking and scene.dollop.progress == 0 and scene.dollop.message == ""
