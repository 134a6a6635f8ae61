"""Frames of bodies that merge, in which a few faces pass through others: apart in what is shown, and nowhere else."""

from dataclasses import replace

import numpy as np

from solver.frame import BodyFrame
from solver.merging.drawn_apart import MOST, drawn_apart
from solver.surface import Surface

from .shapes import crossings, folded_over, started


def frame_of(seen: Surface, origin: float = 0.0) -> BodyFrame:
    place = np.full(3, origin)
    return BodyFrame("ball", place, (seen.positions - place).astype(np.float32), {"stress": np.zeros(0, np.float32)}, 3)


def shown(frame: BodyFrame, triangles: np.ndarray) -> Surface:
    return Surface(frame.positions.astype(np.float64) + frame.origin, triangles)


def test_faces_that_pass_through_others_are_shown_apart():
    seen, _ = folded_over(2.2)
    frame = frame_of(seen)
    size = 3.0  # of an element: a vertex may be moved by a tenth of it
    (apart,) = drawn_apart([frame], [seen.triangles], [size], [2])
    assert crossings(shown(frame, seen.triangles)) > 0 and crossings(shown(apart, seen.triangles)) == 0
    away = np.sqrt(((apart.positions - frame.positions) ** 2).sum(axis=1))
    assert 0 < np.count_nonzero(away) < 12 and away.max() <= MOST * size
    assert (apart.topology, apart.uid, apart.attributes) == (frame.topology, frame.uid, frame.attributes)


def test_what_would_jump_or_is_known_to_be_whole_is_shown_as_it_is():
    seen, _ = folded_over(2.2)
    frame = frame_of(seen)
    assert drawn_apart([frame], [seen.triangles], [0.01], [2]) == (frame,)
    assert drawn_apart([frame], [seen.triangles], [3.0], [0]) == (frame,)


def test_nothing_passes_through_in_single_precision_either():
    """Faces of a millionth of their coordinates, which rounding moves by more than what parts them."""
    seen, _ = folded_over(2.2)
    small = Surface(1e-4 * seen.positions + [100.0, 0.0, 0.0], seen.triangles)
    frame = frame_of(small)
    (apart,) = drawn_apart([frame], [seen.triangles], [3e-4], [2])
    assert apart is frame or crossings(shown(apart, seen.triangles)) == 0


def test_a_simulation_shows_them_apart_and_goes_on_the_same(two, prepared, monkeypatch):
    """Its first frame is given a vertex that is drawn past others."""
    plain, folding = started(two, prepared), started(two, prepared)
    given, triangles = folding.output.frame, folding.present.triangles[0]

    def folded(moment):
        first, *others = given(moment)
        seen, _ = folded_over(2.2, Surface(first.positions.astype(np.float64), triangles))
        return replace(first, positions=seen.positions.astype(np.float32)), *others

    with monkeypatch.context() as first_frame:
        first_frame.setattr(folding.output, "frame", folded)
        first_frame.setattr(folding.remeshing, "creases", np.array([2, 0]))
        first_frame.setattr(folding.remeshing, "sizes", [1.0, 1.0])
        had, has = plain.advance().bodies[0], folding.advance().bodies[0]
    assert crossings(shown(has, triangles)) == 0 and (had.positions != has.positions).any()
    had, has = plain.advance().bodies[0], folding.advance().bodies[0]
    np.testing.assert_array_equal(had.positions, has.positions)
