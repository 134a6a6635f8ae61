"""The figures' numbers lie in their bands, at the resolution that a test can bear (tools/figures.py bakes and renders them)."""

import pytest

from figure_scenes import figures
from figure_scenes.contract import Shot, outside
from solver.bake import bake


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(figures()))
def test_a_figures_numbers_lie_in_their_bands(name, tmp_path):
    figure = figures()[name]
    scene = figure.scene(figure.coarse)
    bake(scene, tmp_path)
    assert outside(figure.measure(Shot(scene, tmp_path)), figure.bands) == []


def test_a_number_outside_its_band_is_named():
    bands = {"height": (0.0, 1.0), "width": (0.0, 1.0)}
    assert outside({"height": 2.0, "width": 1.0}, bands) == ["height is 2, outside 0 to 1"]
    with pytest.raises(ValueError, match="depth"):
        outside({"height": 2.0}, {"depth": (0.0, 1.0)})
