"""Compile what a bake needs by simulating a tiny scene that touches each kernel.

`compile_beside` lets another process compile the dynamics while this one meshes (and so compiles the geometry): on a
first bake with two cores nearly half of the wait is gone.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .kernel_cache import choose_kernel_cache
from .materials import Material
from .scene import Body, Collider, Scene, Settings, Surface


def warm_up() -> int:
    """Bake three frames of a small cube on a plane and a mesh; return the number of frames."""
    from .bake import bake

    with tempfile.TemporaryDirectory() as folder:
        frames = bake(_tiny_scene(), Path(folder) / "cache")
    _stamp().touch()
    return frames


def warm_up_dynamics() -> int:
    """Simulate the same scene with ready-made tets, so that nothing of the geometry but colliders is compiled."""
    from .embedding import Binding
    from .simulate import Simulation
    from .tetmesh.mesh import TetMesh

    scene = _tiny_scene()
    # a cube of six tets around its diagonal 0-7; corner i is x, y, z = bits 2, 1, 0 of i
    tets = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]], dtype=np.int32)
    mesh = TetMesh(scene.bodies[0].surface.positions, tets)
    holders = np.array([int(np.flatnonzero((tets == corner).any(axis=1))[0]) for corner in range(8)], dtype=np.int32)
    corners = Binding(holders, (tets[holders] == np.arange(8)[:, None]).astype(np.float64))
    simulation = Simulation(scene, [mesh], [corners], [corners])
    for _ in range(3):
        simulation.advance()
    _stamp().touch()
    return 3


def compile_beside() -> subprocess.Popen[bytes] | None:
    """Start compiling the dynamics in another process; None when that was done before or there is no Python program."""
    program = Path(sys.executable or "")
    if _stamp().exists() or not program.stem.lower().startswith("python"):
        return None
    command = [str(program), "-m", "solver", "warm-up", "--dynamics"]
    silent = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent, cwd=Path(__file__).parents[1])


def _stamp() -> Path:
    """The file beside the compiled kernels that says that they are complete."""
    folder = choose_kernel_cache()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "complete"


def _tiny_scene() -> Scene:
    box = cube()
    above = Surface(box.positions + (0.0, 0.0, 0.49), box.triangles)
    # so stiff that the linear solve uses its coarse level
    material = Material("viscoplastic", {"young_modulus": 1e10, "yield_stress": 10.0, "rate_stress": 100.0, "damping": 1.0})
    moving = np.stack([np.eye(4)] * 4)
    moving[:, 2, 3] = np.linspace(-0.5, -0.45, 4)
    return Scene(
        bodies=(Body("warm_up", "Warm-up", above, material, resolution=3),),
        colliders=(Collider("plane", "Plane", "plane", np.eye(4)[None]), Collider("mesh", "Mesh", "mesh", moving, box)),
        settings=Settings(1, 3),
    )


def cube() -> Surface:
    """Return a unit cube about the origin, twelve triangles."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(triangles, dtype=np.int32))
