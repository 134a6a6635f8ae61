"""What the goo lands on."""

from ..operators import ids
from .places import columns, is_body, is_collider


class ColliderPanel:
    """Collider: shape and friction."""

    bl_label = "Collider"

    @classmethod
    def poll(cls, context):
        return not is_body(context)

    def draw(self, context):
        if not is_collider(context):
            self.layout.operator(ids.COLLIDER_ADD, icon="MOD_PHYSICS")
            return
        settings = context.object.dollop
        layout = columns(self.layout, keyed=True)
        layout.prop(settings, "collider_kind")
        paintable = settings.collider_kind == "mesh"
        layout.prop(settings, "friction")
        if paintable:
            layout.prop(settings, "friction_group", text="Painted", icon="GROUP_VERTEX")
        layout.prop(settings, "stickiness")
        if paintable:
            layout.prop(settings, "stickiness_group", text="Painted", icon="GROUP_VERTEX")
        layout.prop(settings, "thickness")
        if paintable:
            layout.prop(settings, "thickness_group", text="Painted", icon="GROUP_VERTEX")
            layout.prop(settings, "two_sided")
        groups = layout.row()
        groups.use_property_decorate = False  # a dot for each of the eight would leave eight empty lines
        groups.prop(settings, "collision_groups")
        layout.prop(settings, "follow_animation")
        if settings.follow_animation:
            layout.prop(settings, "samples", text="Samples")
        layout.operator(ids.COLLIDER_REMOVE, icon="X")
