"""Runs where bpy is: bakes figures with the solver, measures them, renders them. tools/figures.py starts it."""

import argparse
import shutil
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOOLS.parent), str(TOOLS)]


from figure_scenes import figures  # noqa: E402
from figure_scenes.contract import Figure, Shot, outside  # noqa: E402
from solver.bake import bake  # noqa: E402


def baked(figure: Figure, resolution: int, cache: Path) -> Shot:
    """Bake the figure's scene anew."""
    shutil.rmtree(cache, ignore_errors=True)
    scene = figure.scene(resolution)
    bake(scene, cache)
    return Shot(scene, cache)


def main() -> int:
    """Figure after figure: bake, measure, render."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("--no-picture", action="store_true")
    options = parser.parse_args()
    unknown = set(options.names) - set(figures())
    if unknown:
        print(f"There is no figure '{sorted(unknown)[0]}'. Choose from {', '.join(figures())}.", file=sys.stderr)
        return 1
    failures = 0
    for name in options.names or figures():
        figure = figures()[name]
        print(f"{name}: {figure.title} ({figure.source})", flush=True)
        shot = baked(figure, figure.coarse if options.coarse else figure.resolution, options.output / "cache" / name)
        numbers = figure.measure(shot)
        for number, value in numbers.items():
            least, most = figure.bands[number]
            print(f"    {number}: {value:.4g} ({least:g} to {most:g})", flush=True)
        wrong = outside(numbers, figure.bands)
        print("".join(f"    WRONG: {sentence}\n" for sentence in wrong), end="")
        failures += len(wrong)
        if not options.no_picture:
            from figure_shot.render import render

            print(f"    {render(figure, shot, options.output / f'{name}.png')}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
