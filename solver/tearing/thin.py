"""Where a solid is thinner than its tear thickness between thicker parts, it falls apart (Bargteil 2007, claim B19).

What lies at least half the thickness deep is thick, and a connected part of it is a lump where it is a good deal thicker
somewhere: a stump that has torn before is as thick as its neck was, and no lump. From the lumps, places are given out from the
deepest to the shallowest, as water would run backwards (a watershed of the depth), so that two lumps meet where a neck is
thinnest. Corners, ends and edges are thin too, but hang on one lump only and stay. Films and rings burst (bursting.py).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import generate_binary_structure, grey_dilation, label
from scipy.spatial import cKDTree

from ..tetmesh.compaction import compacted
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh
from ..tetmesh.quality import tet_volumes
from .bursting import holes
from .depth_grid import DepthGrid

Array = NDArray[np.float64]
Labels = NDArray[np.int32]

LUMP = 1.3  # times as thick as the tear thickness
LEVELS = (0.8, 0.6, 0.4, 0.2, 0.0)  # of half the tear thickness: depths at which places are given out
MOST_BETWEEN = 0.2  # of a piece's volume in tets between its parts: more is no neck, but goo in itself, or thin all over
LEAST_SHARE, LEAST_ELEMENTS = 0.03, 4.0  # of its piece's volume and in elements: nothing smaller is torn off


class Torn(NamedTuple):
    """What is left of a mesh that has torn, how many fragments were too small to be left, their volume together [m^3].

    kept (k,) says which tets are left; holes (h, 4) are balls where it has burst, their middles and radii [m].
    """

    mesh: TetMesh
    fragments: int
    volume: float
    kept: NDArray[np.int64]
    holes: Array = np.zeros((0, 4))


def untorn(mesh: TetMesh) -> Torn:
    """A mesh that is left as it is."""
    return Torn(mesh, 0, 0.0, np.arange(len(mesh.tets)))


def torn(mesh: TetMesh, thickness: float, element_size: float) -> Torn:
    """Return the mesh without the tets across which it tears, given the tear thickness [m]; itself where it does not.

    Nothing is torn off that is smaller than LEAST_SHARE of its piece or LEAST_ELEMENTS cells of `element_size` [m].
    """
    if thickness == 0.0:
        return untorn(mesh)
    piece, part = components(mesh.tets), np.zeros(len(mesh.positions), dtype=np.int32)
    burst, found = np.zeros(len(mesh.tets), dtype=bool), []
    for k in range(int(piece.max()) + 1):
        own = mesh.tets[piece == k]
        nodes = np.unique(own)
        alone = compacted(mesh.positions, own)
        parts, balls, gone = _parts(alone, thickness, element_size)
        between = gone | (parts[alone.tets] != parts[alone.tets[:, :1]]).any(axis=1)
        if alone.volumes[between].sum() <= MOST_BETWEEN * alone.volumes.sum():
            part[nodes], burst[piece == k] = parts, gone
            found.append(balls)
    across = (part[mesh.tets] != part[mesh.tets[:, :1]]).any(axis=1) | burst
    if not across.any():
        return untorn(mesh)
    left = mesh.tets[~across]
    piece = components(left)
    volumes = np.bincount(piece, tet_volumes(mesh.positions, left))
    small = volumes < LEAST_ELEMENTS * element_size**3
    kept = np.flatnonzero(~across)[~small[piece]]
    fragments = int(small.sum()), float(volumes[small].sum())
    return Torn(compacted(mesh.positions, mesh.tets[kept]), *fragments, kept, np.concatenate(found))


def _parts(mesh: TetMesh, thickness: float, element_size: float) -> tuple[Labels, Array, NDArray[np.bool_]]:
    """Return which part (n,) each node of a connected mesh belongs to; if all to one, holes (h, 4) that burst in it, and which
    tets (m,) are in them."""
    grid = DepthGrid.of(mesh, thickness, element_size, 0.5 * LUMP * thickness)
    depth, spacing = grid.depth, grid.spacing
    one, whole = np.zeros(len(mesh.positions), dtype=np.int32), np.zeros(len(mesh.tets), dtype=bool)
    # A place on the grid misses the deepest one by half a spacing or so
    seeds, count = label(depth >= 0.5 * (thickness - spacing))
    lumps = np.zeros(count + 1, dtype=bool)
    lumps[seeds[depth >= 0.5 * (LUMP * thickness - spacing)]] = True
    seeds = np.where(lumps[seeds], seeds, 0)
    if not lumps.any():
        return one, np.zeros((0, 4)), whole
    if lumps.sum() == 1:
        return one, *holes(mesh, grid, seeds > 0, thickness, element_size)
    least = max(LEAST_SHARE * (depth > 0.0).sum(), LEAST_ELEMENTS * (element_size / spacing) ** 3)
    parts = _given_out(seeds.astype(np.int32), depth, 0.5 * thickness)
    sizes = np.bincount(parts.ravel(), minlength=count + 1)
    large = sizes >= least
    large[0], large[1 + int(sizes[1:].argmax())] = False, True
    if not large[1:].all():
        parts = _given_out(np.where(large[seeds], seeds, 0).astype(np.int32), depth, 0.5 * thickness)
    known = np.flatnonzero(parts.ravel())
    nearest = cKDTree(grid.places(known)).query(mesh.positions - grid.lower)[1]
    result: Labels = parts.ravel()[known[nearest]]
    if (result == result[0]).all():
        return one, *holes(mesh, grid, seeds > 0, thickness, element_size)
    return result, np.zeros((0, 4)), whole


def _given_out(seeds: Labels, depth: Array, half: float) -> Labels:
    """Return the part of each place of a grid that hangs on a seed: deep places first, nearest seeds first, 0 elsewhere."""
    parts, cross = seeds.copy(), generate_binary_structure(3, 1)
    for lower in LEVELS:
        free = (depth > lower * half) & (parts == 0)
        while True:
            taken = free & (grown := grey_dilation(parts, footprint=cross)).astype(bool)
            if not taken.any():
                break
            parts[taken] = grown[taken]
            free &= ~taken
    return parts
