"""Run one step by its name, the first argument after '--': Blender does not look for modules beside its script."""

import os
import runpy
import sys
from pathlib import Path

import bpy

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
runpy.run_path(str(HERE / f"{sys.argv[sys.argv.index('--') + 1]}.py"))

# bpy 4.2 as a module crashes while Python ends, as soon as any operator has been registered
if bpy.app.version < (4, 3):
    sys.stdout.flush()
    os._exit(0)
