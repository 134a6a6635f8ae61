"""What is seen is refined while it crumples in a blow: neither that nor what carries contact passes through itself."""

from pathlib import Path

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.contact.surfaces.bodies import passes_through_itself
from solver.contact.surfaces.seen import seen_surface
from solver.geometry.self_crossing import crossing_faces
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.surfaces import sphere, stored, surface

MARSHMALLOW = load_preset(Path(__file__).parents[2] / "presets" / "marshmallow.toml")
GROUND = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.8)


def about(axis, degrees):
    """The rotation (3, 3) about an axis."""
    c, s, (j, k) = np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), [(1, 2), (2, 0)][axis]
    matrix = np.eye(3)
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix


def thrown(name, turn, resolution, speed):
    """A mesh oblique in the air, turned about x by degrees, thrown at the ground and refined as soon as it stretches."""
    part = stored(name)
    places = part.positions @ (about(0, turn) @ about(1, 20.0) @ about(0, 60.0)).T
    places *= 1.4 / np.ptp(part.positions, axis=0).max()
    part = surface(places + (0.0, 0.0, 0.05 - places[:, 2].min()), part.triangles)
    body = Body(
        "b", "Body", part, MARSHMALLOW.material, MARSHMALLOW.real_size, resolution=resolution, remeshing="wholesale",
        refine_length=1.1, velocity=(0.0, 0.0, -speed),
    )  # fmt: skip
    scene = validated(Scene((body,), (GROUND,), Settings(frame_end=12, body_contact="all", threads=1)))
    (made,) = prepare(scene)
    return Simulation(scene, [made.mesh], [made.surface], [made.contacts])


@pytest.mark.parametrize(
    ("name", "turn", "resolution", "speed"),
    [("fish", 57.2958, 9, 8.0), ("fish", 114.592, 12, 12.0), ("goathead", 0.0, 12, 10.0)],
)
def test_what_is_refined_in_a_blow_never_passes_through_itself(name, turn, resolution, speed):
    run, rough, first = thrown(name, turn, resolution, speed), 0, len(stored(name).triangles)
    for _ in range(9):
        rough += run.advance().statistics["rough"]
        seen = run.present.seen(0)
        assert not len(crossing_faces(seen.positions, seen.triangles))
        assert not passes_through_itself(run.surfaces, run.state.positions, 1)
    assert len(run.bound[2][0]) > first and not rough
    carried = run.surfaces.carried.places(run.state.positions)
    gaps = np.abs(carried[:, None] - seen.positions[None]).max(axis=2).min(axis=0)
    assert gaps.max() < 1e-8  # every vertex touches where it is seen


def test_rest_goes_on_from_a_checkpoint_after_a_refinement():
    """With the same bytes: where surfaces lie free of contact is that of the tets, not of the refinement."""
    first, second = thrown("fish", 114.592, 12, 12.0), thrown("fish", 114.592, 12, 12.0)
    begun = first.state.positions.copy()
    for _ in range(4):
        first.advance()
    assert first.remeshed is not None and np.abs(first.remeshed.state.positions - begun).max() > 0.1
    assert (first.surfaces.rest.nodes == begun).all()
    second.restore(unpack(pack(first.checkpoint())))
    assert (second.surfaces.rest.nodes == begun).all()
    one, other = first.advance().bodies[0], second.advance().bodies[0]
    assert one.positions.tobytes() == other.positions.tobytes()


def test_what_is_merged_is_so_at_rest():
    """Pressed flat, ridges lie closer than they may be merged."""
    ball, flat = sphere(24), np.array([1.0, 1.0, 0.02])
    mesh = cage(ball, 0.4)
    before = seen_surface(ball, mesh, 0.4)
    pressed, tets = surface(ball.positions * flat, ball.triangles), TetMesh(mesh.positions * flat, mesh.tets)
    known = seen_surface(pressed, tets, 0.4, rest=ball.positions)
    assert len(before.triangles) < len(ball.triangles) and (known.triangles == before.triangles).all()
    assert len(seen_surface(pressed, tets, 0.4).triangles) < 0.8 * len(known.triangles)
