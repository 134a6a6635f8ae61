"""The two places where every panel is shown: the 3D view's sidebar and the Physics properties."""

from ..operators import ids
from ..operators.polls import active_body


class InSidebar:
    """Tab "Dollop" of the 3D view."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = ids.SIDEBAR_TAB


class InPhysics:
    """Physics tab of the properties editor."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


def columns(layout, keyed=False):
    """Return the layout as Blender's own panels have it: names to the left, values to the right, dots to key if `keyed`."""
    layout.use_property_split = True
    layout.use_property_decorate = keyed
    return layout


def body(context):
    """Return the body that the active object is, or whose goo or tets it shows."""
    return active_body(context)


def is_body(context):
    return body(context) is not None


def is_collider(context):
    return context.object is not None and context.object.dollop.is_collider
