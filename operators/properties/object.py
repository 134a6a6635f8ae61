"""object.dollop: what makes an object a body or a collider."""

from functools import cache
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...solver.materials import models
from ...solver.scene import LEAST_REFINE_LENGTH, MOST_RESOLUTION, REMESHERS, REMESHING, SEEN
from ...solver.topology_checks import MOST_MERGE_GROUPS
from .influences import INFLUENCES
from .material import material_groups
from .named_data import vertex_group
from .settings import HIDDEN, KEYED, SETTING

_METHODS = (
    ("cage", "Cage", "A lattice of tets around the mesh carries it: takes any mesh, with holes, overlaps or flipped normals"),
    ("conforming", "Conforming", "Tets that meet the mesh's own faces: exact contact, but only for clean closed meshes"),
)
_SEEN_LABELS = {"artist": "Original Mesh", "tets": "Goo Surface"}
_COLLIDERS = (
    ("mesh", "Mesh", "The object's own surface, modifiers counted"),
    ("plane", "Ground", "An endless floor through the object's origin: solid below its local Z axis"),
    ("sphere", "Sphere", "An exact ball about the object's bounds, as wide as they are at most"),
    ("box", "Box", "The object's bounds, along its own axes"),
    ("capsule", "Capsule", "A cylinder with round ends along the longest side of the object's bounds"),
)


def _refresh_estimate(group: Any, context: bpy.types.Context) -> None:
    from ..bridge.estimate import refresh_estimate

    refresh_estimate(group.id_data, context.scene)


def _read_preset_label(group: Any) -> str:
    """The name in the preset menu's button, with a star once values were changed."""
    from ..bridge.presets import available_presets

    preset = available_presets().get(group.preset)
    name = preset.name if preset else group.preset or "Choose a Goo"
    return f"{name} *" if group.preset_changed else name


@cache
def object_group() -> type:
    """Return DollopObject, with one pointer for each material model (`object.dollop.viscoplastic`)."""
    pointers = {
        identifier: PointerProperty(type=group, override={"LIBRARY_OVERRIDABLE"})
        for identifier, group in material_groups().items()
    }
    acting = {name: value for influence in INFLUENCES for name, value in influence.properties.items()}
    annotations = {**_identity(), **_groups(), **_body(), **_remeshing(), **_merging(), **acting, **_collider(), **pointers}
    namespace = {"__annotations__": annotations, "__doc__": "Dollop's settings of one object"}
    return type("DollopObject", (bpy.types.PropertyGroup,), namespace)


def _identity() -> dict[str, Any]:
    return {
        "is_body": BoolProperty(name="Body", description="This mesh is simulated as goo", **HIDDEN),
        "is_collider": BoolProperty(name="Collider", description="Goo lands on this object", **HIDDEN),
        "uid": StringProperty(name="Identifier", description="Names this object's files in the cache, for life", **HIDDEN),
        "preview_of": StringProperty(name="Preview Of", description="Identifier of the body whose tets this shows", **HIDDEN),
    }


def _groups() -> dict[str, Any]:
    return {
        "collision_groups": BoolVectorProperty(
            name="Collision Groups",
            description="Bodies and colliders meet where they share a group; which bodies collide at all is set under Solver",
            size=8,
            default=(True, *[False] * 7),
            subtype="LAYER",
            **SETTING,
        )
    }


def _body() -> dict[str, Any]:
    model_items = [(model.identifier, model.label, f"{model.description} ({model.source})") for model in models().values()]
    return {
        "model": EnumProperty(name="Model", description="The law that the goo follows", items=model_items, **SETTING),
        "preset": StringProperty(name="Goo", description="The preset that was applied last", **HIDDEN),
        "preset_label": StringProperty(
            name="Goo", description="The goo this is made of", get=_read_preset_label, options=set()
        ),
        "preset_changed": BoolProperty(name="Changed", description="Values were edited after the preset", **HIDDEN),
        "use_real_size": BoolProperty(
            name="Real Size",
            description="Look like goo of the size below, whatever the size in the scene: stiffness and yield stress scale "
            "with the ratio of lengths, rates with its inverse square root. Off: values are taken literally",
            default=True,
            **SETTING,
        ),
        "real_size": FloatProperty(
            name="Real Size (m)",
            description="Largest extent, in metres, of the real thing that this should look like",
            default=0.15,
            min=1e-4,
            max=1e4,
            soft_max=10.0,
            precision=3,
            step=1,
            **SETTING,
        ),
        "method": EnumProperty(name="Filling", description="How the body is filled with tets", items=_METHODS, **SETTING),
        "resolution": IntProperty(
            name="Resolution",
            description="Tetrahedra across the body's largest extent: twice as many take about ten times as long",
            default=24,
            min=2,
            max=MOST_RESOLUTION,
            soft_min=6,
            soft_max=96,
            update=_refresh_estimate,
            **SETTING,
        ),
        "seen": EnumProperty(
            name="What Is Seen",
            description="Which surface the baked goo shows, and touches things with",
            items=[(name, _SEEN_LABELS[name], meaning) for name, meaning in SEEN.items()],
            **SETTING,
        ),
        "contact_detail": IntProperty(
            name="Contact Detail",
            description="Points that touch colliders, along half a tet: more where an edge cuts into soft goo in between; "
            "costs time wherever the goo touches something",
            default=1,
            min=1,
            max=8,
            soft_max=4,
            **SETTING,
        ),
        "element_size": FloatProperty(name="Tet Size", description="Edge length of a tet", unit="LENGTH", **HIDDEN),
        "estimated_tets": IntProperty(name="Tet Count", description="About how many tetrahedra this makes", **HIDDEN),
        "velocity": FloatVectorProperty(
            name="Velocity", description="Speed at the first frame", subtype="VELOCITY", unit="VELOCITY", **SETTING
        ),
        "angular_velocity": FloatVectorProperty(
            name="Spin",
            description="Angular velocity at the first frame, per second, about the centre of mass",
            subtype="EULER",
            unit="ROTATION",
            **SETTING,
        ),
    }


def _remeshing() -> dict[str, Any]:
    return {
        "remeshing": EnumProperty(
            name="Remeshing",
            description="What becomes of tets that flow has worn out: in new ones what is thinner than a tet is gone",
            items=[(name, name.capitalize(), meaning) for name, meaning in REMESHING.items()],
            **SETTING,
        ),
        "remesher": EnumProperty(
            name="Remesher",
            description="What makes the new tets",
            items=[(name, name.capitalize(), meaning) for name, meaning in REMESHERS.items()],
            **SETTING,
        ),
        "refine_surface": BoolProperty(
            name="Refine Surface",
            description="Faces much larger than a tet are halved before the bake, or they would stay flat where the goo bends. "
            "With Remeshing those too that flow draws out, and slivers go: the mesh changes during the bake, which shape keys "
            "and MDD cannot hold. UVs, materials, groups and attributes stay",
            default=True,
            **SETTING,
        ),
        "refine_length": FloatProperty(
            name="Longest Edge",
            description="At a remesh, or once one is twice too long, edges are halved until none is longer than so many times "
            "the longest around it at the start; what is shorter than half a tet is left",
            default=1.5,
            min=LEAST_REFINE_LENGTH,
            soft_max=4.0,
            **SETTING,
        ),
        "tear_thickness": FloatProperty(
            name="Tear Below",
            description="A neck thinner than this between thicker parts tears when the goo gets new tets, and its surface is "
            "cut and closed there. 0: nothing is cut. Can be keyed. An open mesh is closed for it; at least one and a half tet "
            "sizes work well",
            min=0.0,
            subtype="DISTANCE",
            **KEYED,
        ),
        "inner_material": PointerProperty(
            name="Inner Material",
            description="Material of the faces that close a surface where it has torn; none: as the faces around",
            type=bpy.types.Material,
            **SETTING,
        ),
    }


def _merging() -> dict[str, Any]:
    return {
        "merging": BoolProperty(
            name="Merge",
            description="Pieces of it that run into each other become one when the goo gets new tets, and their surfaces are "
            "sewn together there. Off: what meets stays apart, folds too. Can be keyed. An "
            "open mesh is closed for it. What may merge does not collide with each other",
            default=False,
            **KEYED,
        ),
        "never_merge_collection": PointerProperty(
            name="Except With",
            description="The bodies of this collection do not merge with this one, whatever their groups: they collide instead",
            type=bpy.types.Collection,
            **SETTING,
        ),
        "keep_apart": BoolProperty(
            name="Keep Apart",
            description="Whether it does not merge with the bodies of that collection now. Can be keyed: once it is off they "
            "merge where they touch, and what has merged stays so",
            default=True,
            **KEYED,
        ),
        "merge_group": IntProperty(
            name="Merge Group",
            description="Bodies that merge and have the same number become one where they touch; the larger one's object shows "
            "both from then on. 0: only its own pieces merge",
            default=0,
            min=0,
            max=MOST_MERGE_GROUPS,
            **SETTING,
        ),
    }


def _painted(name: str) -> Any:
    about = f"Vertex group whose weights are the share of {name} that counts; none: all of it everywhere"
    return vertex_group(f"{name} Group", about)


def _collider() -> dict[str, Any]:
    return {
        "collider_kind": EnumProperty(name="Shape", description="What the goo touches", items=_COLLIDERS, **SETTING),
        "friction": FloatProperty(
            name="Friction",
            description="Coulomb coefficient: 0 is ice, on which goo slides for ever, 1 grips",
            default=0.5,
            min=0.0,
            soft_max=2.0,
            **KEYED,
        ),
        "friction_group": _painted("Friction"),
        "stickiness": FloatProperty(
            name="Stickiness (Pa)",
            description="Pull, in pascals, that goo which has touched it withstands before it comes off: "
            "a layer of goo weighs some 100 Pa a centimetre. Scaled with the goo, where that has a Real Size",
            default=0.0,
            min=0.0,
            soft_max=10000.0,
            **KEYED,
        ),
        "stickiness_group": _painted("Stickiness"),
        "thickness": FloatProperty(
            name="Thickness",
            description="Distance that the goo keeps from the surface",
            subtype="DISTANCE",
            min=0.0,
            soft_max=0.1,
            **KEYED,
        ),
        "thickness_group": _painted("Thickness"),
        "two_sided": BoolProperty(
            name="Two-Sided",
            description="A thin sheet that is solid from both sides, whatever its shape. Off: of a closed mesh the inside is "
            "solid; an open one that faces up everywhere is ground, solid for a little way below; other open ones are sheets",
            **SETTING,
        ),
        "follow_animation": BoolProperty(
            name="Animated",
            description="Follow its motion and its changes of shape, from keys, bones, parents, modifiers or drivers; "
            "off: stay as on the first frame",
            default=True,
            **SETTING,
        ),
        "samples": IntProperty(
            name="Samples per Frame",
            description="How often it is looked at within a frame: more for what swings or turns fast, as half a turn a frame",
            default=1,
            min=1,
            max=64,
            soft_max=16,
            **SETTING,
        ),
    }
