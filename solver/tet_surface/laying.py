"""The surface of a body's own tets, laid where what was seen of it before is.

Its vertices are carried by Loop's weights of the boundary's nodes (refinement.py). These are fixed until the body gets new
tets, so what is seen is a smooth function of where nodes are, and the lattice's facets do not show in it. When tets are new, a
vertex is put where the old surface is next to it: the boundary is parted and laid on that, level by level, so that neither what
is round nor what is sharp is lost but for chords. What is finer than a tet is then smoothed away (Taubin 1995), and each piece
is moved evenly along its normals until it has its volume. What Loop's weights miss of where a vertex lies goes with the tets
around it, as what is seen outside of a cage does (geometry/spread_weights.py). Where nothing that faces the same way is near,
as in the seam of pieces that have merged, the surface is spanned between what lies around. What is thin beside its tets goes
by the weights of those that hold it instead (thin.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from ..embedding import Binding, Spread, bind_surface, evaluate
from ..fem.extension import carrying_matrix
from ..geometry.edge_crossings import crossing_vertices
from ..geometry.measures import area_vectors, signed_volumes, vertex_area_vectors
from ..geometry.spread_weights import spread_rows
from ..geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from ..lookup import Lookup
from ..surface import Surface
from ..tetmesh.mesh import TetMesh
from .refinement import Refined, neighbours, refined
from .thin import thinness

Array = NDArray[np.float64]

NEAR = 0.5  # element sizes from its boundary up to which the old surface is looked for
DEEPEST = 0.2  # and up to which within it at first: what is deeper is a side of a gap that tets leave in it
INWARDS = (0.0, 0.25, 0.5, 0.75)  # and so far below it, where what is near faces away: the other side of a fold is nearer there
EVENED = 60  # rounds in which what has found nothing comes to lie evenly between what has
SPANNED = 3  # times that what has found nothing is spanned, and what lies folded is taken for that
FARTHEST = 0.05  # element sizes by which a surface is moved at most to give pieces their volume
ROUNDS = 4
TAUBIN_ROUNDS, TAUBIN_SHRINKING, TAUBIN_GROWING = 10, 0.5, -0.53  # Taubin 1995: what is coarse neither shrinks nor grows
MOST_SMOOTHED = 0.1  # element sizes that smoothing moves a vertex by at most
EXACT = 1e-9  # share of a volume that is left
PARTED = 40  # times that what passes through itself is brought nearer to its neighbours,
EASED, EASING = 3, 0.5  # each time so often by this share of the way


@dataclass(frozen=True)
class Laid:
    """A surface laid on tets: where it lies, what binds its vertices and its contact points."""

    surface: Surface
    bound: Binding
    contacts: Binding

    def as_in(self, triangles: NDArray[np.int32]) -> "Laid":
        """The same with its triangles in another order."""
        return replace(self, surface=Surface(self.surface.positions, triangles))


def laid_surface(
    mesh: TetMesh, old: Surface, times: int, element_size: float, spacing: float, wanted: Array | None = None
) -> Laid:
    """Return the boundary of a mesh, parted so many times, laid on an old surface whose triangles face outwards.

    element_size [m]; points that carry contact are `spacing` [m] apart; wanted (p,) is the volume that what is seen of each
    piece of the mesh is to have [m^3], None: what it has.
    """
    here, faces = mesh.centred, mesh.faces
    parts = refined(faces.boundary, len(mesh.positions), times)
    tree = triangle_tree(old.positions - mesh.middle, old.triangles)
    loop = np.asarray(parts.weights @ here.positions)
    piece = np.asarray(mesh.piece[faces.tet[parts.face]], dtype=np.int64)
    owner = np.zeros(len(loop), dtype=np.int64)
    owner[parts.triangles] = piece[:, None]
    joined = neighbours(_ends(parts.triangles), len(loop))
    means = csr_matrix(diags(1.0 / np.asarray(joined.sum(axis=1)).ravel()) @ joined)
    found = _found(parts, here.positions, tree, element_size)
    alone = np.isnan(found[:, 0]) & ~np.isin(owner, owner[~np.isnan(found[:, 0])])
    found[alone] = loop[alone]  # of a piece that lies near nothing
    places = _spanned(found, tree, parts, means, element_size)
    places = _smoothed(places, means, MOST_SMOOTHED * element_size)
    places = _with_volumes(places, parts.triangles, piece, wanted, element_size)
    places = _parted(places, parts.triangles, means, lambda p: _with_volumes(p, parts.triangles, piece, wanted, element_size))
    thin = thinness(places, loop, parts.triangles, means, element_size)
    return _bound(mesh, Surface(places, parts.triangles), loop, parts, spacing, thin)


def _found(parts: Refined, nodes: Array, old: TriangleTree, element_size: float) -> Array:
    """Where on the old surface vertices are to lie (k, 3), level by level; not a number where nothing of it is near."""
    places = nodes[parts.nodes]
    found = _on(old, places, parts.first, element_size, DEEPEST)
    for level in parts.levels:
        known = ~np.isnan(found[:, 0])
        places = np.where(known[:, None], found, places)
        middles = places[level.ends].mean(axis=1)
        places = np.concatenate([places, middles])
        fresh = _on(old, places, level.triangles, element_size, DEEPEST)[len(found) :]
        fresh[~known[level.ends].any(axis=1)] = np.nan
        found = np.concatenate([found, fresh])
    return found


def _on(
    old: TriangleTree, places: Array, triangles: NDArray[np.int32], element_size: float, deepest: float = NEAR
) -> Array:
    """The closest points (k, 3) of the old surface to the vertices of another; not a number where it is far or faces away.

    Or where they lie deeper within it than so many element sizes.
    """
    points, normals = np.full_like(places, np.nan), vertex_area_vectors(places, triangles)
    inwards = normals / np.maximum(np.sqrt((normals**2).sum(axis=1, keepdims=True)), 1e-300)
    for depth in INWARDS:
        left = np.flatnonzero(np.isnan(points[:, 0]))
        near = closest_points(old, places[left] - depth * element_size * inwards[left], NEAR * element_size)
        hit = near.triangle >= 0
        corners = old.triangles[np.where(hit, near.triangle, 0)]
        feet = np.einsum("ki,kid->kd", near.weights, old.positions[corners])
        out = area_vectors(old.positions, corners)
        away = places[left] - feet
        deep = (away * out).sum(axis=1) < 0.0
        deep &= (away**2).sum(axis=1) > (deepest * element_size) ** 2
        agrees = hit & ~deep & (np.einsum("ki,ki->k", out, normals[left]) > 0.0)
        points[left[agrees]] = feet[agrees]
    return points


def _spanned(found: Array, old: TriangleTree, parts: Refined, means: csr_matrix, element_size: float) -> Array:
    """Vertices (k, 3) where they have been found, and all others spanned between them, on the old surface where it is near.

    A gap that new tets leave in what was seen, where that is thinner than they are, as at a rim, is so spanned by its sides.
    Those of triangles that would face away from the old surface count as not found.
    """
    for _ in range(SPANNED):
        places = _even(found, means)
        unknown = np.isnan(found[:, 0])
        found[unknown] = _on(old, places, parts.triangles, element_size)[unknown]
        places = _even(found, means)
        near = closest_points(old, places)
        facing = area_vectors(old.positions, old.triangles[near.triangle])
        vectors = area_vectors(places, parts.triangles)
        turned = (facing[parts.triangles] * vectors[:, None]).sum(axis=2).max(axis=1) <= 0.0
        if not turned.any():
            break
        found[parts.triangles[turned]] = np.nan
    return _even(found, means)


def _even(places: Array, means: csr_matrix) -> Array:
    """Vertices (k, 3), those that are not numbers as even between the others as can be."""
    unknown = np.isnan(places[:, 0])
    if not unknown.any():
        return places
    places = _nearest_known(places, means)
    rows = means[unknown]
    for _ in range(EVENED):
        places[unknown] = rows @ places
    return places


def _nearest_known(places: Array, means: csr_matrix) -> Array:
    """Vertices (k, 3), those that are not numbers at the mean of their neighbours that are, ring by ring."""
    places = places.copy()
    while True:
        known = ~np.isnan(places[:, 0])
        count = means @ known.astype(np.float64)
        fresh = ~known & (count > 0.0)
        if not fresh.any():
            return np.nan_to_num(places)
        places[fresh] = (means @ np.where(known[:, None], places, 0.0))[fresh] / count[fresh, None]


def _ends(triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The edges (e, 2) of a closed surface, each once."""
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    return np.asarray(sides[sides[:, 0] < sides[:, 1]])


def _smoothed(places: Array, means: csr_matrix, most: float) -> Array:
    """Vertices (k, 3) with what is finer than tets taken from between them, none moved further than `most` [m]."""
    smooth = places
    for _ in range(TAUBIN_ROUNDS):
        for share in (TAUBIN_SHRINKING, TAUBIN_GROWING):
            smooth = smooth + share * (means @ smooth - smooth)
    way = smooth - places
    length = np.sqrt((way**2).sum(axis=1, keepdims=True))
    return np.asarray(places + way * (most / (most + length)))


def _with_volumes(
    places: Array, triangles: NDArray[np.int32], piece: NDArray[np.int64], wanted: Array | None, element_size: float
) -> Array:
    """Vertices (k, 3) of each piece moved evenly along their normals until it has the volume wanted (p,), not far."""
    if wanted is None:
        return places
    owner = np.zeros(len(places), dtype=np.int64)
    owner[triangles] = piece[:, None]
    moved = np.zeros(len(wanted))
    for _ in range(ROUNDS):
        missing = wanted - np.bincount(piece, signed_volumes(places, triangles), len(wanted))
        if (np.abs(missing) <= EXACT * wanted).all():
            break
        vectors = vertex_area_vectors(places, triangles)
        area = np.sqrt((vectors**2).sum(axis=1))
        gained = np.bincount(owner, area, len(wanted))
        step = np.clip(moved + missing / np.maximum(gained, 1e-300), -FARTHEST * element_size, FARTHEST * element_size) - moved
        places = places + (step[owner] / np.maximum(area, 1e-300))[:, None] * vectors
        moved += step
    return places


def _parted(
    places: Array, triangles: NDArray[np.int32], means: csr_matrix, with_volumes: Callable[[Array], Array]
) -> Array:
    """Vertices (k, 3), those of triangles that pass through others drawn to their neighbours, and more and more around them."""
    around, exact = np.zeros(len(places), dtype=bool), True
    for _ in range(PARTED):
        crossing = crossing_vertices(triangle_tree(places, triangles))
        if not len(crossing):
            if exact:
                break
            places, exact = with_volumes(places), True
            continue
        exact = False
        around[crossing] = True
        around |= means @ around > 0.0
        rows = means[around]
        for _ in range(EASED):
            places[around] += EASING * (rows @ places - places[around])
    return places


def _bound(mesh: TetMesh, about: Surface, loop: Array, parts: Refined, spacing: float, thin: Array) -> Laid:
    """The surface about the mesh's middle, back in the world, and its bindings; thin (k,) says how thin it is at its vertices.

    A point that carries contact goes with the surface's vertices around it. All rest on the boundary's triangle that they are
    parts of, by Loop's weights of its corners: where limbs are thin the closest one may be on their other side, and to press on
    that would not move what is seen here, or move it the wrong way. What goes by the tet that holds it rests on that.
    """
    look = Lookup.about(mesh.centred, about.positions)
    seen = Surface(about.positions + mesh.middle, about.triangles)
    bound, contacts = bind_surface(seen, mesh, spacing, look)
    held = carrying_matrix(bound, mesh.tets, len(mesh.positions))
    rows = parts.weights + _carried_offsets(look, about.positions - loop)
    rows = csr_matrix(diags(1.0 - thin) @ rows + diags(thin) @ held)
    found = closest_points(triangle_tree(seen.positions, seen.triangles), evaluate(contacts, mesh.tets, mesh.positions))
    corners = seen.triangles[found.triangle]
    start = np.arange(0, 3 * len(corners) + 1, 3)
    shares = csr_matrix((found.weights.ravel(), corners.ravel(), start), shape=(len(corners), len(seen.positions)))
    around = np.empty(len(seen.positions), dtype=np.int64)
    around[seen.triangles] = np.arange(len(seen.triangles))[:, None]
    bound = _resting(bound, mesh, parts.face[around], parts.weights, thin)
    contacts = _resting(contacts, mesh, parts.face[found.triangle], csr_matrix(shares @ parts.weights), shares @ thin)
    return Laid(seen, _by_rows(bound, rows), _by_rows(contacts, csr_matrix(shares @ rows)))


def _resting(binding: Binding, mesh: TetMesh, face: NDArray[np.int64], loop: csr_matrix, thin: Array) -> Binding:
    """The binding with its points (k,) on triangles of the boundary, by what Loop's weights (k, n) say of their corners.

    But for those that are thin (k,), and held by a tet.
    """
    held = (thin > 0.5) & (binding.weights >= 0.0).all(axis=1)
    tets, every = mesh.faces.tet[face], np.arange(len(face))[:, None]
    corners = np.asarray(loop[every, mesh.tets[tets]].todense())
    corners *= (mesh.tets[tets][:, :, None] == mesh.faces.boundary[face][:, None]).any(axis=2)
    corners /= corners.sum(axis=1, keepdims=True)
    tets = np.where(held, binding.tets, tets).astype(np.int32)
    return replace(binding, tets=tets, weights=np.where(held[:, None], binding.weights, corners))


def _carried_offsets(look: Lookup, offsets: Array) -> csr_matrix:
    """The matrix (k, n) that gives F o of offsets (k, 3), with the mean deformation gradient of the tets around them."""
    mesh, triangle = look.mesh, look.closest.triangle
    corners = mesh.faces.boundary[triangle]
    foot = np.einsum("ri,rid->rd", look.closest.weights, mesh.positions[corners])
    start, nodes, weights = spread_rows(
        mesh.tree, mesh.positions, mesh.tets, mesh.piece, mesh.faces.tet[triangle], foot, offsets, corners,
        np.zeros_like(look.closest.weights), mesh.mean_edge,
    )  # fmt: skip
    return csr_matrix((weights, nodes, start), shape=(len(offsets), len(mesh.positions)))


def _by_rows(binding: Binding, rows: csr_matrix) -> Binding:
    """The binding with all its points carried by the rows of a matrix (k, n)."""
    rows.sort_indices()
    every = np.arange(rows.shape[0], dtype=np.int64)
    spread = Spread(every, rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data)
    return replace(binding, spread=spread)
