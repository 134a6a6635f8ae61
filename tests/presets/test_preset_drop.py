"""Every preset survives a drop, and no two of them move alike."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from preset_table import DropMeasures, alike_by_model, drop_all  # noqa: E402
from solver.presets import list_presets  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def table() -> dict[str, DropMeasures]:
    """What a 48-frame drop of a ball shows, by preset."""
    presets, _ = list_presets(ROOT / "presets")
    return {name: measures for name, (measures, _) in drop_all(presets, resolution=7).items()}


def test_every_preset_survives_48_frames(table):
    """A ball is neither blown up nor gone: its height and spread stay of the order of its diameter."""
    for name, measures in table.items():
        assert 0.05 < measures.final_height < 1.5, name
        assert 0.6 < measures.spread < 3.0, name
        assert 0.0 <= measures.rebound < 1.6, name


def test_what_is_seen_stays_above_the_ground(table):
    """Not only the points that touch: a few per cent of an element is what the eye does not see."""
    assert {name: measures.sunk for name, measures in table.items() if measures.sunk > 0.05} == {}


def test_no_two_presets_of_a_model_move_alike(table):
    assert alike_by_model(table, list_presets(ROOT / "presets")[0]) == []


def test_the_presets_move_as_their_names_say(table):
    """Jelly bounces and comes back, clay stays dead, cornstarch bounces, toothpaste and shaving cream do not."""
    assert table["jelly"].rebound > 0.5 and abs(table["jelly"].final_height - 1.0) < 0.2
    assert table["clay"].rebound < 0.2 and table["clay"].final_height < 0.95
    assert table["cornstarch"].rebound > 0.3
    assert table["toothpaste"].rebound < 0.4
    assert table["dough"].rebound < table["jelly"].rebound
