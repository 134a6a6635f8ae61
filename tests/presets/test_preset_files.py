"""Presets are data: each shipped file is whole, in range, and survives being saved and read again."""

from pathlib import Path

import pytest

from solver.errors import SceneError, VersionError
from solver.materials import models, scale_to_size
from solver.presets import list_presets, load_preset, preset_identifier, save_preset

PRESETS = Path(__file__).parents[2] / "presets"
SHIPPED = {
    "butter", "caramel", "chewing_gum", "clay", "cornstarch", "dough", "draft_rubber", "draft_toffee", "draft_warm_wax",
    "jelly", "marshmallow", "shaving_cream", "slime", "toothpaste", "wax",
}  # fmt: skip


def test_the_fifteen_presets_are_there():
    found, complaints = list_presets(PRESETS)
    assert set(found) == SHIPPED and complaints == []


@pytest.mark.parametrize("identifier", sorted(SHIPPED))
def test_a_preset_says_how_it_looks_and_where_it_is_from(identifier):
    preset = load_preset(PRESETS / f"{identifier}.toml")
    assert len(preset.look) > 20 and len(preset.source) > 20
    assert 0.01 <= preset.real_size <= 1.0


@pytest.mark.parametrize("identifier", sorted(SHIPPED))
def test_save_and_load_give_the_same_preset(identifier, tmp_path):
    preset = load_preset(PRESETS / f"{identifier}.toml")
    again = load_preset(save_preset(tmp_path, preset))
    assert again.material == preset.material and (again.name, again.look, again.source, again.real_size) == (
        preset.name, preset.look, preset.source, preset.real_size,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("identifier", "row"),
    [
        ("draft_rubber", (1e5, 0.33, 1000.0, 0.0, 0.0, 0.0)),  # snake
        ("draft_warm_wax", (5e4, 0.33, 1000.0, 0.01, 100.0, 10.0)),  # cow
        ("draft_toffee", (1e5, 0.33, 1000.0, 0.1, 1.0, 1.0)),  # dragon
    ],
)
def test_the_draft_presets_are_the_rows_of_mueller_and_gross_table(identifier, row):
    """Table 1 (M16): Young's modulus, Poisson's ratio, density, plastic yield, creep and maximum."""
    values = load_preset(PRESETS / f"{identifier}.toml").material.values
    names = ("young_modulus", "poisson_ratio", "density", "yield_strain", "flow_rate", "maximum_plastic_strain")
    assert tuple(values[name] for name in names) == row


def test_scaling_keeps_the_ratios_that_decide_the_look():
    """Gravity load / yield stress and rate x fall time are the same for a body 16 times as large."""
    material = load_preset(PRESETS / "dough.toml").material
    large = scale_to_size(material, 16.0)
    for name in ("young_modulus", "yield_stress", "hardening_modulus"):
        assert large.values[name] == pytest.approx(16.0 * material.values[name], rel=1e-12)
    assert large.values["flow_rate"] == pytest.approx(material.values["flow_rate"] / 4.0, rel=1e-12)
    for name in ("density", "poisson_ratio"):
        assert large.values[name] == material.values[name]


def test_names_with_odd_characters_become_files(tmp_path):
    assert preset_identifier("Käse / Fondue №2") == "k_se_fondue_2"
    with pytest.raises(SceneError, match="file name"):
        preset_identifier("🍞")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda text: text.replace("format = 1", "format = 99"), VersionError, "format 99"),
        (lambda text: text.replace("density = 1100.0", "density = -1.0"), SceneError, "Density"),
        (lambda text: text.replace("density", "densty"), SceneError, "densty"),
        (lambda text: text.replace("real_size = 0.15", "real_size = 0"), SceneError, "real size"),
        (lambda text: text.replace('model = "viscoplastic"', 'model = "none"'), SceneError, "none"),
        (lambda text: text.replace("[material]", "[material"), SceneError, "cannot be read"),
        (lambda text: text.replace("flow_rate = 25.0", "flow_rate = nan"), SceneError, "Flow"),
    ],
)
def test_a_broken_preset_is_refused_with_its_name(change, error, words, tmp_path):
    text = (PRESETS / "dough.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(change(text), encoding="utf-8")
    with pytest.raises(error, match=words) as caught:
        load_preset(tmp_path / "mine.toml")
    assert "mine.toml" in str(caught.value)
    found, complaints = list_presets(PRESETS, tmp_path)
    assert set(found) == SHIPPED and len(complaints) == 1


def test_every_parameter_has_a_unit_that_scales_and_a_tooltip():
    for model in models().values():
        for parameter in model.parameters:
            assert parameter.minimum <= parameter.default <= parameter.maximum and len(parameter.description) > 8
