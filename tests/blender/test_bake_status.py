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


def test_what_is_said_of_several_frames_is_said_once(extension):
    status = bridge("bake_status").BakeStatus(running=True)
    for number in (16, 19, 22):
        status.take({"event": "warning", "message": f"'Koala', frame {number}: it has become thinner than its tets."})
    status.take({"event": "warning", "message": "'Spot', frame 19: it has become thinner than its tets."})
    status.take({"event": "warning", "message": "'Koala' is open at 3 edges."})
    assert status.notes == [
        "'Koala', frame 16 and 2 more: it has become thinner than its tets.",
        "'Spot', frame 19: it has become thinner than its tets.",
        "'Koala' is open at 3 edges.",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_durations(extension, seconds, words):
    assert bridge("bake_status").duration(seconds) == words


def test_unknown_scene_is_idle(scene):
    assert not scene.dollop.is_baking and scene.dollop.progress == 0 and scene.dollop.message == ""
