"""`blender -b FILE --command dollop ARGUMENTS…` for Blender as a module: FILE first, then the registered function.

The solver is the falling child. Used as: python command_line_driver.py FILE ARGUMENTS…
"""

import importlib.util
import os
import sys
from pathlib import Path

import bpy

HERE = Path(__file__).parent
commands = {}


def main(blend: str, *arguments: str) -> int:
    bpy.utils.register_cli_command = lambda name, function: commands.setdefault(name, function)
    root = HERE.parents[1]
    spec = importlib.util.spec_from_file_location("dollop", root / "__init__.py", submodule_search_locations=[str(root)])
    sys.modules["dollop"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["dollop"])
    sys.modules["dollop"].register()
    process = importlib.import_module("dollop.operators.bridge.solver_process")
    process.solver_command = lambda words: [sys.executable, str(HERE / "falling_child.py"), *words]
    if os.path.exists(blend):
        bpy.ops.wm.open_mainfile(filepath=blend)
    return commands["dollop"](list(arguments))


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # Blender 4.2 as a module crashes when Python ends in order
