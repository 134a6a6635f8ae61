"""Why a button is grey: each function returns the reason, or nothing when the button works."""

from typing import Any

import bpy


def allowed(operator: Any, *reasons: str) -> bool:
    """Return whether no reason speaks against the operator; Blender shows the first one in the button's tooltip."""
    reason = next((item for item in reasons if item), "")
    if reason:
        operator.poll_message_set(reason)
    return not reason


def chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected objects, or the active one when none is selected."""
    selected = list(context.selected_objects or ())
    active = context.active_object
    return selected or ([active] if active is not None else [])


def bodies_chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the bodies among the selected objects, and those whose goo or tets are selected: they are hidden themselves."""
    bodies = [body_behind(item, context.scene) for item in chosen(context)]
    return list(dict.fromkeys(body for body in bodies if body is not None))


def active_body(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the body that the active object is or shows."""
    active = context.active_object
    return None if active is None else body_behind(active, context.scene)


def body_behind(item: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """Return the body that an object is, or that it was made to show."""
    from .bridge.identity import find_by_uid
    from .bridge.result_mesh import RESULT_OF

    if item.dollop.is_body:
        return item
    uid = item.get(RESULT_OF) or item.dollop.preview_of
    body = find_by_uid(scene, uid) if uid else None
    return body if body is not None and body.dollop.is_body else None


def nothing_chosen(context: bpy.types.Context) -> str:
    return "" if chosen(context) else "Select an object first"


def no_body_chosen(context: bpy.types.Context) -> str:
    return "" if bodies_chosen(context) else "Select a body first (Add Body makes one)"


def no_active_body(context: bpy.types.Context) -> str:
    return "" if active_body(context) is not None else "The active object is not a body (Add Body makes it one)"


def no_body_in_scene(context: bpy.types.Context) -> str:
    bodies = any(item.dollop.is_body for item in context.scene.objects)
    return "" if bodies else "There is no body yet: select a mesh and press Add Body"


def not_in_object_mode(context: bpy.types.Context) -> str:
    return "" if context.mode == "OBJECT" else "Leave edit mode first (Tab)"


def baking(context: bpy.types.Context) -> str:
    """Nothing may change under a running bake."""
    from .bridge.bake_session import running_session

    return "A bake is running" if running_session() is not None else ""
