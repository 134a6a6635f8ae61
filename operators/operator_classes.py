"""The ordered list of operators."""

from .bake import DOLLOP_OT_bake, DOLLOP_OT_bake_cancel, DOLLOP_OT_resume
from .body_add import DOLLOP_OT_body_add
from .body_remove import DOLLOP_OT_body_remove
from .cache_clear import DOLLOP_OT_cache_clear
from .collider_add import DOLLOP_OT_collider_add
from .collider_remove import DOLLOP_OT_collider_remove
from .export import DOLLOP_OT_export
from .goo_show import DOLLOP_OT_goo_show
from .place_show import DOLLOP_OT_place_show
from .preflight import DOLLOP_OT_preflight
from .preset_apply import DOLLOP_OT_preset_apply
from .preset_menu import DOLLOP_MT_presets
from .preset_remove import DOLLOP_OT_preset_remove
from .preset_save import DOLLOP_OT_preset_save
from .preview_remove import DOLLOP_OT_preview_remove
from .registration import ClassList
from .tetrahedralize import DOLLOP_OT_tetrahedralize

CLASSES = ClassList(
    (
        DOLLOP_OT_body_add,
        DOLLOP_OT_body_remove,
        DOLLOP_OT_collider_add,
        DOLLOP_OT_collider_remove,
        DOLLOP_MT_presets,
        DOLLOP_OT_preset_apply,
        DOLLOP_OT_preset_save,
        DOLLOP_OT_preset_remove,
        DOLLOP_OT_tetrahedralize,
        DOLLOP_OT_preview_remove,
        DOLLOP_OT_preflight,
        DOLLOP_OT_place_show,
        DOLLOP_OT_bake,
        DOLLOP_OT_bake_cancel,
        DOLLOP_OT_resume,
        DOLLOP_OT_goo_show,
        DOLLOP_OT_cache_clear,
        DOLLOP_OT_export,
    )
)
