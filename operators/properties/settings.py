"""The keyword arguments that Dollop's settings share: few can be animated, all can be overridden."""

from typing import Any

SETTING: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
# Read at every frame of a bake (bridge/samples.py)
KEYED: dict[str, Any] = {"options": {"ANIMATABLE"}, "override": {"LIBRARY_OVERRIDABLE"}}
# Written by Dollop, never shown for editing
HIDDEN: dict[str, Any] = {"options": {"HIDDEN"}, "override": {"LIBRARY_OVERRIDABLE"}}
