"""Bake, export and render a demo: Suzanne as bread dough, dropped on a stair. One command, on a bare machine.

    python3 tools/demo.py             about 20 thousand tets, 96 frames
    python3 tools/demo.py --quick     small and short, to see that everything works

Makes what it needs by itself (a Python environment with bpy, under ~/.cache/dollop) and ends by naming the files it wrote.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from environment import development_venv, own_tag, run_environment
from failure import SetUpError
from pins import ROOT

SCRIPT = ROOT / "tools" / "demo_shot" / "bake_and_render.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a coarse body and fewer frames")
    parser.add_argument("--preset", default="dough", help="the kind of goo (default: dough)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "demo", help="folder (default: build/demo)")
    arguments = parser.parse_args()
    try:
        python = development_venv(own_tag())
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    output = arguments.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(output / "cache", ignore_errors=True)  # of an earlier demo: each is a scene of its own
    command = [str(python), str(SCRIPT), "--preset", arguments.preset, "--output", str(output)]
    return subprocess.run([*command, *(["--quick"] if arguments.quick else [])], env=run_environment()).returncode


if __name__ == "__main__":
    sys.exit(main())
