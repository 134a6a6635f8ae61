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
    """Return the bodies among the selected objects."""
    return [item for item in chosen(context) if item.dollop.is_body]


def nothing_chosen(context: bpy.types.Context) -> str:
    return "" if chosen(context) else "Select an object first"


def no_body_chosen(context: bpy.types.Context) -> str:
    return "" if bodies_chosen(context) else "Select a body first (Add Body makes one)"


def no_active_body(context: bpy.types.Context) -> str:
    active = context.active_object
    return "" if active is not None and active.dollop.is_body else "The active object is not a body (Add Body makes it one)"


def no_body_in_scene(context: bpy.types.Context) -> str:
    bodies = any(item.dollop.is_body for item in context.scene.objects)
    return "" if bodies else "There is no body yet: select a mesh and Add Body"


def not_in_object_mode(context: bpy.types.Context) -> str:
    return "" if context.mode == "OBJECT" else "Leave edit mode first (Tab)"


def baking(context: bpy.types.Context) -> str:
    """Nothing may change under a running bake."""
    from .bridge.bake_session import running_session

    return "A bake is running" if running_session() is not None else ""


def not_baking(context: bpy.types.Context) -> str:
    return "" if baking(context) else "No bake is running"
