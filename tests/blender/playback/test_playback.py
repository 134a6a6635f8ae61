"""Every frame shows what the cache holds; what the cache does not hold never looks as if it did."""

import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from .conftest import FIRST, LAST, ORIGIN, RATE, Bake, close, strain

pytestmark = pytest.mark.blender


@pytest.mark.parametrize("kind", ["changing", "constant"])
def test_frames_forwards_backwards_and_jumping(kind: str, request: pytest.FixtureRequest) -> None:
    bake: Bake = request.getfixturevalue(kind)
    for number in [*range(FIRST, LAST + 1), *range(LAST, FIRST - 1, -1), 5, 2, 6, 1]:
        bake.scene.frame_set(number)
        positions, velocity, triangles = bake.surface(number)
        close(bake.shown(), positions, 0)
        close(bake.attribute("velocity"), velocity)
        close(bake.attribute("plastic_strain"), strain(len(positions), number))
        close(bake.attribute("stress"), 1000 * strain(len(positions), number))
        if len(triangles):
            assert [list(face.vertices) for face in bake.result.data.polygons] == triangles.tolist()
        assert not bake.result.data.validate(verbose=True)
    assert np.allclose(bake.result.location, ORIGIN)


def test_outside_the_range_the_ends_are_held_at_rest(constant: Bake) -> None:
    for asked, shown in ((FIRST - 5, FIRST), (LAST + 1, LAST), (LAST + 40, LAST)):
        constant.scene.frame_set(asked)
        close(constant.shown(), constant.surface(shown)[0])
        assert not constant.attribute("velocity").any()
    assert "dollop_playback" not in constant.scene


def test_subframes_of_one_topology_are_interpolated(constant: Bake) -> None:
    constant.scene.frame_set(3, subframe=0.25)
    close(constant.shown(), 0.75 * constant.surface(3)[0] + 0.25 * constant.surface(4)[0])


def test_subframes_between_topologies_go_on_with_the_velocity(changing: Bake) -> None:
    changing.scene.frame_set(3, subframe=0.5)
    positions, velocity, _ = changing.surface(3)
    close(changing.shown(), positions + velocity * (0.5 / RATE))


def test_unit_scale_divides_lengths_only(constant: Bake) -> None:
    from dollop.operators.bridge.playback import show_results

    constant.scene.unit_settings.scale_length = 0.01
    assert show_results(constant.scene) is None
    constant.scene.frame_set(4)
    close(constant.shown(), 100 * constant.surface(4)[0], 1e-4)
    close(constant.attribute("velocity"), 100 * constant.surface(4)[1], 1e-3)
    close(constant.attribute("stress"), 1000 * strain(len(constant.shown()), 4))
    assert np.allclose(constant.result.location, 100 * ORIGIN)


@pytest.mark.parametrize("damage", ["missing", "flipped", "truncated", "topology"])
def test_a_bad_frame_shows_nothing_and_says_why(damage: str, changing: Bake, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "frame_000003.dollop.npz"
    if damage == "topology":
        path = tmp_path / "cache" / "topology_body-1_000002.dollop.npz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if damage in ("missing", "topology"):
        path.unlink()
    else:
        path.write_bytes(data if damage == "flipped" else data[:-40])
    changing.scene.frame_set(3)
    assert len(changing.result.data.vertices) == 0
    status = changing.scene["dollop_playback"]
    assert path.name in status and "Goo" in status
    changing.scene.frame_set(4)
    close(changing.shown(), changing.surface(4)[0])
    assert "dollop_playback" not in changing.scene


def test_a_frame_that_is_not_baked_yet_holds_the_last_one_and_says_so(constant: Bake, tmp_path: Path) -> None:
    for number in (5, 6):
        (tmp_path / "cache" / f"frame_{number:06d}.dollop.npz").unlink()
    constant.scene.frame_set(6)
    close(constant.shown(), constant.surface(4)[0])
    assert "frame 4, the last one" in constant.scene["dollop_playback"]


def test_a_cache_that_is_gone_shows_nothing(constant: Bake, tmp_path: Path) -> None:
    (tmp_path / "cache").rename(tmp_path / "elsewhere")
    constant.scene.frame_set(2)
    assert len(constant.result.data.vertices) == 0
    assert "missing" in constant.scene["dollop_playback"]
    constant.scene.dollop.cache_path = str(tmp_path / "elsewhere")
    constant.scene.frame_set(3)
    close(constant.shown(), constant.surface(3)[0])


def test_a_read_only_cache_plays(constant: Bake, tmp_path: Path) -> None:
    for file in (tmp_path / "cache").iterdir():
        file.chmod(0o444)
    (tmp_path / "cache").chmod(0o555)
    before = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "cache").iterdir()}
    constant.scene.frame_set(5)
    close(constant.shown(), constant.surface(5)[0])
    assert before == {file.name: file.stat().st_mtime_ns for file in (tmp_path / "cache").iterdir()}


def test_a_new_bake_in_the_same_folder_is_noticed(changing: Bake, tmp_path: Path) -> None:
    from dollop.solver.cache import topology_of_triangles

    from .conftest import write_bake

    def larger(frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return changing.surface(frame + 3)

    topologies = {n: topology_of_triangles(larger(n)[2], len(larger(n)[0])) for n in range(FIRST, LAST + 1)}
    write_bake(tmp_path / "cache", larger, topologies, lambda number: number)
    changing.scene.frame_set(2)
    close(changing.shown(), larger(2)[0])


def test_names_do_not_matter(constant: Bake) -> None:
    constant.source.name = "Renamed"
    constant.result.name = "Something Else"
    constant.scene.frame_set(4)
    close(constant.shown(), constant.surface(4)[0])


def test_a_deleted_source_loses_nothing(constant: Bake) -> None:
    bpy.data.objects.remove(constant.source)
    constant.scene.frame_set(5)
    close(constant.shown(), constant.surface(5)[0])


def test_opening_a_file_makes_its_results(constant: Bake, tmp_path: Path) -> None:
    """A farm bakes without saving the .blend, so it may hold no result, or an old one."""
    blend = str(tmp_path / "shot.blend")
    for saved_with_result in (True, False):
        if not saved_with_result:
            from dollop.operators.bridge.result_mesh import clear_results

            assert clear_results(bpy.context.scene) == 1
            assert not bpy.context.scene.objects["Sheet/😀"].hide_render
        bpy.ops.wm.save_as_mainfile(filepath=blend)
        bpy.ops.wm.open_mainfile(filepath=blend)
        scene = bpy.context.scene
        bake = Bake(scene, scene.objects["Sheet/😀"], constant.store, constant.surface)
        scene.frame_set(4)
        close(bake.shown(), constant.surface(4)[0])
        assert bake.source.hide_render and bake.source.hide_viewport and scene.render.use_lock_interface


def test_two_scenes_play_their_own_caches(constant: Bake, tmp_path: Path) -> None:
    from dollop.operators.bridge.playback import show_results
    from dollop.solver.cache import topology_of_triangles

    from .conftest import growing_surface, write_bake

    other = bpy.data.scenes.new("Other")
    item = bpy.data.objects.new("Other Body", constant.source.data.copy())
    other.collection.objects.link(item)
    item.dollop.is_body, item.dollop.uid = True, "body-1"  # even with one identifier for both
    other.dollop.uid, other.dollop.cache_path = "scene-2", str(tmp_path / "second")
    topologies = {
        n: topology_of_triangles(growing_surface(n)[2], len(growing_surface(n)[0])) for n in range(FIRST - FIRST, LAST + 1)
    }
    store = write_bake(tmp_path / "second", growing_surface, topologies, lambda number: number)
    other.frame_set(2)
    assert show_results(other) is None
    second = Bake(other, item, store, growing_surface)
    constant.scene.frame_set(5)
    other.frame_set(3)
    close(constant.shown(), constant.surface(5)[0])
    close(second.shown(), growing_surface(3)[0])


def test_handlers_are_registered_once(constant: Bake) -> None:
    from dollop.operators.bridge import playback

    names = ("frame_change_pre", "load_post", "render_init", "render_pre", "render_post", "render_complete", "render_cancel")
    for _ in range(3):
        playback.register()
    counts = {n: sum(h.__module__ == playback.__name__ for h in getattr(bpy.app.handlers, n)) for n in names}
    assert set(counts.values()) == {1}
    playback.unregister()
    assert not any(h.__module__ == playback.__name__ for n in names for h in getattr(bpy.app.handlers, n))
    playback.register()


PLAY = """
import sys
import bpy, source_extension
source_extension.load()
bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
bpy.context.window.scene = bpy.data.scenes["{scene}"]
bpy.context.scene.frame_set(2)
(result,) = [item for item in bpy.data.objects if "dollop_result_of" in item]
heights = [vertex.co.z for vertex in result.data.vertices]
compilers = ("numba", "dollop.solver.fem", "dollop.solver.jit")
print("PLAYED", len(heights), sum(heights), *[name for name in sys.modules if name.startswith(compilers)])
"""


def test_it_plays_without_numba(constant: Bake, repository: Path, tmp_path: Path) -> None:
    """In a process of its own: other tests here use what the solver is made of."""
    constant.scene.frame_set(5)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"), copy=True)
    command = [sys.executable, "-c", PLAY.format(scene=constant.scene.name), str(tmp_path / "baked.blend")]
    said = subprocess.check_output(command, text=True, env={**os.environ, "PYTHONPATH": str(repository / "tools")})
    (played,) = [line.split() for line in said.splitlines() if line.startswith("PLAYED")]
    positions = constant.surface(2)[0]
    assert int(played[1]) == len(positions) and float(played[2]) == pytest.approx(float(positions[:, 2].sum()), rel=1e-5)
    assert not played[3:]


def test_a_stale_cache_is_flagged_but_plays(constant: Bake) -> None:
    from dollop.operators.bridge.staleness import stale_reason
    from dollop.solver.job import scene_hash

    constant.scene.render.fps = 30
    constant.scene.frame_set(3)
    close(constant.shown(), constant.surface(3)[0])
    assert "24 frames a second" in constant.scene["dollop_playback"]
    constant.scene.render.fps = 24
    constant.scene.frame_set(4)
    assert "dollop_playback" not in constant.scene

    from dollop.operators.bridge.read_scene import read_scene
    from dollop.solver.cache import FrameStore

    now = scene_hash(read_scene(constant.scene, frames=(FIRST, LAST)).scene, LAST)
    with FrameStore.open(constant.store.folder, writable=True) as store:
        store.update_manifest(scene_hash=now)
    assert stale_reason(constant.scene) == ""
    constant.source.dollop.resolution += 1
    assert "changed" in stale_reason(constant.scene)
    assert constant.source.hide_render and constant.scene.frame_current == 4
    close(constant.shown(), constant.surface(4)[0])


def test_a_source_from_a_library_plays_too(scene: "bpy.types.Scene", tmp_path: Path) -> None:
    """It cannot be saved as hidden, so every opening hides it anew."""
    from dollop.operators.bridge.playback import show_results

    from .conftest import growing_surface, write_bake

    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.dollop.is_body, bpy.context.object.dollop.uid = True, "body-1"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (there, here):
        here.objects = list(there.objects)
    scene = bpy.context.scene
    scene.collection.objects.link(here.objects[0])
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(tmp_path / "cache")
    from dollop.solver.cache import topology_of_triangles

    topologies = {n: topology_of_triangles(growing_surface(n)[2], len(growing_surface(n)[0])) for n in range(LAST + 1)}
    store = write_bake(tmp_path / "cache", growing_surface, topologies, lambda number: number)
    assert show_results(scene) is None
    scene.frame_set(4)
    bake = Bake(scene, here.objects[0], store, growing_surface)
    close(bake.shown(), growing_surface(4)[0])
    assert here.objects[0].hide_render


def test_a_result_in_edit_mode_is_left_alone(constant: Bake) -> None:
    bpy.context.view_layer.objects.active = constant.result
    bpy.ops.object.mode_set(mode="EDIT")
    constant.scene.frame_set(5)
    bpy.ops.object.mode_set(mode="OBJECT")
    constant.scene.frame_set(4)
    close(constant.shown(), constant.surface(4)[0])


def test_a_result_that_was_cut_up_is_refilled(constant: Bake) -> None:
    constant.result.data.clear_geometry()
    constant.scene.frame_set(3)
    close(constant.shown(), constant.surface(3)[0])


def test_a_result_may_be_moved_about(constant: Bake) -> None:
    from dollop.operators.bridge.playback import show_results

    constant.result.location = (9, 9, 9)
    assert show_results(constant.scene) is None
    constant.scene.frame_set(3)
    assert tuple(constant.result.location) == (9, 9, 9)


def test_time_stretching_slows_the_goo_down(constant: Bake) -> None:
    constant.scene.render.frame_map_new = 200
    constant.scene.frame_set(7)
    close(constant.shown(), 0.5 * (constant.surface(3)[0] + constant.surface(4)[0]))


def test_switching_the_extension_off_and_on_loses_nothing(constant: Bake) -> None:
    from dollop.operators.bridge import playback

    constant.scene.frame_set(3)
    playback.unregister()
    constant.scene.frame_set(5)
    close(constant.shown(), constant.surface(3)[0])
    playback.register()
    playback.show_all()
    close(constant.shown(), constant.surface(5)[0])


def test_a_background_set_plays_its_own_cache(constant: Bake) -> None:
    front = bpy.data.scenes.new("Front")
    front.background_set = constant.scene
    front.frame_set(5)
    close(constant.shown(), constant.surface(5)[0])
