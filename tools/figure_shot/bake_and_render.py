"""Runs where bpy is: bakes figures with the solver or plots them, measures them, renders them. tools/figures.py starts it."""

import argparse
import shutil
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOOLS.parent), str(TOOLS)]


from figure_plots import plots  # noqa: E402
from figure_plots.chart import svg  # noqa: E402
from figure_scenes import figures  # noqa: E402
from figure_scenes.contract import Figure, Shot, outside  # noqa: E402
from solver.bake import bake  # noqa: E402


def baked(figure: Figure, resolution: int, cache: Path) -> Shot:
    """Bake the figure's scene anew."""
    shutil.rmtree(cache, ignore_errors=True)
    scene = figure.scene(resolution)
    bake(scene, cache)
    return Shot(scene, cache)


def shown(name: str, coarse: bool, picture: bool, folder: Path) -> int:
    """Bake or plot one figure, print its numbers, make its picture; how many numbers lie outside their bands."""
    if name in plots():
        plot, shot = plots()[name], None
        numbers, bands = plot.measure(), plot.bands
        print(f"{name}: {plot.title} ({plot.source})", flush=True)
    else:
        figure = figures()[name]
        print(f"{name}: {figure.title} ({figure.source})", flush=True)
        shot = baked(figure, figure.coarse if coarse else figure.resolution, folder / "cache" / name)
        numbers, bands = figure.measure(shot), figure.bands
    for number, value in numbers.items():
        least, most = bands[number]
        print(f"    {number}: {value:.4g} ({least:.4g} to {most:.4g})", flush=True)
    wrong = outside(numbers, bands)
    print("".join(f"    WRONG: {sentence}\n" for sentence in wrong), end="")
    if picture and shot is None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.svg").write_text(svg(plot.panels(), plot.columns), encoding="utf-8")
        print(f"    {folder / f'{name}.svg'}")
    elif picture:
        from figure_shot.render import render

        print(f"    {render(figure, shot, folder / f'{name}.jpg')}", flush=True)
    return len(wrong)


def main() -> int:
    """Figure after figure: bake, measure, render."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("--no-picture", action="store_true")
    options = parser.parse_args()
    known = [*figures(), *plots()]
    unknown = set(options.names) - set(known)
    if unknown:
        print(f"There is no figure '{sorted(unknown)[0]}'. Choose from {', '.join(known)}.", file=sys.stderr)
        return 1
    failures = sum(shown(name, options.coarse, not options.no_picture, options.output) for name in options.names or known)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
