"""Contact of surfaces: what detection and barrier terms take a Newton iteration on some 41k triangles, beside ipctk.

    python benchmarks/contact.py [--halvings 5] [--repeats 7]

Two balls of 20k triangles each lie on each other, pressed flat where they meet, and touch themselves as well. Measured, in
process time on one thread, medians:

- ipctk's LBVH broad phase (build and candidates within the reach), as the rival of detection;
- a whole search, which holds until nodes have moved by the room that it leaves;
- what an iteration takes while a search holds: whether it does, the step's limit, gradient and stiffness;
- a bake's mean: an iteration, and the share of a search, when nodes move by a hundredth of an edge an iteration.

With --bake: two balls of 50k tets each, whose surfaces have 40,960 triangles together, fly at each other for so many frames
and touch themselves too. All that contact of surfaces takes of the bake, by Newton iterations, and ipctk's broad phase in the
same places. They are turned, so that no vertex meets a vertex and no edge an edge, as in the mirror image of one another.

With --drop instead: a ball of 50k tets under 32k triangles falls on the ground, for so many frames. What all of contact costs
(the ground a mesh, the ball touching itself), and each part of it, against the exact plane without self-contact.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools")]

import numpy as np

from environment import development_venv, run_environment

GAP = 0.01  # between the balls, in edges: half the reach
MOVE = 0.01  # edges an iteration
# Detection and barrier terms, of what a step asks of contact of surfaces: all else is what friction sticks to, who touches
# whom, and what barriers have stored
DETECTION = ("limit", "meetings", "add_gradient", "stiffness", "settled", "pushes", "reachable", "cover")
CONTACT = (*DETECTION, "begin_step", "end_step", "touching", "touched", "stored", "look", "lead_apart")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halvings", type=int, default=5, help="of a ball's icosahedron: 20 4^halvings triangles each")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--drop", type=int, metavar="FRAMES")
    parser.add_argument("--bake", type=int, metavar="FRAMES")
    options = parser.parse_args()
    python = development_venv("cp311")
    if Path(sys.executable) != python or os.environ.get("NUMBA_NUM_THREADS") != "1":
        one_thread = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "TBB_NUM_THREADS": "1"}
        return subprocess.call([str(python), __file__, *sys.argv[1:]], env={**run_environment(), **one_thread})
    if options.bake:
        baked(options.bake, options.repeats)
        return 0
    if options.drop:
        drops(options.drop, options.repeats)
        return 0
    positions, surfaces = pressed_balls(options.halvings)
    triangles = sum(len(surface.triangles) for surface in surfaces)
    print(f"{triangles} triangles, {len(positions)} vertices")
    rival(positions, surfaces, options.repeats)
    ours(positions, surfaces, options.repeats)
    return 0


def icosphere(halvings: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and triangles (20 4^halvings, 3) of an icosahedron whose edges are halved and put on the unit sphere."""
    from scipy.spatial import ConvexHull

    g = 0.5 * (1.0 + np.sqrt(5.0))
    corners = np.array([np.roll([0.0, i, j * g], k) for k in range(3) for i in (-1.0, 1.0) for j in (-1.0, 1.0)])
    triangles = ConvexHull(corners).simplices
    inward = np.linalg.det(corners[triangles]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    positions = corners / np.linalg.norm(corners[0])
    for _ in range(halvings):
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
        edges, which = np.unique(ends, axis=0, return_inverse=True)
        middle = len(positions) + which.reshape(-1, 3)
        added = positions[edges].sum(axis=1)
        positions = np.concatenate([positions, added / np.linalg.norm(added, axis=1, keepdims=True)])
        a, b, c = triangles.T
        d, e, f = middle.T
        triangles = np.concatenate([np.stack(face, axis=1) for face in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))])
    return positions, triangles


def pressed_balls(halvings: int) -> tuple[np.ndarray, list]:
    """Positions (n, 3) of two balls flattened at the plane z = 0, half a gap from it, and their contact surfaces."""
    from solver.contact.surfaces.surface import ContactSurface
    from solver.geometry.edges import edges_of

    lower, triangles = icosphere(halvings)
    edge = 1.1 / 2.0**halvings
    lower[:, 2] = np.minimum(lower[:, 2] - 0.97, -0.5 * GAP * edge)
    upper = lower * [1.0, 1.0, -1.0]
    c, s = np.cos(0.37), np.sin(0.37)
    upper[:, :2] = upper[:, :2] @ np.array([[c, s], [-s, c]])
    places = np.concatenate([lower, upper])
    surfaces = []
    for faces in (triangles, triangles[:, [0, 2, 1]] + len(lower)):
        faces = np.ascontiguousarray(faces, np.int32)
        table, vertices = edges_of(faces), np.unique(faces).astype(np.int32)
        sizes = np.full(len(vertices), edge**2), np.full(len(table.vertices), edge**2 / 3.0), np.full(faces.shape, 1.0 / 6.0)
        surfaces.append(ContactSurface(vertices, table.vertices, faces, *sizes, edge))
    return places, surfaces


def rival(positions: np.ndarray, surfaces: list, repeats: int) -> None:
    """ipctk's broad phase."""
    import ipctk

    ipctk.set_num_threads(1)
    edges, faces = (np.concatenate([getattr(s, name) for s in surfaces]) for name in ("edges", "triangles"))
    mesh = ipctk.CollisionMesh(positions, edges, faces)
    reach = 0.02 * float(np.sqrt(((positions[edges[:, 1]] - positions[edges[:, 0]]) ** 2).sum(axis=1)).mean())
    candidates = ipctk.Candidates()

    def search() -> None:
        candidates.build(mesh, positions, 0.5 * reach, ipctk.LBVH())

    print(f"ipctk {ipctk.__version__}, LBVH broad phase {median(search, repeats):7.1f} ms, {len(candidates)} candidates")


def ours(positions: np.ndarray, surfaces: list, repeats: int) -> None:
    """Dollop's search, and what an iteration takes."""
    from scipy.sparse import identity

    from solver.contact.surfaces.carried import Carried
    from solver.contact.surfaces.surface_contact import SurfaceContact
    from solver.contact.surfaces.touch import Touch

    apart = positions.copy()  # at rest: round, and away from each other
    apart[len(positions) // 2 :, 2] += 1.0
    touch, themselves = Touch(1e4, 0.5, 1e-5), Carried.by(identity(len(positions), format="csr"))
    contact = SurfaceContact(surfaces, [touch, touch], apart, themselves)
    edge = contact.neighbourhoods[0].first.edge_length
    rank = np.arange(len(positions), dtype=np.int32)

    def search() -> None:
        for neighbourhood in contact.neighbourhoods:
            neighbourhood.searched = False
        contact.cover(positions, positions)

    contact.begin_step(positions)
    direction = MOVE * edge * np.random.default_rng(1).uniform(-0.5, 0.5, positions.shape)
    direction[:, 2] = 0.0

    def iteration() -> None:
        contact.limit(positions, direction)
        contact.add_gradient(positions, np.zeros_like(positions))
        contact.stiffness(positions, rank)

    whole, kept = median(search, repeats), median(iteration, repeats)
    pushing = int(contact.touched(positions).sum())
    print(f"a search {whole:28.1f} ms, {len(contact.pairs.nodes)} pairs, {pushing} vertices pushed")
    print(f"an iteration while it holds {kept:9.1f} ms")
    rng, spent, count = np.random.default_rng(2), 0.0, 60
    places = positions.copy()
    for _ in range(count):
        way = MOVE * edge * rng.uniform(-1.0, 1.0, (1, 3)) + MOVE * edge * (places - places.mean(axis=0)) * [0.3, -0.2, 0.0]
        started = time.process_time()
        share = contact.limit(places, way)
        places += share * way
        contact.add_gradient(places, np.zeros_like(places))
        contact.stiffness(places, rank)
        spent += time.process_time() - started
    print(f"mean of {count} iterations, nodes moving {1e3 * spent / count:9.1f} ms")


def baked(frames: int, repeats: int) -> None:
    """Two balls that strike each other, both touching themselves: what their contact takes an iteration, searches included."""
    from scene import DENSITY, POISSON, RADIUS, RESOLUTION, YOUNG
    from scipy.spatial.transform import Rotation

    from solver.bake import prepare
    from solver.materials import Material
    from solver.scene import Body, Scene, Settings, Surface, validated
    from solver.simulate import Simulation

    points, triangles = icosphere(5)
    turned = {side: points @ Rotation.from_rotvec([0.3 * side, 0.7, 0.2 - side]).as_matrix().T for side in (-1.0, 1.0)}
    values = {"density": DENSITY, "young_modulus": YOUNG, "poisson_ratio": POISSON, "flow_rate": 0.0, "yield_stress": 1e12}
    goo, resolution = Material("viscoplastic", values, {}), RESOLUTION["50k"]
    bodies = tuple(
        Body(
            f"ball{side:g}", f"Ball {side:g}", Surface(RADIUS * (turned[side] + [1.03 * side, 0.0, 0.0]), triangles), goo,
            resolution=resolution, velocity=(-2.0 * side, 0.0, 0.0),
        )
        for side in (-1.0, 1.0)
    )  # fmt: skip
    scene = validated(Scene(bodies, (), Settings(1, frames, threads=1, gravity=(0.0, 0.0, 0.0), body_contact="all")))
    prepared = prepare(scene)
    lists = [[getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")]
    for run in (Simulation(scene, *lists), Simulation(scene, *lists)):  # the first one compiles
        run.pace.hold(1)
        striking(run, frames, repeats)


def striking(run, frames: int, repeats: int) -> None:
    """Bake so many frames and print what contact took."""
    contact, clock = run.surfaces, Clock()
    for name in CONTACT:
        setattr(contact, name, clock.timed(name, getattr(contact, name)))
    touched, effort, started = 0, 0.0, time.process_time()
    for _ in range(frames):
        effort += run.advance().statistics["newton_iterations"]
        touched = max(touched, int(contact.touched(run.state.positions).sum()))
    whole = time.process_time() - started
    faces = sum(len(surface.triangles) for surface in contact.surfaces)
    print(f"{len(run.state.tets)} tets, {faces} triangles, {effort:.0f} iterations, at most {touched} nodes touched")
    everything, detection = (1e3 * sum(clock.spent[name] for name in names) / effort for names in (CONTACT, DETECTION))
    print(f"contact of surfaces {everything:.1f} ms an iteration, of {1e3 * whole / effort:.1f} in all")
    print(f"of these detection and barrier terms {detection:.1f} ms")
    rival(contact.carried.places(run.state.positions), contact.surfaces, repeats)


class Clock:
    """Process time [s] in some calls by their names, those within others of them counted with these."""

    def __init__(self) -> None:
        self.spent, self.depth = dict.fromkeys(CONTACT, 0.0), 0

    def timed(self, name: str, call: Callable) -> Callable:
        def around(*given, **named):
            self.depth += 1
            started = time.process_time()
            try:
                return call(*given, **named)
            finally:
                self.depth -= 1
                self.spent[name] += 0.0 if self.depth else time.process_time() - started

        return around


def drops(frames: int, repeats: int) -> None:
    """The ball on the exact plane and on a mesh, without and with contact of its own surface; medians."""
    from scene import DENSITY, POISSON, RADIUS, RESOLUTION, SPEED, YOUNG, sphere

    from solver.bake import prepare
    from solver.materials import Material
    from solver.scene import Body, Collider, Scene, Settings, Surface, validated
    from solver.simulate import Simulation

    points, triangles = sphere(6)
    ball = Surface(RADIUS * points + [0.0, 0.0, RADIUS + 0.02], triangles)
    values = {"density": DENSITY, "young_modulus": YOUNG, "poisson_ratio": POISSON, "flow_rate": 0.0, "yield_stress": 1e12}
    goo = Material("viscoplastic", values, {})
    body = Body("ball", "Ball", ball, goo, resolution=RESOLUTION["50k"], velocity=(0.0, 0.0, -SPEED))
    corners = np.array([[x, y, 0.0] for x in (-2.0, 2.0) for y in (-2.0, 2.0)])
    slab = Surface(corners, np.array([[0, 2, 3], [0, 3, 1]], np.int32))
    grounds = {"plane": Collider("g", "Ground", "plane", np.eye(4)[None])}
    grounds["mesh"] = Collider("g", "Ground", "mesh", np.eye(4)[None], slab)
    prepared = prepare(Scene((body,)))
    lists = [[getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")]
    scenes = {}
    for ground, contact in (("plane", "off"), ("plane", "all"), ("mesh", "off"), ("mesh", "all")):
        settings = Settings(1, frames, threads=1, body_contact=contact)
        scenes[ground, contact] = validated(Scene((body,), (grounds[ground],), settings))

    def fall(frames: int) -> dict[tuple[str, str], tuple[float, float]]:
        """Process time [s] and Newton iterations of each, frame by frame by turns: a slow minute is everybody's."""
        runs = {key: Simulation(scene, *lists) for key, scene in scenes.items()}
        spent, effort = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
        for _ in range(frames):
            for key, run in runs.items():
                run.pace.hold(1)
                started = time.process_time()
                effort[key] += run.advance().statistics["newton_iterations"]
                spent[key] += time.process_time() - started
        return {key: (spent[key], effort[key]) for key in runs}

    fall(2)  # compiles
    rounds = [fall(frames) for _ in range(repeats)]
    for ground, contact in scenes:
        times = [one[ground, contact][0] for one in rounds]
        ratios = [one[ground, contact][0] / one["plane", "off"][0] for one in rounds]
        label = f"{ground:5} contact of bodies {contact:3} {statistics.median(times):7.2f} s"
        effort, spread = f"{rounds[0][ground, contact][1]:4.0f} iterations", f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"{label}, {effort}, {statistics.median(ratios):.2f} times ({spread})", flush=True)


def median(call: Callable[[], None], repeats: int) -> float:
    """Milliseconds of process time; the first call, which compiles, is not counted."""
    call()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        call()
        times.append(1e3 * (time.process_time() - started))
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(main())
