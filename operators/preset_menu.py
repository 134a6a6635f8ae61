"""The list of goos, as Blender's own preset menus look; nothing in it is ever executed."""

import bpy

from . import ids


class DOLLOP_MT_presets(bpy.types.Menu):
    """Choose a goo"""

    bl_idname = ids.PRESET_MENU
    bl_label = "Goo"

    def draw(self, context):
        from ..solver.materials import models
        from .bridge.presets import available_presets, own_preset_path

        groups = {}  # those of the default model, of each other model, the artist's own
        for identifier, preset in sorted(available_presets().items(), key=lambda item: item[1].name.lower()):
            model = list(models()).index(preset.material.model)
            group = len(models()) if own_preset_path(identifier) else model
            groups.setdefault(group, []).append((identifier, preset.name))
        for number, group in enumerate(sorted(groups)):
            if number:
                self.layout.separator()
            for identifier, name in groups[group]:
                self.layout.operator(ids.PRESET_APPLY, text=name, translate=False).preset = identifier
