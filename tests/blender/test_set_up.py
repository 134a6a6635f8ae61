"""Bodies, colliders and presets: the operators an artist presses before the bake."""

import math

import bpy
import pytest

from .reading import add_cube, add_plane, bridge, read


def refused(operator, words, **options):
    """Run an operator that has to refuse, and check its sentence."""
    with pytest.raises(RuntimeError, match=words):
        operator(**options)


def test_several_meshes_become_bodies(scene):
    items = [add_cube(location=(3 * step, 0, 0)) for step in range(3)]
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.dollop.body_add(preset="wax") == {"FINISHED"}
    assert all(item.dollop.is_body and item.dollop.preset == "wax" for item in items)
    assert len({item.dollop.uid for item in items}) == 3 and scene.dollop.uid
    assert all(item.dollop.estimated_tets > 0 and item.dollop.element_size == pytest.approx(2 / 24) for item in items)


def test_adding_again_keeps_the_settings(cube):
    bpy.ops.dollop.body_add()
    cube.dollop.viscoplastic.yield_stress = 77
    uid = cube.dollop.uid
    bpy.ops.dollop.body_add(preset="wax")
    assert cube.dollop.viscoplastic.yield_stress == 77 and cube.dollop.uid == uid


def test_resolution_refreshes_the_estimate(cube):
    bpy.ops.dollop.body_add()
    cube.dollop.resolution = 10
    assert cube.dollop.element_size == pytest.approx(0.2)


def test_estimate_of_a_hidden_body(cube):
    """While its baked result plays, the body itself is hidden."""
    cube.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.ops.dollop.body_add()
    before = (cube.dollop.element_size, cube.dollop.estimated_tets)
    cube.hide_viewport = True
    cube.dollop.resolution = 48
    cube.dollop.resolution = 24
    assert (cube.dollop.element_size, cube.dollop.estimated_tets) == before and cube.hide_viewport


def test_what_cannot_be_a_body_is_told(scene):
    bpy.ops.curve.primitive_bezier_circle_add()
    curve = bpy.context.object
    refused(bpy.ops.dollop.body_add, "a curve object, not a mesh. Use Object > Convert")
    bpy.ops.object.text_add()
    refused(bpy.ops.dollop.body_add, "It is a text object, not a mesh.")
    empty_mesh = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    scene.collection.objects.link(empty_mesh)
    bpy.ops.object.select_all(action="DESELECT")
    empty_mesh.select_set(True)
    bpy.context.view_layer.objects.active = empty_mesh
    refused(bpy.ops.dollop.body_add, "no faces")
    add_cube().scale = (math.nan, 1, 1)
    for operator in (bpy.ops.dollop.body_add, bpy.ops.dollop.collider_add):
        refused(operator, "scale is not a finite number")
    assert not curve.dollop.is_body and not empty_mesh.dollop.is_body


def test_mixed_selection_takes_what_it_can(scene):
    bpy.ops.curve.primitive_bezier_circle_add()
    curve = bpy.context.object
    cube = add_cube()
    curve.select_set(True)
    assert bpy.ops.dollop.body_add() == {"FINISHED"}
    assert cube.dollop.is_body and not curve.dollop.is_body


def test_linked_object_is_told_how(scene, tmp_path):
    cube = add_cube()
    cube.name = "Distant"
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, target):
        target.objects = ["Distant"]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    linked.select_set(True)
    bpy.context.view_layer.objects.active = linked
    refused(bpy.ops.dollop.body_add, "linked from .*Library Override")
    refused(bpy.ops.dollop.collider_add, "linked from .*Library Override")


def test_unknown_preset(cube):
    refused(bpy.ops.dollop.body_add, "no preset 'gold'. Choose one of .*wax", preset="gold")
    assert not cube.dollop.is_body


def test_body_remove(cube):
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.body_remove() == {"FINISHED"}
    assert not cube.dollop.is_body
    assert not bpy.ops.dollop.body_remove.poll()


@pytest.mark.parametrize(("make", "kind"), [(add_plane, "plane"), (add_cube, "mesh")])
def test_collider_kind_is_guessed(scene, make, kind):
    item = make()
    bpy.ops.dollop.collider_add()
    assert item.dollop.is_collider and item.dollop.collider_kind == kind
    assert bpy.ops.dollop.collider_remove() == {"FINISHED"} and not item.dollop.is_collider


def test_empty_is_a_ground(scene):
    bpy.ops.object.empty_add()
    bpy.ops.dollop.collider_add()
    assert bpy.context.object.dollop.collider_kind == "plane"
    refused(bpy.ops.dollop.collider_add, "an empty object, without a surface", kind="mesh")


def test_body_and_collider_exclude_each_other(cube):
    bpy.ops.dollop.body_add()
    refused(bpy.ops.dollop.collider_add, "It is a body. Remove the body first")
    bpy.ops.dollop.body_remove()
    bpy.ops.dollop.collider_add()
    refused(bpy.ops.dollop.body_add, "It is a collider. Remove the collider first")


def test_curve_collider(scene):
    bpy.ops.curve.primitive_bezier_circle_add()
    bpy.context.object.data.bevel_depth = 0.1
    bpy.ops.dollop.collider_add()
    add_cube(location=(0, 0, 4))
    bpy.ops.dollop.body_add()
    assert len(read(scene).colliders[0].surface.triangles) > 0


def test_preset_apply(cube):
    bpy.ops.dollop.body_add()
    bpy.ops.dollop.preset_apply(preset="wax")
    preset = bridge("presets").find_preset("wax")
    settings = cube.dollop
    assert settings.preset == "wax" and not settings.preset_changed and settings.preset_label == preset.name
    assert settings.real_size == pytest.approx(preset.real_size)
    body = read(bpy.context.scene).bodies[0]
    assert body.material == preset.material and body.real_size == preset.real_size
    settings.viscoplastic.yield_stress += 1
    assert settings.preset_label == f"{preset.name} *"


@pytest.mark.parametrize("identifier", sorted(path.stem for path in __import__("pathlib").Path("presets").glob("*.toml")))
def test_every_preset_survives_the_properties(cube, identifier):
    """Blender's single precision gives back what the file says."""
    bpy.ops.dollop.body_add(preset=identifier)
    assert read(bpy.context.scene).bodies[0].material == bridge("presets").find_preset(identifier).material


def test_preset_save_and_remove(cube):
    bpy.ops.dollop.body_add()
    assert not bpy.ops.dollop.preset_remove.poll()
    cube.dollop.viscoplastic.yield_stress = 123
    assert bpy.ops.dollop.preset_save(name="Töpfer's Clay!", look="Slumps.") == {"FINISHED"}
    identifier = cube.dollop.preset
    path = bridge("presets").own_preset_path(identifier)
    assert path.is_file() and "presets" in path.parts
    bpy.ops.dollop.preset_apply(preset="wax")
    bpy.ops.dollop.preset_apply(preset=identifier)
    assert cube.dollop.viscoplastic.yield_stress == 123 and cube.dollop.preset_label == "Töpfer's Clay!"
    assert bpy.ops.dollop.preset_remove() == {"FINISHED"} and not path.exists()
    assert identifier not in bridge("presets").available_presets()
    refused(bpy.ops.dollop.preset_save, "No file name can be made", name="!!!")


def test_damaged_preset_hides_only_itself(cube, extension):
    folder = bridge("folders").user_folder("presets")
    (folder / "broken.toml").write_text("format = 1\nname = ")
    try:
        presets = bridge("presets").available_presets()
        assert "dough" in presets and "broken" not in presets
    finally:
        (folder / "broken.toml").unlink()


def test_undo(scene):
    bpy.ops.ed.undo_push(message="Start")
    cube = add_cube()
    bpy.ops.ed.undo_push(message="Cube")
    bpy.ops.dollop.body_add()
    bpy.ops.ed.undo_push(message="Add Body")
    uid = cube.dollop.uid
    bpy.ops.dollop.preset_apply(preset="wax")
    bpy.ops.ed.undo_push(message="Preset")
    bpy.ops.ed.undo()
    cube = bpy.context.scene.objects["Cube"]
    assert cube.dollop.preset == "dough" and cube.dollop.is_body and cube.dollop.uid == uid
    bpy.ops.ed.undo()
    cube = bpy.context.scene.objects["Cube"]
    assert not cube.dollop.is_body
    bpy.ops.ed.redo()
    assert bpy.context.scene.objects["Cube"].dollop.is_body


def test_duplicates_are_repaired_on_saving(scene, tmp_path):
    cube = add_cube()
    bpy.ops.dollop.body_add()
    uid = cube.dollop.uid
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert cube.dollop.uid == uid != copy.dollop.uid


def test_copied_scene_gets_its_own_identifier(scene, tmp_path):
    add_cube()
    bpy.ops.dollop.body_add()
    uid = scene.dollop.uid
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene
    assert copy != scene and copy.dollop.uid == uid
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert scene.dollop.uid == uid != copy.dollop.uid


def test_grey_buttons_need_something(scene):
    for name in ("body_add", "body_remove", "preset_apply", "tetrahedralize", "bake", "resume", "cache_clear", "export"):
        assert not getattr(bpy.ops.dollop, name).poll(), name


def test_settings_survive_saving(cube, tmp_path):
    bpy.ops.dollop.body_add(preset="wax")
    cube.dollop.velocity = (1, 2, 3)
    before = read(bpy.context.scene).bodies[0]
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    after = read(bpy.context.scene).bodies[0]
    assert (after.uid, after.material, after.velocity, after.real_size) == (
        before.uid,
        before.material,
        before.velocity,
        before.real_size,
    )


def test_library_override_is_a_body_for_good(scene, tmp_path):
    add_cube().name = "Distant"
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, target):
        target.objects = ["Distant"]
    bpy.context.scene.collection.objects.link(target.objects[0])
    override = target.objects[0].override_create(remap_local_usages=True)
    override.select_set(True)
    bpy.context.view_layer.objects.active = override
    assert bpy.ops.dollop.body_add(preset="wax") == {"FINISHED"}
    override.dollop.resolution = 9
    uid = override.dollop.uid
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    body = next(item for item in bpy.context.scene.objects if item.dollop.is_body)
    assert (body.dollop.uid, body.dollop.resolution, body.dollop.preset) == (uid, 9, "wax")
    assert read(bpy.context.scene).bodies[0].material == bridge("presets").find_preset("wax").material


def test_the_goo_stands_for_its_hidden_body(scene):
    """While a result plays, it is all that the artist can click on."""
    body = add_cube()
    bpy.ops.dollop.body_add()
    body.hide_viewport = True
    goo = add_cube()
    goo["dollop_result_of"] = body.dollop.uid
    assert bpy.ops.dollop.preset_apply(preset="wax") == {"FINISHED"}
    assert body.dollop.preset == "wax" and not goo.dollop.preset
    assert bpy.ops.dollop.preset_save.poll() and bpy.ops.dollop.tetrahedralize.poll()
    refused(bpy.ops.dollop.body_add, "made by Dollop to show a body")
    assert bpy.ops.dollop.body_remove() == {"FINISHED"} and not body.dollop.is_body
