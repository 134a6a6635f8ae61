"""Creases of one body that close: what is seen never passes through itself, and stays as it is everywhere else."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.geometry.easing import eased
from solver.geometry.edge_crossings import pairs_of_shells
from solver.geometry.edges import unpaired_edges
from solver.geometry.hole_filling import borders
from solver.geometry.measures import area_vectors, signed_volumes
from solver.merging.bands import across_sides
from solver.merging.closing import _Closing, creases_closed
from solver.merging.level_curve import OFF
from solver.merging.meeting_lines import BETWEEN, Halved
from solver.merging.rims import Rimmed
from solver.refining.patchwork import Patchwork
from solver.remesh.exchange import LOOK
from solver.remesh.remeshing import Remeshing
from solver.scene import Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.surface import Surface
from solver.tearing.cut_topology import cut_topology
from solver.tearing.surface_cut import SurfaceCut, united_surface
from tests.surfaces import joined, prism, sphere, surface
from tests.tearing.shapes import record_of

from .shapes import body, crossings, folded_over, pair, pile, started

SIZE = 0.1  # of tets that would fill it [m]


def genus(seen: Surface) -> float:
    """Of one shell: how many handles it has."""
    edges = np.unique(np.sort(np.concatenate([seen.triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1), axis=0)
    return 1 - 0.5 * (len(np.unique(seen.triangles)) - len(edges) + len(seen.triangles))


def bent(turn: float, rings: int = 32, thick: float = 0.2, rise: float = 0.0) -> Surface:
    """A sausage around the z axis, a metre and a bit across, by so many turns; `rise` [m] lifts one end over the other."""
    globe = sphere(rings)
    share = np.round(np.arccos(np.clip(globe.positions[:, 2], -1.0, 1.0)) / np.pi * rings) / rings - 0.5
    length = 2.0 * np.pi * 0.5 * turn
    end = np.maximum(np.abs(share) * (length + 2.0 * thick) - 0.5 * length, 0.0)
    radius = np.sqrt(np.maximum(thick**2 - end**2, 0.0))
    angle = share * (length + 2.0 * thick) / 0.5
    around = globe.positions[:, :2] / np.maximum(np.sqrt((globe.positions[:, :2] ** 2).sum(axis=1, keepdims=True)), 1e-9)
    out = 0.5 + radius * around[:, 0]
    places = np.stack([out * np.cos(angle), out * np.sin(angle), radius * around[:, 1] + rise * share], axis=1)
    return surface(places, globe.triangles)


def test_a_body_that_lies_in_itself_is_closed_there_and_nowhere_else():
    """Ends of a sausage that run into each other: it becomes a ring."""
    seen = bent(0.92)
    assert signed_volumes(seen.positions, seen.triangles).sum() > 0 and crossings(seen) > 20 and genus(seen) == 0
    cut = creases_closed(seen, seen.positions, SIZE)
    after = Surface(cut.positions, cut.triangles)
    assert crossings(after) == 0 and unpaired_edges(after.triangles) == 0 and genus(after) == 1
    assert (after.positions[: len(cut.kept)] == seen.positions[cut.kept]).all()
    assert (cut.kept[after.triangles[cut.whole]] == seen.triangles[cut.origin[cut.whole]]).all()
    away = seen.positions[:, 0] > -0.2
    still = np.append(away[cut.kept], np.zeros(len(after.positions) - len(cut.kept), dtype=bool))
    assert np.isin(np.flatnonzero(away), cut.kept).all() and cut.whole[still[after.triangles].all(axis=1)].all()
    ring = 2.0 * np.pi**2 * 0.5 * 0.2**2
    assert signed_volumes(after.positions, after.triangles).sum() == pytest.approx(ring, rel=0.05)


def turns_where_looks_meet(after: Surface, look: np.ndarray) -> np.ndarray:
    """Angles [degrees] by which the line turns, from edge to edge, along which triangles of two looks (t,) meet."""
    beside = across_sides(after.triangles)
    rows, sides = np.nonzero((look[:, None] == 0) & (look[beside] == 1))
    starts, stops = after.triangles[rows, sides], after.triangles[rows, (sides + 1) % 3]
    assert len(np.unique(starts)) == len(starts), "a line, that touches itself nowhere"
    after_it = np.argsort(starts)[np.searchsorted(np.sort(starts), stops)]
    ways = after.positions[stops] - after.positions[starts]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return np.degrees(np.arccos(np.clip((ways * ways[after_it]).sum(axis=1), -1.0, 1.0)))


@pytest.mark.parametrize("turn", [0.9, 0.92])
def test_the_looks_of_two_sides_meet_in_a_line_and_not_in_teeth(turn):
    """Each side of the crease keeps its own: the line turned by 175 degrees in the mean while the band was whole."""
    seen = bent(turn)
    cut = creases_closed(seen, seen.positions, SIZE)
    assert cut is not None
    end = (sphere(32).positions[seen.triangles].mean(axis=1)[:, 2] > 0).astype(int)
    after = Surface(cut.positions, cut.triangles)
    look = end[cut.origin]
    middles = after.positions[after.triangles].mean(axis=1)
    seam = middles[:, 0] < 0.0  # the ring's other meeting of its halves is the mesh's own
    shown = np.where(seam, look, 2)
    angles = turns_where_looks_meet(after, shown)
    assert 100 < len(angles) < 300 and angles.mean() < 10.0, "one line: were sides exchanged, there would be three"


def test_looks_meet_in_a_line_where_a_crease_closes_along_a_part_of_itself():
    """Two balls that have merged, pressed together on one side: there is one border, and both its rims keep their own looks.

    The line turned by 78 degrees in the mean while the band was whole; half of it is the former seam.
    """
    one = sphere(24, 0.5, (0.0, 0.0, -0.46))
    sewn = united_surface(
        joined(one, sphere(24, 0.5, (0.03, 0.01, 0.46))), np.repeat([0, 1], len(one.triangles)).astype(np.int32)
    )
    assert sewn is not None
    seen = Surface(sewn.positions, sewn.triangles)
    y, z = seen.positions[:, 1:].T
    soon = seen.positions.copy()
    soon[:, 2] -= np.sign(z) * 0.12 * np.clip((y + 0.05) / 0.1, 0.0, 1.0) * np.exp(-((z / 0.1) ** 2))
    cut = creases_closed(seen, soon, SIZE)
    assert cut is not None
    look = (sewn.origin >= len(one.triangles)).astype(int)[cut.origin]
    angles = turns_where_looks_meet(Surface(cut.positions, cut.triangles), look)
    assert len(angles) > 100 and angles.mean() < 20.0


def test_it_is_closed_before_it_passes_through_itself():
    seen = bent(0.86)
    assert crossings(seen) == 0 and creases_closed(seen, seen.positions, SIZE) is None
    cut = creases_closed(seen, bent(0.876).positions, SIZE)
    after = Surface(cut.positions, cut.triangles)
    assert crossings(after) == 0 and unpaired_edges(after.triangles) == 0 and genus(after) == 1


def test_a_vertex_that_lies_behind_others_is_drawn_back():
    """Faces that still pass through others once creases are closed are eased apart, and nothing else is touched."""
    seen, vertex = folded_over(2.2)
    few = crossings(seen)
    assert 0 < few <= 12
    after = eased(seen.positions, seen.triangles, 0.3)
    assert crossings(Surface(after, seen.triangles)) == 0
    moved = np.flatnonzero((after != seen.positions).any(axis=1))
    beside = seen.triangles[np.isin(seen.triangles, vertex).any(axis=1)]
    assert vertex in moved and len(moved) <= 3 * few
    assert np.sqrt(((after - seen.positions) ** 2).sum(axis=1)).max() <= 0.3 and len(np.intersect1d(moved, beside)) > 0
    assert eased(seen.positions, seen.triangles, 0.001) is None  # no further than it may


def test_a_few_faces_that_find_no_band_are_eased_apart(monkeypatch):
    seen, _ = folded_over(2.2)
    monkeypatch.setattr("solver.merging.closing._Closer.closings", lambda self, smooth: [])
    cut = creases_closed(seen, seen.positions, 0.5)
    assert crossings(Surface(cut.positions, cut.triangles)) == 0 and cut.whole.all()
    assert (cut.triangles == seen.triangles).all() and len(cut.kept) == len(seen.positions)


def as_it_is(seen: Surface, out: list[int], bands: list[list[int]], left: int) -> _Closing:
    """A closing that takes some triangles out and puts bands in."""
    gone, come = np.isin(np.arange(len(seen.triangles)), out), np.array(bands, dtype=np.int32).reshape(-1, 3)
    return _Closing(Patchwork.of(seen), gone, come, left)


def offering(monkeypatch, *closings: _Closing) -> None:
    monkeypatch.setattr("solver.merging.closing._Closer.closings", lambda self, smooth: list(closings))


def test_another_closing_is_eased_where_the_best_cannot_be(monkeypatch):
    seen, vertex = folded_over(2.2)
    over = np.flatnonzero(np.isin(seen.triangles, vertex).any(axis=1)).tolist()
    offering(monkeypatch, as_it_is(seen, over[:2], [], 4), as_it_is(seen, over[:1], [], 2))
    whole = len(seen.triangles)

    def eased_if(left: int, places: np.ndarray, triangles: np.ndarray) -> np.ndarray | None:
        return places if len(triangles) == whole - left else None

    for left in (1, 2):
        monkeypatch.setattr("solver.merging.closing.eased", lambda places, triangles, _, n=left: eased_if(n, places, triangles))
        assert len(creases_closed(seen, seen.positions, 0.5).triangles) == whole - left


def test_no_closing_passes_through_what_the_surface_did_not(monkeypatch):
    """Where a face that crosses others is taken out, and one laid across the ring: fewer faces cross, but others."""
    seen = bent(0.92)
    monkeypatch.setattr("solver.merging.closing.eased", lambda *_: None)
    pairs = pairs_of_shells(seen.positions, seen.triangles)
    out, few = [int(np.bincount(pairs.ravel()).argmax())], crossings(seen)
    offering(monkeypatch, as_it_is(seen, out, [], few - 1))
    cut = creases_closed(seen, seen.positions, SIZE)
    assert len(cut.triangles) == len(seen.triangles) - 1 and crossings(Surface(cut.positions, cut.triangles)) < few
    across = [int(np.argmax(seen.positions @ np.array(way))) for way in ((1.0, 0.1, 0.3), (-0.2, 1.0, -0.2), (-0.2, -1.0, 0.3))]
    offering(monkeypatch, as_it_is(seen, out, [across], few - 1))
    assert creases_closed(seen, seen.positions, SIZE) is None
    offering(monkeypatch, as_it_is(seen, out, [], few))  # no better
    assert creases_closed(seen, seen.positions, SIZE) is None


def test_nothing_is_cut_off_at_a_neck():
    """Where a crease runs all around a neck, its two borders get one band, not a lid each."""
    globe = sphere(40)
    z = globe.positions[:, 2]
    narrow = globe.positions * np.stack([1.0 - 0.75 * np.exp(-((z / 0.03) ** 2))] * 2 + [np.ones_like(z)], axis=1)
    seen = surface(narrow, globe.triangles)
    soon = narrow - np.stack([0 * z, 0 * z, np.sign(z) * np.minimum(0.1, 4.0 * np.abs(z))], axis=1)
    assert crossings(seen) == 0 and crossings(Surface(soon, seen.triangles)) > 100
    cut = creases_closed(seen, soon, SIZE)
    assert crossings(Surface(cut.positions, cut.triangles)) == 0 and genus(Surface(cut.positions, cut.triangles)) == 0
    new = np.sqrt((area_vectors(cut.positions, cut.triangles[~cut.whole]) ** 2).sum(axis=1)).sum()
    assert 0.0 < new < 0.5 * np.sqrt((area_vectors(seen.positions, seen.triangles) ** 2).sum(axis=1)).sum()
    assert signed_volumes(cut.positions, cut.triangles).sum() > signed_volumes(seen.positions, seen.triangles).sum()


@pytest.mark.parametrize(("sides", "along", "depth"), [(24, 1, 0.02), (24, 1, 0.1), (12, 2, 0.02)])
def test_long_faces_do_not_take_half_of_a_body_along(sides, along, depth):
    """A corner of a bar's end passes through the wall across, all of whose faces are as long as the bar: closed as creases are
    it would be half a bar."""
    bar = prism(sides, along)
    places = bar.positions * [0.4, 0.4, 1.6]
    count = len(places) // 2
    places[count + count // 2] = places[count] + [depth, 0.0, -0.3]
    seen = surface(places, bar.triangles)
    assert crossings(seen) > 0
    cut = creases_closed(seen, seen.positions, 0.08)
    before = signed_volumes(places, seen.triangles).sum()
    after = before if cut is None else signed_volumes(cut.positions, cut.triangles).sum()
    assert after > 0.9 * before


def test_new_faces_take_what_lies_next_to_them():
    seen = bent(0.92)
    cut = creases_closed(seen, seen.positions, SIZE)
    old = record_of(seen)
    new = cut_topology(old, cut)
    whole = np.repeat(cut.whole, 3)
    rows = (3 * cut.origin[cut.whole][:, None] + np.arange(3)).ravel()
    assert new.uv_layers["map"][whole].tobytes() == old.uv_layers["map"][rows].tobytes() and (~whole).sum() > 20
    corners = seen.positions[cut.old_triangles[cut.origin]]
    low, high = corners.min(axis=1)[:, None, :2] - 1e-6, corners.max(axis=1)[:, None, :2] + 1e-6
    maps = new.uv_layers["map"].reshape(-1, 3, 2)
    away = cut.positions[cut.triangles].mean(axis=1) - corners.mean(axis=1)
    assert np.abs(away).max() < 1.5 * SIZE
    assert ((maps >= low) & (maps <= high)).all() and set(new.material_index) == {0, 1}


def rim_turns(seen: Surface, cut: SurfaceCut) -> np.ndarray:
    """The angles [degrees] by which the rims of what has been taken out turn at their vertices."""
    corners = seen.positions[seen.triangles[cut.corners.triangles]]
    off = np.einsum("tcij,tci->tcj", corners, cut.corners.weights) - cut.positions[cut.triangles]
    new = np.sqrt((off**2).sum(axis=2)).max(axis=1) > 1.5 * OFF * SIZE  # what lies in its origin is a part of that
    beside, result = across_sides(cut.triangles), []
    rows, sides = np.nonzero(~new[:, None] & new[beside])
    for way in borders(cut.triangles, 3 * rows + sides):
        edges = np.roll(cut.positions[way], -1, axis=0) - cut.positions[way]
        edges /= np.sqrt((edges**2).sum(axis=1, keepdims=True))
        result.append(np.degrees(np.arccos(np.clip((edges * np.roll(edges, -1, axis=0)).sum(axis=1), -1.0, 1.0))))
    return np.concatenate(result)


def whole_bands(bands: np.ndarray, count: int) -> Halved:
    return Halved(np.zeros((0, 2), np.int32), bands, np.full(len(bands), BETWEEN), np.full(count, BETWEEN))


@pytest.mark.parametrize("seed", range(3))
def test_rims_are_smooth_and_nothing_slides_on_them(seed, monkeypatch):
    """Of a crease between vertices that lie here and there; by whole faces its rims would be teeth.

    Bands stay whole here, so that what has come is told from what was there by where it lies.
    """
    monkeypatch.setattr("solver.merging.closing.halved", whole_bands)
    seen = bent(0.9, rise=0.1)
    seen = surface(seen.positions + np.random.default_rng(seed).uniform(-0.012, 0.012, seen.positions.shape), seen.triangles)
    cut = creases_closed(seen, seen.positions, SIZE)
    after = Surface(cut.positions, cut.triangles)
    assert crossings(seen) > 20 and crossings(after) == 0 and unpaired_edges(after.triangles) == 0 and genus(after) == 1
    assert rim_turns(seen, cut).mean() < 25.0
    new, fresh = cut_topology(record_of(seen), cut), np.arange(len(cut.positions)) >= len(cut.kept)
    uv, places = new.uv_layers["map"], cut.positions[new.corner_vertices][:, :2]
    own = np.repeat(cut.whole | ~fresh[cut.triangles].all(axis=1), 3)  # a band's are between rims
    drift = np.sqrt(((uv - places) ** 2).sum(axis=1))
    assert drift[np.repeat(cut.whole, 3)].max() < 1e-6
    assert np.percentile(drift[own & fresh[new.corner_vertices]], 90) < OFF * SIZE
    monkeypatch.setattr("solver.merging.closing.smoothly_cut", lambda seen, out, *_: Rimmed(Patchwork.of(seen), out))
    assert rim_turns(seen, creases_closed(seen, seen.positions, SIZE)).mean() > 40.0


def on_the_ground(scene: Scene, height: float) -> Scene:
    """The scene under gravity, above a ground at a height [m]."""
    placed = np.eye(4)
    placed[2, 3] = height
    ground = Collider("ground", "Ground", "plane", placed[None], friction=0.5)
    return validated(replace(scene, colliders=(ground,), settings=replace(scene.settings, gravity=(0.0, 0.0, -9.81))))


def ring() -> Simulation:
    """A sausage, all but a ring, whose ends fly at each other."""
    small = bent(0.84, rings=24)
    one = body("Sausage", surface(small.positions * 0.4, small.triangles), 14)
    settings = Settings(frame_end=8, gravity=(0.0, 0.0, 0.0), threads=1)
    simulation = started(validated(Scene((one,), (), settings)), spread=False)
    x = simulation.state.positions
    speed = 1.5 * np.arctan2(x[:, 1], x[:, 0]) / np.pi
    along = np.stack([-x[:, 1], x[:, 0], 0.0 * x[:, 2]], axis=1) / np.sqrt((x[:, :2] ** 2).sum(axis=1, keepdims=True))
    simulation.state.velocities, simulation.state.previous_velocities = speed[:, None] * along, speed[:, None] * along
    return simulation


@pytest.mark.parametrize(
    "make, frames, handles",
    [(lambda: started(on_the_ground(pair(30), -0.15)), 30, 0), (lambda: started(pile(8)), 8, None), (ring, 8, 1)],
    ids=["pair", "pile", "ring"],
)
def test_what_is_seen_never_passes_through_itself(make, frames, handles):
    """At no frame of what merges, and flows on; of one body too whose fold closes."""
    simulation, changes = make(), 0
    for _ in range(frames):
        frame = simulation.advance()
        changes += sum(change.cut is not None for change in frame.changes)
        bodies = [one for one in frame.bodies if len(one.positions)]
        for shown, triangles in zip(bodies, simulation.bound[2], strict=True):
            seen = Surface(shown.positions + shown.origin, triangles)
            assert crossings(seen) == 0 and unpaired_edges(triangles) == 0
    assert changes and len(bodies) == 1 and (handles is None or genus(seen) == handles)


def test_creases_are_looked_for_at_times_of_their_own_where_steps_are_short(monkeypatch):
    """Steps of a thousandth of a second: else what is squeezed to and fro got new tets in each of hundreds in a frame."""
    scene = pile(6)
    simulation = started(validated(replace(scene, settings=replace(scene.settings, maximum_substep=1e-3))))
    ahead, crossing = [], Remeshing.crossing
    monkeypatch.setattr(Remeshing, "crossing", lambda self, *given: (ahead.append(given[1]), crossing(self, *given))[1])
    steps = changes = 0
    for _ in range(6):
        frame = simulation.advance()
        steps += frame.statistics["substeps"]
        changes += len(frame.changes)
        bodies = [one for one in frame.bodies if len(one.positions)]
        for shown, triangles in zip(bodies, simulation.bound[2], strict=True):
            assert crossings(Surface(shown.positions + shown.origin, triangles)) == 0
    soon = [moment for moment in ahead if moment > 0.0]
    assert steps > 150 and changes > 4 and soon == [LOOK] * len(soon)
    assert len(soon) <= 5 * 8 + 1, "eight a frame, and the first"


def test_a_bake_goes_on_from_a_closed_crease_with_the_same_bytes(tmp_path):
    """With several changes of one surface in a remesh, and one right before a frame."""
    scene = pile(7)
    scene = replace(scene, bodies=tuple(replace(one, uid=one.uid.replace(" ", "_")) for one in scene.bodies))

    def baked(folder, last, **options):
        bake(validated(replace(scene, settings=replace(scene.settings, frame_end=last))), folder, **options)
        with FrameStore.open(folder) as store:
            assert list(store.damage()) == []
            return [[store.read_body_frame(number, one.uid) for one in scene.bodies] for number in store.frames()]

    whole = baked(tmp_path / "whole", 7)
    (shown,) = (one for one in whole[-1] if len(one.positions))
    assert shown.topology > 4  # there are four bodies that another one takes in
    baked(tmp_path / "part", 3)
    resumed = baked(tmp_path / "part", 7, resume=True)
    assert [[one.positions.tobytes() for one in frame] for frame in resumed] == [
        [one.positions.tobytes() for one in frame] for frame in whole
    ]
