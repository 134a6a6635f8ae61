"""Pairs of a vertex and a triangle, and of two edges: random ones, and those that rounding makes hard."""

import numpy as np
import pytest

from solver.contact.surfaces.going import Going

SEED = 7
COUNT = 400


def _random(rng):
    return rng.normal(size=(COUNT, 4, 3))


def _parallel(rng):
    """Two edges in about one direction (off by 1e-12 to 1e-2), overlapping or not; as a triangle: a sliver."""
    a, along, apart = rng.normal(size=(3, COUNT, 3))
    tilt = rng.normal(size=(COUNT, 3)) * 10.0 ** rng.uniform(-12, -2, (COUNT, 1))
    start, length = rng.uniform(-1.5, 1.5, (2, COUNT, 1))
    c = a + 0.1 * apart + start * along
    return np.stack([a, a + along, c, c + length * along + tilt], axis=1)


def _flat(rng):
    """All in one plane, so that lines cross or a vertex lies in its triangle."""
    points = rng.normal(size=(COUNT, 4, 3))
    points[..., 2] = rng.normal(size=(COUNT, 1))
    return points


def _touching_closely(rng):
    """The first point 1e-9 to 1e-3 away from some place in the triangle of the others, edges and corners included."""
    points = rng.normal(size=(COUNT, 4, 3))
    weights = rng.uniform(size=(COUNT, 3)) * (rng.uniform(size=(COUNT, 3)) < 0.7)
    weights[:, 0] += 1e-300
    weights /= weights.sum(axis=1, keepdims=True)
    points[:, 0] = (weights[..., None] * points[:, 1:]).sum(axis=1)
    points[:, 0] += rng.normal(size=(COUNT, 3)) * 10.0 ** rng.uniform(-9, -3, (COUNT, 1))
    return points


def _far_from_the_origin(rng):
    return _random(rng) * 1e-2 + 100.0


def _without_length(rng):
    """One edge, or two of the triangle's corners, at one point."""
    points = rng.normal(size=(COUNT, 4, 3))
    points[:, 3] = points[:, 2]
    return points


CASES = [_random, _parallel, _flat, _touching_closely, _far_from_the_origin, _without_length]


@pytest.fixture(params=CASES, ids=lambda case: case.__name__.strip("_"))
def corners(request):
    """Places of the four nodes of each pair (k, 4, 3)."""
    return request.param(np.random.default_rng(SEED))


@pytest.fixture
def random_corners():
    return _random(np.random.default_rng(SEED))


@pytest.fixture(autouse=True)
def what_contact_was_asked_about_stays(monkeypatch):
    """Arrays by which places are known (solver/contact/surfaces/going.py): who writes into one is found in any test here."""

    def watched(call):
        def asked(self, *given):
            result, known = call(self, *given), [array for array, *_ in self._places]
            known += [] if self._way is None else [self._way[0]]
            before = getattr(self, "copies", [])
            self.copies = [next((pair for pair in before if pair[0] is array), (array, array.copy())) for array in known]
            assert all(np.array_equal(now, then, equal_nan=True) for now, then in self.copies), "it has been written into"
            return result

        return asked

    for name in ("places", "way"):
        monkeypatch.setattr(Going, name, watched(getattr(Going, name)))
