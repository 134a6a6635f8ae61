"""Bake a saved shot where there is no program and so no --command: the same bake by its operator."""

import bpy
from start import arguments, enable, report

enable()
(blend,) = arguments()
bpy.ops.wm.open_mainfile(filepath=blend)
report(outcome=sorted(bpy.ops.dollop.bake()))
