"""The figures' numbers lie in their bands, at the resolution that a test can bear (tools/figures.py bakes and renders them)."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from figure_plots import plots
from figure_plots.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, Panel, svg
from figure_scenes import figures
from figure_scenes.contract import Shot, outside
from figure_scenes.shapes import bar, gear, geodesic, ridge, spur_gear, torus
from solver.bake import bake


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, figure in figures().items() if not figure.by_hand))
def test_a_figures_numbers_lie_in_their_bands(name, tmp_path):
    figure = figures()[name]
    scene = figure.scene(figure.coarse)
    bake(scene, tmp_path)
    assert outside(figure.measure(Shot(scene, tmp_path)), figure.bands) == []


RING = 2.0 * np.pi**2 * 0.3 * 0.12**2
TIPS, ROOTS = np.pi * 0.57**2, np.pi * 0.41**2  # of the gears' circles


@pytest.mark.parametrize(
    ("shape", "least", "most"),
    [
        (bar((0.5, 0.2, 0.3), (1.0, 2.0, 3.0), 0.1), 0.03, 0.03),
        (ridge([0.0, 1.0, 2.0], [1.0, 0.5, 1.0], -0.5, 2.0), 5.0, 5.0),
        (geodesic(0.5, (1.0, 0.0, 2.0), 6), 0.95 * np.pi / 6.0, np.pi / 6.0),
        (torus(0.3, 0.12, (1.0, 0.0, 2.0), 20, 8, staggered=True), 0.8 * RING, RING),
        (gear(0.49, 0.16, 14, 1.0, 0.3), ROOTS, TIPS),
        (spur_gear(0.5, 14, 1.0, 0.3), ROOTS, TIPS),
    ],
)
def test_a_shape_is_closed_and_has_its_volume(shape, least, most):
    edges = shape.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    there, back = (np.sort(ends @ (len(shape.positions), 1)) for ends in (edges, edges[:, ::-1]))
    assert (np.diff(there) > 0).all() and (there == back).all()
    corners = (shape.positions - shape.positions.mean(axis=0))[shape.triangles]
    assert 0.999 * least <= np.linalg.det(corners).sum() / 6.0 <= 1.001 * most
    assert np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).min() > 1e-4


def test_a_number_outside_its_band_is_named():
    bands = {"height": (0.0, 1.0), "width": (0.0, 1.0)}
    assert outside({"height": 2.0, "width": 1.0}, bands) == ["height is 2, outside 0 to 1"]
    with pytest.raises(ValueError, match="depth"):
        outside({"height": 2.0}, {"depth": (0.0, 1.0)})


@pytest.mark.parametrize("name", sorted(plots()))
def test_a_plots_numbers_lie_in_their_bands(name):
    plot = plots()[name]
    assert outside(plot.measure(), plot.bands) == []
    drawn = ElementTree.fromstring(svg(plot.panels(), plot.columns))
    lines = list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))
    assert len(lines) == sum(len(panel.curves) for panel in plot.panels())


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_curve_is_drawn_where_its_numbers_are(logarithmic):
    """The corners of the frame and its middle; what lies outside is left out."""
    middle = 10.0 if logarithmic else 50.5
    x = np.array([1.0, middle, 100.0, 200.0])
    panel = Panel("a < b", "x", "y", (Curve("", x, x),), (1.0, 100.0), (1.0, 100.0), (1.0,), (1.0,), logarithmic)
    drawn = ElementTree.fromstring(svg([panel, replace(panel, title="c")], 2))
    line = next(drawn.iter("{http://www.w3.org/2000/svg}polyline")).attrib["points"]
    points = np.array([[float(number) for number in pair.split(",")] for pair in line.split()])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    assert np.allclose(points, [(LEFT, bottom), ((LEFT + right) / 2, (TOP + bottom) / 2), (right, TOP)], atol=0.06)
