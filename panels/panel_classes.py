"""Every panel in both of its places, in order: a parent before its children."""

import bpy

from ..operators.properties.influences import INFLUENCES
from ..operators.registration import ClassList
from .bake import BakePanel, CachePanel, ExportPanel, SolverPanel
from .body import (
    BodyPanel,
    CollisionPanel,
    ForcesPanel,
    HoldsPanel,
    MaterialMorePanel,
    MaterialPanel,
    MotionPanel,
    influence_panel,
)
from .collider import ColliderPanel
from .places import InPhysics, InSidebar, is_body, is_collider


def _both(name, panel, parent=""):
    """Return a panel's class for the sidebar and its twin for the properties editor."""
    return tuple(
        _class(f"DOLLOP_PT_{prefix}{name}", panel, place, parent and f"DOLLOP_PT_{prefix}{parent}")
        for prefix, place in (("", InSidebar), ("physics_", InPhysics))
    )


def _class(identifier, panel, place, parent):
    namespace = {"__doc__": panel.__doc__, "bl_idname": identifier}
    if place is InPhysics and not hasattr(panel, "poll"):
        namespace["poll"] = classmethod(_takes_part)
    if parent:
        namespace["bl_parent_id"] = parent
    elif place is InPhysics:
        namespace["bl_label"] = f"Dollop {panel.bl_label}"  # there it stands among Blender's own, without a tab that says whose
    return type(identifier, (panel, place, bpy.types.Panel), namespace)


def _takes_part(cls, context):
    """Physics properties are the object's own: the scene's panels show only where the object plays a part."""
    return is_body(context) or is_collider(context)


CLASSES = ClassList(
    (
        *_both("body", BodyPanel),
        *_both("material", MaterialPanel, "body"),
        *_both("material_more", MaterialMorePanel, "material"),
        *_both("collision", CollisionPanel, "body"),
        *_both("motion", MotionPanel, "body"),
        *_both("holds", HoldsPanel, "body"),
        *_both("forces", ForcesPanel, "body"),
        *(panel for one in INFLUENCES for panel in _both(one.name, influence_panel(one), one.within)),
        *_both("collider", ColliderPanel),
        *_both("bake", BakePanel),
        *_both("solver", SolverPanel, "bake"),
        *_both("cache", CachePanel),
        *_both("export", ExportPanel),
    )
)
