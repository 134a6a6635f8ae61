"""The list of goos, as Blender's own preset menus look; nothing in it is ever executed."""

import bpy

from . import ids


class DOLLOP_MT_presets(bpy.types.Menu):
    """Choose a goo"""

    bl_idname = ids.PRESET_MENU
    bl_label = "Goo"

    def draw(self, context):
        from .bridge.presets import available_presets, own_preset_path

        shipped, own = [], []
        for identifier, preset in sorted(available_presets().items(), key=lambda item: item[1].name.lower()):
            (own if own_preset_path(identifier) else shipped).append((identifier, preset.name))
        for entries in (shipped, own):
            for identifier, name in entries:
                self.layout.operator(ids.PRESET_APPLY, text=name, translate=False).preset = identifier
            if entries is shipped and own:
                self.layout.separator()
