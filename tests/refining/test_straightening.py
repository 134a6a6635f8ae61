"""Slivers between points in line go before a surface is cut or sewn; it stays where it is, with all that lies on it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.geometry.edge_crossings import pairs_of_shells
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.refining.straightening import straightened
from solver.scene import Scene, Settings, validated
from solver.surface import Surface
from solver.tearing.at_start import made_fit
from solver.tearing.charts import charts
from solver.tearing.cut_topology import cut_topology
from tests.merging.shapes import body, started
from tests.surfaces import prism, sphere, surface
from tests.tearing.shapes import record_of


def stored_bar(sides: int = 24, along: int = 6, seed: int = 1) -> Surface:
    """A turned bar in single precision, as an artist's mesh is."""
    bar = prism(sides, along)
    places = Rotation.random(random_state=seed).apply(bar.positions * [0.4, 0.4, 1.6]).astype(np.float32)
    return surface(places.astype(np.float64), bar.triangles)


def least_height(positions, triangles) -> float:
    corners = positions[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    longest = np.sqrt((sides**2).sum(axis=2)).max(axis=1)
    return float((np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) / longest).min())


def bent(places):
    return places + 1e-3 * np.sin(70.0 * np.roll(places, 1, axis=1))


@pytest.mark.parametrize("along", [2, 3, 6])
def test_slivers_go_and_the_surface_stays(along):
    bar = stored_bar(along=along)
    cut = straightened(bar)
    assert least_height(bar.positions, bar.triangles) < 1e-6 < 1e-5 < least_height(cut.positions, cut.triangles)
    assert cut.positions.tobytes() == bar.positions.tobytes() and unpaired_edges(cut.triangles) == 0
    assert len(cut.triangles) == len(bar.triangles)
    volumes = [signed_volumes(cut.positions, faces).sum() for faces in (bar.triangles, cut.triangles)]
    assert abs(volumes[1] - volumes[0]) < 1e-6 * volumes[0]
    assert straightened(Surface(cut.positions, cut.triangles)) is None and straightened(sphere(12)) is None
    assert len(pairs_of_shells(bent(cut.positions), cut.triangles)) == 0


def test_every_corner_keeps_what_lies_on_it():
    bar = stored_bar()
    old = record_of(bar)
    cut = straightened(bar, charts(old, bar.triangles))
    new = cut_topology(old, cut)
    places = cut.positions[new.corner_vertices].astype(np.float32)
    assert new.uv_layers["map"].tobytes() == np.ascontiguousarray(places[:, :2]).tobytes()
    corner = next(layer.values for layer in new.attributes if layer.name == "corner")
    assert corner.tobytes() == places.tobytes()


def test_borders_of_uvs_stay():
    """A sliver that is a piece of the map by itself, as the rim of a lid may be, is left alone."""
    bar = stored_bar()
    assert straightened(bar, np.arange(len(bar.triangles))) is None


def test_needles_and_two_corners_in_one_place_stay():
    """A triangle between all but one point and another is no sliver between points in line: flips around it would not end."""
    globe = sphere(8)
    for close in (1e-7, 0.0):
        places = globe.positions.copy()
        places[20] = places[21] + close * (places[20] - places[21])
        assert straightened(surface(places, globe.triangles)) is None


def test_a_bar_that_falls_stays_one():
    """Free fall of goo that merges: 93 per cent of it went in the first step, as slivers seemed to pass through each other."""
    bar = stored_bar(32, 5)
    shot = validated(Scene((body("Bar", bar, 20),), (), Settings(frame_end=4, threads=1)))
    closed, _ = made_fit(shot, {}, print)
    assert len(pairs_of_shells(bent(bar.positions), bar.triangles)) > 10
    assert len(pairs_of_shells(bent(bar.positions), closed.bodies[0].surface.triangles)) == 0
    run = started(closed, spread=False)
    volume = signed_volumes(bar.positions, bar.triangles).sum()
    for _ in range(3):
        frame = run.advance()
        assert frame.statistics["remeshes"] == 0.0
        seen = frame.bodies[0].positions
        triangles = run.present.triangles[0]
        assert abs(signed_volumes(seen.astype(np.float64), triangles).sum() - volume) < 0.01 * volume
