"""Who is behind a sheet: what has gone through it, not what has gone past its rim."""

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.sheets import on_own_side
from solver.scene import Collider, Settings, Surface

FLAT = np.array([(-1.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
BENT = np.array([(-1.0, -1.0, -0.6), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 1.0, -0.6), (1.0, -1.0, -0.6), (1.0, 1.0, -0.6)])
FACES = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
BOTH = np.concatenate([FACES, np.array([(1, 4, 5), (1, 5, 2)], np.int32)])


def behind(begun, here, positions=FLAT, faces=FACES, was=False, thickness=0.02):
    sheet = Surface(positions, faces)
    field = build(Collider("s", "S", "mesh", np.eye(4)[None], sheet, two_sided=True, thickness=thickness), Settings())
    places = (np.array([place], dtype=np.float64) for place in (begun, here))
    distance, normal, _, found = on_own_side(field, 0.0, 0.0, 0.5, *places, np.array([was]))
    return bool(found[0]), float(distance[0]), normal[0]


@pytest.mark.parametrize("was", [False, True])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_slides_past_the_rim_stays_on_its_side(side, was):
    """Far past it, seen from the rim it has turned by more than a right angle."""
    found, distance, normal = behind((-0.05, 0.0, 0.03 * side), (0.3, 0.0, 0.02 * side), was=was)
    assert found == was
    if not was:
        assert distance > 0.25 and normal[0] > 0.9


def test_what_springs_round_the_rim_stays_on_its_side():
    """From above the sheet to below it: at the end the rim is not what is closest."""
    assert not behind((0.1, 0.0, 0.05), (-0.03, 0.0, -0.05))[0]
    assert not behind((-0.01, 0.0, 0.05), (0.1, 0.0, -0.05))[0]


@pytest.mark.parametrize("thickness", [0.0, 0.02])
@pytest.mark.parametrize("end", [(-0.05, 0.0, -0.1), (-0.01, 0.2, -0.04), (0.02, 0.0, -0.03), (0.1, 0.0, -0.1)])
def test_what_goes_through_is_behind(end, thickness):
    assert behind((-0.1, 0.0, 0.03), end, thickness=thickness)[0]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_meets_it_head_on_is_behind(side):
    """From the middle of the sheet no way leads to either side: it is looked at from before."""
    assert behind((-0.5, 0.1, 0.03 * side), (-0.5, 0.1, -0.05 * side))[0]


def test_what_grazes_the_rim_in_the_sheets_own_thickness_is_on_neither_side():
    assert not behind((0.005, 0.0, 0.05), (0.005, 0.0, -0.05))[0]


def test_what_goes_through_beside_a_fold_is_behind():
    """The plane of what is closest at the end is crossed outside of the bent sheet."""
    found, distance, normal = behind((0.1, 0.0, 0.09), (-0.1, 0.0, -0.2), BENT, BOTH, thickness=0.001)
    assert found and distance < 0.0 and normal[2] > 0.5


@pytest.mark.parametrize("reach", [0.3, 0.05, 0.02])
def test_it_is_behind_where_its_way_meets_the_sheet(reach):
    """Of ways about the corner of a square, by the place at which each meets its plane; what grazes the rim is left out."""
    line = np.linspace(-1.0, 1.0, 5)
    positions = np.stack([*np.meshgrid(line, line, indexing="ij"), np.zeros((5, 5))], axis=-1).reshape(-1, 3)
    corner = (5 * np.arange(4)[:, None] + np.arange(4)).ravel()
    faces = np.concatenate([corner[:, None] + np.array(side) for side in ((0, 5, 6), (0, 6, 1))]).astype(np.int32)
    sheet = Collider("s", "S", "mesh", np.eye(4)[None], Surface(positions, faces), two_sided=True)
    field, random = build(sheet, Settings()), np.random.default_rng(3)
    middle = np.stack([*random.uniform(0.9, 1.02, (2, 20_000)), np.zeros(20_000)], axis=1)
    begun, here = middle + random.normal(scale=reach, size=(2, 20_000, 3))

    def away(places):
        return np.linalg.norm(places - np.clip(places, (-1.0, -1.0, 0.0), (1.0, 1.0, 0.0)), axis=1)

    outside = np.minimum(away(begun), away(here)) > field.sheet_offset
    begun, here = begun[outside], here[outside]
    level = begun + (begun[:, 2] / (begun[:, 2] - here[:, 2]))[:, None] * (here - begun)
    within = 1.0 - np.abs(level[:, :2]).max(axis=1)
    meets = (begun[:, 2] * here[:, 2] < 0.0) & (within > 1.5 * field.sheet_offset)
    least = np.min([away(begun + share * (here - begun)) for share in np.linspace(0.0, 1.0, 200)], axis=0)
    misses = least > 1.2 * field.sheet_offset
    found = on_own_side(field, 0.0, 0.0, 2.0, begun, here, np.zeros(len(here), bool))[3]
    assert meets.sum() > 3000 and (misses & (begun[:, 2] * here[:, 2] < 0.0)).sum() > 800
    assert not (found & misses).any() and (meets & ~found).sum() <= 2
