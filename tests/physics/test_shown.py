"""What a frame shows stays out of colliders, between steps and at their ends; motion is the same at any frame rate."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver import moment
from solver.bake import prepare
from solver.colliders.shaped import cube
from solver.contact.carriers import Carriers
from solver.contact.contacts import FREE_DEPTH
from solver.contact.edges.meeting import Crossings, Touches
from solver.contact.edges.pierced import Skin
from solver.contact.shown import Look, Sunk, Walls, Way, _allowed, _moved_out, _under_edges
from solver.contact.surfaces.carried import Carried
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.state import Ranges
from tests.physics.knives import depth, nosing
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved, surface

JELLY = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 5.0}
SOFT = JELLY | {"young_modulus": 4e3, "poisson_ratio": 0.45}
SOFTEST = SOFT | {"young_modulus": 1e3}
FRAMES = 10


def simulation(bodies, collider, rate, frames=FRAMES) -> Simulation:
    scene = validated(Scene(tuple(bodies), (collider,), Settings(1, frames, rate, threads=1)))
    ready = prepare(scene)
    return Simulation(scene, *([getattr(part, name) for part in ready] for name in ("mesh", "surface", "contacts")))


def shot(rate, speed, start, parts=6, goo=SOFT, height=0.0501, **edged) -> tuple[Simulation, np.ndarray]:
    """A small cube, its sides cut into parts x parts squares, shot over the edge of a step without friction; and the edge."""
    edge, line = nosing()
    corners, triangles = cube(parts)
    block = Surface(0.05 * corners + [start, 0.0, height], triangles)
    body = Body("b", "Goo", block, Material("viscoplastic", goo), resolution=6, velocity=(speed, 0.0, 0.0))
    return simulation([body], Collider("c", "Step", "mesh", np.eye(4)[None], edge, friction=0.0, **edged), rate), line


@pytest.fixture
def looks(monkeypatch):
    """What was drawn between steps, what was shown instead, and the ways."""
    found = []

    def noted(look):
        shown = kept_out(look)
        found.append((look.way, look.drawn, shown))
        return shown

    kept_out = Look.kept_out
    monkeypatch.setattr(Look, "kept_out", noted)
    return found


@pytest.mark.parametrize(
    ("rate", "speed", "start", "parts", "goo"),
    [(25, 2.0, -0.28, 6, JELLY), (25, 3.0, -0.31, 3, SOFT), (30, 5.0, -0.45, 3, SOFT), (30, 4.0, -0.3, 14, SOFT)],
)
def test_an_edge_is_not_shown_in_what_springs_round_it(rate, speed, start, parts, goo):
    """In faces smaller and larger than a tet it was shown 5 to 22 % of an element deep."""
    run, line = shot(rate, speed, start, parts, goo)
    depths, deepest = SeenDepths(run.scene), 0.0
    for _ in range(FRAMES):
        frame = run.advance()
        depths.look(frame)
        (seen,) = frame.bodies
        deepest = max(deepest, depth(line, seen.positions + seen.origin, run.scene.bodies[0].surface.triangles))
    assert deepest < 0.015 * run.element_size and depths.in_colliders < 0.015


def test_what_is_shown_changes_nothing_of_the_motion(looks):
    """Nodes and velocities at steps' ends are the same bytes at any frame rate."""
    ends = []
    for rate, frames in ((24.0, 8), (25.0, 8), (30.0, 10), (60.0, 20)):
        run, _ = shot(rate, 3.0, -0.31)
        known, accept = {}, run._accept

        def noted(attempt, run=run, known=known, accept=accept):
            accept(attempt)
            known[round(run.clock.time * 1e9)] = run.state.positions.tobytes() + run.state.velocities.tobytes()

        run._accept = noted
        for _ in range(frames):
            run.advance()
        ends.append(known)
    assert any(drawn is not shown for _, drawn, shown in looks)
    for known in ends[1:]:
        both = known.keys() & ends[0].keys()
        assert len(both) > 12 and all(known[time] == ends[0][time] for time in both)


def test_a_resumed_bake_shows_the_same_bytes_between_steps(looks):
    """From a checkpoint within a step too, of which two frames are shown; two shots, as nothing may have to be moved in one."""
    moved_out = []
    for start in (-0.3, -0.35):
        whole, _ = shot(60.0, 3.0, start)
        shown, saved = [], []
        for _ in range(18):
            looks.clear()
            saved.append({name: values.copy() for name, values in whole.checkpoint().items()})
            shown.append(whole.advance().bodies[0].positions.tobytes())
            moved_out.append(bool(looks) and looks[0][1] is not looks[0][2])
        resumed, _ = shot(60.0, 3.0, start)
        for number in range(18):
            resumed.restore(saved[number])
            assert resumed.advance().bodies[0].positions.tobytes() == shown[number]
    assert any(moved_out)


def test_what_is_out_is_shown_as_it_is_drawn(looks):
    """A thick edge is round: planes beside it said that a cube which hangs over it was half an element deep."""
    run, _ = shot(25.0, 3.0, -0.3, 8, height=0.0701, thickness=0.02)
    depths, moved_out, size = SeenDepths(run.scene), [], run.element_size
    for _ in range(12):
        looks.clear()
        depths.look(run.advance())
        for way, drawn, shown in looks:
            state = run.state
            (seen,) = run.output.frame(moment.Snapshot(drawn, state.velocities, state.plastic_strain, state.stress))
            distance, normal, velocity = np.empty(len(seen.positions)), *np.empty((2, len(seen.positions), 3))
            run.fields[0].query(seen.positions + seen.origin, way.time, 0.0, distance, normal, velocity)
            moved_out.append((float(np.abs(shown - drawn).max()), -distance.min()))
    assert depths.in_colliders < 0.01 and any(depth > 0.02 * size for _, depth in moved_out)
    assert all(way < max(2.0 * depth, 0.01 * size) for way, depth in moved_out)


def test_what_is_shown_of_goo_on_a_sheet_stays_on_its_side():
    """Drawn beyond the middle of one, it is not moved out on the far side."""
    sheet = surface([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    collider = Collider("c", "Sheet", "mesh", np.eye(4)[None], sheet, two_sided=True)
    half = simulation_of_a_box(collider, 0.01).fields[0].sheet_offset
    shown, size = lowered(simulation_of_a_box(collider, half + 1e-4), 1.2 * half + 1e-4)
    assert 0.1 < half / size < 0.5 and shown.min() > half - 0.015 * size


def test_what_is_drawn_in_a_ground_is_shown_on_it():
    shown, size = lowered(simulation_of_a_box(Collider("c", "Ground", "plane", np.eye(4)[None]), 1e-4), 0.005)
    assert 0.0 > shown.min() > -0.015 * size


def test_what_lies_on_goo_that_is_moved_out_of_a_ground_gives_way():
    """A box a hair above a slab held that in the ground, as deep as it was drawn."""
    boxes = [moved(box((0.1, 0.1, high)), (0.0, 0.0, middle)) for high, middle in ((0.02, 0.0101), (0.1, 0.07011))]
    bodies = [Body(f"b{k}", f"Box {k}", part, Material("viscoplastic", JELLY), resolution=6) for k, part in enumerate(boxes)]
    run = simulation(bodies, Collider("c", "Ground", "plane", np.eye(4)[None]), 25.0)
    size, begun = run.element_size, run.state.positions
    drawn, way = begun - (0.0, 0.0, 0.05 * size), Way(begun, begun + (0.01, 0.0, 0.0), 0.0, 0.01, 0.02)
    look = Look(run.contacts, way, drawn, run.state)
    alone = look.kept_out()
    shown = moment._free_on_the_way(run.surfaces, look, alone, run.ranges)
    upper, held = slice(run.ranges.nodes[1], None), run.surfaces.reachable(drawn, alone)
    lowest = [run.contacts.points.positions(nodes)[:, 2].min() / size for nodes in (held, shown)]
    assert lowest[0] < -0.04 and lowest[1] > -0.0155 and run.surfaces.limit(drawn, shown - drawn) == 1.0
    assert (alone[upper] == drawn[upper]).all() and (shown[upper, 2] - drawn[upper, 2]).max() > 0.005 * size


def test_of_all_that_is_tried_what_lies_less_deep_is_shown(monkeypatch):
    """Goo round something thin is pushed from one side into the other: then it stays where it is drawn."""
    depths, tried = iter((3.0, 5.0, 2.0, 4.0, 6.0, 7.0, 8.0)), []

    def moved_out(sunk, drawn, shown, *_):
        tried.append(shown + 1.0)
        return tried[-1]

    monkeypatch.setattr("solver.contact.shown._farthest", lambda sunk: next(depths))
    monkeypatch.setattr("solver.contact.shown._moved_out", moved_out)
    run = simulation_of_a_box(Collider("c", "Ground", "plane", np.eye(4)[None]), 1e-4)
    drawn = run.state.positions - (0.0, 0.0, 1e-3)
    way = Way(run.state.positions, drawn, 0.0, 0.01, 0.02)
    assert Look(run.contacts, way, drawn, run.state).kept_out() is tried[1] and len(tried) == 6
    surfaces = SimpleNamespace(reachable=lambda start, end: 0.5 * (start + end), meetings=lambda *_: ())
    look = SimpleNamespace(drawn=drawn, farthest=lambda places: abs(places - drawn).max())
    ranges = Ranges(np.array([0, 2, len(drawn)]), run.ranges.tets)
    assert moment._free_on_the_way(surfaces, look, drawn + 1.0, ranges) is drawn


def simulation_of_a_box(collider, height) -> Simulation:
    block = moved(box((0.1, 0.1, 0.1)), (0.0, 0.0, 0.05 + height))
    return simulation([Body("b", "Box", block, Material("viscoplastic", JELLY), resolution=6)], collider, 25.0)


def lowered(run, by) -> tuple[np.ndarray, float]:
    """Heights of points of goo that goes level in a step and is drawn by so much [m] lower in it; the element size."""
    begun = run.state.positions
    ended = begun + (0.01, 0.0, 0.0)
    drawn, way = 0.5 * (begun + ended) - (0.0, 0.0, by), Way(begun, ended, 0.0, 0.01, 0.02)
    shown = Look(run.contacts, way, drawn, run.state).kept_out()
    return run.contacts.points.positions(shown)[:, 2], run.element_size


def test_what_moves_is_not_shown_in_goo_between_steps():
    """At 240 frames a second, at which frames lie between steps where colliders move too: 8 % deep."""
    rate, frames = 240.0, 200
    ways = np.tile(np.eye(4), (frames + 1, 1, 1))
    ways[:, 2, 3] = 0.09 * np.abs((np.arange(frames + 1) / 10.0 + 1.0) % 6.0 - 3.0)
    goo = Material("viscoplastic", JELLY | {"young_modulus": 2e5, "damping": 0.0})
    low, high = moved(box((0.5, 0.5, 0.5)), (0.0, 0.0, 0.37)), moved(box((0.4, 0.4, 0.4)), (0.03, 0.0, 0.84))
    bodies = [Body(uid, uid, moved(part, ways[0, :3, 3]), goo, resolution=4) for uid, part in (("a", low), ("b", high))]
    plate = Collider("p", "Plate", "mesh", ways, box((3.0, 3.0, 0.2)), friction=0.5)
    run = simulation(bodies, plate, rate, frames)
    depths = SeenDepths(run.scene)
    for _ in range(frames):
        depths.look(run.advance())
    assert depths.in_colliders < 0.02


def furthest(looks, run):
    """The look at which nodes of a run were moved out by a fifth of an element; the run stays there."""
    for _ in range(FRAMES):
        looks.clear()
        run.advance()
        for way, drawn, shown in looks:
            if np.abs(shown - drawn).max() > 0.2 * run.element_size:
                return way, drawn, shown
    raise AssertionError("nothing was in a collider")


def test_tets_around_share_what_is_moved_out(looks):
    """A quarter of an element: else the tets over the edge are squeezed to 0.67 of their volume."""
    run, _ = shot(30.0, 4.0, -0.45, 3, SOFTEST, 0.045)
    way, drawn, shown = furthest(looks, run)
    tets = run.state.tets
    volume = [np.linalg.det(places[tets[:, 1:]] - places[tets[:, :1]]) for places in (way.begun, drawn, shown)]
    assert (volume[1] / volume[0]).min() > 0.8 and (volume[2] / volume[0]).min() > 0.7


def test_what_does_not_move_in_a_step_is_not_moved_out(looks):
    """As nodes do that a pin holds."""
    run, _ = shot(30.0, 4.0, -0.45, 3, SOFTEST, 0.045)
    way, drawn, shown = furthest(looks, run)
    held = np.linalg.norm(shown - drawn, axis=1) > 0.1 * run.element_size
    begun = np.where(held[:, None], drawn, way.begun)
    again = Look(run.contacts, way._replace(begun=begun), drawn, run.state).kept_out()
    assert held.any() and again is not drawn and (again[held] == drawn[held]).all()


def test_what_is_moved_out_goes_no_further_than_other_surfaces_let_it(looks):
    """Half of the way, where these say so; and where they hold one of two bodies, the other goes all of it."""
    run, _ = shot(30.0, 4.0, -0.45, 3, SOFTEST, 0.045)
    furthest(looks, run)
    ((_, drawn, shown),) = looks

    def narrow(start, end):
        return start + 0.5 * (end - start) if end is looks[-1][2] else end

    run.surfaces = SimpleNamespace(reachable=narrow, meetings=lambda *_: ())
    late = run.clock.time - (run.frame - 1) / 30.0
    assert (moment.moment_between(run, late).positions == drawn + 0.5 * (shown - drawn)).all()

    def held(start, end):
        return end if (end[:first] == start[:first]).all() else start

    first = len(drawn) // 2
    both = Ranges(np.array([0, first, len(drawn)]), run.ranges.tets)
    surfaces = SimpleNamespace(reachable=held, meetings=lambda *_: ())
    look = SimpleNamespace(drawn=drawn, farthest=lambda places: -places.sum())
    reached = moment._free_on_the_way(surfaces, look, drawn + 1.0, both)
    assert (reached[:first] == drawn[:first]).all() and (reached[first:] == drawn[first:] + 1.0).all()


CORNER = moved(box((1.0, 1.0, 1.0)), (0.0, 0.0, -0.5))
LINES = [np.array([(0.5, 0.5, 0.0), end]) for end in ((-0.5, 0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, -1.0))]


@pytest.mark.parametrize(("parts", "goo"), [(3, SOFT), (3, JELLY), (4, SOFT), (6, JELLY)])
def test_corners_are_not_shown_in_faces_thrown_at_them(parts, goo):
    """At steps' ends, on which all frames lie here: the blow presses them 3 to 4 % of an element deep. The cube's sides, cut
    into parts x parts squares, drape over the corner; where they were folded over its edges these were not felt."""
    corners, triangles = cube(parts)
    block = Surface(0.25 * corners + [0.45, 0.45, 0.4], triangles)
    body = Body("b", "Goo", block, Material("viscoplastic", goo), resolution=6, velocity=(2.0, 1.0, -8.0))
    run = simulation([body], Collider("c", "Corner", "mesh", np.eye(4)[None], CORNER, friction=0.1), 24.0)
    deepest = np.zeros(2)
    for _ in range(5):
        shown, ended = run.advance().bodies, run.output.frame(moment.Snapshot.of(run.state))
        places = [seen.origin + seen.positions for (seen,) in (shown, ended)]
        deepest = np.maximum(deepest, [max(depth(line, place, triangles) for line in LINES) for place in places])
    assert deepest[0] < 0.02 * run.element_size and deepest[1] > 1.2 * deepest[0]


def test_what_has_started_in_a_collider_is_shown_where_it_is():
    """What is less than FREE_DEPTH deep has not; what is twice as deep stays, and nothing jumps in between."""
    depths = np.linspace(0.0, 0.3, 3001)
    allowed = _allowed(depths, 1.0)
    assert (allowed[depths <= FREE_DEPTH] <= 0.015).all() and (allowed[depths > 2.0 * FREE_DEPTH] > 0.2 - 1e-9).all()
    assert (np.diff(allowed) >= 0.0).all() and np.diff(allowed).max() < 3e-4 and (allowed >= np.minimum(depths, 0.01)).all()


@pytest.mark.parametrize(
    ("height", "thick", "overlap", "over"),
    [(0.3, 0.0, 0.5, 0.49), (-0.3, 0.0, 0.5, 0.0), (-0.3, 0.4, 0.5, 0.49), (-0.3, 0.2, 0.5, 0.0), (-0.3, 0.4, 0.2, 0.19)],
)
def test_an_edge_beside_a_bent_surface_moves_nothing(height, thick, overlap, over):
    """By the plane of its touch it is half an element deep; it is in the goo only if it is above its lower side at 0, rounded
    by its thickness, and goes no further out than it overlaps."""
    goo, none = moved(box((2.0, 2.0, 2.0)), (0.0, 0.0, 1.0)), np.zeros((1, 3))
    own = Carried(np.array([0, 1]), np.array([0], np.int32), np.ones(1))
    all_points = Carried(np.arange(9), np.arange(8, dtype=np.int32), np.ones(8))
    up, met = np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, height]])
    numbers, no_shares = np.array([[0, 0, 0, -1]], np.int32), np.zeros((1, 3))
    half = np.array([0.5])
    at = Crossings(numbers, numbers[:, :3], no_shares, met, met, up, -half, 0.0 * half, 0.0 * half, half, 0.0 * half, up)
    faces = SimpleNamespace(shown=SimpleNamespace(carried=all_points, triangles=goo.triangles))
    solid = SimpleNamespace(field=SimpleNamespace(sheet_offset=None, beneath=None))
    meeting = SimpleNamespace(
        body=SimpleNamespace(nodes=slice(0, 8)), element=1.0, faces=faces, collider=solid,
        overlap=lambda touches: np.array([overlap]),
        touches=lambda nodes: Touches(at, met + (thick - overlap) * up, none, own),
    )  # fmt: skip
    assert _under_edges(meeting, meeting.touches(None), Skin(meeting, goo.positions), 0.0).over == pytest.approx([over])


def test_what_is_held_from_two_sides_goes_all_of_its_way():
    """A pile of 16 slices, whose lowest is lifted by half an element, and which may come no closer to each other: swept eight
    times only the lowest few had gone up."""
    count, still = 16, np.zeros((0, 4), np.int32)
    nodes, up = np.column_stack([np.zeros((count, 2)), np.arange(count, dtype=float)]), np.array([[0.0, 0.0, 1.0]])
    pairs = np.repeat(np.arange(count, dtype=np.int32), 2)[1:-1]
    ways = Carried(np.arange(0, 2 * count - 1, 2), pairs, np.tile([-1.0, 1.0], count - 1))
    lowest = Carriers.by(Carried(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1)))
    walls = Walls(ways, np.repeat(up, count - 1, axis=0), np.ones(count - 1))
    points = Sunk(Carriers.by(Carried.nothing()), nodes[:0], nodes[:0], np.zeros(0))
    sunk = [points, Sunk(lowest, nodes[:1], up, np.array([0.5])), walls.at(nodes)]
    moved = _moved_out(sunk, nodes, nodes, np.full(count, 1e-6), 0.01, still, np.zeros(count))
    assert moved[0, 2] > 0.5 - 2e-3 and (np.diff(moved[:, 2]) > 1.0 - 2e-3).all()


def test_surfaces_in_the_way_may_come_as_close_as_they_still_may_go():
    """To half of what counts of their distance, and a little: they are stopped at 0.4 of it."""
    pair = Carried(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2))
    met = SimpleNamespace(
        carried=pair, points=np.zeros((3, 4), np.int32), weights=np.zeros((3, 4)), normal=np.zeros((3, 3)),
        gap=np.array([0.001, 0.008, 0.05]), begin=np.array([0.001, 0.008, 0.01]),
    )  # fmt: skip
    assert Walls.nothing().with_met(met, 0.002).least == pytest.approx([0.001, 0.006, 0.007])
