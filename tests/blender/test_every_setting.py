"""Every property that an artist can set reaches the solver's scene: one that is new and is read by nobody fails here."""

from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from .reading import add_cube, add_plane, bridge, solver

# What Dollop writes for itself, or what says nothing about the motion
NOT_READ = {
    "object": {
        "rna_type", "name", "uid", "preview_of", "preset", "preset_label", "preset_changed", "element_size", "estimated_tets",
    },
    "scene": {
        "rna_type", "name", "uid", "cache_path", "is_baking", "progress", "stage", "message", "warnings", "places", "remaining",
        "cached", "playback_message", "stale", "frame_done",
    },
}  # fmt: skip
# What has to be set before a property means anything
PIN = {"pin_kind": "SPRINGS", "pin_group": "Some"}
ATTACHMENT = {"attachment_kind": "SPRINGS", "attachment_group": "Some", "attachment_object": "Table"}
PULL = {"pull_kind": "OBJECT", "pull_object": "Copy"}
FIBRES = {"fibre_kind": "DIRECTION"}
PAINT = {"paint_kind": "ATTRIBUTE", "paint_stiffness": 3.0}
GOAL = {"goal_kind": "OBJECT", "goal_object": "Copy"}
MEANS = {
    "pin_": PIN, "attachment_": ATTACHMENT, "pull_": PULL, "fibre_": FIBRES, "paint_": PAINT, "goal_": GOAL,
    "field_": {"field_kind": "ALL"}, "rise_": {"rise_kind": "RATE"}, "volume_": {"volume_kind": "RESTORE"},
    "pull_shape_key": {"pull_kind": "SHAPE_KEY", "pull_shape_key": "Apart"},
    "goal_shape_key": {"goal_kind": "SHAPE_KEY", "goal_shape_key": "Apart"},
    "fibre_attribute": {"fibre_kind": "ATTRIBUTE"}, "fibre_group": {"fibre_kind": "GROUP", "fibre_group": "Some"},
    "paint_group": {"paint_kind": "GROUP", "paint_group": "Some", "paint_stiffness": 3.0},
    "field_collection": {"field_kind": "COLLECTION"},
    "refine_length": {"remeshing": "wholesale"},
    "never_merge_collection": {"merging": True}, "keep_apart": {"merging": True, "never_merge_collection": "Apart"},
    "inner_material": {"tear_thickness": 0.1},
    "frame_start": {"use_frame_range": True}, "frame_end": {"use_frame_range": True},
}  # fmt: skip
# What some are set to, where another number, switch or choice will not do: names are those of `shot`
VALUES: dict[str, Any] = {
    "pin_kind": "FIRM", "attachment_kind": "FIRM", "attachment_object": "Fist", "pull_object": "Other Copy",
    "pull_kind": "NONE", "goal_kind": "NONE", "goal_object": "Other Copy", "pull_shape_key": "Basis", "goal_shape_key": "Basis",
    "pin_group": "Others", "attachment_group": "Others", "pull_group": "Others", "paint_group": "Others",
    "fibre_group": "Others",
    "friction_group": "Some", "stickiness_group": "Some", "thickness_group": "Some",
    "fibre_attribute": "other", "paint_attribute": "other_paint",
    "fibre_kind": "NONE", "paint_kind": "NONE", "field_collection": "Apart", "never_merge_collection": "Apart",
    "inner_material": "Flesh", "collision_groups": (False, True) + 6 * (False,), "frame_end": 7, "collider_kind": "sphere",
    "follow_animation": False, "is_body": False, "is_collider": False,
}  # fmt: skip
OF_COLLIDERS = {
    "is_collider", "collider_kind", "friction", "friction_group", "stickiness", "stickiness_group", "thickness",
    "thickness_group", "two_sided", "follow_animation", "samples",
}  # fmt: skip


def painted_cube(name: str, **options: Any) -> "bpy.types.Object":
    item = add_cube(**options)
    item.name = name
    for group, members in (("Some", [0, 1, 2]), ("Others", [3, 4])):
        item.vertex_groups.new(name=group).add(members, 0.5, "REPLACE")
    return item


@pytest.fixture
def shot(scene) -> SimpleNamespace:
    """A body that has all that settings can name, a second one, two colliders, copies, a wind and a collection."""
    body = painted_cube("Goo", size=1, location=(0, 0, 3))
    second = add_cube(size=1, location=(4, 0, 3))
    for item in (body, second):
        item.dollop.is_body = True
    body.shape_key_add(name="Basis")
    for point in body.shape_key_add(name="Apart").data:
        point.co *= 1.5
    for number, (fibre, paint) in enumerate((("fibre", "paint"), ("other", "other_paint")), start=1):
        body.data.attributes.new(fibre, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", np.full(24, number, np.float32))
        body.data.attributes.new(paint, "FLOAT", "POINT").data.foreach_set("value", np.full(8, 0.3 * number, np.float32))
    table, fist = painted_cube("Table", size=1), add_plane(size=2, location=(0, 0, -2))
    fist.name = "Fist"
    for item in (table, fist):
        item.dollop.is_collider = True
    for frame in (1, 5):
        table.location.x = 0.1 * frame
        table.keyframe_insert("location", frame=frame)
    for number, name in enumerate(("Copy", "Other Copy"), start=1):
        add_cube(size=1 + number, location=(9, 9, 9)).name = name
    for number, kind in enumerate(sorted(solver("force_fields.kinds").kinds())):
        bpy.ops.object.effector_add(type=kind, location=(0, number, 9))
    apart = bpy.data.collections.new("Apart")
    for item in (body, second, bpy.context.object):
        apart.objects.link(item)
    bpy.data.materials.new("Flesh")
    scene.frame_end = 5
    return SimpleNamespace(scene=scene, body=body, table=table)


def plain(value: Any) -> Any:
    """Dataclasses, dictionaries and arrays as lists that can be compared."""
    if isinstance(value, np.ndarray):
        return [value.shape, value.tolist()]
    if is_dataclass(value):
        return [[field.name, plain(getattr(value, field.name))] for field in fields(value)]
    if isinstance(value, dict):
        return sorted([str(name), plain(entry)] for name, entry in value.items())
    return [plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def reading(scene: "bpy.types.Scene") -> Any:
    """What a bake would be given; nothing may have been refused."""
    seen = bridge("read_scene").read_scene(scene, strict=False)
    assert not seen.problems, seen.problems
    return plain((seen.scene, {uid: (one.materials, one.inner_slot) for uid, one in seen.topologies.items()}))


def put(group: Any, name: str, value: Any) -> None:
    """Set a property; names stand for what they name."""
    rna = group.bl_rna.properties[name]
    if rna.type == "POINTER" and isinstance(value, str):
        value = {"Object": bpy.data.objects, "Collection": bpy.data.collections, "Material": bpy.data.materials}[
            rna.fixed_type.identifier
        ][value]
    setattr(group, name, value)


def another(group: Any, name: str) -> Any:
    """Another value than the present one."""
    rna, present = group.bl_rna.properties[name], getattr(group, name)
    if name in VALUES:
        return VALUES[name]
    if rna.type == "BOOLEAN":
        return not present
    if rna.type == "ENUM":
        return next(item.identifier for item in rna.enum_items if item.identifier != present)
    if rna.type in ("INT", "FLOAT"):
        if rna.is_array:
            return tuple(part + 0.5 for part in present)
        step = 1 if rna.type == "INT" else 0.25 * abs(present) or 0.25
        return present + step if present + step <= rna.hard_max else present - step
    raise AssertionError(f"{name} is new: say in VALUES what it may be set to")


def unread(shot: SimpleNamespace, group: Any, names: list[str], means: dict[str, dict[str, Any]] = MEANS) -> list[str]:
    """The properties whose change changes nothing that is read."""
    found = []
    for name in names:
        needed = means.get(name) or next(
            (some for prefix, some in means.items() if prefix[-1] == "_" and name.startswith(prefix)), {}
        )
        kept = {each: getattr(group, each) for each in (*needed, name)}
        for each, value in needed.items():
            put(group, each, value)
        before = reading(shot.scene)
        put(group, name, another(group, name))
        if reading(shot.scene) == before:
            found.append(name)
        for each, value in kept.items():
            setattr(group, each, tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value)
    return found


def settable(group: Any, kind: str) -> list[str]:
    return [rna.identifier for rna in group.bl_rna.properties if rna.identifier not in NOT_READ[kind]]


def test_every_setting_of_the_scene_is_read(shot):
    assert unread(shot, shot.scene.dollop, settable(shot.scene.dollop, "scene")) == []


def test_every_setting_of_a_body_is_read(shot):
    names = settable(shot.body.dollop, "object")
    models = set(solver("materials").models())
    assert models <= set(names)
    assert unread(shot, shot.body.dollop, [name for name in names if name not in OF_COLLIDERS | models]) == []


def test_every_setting_of_a_collider_is_read(shot):
    assert set(settable(shot.table.dollop, "object")) > OF_COLLIDERS
    assert unread(shot, shot.table.dollop, sorted(OF_COLLIDERS | {"collision_groups"})) == []


def test_every_number_and_choice_of_every_goo_is_read(shot):
    for model in solver("materials").models():
        shot.body.dollop.model = model
        group = getattr(shot.body.dollop, model)
        names = [rna.identifier for rna in group.bl_rna.properties if rna.identifier not in ("rna_type", "name")]
        assert unread(shot, group, names, {}) == [], model
