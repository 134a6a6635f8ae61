"""Compile what a bake needs by simulating a tiny scene that touches each kernel.

`compile_beside` lets another process compile the dynamics of a job while this one meshes (and so compiles the geometry): on
a first bake with two cores nearly half of the wait is gone.
"""

import hashlib
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit.kernel_cache import kernel_folder
from .materials import Material, models
from .materials.elasticity import laws
from .pins.pin import Pin
from .scene import Body, Collider, Scene, Settings, Surface

if TYPE_CHECKING:
    from .dynamics import Dynamics

SOFT, STIFF = 1e5, 1e10  # Young's moduli at which the linear solve of a cube surely leaves, and uses, its coarse level [Pa]
INTERNAL = "internal"  # damping, by default
DRAFT = "draft"  # stands for an elastic law where the model has none to choose from
RIGID = 10.0  # about the square of how many elements sound crosses in a step from which on it may use it


class Needs(NamedTuple):
    """What of a body decides which kernels it takes.

    law, damping : the elastic law, DRAFT, and the model of damping, empty for none; rigid : whether it takes the coarse level
    others       : whether it has a goal, fibres, volume kept at nodes, a limit of flow, pins without give, surface tension
    """

    law: str
    damping: str = ""
    rigid: bool = False
    goal: bool = False
    fibres: bool = False
    at_nodes: bool = False
    limited: bool = False
    held: bool = False
    tense: bool = False


# A cube of six tets around its diagonal 0-7; corner i is x, y, z = bits 2, 1, 0 of i
SIX_TETS = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]], dtype=np.int32)


def warm_up() -> int:
    """Bake three frames of cubes with everything that a body can have; return the number of frames."""
    from .bake import bake
    from .warm_up_remeshing import warm_up_remeshing

    with tempfile.TemporaryDirectory() as folder:
        all_but_nodes = {name: True for name in Needs._fields[2:] if name != "at_nodes"}
        kinds = [Needs(law, damping, **all_but_nodes) for law in laws() for damping in (INTERNAL, "rotated")]
        bodies = _in_a_row([one_cube(needs) for needs in kinds])
        bodies.append(_on_top(bodies[-1]))
        bake(_tiny_scene([one_cube(Needs(next(iter(laws())), at_nodes=True))], False), Path(folder) / "other")
        warm_up_remeshing(_tiny_scene([replace(bodies[0], remeshing="wholesale")], False))
        return bake(_tiny_scene([*bodies, one_cube(Needs(DRAFT))], True), Path(folder) / "cache")


def warm_up_dynamics(scene: Scene) -> int:
    """Simulate cubes that have what the scene's bodies have, with ready-made tets: of the geometry only colliders compile.

    Those come last: by then the bake beside, which fills the bodies, has compiled what they share with it.
    """
    for meshes in (False, True) if _has_meshes(scene) else (False,):
        simulation = _cubes_moving(scene, meshes)
        for _ in range(3):
            simulation.advance()
    _stamp(scene).touch()
    return 3


def _cubes_moving(scene: Scene, meshes: bool) -> "Dynamics":
    """Cubes that have what the scene's bodies have, above a plane and, with `meshes`, in a mesh."""
    from .dynamics import start
    from .embedding import at_nodes
    from .tetmesh.mesh import TetMesh

    bodies = _in_a_row([one_cube(needs) for needs in _needs(scene)])
    if _touch(scene):
        bodies.append(_on_top(next(body for body in bodies if body.material.model != DRAFT)))
    corners = [at_nodes(TetMesh(cube().positions, SIX_TETS))] * len(bodies)
    tiny = _tiny_scene(bodies, meshes, scene.settings.body_contact)
    return start(tiny, [TetMesh(body.surface.positions, SIX_TETS) for body in bodies], corners, corners)


def warm_up_contact(scene: Scene) -> None:
    """Compile what `warm_up_dynamics` comes to last, contact with meshes and their edges, and of the bodies' surfaces.

    A bake does so itself while two other processes are busy with all that comes before.
    """
    from .simulate import Simulation

    moving = _cubes_moving(scene, _has_meshes(scene))
    if not isinstance(moving, Simulation):  # of the draft
        return
    start, step = moving.state.positions, moving.clock.step
    moving.contacts.begin_step(start, start, step, step)
    moving.contacts.linearize(start)
    if (surfaces := moving.surfaces) is not None:
        flat, flatter = (start * (1.0, 1.0, height) for height in (0.1, 0.08))  # so that sides of one cube are near each other
        surfaces.cover(start, flat)
        surfaces.begin_step(flat)
        surfaces.meetings(flat, flatter - flat)
        surfaces.add_gradient(flat, np.zeros_like(flat))
        surfaces.stiffness(flat, moving.space.linear.rank)
        surfaces.limit(flatter, flat - flatter)
        surfaces.settled(flat, flatter)


def warm_up_solve(scene: Scene) -> None:
    """Compile what follows on the forces of the scene's bodies, stiffness, linear solve and commit: a half of their dynamics.

    In the order in which a step asks for them, so that `warm_up_dynamics` in another process finds them ready.
    """
    from .fem.commit import commit_flow
    from .fem.contact_coupling import ContactStiffness
    from .fem.workspace import Workspace
    from .jit.simd_rows import ROWS
    from .state import build_state
    from .tetmesh.mesh import TetMesh

    needs = [needs for needs in _needs(scene) if needs.law != DRAFT]
    if not needs:
        return
    bodies = tuple(one_cube(each) for each in needs)
    state, _ = build_state(bodies, [TetMesh(body.surface.positions, SIX_TETS) for body in bodies])
    space = Workspace.of(state)
    damped, rigid = any(each.damping for each in needs), any(each.rigid for each in needs)

    blocks = space.linear.layout.places[:, 0]  # each cube is one slab

    def fill(values: NDArray[np.float32], more: NDArray[np.float32], rate: float) -> None:
        space.stiffness.fill(state.positions, space.tiles, values, -1.0, more, rate)
        if space.tension is not None:
            space.tension.add_curvature(state.positions, values, True)
        values[:] = 0.0
        for step in (0, 4, 8):
            values[blocks + step * ROWS] = -1.0

    beside = (space.linear.summed(fill), 0.0) if damped else None
    volume = None if space.volume is None else space.volume.coupled(state.positions)
    diagonal = np.tile(np.eye(3).ravel(), (len(state.positions), 1)) * (1e-6 if rigid else 1e6)
    held = np.arange(1 if any(each.held for each in needs) else 0)
    contact = ContactStiffness(np.arange(4), state.tets[:1], np.zeros((1, 6, 9), np.float32))
    space.linear.assemble(fill, diagonal, volume=volume, beside=beside, held=held, contact=contact)
    space.linear.touch(diagonal, contact)
    space.linear.solve(np.ones_like(state.positions), 0.5, 1)
    space.linear.times(state.positions)
    commit_flow(state, space.tiles, 1e-3, state.positions)


def compile_beside(job: Path, scene: Scene) -> subprocess.Popen[bytes] | None:
    """Start compiling the dynamics of a job's scene in another process.

    None when that was done before or there is no Python program.
    """
    return None if _stamp(scene).exists() else start_warm_up("--dynamics", job)


def start_warm_up(part: str, job: Path) -> subprocess.Popen[bytes] | None:
    """Start `python -m solver warm-up PART JOB`; None where there is no Python program."""
    program = Path(sys.executable or "")
    if not program.stem.lower().startswith("python"):
        return None
    command = [str(program), "-m", "solver", "warm-up", part, str(job.absolute())]
    silent = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent, cwd=Path(__file__).parents[1])


def _needs(scene: Scene) -> list[Needs]:
    """Those of the bodies, each once."""
    needs = set()
    for body in scene.bodies:
        held = any(pin.stiffness == 0.0 for pin in body.pins)
        if models()[body.material.model].dynamics == DRAFT:
            needs.add(Needs(DRAFT, held=held))
            continue
        values, law = body.scaled_material().values, body.material.options.get("elastic_law", next(iter(laws())))
        speed, damping = values["young_modulus"] / values["density"], ""
        if any(values.get(name, 0.0) > 0.0 for name in _dampings()):
            damping = body.material.options.get("damping_model", INTERNAL)
        # Damping adds to the stiffness, the more the shorter the step
        rigid = bool(damping) or speed * (scene.settings.maximum_substep / body.element_size) ** 2 > RIGID
        at_nodes = body.material.options.get("volume") == "at_nodes"
        limited = values.get("plastic_limit", 0.0) > 0.0
        tense = values.get("surface_tension", 0.0) > 0.0 or "surface_tension" in body.keys
        goal, fibres = body.goal is not None, body.fibres is not None
        needs.add(Needs(law, damping, rigid, goal, fibres, at_nodes, limited, held, tense))
    return sorted(needs)


def _dampings() -> list[str]:
    """Names of the parameters that damp."""
    return [p.name for p in models()["viscoplastic"].parameters if p.only_with and p.only_with[0] == "damping_model"]


def _touch(scene: Scene) -> bool:
    """Whether there is contact of the bodies' surfaces."""
    from .contact.surfaces.own_contact import touches_itself

    bodies = [body for body in scene.bodies if models()[body.material.model].dynamics != DRAFT]
    several = len(bodies) > 1 and scene.settings.body_contact == "bodies"
    return several or any(touches_itself(scene, body) for body in bodies)


def _has_meshes(scene: Scene) -> bool:
    return any(collider.kind == "mesh" for collider in scene.colliders)


def _stamp(scene: Scene) -> Path:
    """The file beside the compiled kernels that says that those for such a scene are complete."""
    digest = hashlib.blake2b(repr((_needs(scene), _has_meshes(scene), _touch(scene))).encode(), digest_size=8).hexdigest()
    return named_stamp(digest)


def named_stamp(name: str) -> Path:
    folder = kernel_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"complete_{name}"


def one_cube(needs: Needs) -> Body:
    """A cube that yields, just above the ground."""
    box = cube()
    above = Surface(box.positions + (0.0, 0.0, 0.49), box.triangles)
    pins = (Pin("pin", np.array([7], np.int32), np.ones(1), above.positions[7:][None]),) if needs.held else ()
    name = "_".join([needs.law, needs.damping, "".join(f"{each:d}" for each in needs[2:])])
    if needs.law == DRAFT:
        return Body(name, name, above, Material("draft", {"yield_strain": 0.0, "flow_rate": 1.0}), resolution=3, pins=pins)
    values = {"young_modulus": STIFF if needs.rigid else SOFT, "yield_stress": 10.0, "rate_stress": 100.0}
    values |= {"plastic_limit": float(needs.limited), "surface_tension": float(needs.tense)}
    options = {"elastic_law": needs.law, "volume": "at_nodes" if needs.at_nodes else "per_tet"}
    if needs.damping:
        values |= dict.fromkeys(_dampings(), 1e-3)
        options["damping_model"] = needs.damping
    return Body(
        name, name, above, Material("viscoplastic", values, options), resolution=3,
        goal=above.positions if needs.goal else None, fibres=np.array([0.0, 0.0, 1.0]) if needs.fibres else None,
        fibre_stiffness=1e3, fibre_tension=1e3, pins=pins,
    )  # fmt: skip


def _in_a_row(cubes: list[Body]) -> list[Body]:
    """The cubes apart from each other along x, the first one where it was: bodies in one place would push each other out."""
    row = []
    for number, body in enumerate(cubes):
        aside = np.array([3.0 * number, 0.0, 0.0])
        surface = Surface(body.surface.positions + aside, body.surface.triangles)
        pins = tuple(replace(pin, targets=None if pin.targets is None else pin.targets + aside) for pin in body.pins)
        row.append(replace(body, surface=surface, goal=None if body.goal is None else body.goal + aside, pins=pins))
    return row


def _on_top(cube: Body) -> Body:
    """A second cube that lies on one, so close that their surfaces push each other."""
    above = Surface(cube.surface.positions + (0.0, 0.0, 1.01), cube.surface.triangles)
    goal = None if cube.goal is None else above.positions
    return replace(cube, uid=f"{cube.uid}_on_top", name=f"{cube.name}_on_top", surface=above, goal=goal, pins=())


def _tiny_scene(bodies: list[Body], meshes: bool, contact: str = "all") -> Scene:
    moving = np.stack([np.eye(4)] * 4)
    moving[:, 2, 3] = np.linspace(-0.5, -0.45, 4)
    colliders = [Collider("plane", "Plane", "plane", np.eye(4)[None])]
    if meshes:
        colliders.append(Collider("mesh", "Mesh", "mesh", moving, cube()))
    return Scene(bodies=tuple(bodies), colliders=tuple(colliders), settings=Settings(1, 3, body_contact=contact))


def cube() -> Surface:
    """Return a unit cube about the origin, twelve triangles."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(triangles, dtype=np.int32))
