"""One physical scene said in other ways, with the real solver from the artist's settings to the result: the same motion."""

from dataclasses import dataclass

import bpy
import numpy as np
import pytest

from .reading import add_cube, add_plane, bridge

pytestmark = pytest.mark.slow

SIZE = 0.5  # m
TWELFTHS = 6  # of a second that are looked at
SAME = 1e-3  # of the size, by which vertices may differ in the mean,
ANY = 5e-3  # and any of them: by rounding the linear solver stops elsewhere, some of whose error is this large at a blow
FAR = (8192.0, -8192.0, 4096.0)


@dataclass(frozen=True)
class Telling:
    """How the scene is told: metres a unit, frames a second, an object scale that is not applied, where it lies [m]."""

    unit: float = 1.0
    rate: int = 24
    applied: bool = True
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)


def motion(telling, folder):
    """Drop a turning cube of dough on a slope; return its vertices (TWELFTHS + 1, n, 3) from the shift [m], a twelfth apart."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, unit, shift = bpy.context.scene, telling.unit, np.array(telling.shift)
    scene.unit_settings.scale_length = unit
    scene.render.fps, scene.frame_start = telling.rate, 1
    scene.frame_end = 1 + TWELFTHS * telling.rate // 12
    scene.dollop.cache_path = str(folder / "cache")
    add_plane(size=4 / unit, location=shift / unit, rotation=(0.2, 0.1, 0.0))
    bpy.ops.dollop.collider_add()
    scale = np.array((1.0, 0.6, 0.8))
    cube = add_cube(size=SIZE / unit if telling.applied else 1.0, location=(shift + (0.125, 0.0, 0.5625)) / unit)
    cube.scale = scale if telling.applied else scale * SIZE / unit
    if telling.applied:
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    finer = cube.modifiers.new("Finer", "SUBSURF")
    finer.subdivision_type, finer.levels = "SIMPLE", 2
    bpy.ops.dollop.body_add(preset="dough")
    cube.dollop.resolution, cube.dollop.angular_velocity = 6, (3.0, 0.0, 2.0)
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    goo = next(bridge("result_mesh").results_of(scene))
    seen = []
    for twelfth in range(TWELFTHS + 1):
        scene.frame_set(1 + twelfth * telling.rate // 12)
        turn, place = np.array(goo.matrix_world.to_3x3()), np.array(goo.matrix_world.translation, dtype=np.float64)
        local = np.array([vertex.co for vertex in goo.data.vertices], dtype=np.float64)
        seen.append((local @ turn.T + (place - shift / unit)) * unit)
    return np.array(seen)


def is_same(one, other, beside=0.0):
    """Whether vertices are as near to each other in two motions, at all times, as they ought to be, and a little beside [m]."""
    apart = np.linalg.norm(one - other, axis=2)
    mean, most = float(apart.mean(axis=1).max()), float(apart.max())
    print(f"\ndifference {1000 * mean:.3g} mm in the mean, {1000 * most:.3g} at most")
    return mean < SAME * SIZE + beside and most < ANY * SIZE + beside


@pytest.fixture(scope="module")
def told_plainly(extension, tmp_path_factory):
    """The motion in metres at 24 frames a second."""
    return motion(Telling(), tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize(
    "telling",
    [Telling(unit=0.01), Telling(unit=1000.0), Telling(applied=False), Telling(rate=12), Telling(rate=60)],
    ids=["centimetres", "kilometres", "scale not applied", "12 fps", "60 fps"],
)
def test_units_scale_and_frame_rate_do_not_change_the_motion(told_plainly, telling, tmp_path):
    assert np.ptp(told_plainly[:, :, 2]) > SIZE
    assert is_same(motion(telling, tmp_path), told_plainly)


def test_ten_kilometres_from_the_origin(told_plainly, tmp_path):
    """At places that single precision, in which Blender keeps them, can tell: it is in steps of a millimetre there."""
    assert is_same(motion(Telling(shift=FAR), tmp_path), told_plainly, 1e-3)
