"""The keyword arguments that Dollop's settings share: none can be animated (but see fibres.py), all can be overridden."""

from typing import Any

SETTING: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
# Written by Dollop, never shown for editing
HIDDEN: dict[str, Any] = {"options": {"HIDDEN"}, "override": {"LIBRARY_OVERRIDABLE"}}
