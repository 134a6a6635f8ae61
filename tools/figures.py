"""Bake and render figures of the papers, and say whether the numbers that they are pinned to lie in their bands.

    python3 tools/figures.py                        all of them (tools/figure_scenes, figure_plots), into build/figures
    python3 tools/figures.py mueller_gross_8        one
    python3 tools/figures.py --coarse --no-picture  as coarse as the test bakes them, numbers only

Makes what it needs by itself, as tools/demo.py does. Ends with 1 where a number lies outside its band.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from environment import development_venv, own_tag, run_environment
from failure import SetUpError
from pins import ROOT

SCRIPT = ROOT / "tools" / "figure_shot" / "bake_and_render.py"


def main() -> int:
    """Run the script where bpy is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="files of tools/figure_scenes and figure_plots without .py")
    parser.add_argument("--coarse", action="store_true", help="the resolution of the test")
    parser.add_argument("--no-picture", action="store_true", help="bake and measure only")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "figures", help="folder (default: build/figures)")
    arguments = parser.parse_args()
    try:
        python = development_venv(own_tag())
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    flags = [flag for flag, given in (("--coarse", arguments.coarse), ("--no-picture", arguments.no_picture)) if given]
    command = [str(python), str(SCRIPT), *arguments.names, "--output", str(arguments.output.resolve()), *flags]
    return subprocess.run(command, env=run_environment()).returncode


if __name__ == "__main__":
    sys.exit(main())
