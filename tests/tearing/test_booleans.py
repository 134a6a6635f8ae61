"""A surface united with itself, in exact arithmetic: against how often the old one goes around random places."""

import os
import subprocess
import sys

import numpy as np
import pytest

from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import winding_numbers_by_sum
from solver.tearing import booleans
from solver.tearing.booleans import self_union
from tests.surfaces import joined, loop_through_itself, sphere, surface

HASH = """
import hashlib, numpy as np
from solver.tearing.booleans import self_union
from tests.surfaces import loop_through_itself
seen = loop_through_itself()
made = self_union(seen, np.ones(len(seen.triangles), dtype=bool))
print(hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in made)).hexdigest())
"""


def crumpled(seed):
    """A ball of which every vertex is pushed about, so that much of it is inside out and through itself."""
    random, ball = np.random.default_rng(seed), sphere(14)
    return surface(ball.positions + random.normal(0.0, 0.12, ball.positions.shape), ball.triangles)


@pytest.mark.parametrize("seed", range(4))
def test_it_encloses_what_the_old_one_goes_around(seed):
    seen = crumpled(seed)
    places, triangles, origin = self_union(seen, np.ones(len(seen.triangles), dtype=bool))
    assert len(piercing_pairs(seen.positions, seen.triangles)) > 300
    assert not unpaired_edges(triangles.astype(np.int32)) and (np.diff(origin) >= 0).all()
    assert not len(piercing_pairs(places, triangles.astype(np.int32)))
    asked = np.random.default_rng(100 + seed).normal(0.0, 0.02, (4, len(seen.triangles), 3))
    asked = (asked + seen.positions[seen.triangles].mean(axis=1)).reshape(-1, 3)
    before = winding_numbers_by_sum(seen.positions, seen.triangles, asked)
    after = winding_numbers_by_sum(places, triangles.astype(np.int32), asked)
    assert min((before > 1.5).sum(), (before < -0.5).sum()) > 20, "enclosed twice, and inside out"
    np.testing.assert_allclose(after, before > 0.5, atol=1e-6)


def test_every_part_lies_in_the_triangle_that_it_is_of():
    seen = loop_through_itself()
    places, triangles, origin = self_union(seen, np.ones(len(seen.triangles), dtype=bool))
    corners = seen.positions[seen.triangles[origin]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    off = ((places[triangles] - corners[:, :1]) * normals[:, None]).sum(axis=2) / np.linalg.norm(normals, axis=1)[:, None]
    assert np.abs(off).max() < 1e-12
    own = np.cross(*np.diff(places[triangles], axis=1).swapaxes(0, 1))
    assert ((own * normals).sum(axis=1) > 0.0).all(), "and is turned as it is"


def test_what_encloses_nothing_clear_is_left():
    """A surface with a hole, through itself: of no place can it be said whether it lies inside."""
    seen = loop_through_itself()
    assert self_union(surface(seen.positions, seen.triangles[1:]), np.ones(len(seen.triangles) - 1, dtype=bool)) is None


def test_what_passes_through_itself_too_often_is_left(monkeypatch):
    """It would take minutes."""
    seen = loop_through_itself()
    every = np.ones(len(seen.triangles), dtype=bool)
    pairs = len(piercing_pairs(seen.positions, seen.triangles))
    monkeypatch.setattr(booleans, "MOST", pairs // 2)
    assert self_union(seen, every) is None
    monkeypatch.setattr(booleans, "MOST", 2 * pairs)
    assert self_union(seen, every) is not None


def test_a_cavity_stays():
    """As the inside of a shell of goo."""
    outer, inner = sphere(12), sphere(10, 0.4)
    seen = joined(joined(outer, surface(inner.positions, inner.triangles[:, ::-1])), sphere(8, 0.3, (1.0, 0.02, 0.03)))
    _, triangles, origin = self_union(seen, np.ones(len(seen.triangles), dtype=bool))
    within = (origin >= len(outer.triangles)) & (origin < len(outer.triangles) + len(inner.triangles))
    assert within.sum() == len(inner.triangles) and not unpaired_edges(triangles.astype(np.int32))


def test_the_same_bytes_come_in_every_process():
    """By several threads, as it takes of itself, the triangles came in one of two orders."""
    environment = {**os.environ, "IGL_NUM_THREADS": "4"}
    hashes = {subprocess.check_output([sys.executable, "-c", HASH], text=True, env=environment) for _ in range(8)}
    assert len(hashes) == 1
