"""Compile everything that a bake needs, by baking a tiny scene that touches each kernel."""

import tempfile
from pathlib import Path

import numpy as np

from .bake import bake
from .materials import Material
from .scene import Body, Collider, Scene, Settings, Surface


def warm_up() -> int:
    """Bake three frames of a small cube on a plane and a mesh; return the number of frames."""
    cube = cube()
    above = Surface(cube.positions + (0.0, 0.0, 0.49), cube.triangles)
    material = Material("viscoplastic", {"yield_stress": 10.0, "rate_stress": 100.0})
    moving = np.stack([np.eye(4)] * 4)
    moving[:, 2, 3] = np.linspace(-0.5, -0.45, 4)
    scene = Scene(
        bodies=(Body("warm_up", "Warm-up", above, material, resolution=3),),
        colliders=(
            Collider("plane", "Plane", "plane", np.eye(4)[None]),
            Collider("mesh", "Mesh", "mesh", moving, cube),
        ),
        settings=Settings(1, 3),
    )
    with tempfile.TemporaryDirectory() as folder:
        return bake(scene, Path(folder) / "cache")


def cube() -> Surface:
    """Return a unit cube about the origin, twelve triangles."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(triangles, dtype=np.int32))
