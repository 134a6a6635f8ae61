"""Run one step by its name, the first argument after '--': Blender does not look for modules beside its script."""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
runpy.run_path(str(HERE / f"{sys.argv[sys.argv.index('--') + 1]}.py"))
