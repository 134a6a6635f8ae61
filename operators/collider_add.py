"""Selected objects become obstacles."""

import bpy

from . import ids
from .body_add import announce
from .polls import allowed, baking, chosen, not_in_object_mode, nothing_chosen

_KINDS = (
    ("auto", "Automatic", "A flat square is an endless ground, everything else its own mesh"),
    ("mesh", "Mesh", "The object's own surface, modifiers counted"),
    ("plane", "Ground", "An endless floor: solid below the object's local Z axis"),
    ("sphere", "Sphere", "An exact ball about the object's bounds"),
    ("box", "Box", "The object's bounds, along its own axes"),
    ("capsule", "Capsule", "A cylinder with round ends along the object's bounds"),
)


class DOLLOP_OT_collider_add(bpy.types.Operator):
    """Let goo land on the selected objects"""

    bl_idname = ids.COLLIDER_ADD
    bl_label = "Add Collider"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(name="Shape", description="What the goo touches", items=_KINDS)

    @classmethod
    def poll(cls, context):
        return allowed(cls, baking(context), nothing_chosen(context), not_in_object_mode(context))

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.membership import add_collider
        from .bridge.report import sentence

        added, refused = [], []
        for item in chosen(context):
            try:
                add_collider(item, context.scene, self.kind)
                added.append(item.name)
            except SolverError as error:
                refused.append(sentence(error))
        return announce(self, added, refused, "collider", "colliders")
