"""Compile what new tets take, by remeshing a cube, closing a crease and refining a surface."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .materials.elasticity import laws
from .scene import Scene, Surface
from .warm_up import SIX_TETS, Needs, cube, named_stamp, one_cube

if TYPE_CHECKING:
    from .tetmesh.mesh import TetMesh

WARM_CELL = 0.3  # of a cube that is remeshed, its side being 1


def warm_up_remeshing(scene: Scene) -> None:
    """Compile what new tets take, where a body of the scene may get them: no frame is to wait for it in the middle of a bake.

    A bake does so itself, while another process compiles the dynamics.
    """
    wanted = {body.remesher for body in scene.bodies if body.remeshing != "off"}
    left = sorted(name for name in wanted if not named_stamp(f"remeshing_{name}").exists())
    if not left:
        return
    from .embedding import bind
    from .remesh.condition import conditions
    from .remesh.own_sheet import own_binding
    from .remesh.record import mesh_change
    from .remesh.remeshers import remeshed_sheets
    from .remesh.restuffing import lattice_turn
    from .remesh.strayed import gathered
    from .remesh.transfer import transferred
    from .state import build_state
    from .tetmesh.mesh import TetMesh, joined_meshes

    old = TetMesh(cube().positions @ lattice_turn(1), SIX_TETS)
    state, _ = build_state((one_cube(Needs(next(iter(laws())))),), [old])
    twice = joined_meshes([old, TetMesh(old.positions + 0.3, old.tets)])  # it lies in itself
    for name in left:
        for filled in (old,) if name == "variational" else (old, twice):
            new, sheets = remeshed_sheets(name, filled, WARM_CELL)
            change = mesh_change(filled, new, sheets)
            bound, seen = bind(new, filled.positions), Surface(filled.positions, filled.faces.boundary)
            gathered(bound, bound, seen, new, WARM_CELL)
            if sheets is not None:
                carrying = np.zeros(len(filled.positions), dtype=np.int32)
                own_binding(bound, filled.positions, carrying, change, sheets.at_fold)
            elif filled is old:
                transferred(state, change, 0.01, counted=True)
        conditions(state.rest_shape_inverse)
        _close_a_crease()
        _refine(old)
        named_stamp(f"remeshing_{name}").touch()


def _close_a_crease() -> None:
    """Compile what closes creases, on a band between two squares."""
    from .geometry.banding import banded
    from .geometry.edge_crossings import crossing_pairs
    from .geometry.triangle_tree import triangle_tree

    places = cube().positions
    banded(places, [0, 1, 3, 2], [4, 6, 7, 5], set())
    crossing_pairs(triangle_tree(places, cube().triangles))


def _refine(mesh: "TetMesh") -> None:
    """Compile what refines and cleans what is seen, on the boundary of a mesh."""
    from .embedding import at_nodes
    from .geometry.decimation import collapsed
    from .refining.grain import Grain
    from .refining.refinement import coarseness, refined

    seen = Surface(mesh.positions, mesh.faces.boundary)
    body = replace(one_cube(Needs(next(iter(laws())))), surface=seen, remeshing="wholesale")
    grain, nobody = Grain.at_rest(body), np.zeros(0, dtype=np.int64)
    drawn = Surface(3.0 * seen.positions, seen.triangles)
    coarseness(drawn, grain, 1.5, WARM_CELL)
    refined(drawn, at_nodes(mesh), at_nodes(mesh), grain, mesh.moved(drawn.positions), 1.5, WARM_CELL, len(seen.triangles))
    still = np.ones(len(seen.positions), dtype=bool)
    collapsed(seen.positions, seen.triangles, np.full(len(still), -1, dtype=np.int64), nobody, still, 1.0, 0.1)
