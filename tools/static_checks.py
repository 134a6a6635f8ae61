"""Types and the import contract of pyproject.toml, checked as the package that Blender makes of the checkout.

    python tools/static_checks.py types
    python tools/static_checks.py imports

The extension's package has no name of its own, so the checkout is linked as `dollop` for the checkers.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = str(ROOT / "pyproject.toml")
PROGRAMS = Path(sys.executable).parent
MYPY_CACHE = ROOT / ".mypy_cache" / str(sys.implementation.cache_tag)  # each Python has a numpy of its own
TYPED = ["dollop/solver", "dollop/operators/bridge"]
COMMANDS = {
    "types": [str(PROGRAMS / "mypy"), "--config-file", CONFIGURATION, "--cache-dir", str(MYPY_CACHE), *TYPED],
    "imports": [str(PROGRAMS / "lint-imports"), "--config", CONFIGURATION, "--no-cache"],
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dollop").symlink_to(ROOT, target_is_directory=True)
        environment = {**os.environ, "PYTHONPATH": folder, "MYPYPATH": folder}
        return subprocess.run(COMMANDS[sys.argv[1]], cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
