"""What of new meshes is made to look whether they may be taken is not made again when they are."""

from dataclasses import replace

import numpy as np

from solver.remesh import exchange
from solver.topology import remembering
from solver.topology.consumer import Ready

from .shapes import landing, started


def _places(run, frames):
    """What is seen at each of some frames (frames, k, 3), with new tets for both bodies at the start of every fourth."""
    seen, due = [], []
    run.remeshing.due = lambda *_: due.pop() if due else []
    for frame in range(frames):
        due[:] = [[0, 1]] if frame % 4 == 3 else []
        shown = run.advance()
        assert shown.statistics["remeshes"] == (2 if frame % 4 == 3 else 0)
        seen.append(np.concatenate([body.positions + body.origin for body in shown.bodies]))
    return np.array(seen)


def test_contact_is_built_once_a_remesh_and_is_as_if_built_anew(monkeypatch):
    scene = landing(12)
    scene = replace(scene, bodies=tuple(replace(body, pins=()) for body in scene.bodies))
    built = []
    for module in (exchange, remembering):

        def build(*arguments, make=module.touching_bodies):
            built.append(1)
            return make(*arguments)

        monkeypatch.setattr(module, "touching_bodies", build)
    once = _places(started(scene), 12)
    assert len(built) == 1 + 3  # of the start, and of each remesh

    monkeypatch.setattr(exchange, "Ready", lambda unknowns, surfaces: Ready(unknowns))
    anew = _places(started(scene), 12)
    assert len(built) == 4 + 1 + 2 * 3
    np.testing.assert_array_equal(once, anew)
    assert np.ptp(once[-1] - once[0], axis=0).max() > 0.01  # they have moved, and met
