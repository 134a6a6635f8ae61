"""Booleans of closed triangle surfaces, which say of every triangle which one it is a part of.

Those of solids are manifold3d's, fast and robust, but they ask for solids that do not pass through themselves. A surface that
does is united with itself by libigl, in exact arithmetic.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.edge_crossings import crossing_pairs
from ..geometry.triangle_tree import triangle_tree
from ..surface import Surface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

MOST = 10_000  # pairs of triangles that pass through each other, of a surface that is united with itself
INNER = -1  # origin of a triangle that was not there before
Made = tuple[Array, NDArray[np.int64], NDArray[np.int64]]  # vertices (n, 3), triangles (t, 3), the origin (t,) of each, rising


def difference(surface: Surface, solid: Surface) -> Made | None:
    """A surface less a solid."""
    import manifold3d  # at hand only where something tears: 10 ms to load

    first = int(manifold3d.Manifold.reserve_ids(2))
    solids = _manifold(manifold3d, surface, first), _manifold(manifold3d, solid, first + 1)
    return _made(manifold3d, solids[0] - solids[1], first, len(surface.triangles))


def union(surface: Surface, part: IntArray) -> Made | None:
    """The parts (t,) of a surface united, and after them what belongs to none."""
    import manifold3d

    first = int(manifold3d.Manifold.reserve_ids(1))
    names = [np.flatnonzero(part == k) for k in range(int(part.max()) + 1)]
    solids = [_manifold(manifold3d, surface, first, own) for own in names]
    made = _made(manifold3d, manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add), first, len(surface.triangles))
    if made is None:
        return None
    return _with_others(made, surface, part >= 0)


def self_union(surface: Surface, own: NDArray[np.bool_]) -> Made | None:
    """A surface's own triangles (t,) united with themselves, in exact arithmetic, and the others; None of nothing.

    None too where they do not close around what is within: of each place it must be clear how often it lies inside; and where
    more than MOST pairs of them pass through each other, at 2.5 ms each.
    """
    os.environ["IGL_NUM_THREADS"] = "1"  # it reads that once; by several threads triangles come in another order at each run
    import igl.copyleft.cgal as exact  # at hand only where something folds too deep for all else: 0.2 s to load

    names = np.flatnonzero(own)
    used, numbered = np.unique(surface.triangles[names], return_inverse=True)
    solid = np.ascontiguousarray(surface.positions[used]), numbered.reshape(-1, 3).astype(np.int64)
    if len(crossing_pairs(triangle_tree(solid[0], solid[1].astype(np.int32)))) > MOST:
        return None
    try:
        places, triangles, origin = exact.mesh_boolean(*solid, type_str="union")
    except RuntimeError:  # libigl's word for that
        return None
    made = np.asarray(places), np.asarray(triangles), names[np.asarray(origin)]
    return _with_others(made, surface, own) if len(triangles) else None


def _with_others(made: Made, surface: Surface, own: NDArray[np.bool_]) -> Made:
    """What a boolean has made of a surface's own triangles (t,), and the others."""
    others = np.flatnonzero(~own)
    places = np.concatenate([made[0], surface.positions])
    triangles = np.concatenate([made[1], surface.triangles[others].astype(np.int64) + len(made[0])])
    origin = np.concatenate([made[2], others])
    order = np.argsort(origin, kind="stable")
    return places, triangles[order], origin[order]


def united_solids(
    positions: Array, solids: list[tuple[IntArray, NDArray[np.int64]]], hollows: list[tuple[IntArray, NDArray[np.int64]]],
    count: int,
) -> Made | None:  # fmt: skip
    """Closed shells as one solid, less hollows in it, all turned outwards; each of triangles (k, 3) and their origins (k,).

    count is how many triangles there may be that origins name, besides INNER.
    """
    import manifold3d

    first = int(manifold3d.Manifold.reserve_ids(2))

    def solid(triangles: IntArray, origin: NDArray[np.int64]) -> Any:
        own = Surface(positions, triangles)
        names = np.where(origin == INNER, count, origin)
        return _manifold(manifold3d, own, first, names=names)

    whole = manifold3d.Manifold.batch_boolean([solid(*shell) for shell in solids], manifold3d.OpType.Add)
    if hollows:
        whole -= manifold3d.Manifold.batch_boolean([solid(*shell) for shell in hollows], manifold3d.OpType.Add)
    made = _made(manifold3d, whole, first, count)
    if made is None:
        return None
    places, triangles, origin = made
    return places, triangles, np.where(origin == count, INNER, origin)


def _made(manifold3d: Any, solid: Any, first: int, count: int) -> Made | None:
    """What a boolean has made of a surface of so many triangles, which it knows by its number `first`; None of nothing."""
    if solid.status() != manifold3d.Error.NoError or solid.is_empty():
        return None
    mesh = solid.to_mesh64()
    triangles = np.asarray(mesh.tri_verts).astype(np.int64)
    lengths = np.diff(np.asarray(mesh.run_index).astype(np.int64)) // 3
    owner = np.repeat(np.asarray(mesh.run_original_id, dtype=np.int64), lengths)
    origin = np.where(owner == first, np.asarray(mesh.face_id).astype(np.int64), INNER)
    order = np.argsort(np.where(origin == INNER, count, origin), kind="stable")
    return np.asarray(mesh.vert_properties), triangles[order], origin[order]


def _manifold(
    manifold3d: Any, surface: Surface, identifier: int, own: NDArray[np.int64] | None = None,
    names: NDArray[np.int64] | None = None,
) -> Any:  # fmt: skip
    """The solid of a surface, or of its own triangles by number, with that number as the name of each, or with `names`."""
    own = np.arange(len(surface.triangles)) if own is None else own
    count, (used, numbered) = len(own), np.unique(surface.triangles[own], return_inverse=True)
    mesh = manifold3d.Mesh64(
        vert_properties=np.ascontiguousarray(surface.positions[used]),
        tri_verts=numbered.reshape(-1, 3).astype(np.uint64),
        face_id=(own if names is None else names).astype(np.uint64),
        run_original_id=np.array([identifier], dtype=np.uint32),
        run_index=np.array([0, 3 * count], dtype=np.uint64),
    )
    return manifold3d.Manifold(mesh)
