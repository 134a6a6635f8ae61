"""Whether surfaces cross, against ipctk."""

import ipctk
import numpy as np
import pytest

from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.crossing import surfaces_cross
from tests.surface_contact.bodies import block, crumpled, surfaces_of


def theirs(places, surfaces):
    edges, faces = (np.concatenate([getattr(s, name) for s in surfaces]) for name in ("edges", "triangles"))
    return ipctk.has_intersections(ipctk.CollisionMesh(places, edges, faces), places)


@pytest.mark.parametrize("amount", np.linspace(0.0, 0.3, 11))
def test_a_folded_slab_crosses_itself_when_ipctk_says_so(amount):
    rest, surfaces = surfaces_of(block((8, 8, 1), 0.25))
    places = crumpled(rest, amount)
    boxes = Clusters(surfaces[0], rest)
    assert surfaces_cross(boxes, boxes, places) == theirs(places, surfaces)


@pytest.mark.parametrize("height", [0.5, 0.11, 0.1, 0.09, 0.05])
def test_blocks_cross_when_one_is_in_the_other(height):
    rest, surfaces = surfaces_of(block((3, 3, 1), 0.1), block((2, 2, 2), 0.083, (0.01, 0.02, height)))
    first, second = (Clusters(surface, rest) for surface in surfaces)
    assert surfaces_cross(first, second, rest) == (height < 0.1) or height == 0.1
    assert surfaces_cross(first, second, rest) == theirs(rest, surfaces) or height == 0.1


def test_a_flat_side_does_not_cross_itself():
    """Its nodes lie at random in planes that are turned, so that they leave them by rounding."""
    rng, (rest, surfaces) = np.random.default_rng(4), surfaces_of(block((12, 12, 2), 0.1))
    rest[:, :2] += 0.03 * rng.uniform(-1.0, 1.0, (len(rest), 2)) * (rest[:, :2] > 0.0) * (rest[:, :2] < 1.15)
    for _ in range(8):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turned = np.ascontiguousarray(rest @ turn.T)
        boxes = Clusters(surfaces[0], turned)
        assert not surfaces_cross(boxes, boxes, turned)
