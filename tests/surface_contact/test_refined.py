"""What is seen is refined while it crumples in a blow: neither that nor what carries contact passes through itself."""

from pathlib import Path

import numpy as np
import pytest

from solver.bake import prepare
from solver.cache.archive import pack, unpack
from solver.contact.surfaces.bodies import passes_through_itself
from solver.contact.surfaces.fresh_pairs import energy_of
from solver.contact.surfaces.seen import seen_surface
from solver.geometry.self_crossing import crossing_faces
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.surfaces import sphere, stored, surface

MARSHMALLOW_FILE = Path(__file__).parents[2] / "presets" / "marshmallow.toml"
MARSHMALLOW = load_preset(MARSHMALLOW_FILE)
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


class Weighed(Simulation):
    """Notes what barriers hold [J] before and after each refinement."""

    def pressed(self):
        self.surfaces.cover(self.state.positions, self.state.positions)
        where = self.surfaces.carried.places(self.state.positions)
        return energy_of(self.surfaces.pairs, where)

    def _remesh(self):
        self.changes, known = getattr(self, "changes", []), len(self.cuts)
        before = self.pressed() if self.surfaces is not None else 0.0
        done = super()._remesh()
        if len(self.cuts) > known:
            self.changes.append((before, self.pressed()))
        return done


def test_what_is_refined_while_it_is_pressed_pushes_no_more_than_before():
    """A koala of slime hits the ground with a fish on its back: nobody has pressed its new vertices to what they come near."""
    slime, bodies, top = load_preset(MARSHMALLOW_FILE.with_name("slime.toml")), [], 0.1
    for k, (name, preset, turn) in enumerate([("koala", slime, about(0, 90.0)), ("fish", MARSHMALLOW, about(0, 57.3))]):
        part = stored(name)
        places = part.positions @ (turn if k == 0 else turn @ about(1, 20.0) @ about(0, 60.0)).T
        places /= np.ptp(places, axis=0).max()
        low, high = places.min(axis=0), places.max(axis=0)
        places += (0.05 * k, -0.04 * k, top) - np.array([*(0.5 * (low + high))[:2], low[2]])
        bodies.append(Body(
            name, name, surface(places, part.triangles), preset.material, preset.real_size, resolution=9, remeshing="wholesale",
            refine_length=1.1, velocity=(0.0, 0.0, -8.0),
        ))  # fmt: skip
        top = places[:, 2].max()
    scene = validated(Scene(tuple(bodies), (GROUND,), Settings(frame_end=12, body_contact="all", threads=1)))
    made = prepare(scene)
    run = Weighed(scene, [each.mesh for each in made], [each.surface for each in made], [each.contacts for each in made])
    for _ in range(3):
        run.advance()
    assert len(run.changes) > 1 and max(before for before, _ in run.changes) > 0.5
    for before, after in run.changes:
        assert after <= (1.0 + 1e-9) * before
        assert after > 0.1 * before  # nor do pairs that were there let go
    assert not passes_through_itself(run.surfaces, run.state.positions, 2).any()


def test_rest_goes_on_from_a_checkpoint_after_a_refinement():
    """With the same bytes: where surfaces lie free of contact is that of the tets, not of the refinement."""
    first, second = thrown("fish", 114.592, 12, 12.0), thrown("fish", 114.592, 12, 12.0)
    begun = first.state.positions.copy()
    for _ in range(8):
        first.advance()
        if any(each.fresh is not None for each in first.surfaces.neighbourhoods):
            break
    else:
        raise AssertionError("no refinement brought new neighbours")
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
