"""What the artist has set and where the frames go: changed, moved, renamed, cleared after the bake."""

import shutil
import sys
import time

import bpy
import pytest

from ..reading import add_cube, bridge
from .following import folder, goo, lowest


def test_a_changed_setting_is_told_in_the_panel_until_it_is_put_back(body):
    scene = bpy.context.scene
    bpy.ops.dollop.bake()
    assert scene.dollop.stale == ""
    body.dollop.resolution += 1
    assert scene.dollop.stale == "The resolution of 'Bun / 🍞' was changed after the bake."
    scene.frame_set(3)
    assert scene.dollop.playback_message == scene.dollop.stale
    body.dollop.resolution -= 1
    body.dollop.viscoplastic.yield_stress *= 2
    assert "yield stress" in scene.dollop.stale
    body.dollop.viscoplastic.yield_stress *= 0.5
    scene.frame_end = 20
    assert scene.dollop.stale == ""
    add_cube(size=1, location=(0, 0, -3))
    bpy.ops.dollop.collider_add()
    assert "was added after the bake" in scene.dollop.stale


def test_keyed_gravity_acts_at_every_frame_and_only_its_keys_are_a_changed_setting(body):
    scene = bpy.context.scene
    for frame, strength in ((1, -2.0), (10, -20.0)):
        scene.gravity.z = strength
        scene.keyframe_insert("gravity", frame=frame)
    curve = animation_curve(scene, "gravity", 2)
    for point in curve.keyframe_points:
        point.interpolation = "LINEAR"
    scene.frame_set(10)
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert scene.frame_current == 10 and scene.dollop.stale == ""
    seconds = 9 / 24  # g(t) = -2 - 48 t
    assert lowest(goo()) == pytest.approx(29 - 2.0 / 2 * seconds**2 - 48.0 / 6 * seconds**3, abs=2e-3)
    assert bridge("staleness").stale_reason(scene) == ""
    scene.frame_set(5)
    assert scene.dollop.stale == ""
    curve.keyframe_points[1].co.y = -30.0
    curve.update()
    assert scene.dollop.stale == "The animation of gravity was changed after the bake."
    scene.animation_data_clear()
    assert scene.dollop.stale == "The gravity was changed after the bake."


def animation_curve(owner, path, index):
    """The F-curve of a property in any Blender."""
    action = owner.animation_data.action
    curves = action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    return next(curve for curve in curves if (curve.data_path, curve.array_index) == (path, index))


def test_keyed_numbers_of_the_goo_are_no_changed_setting_but_their_keys_are(body):
    scene = bpy.context.scene
    goo_ = body.dollop.viscoplastic
    for frame, stress in ((1, 500.0), (10, 5.0)):
        goo_.yield_stress = stress
        body.keyframe_insert("dollop.viscoplastic.yield_stress", frame=frame)
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert bridge("staleness").stale_reason(scene) == ""
    for frame in (1, 4, 10):
        scene.frame_set(frame)
        assert scene.dollop.stale == ""
    curve = animation_curve(body, "dollop.viscoplastic.yield_stress", 0)
    curve.keyframe_points[1].co.y = 50.0
    curve.update()
    assert scene.dollop.stale == "The animation of yield stress of 'Bun / 🍞' was changed after the bake."


def test_what_acts_on_a_body_is_named_when_it_changes(body):
    scene = bpy.context.scene
    body.dollop.fibre_kind = "DIRECTION"
    bpy.ops.dollop.bake()
    assert scene.dollop.stale == ""
    body.dollop.fibre_direction = (1, 0, 0)
    assert scene.dollop.stale == "The fibre direction of 'Bun / 🍞' was changed after the bake."
    body.dollop.fibre_direction = (0, 0, 1)
    body.dollop.fibre_activation = 0.5
    assert scene.dollop.stale == "The fibre activation of 'Bun / 🍞' was changed after the bake."
    body.dollop.fibre_activation = 1.0
    body.dollop.goal_kind = "OBJECT"
    assert scene.dollop.stale == "The goal kind of 'Bun / 🍞' was changed after the bake."
    body.dollop.goal_kind = "NONE"
    assert scene.dollop.stale == ""
    scene.dollop.integrator = "backward_euler"
    assert scene.dollop.stale == "The integrator was changed after the bake."


def test_the_manifest_names_its_scene_and_an_older_one_without_plays(body):
    from dollop.solver.cache import FrameStore

    scene = bpy.context.scene
    bpy.ops.dollop.bake()
    with FrameStore.open(folder(), writable=True) as store:
        assert store.manifest["scene"] == {"uid": scene.dollop.uid, "name": scene.name}
        del store.manifest["scene"], store.manifest["settings"]
        store.update_manifest(status="done")
    body.dollop.resolution += 1
    assert scene.dollop.stale == ""
    scene.frame_set(5)
    assert lowest(goo()) < 29 and scene.dollop.playback_message == ""


def test_clear(body):
    bpy.ops.ed.undo_push(message="Ready")
    bpy.ops.dollop.bake()
    bpy.ops.ed.undo_push(message="Baked")
    (folder() / "notes.txt").write_text("the artist's own")
    path = folder()
    assert bpy.ops.dollop.cache_clear() == {"FINISHED"}
    assert goo() is None and not body.hide_render and bpy.context.scene.dollop.cached == ""
    assert [entry.name for entry in path.iterdir()] == ["notes.txt"]
    bpy.ops.ed.undo_push(message="Cleared")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(3)
    assert len(goo().data.vertices) == 0 and "missing" in bpy.context.scene.dollop.playback_message
    assert bpy.ops.dollop.cache_clear() == {"FINISHED"} and goo() is None
    assert not bpy.context.scene.objects["Bun / 🍞"].hide_render


def test_frames_that_cannot_be_cleared_play_on(body):
    from dollop.solver.cache import FrameStore

    bpy.ops.dollop.bake()
    with FrameStore.open(folder(), writable=True), pytest.raises(RuntimeError, match="Another bake writes this cache"):
        bpy.ops.dollop.cache_clear()
    bpy.context.scene.frame_set(5)
    assert lowest(goo()) < 29 and body.hide_render


def test_renamed_and_deleted_afterwards(body):
    bpy.ops.dollop.bake()
    body.name = "Something else"
    bpy.context.scene.frame_set(6)
    assert lowest(goo()) < 29
    bpy.data.objects.remove(body)
    bpy.context.scene.frame_set(7)
    assert lowest(goo()) < 29
    assert bpy.context.scene.dollop.cached


def test_frames_of_bodies_that_are_no_more_are_replaced(body, tmp_path):
    """Also in a folder that the artist chose."""
    bpy.context.scene.dollop.cache_path = str(tmp_path / "own")
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    bpy.ops.dollop.body_remove()
    add_cube(size=1, location=(4, 0, 5))
    bpy.ops.dollop.body_add()
    bpy.context.scene.frame_end = 3
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert bpy.context.scene.dollop.cached.startswith("Frames 1 to 3 are baked")


def test_two_scenes(body):
    bpy.ops.dollop.bake()
    first = bpy.context.scene
    bpy.ops.scene.new(type="NEW")
    second = bpy.context.scene
    bpy.context.window.scene, second.frame_end = second, 3
    add_cube(size=1, location=(0, 0, 5))
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert first.dollop.cached and second.dollop.cached
    second.dollop.cache_path = first.dollop.cache_path or f"//dollop_cache/{first.dollop.uid}"
    with pytest.raises(RuntimeError, match="holds the bake of other bodies"):
        bpy.ops.dollop.bake()
    assert first.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


@pytest.mark.parametrize("kind", ["FULL_COPY", "LINK_COPY"])
def test_a_copied_scene_bakes_into_a_cache_of_its_own(body, kind):
    first = bpy.context.scene
    bpy.ops.dollop.bake()
    frames = {path.name: path.read_bytes() for path in folder().iterdir()}
    kept = folder()
    bpy.ops.scene.new(type=kind)
    (second,) = [item for item in bpy.data.scenes if item != first]
    bpy.context.window.scene = second
    second.frame_end = 4
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert second.dollop.message == "Baked frames 1 to 4." and second.dollop.cached == "Frames 1 to 4 are baked, 4 of 4"
    assert folder() != kept and {path.name: path.read_bytes() for path in kept.iterdir()} == frames
    assert first.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


@pytest.mark.parametrize("kind", ["FULL_COPY", "LINK_COPY"])
def test_clearing_a_copied_scene_keeps_the_frames_of_the_first(body, kind):
    first = bpy.context.scene
    bpy.ops.dollop.bake()
    bpy.ops.scene.new(type=kind)
    (second,) = [item for item in bpy.data.scenes if item != first]
    bpy.context.window.scene = second
    assert bpy.ops.dollop.cache_clear() == {"FINISHED"}
    assert second.dollop.cached == "" and first.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


def test_a_folder_that_another_scene_baked_into_is_not_cleared(body):
    first = bpy.context.scene
    first.dollop.cache_path = "//frames"
    bpy.ops.dollop.bake()
    bpy.ops.scene.new(type="FULL_COPY")
    (second,) = [item for item in bpy.data.scenes if item != first]
    bpy.context.window.scene = second
    with pytest.raises(RuntimeError, match=f"Scene '{first.name}' has baked these frames"):
        bpy.ops.dollop.cache_clear()
    bpy.context.window.scene = first
    assert first.dollop.cached and bpy.ops.dollop.cache_clear() == {"FINISHED"} and not first.dollop.cached


def test_another_goo_makes_the_frames_old_by_one_word(body):
    bpy.ops.dollop.bake()
    bpy.ops.dollop.preset_apply(preset="wax")
    assert bpy.context.scene.dollop.stale == f"The goo of '{body.name}' was changed after the bake."
    bpy.ops.dollop.preset_apply(preset="dough")
    body.dollop.preset = "mine"
    assert bpy.context.scene.dollop.stale == ""


def test_other_bodies_in_the_same_scene(body):
    bpy.ops.dollop.bake()
    bpy.data.objects.remove(body)
    add_cube(size=1, location=(0, 0, 9)).name = "Another"
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert [item.name for item in bridge("result_mesh").results_of(bpy.context.scene)] == ["Another Goo"]


def test_unsaved_file_bakes_and_moves_beside_it_when_saved(scene, tmp_path):
    add_cube(size=2, location=(0, 0, 30))
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert "never saved" in scene.dollop.warnings
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert "never saved" not in scene.dollop.warnings
    assert folder().is_relative_to(tmp_path) and scene.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"
    scene.frame_set(4)
    assert lowest(goo()) < 29


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work otherwise there")
def test_folder_that_cannot_be_written(body, tmp_path):
    (tmp_path / "file").write_text("in the way")
    bpy.context.scene.dollop.cache_path = str(tmp_path / "file" / "cache")
    with pytest.raises(RuntimeError, match="file"):
        bpy.ops.dollop.bake()
    assert not bpy.context.scene.dollop.is_baking


def test_cache_moves_with_the_file(body, tmp_path):
    bpy.ops.dollop.bake()
    bpy.ops.wm.save_mainfile()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(tmp_path / "shot.blend", moved)
    shutil.move(tmp_path / "dollop_cache", moved)
    bpy.ops.wm.open_mainfile(filepath=str(moved / "shot.blend"))
    bpy.context.scene.frame_set(9)
    assert lowest(goo()) < 29


def test_opening_a_baked_file_is_quick(body, extension):
    """Under a second more than without Dollop, for a hundred thousand vertices."""
    body.modifiers.new("Subdivision", "SUBSURF").levels = 7
    bpy.context.scene.frame_end = 2
    bpy.ops.dollop.bake()
    assert len(goo().data.vertices) == 98306
    bpy.ops.wm.save_mainfile()
    path = bpy.data.filepath

    def seconds():
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            bpy.ops.wm.open_mainfile(filepath=path)
            times.append(time.perf_counter() - begin)
        return min(times)

    with_dollop = seconds()
    extension.unregister()
    try:
        without = seconds()
    finally:
        extension.register()
    print(f"\nopening: {with_dollop:.3f} s with Dollop, {without:.3f} s without")
    assert with_dollop - without < 1.0
