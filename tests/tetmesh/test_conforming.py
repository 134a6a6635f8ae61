"""Tets by tetgen: clean closed surfaces only, and a clear word otherwise."""

import numpy as np
import pytest

from solver.bake import prepare
from solver.errors import MeshingError
from solver.materials import Material
from solver.scene import Body, Scene
from solver.tetmesh import sliver_warning, tetrahedralize
from solver.tetmesh.quality import minimum_dihedrals, tet_volumes
from tests.surfaces import box, cone, flipped, joined, moved, soup, sphere, stored, with_holes


def body(part, resolution=10):
    return Body("uid", "Bun", part, Material("viscoplastic"), method="conforming", resolution=resolution)


CLEAN = [sphere(12), box(), stored("spot"), flipped(sphere(12)), soup(box()), moved(box(), (1e4, 0, 0))]


@pytest.mark.parametrize("part", CLEAN)
def test_clean_surfaces_are_met_exactly(part):
    mesh, report = tetrahedralize(body(part))
    assert tet_volumes(mesh.positions, mesh.tets).min() > 0
    assert report.surface_error < 1e-9 * 1e4
    assert report.volume_error < 0.01
    assert report.minimum_dihedral > 10
    assert np.array_equal(np.unique(mesh.tets), np.arange(len(mesh.positions)))


def test_slivers_that_stay_are_told_with_a_place_and_the_cage():
    mesh, report = tetrahedralize(body(cone(), 6))
    told = sliver_warning(mesh, "Bun")
    assert report.minimum_dihedral < 5 and told.startswith("'Bun', at (") and "Cage" in told
    assert f"{int((minimum_dihedrals(mesh) < 5).sum())} of its tets are slivers" in told
    assert sliver_warning(tetrahedralize(body(sphere(12)))[0], "Bun") == ""
    events = []
    prepare(Scene((body(cone(), 6),)), events.append)
    (event,) = (each for each in events if each["event"] == "warning")
    assert event["place"].startswith("at (") and f"'{event['body']}', {event['place']}: " in event["message"]


def test_the_element_size_counts():
    assert tetrahedralize(body(box(), 16))[1].tets > 3 * tetrahedralize(body(box(), 8))[1].tets


def test_a_cavity_stays_empty():
    hollow = joined(sphere(12), flipped(sphere(12, 0.5)))
    mesh, _ = tetrahedralize(body(hollow))
    full, _ = tetrahedralize(body(sphere(12)))
    ratio = tet_volumes(mesh.positions, mesh.tets).sum() / tet_volumes(full.positions, full.tets).sum()
    assert ratio == pytest.approx(1 - 0.125, rel=1e-5)


@pytest.mark.parametrize(
    "part, words",
    [
        (stored("suzanne"), "open at 42 edges"),
        (with_holes(sphere(12)), "open at"),
        (joined(sphere(12), moved(sphere(12), (0.7, 0.1, 0.2))), "cross each other"),
    ],
)
def test_refusals_offer_the_cage(part, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MeshingError, match=words) as caught:
        tetrahedralize(body(part))
    assert "Cage" in caught.value.remedy
    assert caught.value.body == "Bun"
    assert list(tmp_path.iterdir()) == []  # tetgen would leave files
