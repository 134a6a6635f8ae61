"""Every name that Blender knows Dollop by: operators, menus, panels. Panels import nothing else of the operators."""

BODY_ADD = "dollop.body_add"
BODY_REMOVE = "dollop.body_remove"
COLLIDER_ADD = "dollop.collider_add"
COLLIDER_REMOVE = "dollop.collider_remove"
PRESET_APPLY = "dollop.preset_apply"
PRESET_SAVE = "dollop.preset_save"
PRESET_REMOVE = "dollop.preset_remove"
TETRAHEDRALIZE = "dollop.tetrahedralize"
PREVIEW_REMOVE = "dollop.preview_remove"
PREFLIGHT = "dollop.preflight"
BAKE = "dollop.bake"
BAKE_CANCEL = "dollop.bake_cancel"
RESUME = "dollop.resume"
GOO_SHOW = "dollop.goo_show"
CACHE_CLEAR = "dollop.cache_clear"
EXPORT = "dollop.export"

COMMAND = "dollop"

PRESET_MENU = "DOLLOP_MT_presets"

SIDEBAR_TAB = "Dollop"
