"""What is seen of a body that merges and keeps its tets, since new ones would be thicker than it is somewhere, or are refused:
where it passes through itself its creases are closed all the same, or more and more of it would."""

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, evaluate
from ..merging.unfolding import unfolded
from ..refining.refinement import bound_again, with_standby
from ..scene import Body
from ..surface import Surface
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh
from ..topology.body_change import BodyChange

Array = NDArray[np.float64]

EXACT = 1e-6  # element sizes
FLATTEST = 1e-3  # volume of a tet over the cube of its longest edge: in flatter ones nothing is moved


def creases_alone(
    body: Body, element_size: float, mesh: TetMesh, seen: Surface, soon: Array | None, bound: Binding, contacts: Binding
) -> BodyChange | None:
    """Return the change of what is seen of a body alone, on the tets that it has, of a size [m]; None where it has none.

    It is bound to them, and so are contact points; `soon` (n, 3) is where its vertices will be, None if it does not merge.
    """
    if soon is None or body.seen != "artist":
        return None
    cuts = unfolded(seen, soon, components(mesh.tets)[bound.tets].astype(np.int32), element_size)
    for cut in cuts:
        bound = _placed(bound_again(bound, cut, mesh, lasting=True), cut.positions, mesh, EXACT * element_size)
        contacts = with_standby(contacts, bound, len(cut.kept))
        seen = Surface(cut.positions, cut.triangles)
    return BodyChange(seen, bound, contacts, tuple(cuts)) if cuts else None


def _placed(bound: Binding, places: Array, mesh: TetMesh, exact: float) -> Binding:
    """A binding with those of its points that are not within `exact` [m] of places (n, 3) there, by the tets that carry them:
    what a crease's band has moved, and what lies in its middle, outside of all tets."""
    away = np.sqrt(((evaluate(bound, mesh.tets, mesh.positions) - places) ** 2).sum(axis=1))
    corners = mesh.positions[mesh.tets[bound.tets]]
    edges = corners[:, 1:] - corners[:, :1]
    longest = np.sqrt((edges**2).sum(axis=2).max(axis=1))
    off = (away > exact) & (np.abs(np.linalg.det(edges)) > 6.0 * FLATTEST * longest**3)
    shares = np.linalg.solve(np.swapaxes(edges[off], 1, 2), (places - corners[:, 0])[off][:, :, None])[:, :, 0]
    weights = bound.weights.copy()
    weights[off] = np.concatenate([1.0 - shares.sum(axis=1, keepdims=True), shares], axis=1)
    return Binding(bound.tets, weights, bound.spread and bound.spread.without(off), bound.standby)
