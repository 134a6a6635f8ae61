"""What a thing that can act on a body declares about itself: properties and panels are generated from it."""

from dataclasses import dataclass, field
from typing import Any

from bpy.props import EnumProperty

from .settings import SETTING


@dataclass(frozen=True)
class Influence:
    """One thing that can act on a body's goo.

    name       : of its panel's identifier; label: the panel's title; about: a sentence on it
    within     : the panel that its own lies in: one of panels/body.py
    properties : Blender's properties by their name on the object, in the order in which they are drawn; the first is the
                 kind, an enumeration whose "NONE" switches the influence off
    only_with  : the kind that a property belongs to, by name; one that is not in it belongs to every kind but "NONE"
    keyed      : the properties that may change during a bake
    """

    name: str
    label: str
    about: str
    within: str
    properties: dict[str, Any]
    only_with: dict[str, str] = field(default_factory=dict)
    keyed: tuple[str, ...] = ()

    def is_set(self, settings: Any) -> bool:
        """Return whether the artist has chosen another kind than the one that is there by itself."""
        choice = next(iter(self.properties))
        return bool(getattr(settings, choice) != settings.bl_rna.properties[choice].default)

    def in_use(self, settings: Any) -> list[str]:
        """Return the names of the properties that the chosen kind makes use of, the kind itself first."""
        choice, *others = self.properties
        kind = getattr(settings, choice)
        if kind == "NONE":
            return [choice]
        return [choice, *(name for name in others if self.only_with.get(name, kind) == kind)]


def kind(name: str, about: str, *items: tuple[str, str, str]) -> Any:
    """Return the property that says in which way an influence acts; the first of its (identifier, label, sentence) is set."""
    return EnumProperty(name=name, description=about, items=items, **SETTING)
