"""The keyword arguments that all of Dollop's settings share: none but the activation of fibres can be animated, all can be overridden."""

from typing import Any

SETTING: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
# Written by Dollop, never shown for editing
HIDDEN: dict[str, Any] = {"options": {"HIDDEN"}, "override": {"LIBRARY_OVERRIDABLE"}}
