"""Rise: off unless it is chosen, a rate of a body, keyed over time."""

import numpy as np
import pytest

from .reading import add_cube, make_body, read


def test_a_rate_is_read_where_it_is_chosen(scene):
    body = make_body(add_cube(size=2))
    assert read(scene).bodies[0].rise.tolist() == [0.0]
    body.dollop.rise_kind = "RATE"
    body.dollop.rise_rate = 0.75
    assert read(scene).bodies[0].rise.tolist() == [0.75]


def test_a_keyed_rate_is_read_at_every_frame(scene):
    body = make_body(add_cube(size=2))
    body.dollop.rise_kind = "RATE"
    scene.frame_start, scene.frame_end = 3, 11
    for value, frame in ((0.0, 3), (1.0, 11)):
        body.dollop.rise_rate = value
        body.dollop.keyframe_insert("rise_rate", frame=frame)
    keys = read(scene).bodies[0].rise
    assert keys.shape == (9,) and keys[0] == 0.0 and keys[8] == pytest.approx(1.0)
    assert (np.diff(keys) > 0.0).all()
    body.dollop.rise_kind = "NONE"
    assert not read(scene).bodies[0].rise.any()
