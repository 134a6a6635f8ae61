"""A place that a check or a failed bake has named → seen: its object selected, the 3D cursor on it, the view around it."""

import bpy

from . import ids
from .polls import allowed, not_in_object_mode

_CLOSE = 0.6  # distance to look from, in sizes of the object


def _no_place(context):
    return "" if context.scene.dollop.places else "Nothing that was found has a place"


class DOLLOP_OT_place_show(bpy.types.Operator):
    """Select the object, put the 3D cursor on the place and look at it"""

    bl_idname = ids.PLACE_SHOW
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(name="Place", description="Which of the places that were found", min=0, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return allowed(cls, not_in_object_mode(context), _no_place(context))

    def execute(self, context):
        from ..solver.errors import SolverError
        from .bridge.bad_places import look_up
        from .bridge.bake_status import status_of
        from .bridge.report import sentence

        places = status_of(context.scene.dollop.uid).places
        if self.index >= len(places):
            self.report({"ERROR"}, "There is no such place any more. Check the scene again.")
            return {"CANCELLED"}
        try:
            item, position = look_up(places[self.index], context.scene)
        except SolverError as error:
            self.report({"ERROR"}, sentence(error))
            return {"CANCELLED"}
        _select(context, item)
        context.scene.cursor.location = position
        _look_at(context, position, max(item.dimensions))
        return {"FINISHED"}


def _select(context, item):
    for other in context.selected_objects:
        other.select_set(False)
    if item.visible_get():
        item.select_set(True)
    context.view_layer.objects.active = item


def _look_at(context, position, size):
    """Turn no view, only move it: the artist keeps the direction."""
    screen = context.window.screen if context.window is not None else None
    for area in screen.areas if screen is not None else ():
        if area.type == "VIEW_3D":
            view = area.spaces.active.region_3d
            if view.view_perspective == "CAMERA":
                view.view_perspective = "PERSP"
            view.view_location = position
            view.view_distance = max(_CLOSE * size, 1e-3)
