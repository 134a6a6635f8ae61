"""Tets that hold many points, which go down a tree in packets, are those that each finds by itself, to the last bit."""

import numpy as np
import pytest

from solver.geometry.packets import PACKET
from solver.geometry.tet_location import DENSE
from tests.remesh.shapes import ball


@pytest.fixture(scope="module")
def mesh():
    return ball(0.25)


def places(mesh, kind):
    rng = np.random.default_rng(15)
    corners = mesh.positions[mesh.tets]
    if kind == "shared":  # by the two tets of a face, the ring of an edge, all around a node
        return np.concatenate([corners[:, 1:].mean(axis=1), 0.5 * (corners[:, 0] + corners[:, 2]), mesh.positions])
    if kind == "inside":
        return np.concatenate([corners.mean(axis=1), np.einsum("tc,tcd->td", rng.dirichlet(np.ones(4), len(corners)), corners)])
    return rng.normal(size=(len(corners), 3)) * (0.8 if kind == "anywhere" else 1e-4)


@pytest.mark.parametrize("moved", [0.0, 50.0])
@pytest.mark.parametrize("kind", ["shared", "inside", "anywhere", "about one node"])
def test_packets_find_what_each_point_finds_by_itself(mesh, kind, moved):
    points, mesh = places(mesh, kind) + moved, mesh.moved(mesh.positions + moved)
    assert DENSE * len(points) > len(mesh.tets)
    tets, weights = mesh.located(points)
    parts = [mesh.located(points[k : k + PACKET - 1]) for k in range(0, len(points), PACKET - 1)]
    assert tets.tobytes() == np.concatenate([one for one, _ in parts]).tobytes()
    assert weights.tobytes() == np.concatenate([one for _, one in parts]).tobytes()
    held = tets >= 0
    assert held.all() if kind in ("shared", "inside") else held.any()
    there = np.einsum("kc,kcd->kd", weights[held], mesh.positions[mesh.tets[tets[held]]])
    assert np.abs(there - points[held]).max() < 1e-12 * (1.0 + moved)
    assert weights[held].min() > -1e-5
