"""What is new is carried by the tets that its neighbours lead to, in a fold or outside of all tets, and moves with them."""

import numpy as np
import pytest

from solver.embedding import bind, evaluate
from solver.refining.grain import Grain, joined_grains
from solver.refining.refinement import coarseness, refined
from solver.surface import Surface
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.remesh.folded import bent, skin
from tests.surfaces import box

SIZE, THICK = 0.2, 0.4


def even_grain(count: int, length: float) -> Grain:
    """As if all edges had been so long at the start, and slivers at each of them."""
    return Grain(np.full(count, length), np.zeros(count), np.zeros(count), np.zeros(count, dtype=bool))


@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("gap", [-0.3, 0.02, 1.0])
def test_each_side_of_a_fold_carries_its_own(gap, lasting):
    """Arms that lie in each other: laid flat again by their tets, new vertices lie between those that were there."""
    seen, flat_places = skin(gap, THICK)
    flat = cage(box((4.0, 1.0, THICK)), SIZE)
    mesh, bound = TetMesh(bent(flat.positions, gap, THICK), flat.tets), bind(flat, flat_places)
    grain = even_grain(len(seen.positions), 0.06)
    here = Surface(evaluate(bound, mesh.tets, mesh.positions), seen.triangles)
    made = refined(here, bound, bound, grain, mesh, 1.1, 0.1, 10**5, lasting)
    assert made is not None and len(made.cut.positions) > 2.5 * len(seen.positions)
    now = evaluate(made.surface, mesh.tets, mesh.positions)
    assert np.abs(now - made.cut.positions).max() < 1e-9
    own = made.surface.taken(np.arange(len(made.cut.kept)))
    assert (own.tets == bound.tets).all() and own.weights.tobytes() == bound.weights.tobytes()
    laid = evaluate(made.surface, mesh.tets, flat.positions)[len(made.cut.kept) :]
    corners = flat_places[made.cut.old_triangles[made.cut.vertices.triangles]]
    between = np.einsum("kij,ki->kj", corners, made.cut.vertices.weights)
    off = np.abs(laid - between).max(axis=1)
    assert off[np.abs(between[:, 0]) > 0.6].max() < 0.3 * SIZE and off.max() < 2.0 * SIZE  # the hinge is crumpled
    assert coarseness(Surface(now, made.cut.triangles), grain.after(made.cut, seams=False), 1.1, 0.1) < 1.01


def test_grain_goes_over_a_change_and_a_merge():
    """What is new has what lay between, is fixed where all around is; of a cut all that it met is."""
    seen, _ = skin(1.0, THICK)
    fixed = seen.positions[:, 1] > 0.45
    grain = Grain(seen.positions[:, 0] + 9.0, seen.positions[:, 1] + 9.0, seen.positions[:, 2] + 9.0, fixed)
    flat = cage(box((4.0, 1.0, THICK)), SIZE)
    mesh = TetMesh(bent(flat.positions, 1.0, THICK), flat.tets)
    bound = bind(mesh, seen.positions)
    made = refined(seen, bound, bound, grain, mesh, 0.012, 0.1, 10**5)
    assert made is not None
    new = grain.after(made.cut, seams=False)
    values = np.stack([new.longest, new.shortest, new.stout], axis=1)
    assert np.abs(values - 9.0 - made.cut.positions).max() < 1e-9 and len(values) > 1.5 * len(seen.positions)
    fresh = new.fixed[len(made.cut.kept) :]
    inside = made.cut.positions[len(made.cut.kept) :, 1] > 0.45
    assert fresh.any() and (fresh <= inside).all()
    seams = grain.after(made.cut, seams=True)
    assert seams.fixed[made.cut.triangles[~made.cut.whole]].all()
    both = joined_grains([grain, new])
    assert len(both.longest) == len(both.fixed) == len(fixed) + len(values) and (both.fixed[: len(fixed)] == fixed).all()
