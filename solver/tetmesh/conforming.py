"""Tets whose boundary is the artist's own surface, by tetgen; for clean closed meshes only."""

import contextlib
import tempfile

import numpy as np
from numpy.typing import NDArray

from ..errors import MeshingError
from ..geometry.measures import box_middle
from ..geometry.orientation import Oriented, oriented
from ..geometry.triangle_tree import triangle_tree
from ..geometry.winding import winding_numbers, winding_tree
from ..scene import Surface
from .compaction import compacted
from .manifold import manifold_tets
from .mesh import TetMesh
from .quality import tet_volumes
from .slivers import without_slivers

USE_CAGE = "Set Filling to Cage, which takes any mesh, or repair the mesh."
# These are asked of tetgen, which keeps them but for one sliver of 4 to 10 degrees in a few hundred tets, and for many near
# a sharp point, as a cone's, that go down to 0.03; other settings do no better. slivers.py lifts the former over 11 degrees.
SMALLEST_DIHEDRAL = 10.0  # [deg]
LARGEST_DIHEDRAL = 150.0
LARGEST_RATIO = 1.5  # circumscribed radius to shortest edge


def conforming(surface: Surface, element_size: float) -> TetMesh:
    """Return tets that fill the surface, no larger than those of a lattice of cells of `element_size` [m].

    Raises MeshingError when the surface is open, not manifold or crosses itself, and offers the cage.
    Source: Si 2015 (TetGen).
    """
    middle = box_middle(surface.positions)
    extent = float(np.ptp(surface.positions, axis=0).max())
    faces = oriented(surface.positions, surface.triangles)
    _check(faces)
    # tetgen's tolerances are absolute in places: hand it a body of unit size at the origin.
    positions = (surface.positions - middle) / extent
    used, numbered = np.unique(faces.weld, return_inverse=True)
    triangles = numbered.reshape(-1, 3).astype(np.int32)
    points, tets = _tetgen(positions[used], triangles, (element_size / extent) ** 3 / 6.0)
    points, tets = without_slivers(points, _without_cavities(points, tets, positions[used], triangles))
    tets = manifold_tets(np.ascontiguousarray(tets, dtype=np.int32))
    return compacted(points * extent + middle, tets)


def _check(faces: Oriented) -> None:
    if not len(faces.triangles):
        raise MeshingError("Its faces have no area.", remedy="Give it a volume, for instance with a Solidify modifier.")
    edges = faces.edges
    if edges.open_edges:
        raise MeshingError(f"It is open at {edges.open_edges} edges, so it cannot be filled as it is.", remedy=USE_CAGE)
    if edges.non_manifold_edges:
        raise MeshingError(
            f"At {edges.non_manifold_edges} of its edges more than two faces meet, so its inside is not defined.",
            remedy=USE_CAGE,
        )


def _tetgen(
    positions: NDArray[np.float64], triangles: NDArray[np.int32], largest_volume: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    try:
        import tetgen
    except ImportError:
        raise MeshingError("This installation has no tetgen.", remedy="Set Filling to Cage.") from None
    mesher = tetgen.TetGen(positions, triangles)
    try:
        # Of faces that cross it leaves lists in the working folder, which may be the artist's or read-only.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            points, tets, *_ = mesher.tetrahedralize(
                quality=True,
                minratio=LARGEST_RATIO,
                mindihedral=SMALLEST_DIHEDRAL,
                fixedvolume=True,
                maxvolume=largest_volume,
                optmaxdihedral=LARGEST_DIHEDRAL,
                opt_iterations=10,
                quiet=True,
            )
    except RuntimeError as error:
        raise MeshingError("Its faces cross each other, or lie too close, for tetgen.", remedy=USE_CAGE) from error
    points, tets = np.ascontiguousarray(points, dtype=np.float64), np.asarray(tets)[:, :4].astype(np.int32)
    volumes = tet_volumes(points, tets)
    tets[volumes < 0.0] = tets[volumes < 0.0][:, [0, 1, 3, 2]]
    if not len(tets) or not (np.abs(volumes) > 0.0).all():
        raise MeshingError("Filling it leaves tets without volume.", remedy=USE_CAGE)
    return points, tets


def _without_cavities(
    points: NDArray[np.float64], tets: NDArray[np.int32], positions: NDArray[np.float64], triangles: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Drop the tets in hollow spaces: tetgen fills whatever a shell encloses."""
    winding = winding_numbers(winding_tree(triangle_tree(positions, triangles)), points[tets].mean(axis=1))
    inside: NDArray[np.int32] = tets[np.abs(winding) > 0.5]
    return inside
