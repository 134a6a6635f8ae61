"""Parts that lie too close for the cage: said where the cage joins them, and not of what belongs together."""

import numpy as np
import pytest

from solver.materials import Material
from solver.preflight.narrow_gaps import gap_findings
from solver.scene import Body
from solver.tetmesh.cage import cage
from solver.tetmesh.manifold import components
from tests.surfaces import box, flipped, joined, moved, sphere, stored, surface, wrecks

SIZE = 0.15


def body(part, resolution=None, **options):
    resolution = resolution or round(part.extent / SIZE)
    return Body("b", "Bun", part, Material("viscoplastic"), resolution=resolution, **options)


def found(part, resolution=None, **options):
    return list(gap_findings(body(part, resolution, **options)))


def fork(gap, depth=1.0):
    """Two prongs on one handle, upright, the gap between them [m] along x."""
    outline = [(0, 0), (0.8 + gap, 0), (0.8 + gap, 0.4 + depth), (0.4 + gap, 0.4 + depth)]
    outline += [(0.4 + gap, 0.4), (0.4, 0.4), (0.4, 0.4 + depth), (0, 0.4 + depth)]
    cap = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]
    sides = [(i, (i + 1) % 8) for i in range(8)]
    faces = cap + [(c + 8, b + 8, a + 8) for a, b, c in cap]
    faces += [face for i, j in sides for face in ((j, i, i + 8), (j, i + 8, j + 8))]
    return surface([(x, y, z) for y in (0, 1) for x, z in outline], faces)


def turned(part, seed):
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    rotation[:, 0] *= np.linalg.det(rotation)
    return surface(part.positions @ rotation.T, part.triangles)


@pytest.mark.parametrize("gap", [0.05, 0.2, 1.3])
@pytest.mark.parametrize("part", [sphere(12, 0.5), box()], ids=["balls", "boxes"])
def test_it_agrees_with_the_cage_that_is_made(part, gap):
    for seed in range(3):
        pair = turned(joined(part, moved(part, (1.0 + gap * SIZE, 0.03, 0.0))), seed)
        one = not components(cage(pair, body(pair).element_size).tets).any()
        assert one == (gap < 1.0)
        assert bool(found(pair)) == one


def test_prongs_of_one_shell():
    (finding,) = found(fork(0.05))
    assert (finding.severity, finding.object_name, finding.code) == ("warning", "Bun", "narrow_gap")
    assert "0.05 m apart" in finding.message and "about 29" in finding.remedy
    assert finding.place.startswith("at (0.425, ")
    assert found(fork(0.05), 40) == []
    assert found(fork(0.05, 0.1)) == [], "a groove that shallow is none"
    assert "move them apart" in finding.remedy and "Resolution" not in found(fork(0.001))[0].remedy


def test_inside_out_and_far_away_make_no_difference():
    assert found(flipped(fork(0.05))) and found(moved(fork(0.05), (1e4, -3e3, 50)))


@pytest.mark.parametrize("name", wrecks())
def test_no_alarm_at_whole_shapes_thin_parts_and_shells_that_belong_together(name):
    for resolution in (8, 12, 24):
        assert found(wrecks()[name], resolution) == []


def test_an_eye_in_its_socket_belongs_there():
    bowl = stored("torus")
    ball = sphere(12, 0.06, 0.5 * (bowl.positions.min(axis=0) + bowl.positions.max(axis=0)))
    assert found(joined(bowl, ball), 12) == []


def test_tetgen_keeps_gaps_open():
    assert found(fork(0.05), method="conforming") == []


def test_the_finest_resolution_is_looked_at_too():
    assert found(fork(0.002), 512)
    assert found(fork(0.01), 512) == []
