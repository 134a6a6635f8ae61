"""Check the import contract of pyproject.toml: who may import whom.

The extension's package has no name of its own (Blender gives it one), so the checkout is linked as `dollop` for the linter.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dollop").symlink_to(ROOT, target_is_directory=True)
        environment = {**os.environ, "PYTHONPATH": folder}
        linter = Path(sys.executable).parent / "lint-imports"
        command = [str(linter), "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
        return subprocess.run(command, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
