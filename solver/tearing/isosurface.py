"""The surface on which a field on a grid of cubes is zero, closed and without a pinch: marching tetrahedra.

Every cube falls into six tets around one of its diagonals, the same in all, so that neighbours meet face to face. No case
is ambiguous, which marching cubes has.
"""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEAREST = 0.02  # of an edge, from its ends, at which a cut may lie: the surface has no triangle without area
# Corners of a cube, numbered 4 x + 2 y + z, of its six tets: ways along its edges from the first to the last
_WAYS = [np.cumsum([0, *way]) for way in permutations((4, 2, 1))]
_EVEN = [round(np.linalg.det(np.eye(3)[[(4, 2, 1).index(step) for step in way]])) > 0 for way in permutations((4, 2, 1))]
_TETS = np.array([way if even else way[[0, 2, 1, 3]] for way, even in zip(_WAYS, _EVEN, strict=True)])
# Triangles of a tet by which corners are inside, as bits: pairs (inside, outside) of the corners between which each vertex lies
_CASES: dict[int, list[list[tuple[int, int]]]] = {}
for _order in ((0, 1, 2, 3), (1, 0, 3, 2), (2, 0, 1, 3), (3, 0, 2, 1)):
    _a, _b, _c, _d = _order  # an even permutation: b, c, d turn counter-clockwise seen from a
    _CASES[1 << _a] = [[(_a, _b), (_a, _c), (_a, _d)]]
    _CASES[15 - (1 << _a)] = [[(_b, _a), (_d, _a), (_c, _a)]]
for _a, _b, _c, _d in ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 2, 0), (2, 3, 0, 1)):
    _CASES[(1 << _a) | (1 << _b)] = [[(_a, _c), (_a, _d), (_b, _d)], [(_a, _c), (_b, _d), (_b, _c)]]


def isosurface(field: Array) -> tuple[Array, NDArray[np.int32]]:
    """Return vertices (n, 3) in grid units and triangles (t, 3) around where a field (nx, ny, nz) is positive.

    Triangles are counter-clockwise seen from outside. The field must not be positive on the grid's border.
    """
    shape = np.array(field.shape)
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) @ strides
    inside = field.ravel() > 0.0
    cubes = np.stack(np.meshgrid(*(np.arange(n - 1) for n in shape), indexing="ij"), axis=-1).reshape(-1, 3) @ strides
    mixed = inside[cubes[:, None] + corners]
    cubes = cubes[mixed.any(axis=1) & ~mixed.all(axis=1)]
    tets = (cubes[:, None, None] + corners[_TETS]).reshape(-1, 4)
    case = inside[tets] @ (1 << np.arange(4))
    faces = [
        np.stack([np.stack([tets[case == code][:, a], tets[case == code][:, b]], axis=1) for a, b in triangle], axis=1)
        for code, triangles in _CASES.items()
        for triangle in triangles
    ]
    ends = np.concatenate(faces).reshape(-1, 2)
    names, numbered = np.unique(ends, axis=0, return_inverse=True)
    values = field.ravel()[names]
    share = np.clip(values[:, 0] / (values[:, 0] - values[:, 1]), NEAREST, 1.0 - NEAREST)[:, None]
    first, second = (np.stack(np.unravel_index(names[:, k], field.shape), axis=1) for k in (0, 1))
    return first + share * (second - first), numbered.reshape(-1, 3).astype(np.int32)
